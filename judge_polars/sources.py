"""What can be asked, whatever answers: a judgment in memory, a history, or a judgment that is not kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Protocol

import polars as pl

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
