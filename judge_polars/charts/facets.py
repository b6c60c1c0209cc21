"""What kind of thing a row is, for charts and for words alike: what checks do."""

from __future__ import annotations

from typing import Final

import polars as pl

from judge_polars.vocabulary import CONTRACT, SUPPORTING, WORKFLOW

NEVER_FAILED: Final = "never failed"
NEVER_PASSED: Final = "never passed"
ONLY_SCORE: Final = "only moves the score"
REDUNDANT: Final = "never alone"
DECIDING: Final = "decides alone"
KINDS: Final = (NEVER_FAILED, NEVER_PASSED, ONLY_SCORE, REDUNDANT, DECIDING)
"""What a check does: dead (never failed, never passed), without a say (a supporting or optional one), redundant (whenever
it failed another one did, too), deciding (some case run is no pass only because of it)."""


def kinds_of_checks(checks: pl.DataFrame) -> pl.DataFrame:
    """One row per check that judged a case run, over all digests of its case, those that decide most first.

    Columns: `case_id`, `bucket`, `layer`, `check_id`, `kind` (one of `KINDS`), `case_runs`, `failed`, `decides_alone`.

    Args:
        checks: the view `check_quality`.
    """
    key = ["case_id", "bucket", "layer", "check_id"]
    summed = (
        checks.filter(pl.col("case_runs") > 0)
        .group_by(key)
        .agg(pl.col("case_runs", "failed", "decides_alone").sum(), pl.col("required").any())
    )
    has_a_say = (pl.col("layer").fill_null("") != SUPPORTING) & (
        pl.col("required") | ~pl.col("bucket").is_in([CONTRACT, WORKFLOW])
    )
    kind = (
        pl.when(pl.col("failed") == 0)
        .then(pl.lit(NEVER_FAILED))
        .when(pl.col("failed") == pl.col("case_runs"))
        .then(pl.lit(NEVER_PASSED))
        .when(~has_a_say)
        .then(pl.lit(ONLY_SCORE))
        .when(pl.col("decides_alone") > 0)
        .then(pl.lit(DECIDING))
        .otherwise(pl.lit(REDUNDANT))
    )
    order = ["decides_alone", "failed", *key]
    return (
        summed.with_columns(kind=kind)
        .select(*key, "kind", "case_runs", "failed", "decides_alone")
        .sort(order, descending=[True, True, False, False, False, False], nulls_last=True)
    )
