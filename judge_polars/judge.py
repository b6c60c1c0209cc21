"""The corridor: runs and a registry in, a judgment out."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import polars as pl

from judge_polars import tables
from judge_polars.book_tables import registry_tables
from judge_polars.bundles import CaseRunPlace, Found, find_case_runs, shards
from judge_polars.engine import Engine, Frames
from judge_polars.errors import InputError, NothingSelectedError
from judge_polars.judgment import Judgment, Origin, judgment_row
from judge_polars.published import merge
from judge_polars.rulebook import RuleBook
from judge_polars.workers import ALONE, Workers

JUDGED = ("case_runs", "bundles", "documents", "facts", "routing_refs", "issues", "judged_case_runs", "check_outcomes")
EVIDENCE = ("metric_series", "metric_points", "query_evidence", "event_evidence")


class Progress(Protocol):
    """Told after each shard how many of all case runs are judged."""

    def __call__(self, done: int, total: int) -> None: ...


@dataclass(frozen=True)
class Options:
    """How to judge.

    Attributes:
        workers: who reads and judges.
        facts: keep the facts of every case run.
        evidence: keep metric series, points, query and event ids.
        workspaces_root: where a missing `workspace_dir` is looked up by `workspace_id`.
        select: keeps the places that it is true for; None keeps all.
        progress: told after each shard.
        purpose: what the judgment is for.
    """

    workers: Workers = ALONE
    facts: bool = True
    evidence: bool = False
    workspaces_root: Path | None = None
    select: Callable[[CaseRunPlace], bool] | None = None
    progress: Progress | None = None
    purpose: str = "judge"


def judge_runs(roots: Sequence[Path], book: RuleBook, options: Options | None = None) -> Judgment:
    """Judge every case run below `roots` whose case the registry knows.

    Raises:
        InputError: a root does not exist or holds no case run.
        NothingSelectedError: the selection leaves no case run.
    """
    options = options or Options()
    found = find_case_runs(roots, book.limits)
    require_runs(roots, found)
    places, unknown = known_places(found, book)
    if options.select is not None:
        places = [place for place in places if options.select(place)]
        unknown = [place for place in unknown if options.select(place)]
    if not places and not unknown:
        raise NothingSelectedError(f"none of the {len(found.places)} case runs is selected")
    engine = Engine(book, options.workspaces_root)
    kept = [name for name in JUDGED if name != "facts" or options.facts] + [*(EVIDENCE if options.evidence else ())]
    frames = merge([{name: shard[name] for name in kept} for shard in judge_places(engine, places, options)], kept)
    return conclude(engine, frames, found, unknown, options.purpose)


def known_places(found: Found, book: RuleBook) -> tuple[list[CaseRunPlace], list[CaseRunPlace]]:
    """Places whose case the registry knows, and the others."""
    known = {case.id for case in book.cases}
    places = [place for place in found.places if place.case_id in known]
    return places, [place for place in found.places if place.case_id not in known]


@dataclass(frozen=True)
class Judging:
    """Judges shards in memory."""

    engine: Engine

    def __call__(self, shard: list[CaseRunPlace]) -> Frames:
        """Frames of the shard (`Engine.judge_shard`)."""
        return self.engine.judge_shard(shard)

    def reads(self, shard: list[CaseRunPlace]) -> Iterable[str]:
        """The directories of the case runs."""
        return (place.path for place in shard)


def judge_places(engine: Engine, places: Sequence[CaseRunPlace], options: Options) -> Iterator[Frames]:
    """Frames of each shard, in the order of the places."""
    done = 0
    batches = list(shards(places))
    results = options.workers.run(Judging(engine), batches, len(places))
    for batch, frames in zip(batches, results, strict=True):
        yield frames
        done += len(batch)
        if options.progress is not None:
            options.progress(done, len(places))


def conclude(engine: Engine, frames: Frames, found: Found, unknown: Sequence[CaseRunPlace], purpose: str) -> Judgment:
    """Frames of all shards, the registry's tables and the eval runs, put before the SQL views."""
    book = engine.book
    judged = judgment_row(book, frames["judged_case_runs"].height, purpose, datetime.now(UTC))
    frames["judged_case_runs"] = with_suites(frames["judged_case_runs"], found.eval_runs, book).with_columns(
        judgment_id=pl.lit(judged["judgment_id"][0])
    )
    strangers = tuple(place.case_run_id for place in unknown)
    issues = pl.concat([found.issues, unknown_issues(strangers), duplicate_issues(found), frames["issues"]])
    frames["issues"] = issues.sort("case_run_id", "document", "code", "detail", nulls_last=False)
    return Judgment(
        frames={
            **{table.name: table.empty() for table in tables.PUBLISHED_TABLES},
            **frames,
            "eval_runs": found.eval_runs,
            "judgments": judged,
            **registry_tables(book, engine.program.all_checks),
        },
        unknown=strangers,
        origin=Origin(book, found, engine.workspaces_root),
    )


def unknown_issues(case_run_ids: Sequence[str]) -> pl.DataFrame:
    """`tables.ISSUES` of case runs whose case the registry does not know."""
    return pl.DataFrame(
        [
            (case_run_id, "unknown_case", None, f"the registry has no case {case_run_id.split('/')[1]!r}")
            for case_run_id in case_run_ids
        ],
        schema=tables.ISSUES.schema,
        orient="row",
    )


def duplicate_issues(found: Found) -> pl.DataFrame:
    """`tables.ISSUES` of directories that were left out because another one is the same case run."""
    return pl.DataFrame(
        [
            (twice.case_run_id, "duplicate_case_run", twice.left_out, f"left out: {twice.kept} is the same case run")
            for twice in found.duplicates
        ],
        schema=tables.ISSUES.schema,
        orient="row",
    )


def with_suites(judged: pl.DataFrame, eval_runs: pl.DataFrame, book: RuleBook) -> pl.DataFrame:
    """`tables.JUDGED_CASE_RUNS` with the digest of the suite that each eval run recorded, null where it is unknown."""
    suites = {suite.id: suite.digest for suite in book.suites}
    of_run = eval_runs.select(
        "eval_run_id",
        suite_digest=pl.col("suite_id").replace_strict(suites, default=None, return_dtype=pl.String),
    )
    joined = judged.drop("suite_digest").join(of_run, on="eval_run_id", how="left", maintain_order="left")
    return tables.JUDGED_CASE_RUNS.check(joined)


def require_runs(roots: Sequence[Path], found: Found) -> None:
    """Raise `InputError` when nothing was found below the roots, saying what was looked for."""
    if found.places:
        return
    del roots
    listed = "; ".join(f"{empty.root}: {empty.reason}" for empty in found.empty_roots)
    raise InputError(
        f"no case run was found: {listed}; expected <eval_run_id>/cases/<case_id>/trial-<n>/ below it "
        "(or give an eval run's or a case run's own directory)"
    )
