"""One shard of case runs, from files to published tables: read, resolve, facts, rules, checks.

The engine pickles, so that worker processes judge shards side by side.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import polars as pl

from judge_polars import tables
from judge_polars.bundles import CaseRunPlace, ShardReading, compact, read_shard
from judge_polars.digests import bundle_digests
from judge_polars.facts.builtin import built_in_facts
from judge_polars.facts.extraction import Extraction
from judge_polars.facts.resolve import resolve_bundles
from judge_polars.facts.routing import resolve_refs, routing_facts
from judge_polars.facts.trace import allowed_windows, cases_frame, match_bundles, read_identity
from judge_polars.plan import ReadingPlan, reading_plan
from judge_polars.published import RECORD, issue_rows, merge, run_tables
from judge_polars.rulebook import RuleBook
from judge_polars.rules.document_rules import code_matrix, evaluate_documents, text_fact_codes
from judge_polars.rules.evaluate import FactMatrix, RuleCodes, evaluate_level
from judge_polars.rules.program import BUILT_IN_SLOTS, TEXT_FACTS, Program, compile_program
from judge_polars.shard import Shard
from judge_polars.vocabulary import REASONS

Frames = dict[str, pl.DataFrame]
SHARD_TEXT_BYTES: Final = 96 * 1024 * 1024
"""Text that is held at once while a shard is judged; 250 realistic case runs have some 58 MB."""


@dataclass(frozen=True)
class Engine:
    """A registry, compiled for judging; `workspaces_root` is where missing workspaces are looked up."""

    book: RuleBook
    workspaces_root: Path | None = None

    @cached_property
    def program(self) -> Program:
        """The rules as tables."""
        return compile_program(self.book)

    @cached_property
    def plan(self) -> ReadingPlan:
        """What is taken out of JSON documents while they are parsed."""
        return reading_plan(self.book)

    @property
    def evidence_dir(self) -> str:
        """Name of the evidence directory, relative to the bundle's root."""
        return self.book.layout["evidence_dir"][0]

    def judge_shard(self, places: Sequence[CaseRunPlace]) -> Frames:
        """Judge case runs of known cases; frames of `tables.PUBLISHED_TABLES`, keyed by name.

        `judged_key` counts from 0 within the shard, in the order of `places`.  Texts of more than `SHARD_TEXT_BYTES` are never
        held at once: a shard of large bundles is judged in parts.
        """
        parts: list[Frames] = []
        rest = list(places)
        while rest:
            reading, extraction = read_places(self, rest)
            rest = rest[reading.runs.height :]
            parts.append(judge_reading(self, reading, extraction))
        return parts[0] if len(parts) == 1 else merge(parts, (parts[0] if parts else {}).keys())


def read_places(engine: Engine, places: Sequence[CaseRunPlace]) -> tuple[ShardReading, Extraction]:
    """Read the files of case runs; JSON values are visited while they are there."""
    extraction = Extraction(engine.plan, engine.book.layout, compact)
    reading = read_shard(
        places,
        layout=engine.book.layout,
        limits=engine.book.limits,
        visitor=extraction,
        identity=read_identity,
        workspaces_root=engine.workspaces_root,
        most_text_bytes=SHARD_TEXT_BYTES,
    )
    return reading, extraction


@dataclass(frozen=True)
class Prepared:
    """A shard whose bundles are resolved and whose document rules are evaluated.

    Attributes:
        runs: `tables.FOUND_RUNS` with `run`, `case`, `bundle`, `bundle_status`, `cause`, `has_output`, `has_bundle`, `judged`.
        bundles: `tables.SHARD_BUNDLES` with `case`, `cluster_matched`, `window_matched`, `collection_error_count`.
        documents: those of the chosen bundles and the outputs.
        extracted: what was taken out of JSON values, by table name.
        results: `tables.RULE_RESULTS`.
    """

    runs: pl.DataFrame
    bundles: pl.DataFrame
    documents: pl.DataFrame
    extracted: Mapping[str, pl.DataFrame]
    shard: Shard
    results: pl.DataFrame


def prepare(engine: Engine, reading: ShardReading, extraction: Extraction) -> Prepared:
    """Resolve bundles and evaluate document rules."""
    program, book = engine.program, engine.book
    extracted = extraction.frames(reading.documents)
    cases = cases_frame(book)
    named = cases.select(
        "case", "case_id", case_version=pl.Series([case.version for case in book.cases], dtype=pl.Int64)
    )
    runs = reading.runs.with_row_index("run").join(named, on="case_id", how="left", maintain_order="left")
    bundles = (
        reading.bundles.drop("patch_shape_valid")
        .join(runs.select("run", "case"), on="run", how="left", maintain_order="left")
        .join(extracted["bundle_counts"], on="bundle", how="left", maintain_order="left")
    )
    bundles = bundles.join(
        match_bundles(bundles, cases, allowed_windows(book)), on="bundle", how="left", maintain_order="left"
    )
    resolved = resolve_bundles(runs, reading.bundles, bundles.select("bundle", "cluster_matched", "window_matched"))
    outputs = reading.documents.filter(pl.col("bundle").is_null() & pl.col("text").is_not_null()).select("run").unique()
    runs = runs.join(resolved, on="run", how="left", maintain_order="left").with_columns(
        has_output=pl.col("run").is_in(outputs["run"].implode()),
        has_bundle=pl.col("bundle").is_not_null(),
        cause=cause(book.causes),
    )
    not_agents = pl.col("cause").is_in(["environment", "provider"]).fill_null(value=False)
    runs = runs.with_columns(judged=pl.col("has_bundle") & ~(not_agents & ~pl.col("has_output")))
    chosen = reading.documents.join(runs.select("bundle").drop_nulls(), on="bundle", how="semi")
    documents = pl.concat([chosen, reading.documents.filter(pl.col("bundle").is_null())]).sort("doc")
    runs = runs.join(bundle_digests(runs, documents, list(RECORD)), on="run", how="left", maintain_order="left")
    shard = Shard(
        runs=runs.select("run", "case").join(
            cases.select("case", "window_start", "window_end"), on="case", how="left", maintain_order="left"
        ),
        documents=reading.documents,
        nodes=extracted["nodes"],
        series=extracted["series"],
        points=extracted["points"],
        series_paths=extracted["series_paths"],
        plan=engine.plan,
    )
    asked = (
        runs.select("run", "case").join(program.asked, on="case", how="inner").select("run", "rule").sort("run", "rule")
    )
    results = evaluate_documents(asked, program.document_rules, shard, documents, engine.evidence_dir)
    return Prepared(runs, bundles, documents, extracted, shard, results)


def cause(causes: Mapping[str, str]) -> pl.Expr:
    """Whose doing a verdict that is no pass is, by `status`, then `stop_reason`; null without a record."""
    named = pl.col("status").replace_strict(causes, default=None, return_dtype=pl.String)
    stopped = pl.col("stop_reason").replace_strict(causes, default=None, return_dtype=pl.String)
    return pl.when("recorded").then(pl.coalesce(named, stopped, pl.lit("agent")))


def judge_reading(engine: Engine, reading: ShardReading, extraction: Extraction) -> Frames:
    """From what was read to published tables."""
    return judge_prepared(engine, reading, prepare(engine, reading, extraction))


def judge_prepared(engine: Engine, reading: ShardReading, ready: Prepared) -> Frames:
    """From evaluated document rules to published tables."""
    program = engine.program
    runs = ready.runs
    facts = FactMatrix.unknown(runs.height, program.width)
    built_in = built_in_facts(runs, ready.bundles, ready.documents)
    for name in built_in.columns:
        if name in BUILT_IN_SLOTS:
            facts.set(built_in["run"], BUILT_IN_SLOTS[name], built_in[name])
    texts = built_in.select("run", *TEXT_FACTS)
    codes = RuleCodes(
        documents=code_matrix(ready.results, runs.height, len(program.document_rules)),
        texts=text_fact_codes(texts, program.text_rules),
        document_rules=len(program.document_rules),
        text_rules=len(program.text_rules),
    )
    for level in program.definitions:
        evaluate_level(level, runs, facts, codes)
    refs = _route(engine, ready, facts)
    judged = runs.filter("judged")
    outcomes = [evaluate_level(level, judged, facts, codes) for level in program.checks]
    return {
        **run_tables(runs, ready.documents, reading, ready.extracted, refs),
        "facts": _facts(program, runs, facts, texts),
        "issues": issue_rows(runs, reading),
        "judged_case_runs": _judged(program, ready, facts),
        "check_outcomes": _check_outcomes(outcomes),
    }


def _route(engine: Engine, ready: Prepared, facts: FactMatrix) -> pl.DataFrame:
    """Resolve references (channels are known by now) and set the routing facts; returns the references, with `run`."""
    runs = ready.runs.filter("has_bundle")
    channels = [_channel_observed(engine.program, runs, facts, name).alias(name) for name in ("logs", "events")]
    refs = resolve_refs(
        ready.extracted["shard_refs"].join(runs.select("bundle"), on="bundle", how="semi"),
        series=ready.extracted["evidence_series"],
        queries=ready.extracted["shard_queries"],
        events=ready.extracted["shard_events"],
        documents=ready.documents,
        observed=runs.select("bundle").with_columns(channels),
        logs_dirs=engine.book.layout["logs_dir"],
    )
    values = routing_facts(ready.bundles, ready.documents, refs).join(
        runs.select("bundle", "run"), on="bundle", how="inner"
    )
    for name in values.columns:
        if name not in ("bundle", "run"):
            facts.set(values["run"], BUILT_IN_SLOTS[f"routing.{name}"], values[name])
    return refs.join(runs.select("bundle", "run"), on="bundle", how="left", maintain_order="left")


def _channel_observed(program: Program, runs: pl.DataFrame, facts: FactMatrix, channel: str) -> pl.Series:
    """`evidence.<channel>_channel_observed` of runs, false where no pack defines the channel."""
    name = f"evidence.{channel}_channel_observed"
    slots = pl.Series([of_case[name][0] if name in of_case else None for of_case in program.slots], dtype=pl.UInt32)
    return facts.get(runs["run"], slots.gather(runs["case"])).fill_null(0).cast(pl.Boolean)


def _facts(program: Program, runs: pl.DataFrame, facts: FactMatrix, texts: pl.DataFrame) -> pl.DataFrame:
    """`tables.FACTS`: every built-in fact and every definition of each run's case, nulls included, by name."""
    names = pl.DataFrame(
        [
            (case, name, kind, slot)
            for case, of_case in enumerate(program.slots)
            for name, (slot, kind) in of_case.items()
            if not name.startswith("check.")
        ],
        schema={"case": pl.UInt32, "fact": pl.String, "type": pl.String, "slot": pl.UInt32},
        orient="row",
    )
    told = runs.select("run", "case").join(names, on="case", how="inner")
    value = facts.get(told["run"], told["slot"])
    told = told.with_columns(value=value).select(
        "run",
        "fact",
        "type",
        boolean=pl.when(pl.col("type") == "boolean").then(pl.col("value").cast(pl.Boolean)),
        number=pl.when(pl.col("type") == "number").then("value"),
        string=pl.lit(None, pl.String),
        timestamp=pl.when(pl.col("type") == "timestamp").then(pl.col("value").cast(tables.TIMESTAMP)),
    )
    strings = (
        texts.unpivot(on=list(TEXT_FACTS), index="run", variable_name="fact", value_name="string")
        .with_columns(type=pl.lit("string"), boolean=pl.lit(None, pl.Boolean), number=pl.lit(None, pl.Int64))
        .with_columns(timestamp=pl.lit(None, tables.TIMESTAMP))
        .select(told.columns)
    )
    every = pl.concat([told, strings]).sort("run", "fact")
    ids = runs["case_run_id"].gather(every["run"])
    return tables.FACTS.check(every.with_columns(case_run_id=ids).drop("run"))


def _judged(program: Program, ready: Prepared, facts: FactMatrix) -> pl.DataFrame:
    """`tables.JUDGED_CASE_RUNS` without a judgment id yet."""
    book, runs = program.book, ready.runs
    progress = pl.DataFrame(
        [
            (case, slots[name][0])
            for case, slots in enumerate(program.slots)
            for name in book.cases[case].progressed_any_of
            if name in slots
        ],
        schema={"case": pl.UInt32, "slot": pl.UInt32},
        orient="row",
    )
    looked = runs.select("run", "case").join(progress, on="case", how="inner")
    done = looked.filter(facts.get(looked["run"], looked["slot"]).fill_null(0) > 0)["run"].unique()
    digests = pl.Series([case.digest for case in book.cases], dtype=pl.String)
    return runs.select(
        judged_key=pl.col("run").cast(pl.Int64),
        judgment_id=pl.lit(""),
        case_run_id="case_run_id",
        case_digest=digests.gather(runs["case"]),
        case_version="case_version",
        bundle_digest="bundle_digest",
        bundle_status="bundle_status",
        has_output="has_output",
        cause="cause",
        progressed=pl.col("run").is_in(done.implode()),
    )


def _check_outcomes(outcomes: list[pl.DataFrame]) -> pl.DataFrame:
    """`tables.CHECK_OUTCOMES`, in the order of run and check."""
    if not outcomes:
        return tables.CHECK_OUTCOMES.empty()
    every = pl.concat(outcomes).sort("run", "check")
    reasons = pl.Series([None, *REASONS], dtype=pl.String)
    return tables.CHECK_OUTCOMES.check(
        every.select(
            judged_key=pl.col("run").cast(pl.Int64),
            check_key=pl.col("check").cast(pl.Int64),
            passed="passed",
            deciding_rule=pl.col("deciding_rule").cast(pl.Int64),
            reason=reasons.gather(every["code"]),
        )
    )
