"""What a run in GitHub Actions shows: annotations as workflow commands, and a job summary in Markdown (specification 70)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from judge_polars.baselines.words import change_words, evidence_words, measure_words, verdict_words
from judge_polars.printable import markdown_cell
from judge_polars.report.formats import SYMBOLS
from judge_polars.report.outcomes import Outcomes, Row
from judge_polars.report.summary import WORSE
from judge_polars.report.words import count_words
from judge_polars.report.workflow_commands import command_data, command_property

ANNOTATIONS: Final = 10
"""GitHub shows no more of one step."""
SUMMARY_BYTES: Final = 900_000
LONGEST: Final = 1_000
"""Characters of a cell or an annotation."""


def as_annotations(told: Outcomes) -> bytes:
    """At most `ANNOTATIONS` lines: cases that got worse, then case runs that fail, then those that are invalid."""
    every = [*_regressions(told), *_of_verdict(told, "fail", "error"), *_of_verdict(told, "invalid", "warning")]
    lines = every[:ANNOTATIONS]
    if len(every) > ANNOTATIONS:
        lines[-1] = _command("warning", "more", f"{len(every) - ANNOTATIONS + 1:,} more: see the summary of the job")
    return "".join(f"{line}\n" for line in lines).encode()


def _regressions(told: Outcomes) -> Iterator[str]:
    for row in told.changes:
        if row["change"] in WORSE:
            words = f"{row['case_id']} in {row['eval_run_id']}: {verdict_words(row)}"
            noise = evidence_words(row)
            yield _command("error", change_words(row["change"]), words + (f"; {noise}" if noise else ""))


def _of_verdict(told: Outcomes, verdict: str, severity: str) -> Iterator[str]:
    for row in told.case_runs:
        if row["verdict"] == verdict:
            yield _command(severity, row["primary_failure_code"], f"{row['case_run_id']} {verdict}: {row['why']}")


def _command(severity: str, title: str, message: str) -> str:
    return f"::{severity} title={command_property(title)}::{command_data(message[:LONGEST])}"


def as_summary(told: Outcomes, most: int = SUMMARY_BYTES) -> bytes:
    """Gate, counts, cases that changed, then case runs that are no pass; in whole lines of at most so many bytes."""
    lines = list(_summary(told))
    left = most - 200  # for the line that says what is left out
    kept: list[bytes] = []
    for number, line in enumerate(lines):
        encoded = f"{line}\n".encode()
        if len(encoded) > left:
            more = f"\n{len(lines) - number:,} more lines are left out: a summary holds at most {most:,} bytes.\n"
            return b"".join(kept) + more.encode()
        kept.append(encoded)
        left -= len(encoded)
    return b"".join(kept)


def _summary(told: Outcomes) -> Iterator[str]:
    ids = [run.eval_run_id for run in told.eval_runs]
    named = ids[0] if len(ids) == 1 else f"{len(ids):,} eval runs"
    mark = SYMBOLS["fail" if told.gate.met else "pass"]
    yield from (f"## {mark} judge-polars: {markdown_cell(named)}", "", f"**{markdown_cell(told.gate.line)}**", "")
    lacking = f"; {told.not_run:,} planned case runs are not there" if told.not_run else ""
    yield from (f"{count_words(told.counts)}{lacking}.", "")
    yield from _table(
        "Regressions and other changes",
        ("change", "case", "eval run", "verdict", "measures", "evidence"),
        [
            (
                change_words(row["change"]),
                row["case_id"],
                row["eval_run_id"],
                verdict_words(row),
                measure_words(row),
                evidence_words(row),
            )
            for row in told.changes
        ],
    )
    order = ("fail", "invalid")
    failing = sorted(
        (row for row in told.case_runs if row["verdict"] in order), key=lambda row: order.index(row["verdict"])
    )
    yield from _table(
        "Case runs that are no pass", ("case run", "verdict", "code", "why"), [_cells(row) for row in failing]
    )


def _cells(row: Row) -> tuple[str, ...]:
    verdict = f"{SYMBOLS[row['verdict']]} {row['verdict']}"
    return row["case_run_id"], verdict, row["primary_failure_code"], row["why"]


def _table(heading: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """A heading and a table; nothing without rows."""
    if not rows:
        return
    yield from (f"### {heading} ({len(rows):,})", "")
    yield "| " + " | ".join(columns) + " |"
    yield "| " + " | ".join("---" for _ in columns) + " |"
    for row in rows:
        yield "| " + " | ".join(markdown_cell(cell[:LONGEST]) for cell in row) + " |"
    yield ""
