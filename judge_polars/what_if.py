"""What another registry would make of the history: flips of verdicts and their causes; nothing is kept (specification 60)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from types import TracebackType

import polars as pl

from judge_polars.book_tables import registry_tables
from judge_polars.chronicle import Select, known_cases
from judge_polars.engine import Engine
from judge_polars.history.scratch import Scratch
from judge_polars.history.store import History
from judge_polars.ingest import stored_eval_runs
from judge_polars.judge import Progress
from judge_polars.judgment import judgment_row
from judge_polars.rejudge import judge_stored
from judge_polars.sources import Rows
from judge_polars.tables import CASE_RUNS


@dataclass(frozen=True)
class WhatIf:
    """How verdicts of a history would change; a context manager, whose tables are gone when it is left.

    Attributes:
        judged: case runs that were judged with the other registry.
        unknown: case run ids whose case it does not know.
        compared: of the judged ones, how many have a verdict in the history to compare with.
        counts: `before`, `after` (verdicts; null before where the history has none), `case_runs`.
        flips: rows of the view `verdict_flips`: case runs whose verdict or primary failure code would change.
        after: `case_run_id`, `eval_run_id`, `verdict` as it would be.
        baselines: case of an active baseline whose verdict over the promoted run's trials would change: `suite_id`, `eval_run_id`,
            `case_id`, `baseline_verdict`, `verdict_before`, `verdict_after`.
    """

    judged: int
    unknown: tuple[str, ...]
    compared: int
    counts: pl.DataFrame
    flips: pl.DataFrame
    after: pl.DataFrame
    baselines: pl.DataFrame
    scratch: Scratch

    def __enter__(self) -> WhatIf:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, wrong: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Forget the tables."""
        self.scratch.close()

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query over the tables and views of the judgment that was not kept, together with the former rows of
        the case runs that flip."""
        return self.scratch.sql(query, parameters)


def what_if(
    history: History,
    engine: Engine,
    *,
    select: Select | None = None,
    progress: Progress | None = None,
) -> WhatIf:
    """Judge case runs of a history with a registry and compare; nothing is written into the history.

    Raises:
        NothingSelectedError: no case run is left to be judged.
    """
    places, unknown = known_cases(history.record, engine, select)
    eval_runs = stored_eval_runs(history.record)
    judged = judgment_row(engine.book, places.height, "what-if", datetime.now(UTC))
    scratch = Scratch()
    try:
        for name, frame in registry_tables(engine.book, engine.program.all_checks).items():
            scratch.insert(name, frame)
        scratch.insert("judgments", judged)
        scratch.insert("eval_runs", eval_runs.join(places, on="eval_run_id", how="semi", maintain_order="left"))
        first = 0
        for chunk in judge_stored(history.record, engine, places, eval_runs, tell=False, progress=progress):
            key = pl.col("judged_key") + first
            scratch.insert(
                "judged_case_runs", chunk.judged.with_columns(key, judgment_id=pl.lit(judged["judgment_id"][0]))
            )
            scratch.insert("check_outcomes", chunk.outcomes.with_columns(key))
            scratch.insert("case_runs", CASE_RUNS.check(chunk.case_runs))
            first += chunk.judged.height
        return _compare(history, scratch, places, unknown)
    except BaseException:
        scratch.close()
        raise


def _compare(history: History, scratch: Scratch, places: pl.DataFrame, unknown: tuple[str, ...]) -> WhatIf:
    before = history.sql("select case_run_id, judgment_id, verdict, primary_failure_code from verdicts")
    after = scratch.sql("select case_run_id, eval_run_id, verdict, primary_failure_code from verdicts")
    counts, compared = counted(before, after)
    both = after.join(before, on="case_run_id", how="inner", suffix="_before")
    flipped = both.filter(
        (pl.col("verdict") != pl.col("verdict_before"))
        | pl.col("primary_failure_code").ne_missing(pl.col("primary_failure_code_before"))
    )
    of_cases = history.sql("select eval_run_id, case_id, verdict from latest_case_verdicts")
    baselines = baseline_flips(history, of_cases, scratch)
    return WhatIf(
        judged=places.height,
        unknown=unknown,
        compared=compared,
        counts=counts,
        flips=scratch.with_former(history, flipped),
        after=after.select("case_run_id", "eval_run_id", "verdict").sort("case_run_id"),
        baselines=baselines,
        scratch=scratch,
    )


def counted(before: pl.DataFrame, after: pl.DataFrame) -> tuple[pl.DataFrame, int]:
    """How often each verdict became which: `before` (null without one), `after`, `case_runs`; and how many had one before.

    Args:
        before, after: `case_run_id`, `verdict`.
    """
    both = after.select("case_run_id", after="verdict").join(
        before.select("case_run_id", before="verdict"), on="case_run_id", how="left"
    )
    counts = both.group_by("before", "after").agg(case_runs=pl.len().cast(pl.Int64))
    return counts.sort("before", "after", nulls_last=True), both["before"].count()


def baseline_flips(history: Rows, before: pl.DataFrame, after: Rows) -> pl.DataFrame:
    """Cases of active baselines whose verdict over the promoted run's trials changes (`WhatIf.baselines`).

    Args:
        before: `eval_run_id`, `case_id`, `verdict`: the verdicts of cases as they were.
        after: where the view `latest_case_verdicts` has them as they are.
    """
    promoted = history.sql(
        """
        select suite_id, eval_run_id, case_id, verdict as baseline_verdict from active_baseline_cases
        order by suite_id, case_id
        """
    )
    runs = promoted["eval_run_id"].unique().to_list()
    now = after.sql(
        "select eval_run_id, case_id, verdict from latest_case_verdicts where eval_run_id in (select unnest(?))", [runs]
    )
    keys = ["eval_run_id", "case_id"]
    return (
        promoted.join(before.rename({"verdict": "verdict_before"}), on=keys, how="left", maintain_order="left")
        .join(now.rename({"verdict": "verdict_after"}), on=keys, how="inner", maintain_order="left")
        .filter(pl.col("verdict_after") != pl.coalesce("verdict_before", "baseline_verdict"))
    )
