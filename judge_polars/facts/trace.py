"""Trace facts: which cluster and which time window a run was about (specification 30, "Trace facts").

`read_identity` looks at one report and manifest while they are parsed; the rest is columns.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import NamedTuple

import polars as pl

from judge_polars.printable import beginning
from judge_polars.rulebook import RuleBook
from judge_polars.tables import TIMESTAMP
from judge_polars.times import parse_time

_PAIRS = (("start", "end"), ("start_time", "end_time"))


class Identity(NamedTuple):
    """What a bundle says it is about; `issues` are (source, code, detail), source being `report` or `manifest`."""

    cluster_id: str | None
    cluster_source: str | None
    window_start: datetime | None
    window_end: datetime | None
    window_source: str | None
    issues: tuple[tuple[str, str, str], ...]


def read_identity(report: Mapping[str, object], manifest: Mapping[str, object]) -> Identity:
    """Cluster id and time window of a bundle: the report's, else the manifest's."""
    issues: list[tuple[str, str, str]] = []
    cluster_id, cluster_source = _cluster(report, manifest, issues)
    start, end, window_source = _window(report, manifest, issues)
    return Identity(cluster_id, cluster_source, start, end, window_source, tuple(issues))


def _cluster(
    report: Mapping[str, object], manifest: Mapping[str, object], issues: list[tuple[str, str, str]]
) -> tuple[str | None, str | None]:
    """The first scalar that is neither null nor a blank text; an inexact number ends the search."""
    for source, document in (("report", report), ("manifest", manifest)):
        metadata = document.get("metadata")
        for holder in (metadata, document):
            value = holder.get("cluster_id") if isinstance(holder, Mapping) else None
            if isinstance(value, str) and value.strip():
                return value.strip(), source
            if isinstance(value, bool):
                return str(value).lower(), source
            if isinstance(value, int):
                return str(value), source
            if isinstance(value, float):
                issues.append((source, "cluster_id_inexact", f"cluster_id is the number {value!r}: write it as text"))
                return None, None
    return None, None


def _window(
    report: Mapping[str, object], manifest: Mapping[str, object], issues: list[tuple[str, str, str]]
) -> tuple[datetime | None, datetime | None, str | None]:
    """The report's window if both ends are there and parse, else the manifest's."""
    for source, document in (("report", report), ("manifest", manifest)):
        ends = next(_ends(document), None)
        if ends is None:
            continue
        times = [_time(end, source, issues) for end in ends]
        if times[0] is not None and times[1] is not None:
            return times[0], times[1], source
    return None, None, None


def _ends(document: Mapping[str, object]) -> Iterator[tuple[object, object]]:
    """Both ends wherever a document may hold them, in order; in `$.metadata` and `$` only `start_time`/`end_time`."""
    metadata = document.get("metadata")
    within = metadata.get("time_window") if isinstance(metadata, Mapping) else None
    places = ((within, _PAIRS), (document.get("time_window"), _PAIRS), (metadata, _PAIRS[1:]), (document, _PAIRS[1:]))
    for holder, pairs in places:
        if isinstance(holder, Mapping):
            for first, last in pairs:
                if holder.get(first) is not None and holder.get(last) is not None:
                    yield holder[first], holder[last]


def _time(value: object, source: str, issues: list[tuple[str, str, str]]) -> datetime | None:
    parsed = parse_time(value)
    told = beginning(str(value)) if parsed is None or not parsed[1] else ""
    if parsed is None:
        issues.append((source, "timestamp_invalid", f"{told!r} is no time: write RFC 3339 with an offset"))
        return None
    if not parsed[1]:
        issues.append((source, "timestamp_without_offset", f"{told!r} has no offset and was read as UTC"))
    return parsed[0]


def cases_frame(book: RuleBook) -> pl.DataFrame:
    """`case` (row number), `case_id`, `cluster_id`, `window_start`, `window_end` of each compiled case."""
    return pl.DataFrame(
        [
            (index, case.id, case.cluster_id, case.window.start, case.window.end)
            for index, case in enumerate(book.cases)
        ],
        schema={
            "case": pl.UInt32,
            "case_id": pl.String,
            "expected_cluster": pl.String,
            "window_start": TIMESTAMP,
            "window_end": TIMESTAMP,
        },
        orient="row",
    )


def allowed_windows(book: RuleBook) -> pl.DataFrame:
    """`case`, `start`, `end`, `match`, `tolerance` of every allowed window."""
    rows = [
        (index, window.start, window.end, window.match, window.tolerance_us)
        for index, case in enumerate(book.cases)
        for window in case.allowed
    ]
    schema: dict[str, pl.DataType] = {
        "case": pl.UInt32(),
        "start": TIMESTAMP,
        "end": TIMESTAMP,
        "match": pl.String(),
        "tolerance": pl.Int64(),
    }
    return pl.DataFrame(rows, schema=schema, orient="row").with_columns(
        pl.duration(microseconds=pl.col("tolerance"), time_unit="us").alias("tolerance")
    )


def matches_window(start: pl.Expr, end: pl.Expr) -> pl.Expr:
    """Whether a run's window [s, e] matches the allowed one of the same row (specification 10); s > e never does."""
    allowed_start, allowed_end, tolerance = pl.col("start"), pl.col("end"), pl.col("tolerance")
    within = (start >= allowed_start - tolerance) & (end <= allowed_end + tolerance)
    exact = ((start - allowed_start).abs() <= tolerance) & ((end - allowed_end).abs() <= tolerance)
    overlap = (start <= allowed_end + tolerance) & (end >= allowed_start - tolerance)
    matched = (
        pl.when(pl.col("match") == "exact")
        .then(exact)
        .when(pl.col("match") == "overlap")
        .then(overlap)
        .otherwise(within)
    )
    return matched & (start <= end)


def match_bundles(bundles: pl.DataFrame, cases: pl.DataFrame, windows: pl.DataFrame) -> pl.DataFrame:
    """`bundle`, `cluster_matched`, `window_matched` (never null) of bundles that carry `case`."""
    by_window = (
        bundles.join(windows, on="case", how="inner")
        .filter(matches_window(pl.col("window_start"), pl.col("window_end")).fill_null(value=False))
        .select("bundle")
        .unique()
        .with_columns(window_matched=pl.lit(value=True))
    )
    return (
        bundles.join(cases.select("case", "expected_cluster"), on="case", how="left", maintain_order="left")
        .join(by_window, on="bundle", how="left", maintain_order="left")
        .select(
            "bundle",
            cluster_matched=(pl.col("cluster_id") == pl.col("expected_cluster")).fill_null(value=False),
            window_matched=pl.col("window_matched").fill_null(value=False),
        )
    )
