"""Finding the bundle of a case run, and its documents (20-bundles, "Finding the bundle", "Logical artifacts")."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from tests.plain.documents import Document, Issue, document_name, has_text_extension, is_packed, read_document
from tests.plain.loading import Registry
from tests.plain.runs import CaseRun, folder_named, is_file
from tests.plain.text import glob, is_glob
from tests.plain.values import Json

DEEPEST = 8
JUDGE_FILES = {"judgment.json", "semantic_context_v1.json", "semantic_packet_v1.json"}
ALSO_IN_AUDIT = ("summary_text", "summary_json", "telemetry")
SYNONYMS = {"logs": "logs_dir", "evidence": "evidence_dir", "output": "output_text"}
ARTIFACTS = (
    *("manifest", "report", "evidence_dir", "analysis_patch", "summary_text"),
    *("summary_json", "logs_dir", "telemetry", "output_text"),
)


@dataclass
class Candidate:
    """A directory that holds a manifest: the documents of manifest and report, and why it is rejected."""

    root: Path
    name: str
    under_audit: bool
    manifest: Document
    report: Document | None
    reasons: list[str]


@dataclass
class Bundle:
    """The bundle of a case run: documents by name, and for each artifact that is there its document or directory."""

    manifest: Document
    report: Document
    documents: dict[str, Document] = field(default_factory=dict)
    artifacts: dict[str, str] = field(default_factory=dict)
    evidence_dir: str = "evidence"


def candidates_of(case_run: CaseRun, registry: Registry) -> list[Candidate]:
    """All directories with a manifest in or below both directories of the case run (20-bundles, Finding the bundle)."""
    audit = folder_named(case_run, "audit_dir", "audit")
    workspace = folder_named(case_run, "workspace_dir", "workspace")
    home = case_run.folder.resolve()
    found: dict[Path, Candidate] = {}
    for top in (audit, workspace):
        for folder in folders_below(top, DEEPEST) if top else ():
            manifest = first_file(folder, registry.layout["manifest"])
            if folder not in found and manifest is not None:
                found[folder] = candidate(folder, manifest, home, registry, under_audit=top == audit)
    return list(found.values())


def folders_below(folder: Path, levels: int) -> Iterator[Path]:
    """A directory and those below it that are searched (20-bundles, Finding the bundle)."""
    yield folder
    if levels:
        for inner in sorted(folder.iterdir()):
            if inner.is_dir() and not inner.is_symlink() and not is_left_out(inner.name):
                yield from folders_below(inner, levels - 1)


def is_left_out(name: str) -> bool:
    """Whether a name is hidden or that of installed modules (20-bundles)."""
    return name.startswith(".") or name == "node_modules"


def first_file(folder: Path, names: list[str]) -> Path | None:
    """The first of several names that is a file (20-bundles, Logical artifacts)."""
    return next((folder / name for name in names if is_file(folder / name)), None)


def candidate(folder: Path, manifest: Path, home: Path, registry: Registry, *, under_audit: bool) -> Candidate:
    """A candidate with the reasons against it."""
    read_manifest = read_document(manifest, manifest.relative_to(folder).as_posix())
    report = first_file(folder, registry.layout["report"])
    read_report = read_document(report, report.relative_to(folder).as_posix()) if report else None
    reasons = []
    if not is_object(read_manifest):
        reasons.append("manifest_invalid")
    if read_report is None:
        reasons.append("report_missing")
    elif not is_object(read_report):
        reasons.append("report_invalid")
    evidence = folder / registry.layout["evidence_dir"][0]
    if not evidence.is_dir() or evidence.is_symlink():
        reasons.append("evidence_missing")
    name = folder.relative_to(home).as_posix()
    return Candidate(folder, name, under_audit, read_manifest, read_report, reasons)


def is_object(document: Document) -> bool:
    """Whether the JSON value of a document is an object."""
    return bool(document.values) and isinstance(document.values[0], dict)


def choose(
    candidates: list[Candidate], registry: Registry, matches_case: Callable[[Candidate], bool]
) -> tuple[Candidate | None, str]:
    """The chosen candidate, or None and the failure code (20-bundles, Finding the bundle, steps 1 to 5)."""
    valid = without_copies([found for found in candidates if not found.reasons], registry)
    if not valid:
        return None, "bundle_unresolved"
    if len(valid) == 1:
        return valid[0], ""
    matching = [found for found in valid if matches_case(found)]
    return (matching[0], "") if len(matching) == 1 else (None, "bundle_ambiguous")


def without_copies(valid: list[Candidate], registry: Registry) -> list[Candidate]:
    """One candidate for each pair of manifest and report (20-bundles, Finding the bundle, step 2)."""
    groups: dict[tuple[bytes, bytes], list[Candidate]] = {}
    for found in valid:
        groups.setdefault(bytes_of(found), []).append(found)
    return [min(group, key=lambda found: preference(found, registry)) for group in groups.values()]


def bytes_of(found: Candidate) -> tuple[bytes, bytes]:
    """The bytes of manifest and report."""
    report = found.report.name if found.report else ""
    return (found.root / found.manifest.name).read_bytes(), (found.root / report).read_bytes()


def preference(found: Candidate, registry: Registry) -> tuple[int, bool, int, str]:
    """The order in which one of several copies is kept (20-bundles, Finding the bundle, step 2)."""
    evidence = len(list(files_below(found.root / registry.layout["evidence_dir"][0], frozenset())))
    logs = max(len(list(files_below(found.root / name, frozenset()))) for name in registry.layout["logs_dir"])
    parts = 0 if found.name == "." else len(found.name.split("/"))
    return -(evidence + logs), not found.under_audit, parts, found.name


def files_below(folder: Path, apart: frozenset[Path]) -> Iterator[Path]:
    """Every regular file that can be a document, without the directories in `apart` (20-bundles, Documents)."""
    if not folder.is_dir() or folder.is_symlink() or folder in apart:
        return
    for path in sorted(folder.iterdir()):
        if is_left_out(path.name) or path.is_symlink():
            continue
        if path.is_dir():
            yield from files_below(path, apart)
        elif path.is_file():
            yield path


def read_bundle(
    chosen: Candidate, candidates: list[Candidate], case_run: CaseRun, registry: Registry, output: Document | None
) -> Bundle:
    """All documents and artifacts of the chosen bundle."""
    if chosen.report is None:
        raise ValueError("a valid candidate has a report")
    apart = frozenset(found.root for found in candidates if not found.reasons)
    files = {path.relative_to(chosen.root).as_posix(): path for path in files_below(chosen.root, apart - {chosen.root})}
    if chosen.root == case_run.folder.resolve():
        files = {name: path for name, path in files.items() if name not in JUDGE_FILES}
    artifacts = {"evidence_dir": registry.layout["evidence_dir"][0]}
    artifacts |= {"manifest": chosen.manifest.name, "report": chosen.report.name}
    audit = folder_named(CaseRun("", "", 1, case_run.folder, case_run.record), "audit_dir", "audit")
    for artifact in ("analysis_patch", *ALSO_IN_AUDIT):
        find_file(artifact, files, artifacts, audit if artifact in ALSO_IN_AUDIT else None, registry)
    find_logs(files, artifacts, audit, apart, registry)
    bundle = Bundle(chosen.manifest, chosen.report, read_files(files), artifacts, artifacts["evidence_dir"])
    bundle.manifest = bundle.documents[chosen.manifest.name]
    bundle.report = bundle.documents[chosen.report.name]
    if output is not None and output.has_text:
        artifacts["output_text"] = "output"
    return bundle


def find_file(
    artifact: str, files: dict[str, Path], artifacts: dict[str, str], audit: Path | None, registry: Registry
) -> None:
    """Find an artifact that is a file in the root, else in the audit directory (20-bundles, Logical artifacts)."""
    names = registry.layout[artifact]
    in_root = {document_name(name) for name in files}
    for name in names:
        if name in in_root:
            artifacts[artifact] = name
            return
    beside = {path.relative_to(audit).as_posix(): path for path in files_in(audit)} if audit else {}
    for name in names:
        fitting = {other: path for other, path in beside.items() if document_name(other) == name}
        if fitting:
            files |= fitting
            artifacts[artifact] = name
            return


def files_in(folder: Path) -> list[Path]:
    """The regular files directly in a directory."""
    return [path for path in sorted(folder.iterdir()) if is_file(path) and not is_left_out(path.name)]


def find_logs(
    files: dict[str, Path], artifacts: dict[str, str], audit: Path | None, apart: frozenset[Path], registry: Registry
) -> None:
    """Find the logs directory in the root, else in the audit directory (20-bundles, Logical artifacts)."""
    for name in registry.layout["logs_dir"]:
        if any(file.startswith(name + "/") for file in files):
            artifacts["logs_dir"] = name
            return
    if audit is None:
        return
    for name in registry.layout["logs_dir"]:
        beside = list(files_below(audit / name, apart))
        if beside:
            files |= {path.relative_to(audit).as_posix(): path for path in beside}
            artifacts["logs_dir"] = name
            return


def read_files(files: dict[str, Path]) -> dict[str, Document]:
    """The documents of the files; a plain file wins over a packed one (20-bundles, Documents)."""
    documents: dict[str, Document] = {}
    clashes = []
    for name in sorted(files, key=lambda name: (is_packed(name), name)):
        if document_name(name) in documents:
            clashes.append(document_name(name))
        else:
            documents[document_name(name)] = read_document(files[name], document_name(name))
    for name in clashes:
        documents[name].add_issue("document_name_clash", "a packed file of the same name is there too")
    return dict(sorted(documents.items()))


def artifact_of(selector: str) -> str | None:
    """The logical artifact that a selector names, if it names one."""
    artifact = SYNONYMS.get(selector, selector)
    return artifact if artifact in ARTIFACTS else None


def selected(selector: str, bundle: Bundle | None, output: Document | None) -> list[Document]:
    """All documents that fit a selector (20-bundles, Documents, last paragraph)."""
    artifact = artifact_of(selector)
    if artifact == "output_text":
        return [output] if output is not None else []
    if bundle is None:
        return []
    if artifact is None:
        return [document for name, document in bundle.documents.items() if fits(selector, name, bundle)]
    if artifact not in bundle.artifacts:
        return []
    place = bundle.artifacts[artifact]
    if artifact not in ("logs_dir", "evidence_dir"):
        return [bundle.documents[place]]
    inside = [document for name, document in bundle.documents.items() if name.startswith(place + "/")]
    if artifact == "evidence_dir":
        return inside
    return [document for document in inside if document.unread != "binary_skipped" or has_text_extension(document.name)]


def fits(selector: str, name: str, bundle: Bundle) -> bool:
    """Whether a document fits a file name or glob (20-bundles, Documents, last paragraph)."""
    if "/" in selector:
        return glob(selector).fullmatch(name) is not None
    inside = name.removeprefix(f"{bundle.evidence_dir}/")
    if inside != name:
        return glob(selector).fullmatch(inside) is not None
    there = f"{bundle.evidence_dir}/{selector}" in bundle.documents
    return not is_glob(selector) and not there and name == selector


def issues_of_candidates(candidates: list[Candidate]) -> list[Issue]:
    """One issue for each reason against a candidate (20-bundles, Finding the bundle)."""
    return [Issue(found.name, reason, "the candidate is rejected") for found in candidates for reason in found.reasons]


def value_at(document: Document | None) -> Json:
    """The JSON value of a document, null where it has none."""
    return document.values[0] if document is not None and document.values else None
