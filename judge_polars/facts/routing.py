"""Routing facts: do the references of an analysis patch point at evidence that is there (specification 30, "Routing facts")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from judge_polars.text_forms import json_keyword_form, keyword_form
from judge_polars.vocabulary import ROUTING_CHANNELS

_LABEL: Final = r'[A-Za-z_][A-Za-z0-9_]*\s*=\s*"(?:[^"\\]|\\.)*"'
_METRIC_REF: Final = rf"^([^{{]*?)\s*(?:\{{\s*((?:{_LABEL}\s*(?:,\s*{_LABEL}\s*)*,?)?)\s*\}})?$"
"""A metric name, perhaps with `{k="v", …}`; any other form of selector is none."""
_LINE_REF: Final = r"^(.+?)(?::|#L)(\d{1,18})$"

_KEY: Final = ["bundle", "item", "role", "channel", "ref", "quote"]


def fit_refs(
    refs: pl.DataFrame,
    *,
    series: pl.DataFrame,
    queries: pl.DataFrame,
    events: pl.DataFrame,
    documents: pl.DataFrame,
    logs_dirs: Sequence[str],
) -> pl.DataFrame:
    """`tables.SHARD_REFS` with `fits`, whether the reference points at something that is there, and `reason`, null when it does.

    Args:
        series: `tables.EVIDENCE_SERIES`.
        queries, events: `tables.SHARD_QUERIES`, `tables.SHARD_EVENTS`.
        documents: `tables.DOCUMENTS`.
        logs_dirs: names that the logs directory may have, relative to the bundle's root.
    """
    numbered = refs.with_row_index("at")
    found = pl.concat(
        [
            _metrics(numbered.filter(pl.col("channel") == "metric"), series),
            _ids(
                numbered.filter(pl.col("channel") == "query"), queries.select("bundle", ref="query_id"), "no_such_query"
            ),
            _ids(
                numbered.filter(pl.col("channel") == "event"), events.select("bundle", ref="event_id"), "no_such_event"
            ),
            _logs(numbered.filter(pl.col("channel") == "log"), documents, logs_dirs),
        ]
    )
    return numbered.join(found, on="at", how="left", maintain_order="left").drop("at")


def settle_refs(refs: pl.DataFrame, observed: pl.DataFrame) -> pl.DataFrame:
    """What `fit_refs` gives, with `resolved` and `verified` (null for metrics and queries) instead of `fits`.

    Args:
        observed: `bundle`, `logs`, `events`: whether these channels were observed.

    A log or event reference resolves when its channel was observed or it is verified itself.
    """
    seen = (
        pl.when(pl.col("channel") == "log")
        .then("logs")
        .when(pl.col("channel") == "event")
        .then("events")
        .otherwise(pl.lit(value=False))
    )
    strict = pl.col("channel").is_in(["log", "event"])
    return (
        refs.join(observed, on="bundle", how="left", maintain_order="left")
        .with_columns(resolved=pl.col("fits") | seen.fill_null(value=False), verified=pl.when(strict).then("fits"))
        .drop("fits", "logs", "events")
    )


def count_refs(refs: pl.DataFrame) -> pl.DataFrame:
    """One row per bundle with a reference: `bundle`, `key_refs`, `supporting_refs`, `<channel>_refs` and `<channel>_unfit`."""
    return refs.group_by("bundle").agg(
        key_refs=(pl.col("role") == "key").any(),
        supporting_refs=(pl.col("role") == "supporting").any(),
        **{f"{channel}_refs": (pl.col("channel") == channel).sum().cast(pl.UInt32) for channel in ROUTING_CHANNELS},
        **{
            f"{channel}_unfit": ((pl.col("channel") == channel) & ~pl.col("fits")).sum().cast(pl.UInt32)
            for channel in ROUTING_CHANNELS
        },
    )


def _metrics(refs: pl.DataFrame, series: pl.DataFrame) -> pl.DataFrame:
    """`at`, `fits`, `reason` of metric references: all labels must be on one series of that name."""
    parts = pl.col("ref").str.extract_groups(_METRIC_REF)
    wanted = refs.select(
        "at", "bundle", "ref", name=parts.struct.field("1"), selector=parts.struct.field("2")
    ).with_columns(wanted=pl.col("selector").fill_null("").str.extract_all(_LABEL))
    wanted = wanted.with_columns(
        pl.col("wanted").list.eval(
            pl.element().str.replace(r'\s*=\s*"', "\0").str.replace(r'"$', "").str.replace_all(r"\\(.)", "${1}")
        )
    )
    named = wanted.join(series.select("bundle", "name", "labels"), on=["bundle", "name"], how="inner")
    tally = named.group_by("at").agg(
        fits=(pl.col("wanted").list.set_difference(pl.col("labels")).list.len() == 0).any()
    )
    return wanted.join(tally, on="at", how="left").select(
        "at",
        fits=pl.col("fits").fill_null(value=False),
        reason=pl.when(pl.col("name").is_null())
        .then(pl.lit("selector_not_understood"))
        .when(pl.col("fits").is_null())
        .then(pl.lit("no_such_metric"))
        .when(~pl.col("fits"))
        .then(pl.lit("labels_not_on_one_series")),
    )


def _ids(refs: pl.DataFrame, ids: pl.DataFrame, reason: str) -> pl.DataFrame:
    """`at`, `fits`, `reason` of references that must equal an id of their bundle."""
    there = refs.join(ids, on=["bundle", "ref"], how="semi").select("at", fits=pl.lit(value=True))
    return refs.join(there, on="at", how="left").select(
        "at", fits=pl.col("fits").fill_null(value=False), reason=pl.when(pl.col("fits").is_null()).then(pl.lit(reason))
    )


def _logs(refs: pl.DataFrame, documents: pl.DataFrame, logs_dirs: Sequence[str]) -> pl.DataFrame:
    """`at`, `fits`, `reason` of log references: the document, its line and the quote are there.

    The whole reference is tried as a path first, then `path:LINE` and `path#LLINE`; a path is relative to the logs directory
    or to the bundle's root.
    """
    parts = pl.col("ref").str.extract_groups(_LINE_REF)
    whole = refs.select("at", "bundle", "quote", path="ref", line=pl.lit(None, pl.Int64), trial=pl.lit(0, pl.UInt8))
    lined = refs.select(
        "at",
        "bundle",
        "quote",
        path=parts.struct.field("1"),
        line=parts.struct.field("2").cast(pl.Int64),
        trial=pl.lit(1, pl.UInt8),
    ).filter(pl.col("path").is_not_null())
    places = pl.concat([whole, lined])
    named = pl.concat(
        [
            places.with_columns(name=pl.lit(prefix) + pl.col("path"), place=pl.lit(order, pl.UInt8))
            for order, prefix in enumerate([*(f"{name}/" for name in logs_dirs), ""])
        ]
    )
    known = documents.filter(pl.col("bundle").is_not_null()).select(
        "bundle", "doc", "name", "lines", "has_json", "kind"
    )
    found = (
        named.join(known, on=["bundle", "name"], how="inner")
        .sort("at", "trial", "place")
        .unique("at", keep="first", maintain_order=True)
    )
    quoted = found.filter(pl.col("quote").is_not_null())
    found = found.join(_quotes(quoted, documents), on="at", how="left").with_columns(
        line_there=pl.col("line").is_null()
        | ((pl.col("line") >= 1) & (pl.col("line") <= pl.col("lines"))).fill_null(value=False),
        quote_there=pl.col("quote").is_null() | pl.col("quote_found").fill_null(value=False),
    )
    told = refs.select("at").join(found.select("at", "line_there", "quote_there"), on="at", how="left")
    return told.select(
        "at",
        fits=(pl.col("line_there") & pl.col("quote_there")).fill_null(value=False),
        reason=pl.when(pl.col("line_there").is_null())
        .then(pl.lit("no_such_document"))
        .when(~pl.col("line_there"))
        .then(pl.lit("no_such_line"))
        .when(~pl.col("quote_there"))
        .then(pl.lit("quote_not_found")),
    )


def _quotes(found: pl.DataFrame, documents: pl.DataFrame) -> pl.DataFrame:
    """`at`, `quote_found`: whether the quote occurs in the document after text normalisation of both."""
    is_json = pl.col("has_json") & pl.col("kind").is_in(["json", "jsonl"])
    quote = keyword_form(pl.col("quote"))
    return found.join(documents.select("doc", "text"), on="doc", how="left").select(
        "at",
        quote_found=keyword_form(pl.col("text")).str.contains(
            pl.when(is_json).then(json_keyword_form(quote)).otherwise(quote), literal=True
        ),
    )


def routing_facts(bundles: pl.DataFrame) -> pl.DataFrame:
    """One row per bundle, in order: a column per routing fact (without the family).

    Args:
        bundles: `intake_tables.INTAKE_BUNDLES` with `logs`, `events`: whether these channels were observed.

    Everything about the content is null without valid JSON.
    """
    present = pl.col("artifacts").list.contains("analysis_patch")
    valid = pl.col("patch_json_valid").fill_null(value=False)
    seen = {"log": pl.col("logs").fill_null(value=False), "event": pl.col("events").fill_null(value=False)}
    missing = {
        channel: pl.when(seen[channel]).then(0).otherwise(f"{channel}_unfit")
        if channel in seen
        else pl.col(f"{channel}_unfit")
        for channel in ROUTING_CHANNELS
    }

    def known(value: pl.Expr) -> pl.Expr:
        return pl.when(valid).then(value)

    return bundles.select(
        analysis_patch_present=present,
        analysis_patch_json_valid=pl.when(present).then(valid),
        analysis_items_shape_valid=known(pl.col("patch_shape_valid").fill_null(value=False)),
        analysis_key_evidence_present=known(pl.col("key_refs")),
        analysis_supporting_evidence_present=known(pl.col("supporting_refs")),
        **{f"analysis_{c}_refs_required": known(pl.col(f"{c}_refs") > 0) for c in ROUTING_CHANNELS},
        **{f"analysis_{c}_refs_resolvable": known(missing[c] == 0) for c in ROUTING_CHANNELS},
        **{f"analysis_{c}_refs_verified": known(pl.col(f"{c}_unfit") == 0) for c in ("log", "event")},
        refs_total=known(pl.sum_horizontal([pl.col(f"{c}_refs").cast(pl.Int64) for c in ROUTING_CHANNELS])),
        refs_unresolved=known(pl.sum_horizontal([missing[c].cast(pl.Int64) for c in ROUTING_CHANNELS])),
    )
