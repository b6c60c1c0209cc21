"""The corridors of a history: judgments are written into the record and published; what-ifs are computed and forgotten."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Final

import polars as pl

from judge_polars.book_tables import registry_tables
from judge_polars.bundles import CaseRunPlace, Found, find_case_runs
from judge_polars.digests import digest_of
from judge_polars.engine import Engine, Frames
from judge_polars.errors import NothingSelectedError
from judge_polars.history.publish import publish
from judge_polars.history.recall import Recalled, latest, places_of_runs
from judge_polars.history.record import Batch, PendingBatch, Record
from judge_polars.ingest import Ingested, ingest_places, stored_eval_runs
from judge_polars.judge import JUDGED as JUDGED_IN_MEMORY
from judge_polars.judge import Options, Progress, conclude, duplicate_issues, require_runs, unknown_issues
from judge_polars.judgment import Judgment, Origin, judgment_row
from judge_polars.kept import JUDGED_STATES
from judge_polars.published import merge
from judge_polars.rejudge import JudgedChunk, ground_of, judge_stored
from judge_polars.rulebook import RuleBook
from judge_polars.tables import PUBLISHED_TABLES

Select = Callable[[pl.DataFrame], pl.DataFrame]
"""Of rows of `recall.places_of_runs` those that are meant."""


JUDGED: Final = ("bundles", "documents", "facts", "routing_refs", "issues")
"""Tables that a judgment in memory holds of `rejudge.OF_RUNS`; evidence comes with them where it is asked for."""
EVIDENCE: Final = ("metric_series", "query_evidence", "event_evidence")
_TOLD: Final = ("case_run_id", "state")


def among(case_runs: pl.DataFrame) -> Select:
    """Selects the case runs with one of these `case_run_id`s."""
    ids = case_runs.select("case_run_id")
    return lambda every: every.join(ids, on="case_run_id", how="semi", maintain_order="left")


@dataclass(frozen=True)
class Passed:
    """A judging pass over the record.

    Attributes:
        judgment: `tables.JUDGMENTS`, one row.
        places: the case runs that were judged, as `recall.places_of_runs` has them.
        unknown: case run ids whose case the registry does not know.
    """

    judgment: pl.DataFrame
    places: pl.DataFrame
    unknown: tuple[str, ...]


def judge_record(
    record: Record,
    engine: Engine,
    *,
    select: Select | None = None,
    purpose: str = "rejudge",
    progress: Progress | None = None,
    each: Callable[[JudgedChunk], None] | None = None,
    whole: bool = False,
) -> Passed:
    """Judge case runs of the record and keep the judgment: one batch, published whole or not at all.

    Args:
        select: which case runs; None judges all.
        each: is shown every judged chunk.
        whole: tell of every case run, also what was told before (`rejudge.OF_RUNS`).

    Raises:
        NothingSelectedError: no case run is left to be judged.
    """
    places, unknown = known_cases(record, engine, select)
    eval_runs = stored_eval_runs(record)
    states = told_states(record, places)
    with record.begin("judgment") as batch:
        judged = judgment_row(engine.book, places.height, purpose, judged_now(record))
        first = 0
        for chunk in judge_stored(record, engine, places, eval_runs, told=None if whole else states, progress=progress):
            if each is not None:
                each(chunk)
            write_chunk(batch, chunk, judged["judgment_id"][0], first, _told_anew(chunk, states) if whole else None)
            first += chunk.judged.height
        batch.write("judgments", judged)
        _write_registry(batch, engine)
        batch.commit(
            about={
                "judgment_id": judged["judgment_id"][0],
                "purpose": purpose,
                "registry": registry_state(engine.book),
            }
        )
    return Passed(judged, places, unknown)


def judged_now(record: Record) -> datetime:
    """When a judgment that begins now judges: later than every judgment of the record, also where the clock has gone back,
    because of several judgments the latest counts."""
    before = [_judged(batch) for batch in record.batches() if batch.has("judgments")]
    now = datetime.now(UTC)
    return max(now, max(before) + timedelta(microseconds=1)) if before else now


def _judged(batch: Batch) -> datetime:
    """When the latest judgment of a batch judged: as its id begins, or (compacted) as its rows say."""
    told = batch.about.get("judgment_id")
    if told is not None:
        return datetime.strptime(f"{told[:21]}Z", "%Y%m%dT%H%M%S%f%z")
    times: list[datetime] = batch.read("judgments", ["judged_at"])["judged_at"].to_list()
    return max(times)


def keep_registry(record: Record, engine: Engine) -> None:
    """Keep what the registry says of cases, suites and baselines, where the record does not end with just that."""
    state = registry_state(engine.book)
    told = [batch.about["registry"] for batch in record.batches() if "registry" in batch.about]
    if told and told[-1] == state:
        return
    with record.begin("registry") as batch:
        _write_registry(batch, engine)
        batch.commit(about={"registry": state})


def registry_state(book: RuleBook) -> str:
    """A digest of a registry, its baselines included."""
    return digest_of(book.digest, repr(book.suites), repr(book.baselines))


def _write_registry(batch: PendingBatch, engine: Engine) -> None:
    for name, frame in registry_tables(engine.book, engine.program.all_checks).items():
        batch.write(name, frame)


class Gathered:
    """Chunks put together in memory, for a judgment that is shown."""

    def __init__(self, *, facts: bool = True, evidence: bool = False) -> None:
        self._names = [name for name in JUDGED if name != "facts" or facts] + list(EVIDENCE if evidence else ())
        self._parts: list[Frames] = []

    def __call__(self, chunk: JudgedChunk) -> None:
        """Take a chunk, which must tell of all of its runs."""
        told = {name: chunk.told[name] for name in self._names}
        own = {"judged_case_runs": chunk.judged, "check_outcomes": chunk.outcomes, "case_runs": chunk.case_runs}
        self._parts.append({**told, **own})

    def judgment(self, record: Record, engine: Engine, passed: Passed) -> Judgment:
        """The judgment, in the order of eval run, case and trial."""
        names = [*self._names, "judged_case_runs", "check_outcomes", "case_runs"]
        frames = merge(self._parts, names)
        judgment_id = passed.judgment["judgment_id"][0]
        frames["judged_case_runs"] = frames["judged_case_runs"].with_columns(judgment_id=pl.lit(judgment_id))
        case_runs = frames["case_runs"] = frames["case_runs"].sort("eval_run_id", "case_id", "trial")
        eval_runs = stored_eval_runs(record).join(case_runs, on="eval_run_id", how="semi", maintain_order="left")
        issues = pl.concat([frames["issues"], unknown_issues(passed.unknown)])
        frames["issues"] = issues.sort("case_run_id", "document", "code", "detail", nulls_last=False)
        return Judgment(
            frames={
                **{table.name: table.empty() for table in PUBLISHED_TABLES},
                **frames,
                "eval_runs": eval_runs,
                "judgments": passed.judgment,
                **registry_tables(engine.book, engine.program.all_checks),
            },
            unknown=passed.unknown,
            origin=Origin(
                engine.book, Found(places=_places(record, passed.places), eval_runs=eval_runs), record=record
            ),
        )


def _places(record: Record, places: pl.DataFrame) -> list[CaseRunPlace]:
    """Where the case runs lay when they were read."""
    runs = Recalled(record, places).runs.select("eval_run_id", "case_id", "trial", "runs_root", "directory")
    return sorted(
        CaseRunPlace(eval_run, case, trial, root, directory, str(Path(root) / directory))
        for eval_run, case, trial, root, directory in runs.iter_rows()
    )


def judge_files(
    roots: Sequence[Path],
    book: RuleBook,
    history: Path,
    options: Options | None = None,
    *,
    check_content: bool = False,
    ingested: Callable[[Ingested], None] | None = None,
) -> Judgment:
    """Bring the record up to date with the case runs below `roots`, judge them, keep the judgment and publish it.

    Args:
        history: the history's directory; it is begun where there is none.
        ingested: is told what was read.

    Raises:
        InputError: a root does not exist or holds no case run; the history cannot be used.
        NothingSelectedError: the selection leaves no case run.
    """
    options = options or Options()
    found = find_case_runs(roots, book.limits)
    require_runs(roots, found)
    places = [place for place in found.places if options.select is None or options.select(place)]
    if not places:
        raise NothingSelectedError(f"none of the {len(found.places)} case runs is selected")
    engine = Engine(book, options.workspaces_root)
    record = Record.create(history)
    done = ingest_places(
        history, engine, found, places, workers=options.workers, check_content=check_content, progress=options.progress
    )
    if ingested is not None:
        ingested(done)
    meant = among(pl.DataFrame({"case_run_id": [place.case_run_id for place in places]}))
    if not any(book.case(place.case_id) for place in places):
        publish(record)
        return conclude(engine, merge([], JUDGED_IN_MEMORY), found, places, options.purpose)
    try:
        judgment = _judge_new(record, engine, meant, options)
    finally:
        publish(record)
    return with_oddities(judgment, found)


def _judge_new(record: Record, engine: Engine, meant: Select, options: Options) -> Judgment:
    """Judge the case runs that are meant, and keep what was not judged as it is with this registry."""
    done = last_judged(record).filter(pl.col("ground") == ground_of(engine.book)).select("case_run_id", "revision")
    places, _ = known_cases(record, engine, meant)
    new = places.join(done, on=["case_run_id", "revision"], how="anti")
    if new.height == places.height:
        gathered = Gathered(facts=options.facts, evidence=options.evidence)
        passed = judge_record(record, engine, select=meant, purpose=options.purpose, each=gathered, whole=True)
        return gathered.judgment(record, engine, passed)
    if new.is_empty():
        keep_registry(record, engine)
    else:
        judge_record(record, engine, select=among(new), purpose=options.purpose)
    return recalled_judgment(
        record, engine, select=meant, facts=options.facts, evidence=options.evidence, purpose=options.purpose
    )


def with_oddities(judgment: Judgment, found: Found) -> Judgment:
    """The judgment with what was met outside of case runs, and with the eval runs that have none."""
    frames = dict(judgment.frames)
    issues = pl.concat([found.issues, duplicate_issues(found), frames["issues"]])
    frames["issues"] = issues.sort("case_run_id", "document", "code", "detail", nulls_last=False)
    frames["eval_runs"] = found.eval_runs
    assert judgment.origin is not None
    return replace(judgment, frames=frames, origin=replace(judgment.origin, found=found))


def recalled_judgment(
    record: Record,
    engine: Engine,
    *,
    select: Select | None = None,
    facts: bool = True,
    evidence: bool = False,
    purpose: str = "recall",
    progress: Progress | None = None,
) -> Judgment:
    """Case runs of the record judged in memory; nothing is kept.

    Raises:
        NothingSelectedError: no case run is left to be judged.
    """
    places, unknown = known_cases(record, engine, select)
    gathered = Gathered(facts=facts, evidence=evidence)
    for chunk in judge_stored(record, engine, places, stored_eval_runs(record), progress=progress):
        gathered(chunk)
    judged = judgment_row(engine.book, places.height, purpose, datetime.now(UTC))
    return gathered.judgment(record, engine, Passed(judged, places, unknown))


def known_cases(record: Record, engine: Engine, select: Select | None) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """The case runs that are meant and whose case the registry knows, and the ids of the others.

    Raises:
        NothingSelectedError: there is none.
    """
    every = places_of_runs(record)
    meant = every if select is None else select(every)
    known = [case.id for case in engine.book.cases]
    places = meant.filter(pl.col("case_id").is_in(known))
    others = tuple(meant.filter(~pl.col("case_id").is_in(known))["case_run_id"])
    if meant.is_empty():
        raise NothingSelectedError(f"none of the {every.height:,} case runs of the history is selected")
    if places.is_empty():
        raise NothingSelectedError(f"the registry knows none of the cases of the {meant.height:,} selected case runs")
    return places, others


def told_states(record: Record, places: pl.DataFrame) -> pl.DataFrame:
    """`case_run_id`, `state`: what was last told of case runs (`kept.JUDGED_STATES`); the latest judgments are looked at first."""
    wanted = places.select("case_run_id")
    parts = [JUDGED_STATES.empty().select(_TOLD)]
    for batch in reversed(record.batches()):
        if wanted.is_empty():
            break
        if batch.has("judged_states"):
            parts.append(batch.read("judged_states", _TOLD).join(wanted, on="case_run_id", how="semi"))
            wanted = wanted.join(parts[-1], on="case_run_id", how="anti")
    return pl.concat(parts)


def last_judged(record: Record) -> pl.DataFrame:
    """`kept.JUDGED_STATES`, the latest of each case run."""
    return latest(record, "judged_states", JUDGED_STATES).unique("case_run_id", keep="last")


def _told_anew(chunk: JudgedChunk, states: pl.DataFrame) -> pl.Series:
    """Ids of the case runs whose state is another one than that which was told."""
    return chunk.states.join(states, on=_TOLD, how="anti", maintain_order="left")["case_run_id"]


def write_chunk(
    batch: PendingBatch, chunk: JudgedChunk, judgment_id: str, first: int, only: pl.Series | None = None
) -> None:
    """Add a chunk to a judgment's batch.

    Args:
        first: what is added to its keys.
        only: case runs of which something is told; None means all that the chunk tells of.
    """
    key = pl.col("judged_key") + first
    batch.write("judged_case_runs", chunk.judged.with_columns(key, judgment_id=pl.lit(judgment_id)))
    batch.write("check_outcomes", chunk.outcomes.with_columns(key))
    batch.write("judged_states", chunk.states)
    for name, frame in chunk.told.items():
        batch.write(name, frame if only is None else frame.filter(pl.col("case_run_id").is_in(only.implode())))
    batch.write("rule_codes", chunk.rule_codes)
    batch.write("rule_sets", chunk.rule_sets)
