"""The public face of a history: what `history/store.py` reads, and judging it again (specification 70, "Python")."""

from __future__ import annotations

from pathlib import Path

import polars as pl

from judge_polars.chronicle import Select, among, judge_record, recalled_judgment
from judge_polars.engine import Engine
from judge_polars.errors import InputError, NothingSelectedError
from judge_polars.history import store
from judge_polars.history.publish import publish
from judge_polars.judge import Progress
from judge_polars.judgment import Judgment
from judge_polars.registry import Registry, load_registry
from judge_polars.rulebook import RuleBook
from judge_polars.what_if import WhatIf, what_if

AnyRegistry = Registry | RuleBook | str | Path


class History(store.History):
    """A history directory: SQL, documents and points, and judging case runs again; a context manager.

    with jp.open_history(".judge_polars") as history:
        history.sql("from suite_trends")
        flips = history.rejudge(registry, what_if=True)
    """

    def rejudge(
        self,
        registry: AnyRegistry,
        *,
        what_if: bool = False,
        where: str | None = None,
        progress: Progress | None = None,
    ) -> pl.DataFrame:
        """Judge case runs again, from the record alone.

        Args:
            registry: a loaded registry (perhaps edited), a compiled one, or its directory.
            what_if: keep nothing.
            where: an SQL condition over the view `verdicts` that says which; None means all.

        Returns:
            The flips, as the view `verdict_flips` has them: one row per case run whose verdict or primary failure code changed
            (or would change), with the checks and rules that caused it.

        Raises:
            RegistryError: the registry has errors.
            UsageError: `where` is no condition.
            NothingSelectedError: no case run is left.
        """
        if what_if:
            with self.what_if(registry, where=where, progress=progress) as supposed:
                return supposed.flips
        engine = Engine(book_of(registry))
        passed = judge_record(self.record, engine, select=self._select(where), progress=progress)
        self._refresh()
        judgment_id = passed.judgment["judgment_id"][0]
        return self.sql("from verdict_flips where to_judgment_id = ? order by case_run_id", [judgment_id])

    def what_if(self, registry: AnyRegistry, *, where: str | None = None, progress: Progress | None = None) -> WhatIf:
        """Everything that another registry would change: counts, flips, baselines, and SQL over the supposed judgment.

        To be closed, or used as a context manager.  Raises as `rejudge` does.
        """
        return what_if(self, Engine(book_of(registry)), select=self._select(where), progress=progress)

    def recall(
        self,
        registry: AnyRegistry,
        *,
        where: str | None = None,
        evidence: bool = False,
        progress: Progress | None = None,
    ) -> Judgment:
        """Case runs of the record judged in memory, as `judge` does it from files; `explain` tells of each of them.

        Args:
            evidence: keep metric series, query and event ids.
        """
        return recalled_judgment(
            self.record, Engine(book_of(registry)), select=self._select(where), evidence=evidence, progress=progress
        )

    def judged_now(self, book: RuleBook, eval_run_id: str) -> Judgment | None:
        """An eval run of the record judged in memory; None where it is not there, or the registry knows none of its cases."""
        try:
            return recalled_judgment(
                self.record, Engine(book), select=lambda places: places.filter(pl.col("eval_run_id") == eval_run_id)
            )
        except NothingSelectedError:
            return None

    def _select(self, where: str | None) -> Select | None:
        if where is None:
            return None
        return among(self.chosen(where))

    def _refresh(self) -> None:
        """See what was published meanwhile."""
        self.close()
        if not publish(self.record):
            raise InputError("another process is publishing: the judgment is kept; open the history again in a moment")
        self._con = store.connect(self.directory)


def open_history(directory: str | Path = store.DIRECTORY) -> History:
    """Open a history; what its record holds and nobody published yet is published first.

    Raises:
        InputError: there is no history, it is foreign or damaged, or of a newer form.
    """
    place = Path(directory)
    return History(place, store.up_to_date(place), store.connect(place))


def book_of(registry: AnyRegistry) -> RuleBook:
    """The compiled registry.

    Raises:
        RegistryError: it has errors.
    """
    if isinstance(registry, str | Path):
        registry = load_registry(registry)
    return registry.compile() if isinstance(registry, Registry) else registry
