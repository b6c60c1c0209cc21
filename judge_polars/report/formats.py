"""Verdicts as text in each output format but the `table` of terminals: `json`, `jsonl`, `csv`, `markdown`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

import orjson
import polars as pl

from judge_polars.errors import UsageError
from judge_polars.printable import csv_cell, markdown_cell
from judge_polars.report.reasons import deciding_reasons
from judge_polars.report.records import Record, case_run_records, timestamp_text
from judge_polars.report.summary import summarise
from judge_polars.report.veil import Veil
from judge_polars.vocabulary import BUCKETS

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment

SUFFIXES: Final = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".csv": "csv",
    ".md": "markdown",
    ".txt": "table",
}

CSV_COLUMNS: Final = (
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
    *BUCKETS,
    "agent_name",
    "agent_version",
    "agent_model",
)
SYMBOLS: Final = {"pass": "✓", "fail": "✗", "invalid": "○"}
"""A verdict is always a word and a symbol, never a colour alone (specification 70)."""


def as_jsonl(judgment: Judgment, verdicts: pl.DataFrame, *, facts: bool, issues: bool) -> bytes:
    """One JSON object a line per case run."""
    records = case_run_records(judgment, verdicts, facts=facts, issues=issues)
    return b"".join(orjson.dumps(record) + b"\n" for record in records)


def as_json(judgment: Judgment, verdicts: pl.DataFrame, *, facts: bool, issues: bool) -> bytes:
    """`{"judgment": …, "summary": …, "case_runs": […]}`."""
    judged: Record = judgment.frames["judgments"].row(0, named=True)
    whole = {
        "judgment": {
            **judged,
            "judged_at": timestamp_text(judged["judged_at"]),
            "pack_digests": json.loads(judged["pack_digests"]),
        },
        "summary": summarise(judgment, verdicts).as_record(),
        "case_runs": list(case_run_records(judgment, verdicts, facts=facts, issues=issues)),
    }
    return orjson.dumps(whole, option=orjson.OPT_INDENT_2) + b"\n"


def as_csv(judgment: Judgment, verdicts: pl.DataFrame, *, facts: bool, issues: bool) -> bytes:
    """One row per case run; failure codes joined by spaces; no secrets; no cell can start a spreadsheet formula."""
    del judgment, facts, issues
    cells = (
        Veil()
        .frame(verdicts)
        .select(
            csv_cell(_joined(name) if name == "failure_codes" else pl.col(name)).alias(name) for name in CSV_COLUMNS
        )
    )
    return cells.write_csv().encode()


def _joined(name: str) -> pl.Expr:
    """A list's texts with spaces between; null for an empty one."""
    return pl.when(pl.col(name).list.len() > 0).then(pl.col(name).list.join(" "))


def as_markdown(judgment: Judgment, verdicts: pl.DataFrame, *, facts: bool, issues: bool) -> bytes:
    """What it comes to, then a table per eval run: case, trial, verdict, score, why."""
    del facts, issues
    told = summarise(judgment, verdicts)
    counts = ", ".join(f"{SYMBOLS[verdict]} {count} {verdict}" for verdict, count in told.counts.items())
    planned = "" if told.planned is None else f" of {told.planned} planned"
    lines = [f"{told.judged}{planned} case runs judged: {counts}.", ""]
    why = deciding_reasons(judgment)
    for (eval_run_id,), rows in verdicts.group_by("eval_run_id", maintain_order=True):
        lines += [
            f"## {markdown_cell(str(eval_run_id))}",
            "",
            "| case | trial | verdict | score | why |",
            "| --- | ---: | --- | ---: | --- |",
        ]
        for row in rows.iter_rows(named=True):
            reason = ": ".join(part for part in (row["primary_failure_code"], why.get(row["case_run_id"])) if part)
            cells = (
                row["case_id"],
                row["trial"],
                f"{SYMBOLS[row['verdict']]} {row['verdict']}",
                score_text(row),
                reason,
            )
            lines.append("| " + " | ".join(markdown_cell(str(cell)) for cell in cells) + " |")
        lines.append("")
    return "\n".join(lines).encode()


def score_text(row: Record) -> str:
    """`61.5/80`, or `–` where there is no score."""
    if row["score"] is None:
        return "–"
    return f"{number_text(row['score'])}/{number_text(row['max_score'])}"


def number_text(number: float) -> str:
    """A number of points, with at most one digit behind the point."""
    return f"{number:.1f}".removesuffix(".0")


def format_of(path: Path) -> str:
    """The format that a file's suffix stands for.

    Raises:
        UsageError: it stands for none.
    """
    found = SUFFIXES.get(path.suffix.lower())
    if found is None:
        raise UsageError(f"-o {path}: the suffix says no format; use one of {', '.join(SUFFIXES)}")
    return found


WRITERS: Final[dict[str, Callable[..., bytes]]] = {
    "json": as_json,
    "jsonl": as_jsonl,
    "csv": as_csv,
    "markdown": as_markdown,
}
