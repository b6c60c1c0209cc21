"""Flips of verdicts as rows and words: what became of a case run's verdict, and by which check and rule."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import polars as pl

from judge_polars.printable import markdown_cell, printable
from judge_polars.report.formats import SYMBOLS
from judge_polars.report.rows import rows_as

Row = Mapping[str, Any]
COLUMNS: Final = (
    "case_run_id",
    "eval_run_id",
    "case_id",
    "trial",
    "from_verdict",
    "to_verdict",
    "from_primary_failure_code",
    "to_primary_failure_code",
    "rubric_changed",
    "bundle_changed",
    "engine_changed",
    "changed_checks",
)
BASELINE_COLUMNS: Final = (
    "suite_id",
    "eval_run_id",
    "case_id",
    "baseline_verdict",
    "verdict_before",
    "verdict_after",
)


@dataclass(frozen=True)
class Flips:
    """What a judging pass changed, or would change.

    Attributes:
        kept: whether the verdicts were kept; else it was a what-if.
        judged, compared: case runs that were judged, and how many of them had a verdict before.
        unknown: case run ids whose case the registry does not know.
        counts: `before`, `after`, `case_runs`.
        rows: of the view `verdict_flips`.
        baselines: cases of active baselines that flip (`BASELINE_COLUMNS`).
        excerpts: case run id -> lines that show what the changed checks found.
        gate: what the `--fail-on` rules gave, in words.
    """

    kept: bool
    judged: int
    compared: int
    unknown: tuple[str, ...]
    counts: pl.DataFrame
    rows: pl.DataFrame
    baselines: pl.DataFrame
    gate: str
    excerpts: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


def as_record(flips: Flips) -> dict[str, Any]:
    """Everything as one JSON object."""
    return {
        "what_if": not flips.kept,
        "judged": flips.judged,
        "compared": flips.compared,
        "unknown": list(flips.unknown),
        "counts": flips.counts.to_dicts(),
        "flips": [flip_record(row, flips.excerpts) for row in flips.rows.iter_rows(named=True)],
        "baseline_flips": flips.baselines.select(BASELINE_COLUMNS).to_dicts(),
        "gate": flips.gate,
    }


def flip_record(row: Row, excerpts: Mapping[str, tuple[str, ...]]) -> dict[str, Any]:
    """One flip as a JSON object."""
    told = {name: row[name] for name in COLUMNS}
    shown = excerpts.get(row["case_run_id"])
    return told if shown is None else {**told, "excerpts": list(shown)}


def flips_as(wanted: str, flips: Flips) -> bytes:
    """The flips as `json` (with everything around them), `jsonl`, `csv` or `markdown`."""
    import orjson

    if wanted == "json":
        return orjson.dumps(as_record(flips), option=orjson.OPT_INDENT_2) + b"\n"
    records = [flip_record(row, flips.excerpts) for row in flips.rows.iter_rows(named=True)]
    if wanted == "jsonl":
        return b"".join(orjson.dumps(record) + b"\n" for record in records)
    if wanted == "csv":
        flat = [
            {**record, "changed_checks": "; ".join(check_line(check) for check in record["changed_checks"])}
            for record in records
        ]
        return rows_as("csv", flat, COLUMNS)
    return _markdown(flips)


def _markdown(flips: Flips) -> bytes:
    lines = [f"{summary_line(flips)}", ""]
    if not flips.rows.is_empty():
        lines += ["| case run | before | after | why |", "| --- | --- | --- | --- |"]
    for row in flips.rows.iter_rows(named=True):
        cells = (
            row["case_run_id"],
            verdict_words(row, "from"),
            verdict_words(row, "to"),
            "; ".join(check_line(check) for check in row["changed_checks"]) or ", ".join(causes(row)),
        )
        lines.append("| " + " | ".join(markdown_cell(cell) for cell in cells) + " |")
    if not flips.baselines.is_empty():
        lines += ["", "Active baselines that flip:", ""]
        lines += [f"- {markdown_cell(baseline_line(row))}" for row in flips.baselines.iter_rows(named=True)]
    return ("\n".join([*lines, "", flips.gate]) + "\n").encode()


def summary_line(flips: Flips) -> str:
    """How many were judged, compared and flip."""
    verb = "flipped" if flips.kept else "would flip"
    count = flips.rows.height
    verdicts = flips.rows.filter(pl.col("from_verdict") != pl.col("to_verdict")).height
    other = count - verdicts
    words = f"{verdicts:,} verdict{'' if verdicts == 1 else 's'} {verb}"
    if other:
        words += f", {other:,} keep{'s' if other == 1 else ''} the verdict with another code"
    unknown = f"; {len(flips.unknown):,} not judged: the registry does not know their cases" if flips.unknown else ""
    new = flips.judged - flips.compared
    unjudged = f" ({new:,} of them had no verdict before)" if new else ""
    return f"{flips.judged:,} case runs judged{unjudged}: {words}{unknown}"


def verdict_words(row: Row, side: str) -> str:
    """`✗ fail (diagnosis_critical_gate_failed)`."""
    verdict, code = row[f"{side}_verdict"], row[f"{side}_primary_failure_code"]
    return f"{SYMBOLS[verdict]} {verdict}" + (f" ({code})" if code else "")


def causes(row: Row) -> Iterator[str]:
    """What changed between the two judgments, in words."""
    for name in ("rubric", "bundle", "engine"):
        if row[f"{name}_changed"]:
            yield f"the {name} changed"


def check_line(check: Row) -> str:
    """What became of a check: `diagnosis.hard mechanism: passed → failed (nothing matched)`."""
    words = {True: "passed", False: "failed", None: "not there"}
    place = check["bucket"] + (f".{check['layer']}" if check["layer"] else "")
    reason = f" ({check['reason_after'].replace('_', ' ')})" if check["reason_after"] else ""
    required = ""
    if (
        None not in (check["required_before"], check["required_after"])
        and check["required_before"] != check["required_after"]
    ):
        required = ", now required" if check["required_after"] else ", no longer required"
    before, after = words[check["passed_before"]], words[check["passed_after"]]
    became = f"{before} → {after}" if before != after else f"{after} as before"
    return f"{place} {check['check_id']}: {became}{required}{reason}"


def rule_lines(check: Row) -> Iterator[str]:
    """The rule that decided before and after, where it is another one."""
    before, after = check["deciding_rule_before"], check["deciding_rule_after"]
    if before == after:
        if after:
            yield f"rule    {printable(after)}"
        return
    if before:
        yield f"before  {printable(before)}"
    if after:
        yield f"after   {printable(after)}"


def baseline_line(row: Row) -> str:
    """`core-daily: case-a pass → fail over the trials of 2025-03-05-nightly (the baseline says pass)`."""
    before = row["verdict_before"] or row["baseline_verdict"]
    return (
        f"{row['suite_id']}: {row['case_id']} {before} → {row['verdict_after']} over the trials of {row['eval_run_id']} "
        f"(the baseline says {row['baseline_verdict']})"
    )
