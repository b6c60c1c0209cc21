"""`--fail-on`: conditions under which a command ends with exit code 1 (specification 70)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from judge_polars.errors import UsageError
from judge_polars.sources import Rows

RULES: Final = (
    "never",
    "invalid",
    "fail",
    "regression",
    "incomplete",
    "invalid-rate:P",
    "invalid-shift",
    "baseline-flip",
)


@dataclass(frozen=True, slots=True)
class Condition:
    """One parsed `--fail-on` rule; `limit` is the share (0 to 1) of `invalid-rate:P`."""

    name: str
    limit: float | None = None


@dataclass(frozen=True, slots=True)
class GateResult:
    """What the conditions gave: whether one was met, and a line in words."""

    met: bool
    line: str


def parse_conditions(texts: Sequence[str], *, flips: bool = False) -> tuple[Condition, ...]:
    """`--fail-on` texts as conditions.

    Args:
        flips: the command knows which verdicts flip, so that `baseline-flip` can be asked.

    Raises:
        UsageError: an unknown rule, or a rate that is no share: `invalid-rate:0.2` or `invalid-rate:20%`.
    """
    conditions = []
    for text in texts:
        name, _, argument = text.partition(":")
        if name == "invalid-rate":
            conditions.append(Condition(name, _share(text, argument)))
        elif text == "baseline-flip" and not flips:
            raise UsageError(
                "--fail-on baseline-flip: only a re-judging that compares rubrics knows which verdicts flip"
            )
        elif text in RULES:
            conditions.append(Condition(text))
        else:
            raise UsageError(f"--fail-on {text}: unknown; one of {', '.join(RULES)}")
    return tuple(conditions)


def _share(text: str, argument: str) -> float:
    try:
        share = float(argument.removesuffix("%")) / (100 if argument.endswith("%") else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share <= 1:  # NaN is no share either
        raise UsageError(f"--fail-on {text}: write a share such as invalid-rate:0.2 or invalid-rate:20%")
    return share


def decide(
    source: Rows,
    verdicts: pl.DataFrame,
    conditions: tuple[Condition, ...],
    *,
    eval_runs: Collection[str] | None = None,
    baseline_flips: int = 0,
) -> GateResult:
    """Whether any condition is met, and one line that says which rule gave what.

    `invalid`, `fail` and `invalid-rate` look at the shown verdicts, the others at the eval runs and cases of the source
    (`Judgment.narrowed` where only some are meant).

    Args:
        eval_runs: the eval runs that are meant, where not all of the source are.
        baseline_flips: cases of active baselines whose verdict flips.
    """
    whole = None if eval_runs is None else frozenset(eval_runs)
    told = [
        (condition, (baseline_flips > 0, f"{baseline_flips:,} cases of active baselines flip"))
        if condition.name == "baseline-flip"
        else (condition, _met(source, verdicts, condition, whole))
        for condition in conditions
    ]
    words = "; ".join(f"{_name(condition)}: {reason}" for condition, (_, reason) in told) or "never: nothing is asked"
    met = any(is_met for _, (is_met, _) in told)
    return GateResult(met, f"gate {'FAILED' if met else 'passed'} ({words})")


def _name(condition: Condition) -> str:
    return condition.name if condition.limit is None else f"{condition.name}:{condition.limit:g}"


def _met(
    source: Rows, verdicts: pl.DataFrame, condition: Condition, eval_runs: Collection[str] | None
) -> tuple[bool, str]:
    """Whether one condition is met, and why."""
    whole = verdicts.height
    match condition.name:
        case "never":
            return False, "nothing is asked"
        case "invalid" | "fail":
            count = verdicts.filter(pl.col("verdict") == condition.name).height
            return count > 0, f"{count:,} of {whole:,} case runs"
        case "invalid-rate":
            count = verdicts.filter(pl.col("verdict") == "invalid").height
            share = count / whole if whole else 0.0
            return share > (condition.limit or 0.0), f"{share:.1%} of {whole:,} case runs are invalid"
        case "regression":
            compared = _meant(source.sql("select eval_run_id, change from baseline_regressions"), eval_runs)
            count = compared.filter(pl.col("change").is_in(["regressed", "missing"])).height
            return count > 0, f"{count:,} of {compared.height:,} cases regressed or missing"
        case "incomplete":
            runs = _meant(coverage(source), eval_runs)
            lacking = runs.filter("incomplete").height
            return lacking > 0, f"{lacking:,} of {runs.height:,} eval runs lack case runs"
        case "invalid-shift":
            shifted = "compared_with = 'baseline' and invalid_p_value <= 0.05 + 1e-12"
            found = source.sql(f"select eval_run_id from suite_comparison where {shifted}")
            count = _meant(found, eval_runs).height
            return count > 0, f"{count:,} eval runs with significantly more invalid case runs than the baseline"
        case name:
            raise UsageError(f"--fail-on {name}: unknown")


def _meant(rows: pl.DataFrame, eval_runs: Collection[str] | None) -> pl.DataFrame:
    return rows if eval_runs is None else rows.filter(pl.col("eval_run_id").is_in(list(eval_runs)))


def coverage(source: Rows) -> pl.DataFrame:
    """`eval_run_id`, `planned` (null where the suite is unknown), `judged`, `incomplete` of every eval run, by id.

    Incomplete is an eval run with fewer case runs than its suite plans, or without one for a case (specification 70).
    """
    return source.sql(
        """
        select
            eval_run_id,
            eval_run_counts.planned,
            eval_run_counts.comparable + eval_run_counts.invalid as judged,
            coalesce(eval_run_coverage.incomplete, eval_run_counts.planned > 0, false) as incomplete
        from eval_run_counts
        left join eval_run_coverage using (eval_run_id)
        order by eval_run_id
        """
    )
