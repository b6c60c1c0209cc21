"""Flips of verdicts for a terminal."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from judge_polars.cli.rows_table import plain_table
from judge_polars.printable import printable
from judge_polars.report.flips import (
    COLUMNS,
    Flips,
    Row,
    baseline_line,
    causes,
    check_line,
    rule_lines,
    summary_line,
    verdict_words,
)
from judge_polars.report.formats import SYMBOLS
from judge_polars.vocabulary import VERDICTS

MOST_SHOWN: Final = 50
MOST_RUNS: Final = 5
OF_ONE_RUN: Final = ("case_run_id", "eval_run_id", "trial")
_STYLES: Final = {"pass": "green", "fail": "red", "invalid": "dim"}


def flips_table(flips: Flips) -> RenderableType:
    """From → to counts, each flip with the checks and rules that caused it, baselines that flip, the gate."""
    parts: list[RenderableType] = [Text(summary_line(flips), style="bold"), Text()]
    parts += [_counts(flips), Text()]
    groups = list(_alike(flips))
    for rows in groups[:MOST_SHOWN]:
        parts += _flip(rows, flips)
    if len(groups) > MOST_SHOWN:
        rest = sum(map(len, groups[MOST_SHOWN:]))
        parts.append(Text(f"… and {rest:,} more case runs: --format jsonl gives all"))
    if not flips.baselines.is_empty():
        parts += [Text("Active baselines that flip", style="bold")]
        parts += [
            Padding(Text(printable(baseline_line(row))), (0, 0, 0, 2)) for row in flips.baselines.iter_rows(named=True)
        ]
        parts.append(Text())
    return Group(*parts, Text(flips.gate))


def _counts(flips: Flips) -> RenderableType:
    counts = {(row["before"], row["after"]): row["case_runs"] for row in flips.counts.iter_rows(named=True)}
    table = plain_table("before \\ after", *VERDICTS, "", right=VERDICTS)
    for before in (*VERDICTS, None):
        numbers = [counts.get((before, after), 0) for after in VERDICTS]
        if any(numbers):
            name = "(none)" if before is None else f"{SYMBOLS[before]} {before}"
            table.add_row(name, *(f"{number:,}" if number else "·" for number in numbers), "")
    return table


def _alike(flips: Flips) -> Iterator[list[Row]]:
    """Case runs of a case that flip alike, by the same checks and rules; in order of the first of each."""
    groups: dict[str, list[Row]] = {}
    for row in flips.rows.iter_rows(named=True):
        told = [row[name] for name in COLUMNS if name not in OF_ONE_RUN]
        groups.setdefault(repr(told), []).append(row)
    yield from groups.values()


def _flip(rows: list[Row], flips: Flips) -> Iterator[RenderableType]:
    row = rows[0]
    before, after = row["from_verdict"], row["to_verdict"]
    yield Text.assemble(
        (verdict_words(row, "from"), _STYLES[before]), " → ", (verdict_words(row, "to"), _STYLES[after])
    )
    for one in rows[:MOST_RUNS]:
        yield Padding(Text(printable(one["case_run_id"]), style="bold"), (0, 0, 0, 2))
        for line in flips.excerpts.get(one["case_run_id"], ()):
            yield Padding(Text(line, style="dim"), (0, 0, 0, 6))
    if len(rows) > MOST_RUNS:
        yield Padding(
            Text(f"… and {len(rows) - MOST_RUNS:,} more case runs of this case alike", style="dim"), (0, 0, 0, 2)
        )
    told = ", ".join(causes(row))
    if told:
        yield Padding(Text(told, style="dim"), (0, 0, 0, 2))
    for check in row["changed_checks"]:
        yield Padding(Text(printable(check_line(check))), (0, 0, 0, 4))
        for line in rule_lines(check):
            yield Padding(Text(line, style="cyan"), (0, 0, 0, 8))
    yield Text()
