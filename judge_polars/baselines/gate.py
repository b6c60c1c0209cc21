"""`diff --fail-on`: whether a difference meets a condition, and the line that says so (specification 70)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from judge_polars.baselines.difference import Difference
from judge_polars.errors import UsageError
from judge_polars.gate import Condition, GateResult
from judge_polars.report.summary import WORSE

DEFAULT: Final = ("regression", "incomplete")
_SIGNIFICANT: Final = 0.05 + 1e-12


def decide(difference: Difference, conditions: Sequence[Condition]) -> GateResult:
    """Whether any condition is met, and one line that says which rule gave what."""
    told = [(condition, _met(difference, condition)) for condition in conditions]
    names = [c.name if c.limit is None else f"{c.name}:{c.limit:g}" for c, _ in told]
    words = "; ".join(f"{name}: {reason}" for name, (_, (_, reason)) in zip(names, told, strict=True))
    met = any(is_met for _, (is_met, _) in told)
    return GateResult(met, f"gate {'FAILED' if met else 'passed'} ({words or 'never: nothing is asked'})")


def _met(difference: Difference, condition: Condition) -> tuple[bool, str]:
    counts = difference.coverage
    judged = counts["judged"]
    match condition.name:
        case "never":
            return False, "nothing is asked"
        case "invalid" | "fail":
            count = counts["invalid" if condition.name == "invalid" else "failed"]
            return count > 0, f"{count:,} of {judged:,} case runs"
        case "invalid-rate":
            share = counts["invalid"] / judged if judged else 0.0
            return share > (condition.limit or 0.0), f"{share:.1%} of {judged:,} case runs are invalid"
        case "regression":
            count = sum(difference.changes.get(change, 0) for change in WORSE)
            return count > 0, f"{count:,} of {len(difference.cases):,} cases regressed or missing"
        case "incomplete":
            planned = counts["planned"]
            told = f"{judged:,} judged" if planned is None else f"{judged:,} of {planned:,} planned case runs judged"
            return difference.incomplete, told
        case "invalid-shift":
            p_value = None if difference.suite is None else difference.suite["invalid_p_value"]
            if p_value is None:
                return False, "the other side does not tell how many of its case runs were invalid"
            return p_value <= _SIGNIFICANT, f"p {p_value:.3f} that the share of invalid case runs has not grown"
        case name:
            raise UsageError(f"--fail-on {name}: unknown")
