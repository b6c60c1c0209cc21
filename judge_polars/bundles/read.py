"""Case runs -> shard tables: the loop over files, which is the only one (specification 20)."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol, TypeVar

import polars as pl

from judge_polars.bundles.discover import CaseRunPlace
from judge_polars.bundles.documents import BundleState, DocumentReader, Visitor
from judge_polars.bundles.files import Tree, printable
from judge_polars.bundles.issues import Issues
from judge_polars.bundles.layout import RECORD_OF_CASE_RUN, RECORD_OF_EVAL_RUN, Layout
from judge_polars.bundles.records import CaseRunRecord, case_run_record, contradictions, read_record
from judge_polars.bundles.resolve import Candidate, Roots, Search, distinct_bundles, find_candidates, find_roots
from judge_polars.bundles.sources import CaseRunFiles
from judge_polars.rulebook import Limits
from judge_polars.tables import CANDIDATES, FOUND_RUNS, SHARD_BUNDLES

RUNS_PER_SHARD = 250
Place = TypeVar("Place")


class Identity(Protocol):
    """What a bundle says it is about: `SHARD_BUNDLES` columns of the same names.

    `issues` are (source, code, detail), source being `report` or `manifest`.
    """

    @property
    def cluster_id(self) -> str | None: ...
    @property
    def cluster_source(self) -> str | None: ...
    @property
    def window_start(self) -> datetime | None: ...
    @property
    def window_end(self) -> datetime | None: ...
    @property
    def window_source(self) -> str | None: ...
    @property
    def issues(self) -> Sequence[tuple[str, str, str]]: ...


IdentityOf = Callable[[Mapping[str, object], Mapping[str, object]], Identity]
"""(report, manifest) -> identity."""


@dataclass(frozen=True, slots=True)
class ShardReading:
    """What was read of one shard; row `run` of `runs` is the place with that index.

    Attributes:
        runs: `tables.FOUND_RUNS`.
        candidates: `tables.CANDIDATES`.
        bundles: `tables.SHARD_BUNDLES`; `patch_shape_valid` is null.
        documents: `tables.DOCUMENTS`.
        issues: `tables.SHARD_ISSUES`.
    """

    runs: pl.DataFrame
    candidates: pl.DataFrame
    bundles: pl.DataFrame
    documents: pl.DataFrame
    issues: pl.DataFrame


def shards(places: Sequence[Place], runs_per_shard: int = RUNS_PER_SHARD) -> Iterator[list[Place]]:
    """Places, or what there is for each, in order, so many at a time."""
    for first in range(0, len(places), runs_per_shard):
        yield list(places[first : first + runs_per_shard])


def read_shard(
    places: Sequence[CaseRunPlace],
    layout: Mapping[str, tuple[str, ...]],
    limits: Limits,
    visitor: Visitor,
    identity: IdentityOf,
    workspaces_root: Path | str | None = None,
    most_text_bytes: int | None = None,
) -> ShardReading:
    """Reads the files of case runs; no file of any content raises.

    Args:
        places: the case runs.
        layout: artifact -> names tried in order, defaults filled in.
        visitor: is handed each JSON value, once, right after it was parsed.
        identity: called once for each distinct valid candidate.
        workspaces_root: where a missing `workspace_dir` is looked up by `workspace_id`.
        most_text_bytes: no further case run is begun once the texts take up so much; `runs` then has fewer rows than
            there are places, and the others are to be read as another shard.
    """
    elsewhere = None if workspaces_root is None else str(workspaces_root)
    reader = _ShardReader(Layout.of(layout), limits, visitor, identity, elsewhere)
    with _collector_off():
        for place in places:
            reader.read(place)
            if most_text_bytes is not None and reader.documents.text_bytes >= most_text_bytes:
                break
        return reader.result()


@contextmanager
def _collector_off() -> Iterator[None]:
    """Parsing makes many objects and no cycles; looking for cycles among them would cost much time."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class _ShardReader:
    """Rows of the shard's tables while its case runs are read one after another."""

    def __init__(
        self, layout: Layout, limits: Limits, visitor: Visitor, identity: IdentityOf, workspaces_root: str | None
    ) -> None:
        self._layout = layout
        self._limits = limits
        self._identity = identity
        self._workspaces_root = workspaces_root
        self._issues = Issues(limits.issues_per_document)
        self.documents = DocumentReader(layout, limits, visitor, self._issues)
        self._runs: list[tuple[object, ...]] = []
        self._candidates: list[tuple[object, ...]] = []
        self._bundles: list[tuple[object, ...]] = []

    def result(self) -> ShardReading:
        """The tables of everything that was read."""
        return ShardReading(
            runs=pl.DataFrame(self._runs, schema=FOUND_RUNS.schema, orient="row"),
            candidates=pl.DataFrame(self._candidates, schema=CANDIDATES.schema, orient="row"),
            bundles=pl.DataFrame(self._bundles, schema=SHARD_BUNDLES.schema, orient="row"),
            documents=self.documents.frame(),
            issues=self._issues.frame(),
        )

    def read(self, place: CaseRunPlace) -> None:
        """One case run: its record, its candidates, the documents of its distinct bundles, its output."""
        run = len(self._runs)
        with Tree(self._limits) as tree:
            tree.add_root(place.path)
            self._read_within(run, place, tree)

    def _read_within(self, run: int, place: CaseRunPlace, tree: Tree) -> None:
        record = self._read_record(run, place, tree)
        self._runs.append(_run_row(place, record))
        roots = find_roots(tree, place.path, record, self._workspaces_root)
        search = find_candidates(tree, roots, self._layout, self._limits)
        kept = distinct_bundles(tree, search, roots, self._layout)
        valid = frozenset(candidate.place.path for candidate in search.candidates if not candidate.reasons)
        files = CaseRunFiles(run, place.case_id, place.path, tree, roots, valid)
        bundles = {candidate.identity: self._read_bundle(files, candidate) for candidate in kept}
        self.documents.read_output(files, record.output_file)
        self._note_candidates(run, search, bundles)
        for document, code, detail in (*roots.issues, *search.issues):
            self._issues.add(run, None, document, code, detail)
        self._note_unlisted(run, place, tree, roots)

    def _read_record(self, run: int, place: CaseRunPlace, tree: Tree) -> CaseRunRecord:
        for code, detail in place.eval_issues:
            self._issues.add(run, None, RECORD_OF_EVAL_RUN, code, detail)
        listing = tree.listing(place.path)
        if RECORD_OF_CASE_RUN not in listing.files and RECORD_OF_CASE_RUN not in listing.odd:
            return CaseRunRecord()
        record, issues = read_record(f"{place.path}/{RECORD_OF_CASE_RUN}", self._limits)
        if record is not None:
            ids: dict[str, str | int] = {
                "eval_run_id": place.eval_run_id,
                "case_id": place.case_id,
                "trial": place.trial,
            }
            if differs := contradictions(record, ids):
                issues.append(("record_path_mismatch", differs))
        for code, detail in issues:
            self._issues.add(run, None, RECORD_OF_CASE_RUN, code, detail)
        return CaseRunRecord() if record is None else case_run_record(record)

    def _read_bundle(self, files: CaseRunFiles, candidate: Candidate) -> int:
        """Adds a distinct bundle with all its documents; its key."""
        bundle = len(self._bundles)
        found = self._identity(candidate.report, candidate.manifest)
        names = {"report": candidate.report_name, "manifest": candidate.manifest_name}
        for source, code, detail in found.issues:
            self._issues.add(files.run, bundle, names.get(source), code, detail)
        state = self.documents.read_bundle(files, bundle, candidate)
        candidate.report, candidate.manifest = {}, {}
        self._bundles.append(_bundle_row(bundle, files.run, candidate, found, state))
        return bundle

    def _note_candidates(self, run: int, search: Search, bundles: Mapping[tuple[str, str], int]) -> None:
        for candidate in search.candidates:
            codes = [code for code, _ in candidate.reasons]
            label = candidate.place.label
            self._candidates.append((run, label, None if codes else bundles[candidate.identity], codes, candidate.kept))
            for code, detail in candidate.reasons:
                self._issues.add(run, None, label, code, detail)

    def _note_unlisted(self, run: int, place: CaseRunPlace, tree: Tree, roots: Roots) -> None:
        """Issues for directories that could not be read or are too many."""
        for path, why in tree.unlisted:
            detail = f"the directory was not read: {why}"
            self._issues.add(run, None, _label(path, place, roots), "document_unreadable", detail)
        if tree.exhausted:
            detail = f"more than {self._limits.directories} directories: the others were left out"
            self._issues.add(run, None, None, "limit_reached", detail)


def _label(path: str, place: CaseRunPlace, roots: Roots) -> str:
    """A directory's path relative to the case run, or to the workspace where that lies elsewhere."""
    bases = [(place.path, ".")] + ([] if roots.workspace is None else [(roots.workspace.path, roots.workspace.label)])
    for base, label in bases:
        if path == base:
            return label
        if path.startswith(f"{base}/"):
            below = printable(path[len(base) + 1 :])
            return below if label == "." else f"{label}/{below}"
    return printable(path)


def _run_row(place: CaseRunPlace, record: CaseRunRecord) -> tuple[object, ...]:
    """A row of `tables.FOUND_RUNS`."""
    return (
        place.case_run_id,
        place.eval_run_id,
        place.case_id,
        place.trial,
        place.runs_root,
        place.directory,
        record.case_version,
        record.workspace_id,
        record.status,
        record.stop_reason,
        record.started_at,
        record.finished_at,
        *record.agent.or_else(place.eval_agent),
        record.input_tokens,
        record.output_tokens,
        record.cost_usd,
        record.tool_calls,
        record.recorded,
    )


def _bundle_row(bundle: int, run: int, candidate: Candidate, found: Identity, state: BundleState) -> tuple[object, ...]:
    """A row of `tables.SHARD_BUNDLES`."""
    return (
        bundle,
        run,
        candidate.place.label,
        found.cluster_id,
        found.cluster_source,
        found.window_start,
        found.window_end,
        found.window_source,
        state.has_logs_dir,
        state.patch_json_valid,
        None,
    )
