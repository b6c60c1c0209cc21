"""The table of precedence (specification 50) as those read it who tell why a verdict came out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from judge_polars.sources import Rows

_ROWS = "select code, precedence, bucket, statuses, verdict, meaning from verdict_precedence"


def precedence_by_code(source: Rows) -> Mapping[str, Mapping[str, Any]]:
    """The rows of `verdict_precedence` by primary failure code."""
    return {row["code"]: row for row in source.sql(_ROWS).iter_rows(named=True)}


def deciding_words(row: Mapping[str, Any]) -> str:
    """The row of `verdict_precedence` that decided, in words."""
    when = (
        ""
        if row["bucket"] in (None, "all_buckets")
        else f"{row['bucket'].replace('_', ' ')} is {' or '.join(row['statuses'])}: "
    )
    first = f"row {row['precedence']} of precedence, the first that fits"
    return f"{first}: {when}{row['meaning']}, so the verdict is {row['verdict']}"
