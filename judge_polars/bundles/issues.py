"""The oddities that are met while a shard is read, bounded per document (specification 90, "Bounded")."""

from __future__ import annotations

import polars as pl

from judge_polars.tables import SHARD_ISSUES

Key = tuple[int, int | None, str | None]


class Issues:
    """Collects rows of `tables.SHARD_ISSUES`; of one document at most `most`, and then one that counts the others."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._rows: list[tuple[int, int | None, str | None, str, str]] = []
        self._counts: dict[Key, int] = {}

    def add(self, run: int, bundle: int | None, document: str | None, code: str, detail: str) -> None:
        """Notes an oddity of a document by its name, of a candidate by its path, or (None) of the case run itself."""
        key = (run, bundle, document)
        count = self._counts.get(key, 0) + 1
        self._counts[key] = count
        if count <= self._most:
            self._rows.append((run, bundle, document, code, detail))

    def frame(self) -> pl.DataFrame:
        """`tables.SHARD_ISSUES`, in the order of the runs."""
        over = [
            (run, bundle, document, "limit_reached", f"{count - self._most} more issues are not listed")
            for (run, bundle, document), count in self._counts.items()
            if count > self._most
        ]
        rows = sorted(self._rows + over, key=lambda row: row[0])
        return pl.DataFrame(rows, schema=SHARD_ISSUES.schema, orient="row")
