"""A database of its own for a judgment that is compared with a history and then forgotten."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import polars as pl

from judge_polars.history.store import History
from judge_polars.history.views import VerdictDatabase
from judge_polars.tables import PUBLISHED_TABLES

_TABLES: Final = {table.name: table for table in PUBLISHED_TABLES}
_FIRST_FORMER_KEY: Final = 1 << 40


class Scratch:
    """Published tables and views in a file of their own, which is gone when it is closed."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="judge-polars-")
        self._database = VerdictDatabase(Path(self._folder.name) / "scratch.duckdb")

    def close(self) -> None:
        """Close the database and remove its file."""
        self._database.close()
        self._folder.cleanup()

    def insert(self, table: str, frame: pl.DataFrame) -> None:
        """Add rows of a published table."""
        self._database.fill({table: frame})

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query."""
        return self._database.sql(query, parameters)

    def with_former(self, history: History, flipped: pl.DataFrame) -> pl.DataFrame:
        """`verdict_flips` of case runs, with the rows of the judgments that judged them last taken over from a history.

        Args:
            flipped: `case_run_id`, `judgment_id` of the former judgment.
        """
        if flipped.is_empty():
            return self.sql("from verdict_flips limit 0")
        ids, of_judgment = flipped["case_run_id"].to_list(), flipped["judgment_id"].unique().to_list()
        former = history.sql(
            "select * from judged_case_runs where judgment_id in (select unnest(?)) and case_run_id in (select unnest(?))",
            [of_judgment, ids],
        )
        pairs = flipped.select("case_run_id", "judgment_id")
        former = former.join(pairs, on=["case_run_id", "judgment_id"], how="semi")
        digests = former["case_digest"].unique().to_list()
        checks = history.sql("select * from checks where case_digest in (select unnest(?))", [digests])
        own = self.sql("select case_digest, position, check_key as own_key from checks")
        keyed = checks.join(own, on=["case_digest", "position"], how="left").with_columns(
            new_key=pl.coalesce("own_key", pl.col("check_key") + _FIRST_FORMER_KEY)
        )
        new_cases = keyed.filter(pl.col("own_key").is_null())
        self.insert("checks", new_cases.with_columns(check_key="new_key").select(list(_TABLES["checks"].schema)))
        strange = new_cases["case_digest"].unique().to_list()
        for table in ("cases", "case_buckets", "rules"):
            self.insert(table, history.sql(f"select * from {table} where case_digest in (select unnest(?))", [strange]))
        outcomes = history.sql(
            "select * from check_outcomes where judged_key in (select unnest(?))", [former["judged_key"].to_list()]
        )
        outcomes = outcomes.join(keyed.select("check_key", "new_key"), on="check_key", how="inner").with_columns(
            pl.col("judged_key") + _FIRST_FORMER_KEY, check_key="new_key"
        )
        self.insert("judged_case_runs", former.with_columns(pl.col("judged_key") + _FIRST_FORMER_KEY))
        self.insert("check_outcomes", outcomes.select(list(_TABLES["check_outcomes"].schema)))
        self.insert(
            "judgments", history.sql("select * from judgments where judgment_id in (select unnest(?))", [of_judgment])
        )
        self._database.supersede()
        return self.sql("from verdict_flips order by case_run_id")
