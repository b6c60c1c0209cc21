"""The rows of a query some at a time, so that memory stays flat whatever the query gives (specification 60, `sql`)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import duckdb
import polars as pl

from judge_polars.history.bridge import interrupted, plain, transferable

ROWS_AT_ONCE: Final = 10_000


def read_batches(
    con: duckdb.DuckDBPyConnection, statement: duckdb.Statement, most: int | None = None, cut: int | None = None
) -> Iterator[pl.DataFrame]:
    """The rows of a statement as `bridge.read` gives them, but some at a time and never all of them in memory.

    Without a row it is one empty frame, and nothing of a statement that has no result.  Who stops early closes the iterator:
    the query ends then, and the connection is free.

    Args:
        most: so many rows at most.
        cut: characters of a text and elements of a list; a longer one comes with one more.
    """
    with interrupted():
        relation = con.sql(statement.query)
        if relation is None:
            return
        rows = pl.scan_arrow_c_stream(transferable(relation if most is None else relation.limit(most), cut))
        schema = rows.collect_schema()
        batches = iter(rows.collect_batches(chunk_size=ROWS_AT_ONCE, maintain_order=True))
        empty = True
        try:
            for batch in batches:
                if not batch.is_empty():
                    empty = False
                    yield plain(batch)
        except GeneratorExit:
            _end(con, batches)
            raise
        if empty:
            yield plain(pl.DataFrame(schema=schema))


def _end(con: duckdb.DuckDBPyConnection, batches: Iterator[pl.DataFrame]) -> None:
    """Interrupt a query of which batches are being read ahead, until there are no more."""
    more = True
    while more:
        con.interrupt()
        try:
            more = next(batches, None) is not None
        except pl.exceptions.PolarsError:
            return
