"""What CI is told of judged case runs: verdicts with their reasons, case runs that are not there, cases that changed."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from judge_polars.baselines.difference import COLUMNS, Difference
from judge_polars.report.summary import CHANGES
from judge_polars.report.veil import Veil
from judge_polars.sources import Rows
from judge_polars.vocabulary import VERDICTS

if TYPE_CHECKING:
    from judge_polars.gate import GateResult

Row = dict[str, Any]

_VERDICTS: Final = """
    with reasons_of_run as (
        select
            verdicts.case_run_id,
            string_agg(
                check_results.check_id || coalesce(' (' || reasons.meaning || ')', ''), ', ' order by check_results.position
            ) as checks
        from verdicts
        inner join verdict_precedence on verdicts.primary_failure_code = verdict_precedence.code
        inner join check_results
            on
                verdicts.judgment_id = check_results.judgment_id
                and verdicts.case_run_id = check_results.case_run_id
                and verdict_precedence.bucket = check_results.bucket
        left join reasons
            on check_results.reason = reasons.reason and reasons.reason not in ('not_matched', 'fact_not_satisfied')
        where check_results.layer is distinct from 'supporting' and not check_results.passed
        group by verdicts.case_run_id
    )

    select
        verdicts.case_run_id,
        verdicts.eval_run_id,
        verdicts.case_id,
        verdicts.trial,
        verdicts.verdict,
        verdicts.cause,
        verdicts.primary_failure_code,
        verdicts.failure_codes,
        verdicts.status,
        verdicts.stop_reason,
        verdicts.agent_name,
        verdicts.agent_version,
        verdicts.agent_model,
        epoch(verdicts.finished_at - verdicts.started_at) as seconds,
        coalesce(reasons_of_run.checks, verdict_precedence.meaning) as why
    from verdicts
    left join reasons_of_run using (case_run_id)
    left join verdict_precedence on verdicts.primary_failure_code = verdict_precedence.code
    order by verdicts.eval_run_id, verdicts.case_id, verdicts.trial
"""
_PLANNED: Final = """
    select
        eval_run_suites.eval_run_id,
        suite_cases.case_id,
        trials.trial
    from eval_run_suites
    inner join suite_cases using (suite_digest)
    inner join (select unnest(range(1, (select max(trials) + 1 from eval_run_suites))) as trial) as trials
        on trials.trial <= eval_run_suites.trials
    order by eval_run_suites.eval_run_id, suite_cases.case_id, trials.trial
"""
_OF_BASELINE: Final = ", ".join(
    name if not name.startswith("other_") else f"baseline_{name.removeprefix('other_')} as {name}" for name in COLUMNS
)


@dataclass(frozen=True, slots=True)
class EvalRun:
    """An eval run: its id and suite (null where unknown), its case runs, and those that were planned and are not there.

    Attributes:
        case_runs: rows with verdict, code and `why`, by case and trial.
        not_run: (case id, trial).
    """

    eval_run_id: str
    suite_id: str | None
    case_runs: tuple[Row, ...]
    not_run: tuple[tuple[str, int], ...]


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Everything that CI is told.

    Attributes:
        changes: cases that are not unchanged against baseline or other eval run, those that need a look first; rows of
            `baselines.difference.COLUMNS` with `eval_run_id`.
    """

    gate: GateResult
    eval_runs: tuple[EvalRun, ...]
    changes: tuple[Row, ...]

    @property
    def case_runs(self) -> Iterator[Row]:
        """Of all eval runs."""
        return (row for run in self.eval_runs for row in run.case_runs)

    @property
    def counts(self) -> dict[str, int]:
        """Verdict -> case runs."""
        found = [row["verdict"] for row in self.case_runs]
        return {verdict: found.count(verdict) for verdict in VERDICTS}

    @property
    def not_run(self) -> int:
        """Case runs that were planned and are not there."""
        return sum(len(run.not_run) for run in self.eval_runs)


def outcomes(
    source: Rows,
    gate: GateResult,
    *,
    case_runs: Sequence[str] | None = None,
    eval_runs: Collection[str] | None = None,
    difference: Difference | None = None,
) -> Outcomes:
    """What CI is told of a judgment or a history.

    Args:
        case_runs: ids of the case runs that are meant; None means all.
        eval_runs: the eval runs that are meant; None means all, those without a case run included.
        difference: what the eval run is compared with; None means the active baselines.
    """
    judged = source.sql(_VERDICTS)
    shown = judged if case_runs is None else judged.filter(pl.col("case_run_id").is_in(list(case_runs)))
    suites = dict(source.sql("select eval_run_id, suite_id from eval_runs order by eval_run_id").iter_rows())
    ids = sorted({*suites, *judged["eval_run_id"]} if eval_runs is None else eval_runs)
    lacking = _not_run(source, judged)
    veil = Veil()
    rows: dict[str, list[Row]] = {}
    for row in shown.iter_rows(named=True):
        rows.setdefault(row["eval_run_id"], []).append(veil.row(row, row["case_run_id"]))
    told = [EvalRun(key, suites.get(key), tuple(rows.get(key, ())), tuple(lacking.get(key, ()))) for key in ids]
    return Outcomes(gate, tuple(told), tuple(_changes(source, frozenset(ids), difference)))


def _not_run(source: Rows, judged: pl.DataFrame) -> dict[str, list[tuple[str, int]]]:
    """Eval run -> (case, trial) that its suite plans and that is not judged."""
    planned = source.sql(_PLANNED).with_columns(pl.col("trial").cast(pl.Int64))
    keys = ["eval_run_id", "case_id", "trial"]
    lacking: dict[str, list[tuple[str, int]]] = {}
    for eval_run_id, case_id, trial in planned.join(judged, on=keys, how="anti", maintain_order="left").iter_rows():
        lacking.setdefault(eval_run_id, []).append((case_id, trial))
    return lacking


def _changes(source: Rows, eval_runs: frozenset[str], difference: Difference | None) -> list[Row]:
    if difference is not None:
        rows = [{"eval_run_id": difference.eval_run_id, **row} for row in difference.cases]
    else:
        query = (
            f"select eval_run_id, {_OF_BASELINE} from baseline_regressions where eval_run_id <> baseline_eval_run_id"
        )
        rows = list(source.sql(query).iter_rows(named=True))
    meant = [row for row in rows if row["eval_run_id"] in eval_runs and row["change"] != "unchanged"]
    return sorted(meant, key=lambda row: (CHANGES.index(row["change"]), row["eval_run_id"], row["case_id"]))
