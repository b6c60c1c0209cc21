"""Which of a case run's bundles is judged (specification 20, "Finding the bundle", steps 1 and 3 to 5)."""

from __future__ import annotations

import polars as pl


def resolve_bundles(runs: pl.DataFrame, bundles: pl.DataFrame, matched: pl.DataFrame) -> pl.DataFrame:
    """`run`, `bundle` (null without one), `bundle_status` (resolved, unresolved, ambiguous), one row per run in order.

    Args:
        runs: `run`.
        bundles: `tables.SHARD_BUNDLES`: the distinct valid candidates.
        matched: `bundle`, `cluster_matched`, `window_matched`.

    A lone bundle is the bundle even when it does not match; of several the one that matches by cluster and window is, if
    exactly one does.
    """
    both = bundles.select("run", "bundle").join(matched, on="bundle", how="left")
    both = both.with_columns(matches=pl.col("cluster_matched") & pl.col("window_matched"))
    tally = both.group_by("run").agg(
        found=pl.len(),
        matching=pl.col("matches").sum(),
        lone=pl.col("bundle").min(),
        matching_one=pl.col("bundle").filter("matches").min(),
    )
    found = runs.select("run").join(tally, on="run", how="left", maintain_order="left")
    count = pl.col("found").fill_null(0)
    return found.select(
        "run",
        bundle=pl.when(count == 1).then("lone").when(pl.col("matching") == 1).then("matching_one"),
        bundle_status=pl.when(count == 0)
        .then(pl.lit("unresolved"))
        .when((count == 1) | (pl.col("matching") == 1))
        .then(pl.lit("resolved"))
        .otherwise(pl.lit("ambiguous")),
    )
