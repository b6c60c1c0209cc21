"""The record of a case run: the object of `judge --format jsonl` (specification 70, "Command line")."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import polars as pl

from judge_polars.masking import mask

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment

Record = dict[str, Any]

_VERDICT = (
    "case_run_id",
    "eval_run_id",
    "case_id",
    "trial",
    "case_version",
    "verdict",
    "cause",
    "primary_failure_code",
    "failure_codes",
    "score",
    "max_score",
    "score_pct",
)


def case_run_records(
    judgment: Judgment, verdicts: pl.DataFrame | None = None, *, facts: bool = False, issues: bool = False
) -> Iterator[Record]:
    """One record per row of `verdicts` (default: all), in its order; `facts` and `issues` on request, without secrets."""
    chosen = judgment.verdicts if verdicts is None else verdicts
    ids = chosen.select("case_run_id")
    buckets = _grouped(judgment.buckets.filter(pl.col("status").is_not_null()), ids, _bucket)
    checks = _grouped(judgment.checks, ids, _check)
    known = _grouped(judgment.facts, ids, _fact) if facts else {}
    met = _grouped(judgment.issues, ids, _issue) if issues else {}
    for row in chosen.select(_VERDICT).iter_rows(named=True):
        key = row["case_run_id"]
        record: Record = {**row, "buckets": dict(buckets.get(key, ())), "checks": checks.get(key, [])}
        if facts:
            record["facts"] = dict(known.get(key, ()))
        if issues:
            record["issues"] = met.get(key, [])
        yield record


def _grouped(frame: pl.DataFrame, ids: pl.DataFrame, make: Any) -> dict[str, list[Any]]:
    """What `make` gives for each row of the case runs in `ids`, by case run, in the frame's order."""
    grouped: dict[str, list[Any]] = {}
    for row in frame.join(ids, on="case_run_id", how="semi", maintain_order="left").iter_rows(named=True):
        grouped.setdefault(row["case_run_id"], []).append(make(row))
    return grouped


def _bucket(row: Record) -> tuple[str, Record]:
    return row["bucket"], {key: row[key] for key in ("status", "configured", "score", "max_score")}


def _check(row: Record) -> Record:
    values = {key: row[key] for key in ("bucket", "layer", "required", "weight", "passed", "reason")}
    return {"bucket": values.pop("bucket"), "layer": values.pop("layer"), "id": row["check_id"], **values}


def _fact(row: Record) -> tuple[str, object]:
    value = row[row["type"]]
    if isinstance(value, str):
        return row["fact"], without_secrets(value)
    return row["fact"], timestamp_text(value) if isinstance(value, datetime) else value


def _issue(row: Record) -> Record:
    return {
        "code": row["code"],
        "document": row["document"],
        "detail": row["detail"] and without_secrets(row["detail"]),
    }


@lru_cache(maxsize=8192)
def without_secrets(text: str) -> str:
    """A text that a run has given, masked; most of them are the same in many case runs."""
    return mask(text).text


def timestamp_text(value: datetime) -> str:
    """RFC 3339 with `Z`, and six fractional digits only when they are not all zero."""
    plain = value.astimezone(UTC).replace(tzinfo=None)
    return plain.isoformat(timespec="microseconds" if plain.microsecond else "seconds") + "Z"
