"""What is taken out of a document's JSON value while it is there: the visitor of `bundles/`.

One visit a document serves the registry's paths, its numeric rules, and the built-in evidence and routing facts; only
columns are kept of it (specifications 30 and 40; `plan.py` says what the registry wants).  In `tables.NODES` the paths
of numeric rules follow those of the requests; of their nodes the first is kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import polars as pl

from judge_polars.facts import evidence
from judge_polars.facts.evidence import EvidenceColumns
from judge_polars.facts.json_nodes import Compact, NodeColumns, NodesOf, Wanted, compile_path, compile_requests
from judge_polars.facts.routing_items import PatchColumns
from judge_polars.facts.series import SeriesColumns, document_level, object_level
from judge_polars.globs import glob_regex, is_plain
from judge_polars.plan import CaseReading, ReadingPlan
from judge_polars.rulebook import Selector
from judge_polars.tables import SERIES_PATHS

BUNDLE_COUNTS: Final = pl.Schema(
    {"bundle": pl.UInt32, "patch_shape_valid": pl.Boolean, "collection_error_count": pl.Int64}
)
"""What a bundle's patch and collection errors amount to; null without a patch, or a list of errors."""

_NO_READING: Final = CaseReading((), ())
_METRICS_PATH: Final = "$['evidence']['metrics']"


@dataclass(frozen=True)
class _Jobs:
    """What is wanted of a document by its name: nodes, series (`paths`: at or below these, too), evidence.

    `serialised`: its text is its value's compact one.
    """

    nodes: Wanted | None
    serialised: bool
    all_series: bool
    series_paths: tuple[tuple[int, NodesOf], ...]
    is_metrics: bool
    evidence_file: str | None


class Extraction:
    """Visits the JSON values of one shard's documents and ends as frames.

    Args:
        plan: what the rules of the registry read.
        layout: artifact -> names, as in `RuleBook.layout`.
        compact: the compact serialisation of a JSON value (specification 20, "Documents").
    """

    def __init__(self, plan: ReadingPlan, layout: Mapping[str, Sequence[str]], compact: Compact) -> None:
        self._plan = plan
        self._evidence_dir = layout["evidence_dir"][0]
        self._logs_dirs = tuple(layout["logs_dir"])
        self._series_paths = [compile_path(path) for path in plan.series_paths]
        self._jobs: dict[tuple[int, str, str | None], _Jobs] = {}
        self._readings: dict[CaseReading, int] = {}
        self._reading_of: dict[str, int] = {}
        self._nodes = NodeColumns(compact)
        self._series = SeriesColumns()
        self._at_paths: tuple[list[int], list[int]] = ([], [])
        self._evidence = EvidenceColumns(self._evidence_dir)
        self._patches = PatchColumns()

    def visit(
        self, run: int, bundle: int | None, doc: int, case_id: str, name: str, artifact: str | None, value: object
    ) -> None:
        """Take what is wanted out of a document's JSON value.  `bundle` is None for the output."""
        reading = self._reading_of.get(case_id)
        jobs = None if reading is None else self._jobs.get((reading, name, artifact))
        if jobs is None:
            jobs = self._new_jobs(case_id, name, artifact)
        if jobs.nodes is not None:
            self._nodes.add(doc, jobs.nodes, value, text=not jobs.serialised or type(value) is str)
        if jobs.all_series:
            self._read_series(bundle, doc, name, artifact, value, jobs)
        elif artifact == "report" and bundle is not None:
            self._read_report_metrics(bundle, doc, name, value)
        if bundle is None:
            return
        if jobs.evidence_file is not None:
            self._read_evidence_file(bundle, name, jobs.evidence_file, value)
        elif artifact == "report":
            held = _member(value, "evidence")
            self._evidence.add_queries(bundle, name, evidence.list_in(_member(held, "queries"), ()) or ())
            self._evidence.add_events(bundle, name, evidence.list_in(_member(held, "events"), ()) or ())
        elif artifact == "analysis_patch":
            self._patches.add(bundle, value)

    def frames(self, documents: pl.DataFrame) -> dict[str, pl.DataFrame]:
        """Shard tables by name, and `bundle_counts` (`BUNDLE_COUNTS`); `documents` is all of `tables.DOCUMENTS`."""
        series, points = self._series.frames()
        return {
            "nodes": self._nodes.frame(),
            "series": series,
            "points": points,
            "series_paths": self._series_paths_frame(),
            "evidence_series": self._evidence.series(),
            "shard_queries": self._evidence.queries(documents),
            "shard_events": self._evidence.events(documents),
            "shard_refs": self._patches.frame(),
            "bundle_counts": self._bundle_counts(documents),
        }

    def _new_jobs(self, case_id: str, name: str, artifact: str | None) -> _Jobs:
        """The jobs of a case and name that meet for the first time; cases that want the same share them."""
        reading = self._plan.cases.get(case_id, _NO_READING)
        number = self._reading_of[case_id] = self._readings.setdefault(reading, len(self._readings))
        key = (number, name, artifact)
        if key not in self._jobs:
            self._jobs[key] = self._jobs_of(reading, name, artifact)
        return self._jobs[key]

    def _jobs_of(self, reading: CaseReading, name: str, artifact: str | None) -> _Jobs:
        """What the rules of a case, and the built-in facts, want of a document of that name."""
        requests = dict.fromkeys(index for selector, index in reading.nodes if self._fits(selector, name, artifact))
        asked = [(index, self._plan.requests[index]) for index in requests]
        paths = dict.fromkeys(path for selector, path in reading.series if self._fits(selector, name, artifact))
        folder, _, file = name.rpartition("/")
        in_evidence = name.startswith(f"{self._evidence_dir}/")
        is_metrics = in_evidence and "metric" in file
        return _Jobs(
            nodes=compile_requests(asked) if asked else None,
            serialised=artifact != "output_text" and name.lower().endswith(".json"),
            all_series=bool(paths) or is_metrics,
            series_paths=tuple((path, self._series_paths[path]) for path in paths if path is not None),
            is_metrics=is_metrics,
            evidence_file=file if file in evidence.LIST_PLACES and folder in ("", self._evidence_dir) else None,
        )

    def _fits(self, selector: Selector, name: str, artifact: str | None) -> bool:
        """Whether a selector may select a document: where it also looks elsewhere first is not known here."""
        if artifact == "output_text" or selector.artifact not in (None, "logs_dir", "evidence_dir"):
            return selector.artifact == artifact
        if selector.artifact == "logs_dir":
            return name.startswith(tuple(f"{directory}/" for directory in self._logs_dirs))
        inside = name.removeprefix(f"{self._evidence_dir}/")
        if selector.name is None:
            return inside != name
        if "/" in selector.name:
            return _glob(selector.name).fullmatch(name) is not None
        if inside == name:
            return is_plain(name) and selector.name == name
        return _glob(selector.name).fullmatch(inside) is not None

    def _read_series(
        self, bundle: int | None, doc: int, name: str, artifact: str | None, value: object, jobs: _Jobs
    ) -> None:
        """Every series of a document; those at paths, and those that count as evidence."""
        at_paths = [(path, nodes(value)) for path, nodes in jobs.series_paths]
        metrics = _member(_member(value, "evidence"), "metrics") if artifact == "report" else None
        wanted = {id(node) for _, nodes in at_paths for node in nodes} | _wanted_metrics(metrics)
        first = self._series.count
        ranges = self._series.add(doc, value, name, wanted)
        for path, nodes in at_paths:
            self._nodes.add_first(doc, len(self._plan.requests) + path, nodes)
            found = sorted({number for node in nodes for number in ranges.get(id(node), ())})
            self._at_paths[0].extend(found)
            self._at_paths[1].extend([path] * len(found))
        if bundle is None:
            return
        if jobs.is_metrics:
            self._add_evidence_series(bundle, name, range(first, self._series.count))
        if metrics is not None:
            self._add_report_metrics(bundle, name, metrics, ranges)

    def _read_report_metrics(self, bundle: int, doc: int, name: str, report: object) -> None:
        """The series below `$.evidence.metrics` of a report of which no rule wants all."""
        held = _member(report, "evidence")
        metrics = _member(held, "metrics")
        if not isinstance(report, dict) or not isinstance(held, dict) or metrics is None:
            return
        outer = object_level(report, None, document_level(name), "$")
        level = object_level(held, "evidence", outer, "$['evidence']")
        ranges = self._series.add_below(doc, metrics, "metrics", level, _wanted_metrics(metrics))
        self._add_report_metrics(bundle, name, metrics, ranges)

    def _add_report_metrics(self, bundle: int, name: str, metrics: object, ranges: Mapping[int, range]) -> None:
        """Evidence series of a report, then the metrics that it only names: texts, and objects without a series."""
        series = ranges.get(id(metrics), range(0))
        self._add_evidence_series(bundle, name, series)
        is_series = len(series) == 1 and self._series.paths[series[0]] == _METRICS_PATH
        for element, metric, labels in evidence.named_metrics(metrics):
            only_named = not is_series if isinstance(element, str) else not ranges.get(id(element))
            if only_named:
                self._evidence.add_series(bundle, name, [None], [metric], [labels])

    def _add_evidence_series(self, bundle: int, name: str, series: range) -> None:
        these = slice(series.start, series.stop)
        self._evidence.add_series(bundle, name, series, self._series.names[these], self._series.labels[these])

    def _read_evidence_file(self, bundle: int, name: str, file: str, value: object) -> None:
        """Entries of the list in `queries.json`, `events.json` or `collection_errors.json`."""
        entries = evidence.list_in(value, evidence.LIST_PLACES[file])
        if entries is None:
            return
        if file == evidence.QUERIES_FILE:
            self._evidence.add_queries(bundle, name, entries)
        elif file == evidence.EVENTS_FILE:
            self._evidence.add_events(bundle, name, entries)
        else:
            self._evidence.add_errors(bundle, name, entries)

    def _series_paths_frame(self) -> pl.DataFrame:
        series, paths = self._at_paths
        return pl.DataFrame({"series": series, "path": paths}, schema=SERIES_PATHS.schema)

    def _bundle_counts(self, documents: pl.DataFrame) -> pl.DataFrame:
        """`BUNDLE_COUNTS` of bundles that have a patch or a list of errors."""
        shapes = pl.DataFrame(
            list(self._patches.shape_valid.items()),
            schema={"bundle": pl.UInt32, "patch_shape_valid": pl.Boolean},
            orient="row",
        )
        counts = shapes.join(self._evidence.error_counts(documents), on="bundle", how="full", coalesce=True)
        return counts.select(BUNDLE_COUNTS.names()).sort("bundle")


def _member(value: object, name: str) -> object:
    return value.get(name) if isinstance(value, dict) else None


def _wanted_metrics(metrics: object) -> set[int]:
    """The nodes of which the series below tell what `$.evidence.metrics` holds and what it only names."""
    if metrics is None:
        return set()
    return {id(metrics), *(id(element) for element, _, _ in evidence.named_metrics(metrics))}


@lru_cache(maxsize=4096)
def _glob(glob: str) -> re.Pattern[str]:
    return re.compile(glob_regex(glob))
