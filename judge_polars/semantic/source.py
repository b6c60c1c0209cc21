"""Where the shadow's case runs come from: rows by SQL, the texts of documents, and the mask that is put on these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Protocol

import polars as pl

from judge_polars.bundles import CaseRunPlace, read_shard, shards
from judge_polars.errors import InputError
from judge_polars.facts.trace import read_identity
from judge_polars.judgment import Judgment, Origin
from judge_polars.masking import mask
from judge_polars.rulebook import RuleBook

DOCUMENT_SCHEMA: Final = pl.Schema(
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
"""Documents of case runs: columns as in `tables.DOCUMENT_INDEX`, with the text for matching."""

OUTPUT: Final = "output"
NOTES_FILE: Final = "expected.md"


class Rows(Protocol):
    """Tables and views of `sql/`: a judgment in memory, or a history."""

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query."""


class Documents(Protocol):
    """The documents of case runs."""

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """Rows of `DOCUMENT_SCHEMA`, those of one case run together."""


class _Nothing:
    """Takes nothing out of JSON values."""

    def visit(
        self, run: int, bundle: int | None, doc: int, case_id: str, name: str, artifact: str | None, value: object
    ) -> None:
        """Only the texts are wanted."""


@dataclass(frozen=True)
class JudgedRuns:
    """The documents of a judgment's case runs, read again from where they lie."""

    judgment: Judgment

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """Documents of the chosen bundles and the outputs.

        Raises:
            InputError: the judgment does not know where its runs lie.
        """
        origin = self.judgment.origin
        if origin is None:
            raise InputError("this judgment does not know where its runs lie: judge the runs again")
        wanted = set(case_run_ids)
        places = [place for place in origin.found.places if place.case_run_id in wanted]
        chosen = self.judgment.frames["bundles"].select("case_run_id", "root")
        parts = [_read(batch, origin, chosen) for batch in shards(places)]
        return pl.concat(parts) if parts else pl.DataFrame(schema=DOCUMENT_SCHEMA)


def _read(batch: Sequence[CaseRunPlace], origin: Origin, chosen: pl.DataFrame) -> pl.DataFrame:
    """`DOCUMENT_SCHEMA` of one shard; of several bundles of a case run the chosen one's documents."""
    reading = read_shard(
        batch,
        layout=origin.book.layout,
        limits=origin.book.limits,
        visitor=_Nothing(),
        identity=read_identity,
        workspaces_root=origin.workspaces_root,
    )
    ids = pl.DataFrame({"case_run_id": [place.case_run_id for place in batch]}).with_row_index("run")
    taken = (
        reading.bundles.select("run", "bundle", "root")
        .join(ids, on="run", how="inner")
        .join(chosen, on=["case_run_id", "root"], how="semi")
    )
    mine = pl.col("bundle").is_null() | pl.col("bundle").is_in(taken["bundle"].implode())
    documents = reading.documents.filter(mine).join(ids, on="run", how="inner", maintain_order="left")
    return documents.rename({"name": "document"}).select(list(DOCUMENT_SCHEMA))


def expected_notes(book: RuleBook, case_id: str) -> str | None:
    """The notes for people of a case, `expected.md` of its directory; None where there is none."""
    try:
        return (Path(book.root) / "cases" / case_id / NOTES_FILE).read_text("utf-8", errors="replace")
    except OSError:
        return None


def masked(text: str) -> tuple[str, list[tuple[str, int]]]:
    """The text without secrets, and kind and line of each (`model.Mask`)."""
    clean = mask(text)
    return clean.text, [(secret.kind, secret.line) for secret in clean.secrets]
