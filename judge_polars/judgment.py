"""A judgment: the frames of one judging pass and what the SQL views say about them."""

from __future__ import annotations

import json
import weakref
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import polars as pl

from judge_polars import tables
from judge_polars.digests import digest_of
from judge_polars.rulebook import RuleBook
from judge_polars.version import __version__
from judge_polars.vocabulary import SEMANTICS_VERSION

if TYPE_CHECKING:
    from judge_polars.bundles import Found
    from judge_polars.history.record import Record
    from judge_polars.history.views import VerdictDatabase

_OF_CASES = ("suite_cases", "baseline_cases")


@dataclass(frozen=True)
class Origin:
    """Where a judgment comes from, for looking at its runs again: what was found, and by what it was judged.

    `record` is where the runs are read again where they come from a history.
    """

    book: RuleBook
    found: Found
    workspaces_root: Path | None = None
    record: Record | None = None


@dataclass(frozen=True)
class Judgment:
    """One judging pass in memory.

    Attributes:
        frames: every published table by name (`tables.PUBLISHED_TABLES`).
        unknown: case run ids whose case the registry does not know; they are not judged.
        origin: the runs and the registry, where they are at hand.
    """

    frames: Mapping[str, pl.DataFrame]
    unknown: tuple[str, ...] = ()
    origin: Origin | None = None

    @cached_property
    def _database(self) -> VerdictDatabase:
        from judge_polars.history.views import borrow_database, give_back_database

        database = borrow_database(self.frames)
        weakref.finalize(self, give_back_database, database).atexit = False
        return database

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query over the tables and views of `sql/`; parameters stand for `?`.

        The database has no access to files, networks or extensions.
        """
        return self._database.sql(query, parameters)

    def narrowed(self, *, cases: Collection[str] | None = None, eval_runs: Collection[str] | None = None) -> Judgment:
        """The same judgment as if there were only these cases in suites and baselines, and only these eval runs.

        What a selection leaves out is then not missing.
        """
        kept = dict(self.frames)
        if cases is not None:
            kept |= {name: kept[name].filter(pl.col("case_id").is_in(list(cases))) for name in _OF_CASES}
        if eval_runs is not None:
            kept["eval_runs"] = kept["eval_runs"].filter(pl.col("eval_run_id").is_in(list(eval_runs)))
        return replace(self, frames=kept)

    def chosen(self, condition: str) -> pl.Series:
        """Ids of the case runs for which an SQL condition over the view `verdicts` holds.

        Raises:
            UsageError: the condition is no SQL condition, or more than one.
        """
        return self._database.chosen(condition)["case_run_id"]

    @cached_property
    def verdicts(self) -> pl.DataFrame:
        """One row per judged case run: verdict, codes, scores, bucket statuses, run and agent (view `all_verdicts`)."""
        return self.sql("from all_verdicts order by eval_run_id, case_id, trial")

    @cached_property
    def buckets(self) -> pl.DataFrame:
        """One row per judged case run and bucket: status, configured, score, max_score (view `bucket_statuses`)."""
        return self.sql("from bucket_statuses order by case_run_id, position")

    @cached_property
    def checks(self) -> pl.DataFrame:
        """One row per judged case run and check: passed, reason, deciding rule (view `check_results`)."""
        return self.sql("from check_results order by case_run_id, position")

    @cached_property
    def case_verdicts(self) -> pl.DataFrame:
        """One row per eval run and case: trials, pass rate with its interval, verdict (view `case_verdicts`)."""
        return self.sql("from case_verdicts order by eval_run_id, case_id")

    @cached_property
    def regressions(self) -> pl.DataFrame:
        """One row per eval run and case of the run or the baseline (view `baseline_regressions`)."""
        return self.sql("from baseline_regressions order by eval_run_id, case_id")

    @property
    def facts(self) -> pl.DataFrame:
        """One row per case run and fact (`tables.FACTS`)."""
        return self.frames["facts"]

    @property
    def issues(self) -> pl.DataFrame:
        """One row per oddity (`tables.ISSUES`)."""
        return self.frames["issues"]


def judgment_row(book: RuleBook, case_runs: int, purpose: str, at: datetime) -> pl.DataFrame:
    """`tables.JUDGMENTS` with one row."""
    return tables.JUDGMENTS.frame(
        {
            "judgment_id": [f"{at:%Y%m%dT%H%M%S%f}-{digest_of(book.digest, purpose, at.isoformat())[7:15]}"],
            "judged_at": [at],
            "registry_digest": [book.digest],
            "pack_digests": [json.dumps({name: digest for name, _, digest in book.packs})],
            "semantics_version": [SEMANTICS_VERSION],
            "engine_version": [__version__],
            "case_runs": [case_runs],
            "purpose": [purpose],
        }
    )
