"""The records of an exported eval run, rebuilt from the tables (specification 10 and 20)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Any, Final, cast

import orjson
import polars as pl

from judge_polars.baselines.source import Row
from judge_polars.report.records import case_run_records, timestamp_text
from judge_polars.sources import Rows

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment

AUDIT: Final = "audit"
OUTPUT: Final = "output.md"
_TOLD_BY_A_RECORD: Final = ("recorded_case_version", "status", "stop_reason", "started_at", "finished_at", "tool_calls")
_USAGE: Final = ("input_tokens", "output_tokens", "cost_usd", "tool_calls")


def eval_run_record(row: Row) -> bytes:
    """`eval_run.json` from a row of `eval_runs`; what is unknown is left out."""
    members = ("suite_id", "suite_version", "execution_mode", "started_at", "finished_at")
    return _json({"schema_version": 1, "eval_run_id": row["eval_run_id"], **_known(row, members), **_agent(row)})


def case_run_record(row: Row) -> bytes | None:
    """`case_run.json` from a row of `case_runs`, its paths those of the export; None where the case run had no record."""
    if all(row[name] is None for name in _TOLD_BY_A_RECORD):
        return None
    usage = _known(row, _USAGE)
    return _json(
        {
            "schema_version": 1,
            **_known(row, ("eval_run_id", "case_id")),
            **({} if row["recorded_case_version"] is None else {"case_version": row["recorded_case_version"]}),
            **_known(row, ("trial", "workspace_id")),
            "audit_dir": AUDIT,
            "output_file": OUTPUT,
            **_known(row, ("status", "stop_reason")),
            **({"usage": usage} if usage else {}),
            **_known(row, ("started_at", "finished_at")),
            **_agent(row),
        }
    )


def _known(row: Row, names: Sequence[str]) -> Row:
    return {
        name: timestamp_text(value) if isinstance(value, datetime) else value
        for name in names
        if (value := row[name]) is not None
    }


def _agent(row: Row) -> dict[str, Any]:
    agent = {name: row[f"agent_{name}"] for name in ("name", "version", "model") if row[f"agent_{name}"] is not None}
    return {"agent": agent} if agent else {}


def _json(record: dict[str, Any]) -> bytes:
    return orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n"


@dataclass(frozen=True)
class _Judged:
    """Those frames of a judgment that the record of a case run is made of."""

    verdicts: pl.DataFrame
    buckets: pl.DataFrame
    checks: pl.DataFrame


def judgment_records(source: Rows, case_run_ids: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """(case run id, `judgment.json`): the line of `judge --format jsonl`, by the latest judgment of each case run."""
    marks = ", ".join("?" * len(case_run_ids))
    ids = list(case_run_ids)
    verdicts = source.sql(f"select * from verdicts where case_run_id in ({marks}) order by case_run_id", ids)
    latest = f"""
        select * from {{view}}
        where case_run_id in ({marks}) and (case_run_id, judgment_id) in (
            select (case_run_id, judgment_id) from verdicts where case_run_id in ({marks})
        )
        order by case_run_id, position
    """
    judged = _Judged(
        verdicts=verdicts,
        buckets=source.sql(latest.format(view="bucket_statuses"), [*ids, *ids]),
        checks=source.sql(latest.format(view="check_results"), [*ids, *ids]),
    )
    for record in case_run_records(cast("Judgment", judged), verdicts):
        yield record["case_run_id"], orjson.dumps(record) + b"\n"
