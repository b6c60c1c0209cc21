"""Frames as tables for reading in a notebook: no quotes, no types, numbers short, texts from runs harmless."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from html import escape
from typing import Final

import polars as pl

from judge_polars.masking import mask
from judge_polars.printable import excerpt

MOST_ROWS: Final = 40
TEXT_LENGTH: Final = 240
NOTHING: Final = "–"
_STYLE: Final = "text-align:left;vertical-align:top;max-width:36em;overflow-wrap:break-word"
_NUMBER_STYLE: Final = "text-align:right;vertical-align:top"


class Shown:
    """A frame as a notebook shows it; as text it is the frame."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def __repr__(self) -> str:
        return repr(self.frame)

    def _repr_html_(self) -> str:
        columns = self.frame.columns
        styles = [_NUMBER_STYLE if dtype.is_numeric() else _STYLE for dtype in self.frame.dtypes]
        head = _row("th", [escape(name.replace("_", " ")) for name in columns], styles)
        rows = [_row("td", [escape(cell(value)) for value in row], styles) for row in self.frame.head(MOST_ROWS).rows()]
        left_out = self.frame.height - len(rows)
        below = f"<p>… and {left_out:,} more rows</p>" if left_out > 0 else "" if rows else "<p>no rows</p>"
        return f'<table style="table-layout:auto"><thead>{head}</thead><tbody>{"".join(rows)}</tbody></table>{below}'


def table(frame: pl.DataFrame) -> Shown:
    """The first rows of a frame as a table for reading, and how many more there are."""
    return Shown(frame)


def cell(value: object) -> str:
    """A value as the text of a cell, in one line."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}" if abs(value) >= 1000 else f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, datetime):
        return f"{value:%Y-%m-%d %H:%M:%S}"
    if isinstance(value, list):
        return ", ".join(cell(item) for item in value) or NOTHING
    return excerpt(mask(str(value)).text, length=TEXT_LENGTH)


def _row(element: str, cells: Sequence[str], styles: Sequence[str]) -> str:
    inner = (f'<{element} style="{style}">{text}</{element}>' for text, style in zip(cells, styles, strict=True))
    return f"<tr>{''.join(inner)}</tr>"
