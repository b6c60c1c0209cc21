"""Finding the bundles of a case run (specification 20, "Finding the bundle", up to step 2).

Which of several distinct bundles is *the* bundle needs the case's cluster and window; that is decided elsewhere.
"""

from __future__ import annotations

import os
from collections.abc import Container
from dataclasses import dataclass, field
from typing import NamedTuple

from judge_polars.bundles.files import Content, Tree, printable, read_content
from judge_polars.bundles.json_text import JsonText, NoJsonError, read_json
from judge_polars.bundles.layout import AUDIT_DIR, WORKSPACE_DIR, Layout, is_left_out
from judge_polars.bundles.records import CaseRunRecord
from judge_polars.printable import beginning
from judge_polars.rulebook import Limits


class Place(NamedTuple):
    """A directory or file inside a case run: its path, to be opened, and its name relative to the case run."""

    path: str
    label: str


class Inside(NamedTuple):
    """What a record names: `place` is None when it is not there, `refused` why it counts as missing, for people."""

    place: Place | None
    refused: str | None = None


def locate(tree: Tree, case_run: str, name: str) -> Inside:
    """The file or directory `name`, relative to the case run's directory, when it is there and lies inside it.

    Links are followed as long as they stay inside (specification 20); what is returned is then the link's target.
    """
    if "/" not in name:
        listing = tree.listing(case_run)
        if name in listing.files or name in listing.folders:
            return Inside(Place(f"{case_run}/{name}", printable(name)))
        if name not in listing.odd and not is_left_out(name):
            return Inside(None)
    if "\0" in name or os.path.isabs(name) or os.path.normpath(name).split("/")[0] == os.pardir:
        return Inside(None, "it is to be relative to the case run's directory and inside it")
    base = os.path.realpath(case_run)
    target = os.path.realpath(os.path.join(base, name))
    if target == base:
        return Inside(Place(case_run, "."))
    if not target.startswith(base + "/"):
        return Inside(None, "a symbolic link leads out of the case run's directory")
    below = target[len(base) + 1 :]
    return Inside(Place(f"{case_run}/{below}", printable(below)) if os.path.lexists(target) else None)


@dataclass(slots=True)
class Roots:
    """Where candidates are looked for.

    Attributes:
        audit, workspace: None when missing.
        issues: (document, code, detail).
    """

    audit: Place | None = None
    workspace: Place | None = None
    issues: list[tuple[str | None, str, str]] = field(default_factory=list)


def find_roots(tree: Tree, case_run: str, record: CaseRunRecord, workspaces_root: str | None) -> Roots:
    """`audit_dir` and `workspace_dir`; a missing workspace may lie at `<workspaces_root>/<workspace_id>`."""
    roots = Roots()
    roots.audit = _directory(tree, case_run, "audit_dir", record.audit_dir or AUDIT_DIR, roots)
    roots.workspace = _directory(tree, case_run, "workspace_dir", record.workspace_dir or WORKSPACE_DIR, roots)
    if roots.workspace is None and workspaces_root is not None and record.workspace_id is not None:
        roots.workspace = _workspace(workspaces_root, record.workspace_id, roots)
        if roots.workspace is not None:
            tree.add_root(roots.workspace.path)
    return roots


def _directory(tree: Tree, case_run: str, member: str, name: str, roots: Roots) -> Place | None:
    place, refused = locate(tree, case_run, name)
    if refused is not None:
        roots.issues.append(
            (None, "path_outside_case_run", f"{member} {beginning(name)!r} counts as missing: {refused}")
        )
        return None
    if place is not None and not os.path.isdir(place.path):
        roots.issues.append((place.label, "document_unreadable", f"{member} is no directory"))
        return None
    return place


def _workspace(workspaces_root: str, workspace_id: str, roots: Roots) -> Place | None:
    """The workspace outside the case run; candidates in it are named as if it were the case run's `workspace`."""
    refused = "/" in workspace_id or "\0" in workspace_id or workspace_id in (os.curdir, os.pardir)
    path = os.path.join(workspaces_root, workspace_id)
    if refused or os.path.islink(path):
        detail = f"workspace_id {beginning(workspace_id)!r} is no plain name of a directory"
        roots.issues.append((None, "path_outside_case_run", detail))
        return None
    return Place(path, WORKSPACE_DIR) if os.path.isdir(path) else None


@dataclass(slots=True)
class Candidate:
    """A directory with a manifest.

    Attributes:
        report_name: name of the report beside the manifest, None without one.
        reasons: (code, detail) why it is no valid candidate; empty when it is one.
        identity: digests of manifest and report; equal ones are one bundle.
        read: path -> content and JSON of the files that were read to find this out.
        kept: whether it is the one that stands for its bundle.
    """

    place: Place
    manifest_name: str
    report_name: str | None = None
    reasons: list[tuple[str, str]] = field(default_factory=list)
    identity: tuple[str, str] = ("", "")
    manifest: dict[str, object] = field(default_factory=dict)
    report: dict[str, object] = field(default_factory=dict)
    read: dict[str, tuple[Content, JsonText]] = field(default_factory=dict)
    kept: bool = False


@dataclass(slots=True)
class Search:
    """What was found below the roots: candidates sorted by label, and (document, code, detail) of oddities."""

    candidates: list[Candidate]
    issues: list[tuple[str | None, str, str]]


def find_candidates(tree: Tree, roots: Roots, layout: Layout, limits: Limits) -> Search:
    """Every directory with a manifest at or at most `limits.levels` below the roots, each looked at once."""
    starts = [place for place in (roots.audit, roots.workspace) if place is not None]
    if len(starts) == 2 and _within(starts[1].path, {starts[0].path}):
        starts.reverse()  # the inner one first: it has its own levels
    search = Search([], [])
    seen: set[str] = set()
    for start in starts:
        beyond = _search_below(tree, start, layout, limits.levels, seen, search)
        if beyond:
            detail = f"directories more than {limits.levels} levels below {start.label} were not searched for bundles"
            search.issues.append((None, "limit_reached", detail))
    for candidate in search.candidates:
        _examine(tree, candidate, layout, limits)
    search.candidates.sort(key=lambda candidate: candidate.place.label)
    return search


def _search_below(tree: Tree, start: Place, layout: Layout, levels: int, seen: set[str], search: Search) -> bool:
    """Adds the candidates below one root, breadth first; whether directories outside candidates lie deeper."""
    found: set[str] = set()
    level = [start]
    for _ in range(levels + 1):
        deeper: list[Place] = []
        for place in level:
            path, label = place
            if path in seen:
                continue
            seen.add(path)
            manifest = tree.first_file(path, layout.manifest)
            if manifest is not None:
                found.add(path)
                search.candidates.append(Candidate(place, manifest))
            listing = tree.listing(path)
            for name in set(listing.odd).intersection(layout.manifest) if listing.odd else ():
                detail = "a manifest that is no regular file was not opened"
                search.issues.append((_joined(label, name), "not_a_regular_file", detail))
            deeper += [Place(f"{path}/{name}", _joined(label, printable(name))) for name in listing.folders]
        level = deeper
    return any(place.path not in seen and not _within(place.path, found) for place in level)


def _joined(label: str, name: str) -> str:
    return name if label == "." else f"{label}/{name}"


def _within(path: str, directories: set[str]) -> bool:
    """Whether a path lies at or below one of the directories."""
    while path and path not in directories:
        path = path.rpartition("/")[0]
    return bool(path)


def _examine(tree: Tree, candidate: Candidate, layout: Layout, limits: Limits) -> None:
    """Reads manifest and report of a candidate, and says what is wrong with it."""
    path = candidate.place.path
    candidate.report_name = tree.first_file(path, layout.report)
    manifest = _read_object(tree, candidate, candidate.manifest_name, "manifest_invalid", limits)
    report = None
    if candidate.report_name is None:
        candidate.reasons.append(("report_missing", f"no {' or '.join(layout.report)} beside the manifest"))
    else:
        report = _read_object(tree, candidate, candidate.report_name, "report_invalid", limits)
    if not tree.has_folder(path, layout.evidence_dir):
        candidate.reasons.append(("evidence_missing", f"no directory {layout.evidence_dir}"))
    if manifest is not None and report is not None and not candidate.reasons:
        candidate.manifest, candidate.report = manifest[1], report[1]
        candidate.identity = (manifest[0], report[0])
    else:
        candidate.read.clear()


def _read_object(
    tree: Tree, candidate: Candidate, name: str, code: str, limits: Limits
) -> tuple[str, dict[str, object]] | None:
    """Digest and value of a file that is to be a JSON object; otherwise a reason with that code."""
    path = f"{candidate.place.path}/{name}"
    content = read_content(path, packed=False, limits=limits, tree=tree)
    if content.data is None:
        candidate.reasons.append((code, f"{name}: {content.detail}"))
        return None
    try:
        read = read_json(content.data, limits.nesting)
    except NoJsonError as fault:
        candidate.reasons.append((code, f"{name}: {fault}"))
        return None
    value = read[0]
    if not isinstance(value, dict):
        candidate.reasons.append((code, f"{name}: no JSON object"))
        return None
    candidate.read[path] = (content, read)
    return content.digest or "", value


def distinct_bundles(tree: Tree, search: Search, roots: Roots, layout: Layout) -> list[Candidate]:
    """One candidate for each bundle, sorted by label, and marks it as kept; see specification 20, step 2."""
    groups: dict[tuple[str, str], list[Candidate]] = {}
    for candidate in search.candidates:
        if not candidate.reasons:
            groups.setdefault(candidate.identity, []).append(candidate)
    valid = {candidate.place.path for group in groups.values() for candidate in group}

    def order(candidate: Candidate) -> tuple[int, bool, int, str]:
        path, label = candidate.place
        in_audit_dir = roots.audit is not None and _within(path, {roots.audit.path})
        parts = 0 if label == "." else label.count("/") + 1
        return -_evidence_files(tree, path, layout, valid), not in_audit_dir, parts, label

    for group in groups.values():
        kept = group[0] if len(group) == 1 else min(group, key=order)
        kept.kept = True
    return [candidate for candidate in search.candidates if candidate.kept]


def _evidence_files(tree: Tree, path: str, layout: Layout, valid: Container[str]) -> int:
    """Number of files under the evidence directory and the logs directory of one candidate."""
    names = [name for name, _ in files_below(tree, path, valid).files]
    logs = (sum(name.startswith(f"{folder}/") for name in names) for folder in layout.logs_dir)
    return sum(name.startswith(f"{layout.evidence_dir}/") for name in names) + next(filter(None, logs), 0)


class Below(NamedTuple):
    """(name relative to a directory, path) of the regular files below it; names of what else is no directory."""

    files: list[tuple[str, str]]
    odd: list[str]


def files_below(tree: Tree, directory: str, valid: Container[str]) -> Below:
    """Everything below a directory but what lies in nested valid candidates."""
    below = Below([], [])
    rest = [(directory, "")]
    while rest:
        path, prefix = rest.pop()
        listing = tree.listing(path)
        below.files.extend([(prefix + name, f"{path}/{name}") for name in listing.files])
        below.odd.extend([prefix + name for name in listing.odd])
        for name in listing.folders:
            folder = f"{path}/{name}"
            if folder not in valid:
                rest.append((folder, f"{prefix}{name}/"))
    return below
