"""Which files are the documents of a bundle, and which one is the final output (specification 20, "Documents")."""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from judge_polars.bundles.files import Tree, printable
from judge_polars.bundles.issues import Issues
from judge_polars.bundles.layout import OUTPUT, WRITTEN_BY_THE_JUDGE, FileArtifact, Layout, is_packed
from judge_polars.bundles.resolve import Candidate, Roots, files_below, locate
from judge_polars.printable import beginning


class CaseRunFiles(NamedTuple):
    """A case run while its files are read: `valid` are the paths of its valid candidates."""

    run: int
    case_id: str
    path: str
    tree: Tree
    roots: Roots
    valid: frozenset[str]


@dataclass(slots=True)
class Source:
    """One file that is to become a document; `in_logs` and `in_evidence`: it lies in that directory of the bundle."""

    name: str
    path: str
    packed: bool
    artifact: str | None = None
    in_logs: bool = False
    in_evidence: bool = False


class SourceFinder:
    """Finds sources by a layout; what is left out on the way becomes an issue."""

    def __init__(self, layout: Layout, issues: Issues) -> None:
        self._layout = layout
        self._issues = issues

    def of_bundle(self, files: CaseRunFiles, bundle: int, candidate: Candidate) -> list[Source]:
        """The documents of a bundle, sorted by name, each with the artifact that it is."""
        root, layout = candidate.place.path, self._layout
        below = files_below(files.tree, root, files.valid)
        own = below.files
        if root == files.path:
            own = [file for file in own if file[0] not in WRITTEN_BY_THE_JUDGE]
        sources = self._named(files.run, bundle, own)
        self._report_odd(files.run, bundle, below.odd)
        for artifact, name in (("manifest", candidate.manifest_name), ("report", candidate.report_name)):
            if name in sources:
                sources[name].artifact = artifact
        audit = files.roots.audit.path if files.roots.audit is not None else root
        for wanted in layout.files:
            beside = audit if wanted.also_in_audit_dir and audit != root else None
            self._add_artifact(files, bundle, sources, wanted, beside)
        self._add_logs(files, bundle, sources, audit if audit != root else None)
        inside = f"{layout.evidence_dir}/"
        for name, source in sources.items():
            source.in_evidence = name.startswith(inside)
        return [sources[name] for name in sorted(sources)]

    def of_output(self, files: CaseRunFiles, output_file: str | None) -> Source | None:
        """The record's `output_file`, or else the first of the layout's names that is there."""
        names = dict.fromkeys((*((output_file,) if output_file else ()), *self._layout.output))
        for name in names:
            if os.path.normpath(name) not in WRITTEN_BY_THE_JUDGE:
                source = self._file_in(files, None, files.path, name) or self._linked_output(files, name)
                if source is not None:
                    return Source(OUTPUT, source.path, source.packed, "output_text")
        return None

    def _linked_output(self, files: CaseRunFiles, name: str) -> Source | None:
        """The output where a symbolic link leads to it within the case run's directory."""
        place, refused = locate(files.tree, files.path, name)
        if refused is not None:
            detail = f"output_file {beginning(name)!r} counts as missing: {refused}"
            self._issues.add(files.run, None, None, "path_outside_case_run", detail)
        elif place is not None and os.path.isfile(place.path):
            return Source(name, place.path, is_packed(place.path))
        elif place is not None:
            self._issues.add(files.run, None, OUTPUT, "not_a_regular_file", f"{beginning(name)!r} was not opened")
        return None

    def _add_artifact(
        self, files: CaseRunFiles, bundle: int, sources: dict[str, Source], wanted: FileArtifact, beside: str | None
    ) -> None:
        """Marks the file that is an artifact: the first name in the bundle, else the first in `beside`, then added."""
        found = next((sources[name] for name in wanted.names if name in sources), None)
        if found is None and beside is not None:
            found = next(filter(None, (self._file_in(files, bundle, beside, name) for name in wanted.names)), None)
            if found is not None:
                sources[found.name] = found
        if found is not None:
            found.artifact = wanted.artifact

    def _add_logs(self, files: CaseRunFiles, bundle: int, sources: dict[str, Source], beside: str | None) -> None:
        """Marks the documents of the logs directory: the first that holds a file, in the bundle or else in `beside`."""
        own = (
            [source for source in sources.values() if source.name.startswith(f"{name}/")]
            for name in self._layout.logs_dir
        )
        logs = next(filter(None, own), None)
        if logs is None and beside is not None:
            others = (self._logs_beside(files, bundle, beside, name) for name in self._layout.logs_dir)
            logs = next(filter(None, others), None)
        for source in logs or ():
            source.in_logs = True
            sources[source.name] = source

    def _logs_beside(self, files: CaseRunFiles, bundle: int, directory: str, name: str) -> list[Source]:
        """The documents of a logs directory in `audit_dir`, named as if it lay in the bundle's root."""
        folder, listing, last = files.tree.folder_of(directory, name)
        if last in listing.odd:
            self._report_odd(files.run, bundle, [name])
        path = f"{folder}/{last}"
        if last not in listing.folders or path in files.valid:
            return []
        below = files_below(files.tree, path, files.valid)
        self._report_odd(files.run, bundle, [f"{name}/{odd}" for odd in below.odd])
        return list(self._named(files.run, bundle, [(f"{name}/{file}", where) for file, where in below.files]).values())

    def _file_in(self, files: CaseRunFiles, bundle: int | None, directory: str, name: str) -> Source | None:
        """The regular file of that name, perhaps packed, in a directory; a link in a bundle becomes an issue."""
        folder, listing, last = files.tree.folder_of(directory, name)
        fitting = [file for file in listing.files if file == last or (file[:-3] == last and is_packed(file))]
        if bundle is not None and last in listing.odd:
            self._report_odd(files.run, bundle, [name])
        prefix = name[: len(name) - len(last)]
        named = self._named(files.run, bundle, [(prefix + file, f"{folder}/{file}") for file in fitting])
        return next(iter(named.values()), None)

    def _named(self, run: int, bundle: int | None, files: Iterable[tuple[str, str]]) -> dict[str, Source]:
        """Document name -> source; of a packed and a plain file of one name the plain one wins."""
        sources: dict[str, Source] = {}
        packed: list[tuple[str, str]] = []
        for name, path in files:
            if is_packed(name):
                packed.append((name, path))
            else:
                shown = printable(name)
                sources[shown] = Source(shown, path, packed=False)
        for name, path in sorted(packed):
            shown = printable(name)[:-3]
            if shown in sources:
                detail = f"{printable(name)} was left out: another file goes by its name"
                self._issues.add(run, bundle, shown, "document_name_clash", detail)
            else:
                sources[shown] = Source(shown, path, packed=True)
        return sources

    def _report_odd(self, run: int, bundle: int | None, names: Iterable[str]) -> None:
        for name in names:
            detail = "a link, pipe, device or socket was not followed or opened"
            self._issues.add(run, bundle, printable(name), "not_a_regular_file", detail)
