"""Rows of a table of many batches, read at once: a file costs a tenth of what it costs by itself."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import polars as pl

from judge_polars.errors import InputError
from judge_polars.history.record import Batch


def read_together(
    batches: Sequence[Batch], name: str, schema: pl.Schema, where: pl.Expr | None = None
) -> tuple[pl.DataFrame, list[int]]:
    """The rows of a table of all these batches, one batch behind the other, and how many each batch has.

    Args:
        schema: the columns that are wanted; one that a file does not have is null.
        where: rows that are wanted, of a single batch.

    Raises:
        InputError: a file is missing or damaged.
    """
    paths = [path for batch in batches for path in batch.require(name)]
    heights = [batch.rows(name) for batch in batches]
    if not paths:
        return pl.DataFrame(schema=schema), heights
    whole = [path.absolute() for path in paths]  # of a path Polars would expand `~`
    rows = pl.scan_parquet(whole, glob=False, schema=schema, missing_columns="insert", extra_columns="ignore")
    try:
        frame = (rows if where is None else rows.filter(where)).collect(engine="in-memory")
    except (pl.exceptions.PolarsError, FileNotFoundError) as wrong:
        raise InputError(
            f"{paths[0].parents[1]}: a file of table {name} is missing or damaged ({wrong}); bring it back from a copy"
        ) from wrong
    if where is None and frame.height != sum(heights):
        raise InputError(f"{paths[0].parents[1]}: files of table {name} do not have the rows that were written")
    return frame, heights if where is None else [frame.height]


def repeated(values: Iterable[int], heights: Sequence[int]) -> pl.Series:
    """Each batch's number for each of its rows."""
    return pl.Series(np.repeat(np.array(list(values), dtype=np.int64), np.array(heights, dtype=np.int64)))
