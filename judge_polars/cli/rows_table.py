"""Rows and records for a terminal: tables without lines, aligned by the width of characters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from rich.cells import cell_len
from rich.console import Group, JustifyMethod, RenderableType
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from judge_polars.cli.console import rendered
from judge_polars.printable import printable
from judge_polars.report.rows import cell_text, rows_as

LEAST_LAST_COLUMN: Final = 24
LONGEST_WORD: Final = 48
"""Columns that the last column of a table needs: so many, more for a word (no path) that is longer, up to the second."""
_RIGHT: Final = (
    "version",
    "cases",
    "trials",
    "checks",
    "case_runs",
    "weight",
    "need",
    "rules",
    "count",
    "pass",
    "fail",
    "invalid",
)

Row = Mapping[str, Any]


def plain_table(
    *columns: str, right: tuple[str, ...] = (), least: Mapping[str, int] | None = None, header: bool = True
) -> Table:
    """A table without lines: the last column takes what is left and wraps, unless it is one of `right`.

    `least` says how wide the others are at least.
    """
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim", show_header=header)
    for column in columns[:-1]:
        justify: JustifyMethod = "right" if column in right else "left"
        table.add_column(column, justify=justify, no_wrap=True, min_width=(least or {}).get(column))
    if columns[-1] in right:
        table.add_column(columns[-1], justify="right", no_wrap=True)
    else:
        table.add_column(columns[-1], overflow="fold", ratio=1)
    return table


def rows_view(rows: Sequence[Row], output_format: str, width: int, *, colored: bool, keyed: bool = True) -> bytes:
    """Rows in a format, or as a table (`rows_table`)."""
    if output_format != "table":
        return rows_as(output_format, rows, list(rows[0]))
    return rendered(rows_table(rows, width, keyed=keyed), width=width, colored=colored)


def rows_table(rows: Sequence[Row], width: int, *, keyed: bool = True) -> RenderableType:
    """Rows as a table whose last column wraps; where the others leave it no room, as blocks of two lines.

    `keyed`: what is the same in the first column as in the row above is left out.
    """
    columns = list(rows[0])
    cells = [[printable(cell_text(row[name])) for name in columns] for row in rows]
    names = [name.replace("_", " ") for name in columns]
    fixed = sum(
        max(map(cell_len, column)) + 2 for column in zip(names[:-1], *(line[:-1] for line in cells), strict=True)
    )
    if fixed + _least_last([line[-1] for line in cells]) > width:
        return Group(*(part for group in _grouped(rows, columns[0]) for part in _block(group, width)))
    numbers = [name for name in columns if name in _RIGHT or _is_numeric(row[name] for row in rows)]
    table = plain_table(*names, right=tuple(name.replace("_", " ") for name in numbers))
    before = None
    for line in cells:
        repeated = keyed and line[0] == before
        before = line[0]
        table.add_row(*map(Text, ["" if repeated else line[0], *line[1:]]))
    return table


def _least_last(cells: Sequence[str]) -> int:
    """Columns that the last column needs."""
    word = max((cell_len(word) for cell in cells for word in cell.replace("/", " ").split()), default=0)
    return min(max(map(cell_len, cells)), max(LEAST_LAST_COLUMN, min(word, LONGEST_WORD)))


def _is_numeric(values: Iterable[Any]) -> bool:
    """Whether a column holds numbers, and nothing else but nulls."""
    kinds = {type(value) for value in values if value is not None}
    return bool(kinds) and kinds <= {int, float}


def _grouped(rows: Sequence[Row], column: str) -> list[Sequence[Row]]:
    """Rows with the same value in a column, in order."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(str(row[column]), []).append(row)
    return list(groups.values())


def _block(rows: Sequence[Row], width: int) -> tuple[RenderableType, RenderableType]:
    """What rows have in common as a heading; below it the rest of one row in a line, of several as a table."""
    first, *others = rows[0]
    heading = Text(printable(cell_text(rows[0][first])), style="bold", overflow="fold")
    if len(rows) > 1:
        rest = [{name: row[name] for name in others} for row in rows]
        return heading, Padding(rows_table(rest, width - 2, keyed=False), (0, 0, 0, 2))
    told = [f"{name.replace('_', ' ')} {printable(cell)}" for name in others if (cell := cell_text(rows[0][name]))]
    return heading, Padding(Text(" · ".join(told)), (0, 0, 0, 2))
