"""What a judgment comes to: counts, rates with intervals, coverage, and the comparison with baselines."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any

import polars as pl

from judge_polars.gate import coverage
from judge_polars.vocabulary import VERDICTS

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment

WORSE = ("regressed", "missing")
CHANGES = ("regressed", "missing", "score_dropped", "incomparable", "new_case", "improved", "score_raised", "unchanged")
"""In the order in which they are told: what needs a look first."""
OLD_BASELINE_DAYS = 14

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Rate:
    """A share of so many, with its 95 % Wilson interval; null where there are none."""

    part: int
    whole: int
    rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class BaselineComparison:
    """One eval run against the active baseline of its suite.

    Attributes:
        changes: change -> number of cases.
        rows: cases of `baseline_regressions` that are not `unchanged`, those that need a look first.
        age_days: from the promotion to the start of the eval run (its judgment where that is unknown); null before.
        age_eval_runs: eval runs of the suite, among those found, that began between the two.
    """

    eval_run_id: str
    suite_id: str
    baseline_eval_run_id: str
    promoted_at: datetime
    changes: Mapping[str, int]
    rows: tuple[Row, ...]
    age_days: int | None
    age_eval_runs: int


@dataclass(frozen=True, slots=True)
class Summary:
    """The whole of a judgment, or of the verdicts that are shown of it.

    Attributes:
        shown: case runs shown, of those `judged`; what follows counts these.
        planned: case runs that the suites plan, null where the suite of one of the eval runs is not known.
        eval_runs: number of eval runs; `incomplete` of them lack case runs that were planned.
        counts: verdict -> case runs.
        pass_rate: over the comparable case runs.
        invalid_by_cause: cause (`unrecorded` where there is no record) -> invalid case runs, most first.
        codes: primary failure code -> case runs, most first.
        issues: issue code -> number, most first; of the judgment.
        unknown_cases: case ids that the registry does not know -> case runs, which are not judged.
        comparisons: eval runs against baselines, those that regressed first.
    """

    shown: int
    judged: int
    planned: int | None
    eval_runs: int
    incomplete: int
    counts: Mapping[str, int]
    pass_rate: Rate
    invalid_by_cause: Mapping[str, int]
    codes: Mapping[str, int]
    issues: Mapping[str, int]
    unknown_cases: Mapping[str, int]
    comparisons: tuple[BaselineComparison, ...]

    def as_record(self) -> Row:
        """For JSON."""
        return {
            "shown": self.shown,
            "judged": self.judged,
            "planned": self.planned,
            "eval_runs": self.eval_runs,
            "incomplete_eval_runs": self.incomplete,
            **self.counts,
            "pass_rate": self.pass_rate.rate,
            "pass_rate_low": self.pass_rate.low,
            "pass_rate_high": self.pass_rate.high,
            "invalid_by_cause": dict(self.invalid_by_cause),
            "primary_failure_codes": dict(self.codes),
            "issues": dict(self.issues),
            "unknown_cases": dict(self.unknown_cases),
            "baselines": [
                {
                    "eval_run_id": told.eval_run_id,
                    "suite_id": told.suite_id,
                    "baseline_eval_run_id": told.baseline_eval_run_id,
                    "age_days": told.age_days,
                    "age_eval_runs": told.age_eval_runs,
                    "changes": dict(told.changes),
                    "cases": list(told.rows),
                }
                for told in self.comparisons
            ],
        }


def summarise(judgment: Judgment, verdicts: pl.DataFrame) -> Summary:
    """The summary of the shown verdicts of a judgment (rows of `all_verdicts`)."""
    found = dict(verdicts.group_by("verdict").len().iter_rows())
    counts = {verdict: found.get(verdict, 0) for verdict in VERDICTS}
    invalid = verdicts.filter(pl.col("verdict") == "invalid")
    covered = coverage(judgment)
    planned = covered["planned"]
    return Summary(
        shown=verdicts.height,
        judged=judgment.verdicts.height,
        planned=int(planned.sum()) if len(planned) and not planned.null_count() else None,
        eval_runs=judgment.frames["eval_runs"].height,
        incomplete=covered.filter("incomplete").height,
        counts=counts,
        pass_rate=rate(judgment, counts["pass"], counts["pass"] + counts["fail"]),
        invalid_by_cause=_tally(invalid["cause"].fill_null("unrecorded")),
        codes=_tally(verdicts["primary_failure_code"].drop_nulls()),
        issues=_tally(judgment.issues["code"]),
        unknown_cases=_tally(pl.Series([key.rsplit("/", 2)[1] for key in judgment.unknown], dtype=pl.String)),
        comparisons=comparisons(judgment),
    )


def rate(judgment: Judgment, part: int, whole: int) -> Rate:
    """A share with its interval, by the macros of `sql/`."""
    row = judgment.sql(
        "select ? / nullif(?, 0), wilson_low(?, ?), wilson_high(?, ?)", [part, whole, part, whole, part, whole]
    )
    share, low, high = row.row(0)
    return Rate(part, whole, share, low, high)


def _tally(values: pl.Series) -> dict[str, int]:
    """Value -> how often, most often first, then by name."""
    counted = values.alias("value").value_counts().sort("count", "value", descending=[True, False])
    return dict(counted.iter_rows())


def comparisons(judgment: Judgment) -> tuple[BaselineComparison, ...]:
    """Every eval run that has a baseline against it, those with regressions first, else in the order of their ids."""
    regressions = judgment.regressions
    every = judgment.frames["eval_runs"] if judgment.origin is None else judgment.origin.found.eval_runs
    runs = {row["eval_run_id"]: row for row in every.iter_rows(named=True)}
    baselines = {row["suite_id"]: row for row in judgment.frames["baselines"].filter("active").iter_rows(named=True)}
    judged_at = judgment.frames["judgments"]["judged_at"][0]
    told = []
    for (eval_run_id,), rows in regressions.group_by("eval_run_id", maintain_order=True):
        suite_id = rows["suite_id"][0]
        promoted_at = baselines[suite_id]["promoted_at"]
        began = runs[str(eval_run_id)]["started_at"] or judged_at
        between = sum(
            run["suite_id"] == suite_id and run["started_at"] is not None and promoted_at < run["started_at"] < began
            for run in runs.values()
        )
        counted = dict(rows.group_by("change").len().iter_rows())
        changed = rows.filter(pl.col("change") != "unchanged").sort(pl.col("change").cast(pl.Enum(CHANGES)), "case_id")
        told.append(
            BaselineComparison(
                eval_run_id=str(eval_run_id),
                suite_id=suite_id,
                baseline_eval_run_id=rows["baseline_eval_run_id"][0],
                promoted_at=promoted_at,
                changes={change: counted[change] for change in CHANGES if change in counted},
                rows=tuple(
                    changed.drop("judgment_id", "eval_run_id", "suite_id", "baseline_eval_run_id").iter_rows(named=True)
                ),
                age_days=(began - promoted_at).days if began >= promoted_at else None,
                age_eval_runs=between,
            )
        )
    return tuple(sorted(told, key=lambda one: not any(one.changes.get(change) for change in WORSE)))
