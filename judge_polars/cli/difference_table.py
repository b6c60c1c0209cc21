"""`diff` and `baseline diff` for a terminal: what changed, case by case, what needs a look first (specification 70)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from judge_polars.baselines import Difference
from judge_polars.baselines.words import (
    change_words,
    evidence_words,
    heading_words,
    measure_words,
    suite_lines,
    verdict_words,
)
from judge_polars.cli.rows_table import plain_table
from judge_polars.printable import printable

MOST_CASES: Final = 200
STYLES: Final = {
    "regressed": "red",
    "missing": "red",
    "dropped": "red",
    "score_dropped": "yellow",
    "incomparable": "yellow",
    "improved": "green",
    "score_raised": "green",
}
Row = dict[str, Any]


def difference_table(difference: Difference, gate_line: str) -> RenderableType:
    """The whole of a difference."""
    return Group(
        Text(printable(heading_words(difference)), style="bold", overflow="fold"),
        counts_line(difference.changes),
        Text(),
        *case_blocks(difference.cases),
        Text("Suite", style="bold"),
        Padding(_suite(difference), (0, 0, 0, 2)),
        Text(gate_line, style="bold"),
    )


def counts_line(changes: Any) -> Text:
    """`  ▼ regressed 2, ? missing 1`."""
    line = Text("  ")
    parts = [Text(f"{change_words(change)} {count}", style=STYLES.get(change, "")) for change, count in changes.items()]
    return line + (Text(", ").join(parts) if parts else Text("no case", style="dim"))


def case_blocks(cases: Sequence[Row]) -> Iterator[RenderableType]:
    """Each case that changed, its lines below it, and a blank line at the end."""
    changed = [row for row in cases if row["change"] != "unchanged"]
    for row in changed[:MOST_CASES]:
        heading = Text(change_words(row["change"]), style=STYLES.get(row["change"], ""))
        yield Padding(Text("  ").join([heading, Text(printable(row["case_id"]), overflow="fold")]), (0, 0, 0, 2))
        told = [Text(verdict_words(row), overflow="fold"), Text(measure_words(row), style="dim", overflow="fold")]
        evidence = evidence_words(row)
        told += [Text(evidence, style="dim", overflow="fold")] if evidence else []
        yield Padding(Group(*told), (0, 0, 0, 6))
    if len(changed) > MOST_CASES:
        yield Padding(Text(f"… {len(changed) - MOST_CASES:,} more; --format csv or jsonl has them all"), (0, 0, 0, 2))
    if changed:
        yield Text()


def _suite(difference: Difference) -> RenderableType:
    table = plain_table("what", "words", header=False)
    for what, words in suite_lines(difference):
        table.add_row(Text(what, style="dim"), Text(printable(words)))
    return table
