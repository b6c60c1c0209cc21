"""Rows of judged eval runs, out of a judgment in memory or a history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import get_close_matches
from typing import Any

from judge_polars.errors import UsageError
from judge_polars.sources import Rows

Row = dict[str, Any]


def rows_of(source: Rows, query: str, *parameters: object) -> list[Row]:
    """The rows of a query as dictionaries."""
    return list(source.sql(query, list(parameters)).iter_rows(named=True))


def eval_run_row(source: Rows, eval_run_id: str) -> Row:
    """The row of `eval_runs` of an eval run.

    Raises:
        UsageError: there is no such eval run; the nearest ones are told.
    """
    found = rows_of(source, "select * from eval_runs where eval_run_id = ?", eval_run_id)
    if found:
        return found[0]
    known = source.sql("select distinct eval_run_id from eval_runs order by eval_run_id")["eval_run_id"].to_list()
    near = get_close_matches(eval_run_id, known, n=3, cutoff=0.5)
    told = f"nearest: {', '.join(near)}" if near else f"there are: {', '.join(known[-5:]) or 'none'}"
    raise UsageError(f"there is no eval run {eval_run_id}; {told}")


def in_portions(ids: Sequence[str], size: int) -> Iterator[Sequence[str]]:
    """Ids, at most `size` at a time."""
    for start in range(0, len(ids), size):
        yield ids[start : start + size]
