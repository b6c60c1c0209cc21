"""Formulas over all case runs at once: facts that definitions give, and the results of checks."""

from __future__ import annotations

from typing import Final

import polars as pl

from judge_polars.rules.matrices import OUTCOMES, FactMatrix, RuleCodes
from judge_polars.rules.program import Level
from judge_polars.rules.segmented import evaluate_segmented
from judge_polars.rules.wide import evaluate_wide

MANY_RUNS: Final = 400
"""Runs of a case from which its formulas are evaluated column by column."""


def evaluate_level(
    level: Level, runs: pl.DataFrame, facts: FactMatrix, codes: RuleCodes, *, many: int = MANY_RUNS
) -> pl.DataFrame:
    """Evaluate a level for `runs` (`run`, `case`, `has_bundle`, `has_output`): facts are written, `matrices.OUTCOMES` returned.

    A fact of the family `output` stays unknown where the output has no text, any other one where there is no bundle.
    """
    sizes = runs.group_by("case").len()
    large = sorted(sizes.filter(pl.col("len") >= many)["case"])
    outcomes = [
        pl.DataFrame(schema=OUTCOMES),
        *(evaluate_wide(level, case, runs.filter(pl.col("case") == case), facts, codes) for case in large),
    ]
    rest = runs.filter(~pl.col("case").is_in(large)) if large else runs
    if not rest.is_empty():
        outcomes.append(evaluate_segmented(level, rest, facts, codes))
    return pl.concat(outcomes)
