"""What can be asked, whatever answers: a judgment in memory, a history, or a judgment that is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol, runtime_checkable

import polars as pl

from judge_polars.rulebook import RuleBook

DOCUMENT_TEXTS: Final = pl.Schema(
    {
        "case_run_id": pl.String(),
        "document": pl.String(),
        "artifact": pl.String(),
        "kind": pl.String(),
        "unread": pl.Boolean(),
        "size": pl.Int64(),
        "digest": pl.String(),
        "text": pl.String(),
    }
)
"""Documents of case runs: columns as in `tables.DOCUMENT_INDEX`, and their text for matching (null when unread or only white
space)."""


class Rows(Protocol):
    """The tables and views of `sql/`."""

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query; parameters stand for `?`."""


class Documents(Protocol):
    """The documents of case runs."""

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """`DOCUMENT_TEXTS` of the bundles that were chosen for these case runs and of their outputs, by case run and name."""


class Source(Rows, Documents, Protocol):
    """Both of them."""


@runtime_checkable
class JudgesAgain(Protocol):
    """A record of case runs, which can be judged again without their files."""

    def judged_now(self, book: RuleBook, eval_run_id: str) -> Rows | None:
        """An eval run judged by this engine and a registry, nothing kept; None where none of its case runs can be."""
