"""Which case runs and cases are meant: `--suite --case --tag --eval-run --verdict --where` (specification 70)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from judge_polars.errors import NothingSelectedError, UsageError
from judge_polars.vocabulary import VERDICTS

if TYPE_CHECKING:
    import polars as pl

    from judge_polars.bundles import CaseRunPlace
    from judge_polars.history.store import History
    from judge_polars.judgment import Judgment
    from judge_polars.rulebook import Case, RuleBook


@dataclass(frozen=True, slots=True)
class Selection:
    """What the options say; a kind that is empty selects everything, two kinds must both hold."""

    suites: tuple[str, ...] = ()
    cases: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    eval_runs: tuple[str, ...] = ()
    verdicts: tuple[str, ...] = ()
    where: str | None = None

    @classmethod
    def of(
        cls,
        suites: Sequence[str] | None = None,
        cases: Sequence[str] | None = None,
        tags: Sequence[str] | None = None,
        eval_runs: Sequence[str] | None = None,
        verdicts: Sequence[str] | None = None,
        where: str | None = None,
    ) -> Selection:
        """Of the options `--suite --case --tag --eval-run --verdict --where` as the command line has them."""
        return cls(
            tuple(suites or ()),
            tuple(cases or ()),
            tuple(tags or ()),
            tuple(eval_runs or ()),
            tuple(verdicts or ()),
            where,
        )

    def __post_init__(self) -> None:
        for verdict in self.verdicts:
            if verdict not in VERDICTS:
                raise UsageError(f"--verdict {verdict}: one of {', '.join(VERDICTS)}")

    @property
    def of_cases(self) -> bool:
        """Whether only some cases are meant, whatever suite they belong to."""
        return bool(self.cases or self.tags)

    def fits_case(self, case_id: str, tags: Iterable[str]) -> bool:
        """Whether a case is meant by its id and tags."""
        of_id = not self.cases or any(fnmatchcase(case_id, glob) for glob in self.cases)
        return of_id and (not self.tags or bool(set(tags) & set(self.tags)))

    def fits_eval_run(self, eval_run_id: str, suite_id: str | None) -> bool:
        """Whether an eval run is meant by its id and the suite that it recorded."""
        of_run = not self.eval_runs or any(fnmatchcase(eval_run_id, glob) for glob in self.eval_runs)
        return of_run and (not self.suites or suite_id in self.suites)

    def chosen_cases(self, book: RuleBook) -> list[Case]:
        """The registry's cases that are meant by suite, id and tag.

        Raises:
            UsageError: the registry has no such suite.
        """
        of_suites = self._cases_of_suites(book)
        return [
            case
            for case in book.cases
            if self.fits_case(case.id, case.tags) and (not self.suites or case.id in of_suites)
        ]

    def places(
        self, book: RuleBook, suite_of_eval_run: Mapping[str, str | None]
    ) -> Callable[[CaseRunPlace], bool] | None:
        """Whether a case run is meant by all but its verdict; None when all are.

        A case run belongs to the suite that its eval run recorded, without a record to the suites that hold its case.

        Raises:
            UsageError: neither the registry nor an eval run names the suite.
        """
        if not (self.suites or self.cases or self.tags or self.eval_runs):
            return None
        tags = {case.id: case.tags for case in book.cases}
        of_suites = self._cases_of_suites(book, suite_of_eval_run.values())

        def meant(place: CaseRunPlace) -> bool:
            suite = suite_of_eval_run.get(place.eval_run_id)
            in_suite = not self.suites or (suite in self.suites if suite is not None else place.case_id in of_suites)
            of_run = not self.eval_runs or any(fnmatchcase(place.eval_run_id, glob) for glob in self.eval_runs)
            return in_suite and of_run and self.fits_case(place.case_id, tags.get(place.case_id, ()))

        return meant

    def rows(self, judgment: Judgment) -> pl.DataFrame:
        """The verdicts that are meant, in their order.

        Raises:
            NothingSelectedError: there is none.
            UsageError: `--where` is no condition.
        """
        import polars as pl

        verdicts = judgment.verdicts
        if self.where is not None:
            ids = judgment.chosen(self.where)
            verdicts = verdicts.filter(pl.col("case_run_id").is_in(ids.implode()))
        if self.verdicts:
            verdicts = verdicts.filter(pl.col("verdict").is_in(self.verdicts))
        if verdicts.is_empty() and (self.where is not None or self.verdicts):
            raise NothingSelectedError(f"none of the {judgment.verdicts.height:,} judged case runs is selected")
        return verdicts

    def _cases_of_suites(self, book: RuleBook, recorded: Iterable[str | None] = ()) -> frozenset[str]:
        known = {suite.id: suite.cases for suite in book.suites}
        also = set(recorded)
        for suite in self.suites:
            if suite not in known and suite not in also:
                raise UsageError(f"--suite {suite}: the registry has no such suite{nearest(suite, known)}")
        return frozenset(case for suite in self.suites for case in known.get(suite, ()))


def stored_selection(
    selection: Selection, history: History, book: RuleBook
) -> Callable[[pl.DataFrame], pl.DataFrame] | None:
    """Which case runs of a history are meant: a function of rows of `recall.places_of_runs`; None when all are.

    Raises:
        UsageError: neither the registry nor an eval run names the suite; `--where` is no condition over `verdicts`.
    """
    import polars as pl

    from judge_polars.bundles import CaseRunPlace

    suites = dict(history.sql("select eval_run_id, suite_id from eval_runs").iter_rows())
    meant = selection.places(book, suites)
    chosen = _chosen_ids(selection, history)
    if meant is None and chosen is None:
        return None

    def select(every: pl.DataFrame) -> pl.DataFrame:
        kept = every
        if meant is not None:
            pairs = every.select("eval_run_id", "case_id").unique()
            fits = [meant(CaseRunPlace(run, case, 1, "", "", "")) for run, case in pairs.iter_rows()]
            kept = kept.join(pairs.filter(pl.Series(fits, dtype=pl.Boolean)), on=["eval_run_id", "case_id"], how="semi")
        if chosen is not None:
            kept = kept.join(chosen, on="case_run_id", how="semi")
        return kept.sort("eval_run_id", "case_id", "trial")

    return select


def _chosen_ids(selection: Selection, history: History) -> pl.DataFrame | None:
    """Case runs by `--verdict` and `--where`, which look at the history's verdicts."""
    chosen = None
    if selection.verdicts:
        chosen = history.sql(
            "select case_run_id from verdicts where verdict in (select unnest(?))", [list(selection.verdicts)]
        )
    if selection.where is not None:
        fitting = history.chosen(selection.where)
        chosen = fitting if chosen is None else chosen.join(fitting, on="case_run_id", how="semi")
    return chosen


def suites_of_eval_runs(roots: list[Path], book: RuleBook) -> dict[str, str | None]:
    """Eval run id -> the suite that its record names."""
    from judge_polars.bundles import find_case_runs

    found = find_case_runs(roots, book.limits)
    return dict(found.eval_runs.select("eval_run_id", "suite_id").iter_rows())


def nearest(name: str, known: Iterable[str], most: int = 3) -> str:
    """`; nearest: a, b` for a message, or what there is where nothing is near."""
    names = sorted(known)
    close = get_close_matches(name, names, n=most, cutoff=0.5)
    if close:
        return f"; nearest: {', '.join(close)}"
    if not names:
        return "; there is none"
    more = f" … ({len(names)} in all)" if len(names) > 8 else ""
    return f"; there are: {', '.join(names[:8])}{more}"
