"""Case runs for probes: the files of a passing one in one plain form, a bare one for an answer alone, and both on disk.

In the plain form the bundle's root is `audit/`, what the layout also finds in `audit_dir` lies in it, packed files are unpacked,
and other candidates are left out: so what a spoiling takes away has no second copy.
"""

from __future__ import annotations

import json
import os
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final

from judge_polars.bundles.layout import AUDIT_DIR, WORKSPACE_DIR, is_left_out, is_packed
from judge_polars.rulebook import Case, RuleBook
from judge_polars.vocabulary import ARTIFACTS_ALSO_IN_AUDIT_DIR

Files = Mapping[str, bytes]
OUTPUT_FILE: Final = "output.md"
RECORD: Final = "case_run.json"
KEPT: Final = ".kept"
"""A hidden file that keeps a directory whose documents are gone."""


@dataclass(frozen=True, slots=True)
class CaseRun:
    """A case run that is written for a probe.

    Attributes:
        files: of the bundle, relative to its root, `/` between parts.
        output: the final output text as it is on disk.
        record: members of `case_run.json` beside the places.
    """

    files: Files
    output: bytes
    record: Mapping[str, Any] = field(default_factory=dict)

    def with_output(self, text: str) -> CaseRun:
        """The same bundle with another answer."""
        return replace(self, output=text.encode())

    def with_files(self, files: Files) -> CaseRun:
        """The same answer with another bundle."""
        return replace(self, files=files)


def bare_run(case: Case, book: RuleBook) -> CaseRun:
    """A bundle of the least that is a bundle, about the case's cluster and window: for probes that only look at the answer."""
    layout = book.layout
    window = {"start": case.window.start.isoformat(), "end": case.window.end.isoformat()}
    identity = json.dumps({"cluster_id": case.cluster_id, "time_window": window}).encode()
    files = {
        layout["manifest"][0]: identity,
        layout["report"][0]: identity,
        f"{layout['evidence_dir'][0]}/{KEPT}": b"",
    }
    return CaseRun(files, b"", {"status": "completed", "stop_reason": "end_turn", "case_version": case.version})


def read_passing(directory: Path, root: str, others: list[str], book: RuleBook, workspace: Path | None) -> CaseRun:
    """A case run that is there, in the plain form.

    Args:
        directory: the case run's.
        root: the bundle's root, relative to it.
        others: roots of the other candidates, relative to it.
        workspace: where the case run's workspace lies, when it is not below it.
    """
    record = _record(directory)
    limit = book.limits.document_bytes
    place = _place(directory, root, workspace)
    below = {os.path.relpath(other, root) for other in others if other != root}
    files = dict(_read_below(place, below, limit))
    audit = inside(directory, str(record.get("audit_dir") or AUDIT_DIR))
    if audit is not None and audit.is_dir() and audit.resolve() != place.resolve():
        for artifact in ARTIFACTS_ALSO_IN_AUDIT_DIR:
            _add_from_audit(files, audit, book.layout[artifact], limit)
    files[f"{book.layout['evidence_dir'][0]}/{KEPT}"] = b""
    return CaseRun(files, _output(directory, record, book.layout["output_text"], limit), record)


def inside(directory: Path, name: str) -> Path | None:
    """What a record names, when it lies in the case run's directory, also after following links."""
    path = directory / name
    return path if "\0" not in name and path.resolve().is_relative_to(directory.resolve()) else None


def _place(directory: Path, root: str, workspace: Path | None) -> Path:
    below = directory / root
    if workspace is None or below.is_dir():
        return below
    return workspace / Path(root).relative_to(WORKSPACE_DIR)


def _record(directory: Path) -> dict[str, Any]:
    """The record as it is; empty when there is none that can be read."""
    try:
        record = json.loads((directory / RECORD).read_bytes())
    except (OSError, ValueError):
        return {}
    return record if isinstance(record, dict) else {}


def _output(directory: Path, record: Mapping[str, Any], names: tuple[str, ...], limit: int) -> bytes:
    """The final output text, from the first name that is there."""
    for name in (*([str(record["output_file"])] if record.get("output_file") else ()), *names):
        for path in (inside(directory, name), inside(directory, f"{name}.gz")):
            if path is not None and path.is_file():
                return _unpacked(path, limit)
    return b""


def _read_below(place: Path, left_out: set[str], limit: int) -> Iterator[tuple[str, bytes]]:
    """Name and content of every regular file that is a document; names without `.gz`, the plain file wins."""
    names: dict[str, Path] = {}
    for folder, folders, files in os.walk(place):
        here = os.path.relpath(folder, place)
        prefix = "" if here == "." else f"{here}/"
        folders[:] = sorted(
            name
            for name in folders
            if not is_left_out(name)
            and f"{prefix}{name}" not in left_out
            and not os.path.islink(os.path.join(folder, name))
        )
        for name in sorted(files):
            path = Path(folder, name)
            if not is_left_out(name) and path.is_file() and not path.is_symlink():
                plain = f"{prefix}{name[:-3] if is_packed(name) else name}"
                if plain not in names or not is_packed(name):
                    names[plain] = path
    for name, path in names.items():
        if os.access(path, os.R_OK):
            yield name, _unpacked(path, limit)


def _unpacked(path: Path, limit: int) -> bytes:
    """Content of a file, that of a packed one unpacked up to a limit; one that cannot be unpacked stays as it is."""
    content = path.read_bytes()
    if not is_packed(path.name):
        return content
    try:
        return zlib.decompressobj(wbits=31).decompress(content, limit)
    except zlib.error:
        return content


def _add_from_audit(files: dict[str, bytes], audit: Path, names: tuple[str, ...], limit: int) -> None:
    """An artifact that the bundle's root lacks, from `audit_dir`."""
    if any(name in files or any(file.startswith(f"{name}/") for file in files) for name in names):
        return
    for name in names:
        for path in (audit / name, audit / f"{name}.gz"):
            if path.is_file():
                files[name] = _unpacked(path, limit)
                return
        if (audit / name).is_dir():
            files.update((f"{name}/{below}", content) for below, content in _read_below(audit / name, set(), limit))
            return


def write_case_run(case_run: CaseRun, directory: Path, eval_run_id: str, case_id: str, trial: int) -> None:
    """Write a case run where the judge looks for one."""
    record = {
        **case_run.record,
        "schema_version": 1,
        "eval_run_id": eval_run_id,
        "case_id": case_id,
        "trial": trial,
        "audit_dir": AUDIT_DIR,
        "workspace_dir": WORKSPACE_DIR,
        "output_file": OUTPUT_FILE,
    }
    directory.mkdir(parents=True)
    (directory / RECORD).write_text(json.dumps(record), encoding="utf-8")
    (directory / OUTPUT_FILE).write_bytes(case_run.output)
    made: set[Path] = set()
    for name, content in case_run.files.items():
        path = directory / AUDIT_DIR / name
        if path.parent not in made:
            path.parent.mkdir(parents=True, exist_ok=True)
            made.add(path.parent)
        path.write_bytes(content)
