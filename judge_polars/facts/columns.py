"""Numbers that are collected while documents are visited, as columns."""

from __future__ import annotations

import sys
from array import array

import polars as pl


def column(numbers: array[int] | array[float], dtype: type[pl.DataType]) -> pl.Series:
    """An array's numbers as a column of the type that has their size in bytes."""
    held = pl.Series([numbers.tobytes()], dtype=pl.Binary)
    whole = held.bin.reinterpret(dtype=pl.Array(dtype, len(numbers)), endianness=sys.byteorder)
    return whole.explode(empty_as_null=False)


def repeated(rows: pl.Series) -> pl.Series:
    """The number 0 as often as the first of `rows` says, then 1 as often as the second says, and so on."""
    return pl.select(pl.int_range(len(rows), dtype=pl.UInt32).repeat_by(rows).explode(empty_as_null=False)).to_series()
