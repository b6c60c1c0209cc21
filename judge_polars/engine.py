"""One shard of case runs, from files to published tables: read, take in, resolve, rules, facts, checks.

The engine pickles, so that worker processes judge shards side by side.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Final

import polars as pl

from judge_polars import tables
from judge_polars.bundles import CaseRunPlace, ShardReading, compact, read_shard
from judge_polars.facts.builtin import built_in_facts
from judge_polars.facts.extraction import Extraction
from judge_polars.facts.resolve import resolve_bundles
from judge_polars.facts.routing import routing_facts, settle_refs
from judge_polars.facts.trace import allowed_windows, cases_frame, match_bundles, read_identity
from judge_polars.intake import take_in
from judge_polars.intake_tables import Intake
from judge_polars.plan import ReadingPlan, reading_plan
from judge_polars.published import issue_rows, merge, run_tables
from judge_polars.rulebook import RuleBook
from judge_polars.rules.document_rules import evaluate_documents, text_fact_codes
from judge_polars.rules.evaluate import evaluate_checks, evaluate_definitions
from judge_polars.rules.matrices import UNASKED, Blocks, DocumentCodes, FactMatrix, RuleCodes
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

    @property
    def logs_dirs(self) -> tuple[str, ...]:
        """Names that the logs directory may have, relative to the bundle's root."""
        return self.book.layout["logs_dir"]

    def judge_shard(self, places: Sequence[CaseRunPlace]) -> Frames:
        """Judge case runs of known cases; frames of `tables.PUBLISHED_TABLES`, keyed by name.

        `judged_key` counts from 0 within the shard, in the order of `places`.
        """
        parts = [judge_examined(self, examined) for examined in self.examine(places)]
        return parts[0] if len(parts) == 1 else merge(parts, (parts[0] if parts else {}).keys())

    def examine(self, places: Sequence[CaseRunPlace]) -> Iterator[Examined]:
        """Read case runs of known cases and evaluate their document rules.

        Texts of more than `SHARD_TEXT_BYTES` are never held at once: a shard of large bundles is read in parts.
        """
        rest = list(places)
        while rest:
            reading, extraction = read_places(self, rest)
            rest = rest[reading.runs.height :]
            yield examine_reading(self, reading, extraction)


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
    """Case runs of known cases with their bundles resolved.

    Attributes:
        runs: `intake_tables.INTAKE_RUNS` with `case`, `case_version`, `bundle`, `bundle_status`, `cause`, `has_bundle`,
            `judged`; the digests are those with the chosen bundle.
        bundles: `intake_tables.INTAKE_BUNDLES` with `case`, `cluster_matched`, `window_matched`.
    """

    runs: pl.DataFrame
    bundles: pl.DataFrame


@dataclass(frozen=True)
class Examined:
    """A shard that was read, with the codes of its document rules.

    Attributes:
        documents: `tables.DOCUMENTS` of the chosen bundles and the outputs.
        shard: every document, and what was taken out of JSON values.
        results: `tables.RULE_RESULTS` of every rule that the cases ask for.
    """

    intake: Intake
    ready: Prepared
    documents: pl.DataFrame
    shard: Shard
    results: pl.DataFrame


def examine_reading(engine: Engine, reading: ShardReading, extraction: Extraction) -> Examined:
    """Take in what was read, resolve bundles, and evaluate document rules."""
    extracted = extraction.frames(reading.documents)
    intake = take_in(reading, extracted, engine.logs_dirs)
    ready = prepare(engine, intake.runs, intake.bundles)
    shard = shard_of(engine, ready, reading.documents, extracted, engine.plan)
    documents = chosen_documents(ready, reading.documents)
    asked = asked_rules(engine.program, ready).select("run", "rule").sort("run", "rule")
    results = evaluate_documents(asked, engine.program.document_rules, shard, documents, engine.evidence_dir)
    return Examined(intake, ready, documents, shard, results)


def judge_examined(engine: Engine, examined: Examined) -> Frames:
    """From the codes of document rules to published tables."""
    codes = codes_by_place(engine.program, examined.ready, examined.results)
    return judge_prepared(engine, examined.intake, examined.ready, codes)


def prepare(engine: Engine, found: pl.DataFrame, candidates: pl.DataFrame) -> Prepared:
    """Resolve the bundles of case runs, all of whose cases the registry knows.

    Args:
        found: `intake_tables.INTAKE_RUNS`.
        candidates: `intake_tables.INTAKE_BUNDLES`.
    """
    book = engine.book
    cases = cases_frame(book)
    named = cases.select(
        "case", "case_id", case_version=pl.Series([case.version for case in book.cases], dtype=pl.Int64)
    )
    runs = found.join(named, on="case_id", how="left", maintain_order="left")
    bundles = candidates.join(runs.select("run", "case"), on="run", how="left", maintain_order="left")
    bundles = bundles.join(
        match_bundles(bundles, cases, allowed_windows(book)), on="bundle", how="left", maintain_order="left"
    )
    resolved = resolve_bundles(runs, bundles, bundles.select("bundle", "cluster_matched", "window_matched"))
    digests = bundles.select("bundle", chosen_content="content_digest", chosen_bundle="bundle_digest")
    runs = (
        runs.join(resolved, on="run", how="left", maintain_order="left")
        .join(digests, on="bundle", how="left", maintain_order="left")
        .with_columns(
            has_bundle=pl.col("bundle").is_not_null(),
            cause=cause(book.causes),
            content_digest=pl.coalesce("chosen_content", "content_digest"),
            bundle_digest=pl.coalesce("chosen_bundle", "bundle_digest"),
        )
        .drop("chosen_content", "chosen_bundle")
    )
    not_agents = pl.col("cause").is_in(["environment", "provider"]).fill_null(value=False)
    runs = runs.with_columns(judged=pl.col("has_bundle") & ~(not_agents & ~pl.col("has_output")))
    return Prepared(runs, bundles)


def cause(causes: Mapping[str, str]) -> pl.Expr:
    """Whose doing a verdict that is no pass is, by `status`, then `stop_reason`; null without a record."""
    named = pl.col("status").replace_strict(causes, default=None, return_dtype=pl.String)
    stopped = pl.col("stop_reason").replace_strict(causes, default=None, return_dtype=pl.String)
    return pl.when("recorded").then(pl.coalesce(named, stopped, pl.lit("agent")))


def chosen_documents(ready: Prepared, documents: pl.DataFrame) -> pl.DataFrame:
    """Of documents those of the chosen bundles, and the outputs; in the order of `doc`."""
    chosen = documents.join(ready.runs.select("bundle").drop_nulls(), on="bundle", how="semi")
    return pl.concat([chosen, documents.filter(pl.col("bundle").is_null())]).sort("doc")


def shard_of(
    engine: Engine, ready: Prepared, documents: pl.DataFrame, extracted: Mapping[str, pl.DataFrame], plan: ReadingPlan
) -> Shard:
    """What document rules read."""
    windows = cases_frame(engine.book).select("case", "window_start", "window_end")
    return Shard(
        runs=ready.runs.select("run", "case").join(windows, on="case", how="left", maintain_order="left"),
        documents=documents,
        nodes=extracted["nodes"],
        series=extracted["series"],
        points=extracted["points"],
        series_paths=extracted["series_paths"],
        plan=plan,
    )


def asked_rules(program: Program, ready: Prepared) -> pl.DataFrame:
    """`run`, `case`, `rule`, `place`: every document rule of every run."""
    return ready.runs.select("run", "case").join(program.asked, on="case", how="inner", maintain_order="left_right")


def codes_by_place(program: Program, ready: Prepared, results: pl.DataFrame) -> DocumentCodes:
    """The codes of `tables.RULE_RESULTS`; what was not asked is `UNASKED`."""
    placed = results.join(ready.runs.select("run", "case"), on="run", how="left").join(
        program.asked, on=["case", "rule"], how="left"
    )
    codes = DocumentCodes.filled(Blocks(ready.runs["case"], program.places), UNASKED)
    return codes.with_codes(placed["run"], placed["place"], placed["code"])


@dataclass(frozen=True)
class Settled:
    """Facts and check results of prepared case runs.

    Attributes:
        facts: facts by run and slot.
        texts: `run` and a column for each text fact.
        observed: `bundle`, `logs`, `events` of the chosen bundles: whether these channels were observed.
        outcomes: `rules.matrices.OUTCOMES` of the runs that are judged, by run and check.
    """

    facts: FactMatrix
    texts: pl.DataFrame
    observed: pl.DataFrame
    outcomes: pl.DataFrame


def settle(engine: Engine, ready: Prepared, codes: DocumentCodes) -> Settled:
    """Facts and check results from the codes of document rules."""
    program, runs = engine.program, ready.runs
    facts = FactMatrix.unknown(runs.height, program.width)
    built_in = built_in_facts(runs, ready.bundles)
    for name in built_in.columns:
        if name in BUILT_IN_SLOTS:
            facts.set(built_in["run"], BUILT_IN_SLOTS[name], built_in[name])
    texts = built_in.select("run", *TEXT_FACTS)
    rule_codes = RuleCodes(
        documents=codes,
        texts=text_fact_codes(texts, program.text_rules),
        text_rules=len(program.text_rules),
    )
    evaluate_definitions(program.definitions, runs, facts, rule_codes)
    observed = _route(engine, ready, facts)
    outcomes = evaluate_checks(program.checks, runs.filter("judged"), facts, rule_codes)
    return Settled(facts, texts, observed, outcomes)


def judge_prepared(engine: Engine, intake: Intake, ready: Prepared, codes: DocumentCodes) -> Frames:
    """From the codes of document rules to published tables."""
    settled = settle(engine, ready, codes)
    return {
        **run_tables(ready.runs, intake, settle_refs(intake.refs, settled.observed)),
        "facts": fact_rows(engine.program, ready.runs, settled),
        "issues": issue_rows(ready.runs, intake.issues),
        "judged_case_runs": judged_rows(engine.program, ready, settled.facts),
        "check_outcomes": outcome_rows(settled.outcomes),
    }


def _route(engine: Engine, ready: Prepared, facts: FactMatrix) -> pl.DataFrame:
    """Set the routing facts (channels are known by now); returns `Settled.observed`."""
    runs = ready.runs.filter("has_bundle")
    channels = [_channel_observed(engine.program, runs, facts, name).alias(name) for name in ("logs", "events")]
    observed = runs.select("bundle").with_columns(channels)
    values = routing_facts(observed.join(ready.bundles, on="bundle", how="left", maintain_order="left"))
    for name in values.columns:
        facts.set(runs["run"], BUILT_IN_SLOTS[f"routing.{name}"], values[name])
    return observed


def _channel_observed(program: Program, runs: pl.DataFrame, facts: FactMatrix, channel: str) -> pl.Series:
    """`evidence.<channel>_channel_observed` of runs, false where no pack defines the channel."""
    name = f"evidence.{channel}_channel_observed"
    slots = pl.Series([of_case[name][0] if name in of_case else None for of_case in program.slots], dtype=pl.UInt32)
    return facts.get(runs["run"], slots.gather(runs["case"])).fill_null(0).cast(pl.Boolean)


def fact_rows(program: Program, runs: pl.DataFrame, settled: Settled) -> pl.DataFrame:
    """`tables.FACTS` of settled runs: every built-in fact and every definition of each run's case, nulls included, by name."""
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
    value = settled.facts.get(told["run"], told["slot"])
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
        settled.texts.join(runs.select("run"), on="run", how="semi", maintain_order="left")
        .unpivot(on=list(TEXT_FACTS), index="run", variable_name="fact", value_name="string")
        .with_columns(type=pl.lit("string"), boolean=pl.lit(None, pl.Boolean), number=pl.lit(None, pl.Int64))
        .with_columns(timestamp=pl.lit(None, tables.TIMESTAMP))
        .select(told.columns)
    )
    every = pl.concat([told, strings]).sort("run", "fact")
    named = every.join(runs.select("run", "case_run_id"), on="run", how="left", maintain_order="left")
    return tables.FACTS.check(named.drop("run"))


def judged_rows(program: Program, ready: Prepared, facts: FactMatrix) -> pl.DataFrame:
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
        eval_run_id="eval_run_id",
        case_id="case_id",
        trial="trial",
        case_digest=digests.gather(runs["case"]),
        case_version="case_version",
        suite_digest=pl.lit(None, pl.String),
        bundle_digest="bundle_digest",
        bundle_status="bundle_status",
        has_output="has_output",
        cause="cause",
        progressed=pl.col("run").is_in(done.implode()),
    )


def outcome_rows(outcomes: pl.DataFrame) -> pl.DataFrame:
    """`tables.CHECK_OUTCOMES` of `matrices.OUTCOMES`, in their order."""
    reasons = pl.Series([None, *REASONS], dtype=pl.String)
    return tables.CHECK_OUTCOMES.check(
        outcomes.select(
            judged_key=pl.col("run").cast(pl.Int64),
            check_key=pl.col("check").cast(pl.Int64),
            passed="passed",
            deciding_rule=pl.col("deciding_rule").cast(pl.Int64),
            reason=reasons.gather(outcomes["code"]),
        )
    )
