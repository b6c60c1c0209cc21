"""What probing found, for a terminal: a block per case, runs of the same outcome in one row, then what it comes to."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from judge_polars.cli.rows_table import plain_table
from judge_polars.printable import printable
from judge_polars.probe.outcomes import (
    CONTROL,
    GOOD,
    NO_EFFECT,
    SPOILT,
    STATE_MEANINGS,
    STATES,
    UNKNOWN,
    UNNOTICED,
    WRONG,
    Outcome,
)
from judge_polars.probe.probing import Report

WIDE: Final = 132
MOST_CHECKS: Final = 3
SYMBOLS: Final = {
    GOOD: ("✓", "green"),
    WRONG: ("✗", "red"),
    UNNOTICED: ("!", "yellow"),
    NO_EFFECT: ("–", "dim"),
    UNKNOWN: ("?", "yellow"),
}
_TITLES: Final = {CONTROL: "must pass", "answer": "must not pass", SPOILT: "spoilt: some check ought to notice"}


def probe_view(report: Report, width: int, *, whole: bool = False) -> RenderableType:
    """The report as blocks; `whole` names every check that noticed."""
    cases: defaultdict[str, list[Outcome]] = defaultdict(list)
    for outcome in report.outcomes:
        cases[outcome.case_id].append(outcome)
    parts: list[RenderableType] = []
    for case, outcomes in cases.items():
        parts += [Text(printable(case), style="bold"), *_case_blocks(outcomes, width, whole=whole), Text()]
    return Group(*parts, *_summary(report, len(cases)))


def _case_blocks(outcomes: Sequence[Outcome], width: int, *, whole: bool) -> list[RenderableType]:
    """A table for each group of probes."""
    parts: list[RenderableType] = []
    for group, title in _TITLES.items():
        alike: dict[tuple[str, str], list[Outcome]] = {}
        for outcome in outcomes:
            if outcome.group == group:
                alike.setdefault((outcome.probe, outcome.state), []).append(outcome)
        if alike:
            block = _table if width >= WIDE else _lines
            parts += [Text(f"  {title}", style="dim"), Padding(block(list(alike.values()), whole), (0, 0, 0, 2))]
    return parts


def _table(rows: Sequence[Sequence[Outcome]], whole: bool) -> RenderableType:
    table = plain_table("", "probe", "expected", "got", "noticed by")
    for same in rows:
        symbol, style = SYMBOLS[same[0].state]
        cells = (Text(_probe(same)), Text(same[0].expected), Text(_got(same)), _why(same, whole))
        table.add_row(Text(symbol, style=style), *cells)
    return table


def _lines(rows: Sequence[Sequence[Outcome]], whole: bool) -> RenderableType:
    """Two lines for each row, where a table has no room."""
    lines: list[RenderableType] = []
    for same in rows:
        symbol, style = SYMBOLS[same[0].state]
        lines.append(Text.assemble((symbol, style), f" {_probe(same)}"))
        told = Text(f"expected {same[0].expected}, got {_got(same)}", style="dim")
        why = _why(same, whole)
        lines.append(Padding(Text(" · ").join([told, why]) if why.plain else told, (0, 0, 0, 4)))
    return Group(*lines)


def _probe(same: Sequence[Outcome]) -> str:
    of_runs = f" ({len(same)} runs)" if len(same) > 1 else ""
    return printable(same[0].probe) + of_runs


def _got(same: Sequence[Outcome]) -> str:
    """What was got, the most frequent first, with how often where it differs."""
    counts = Counter(outcome.got for outcome in same).most_common()
    return counts[0][0] if len(counts) == 1 else ", ".join(f"{count}× {got}" for got, count in counts)


def _why(same: Sequence[Outcome], whole: bool) -> Text:
    """What it means, and the checks that noticed, those that did so most often first."""
    counts = Counter(check for outcome in same for check in outcome.noticed_by)
    checks = [check for check, _ in counts.most_common()]
    is_wrong = same[0].state == WRONG
    left = 0 if whole or is_wrong else max(0, len(checks) - MOST_CHECKS)
    shown = ", ".join(checks[: len(checks) - left]) + (f" and {left} more" if left else "")
    told = ": ".join(part for part in (same[0].detail, shown) if part)
    return Text(printable(told), style="bold" if is_wrong else "")


def _summary(report: Report, cases: int) -> list[RenderableType]:
    """How many probes came to what, and what that means."""
    counts = Counter(outcome.state for outcome in report.outcomes)
    lines: list[RenderableType] = [
        Text(f"Result: {_counted(cases, 'case')}, {_counted(report.made_up, 'made-up run')}", style="bold")
    ]
    for state in STATES:
        if counts[state]:
            symbol, style = SYMBOLS[state]
            told: list[Any] = [
                (symbol, style),
                f" {counts[state]:>4} {state.replace('_', ' ')}: ",
                STATE_MEANINGS[state],
            ]
            lines.append(Padding(Text.assemble(*told), (0, 0, 0, 2)))
    end = (
        "nothing is wrong with the rubrics"
        if report.is_sound
        else f"{counts[WRONG]} wrong: mend the rubric (exit code 1)"
    )
    return [*lines, Text(end, style="bold")]


def _counted(count: int, what: str) -> str:
    return f"{count:,} {what}{'' if count == 1 else 's'}"
