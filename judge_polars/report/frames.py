"""Frames of any columns as text or files: results of SQL, and exports."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

import orjson
import polars as pl

from judge_polars.printable import csv_cell, csv_text
from judge_polars.report.records import timestamp_text
from judge_polars.report.rows import cell_text, rows_as

_LARGEST: Final = 2**63
_LINES_OF_A_HEADING: Final = {"csv": 1, "jsonl": 0, "markdown": 2}


def frames_as(output_format: str, frames: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    """Frames of the same columns as one `json` list of objects, `jsonl`, `csv` or `markdown`, a piece for each frame."""
    if output_format == "json":
        yield from _json_list(frames)
        return
    heading = _LINES_OF_A_HEADING[output_format]
    for number, frame in enumerate(frames):
        text = exported("csv", frame) if output_format == "csv" else rows_as(output_format, _rows(frame), frame.columns)
        yield text.split(b"\n", heading)[heading] if number else text


def _json_list(frames: Iterable[pl.DataFrame]) -> Iterator[bytes]:
    before = b"[\n"
    for frame in frames:
        if not frame.is_empty():
            text = rows_as("json", _rows(frame), frame.columns)
            yield before + text.removeprefix(b"[\n").removesuffix(b"\n]\n")
            before = b",\n"
    yield b"[]\n" if before == b"[\n" else b"\n]\n"


def _rows(frame: pl.DataFrame) -> list[dict[str, Any]]:
    return [{name: plain_value(value) for name, value in row.items()} for row in frame.iter_rows(named=True)]


def shortened(frame: pl.DataFrame, most: int) -> list[dict[str, Any]]:
    """Rows with plain values for people: what is no number and longer than `most` characters ends in `…`."""
    return [{name: _cut_value(value, most) for name, value in row.items()} for row in _rows(frame)]


def _cut_value(value: Any, most: int) -> Any:
    if not isinstance(value, str | list | tuple | dict):
        return value
    text = cell_text(value)
    return value if len(text) <= most else f"{text[: most - 1]}…"


def exported(output_format: str, frame: pl.DataFrame, *, header: bool = True) -> bytes:
    """A frame as `parquet` (zstd), `csv` (cells of one line, none a formula; lists as JSON) or `jsonl`."""
    if output_format == "parquet":
        file = io.BytesIO()
        frame.write_parquet(file, compression="zstd")
        return file.getvalue()
    if output_format == "csv":
        cells = pl.DataFrame([_csv_column(column) for column in frame.iter_columns()])
        return cells.rename(csv_text).write_csv().encode()
    return b"".join(orjson.dumps(row) + b"\n" for row in _rows(frame))


def plain_value(value: Any) -> Any:
    """A value as JSON has it: times as RFC 3339 in UTC, numbers that no double holds as text."""
    if isinstance(value, datetime):
        return timestamp_text(value) if value.tzinfo is not None else value.isoformat()
    if isinstance(value, Mapping):
        return {str(name): plain_value(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain_value(item) for item in value]
    if isinstance(value, bool) or value is None or isinstance(value, float | str):
        return value
    if isinstance(value, int):
        return value if -_LARGEST <= value < _LARGEST else str(value)
    if isinstance(value, Decimal):
        return plain_value(int(value)) if value.as_tuple().exponent == 0 else float(value)
    if isinstance(value, bytes):
        return value.hex()
    return value.isoformat() if isinstance(value, date | time) else str(value)


def _csv_column(column: pl.Series) -> pl.Series:
    dtype = column.dtype
    if isinstance(dtype, pl.String):
        return _csv_texts(column)
    if isinstance(dtype, pl.Datetime):
        texts = [None if value is None else plain_value(value) for value in column]
        return pl.Series(column.name, texts, dtype=pl.String)
    if dtype.is_nested() or isinstance(dtype, pl.Binary | pl.Object):
        texts = [None if value is None else orjson.dumps(plain_value(_listed(value))).decode() for value in column]
        return _csv_texts(pl.Series(column.name, texts, dtype=pl.String))
    return column


def _csv_texts(column: pl.Series) -> pl.Series:
    return column.to_frame("text").select(csv_cell(pl.col("text")).alias(column.name)).to_series()


def _listed(value: Any) -> Any:
    return value.to_list() if isinstance(value, pl.Series) else value
