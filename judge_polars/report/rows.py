"""Plain rows (of `list` and its like) as text in each output format but `table`."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import orjson

from judge_polars.printable import csv_text, markdown_cell
from judge_polars.report.records import timestamp_text

Row = Mapping[str, Any]


def rows_as(output_format: str, rows: Sequence[Row], columns: Sequence[str]) -> bytes:
    """Rows in a format: `json` one list, `jsonl` an object a line, `csv` with a header, `markdown` one table."""
    if output_format == "json":
        return orjson.dumps([_plain(row) for row in rows], option=orjson.OPT_INDENT_2) + b"\n"
    if output_format == "jsonl":
        return b"".join(orjson.dumps(_plain(row)) + b"\n" for row in rows)
    if output_format == "csv":
        lines = io.StringIO()
        writer = csv.writer(lines, lineterminator="\n")
        writer.writerow(map(csv_text, columns))
        writer.writerows([csv_text(cell_text(row[column])) for column in columns] for row in rows)
        return lines.getvalue().encode()
    table = [[markdown_cell(column) for column in columns], ["---"] * len(columns)]
    table += [[markdown_cell(cell_text(row[column])) for column in columns] for row in rows]
    return "".join(f"| {' | '.join(line)} |\n" for line in table).encode()


def cell_text(value: object) -> str:
    """One value as a cell: lists joined by spaces, yes and no, nothing for null."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, datetime):
        return timestamp_text(value)
    if isinstance(value, list | tuple):
        return " ".join(map(cell_text, value))
    return f"{value:g}" if isinstance(value, float) else str(value)


def _plain(row: Row) -> dict[str, Any]:
    return {key: _plain_value(value) for key, value in row.items()}


def _plain_value(value: Any) -> Any:
    if isinstance(value, datetime):
        return timestamp_text(value)
    if isinstance(value, Mapping):
        return _plain(value)
    return [_plain_value(item) for item in value] if isinstance(value, list | tuple) else value
