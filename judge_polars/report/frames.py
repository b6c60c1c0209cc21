"""Frames of any columns as text or files: results of SQL, and exports."""

from __future__ import annotations

import io
from collections.abc import Mapping
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any, Final

import orjson
import polars as pl

from judge_polars.printable import csv_cell, csv_text
from judge_polars.report.records import timestamp_text
from judge_polars.report.rows import rows_as

_LARGEST: Final = 2**63


def frame_as(output_format: str, frame: pl.DataFrame) -> bytes:
    """A frame as `json` (a list of objects), `jsonl`, `csv` or `markdown`."""
    if output_format == "csv":
        return exported("csv", frame)
    rows = [{name: plain_value(value) for name, value in row.items()} for row in frame.iter_rows(named=True)]
    return rows_as(output_format, rows, frame.columns)


def exported(output_format: str, frame: pl.DataFrame) -> bytes:
    """A frame as `parquet` (zstd), `csv` (cells of one line, none a formula; lists as JSON) or `jsonl`."""
    if output_format == "parquet":
        file = io.BytesIO()
        frame.write_parquet(file, compression="zstd")
        return file.getvalue()
    if output_format == "csv":
        cells = pl.DataFrame([_csv_column(column) for column in frame.iter_columns()])
        return cells.rename(csv_text).write_csv().encode()
    lines = [
        orjson.dumps({name: plain_value(value) for name, value in row.items()}) + b"\n"
        for row in frame.iter_rows(named=True)
    ]
    return b"".join(lines)


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
        return float(value)
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
