"""The files of a registry directory: which ones there are, read and validated one by one (specification 10)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

from judge_polars.errors import Finding
from judge_polars.registry.baseline import BaselineFile
from judge_polars.registry.case import CaseFile
from judge_polars.registry.contents import CaseFiles, Contents, Read
from judge_polars.registry.findings import validated
from judge_polars.registry.locate import USUAL_PLACE
from judge_polars.registry.pack import Pack
from judge_polars.registry.policy import JudgeFile
from judge_polars.registry.registry_file import DEFAULT_PACKS, RegistryFile
from judge_polars.registry.source import Source, read_source
from judge_polars.registry.suggestions import listed, nearest
from judge_polars.registry.suite import SuiteFile
from judge_polars.registry.values import Model

M = TypeVar("M", bound=Model)

SHIPPED_PACKS: Final = Path(__file__).parent.parent / "packs"
SUFFIX: Final = ".yaml"


@dataclass
class File:
    """A source and the data to validate, which is the source's own unless a model was edited."""

    source: Source
    data: object


@dataclass
class Files:
    """All files of a registry before validation; None for one of a case that is missing.

    Attributes:
        packs_missing: a pack that `registry.yaml` names is not there, so its names are unknown.
    """

    root: Path
    registry: File
    packs: list[File] = field(default_factory=list)
    cases: dict[str, tuple[File | None, File | None]] = field(default_factory=dict)
    suites: dict[str, File] = field(default_factory=dict)
    baselines: dict[str, File] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    packs_missing: bool = False


def in_memory(path: Path) -> Source:
    """The source of a model that was made in memory."""
    return Source(str(path))


def read_files(root: Path) -> Files:
    """Every YAML file that belongs to the registry; what cannot be read becomes findings."""
    path = root / "registry.yaml"
    registry = _file(path) if path.exists() else File(in_memory(path), {})
    files = Files(root, registry)
    if not (root / "cases").is_dir():
        _no_cases(files, registry_is_there=path.exists())
    _read_packs(files)
    for directory in _entries(root / "cases", directories=True):
        files.cases[directory.name] = _case_file(directory, "case", files), _case_file(directory, "judge", files)
    for folder, target in (("suites", files.suites), ("baselines", files.baselines)):
        for entry in _entries(root / folder, directories=False):
            if entry.suffix == SUFFIX:
                target[entry.stem] = _file(entry)
            elif entry.suffix.lower() in (".yml", SUFFIX):
                _add(files, entry, "unexpected_file", f"only files ending in `{SUFFIX}` are read; rename it", "warning")
    every = [registry, *files.packs, *(file for pair in files.cases.values() for file in pair if file)]
    for file in (*every, *files.suites.values(), *files.baselines.values()):
        files.findings += file.source.findings
    return files


def _no_cases(files: Files, *, registry_is_there: bool) -> None:
    if not files.root.is_dir():
        _add(files, files.root, "no_registry", "there is no such directory; a registry holds `cases/`")
    elif registry_is_there:
        _add(files, files.root, "no_cases", "the registry holds no directory `cases/`", "warning")
    else:
        near = files.root / USUAL_PLACE
        hint = f"; did you mean `{near}`?" if near.is_dir() else "; a registry holds `cases/`"
        _add(files, files.root, "no_registry", f"this directory is no registry{hint}")


def _entries(folder: Path, *, directories: bool) -> Iterator[Path]:
    """Directories or files of a folder that are not hidden, by name."""
    if folder.is_dir():
        for entry in sorted(folder.iterdir()):
            if not entry.name.startswith(".") and entry.is_dir() == directories:
                yield entry


def _file(path: Path) -> File:
    source = read_source(path, str(path))
    return File(source, source.data)


def _case_file(directory: Path, name: str, files: Files) -> File | None:
    path = directory / f"{name}{SUFFIX}"
    if path.exists():
        return _file(path)
    _add(
        files,
        path,
        "missing_file",
        f"the case `{directory.name}` has no {name}{SUFFIX}; add it, or remove the directory",
    )
    return None


def _add(files: Files, path: Path, code: str, message: str, severity: str = "error") -> None:
    files.findings.append(Finding(str(path), 1, 1, "", code, severity, message))


def _read_packs(files: Files) -> None:
    """The packs that `registry.yaml` names, shipped ones and files."""
    data = files.registry.data
    named = data.get("packs", list(DEFAULT_PACKS)) if isinstance(data, dict) else list(DEFAULT_PACKS)
    for index, name in enumerate(named if isinstance(named, list) else ()):
        if not isinstance(name, str):
            files.packs_missing = True
            continue
        is_file = "/" in name or name.endswith(SUFFIX)
        path = files.root / name if is_file else SHIPPED_PACKS / f"{name}{SUFFIX}"
        outside = is_file and not path.resolve().is_relative_to(files.root.resolve())
        if outside or not path.is_file():
            shipped = sorted(pack.stem for pack in SHIPPED_PACKS.glob(f"*{SUFFIX}"))
            wanted = f"there is no file `{path}`" if is_file else f"no pack `{name}` ships{nearest(name, shipped)}"
            if outside:
                wanted = f"`{name}` is not in the registry's directory"
            message = f"{wanted}; name a shipped pack ({listed(shipped)}), or a file (with a `/`, or ending in `.yaml`)"
            source = files.registry.source
            files.findings.append(source.finding(("packs", index), "unknown_pack", message))
            files.packs_missing = True
        else:
            files.packs.append(_file(path))


def validated_contents(files: Files) -> tuple[Contents, list[Finding]]:
    """The models of all files, and everything that is wrong with them one by one."""
    findings = list(files.findings)
    registry = _validated(RegistryFile, files.registry, findings)
    packs = [_validated(Pack, file, findings) for file in files.packs]
    usable = tuple(pack for pack in packs if pack)
    _distinct_packs(usable, findings)
    names_kept = len(usable) == len(packs) and not files.packs_missing and all(pack.names_kept for pack in usable)
    cases: dict[str, CaseFiles] = {}
    for name, (case, judge) in files.cases.items():
        read = _validated(CaseFile, case, findings) if case else None
        if read:
            _workspace_files(read, files.root / "cases" / name, findings)
        cases[name] = CaseFiles(read, _validated(JudgeFile, judge, findings) if judge else None)
    contents = Contents(
        str(files.root),
        registry or Read(RegistryFile(), files.registry.source, whole=False),
        usable,
        names_kept,
        cases,
        {name: _validated(SuiteFile, file, findings) for name, file in files.suites.items()},
        {name: _validated(BaselineFile, file, findings) for name, file in files.baselines.items()},
    )
    return contents, findings


def _validated(model: type[M], file: File, findings: list[Finding]) -> Read[M] | None:
    return validated(model, file.data, file.source, findings) if file.source.readable else None


def _distinct_packs(packs: tuple[Read[Pack], ...], findings: list[Finding]) -> None:
    seen: set[str] = set()
    for pack in packs:
        if pack.model.id in seen:
            message = f"another pack of the registry has the id `{pack.model.id}` too; give one of them another id"
            findings.append(pack.source.finding(("id",), "duplicate_id", message))
        seen.add(pack.model.id)


def _workspace_files(case: Read[CaseFile], directory: Path, findings: list[Finding]) -> None:
    """`workspace_files` is there, and inside the case."""
    named = case.model.environment.workspace_files
    if named is None:
        return
    loc = ("environment", "workspace_files")
    path = directory / named
    if not path.is_dir():
        message = f"there is no directory `{path}`; add it, or leave the key out"
        findings.append(case.source.finding(loc, "missing_file", message))
    elif not path.resolve().is_relative_to(directory.resolve()):
        message = f"`{path}` leads out of the case; keep the files inside it"
        findings.append(case.source.finding(loc, "invalid_file", message))
