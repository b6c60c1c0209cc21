"""The built-in facts of the families `window`, `cluster`, `artifacts`, and `evidence.collection_error_count`, per case run."""

from __future__ import annotations

import polars as pl

from judge_polars.vocabulary import ARTIFACTS


def built_in_facts(runs: pl.DataFrame, bundles: pl.DataFrame) -> pl.DataFrame:
    """One row per run, `run` and a column per fact, by its full name; everything is null without a bundle.

    Args:
        runs: `run`, `bundle`, `has_bundle`, `has_output`.
        bundles: `intake_tables.INTAKE_BUNDLES` with `cluster_matched`, `window_matched`.
    """
    of_run = runs.select("run", "bundle", "has_bundle", "has_output").join(
        bundles.drop("run"), on="bundle", how="left", maintain_order="left"
    )
    known = pl.col("has_bundle")
    return of_run.select(
        "run",
        pl.col("window_start").alias("window.start"),
        pl.col("window_end").alias("window.end"),
        pl.col("window_source").alias("window.source"),
        pl.when(known).then(pl.col("window_source").is_not_null()).alias("window.present"),
        pl.col("window_matched").alias("window.matched_allowed_window"),
        pl.col("cluster_id").alias("cluster.id"),
        pl.col("cluster_source").alias("cluster.source"),
        pl.col("cluster_matched").alias("cluster.matched"),
        *(pl.when(known).then(_present(artifact)).alias(f"artifacts.{artifact}_present") for artifact in ARTIFACTS),
        pl.col("collection_error_count").cast(pl.Int64).alias("evidence.collection_error_count"),
    )


def _present(artifact: str) -> pl.Expr:
    if artifact in ("manifest", "report", "evidence_dir"):
        return pl.lit(value=True)
    if artifact == "logs_dir":
        return pl.col("has_logs_dir")
    if artifact == "output_text":
        return pl.col("has_output")
    return pl.col("artifacts").list.contains(artifact).fill_null(value=False)
