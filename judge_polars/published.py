"""From a judged shard to the tables that people and views read (`tables.PUBLISHED_TABLES`)."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final

import polars as pl

from judge_polars import tables
from judge_polars.intake_tables import Intake
from judge_polars.text_forms import labels_json

RECORD: Final = (
    "recorded_case_version",
    "workspace_id",
    "status",
    "stop_reason",
    "started_at",
    "finished_at",
    "agent_name",
    "agent_version",
    "agent_model",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "tool_calls",
)
"""Columns of `found_runs` that come from the record."""


def run_tables(
    runs: pl.DataFrame,
    intake: Intake,
    refs: pl.DataFrame,
) -> dict[str, pl.DataFrame]:
    """`case_runs`, `bundles`, `documents`, the evidence tables and `routing_refs`, each checked against its declaration.

    Args:
        runs: `intake_tables.INTAKE_RUNS` with `bundle`, `bundle_status` and the digests with the chosen bundle.
        refs: `facts.routing.settle_refs` of the references of all bundles.
    """
    chosen = runs.filter(pl.col("bundle").is_not_null()).select("run", "bundle", "case_run_id")
    outputs = intake.documents.filter(pl.col("bundle").is_null())
    documents = pl.concat([intake.documents.join(chosen, on="bundle", how="semi"), outputs])

    def of_bundle(frame: pl.DataFrame) -> pl.DataFrame:
        return frame.join(chosen, on="bundle", how="inner", maintain_order="left")

    return {
        "case_runs": tables.CASE_RUNS.check(runs.select(list(tables.CASE_RUNS.schema))),
        "bundles": tables.BUNDLES.check(_bundles(runs, intake)),
        "documents": tables.DOCUMENT_INDEX.check(
            documents.join(runs.select("run", "case_run_id"), on="run", how="left", maintain_order="left")
            .sort("run", "name")
            .select("case_run_id", "artifact", "kind", "size", "lines", "unread", "digest", document="name")
            .select(list(tables.DOCUMENT_INDEX.schema))
        ),
        **_series(of_bundle(intake.series), intake.points),
        "query_evidence": tables.QUERY_EVIDENCE.check(
            of_bundle(intake.queries).select(list(tables.QUERY_EVIDENCE.schema)).sort(pl.all())
        ),
        "event_evidence": tables.EVENT_EVIDENCE.check(
            of_bundle(intake.events).select(list(tables.EVENT_EVIDENCE.schema)).sort(pl.all())
        ),
        "routing_refs": tables.ROUTING_REFS.check(
            of_bundle(refs).with_columns(pl.col("item").cast(pl.Int64)).select(list(tables.ROUTING_REFS.schema))
        ),
    }


def _bundles(runs: pl.DataFrame, intake: Intake) -> pl.DataFrame:
    """One row per run: status, chosen root, and every candidate with its reasons as JSON."""
    candidates = (
        intake.candidates.sort("run", "root")
        .group_by("run", maintain_order=True)
        .agg(candidates=pl.struct("root", "reasons").struct.json_encode().str.join(","))
    )
    roots = intake.bundles.select("bundle", "root")
    return (
        runs.join(candidates, on="run", how="left", maintain_order="left")
        .join(roots, on="bundle", how="left", maintain_order="left")
        .select(
            "case_run_id",
            "bundle_digest",
            "content_digest",
            "root",
            status="bundle_status",
            candidates=pl.concat_str(pl.lit("["), pl.col("candidates").fill_null(""), pl.lit("]")),
        )
        .select(list(tables.BUNDLES.schema))
    )


def _series(series: pl.DataFrame, points: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """`metric_series` and `metric_points`; series are counted within their case run."""
    numbered = series.with_columns(series_id=pl.int_range(pl.len(), dtype=pl.Int64).over("run"))
    named = numbered.with_columns(labels=labels_json())
    pointed = named.select("case_run_id", "series_id", "series").join(
        points, on="series", how="inner", maintain_order="left_right"
    )
    return {
        "metric_series": tables.METRIC_SERIES.check(named.select(list(tables.METRIC_SERIES.schema))),
        "metric_points": tables.METRIC_POINTS.check(pointed.select(list(tables.METRIC_POINTS.schema))),
    }


def issue_rows(runs: pl.DataFrame, issues: pl.DataFrame) -> pl.DataFrame:
    """`tables.ISSUES` of a shard: what was met while reading (of other candidates than the chosen one only why they were
    rejected), and records of another case version.

    Args:
        runs: as above, with `case_version`, the registry's.
        issues: `tables.SHARD_ISSUES`.
    """
    chosen = pl.col("of_bundle").is_null() | pl.col("of_bundle").eq_missing(pl.col("bundle"))
    met = (
        issues.rename({"bundle": "of_bundle"})
        .join(runs.select("run", "bundle", "case_run_id"), on="run", how="left", maintain_order="left")
        .filter(chosen)
        .select("case_run_id", "code", "document", "detail")
    )
    differs = runs.filter(pl.col("recorded_case_version") != pl.col("case_version")).select(
        "case_run_id",
        code=pl.lit("case_version_differs"),
        document=pl.lit("case_run.json"),
        detail=pl.format("the record says {}, the registry {}", "recorded_case_version", "case_version"),
    )
    return tables.ISSUES.check(pl.concat([met, differs]))


def merge(shard_frames: Sequence[Mapping[str, pl.DataFrame]], names: Iterable[str]) -> dict[str, pl.DataFrame]:
    """Frames of all shards under one another; `judged_key` counts on from shard to shard."""
    names = tuple(names)
    declared = {table.name: table for table in tables.PUBLISHED_TABLES}
    parts: dict[str, list[pl.DataFrame]] = {name: [declared[name].empty()] for name in names}
    offset = 0
    for frames in shard_frames:
        for name in names:
            frame = frames[name]
            if "judged_key" in frame.columns:
                frame = frame.with_columns(pl.col("judged_key") + offset)
            parts[name].append(frame)
        offset += frames["judged_case_runs"].height
    return {name: pl.concat(frames) for name, frames in parts.items()}
