"""What differs between an eval run and the active baseline of its suite, or another eval run (specification 50, 70 `diff`)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from judge_polars.baselines.age import BaselineUse
from judge_polars.baselines.source import Row, eval_run_row, rows_of
from judge_polars.errors import InputError, UsageError
from judge_polars.report.summary import CHANGES
from judge_polars.sources import Rows

COLUMNS: Final = (
    "case_id",
    "change",
    "verdict",
    "other_verdict",
    "primary_failure_code",
    "other_primary_failure_code",
    "score",
    "other_score",
    "score_pct",
    "other_score_pct",
    "score_change",
    "first_worse_bucket",
    "rubric_changed",
    "trials",
    "passed",
    "other_trials",
    "other_passed",
    "p_value",
    "q_value",
    "evidence",
    "stability",
    "other_stability",
)
"""Of a case in a difference; `other_…` is of the baseline or the other eval run."""
_OF_BASELINE: Final = ", ".join(
    name if not name.startswith("other_") else f"baseline_{name.removeprefix('other_')} as {name}" for name in COLUMNS
)
_COVERAGE: Final = """
    select
        eval_run_counts.planned,
        eval_run_counts.comparable + eval_run_counts.invalid as judged,
        eval_run_counts.passed,
        eval_run_counts.failed,
        eval_run_counts.invalid,
        (
            select count(*)
            from eval_run_suites
            inner join suite_cases using (suite_digest)
            where
                eval_run_suites.eval_run_id = eval_run_counts.eval_run_id
                and suite_cases.case_id not in (
                    select case_id from latest_case_verdicts where latest_case_verdicts.eval_run_id = eval_run_counts.eval_run_id
                )
        ) as cases_without_run
    from eval_run_counts
    where eval_run_id = ?
"""


@dataclass(frozen=True, slots=True)
class Difference:
    """An eval run beside a baseline or another eval run.

    Attributes:
        compared_with: `baseline` or `eval_run`.
        cases: rows of `COLUMNS`, those that need a look first.
        suite: the row of `suite_comparison`; null where the two share no case.
        coverage: `planned` (null where the suite is unknown), `judged`, `passed`, `failed`, `invalid`, `cases_without_run`.
        suite_version_changed: null where a side recorded none.
        baseline: how old the baseline is and by what it was judged; null against an eval run.
    """

    eval_run_id: str
    compared_with: str
    other_eval_run_id: str
    suite_id: str | None
    cases: tuple[Row, ...]
    suite: Row | None
    coverage: Row
    suite_version_changed: bool | None
    baseline: BaselineUse | None = None

    @property
    def changes(self) -> Mapping[str, int]:
        """Change -> number of cases, those that need a look first."""
        found = [row["change"] for row in self.cases]
        return {change: found.count(change) for change in CHANGES if change in found}

    @property
    def incomplete(self) -> bool:
        """Whether fewer case runs are judged than planned, or a case of the suite has none."""
        planned = self.coverage["planned"]
        return bool(self.coverage["cases_without_run"]) or (planned is not None and planned > self.coverage["judged"])

    def as_record(self) -> dict[str, Any]:
        """For JSON."""
        use = self.baseline
        return {
            "eval_run_id": self.eval_run_id,
            "compared_with": self.compared_with,
            "other_eval_run_id": self.other_eval_run_id,
            "suite_id": self.suite_id,
            "suite_version_changed": self.suite_version_changed,
            "baseline": None if use is None else use.as_record(),
            "coverage": {**self.coverage, "incomplete": self.incomplete},
            "suite": self.suite,
            "changes": dict(self.changes),
            "cases": list(self.cases),
        }


def difference_from_baseline(source: Rows, eval_run_id: str, use: BaselineUse | None = None) -> Difference:
    """An eval run beside the active baseline of its suite.

    Raises:
        UsageError: there is no such eval run.
        InputError: it names no suite, or its suite has no active baseline.
    """
    run = eval_run_row(source, eval_run_id)
    suite_id = run["suite_id"]
    if suite_id is None:
        raise InputError(f"{eval_run_id} does not say which suite it ran; compare it with --against EVAL_RUN")
    active = rows_of(source, "select eval_run_id, suite_version from baselines where suite_id = ? and active", suite_id)
    if not active:
        raise InputError(
            f"the suite {suite_id} has no baseline; promote one with `judge-polars baseline promote`, "
            "or compare with --against EVAL_RUN"
        )
    recorded = run["suite_version"]
    return Difference(
        eval_run_id=eval_run_id,
        compared_with="baseline",
        other_eval_run_id=active[0]["eval_run_id"],
        suite_id=suite_id,
        cases=cases_against_baseline(source, eval_run_id),
        suite=_suite(source, eval_run_id, "baseline", active[0]["eval_run_id"]),
        coverage=_coverage(source, eval_run_id),
        suite_version_changed=None if recorded is None else recorded != active[0]["suite_version"],
        baseline=use,
    )


def cases_against_baseline(source: Rows, eval_run_id: str) -> tuple[Row, ...]:
    """Rows of `COLUMNS` of an eval run beside the active baseline of its suite, those that need a look first."""
    return _in_order(
        rows_of(source, f"select {_OF_BASELINE} from baseline_regressions where eval_run_id = ?", eval_run_id)
    )


def difference_from_eval_run(source: Rows, eval_run_id: str, other_eval_run_id: str) -> Difference:
    """An eval run beside another one.

    Raises:
        UsageError: one of them is not there, or both are the same.
    """
    if eval_run_id == other_eval_run_id:
        raise UsageError(f"--against {other_eval_run_id}: that is the eval run itself; name another one")
    run, other = eval_run_row(source, eval_run_id), eval_run_row(source, other_eval_run_id)
    query = f"select {', '.join(COLUMNS)} from eval_run_regressions(?, ?)"
    versions = (run["suite_id"], run["suite_version"]), (other["suite_id"], other["suite_version"])
    unknown = any(version is None for _, version in versions)
    return Difference(
        eval_run_id=eval_run_id,
        compared_with="eval_run",
        other_eval_run_id=other_eval_run_id,
        suite_id=run["suite_id"],
        cases=_in_order(rows_of(source, query, eval_run_id, other_eval_run_id)),
        suite=_suite(source, eval_run_id, "eval_run", other_eval_run_id),
        coverage=_coverage(source, eval_run_id),
        suite_version_changed=None if unknown else versions[0] != versions[1],
    )


def _in_order(rows: list[Row]) -> tuple[Row, ...]:
    return tuple(sorted(rows, key=lambda row: (CHANGES.index(row["change"]), row["case_id"])))


def _suite(source: Rows, eval_run_id: str, compared_with: str, other_eval_run_id: str) -> Row | None:
    found = rows_of(
        source,
        "select * from suite_comparison where eval_run_id = ? and compared_with = ? and other_eval_run_id = ?",
        *(eval_run_id, compared_with, other_eval_run_id),
    )
    return found[0] if found else None


def _coverage(source: Rows, eval_run_id: str) -> Row:
    found = rows_of(source, _COVERAGE, eval_run_id)
    return (
        found[0]
        if found
        else {"planned": None, "judged": 0, "passed": 0, "failed": 0, "invalid": 0, "cases_without_run": 0}
    )
