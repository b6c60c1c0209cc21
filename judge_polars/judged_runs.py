"""A judgment in memory with the documents of its case runs, which are read again from where they lie."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from judge_polars.bundles import CaseRunPlace, read_shard, shards
from judge_polars.errors import InputError
from judge_polars.facts.trace import read_identity
from judge_polars.history.recall import Recalled, places_of_runs
from judge_polars.judgment import Judgment
from judge_polars.rulebook import RuleBook
from judge_polars.sources import DOCUMENT_TEXTS


@dataclass(frozen=True)
class JudgedRuns:
    """A `sources.Source`: a judgment, and the files or the record that its case runs come from."""

    judgment: Judgment

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query over the judgment."""
        return self.judgment.sql(query, parameters)

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """`sources.DOCUMENT_TEXTS` of these case runs.

        Raises:
            InputError: the judgment does not know where its runs lie.
        """
        origin = self.judgment.origin
        if origin is None:
            raise InputError("the documents of these runs are not at hand; judge them from their directories")
        wanted = pl.DataFrame({"case_run_id": list(case_run_ids)}, schema={"case_run_id": pl.String})
        roots = self.judgment.frames["bundles"].join(wanted, on="case_run_id", how="semi").select("case_run_id", "root")
        if origin.record is not None:
            places = places_of_runs(origin.record).join(wanted, on="case_run_id", how="semi", maintain_order="left")
            return Recalled(origin.record, places).document_texts(roots)
        ids = set(case_run_ids)
        places_on_disk = [place for place in origin.found.places if place.case_run_id in ids]
        parts = [_texts_of_files(batch, origin.book, origin.workspaces_root, roots) for batch in shards(places_on_disk)]
        every = pl.concat([pl.DataFrame(schema=DOCUMENT_TEXTS), *parts])
        return every.sort("case_run_id", "document")


class _Nothing:
    """Takes nothing out of JSON values."""

    def visit(
        self, run: int, bundle: int | None, doc: int, case_id: str, name: str, artifact: str | None, value: object
    ) -> None:
        """Only the texts are wanted."""


def _texts_of_files(
    places: Sequence[CaseRunPlace], book: RuleBook, workspaces_root: Path | None, roots: pl.DataFrame
) -> pl.DataFrame:
    """`DOCUMENT_TEXTS` of one shard; of several bundles of a case run the chosen one's documents."""
    reading = read_shard(
        places,
        layout=book.layout,
        limits=book.limits,
        visitor=_Nothing(),
        identity=read_identity,
        workspaces_root=workspaces_root,
    )
    ids = pl.DataFrame({"case_run_id": [place.case_run_id for place in places]}).with_row_index("run")
    chosen = (
        reading.bundles.select("run", "bundle", "root")
        .join(ids, on="run", how="inner")
        .join(roots, on=["case_run_id", "root"], how="semi")
    )
    mine = pl.col("bundle").is_null() | pl.col("bundle").is_in(chosen["bundle"].implode())
    documents = reading.documents.filter(mine).join(ids, on="run", how="inner", maintain_order="left")
    return documents.rename({"name": "document"}).select(list(DOCUMENT_TEXTS))
