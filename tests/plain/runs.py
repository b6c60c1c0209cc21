"""Eval runs, case runs and their records (20-bundles)."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.plain.documents import Document, Issue, document_name, read_document, read_output
from tests.plain.loading import Registry
from tests.plain.values import Json, is_integer

TRIAL = re.compile(r"trial-([1-9]\d*)", re.ASCII)


@dataclass
class CaseRun:
    """One attempt of one case; `record` is None where `case_run.json` is absent or no JSON object."""

    eval_run_id: str
    case_id: str
    trial: int
    folder: Path
    record: dict[str, Json] | None = None
    issues: list[Issue] = field(default_factory=list)

    @property
    def case_run_id(self) -> str:
        """Eval run, case and trial (00-overview)."""
        return f"{self.eval_run_id}/{self.case_id}/{self.trial}"

    def setting(self, key: str, default: str) -> str:
        """A name in the record, or what it is without a record."""
        value = self.record.get(key) if self.record else None
        return value if isinstance(value, str) else default


def case_runs_below(runs: Path) -> Iterator[CaseRun]:
    """All case runs, by eval run, case and trial number (70-interface)."""
    for eval_run in folders_in(runs):
        for case in folders_in(eval_run / "cases"):
            trials = [(folder, TRIAL.fullmatch(folder.name)) for folder in folders_in(case)]
            numbered = sorted((int(found[1]), folder) for folder, found in trials if found)
            for trial, folder in numbered:
                case_run = CaseRun(eval_run.name, case.name, trial, folder)
                read_records(case_run, eval_run)
                yield case_run


def folders_in(folder: Path) -> list[Path]:
    """The directories in a directory by name, without hidden ones and links."""
    if not folder.is_dir():
        return []
    found = [path for path in folder.iterdir() if path.is_dir() and not path.is_symlink() and path.name[0] != "."]
    return sorted(found, key=lambda path: path.name)


def read_records(case_run: CaseRun, eval_run: Path) -> None:
    """Read both records; what is odd about them becomes an issue of the case run (20-bundles)."""
    of_eval_run = read_record(eval_run / "eval_run.json", case_run)
    check_path(case_run, of_eval_run, "eval_run.json", {"eval_run_id": case_run.eval_run_id})
    case_run.record = read_record(case_run.folder / "case_run.json", case_run)
    ids: dict[str, Json] = {"eval_run_id": case_run.eval_run_id, "case_id": case_run.case_id, "trial": case_run.trial}
    check_path(case_run, case_run.record, "case_run.json", ids)


def read_record(path: Path, case_run: CaseRun) -> dict[str, Json] | None:
    """The record in a file, None where there is no JSON object (20-bundles)."""
    if not is_file(path):
        return None
    document = read_document(path, path.name)
    value = document.values[0] if document.values else None
    if isinstance(value, dict):
        case_run.issues += document.issues
        return value
    case_run.issues.append(Issue(path.name, "record_invalid", "the record is no JSON object"))
    return None


def check_path(case_run: CaseRun, record: dict[str, Json] | None, document: str, ids: dict[str, Json]) -> None:
    """Note a record that names other ids than its path (20-bundles)."""
    told = {key: record[key] for key in ids if record.get(key) is not None} if record else {}
    if any(told[key] != ids[key] or isinstance(told[key], bool) for key in told):
        wrong = ", ".join(key for key in ids if key in told and told[key] != ids[key])
        case_run.issues.append(Issue(document, "record_path_mismatch", f"other than in the path: {wrong}"))


def check_version(case_run: CaseRun, registry: Registry) -> None:
    """Note a record of another version of the case (30-facts, Trace facts)."""
    told = case_run.record.get("case_version") if case_run.record else None
    version = registry.cases[case_run.case_id].version
    if is_integer(told) and told != version:
        case_run.issues.append(Issue("case_run.json", "case_version_differs", f"{told}, the registry has {version}"))


def is_file(path: Path) -> bool:
    """A regular file that is no symbolic link."""
    return path.is_file() and not path.is_symlink()


def inside(case_run: CaseRun, key: str, name: str) -> Path | None:
    """A path that a record names, None with an issue where it leaves the case run's directory (20-bundles)."""
    home = case_run.folder.resolve()
    path = case_run.folder / name
    if "\0" not in name and not Path(name).is_absolute() and path.resolve().is_relative_to(home):
        return path
    case_run.issues.append(Issue("", "path_outside_case_run", key))
    return None


def folder_named(case_run: CaseRun, key: str, default: str) -> Path | None:
    """`audit_dir` or `workspace_dir`, where there is such a directory."""
    path = inside(case_run, key, case_run.setting(key, default))
    if path is None or not path.exists():
        return None
    if not path.is_dir():
        name = path.resolve().relative_to(case_run.folder.resolve()).as_posix()
        case_run.issues.append(Issue(name, "document_unreadable", f"{key} is no directory"))
        return None
    return path.resolve()


def output_of(case_run: CaseRun, registry: Registry) -> Document | None:
    """The final output: the named file, else the usual names (20-bundles, Logical artifacts)."""
    names = list(registry.layout["output_text"])
    told = case_run.setting("output_file", "")
    if told:
        names.insert(0, told)
    for name in names:
        path = inside(case_run, "output_file", name)
        found = plain_or_packed(path) if path else None
        if found is not None:
            return read_output(found)
    return None


def plain_or_packed(path: Path) -> Path | None:
    """A file, else the same with `.gz` behind it (20-bundles, Logical artifacts)."""
    if path.is_file():
        return path
    packed = [other for other in path.parent.glob("*") if document_name(other.name) == path.name and other != path]
    return next((other for other in sorted(packed) if is_file(other)), None)
