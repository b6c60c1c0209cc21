"""Probing: made-up runs of each case, written as real bundles, judged by the engine, and what that says about the rubric."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

import polars as pl

from judge_polars.errors import NothingSelectedError
from judge_polars.judge import Options, Progress, judge_runs
from judge_polars.judgment import Judgment
from judge_polars.probe.answers import REFERENCE, Answer, made_up_answers
from judge_polars.probe.bundles import CaseRun, bare_run, read_passing, write_case_run
from judge_polars.probe.outcomes import (
    CONTROL,
    GOOD,
    SPOILT,
    UNKNOWN,
    WRONG,
    Judged,
    Outcome,
    of_answer,
    of_reference,
    of_spoiling,
    of_unsampled,
)
from judge_polars.probe.spoilings import Spoiling, spoilings
from judge_polars.probe.wanted import language_of
from judge_polars.rulebook import Case, RuleBook

EVAL_RUN: Final = "probe"
UNSPOILT: Final = "unspoilt"
REFERENCES: Final = "reference*.md"
MOST_AT_ONCE: Final = 1_000
"""Made-up runs that are held and lie on disk at once."""


@dataclass(frozen=True, slots=True)
class Report:
    """What probing found.

    Attributes:
        outcomes: one per probe and run, in the order of cases, runs and probes.
        passing: case id -> passing runs that were spoilt, and how many there are.
        made_up: number of runs that were made up.
    """

    outcomes: tuple[Outcome, ...]
    passing: dict[str, tuple[int, int]]
    made_up: int

    @property
    def is_sound(self) -> bool:
        """Whether nothing is wrong; what no check notices is not wrong by itself."""
        return all(outcome.state != WRONG for outcome in self.outcomes)


@dataclass(frozen=True, slots=True)
class _Passing:
    """A run that passes: its id, the facts that are true of it, and how its files are read."""

    case_run_id: str
    true_facts: frozenset[str]
    read: Callable[[], CaseRun]


@dataclass(slots=True)
class _Known:
    """What is known of a case before anything is made up: passing runs and the verdict of its reference run."""

    passing: list[_Passing] = field(default_factory=list)
    all_passing: int = 0
    reference_verdict: str | None = None


@dataclass(frozen=True, slots=True)
class _MadeUp:
    """One run to be written: of which case, from which run, and what is to be said of its verdict.

    `case_run` is None once it was judged, as are the spoiling's files: what was written need not be kept.
    """

    case: Case
    case_run: CaseRun | None
    probe: str
    source: str | None = None
    answer: Answer | None = None
    spoiling: Spoiling | None = None

    def without_files(self) -> _MadeUp:
        """What is to be said, without the files."""
        spoiling = None if self.spoiling is None else replace(self.spoiling, files={})
        return replace(self, case_run=None, spoiling=spoiling)


def probe(
    book: RuleBook,
    cases: Sequence[Case],
    runs: Sequence[Path] = (),
    *,
    most: int | None = None,
    workspaces_root: Path | None = None,
    progress: Progress | None = None,
) -> Report:
    """Judge made-up runs of cases.

    Args:
        book: the registry.
        cases: the cases to be probed.
        runs: where runs lie, of which the passing ones are spoilt.
        most: passing runs of a case that are spoilt, its reference run first; all without it.
        workspaces_root: where a missing workspace is looked up by its id.
        progress: told how many of the passing runs are done.

    Raises:
        InputError: `runs` hold no case run.
    """
    known = _known(book, cases, runs, most, workspaces_root)
    judged = _judged((one for case in cases for one in _made_up(case, book, known[case.id])), known, book, progress)
    outcomes = [outcome for case in cases for outcome in _outcomes(case, known[case.id], judged)]
    return Report(
        outcomes=tuple(outcomes),
        passing={case.id: (len(known[case.id].passing), known[case.id].all_passing) for case in cases},
        made_up=len(judged),
    )


# Passing runs --------------------------------------------------------------------------------------------------------


def _known(
    book: RuleBook, cases: Sequence[Case], runs: Sequence[Path], most: int | None, workspaces_root: Path | None
) -> dict[str, _Known]:
    """Passing runs of each case, read."""
    known = {case.id: _Known() for case in cases}
    if not runs:
        return known
    options = Options(workspaces_root=workspaces_root, select=lambda place: place.case_id in known, purpose="probe")
    try:
        judgment = judge_runs(runs, book, options)
    except NothingSelectedError:
        return known
    verdicts = judgment.verdicts
    by_id = dict(verdicts.select("case_run_id", "verdict").iter_rows())
    for case in cases:
        if case.reference_run is not None:
            known[case.id].reference_verdict = by_id.get(case.reference_run)
    passing = verdicts.filter(pl.col("verdict") == "pass").select("case_id", "case_run_id")
    for case in cases:
        all_ids = passing.filter(pl.col("case_id") == case.id)["case_run_id"].to_list()
        if case.reference_run in all_ids:
            all_ids.insert(0, all_ids.pop(all_ids.index(case.reference_run)))
        known[case.id].all_passing = len(all_ids)
        known[case.id].passing = list(_passing(judgment, all_ids[:most], book, workspaces_root))
    return known


def _passing(
    judgment: Judgment, ids: Sequence[str], book: RuleBook, workspaces_root: Path | None
) -> Iterator[_Passing]:
    """Case runs that pass; their files are read when they are needed."""
    assert judgment.origin is not None
    places = {place.case_run_id: place for place in judgment.origin.found.places}
    bundles = {row["case_run_id"]: row for row in judgment.frames["bundles"].iter_rows(named=True)}
    spaces = dict(judgment.frames["case_runs"].select("case_run_id", "workspace_id").iter_rows())
    true = judgment.facts.filter(pl.col("boolean") & pl.col("case_run_id").is_in(list(ids)))
    facts = dict(true.group_by("case_run_id").agg("fact").iter_rows())
    for key in ids:
        bundle = bundles[key]
        others = [one["root"] for one in json.loads(bundle["candidates"] or "[]") if not one["reasons"]]
        named = spaces.get(key)
        workspace = workspaces_root / named if workspaces_root is not None and named else None
        read = partial(read_passing, Path(places[key].path), bundle["root"], others, book, workspace)
        yield _Passing(key, frozenset(facts.get(key, ())), read)


# Made-up runs --------------------------------------------------------------------------------------------------------


def _made_up(case: Case, book: RuleBook, known: _Known) -> Iterator[_MadeUp]:
    """Every run of a case that is made up, answers first."""
    first = known.passing[0] if known.passing else None
    source, base = (None, bare_run(case, book)) if first is None else (first.case_run_id, first.read())
    for answer in (*_references(case, book), *made_up_answers(language_of(case))):
        yield _MadeUp(case, base.with_output(answer.text), answer.name, source, answer=answer)
    for run in known.passing:
        case_run = run.read()
        yield _MadeUp(case, case_run, UNSPOILT, run.case_run_id)
        for spoiling in spoilings(case_run.files, case, book, run.true_facts):
            yield _MadeUp(case, case_run.with_files(spoiling.files), spoiling.name, run.case_run_id, spoiling=spoiling)


def _references(case: Case, book: RuleBook) -> Iterator[Answer]:
    """The answers that the case says are right."""
    for path in sorted((Path(book.root) / "cases" / case.id).glob(REFERENCES)):
        yield Answer(path.name, REFERENCE, path.read_text("utf-8", errors="replace"))


def _judged(
    made: Iterable[_MadeUp], known: Mapping[str, _Known], book: RuleBook, progress: Progress | None
) -> list[tuple[_MadeUp, Judged]]:
    """What the engine says of made-up runs, in their order; never more than some of them are held or lie on disk at once."""
    judged: list[tuple[_MadeUp, Judged]] = []
    total, done = sum(len(one.passing) for one in known.values()), 0
    rest = iter(made)
    while part := list(islice(rest, MOST_AT_ONCE)):
        verdicts = _judged_at_once(part, book)
        judged += [(one.without_files(), verdict) for one, verdict in zip(part, verdicts, strict=True)]
        done += sum(one.probe == UNSPOILT for one in part)
        if progress is not None and total:
            progress(done, total)
    return judged


def _judged_at_once(part: Sequence[_MadeUp], book: RuleBook) -> list[Judged]:
    """Write made-up runs to a temporary directory and judge them."""
    with TemporaryDirectory(prefix="judge-polars-probe-") as place:
        trials: defaultdict[str, int] = defaultdict(int)
        ids = []
        for one in part:
            case_id = one.case.id
            trials[case_id] += 1
            directory = Path(place, EVAL_RUN, "cases", case_id, f"trial-{trials[case_id]}")
            assert one.case_run is not None
            write_case_run(one.case_run, directory, EVAL_RUN, case_id, trials[case_id])
            ids.append(f"{EVAL_RUN}/{case_id}/{trials[case_id]}")
        return list(_verdicts(judge_runs([Path(place)], book, Options(purpose="probe")), ids))


def _verdicts(judgment: Judgment, ids: Iterable[str]) -> Iterator[Judged]:
    """Verdict, buckets, failed checks and true facts of case runs, in the order of their ids."""
    verdicts = {row["case_run_id"]: row for row in judgment.verdicts.iter_rows(named=True)}
    diagnosis = judgment.buckets.filter(pl.col("bucket") == "diagnosis")
    statuses = dict(diagnosis.select("case_run_id", "status").iter_rows())
    failed: defaultdict[str, list[str]] = defaultdict(list)
    missed = judgment.checks.filter(~pl.col("passed")).select("case_run_id", "bucket", "check_id")
    for key, bucket, check in missed.iter_rows():
        failed[key].append(f"{bucket}.{check}")
    true = judgment.facts.filter(pl.col("boolean")).group_by("case_run_id").agg("fact")
    facts = dict(true.iter_rows())
    for key in ids:
        row = verdicts[key]
        yield Judged(
            verdict=row["verdict"],
            code=row["primary_failure_code"],
            diagnosis=statuses.get(key),
            failed=tuple(failed[key]),
            true_facts=frozenset(facts.get(key, ())),
        )


# Outcomes ------------------------------------------------------------------------------------------------------------


def _outcomes(case: Case, known: _Known, judged: Sequence[tuple[_MadeUp, Judged]]) -> Iterator[Outcome]:
    """What the verdicts of a case's made-up runs say of its rubric."""
    yield from _of_reference_run(case, known)
    mine = [(one, verdict) for one, verdict in judged if one.case.id == case.id]
    if not any(one.answer is not None and one.answer.kind == REFERENCE for one, _ in mine):
        yield Outcome(
            case.id, REFERENCES, CONTROL, None, "pass", "not there", UNKNOWN, (), "write the right answer down"
        )
    yield from (of_unsampled(case, left) for left in language_of(case).unsampled)
    unspoilt = {one.source: verdict for one, verdict in mine if one.answer is None and one.spoiling is None}
    compared = {
        (one.source, one.probe.partition(":")[2]): verdict
        for one, verdict in mine
        if one.spoiling is not None and one.spoiling.only_to_compare
    }
    for one, verdict in mine:
        if one.answer is not None and one.answer.kind == REFERENCE:
            yield of_reference(case, one.answer, verdict)
        elif one.answer is not None:
            yield of_answer(case, one.answer, one.source, verdict)
        elif one.spoiling is None:
            yield _of_copy(case, one.source, verdict)
        elif not one.spoiling.only_to_compare and unspoilt[one.source].verdict == "pass":
            without = compared.get((one.source, one.probe.partition(":")[2])) if "milestone" in one.probe else None
            yield of_spoiling(case, one.spoiling, one.source, verdict, unspoilt[one.source], without)


def _of_reference_run(case: Case, known: _Known) -> Iterator[Outcome]:
    """The run that the case names has to pass."""
    if case.reference_run is None:
        return
    found = known.reference_verdict
    told = "" if found == "pass" else f"`reference_run` names {case.reference_run}"
    if found is None:
        told += ", which is not among the runs that were given"
    state = UNKNOWN if found is None else GOOD if found == "pass" else WRONG
    yield Outcome(case.id, "reference_run", CONTROL, case.reference_run, "pass", found or "not there", state, (), told)


def _of_copy(case: Case, source: str | None, verdict: Judged) -> Outcome:
    """A passing run as it is written for spoiling; when it does not pass, nothing can be said of what is spoilt."""
    passed = verdict.verdict == "pass"
    told = "" if passed else "a plain copy of this run does not pass, so it is not spoilt"
    state = GOOD if passed else UNKNOWN
    return Outcome(case.id, UNSPOILT, SPOILT, source, "pass", verdict.told, state, verdict.failed, told)
