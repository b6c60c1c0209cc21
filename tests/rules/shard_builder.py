"""A shard made of documents typed in a test, and the codes that an evaluator gives to rules on it."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Protocol

import polars as pl

from judge_polars.facts.extraction import Extraction
from judge_polars.plan import SERIES_PREFIX, CaseReading, NodeRequest, ReadingPlan, request_of
from judge_polars.rulebook import DocumentRule
from judge_polars.rules.select import select_documents
from judge_polars.shard import Shard
from judge_polars.tables import ASKED, DOCUMENTS
from judge_polars.vocabulary import DEFAULT_LAYOUT, REASONS

WINDOW_START = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)
WINDOW_END = datetime(2025, 3, 4, 9, 45, tzinfo=UTC)
CASE = "case-a"
EVIDENCE = "evidence"


class Evaluate(Protocol):
    """What a file of `rules/` offers."""

    def __call__(
        self, asked: pl.DataFrame, selected: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard
    ) -> pl.DataFrame: ...


@dataclass(frozen=True)
class Text:
    """A document without a JSON value; `unread`: not even its text is known."""

    text: str | None
    unread: bool = False


@dataclass(frozen=True)
class Lines:
    """A `.jsonl` document: the good lines' values, and its text."""

    values: list[object]
    text: str


@dataclass(frozen=True)
class Output:
    """An output text with a JSON value in it."""

    text: str
    value: object


Run = Mapping[str, object]
"""Document name -> its JSON value, or a `Text`, `Lines` or `Output`.  `output` is the output."""


def compact(value: object) -> str:
    """A JSON value without white space."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def artifact_of(name: str) -> str | None:
    """The logical artifact of which a document is the file, by the default names."""
    if name == "output":
        return "output_text"
    return next((artifact for artifact, names in DEFAULT_LAYOUT.items() if name in names), None)


def build(
    rules: Sequence[DocumentRule], runs: Sequence[Run]
) -> tuple[pl.DataFrame, pl.DataFrame, Shard, dict[str, pl.DataFrame]]:
    """`asked` (all rules for all runs), `selected`, the shard, and all that was taken out of the documents."""
    plan = plan_of(rules)
    extraction = Extraction(plan, DEFAULT_LAYOUT, compact)
    rows: list[tuple[object, ...]] = []
    for run, documents in enumerate(runs):
        for name, held in documents.items():
            doc = len(rows)
            artifact = artifact_of(name)
            bundle = None if artifact == "output_text" else run
            value = held.values if isinstance(held, Lines) else held.value if isinstance(held, Output) else held
            if not isinstance(held, Text):
                extraction.visit(run, bundle, doc, CASE, name, artifact, value)
            rows.append(_document_row(doc, run, bundle, name, artifact, held))
    frame = pl.DataFrame(rows, schema=DOCUMENTS.schema, orient="row")
    frames = extraction.frames(frame)
    shard = Shard(
        runs=_runs_frame(len(runs)),
        documents=frame,
        nodes=frames["nodes"],
        series=frames["series"],
        points=frames["points"],
        series_paths=frames["series_paths"],
        plan=plan,
    )
    asked = pl.DataFrame(
        [(run, rule) for run in range(len(runs)) for rule in range(len(rules))], schema=ASKED.schema, orient="row"
    )
    return asked, select_documents(asked, frame, rules, EVIDENCE), shard, frames


def plan_of(rules: Sequence[DocumentRule]) -> ReadingPlan:
    """The reading plan of one case with these rules."""
    requests: dict[NodeRequest, int] = {}
    paths: dict[str, int] = {}
    nodes: dict[tuple[object, int], None] = {}
    series: dict[tuple[object, int | None], None] = {}
    for rule in rules:
        request = request_of(rule)
        if rule.method == "json_text_contains_any" and rule.path == "$":
            request = NodeRequest("$", text=True)
        if request is not None:
            nodes[rule.selector, requests.setdefault(request, len(requests))] = None
        elif rule.method.startswith(SERIES_PREFIX) or rule.method.startswith("numeric_spread"):
            series[rule.selector, None if rule.path == "$" else paths.setdefault(rule.path, len(paths))] = None
    reading = CaseReading(tuple(nodes), tuple(series))  # type: ignore[arg-type]
    return ReadingPlan(tuple(requests), tuple(paths), {CASE: reading})


def reasons(evaluate: Evaluate, rules: Sequence[DocumentRule], runs: Sequence[Run]) -> list[list[str]]:
    """Per run, per rule: `true`, or the reason why it is false."""
    asked, selected, shard, _ = build(rules, runs)
    results = evaluate(asked, selected, rules, shard)
    assert results.select("run", "rule").sort("run", "rule").equals(asked), "one result for each rule that was asked"
    codes = {(run, rule): code for run, rule, code in results.iter_rows()}
    told = ("true", *REASONS)
    return [[told[codes[run, rule]] for rule in range(len(rules))] for run in range(len(runs))]


def _runs_frame(runs: int) -> pl.DataFrame:
    time = pl.Datetime("us", "UTC")
    return pl.DataFrame(
        [(run, 0, WINDOW_START, WINDOW_END) for run in range(runs)],
        schema={"run": pl.UInt32, "case": pl.UInt32, "window_start": time, "window_end": time},
        orient="row",
    )


def _document_row(
    doc: int, run: int, bundle: int | None, name: str, artifact: str | None, held: object
) -> tuple[object, ...]:
    text = held.text if isinstance(held, Text | Lines | Output) else compact(held)
    kind = "jsonl" if isinstance(held, Lines) else "text" if isinstance(held, Text | Output) else "json"
    unread = isinstance(held, Text) and held.unread
    blank = text is None or not text.strip()
    return (
        doc,
        run,
        bundle,
        name,
        artifact,
        name.startswith("logs/"),
        name.startswith(f"{EVIDENCE}/"),
        kind,
        unread,
        not isinstance(held, Text),
        None if blank else text,
        text is not None and text.isascii() and "\r" not in text and "\x1b" not in text,
        len(text or ""),
        None if unread else (text or "").count("\n") + 1,
        "",
    )
