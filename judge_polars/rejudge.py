"""Case runs of the record judged with a registry (specification 60, "Judging and re-judging").

Document rules whose results are kept are not evaluated again; facts, checks and verdicts follow from these results for all case
runs of a chunk at once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from judge_polars.digests import digest_of
from judge_polars.engine import (
    Engine,
    Frames,
    Prepared,
    Settled,
    fact_rows,
    judged_rows,
    outcome_rows,
    prepare,
    settle,
)
from judge_polars.facts.routing import settle_refs
from judge_polars.history.recall import RUNS_PER_CHUNK, Recalled, chunks
from judge_polars.history.record import Record
from judge_polars.judge import Progress, with_suites
from judge_polars.kept import JUDGED_STATES, RULE_CODES, RULE_SETS
from judge_polars.published import issue_rows, run_tables
from judge_polars.rereading import evaluate_missing
from judge_polars.rule_digests import layout_digest
from judge_polars.rule_memory import RuleMemory
from judge_polars.rulebook import RuleBook
from judge_polars.tables import CASE_RUNS, ISSUES
from judge_polars.vocabulary import SEMANTICS_VERSION

MOST_CODES: Final = 64_000_000
"""Codes of document rules that a chunk may have."""
TOLD_PER_CHUNK: Final = 4_000
"""Case runs of a chunk of which everything is told: documents, facts and references take room."""
OF_RUNS: Final = (
    "bundles",
    "documents",
    "metric_series",
    "query_evidence",
    "event_evidence",
    "routing_refs",
    "facts",
    "issues",
)
"""Tables that tell of a case run as of its latest judgment, beside its verdict."""


@dataclass(frozen=True)
class JudgedChunk:
    """Some case runs that were judged.

    Attributes:
        judged: `tables.JUDGED_CASE_RUNS`; `judged_key` counts from 0 within the chunk, there is no judgment id yet.
        outcomes: `tables.CHECK_OUTCOMES`.
        states: `kept.JUDGED_STATES`.
        told: the tables `OF_RUNS` of the runs about which there is anything new to tell.
        case_runs: `tables.CASE_RUNS`.
        rule_codes, rule_sets: results of rules that were not kept before.
    """

    judged: pl.DataFrame
    outcomes: pl.DataFrame
    states: pl.DataFrame
    told: Frames
    case_runs: pl.DataFrame
    rule_codes: pl.DataFrame
    rule_sets: pl.DataFrame


def judge_stored(
    record: Record,
    engine: Engine,
    places: pl.DataFrame,
    eval_runs: pl.DataFrame,
    *,
    told: pl.DataFrame | None = None,
    tell: bool = True,
    progress: Progress | None = None,
) -> Iterator[JudgedChunk]:
    """Judge case runs of the record, chunk by chunk.

    Args:
        places: rows of `recall.places_of_runs`; all of their cases are known to the registry.
        eval_runs: `tables.EVAL_RUNS`, for the suite of each.
        told: `case_run_id`, `state` (`kept.JUDGED_STATES`) that was published of it; None tells everything of every run.
        tell: whether anything is to be told beside verdicts and checks.
    """
    memory = RuleMemory(record, engine.program)
    most = RUNS_PER_CHUNK if not tell or (told is not None and not told.is_empty()) else TOLD_PER_CHUNK
    if told is not None:
        states = told.select("case_run_id", told_state="state")
        places = places.join(states, on="case_run_id", how="left", maintain_order="left")
    size = max(1, min(most, MOST_CODES // max(1, *engine.program.places, engine.program.width)))
    done = 0
    for chunk in chunks(places, size):
        yield _judge_chunk(engine, memory, Recalled(record, chunk), eval_runs, tell=tell)
        done += chunk.height
        if progress is not None:
            progress(done, places.height)


def _judge_chunk(
    engine: Engine,
    memory: RuleMemory,
    recalled: Recalled,
    eval_runs: pl.DataFrame,
    *,
    tell: bool,
) -> JudgedChunk:
    ready = prepare(engine, recalled.runs, recalled.bundles)
    codes = memory.recall(ready, recalled.own_codes())
    missing = memory.missing(codes)
    rule_codes, rule_sets, lost = RULE_CODES.empty(), RULE_SETS.empty(), ISSUES.empty()
    if not missing.is_empty():
        found, lost = evaluate_missing(engine, recalled, ready, missing)
        codes = codes.with_codes(found["run"], found["place"], found["code"])
        sound = ready.runs.join(lost, on="case_run_id", how="anti").select("run")
        rule_codes, rule_sets = memory.to_keep(ready, found.join(sound, on="run", how="semi"))
    settled = settle(engine, ready, codes)
    states, news = JUDGED_STATES.empty(), Frames()
    if tell:
        issues = pl.concat([lost, _other_layout(engine, recalled.places)])
        of_run = _states(engine, ready, settled, issues)
        fresh = _fresh(of_run, recalled.places)
        of_run = of_run.with_columns(ground=pl.lit(ground_of(engine.book)))
        states = JUDGED_STATES.check(of_run.select(list(JUDGED_STATES.schema)))
        news = _told(engine, recalled, ready, settled, issues, fresh)
    return JudgedChunk(
        judged=with_suites(judged_rows(engine.program, ready, settled.facts), eval_runs, engine.book),
        outcomes=outcome_rows(settled.outcomes),
        states=states,
        told=news,
        case_runs=_case_runs(ready),
        rule_codes=rule_codes,
        rule_sets=rule_sets,
    )


def ground_of(book: RuleBook) -> str:
    """What a judgment depends on beside the bundles: the registry, and the engine's meaning."""
    return digest_of(book.digest, SEMANTICS_VERSION)


def _case_runs(ready: Prepared) -> pl.DataFrame:
    return CASE_RUNS.check(ready.runs.select(list(CASE_RUNS.schema)))


def _other_layout(engine: Engine, places: pl.DataFrame) -> pl.DataFrame:
    """`tables.ISSUES` of case runs that were read in another way than the registry asks for."""
    return places.filter(pl.col("layout_digest") != layout_digest(engine.book)).select(
        "case_run_id",
        code=pl.lit("read_with_other_layout"),
        document=pl.lit(None, pl.String),
        detail=pl.lit(
            "judged as it was read then; `judge-polars ingest` reads it again where its files are still there"
        ),
    )


def _told(
    engine: Engine, recalled: Recalled, ready: Prepared, settled: Settled, issues: pl.DataFrame, fresh: pl.Series
) -> Frames:
    """The tables `OF_RUNS` of the runs `fresh`."""
    if fresh.is_empty():
        return {}
    intake = recalled.intake(fresh)
    runs = ready.runs.join(pl.DataFrame({"run": fresh}), on="run", how="semi", maintain_order="left")
    tables = run_tables(runs, intake, settle_refs(intake.refs, settled.observed))
    mine = issues.join(runs.select("case_run_id"), on="case_run_id", how="semi")
    found = pl.concat([issue_rows(runs, intake.issues), mine])
    tables["issues"] = found.sort("case_run_id", "document", "code", "detail", nulls_last=False)
    tables["facts"] = fact_rows(engine.program, runs, settled)
    return {name: tables[name] for name in OF_RUNS}


def _states(engine: Engine, ready: Prepared, settled: Settled, issues: pl.DataFrame) -> pl.DataFrame:
    """`run`, `case_run_id`, `revision`, `state`: a hash of everything that the tables `OF_RUNS` say of a run."""
    program, runs = engine.program, ready.runs
    facts = settled.facts.hashed()
    names = [repr(sorted(of_case.items())) for of_case in program.slots]
    of_case = pl.Series(names, dtype=pl.String).hash(seed=5)
    noted = issues.group_by("case_run_id").agg(
        noted=pl.concat_str("code", "document", ignore_nulls=True).sort().str.join(",")
    )
    seen = settled.observed.select("bundle", observed=pl.concat_str("logs", "events"))
    whole = (
        runs.select("run", "case_run_id", "case_version", "revision", "bundle", "bundle_digest", "bundle_status")
        .with_columns(facts, names=of_case.gather(runs["case"]))
        .join(settled.texts, on="run", how="left", maintain_order="left")
        .join(noted, on="case_run_id", how="left", maintain_order="left")
        .join(seen, on="bundle", how="left", maintain_order="left")
    )
    hashed = pl.struct(pl.exclude("run", "bundle")).hash(seed=11)
    return whole.select("run", "case_run_id", "revision", state=hashed)


def _fresh(states: pl.DataFrame, places: pl.DataFrame) -> pl.Series:
    """Runs whose state is not the published one (`told_state` of their places, in the order of runs)."""
    if "told_state" not in places.columns:
        return states["run"]
    return states.filter(states["state"].ne_missing(places["told_state"]))["run"]
