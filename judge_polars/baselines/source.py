"""Where judged eval runs and the texts of their documents come from: a judgment in memory, or a history."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any, Final, Protocol

import polars as pl

from judge_polars.errors import InputError, UsageError

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment

Row = dict[str, Any]

DOCUMENT_TEXTS: Final = pl.Schema(
    {
        "case_run_id": pl.String(),
        "root": pl.String(),
        "document": pl.String(),
        "artifact": pl.String(),
        "kind": pl.String(),
        "unread": pl.Boolean(),
        "size": pl.Int64(),
        "digest": pl.String(),
        "text": pl.String(),
    }
)
"""Documents of case runs, as `tables.DOCUMENT_INDEX`, with `root` (the candidate that they are of, null for the output) and their
text for matching (null when unread or only white space)."""


class Rows(Protocol):
    """Something with the tables and views of `sql/`."""

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query; parameters stand for `?`."""
        ...


class Documents(Protocol):
    """Something that has the documents of case runs."""

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """The columns of `DOCUMENT_TEXTS` for these case runs: perhaps of every candidate, and the outputs."""
        ...


class Source(Rows, Documents, Protocol):
    """Both of them."""


@dataclass(frozen=True)
class JudgedRuns:
    """A judgment in memory; the documents are read from its runs again."""

    judgment: Judgment

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query over the judgment."""
        return self.judgment.sql(query, parameters)

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """`DOCUMENT_TEXTS` of these case runs.

        Raises:
            InputError: the judgment does not know where its runs lie.
        """
        from judge_polars.engine import Engine

        origin = self.judgment.origin
        if origin is None:
            raise InputError("the documents of these runs are not at hand; judge them from their directories")
        wanted = set(case_run_ids)
        places = [place for place in origin.found.places if place.case_run_id in wanted]
        engine = Engine(origin.book, origin.workspaces_root)
        parts = [
            examined.documents.join(examined.ready.runs.select("run", "case_run_id"), on="run", how="left")
            .join(examined.intake.bundles.select("bundle", "root"), on="bundle", how="left")
            .select("case_run_id", "root", "artifact", "kind", "unread", "size", "digest", "text", document="name")
            for examined in engine.examine(places)
        ]
        every = pl.concat(parts) if parts else pl.DataFrame(schema=DOCUMENT_TEXTS)
        return every.select(list(DOCUMENT_TEXTS)).sort("case_run_id", "document")


def chosen_documents(source: Source, case_run_ids: Sequence[str]) -> pl.DataFrame:
    """`DOCUMENT_TEXTS` of the bundles that were chosen for these case runs, and of their outputs, by case run and name."""
    marks = ", ".join("?" * len(case_run_ids))
    chosen = source.sql(
        f"select case_run_id, root as chosen from bundles where case_run_id in ({marks})", list(case_run_ids)
    )
    documents = source.documents(case_run_ids).join(chosen, on="case_run_id", how="left")
    kept = documents.filter(pl.col("root").is_null() | (pl.col("root") == pl.col("chosen")))
    return kept.select(list(DOCUMENT_TEXTS)).sort("case_run_id", "document")


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
