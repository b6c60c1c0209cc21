"""Rules tried on parts of documents: lines, JSON nodes, single series.

The evaluators of `rules/` look at whole documents of many runs; what they mean is not written a second time here.  To
find out which part of a document decided, each part is put before them as a document of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from judge_polars.bundles import compact
from judge_polars.facts.extraction import Extraction
from judge_polars.plan import SERIES_PREFIX, CaseReading, NodeRequest, ReadingPlan, request_of
from judge_polars.rulebook import Case, DocumentRule, Selector
from judge_polars.rules.document_rules import KINDS
from judge_polars.shard import Shard
from judge_polars.tables import ASKED, DOCUMENTS, NODES, POINTS, SELECTED, SERIES, SERIES_PATHS
from judge_polars.vocabulary import DEFAULT_LAYOUT

OUTPUT: Final = Selector("output_text")
_NO_PLAN: Final = ReadingPlan((), (), {})


@dataclass(frozen=True)
class Microscope:
    """Tries rules on parts; codes are those of `vocabulary.REASON_CODES`, 0 for true.

    Attributes:
        case: its time window is what `within` means.
        series, points: `tables.SERIES` and `tables.POINTS` of the run's documents.
    """

    case: Case
    series: pl.DataFrame
    points: pl.DataFrame

    def on_texts(self, trials: Sequence[tuple[DocumentRule, str, bool]]) -> list[int]:
        """Codes of (rule, text, whether it is JSON text)."""
        documents = _documents([text for _, text, _ in trials], json=[is_json for _, _, is_json in trials])
        rules = [rule for rule, _, _ in trials]
        return self._codes(
            rules, documents, _NO_PLAN, NODES.empty(), SERIES.empty(), POINTS.empty(), SERIES_PATHS.empty()
        )

    def on_values(self, trials: Sequence[tuple[DocumentRule, object]]) -> list[int]:
        """Codes of (JSON rule, JSON value)."""
        texts = [compact(value) for _, value in trials]
        documents = _documents(texts, json=[True] * len(trials))
        rules = [rule for rule, _ in trials]
        plan = _plan(rules)
        extraction = Extraction(plan, DEFAULT_LAYOUT, compact)
        for doc, (_, value) in enumerate(trials):
            extraction.visit(doc, None, doc, str(doc), "output", "output_text", value)
        frames = extraction.frames(documents)
        return self._codes(
            rules, documents, plan, frames["nodes"], frames["series"], frames["points"], frames["series_paths"]
        )

    def on_series(self, trials: Sequence[tuple[DocumentRule, int]]) -> list[int]:
        """Codes of (numeric rule, row of `series`), as if the document held that series alone, at whatever path."""
        rules = [replace(rule, path="$") for rule, _ in trials]
        numbers = pl.DataFrame(
            {"series": [series for _, series in trials]}, schema={"series": pl.UInt32}
        ).with_row_index("doc")
        series = numbers.join(self.series.drop("doc"), on="series", how="left", maintain_order="left")
        points = numbers.join(self.points, on="series", how="inner", maintain_order="left_right")
        documents = _documents([""] * len(trials), json=[True] * len(trials))
        return self._codes(
            rules,
            documents,
            _NO_PLAN,
            NODES.empty(),
            SERIES.check(series.with_columns(series="doc")),
            POINTS.check(points.with_columns(series="doc").drop("doc")),
            SERIES_PATHS.empty(),
        )

    def _codes(
        self,
        rules: Sequence[DocumentRule],
        documents: pl.DataFrame,
        plan: ReadingPlan,
        nodes: pl.DataFrame,
        series: pl.DataFrame,
        points: pl.DataFrame,
        series_paths: pl.DataFrame,
    ) -> list[int]:
        """The code of rule i on document i, for every i."""
        if not rules:
            return []
        distinct = {rule: number for number, rule in enumerate(dict.fromkeys(rules))}
        number = pl.Series([distinct[rule] for rule in rules], dtype=pl.UInt32)
        keys = documents.select("run", rule=number, doc="doc")
        window = self.case.window
        runs = documents.select(
            "run", case=pl.lit(0, pl.UInt32), window_start=pl.lit(window.start), window_end=pl.lit(window.end)
        )
        shard = Shard(runs, documents, nodes, series, points, series_paths, plan)
        every = list(distinct)
        codes = pl.Series([0] * len(rules), dtype=pl.UInt8)
        for kind in KINDS:
            mine = pl.Series(
                [index for index, rule in enumerate(every) if rule.method in kind.methods], dtype=pl.UInt32
            )
            part = keys.filter(pl.col("rule").is_in(mine.implode()))
            if not part.is_empty():
                told = kind.evaluate(ASKED.check(part.drop("doc")), SELECTED.check(part), every, shard)
                codes = codes.scatter(told["run"], told["code"])
        return codes.to_list()


def _plan(rules: Sequence[DocumentRule]) -> ReadingPlan:
    """What each rule wants of its own document: document i is that of the case `i`."""
    requests: dict[NodeRequest, int] = {}
    paths: dict[str, int] = {}
    cases: dict[str, CaseReading] = {}
    for number, rule in enumerate(rules):
        request = NodeRequest("$", text=True) if _reads_whole_text(rule) else request_of(rule)
        nodes = () if request is None else ((OUTPUT, requests.setdefault(request, len(requests))),)
        path = None if rule.path == "$" else paths.setdefault(rule.path, len(paths))
        series = ((OUTPUT, path),) if rule.method.startswith(SERIES_PREFIX) else ()
        cases[str(number)] = CaseReading(nodes, series)
    return ReadingPlan(tuple(requests), tuple(paths), cases)


def _reads_whole_text(rule: DocumentRule) -> bool:
    return rule.method == "json_text_contains_any" and rule.path == "$"


def _documents(texts: Sequence[str], *, json: Sequence[bool]) -> pl.DataFrame:
    """`tables.DOCUMENTS` of so many outputs, one per run; `json` says which of them are JSON documents."""
    count = len(texts)
    return DOCUMENTS.frame(
        {
            "doc": list(range(count)),
            "run": list(range(count)),
            "bundle": [None] * count,
            "name": ["output"] * count,
            "artifact": ["output_text"] * count,
            "in_logs": [False] * count,
            "in_evidence": [False] * count,
            "kind": ["json" if is_json else "text" for is_json in json],
            "unread": [False] * count,
            "has_json": list(json),
            "text": [text if text.strip() else None for text in texts],
            "plain": [False] * count,
            "size": [0] * count,
            "lines": [0] * count,
            "digest": [None] * count,
        }
    )
