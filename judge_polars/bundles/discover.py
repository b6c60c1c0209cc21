"""Runs roots -> the case runs below them, and the eval runs that they belong to (specification 20, first section)."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, NamedTuple

import polars as pl

from judge_polars.bundles.files import printable, reason_of
from judge_polars.bundles.layout import RECORD_OF_EVAL_RUN
from judge_polars.bundles.records import Agent, EvalRunRecord, contradictions, eval_run_record, read_record
from judge_polars.rulebook import Limits
from judge_polars.tables import EVAL_RUNS, ISSUES

CASES: Final = "cases"
_TRIAL: Final = re.compile(r"trial-([1-9][0-9]{0,17})", re.ASCII)
_HIDDEN: Final = "hidden, not read: rename it, or name it itself"
_TRIAL_WANTED: Final = "wanted trial-<n> with n from 1 and no leading zeros"


class CaseRunPlace(NamedTuple):
    """Where one case run lies.  Places sort by eval run id, case id, trial number.

    Attributes:
        runs_root: directory that holds the eval run's, as it was given.
        directory: the case run's directory relative to `runs_root`.
        path: the case run's directory, to be opened.
        eval_agent: the agent that `eval_run.json` names.
        eval_issues: (code, detail) of what is odd about `eval_run.json`; an issue of each of its case runs.
    """

    eval_run_id: str
    case_id: str
    trial: int
    runs_root: str
    directory: str
    path: str
    eval_agent: Agent = Agent()
    eval_issues: tuple[tuple[str, str], ...] = ()

    @property
    def case_run_id(self) -> str:
        """`<eval_run_id>/<case_id>/<trial>`."""
        return f"{self.eval_run_id}/{self.case_id}/{self.trial}"


class EvalRun(NamedTuple):
    """What `eval_run.json` says, and (code, detail) of what is odd about it."""

    record: EvalRunRecord
    issues: tuple[tuple[str, str], ...]


class EmptyRoot(NamedTuple):
    """A root without any case run, and why, for people."""

    root: str
    reason: str


class Duplicate(NamedTuple):
    """A directory that was left out because another one, found before it, is the same case run."""

    case_run_id: str
    kept: str
    left_out: str


@dataclass(slots=True)
class Found:
    """What lies below the roots.

    Attributes:
        places: sorted case runs.
        eval_runs: `tables.EVAL_RUNS`, sorted by id; also those without a case run.
        issues: `tables.ISSUES`: oddities outside case runs, sorted; `case_run_id` holds what there is of it,
            `<eval_run_id>` or `<eval_run_id>/<case_id>`, or the root as it was given, and `document` a name below that.
        empty_roots: roots without any case run: with nothing else found there is no input.
        duplicates: other directories of the same case run id; a directory that two roots lead to is none.
    """

    places: list[CaseRunPlace] = field(default_factory=list)
    eval_runs: pl.DataFrame = field(default_factory=EVAL_RUNS.empty)
    issues: pl.DataFrame = field(default_factory=ISSUES.empty)
    empty_roots: list[EmptyRoot] = field(default_factory=list)
    duplicates: list[Duplicate] = field(default_factory=list)


def find_case_runs(roots: Sequence[Path | str], limits: Limits) -> Found:
    """The case runs below runs roots, eval run directories or case run directories.

    Symbolic links below a root are not followed but reported, hidden directories above the trials are left
    out, and reported where they would be eval runs or cases.
    """
    search = _Search(limits)
    for root in roots:
        search.look_below(os.fspath(root))
    return search.result()


class _Search:
    """Collects what the roots hold; a directory counts once, whichever root leads to it."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._found = Found()
        self._places: dict[str, CaseRunPlace] = {}
        self._eval_runs: dict[str, EvalRun] = {}
        self._issues: set[tuple[str, str, str | None, str]] = set()
        self._met = 0

    def result(self) -> Found:
        """Everything that was found, sorted."""
        found = self._found
        found.places = sorted(self._places.values(), key=lambda place: place[:3])
        seen = {place.eval_run_id for place in found.places}
        for name, (_, odd) in self._eval_runs.items():
            for code, detail in odd if name not in seen else ():
                self._issue(name, RECORD_OF_EVAL_RUN, code, detail)
        issues = sorted(self._issues, key=lambda issue: (issue[0], issue[2] or "", issue[1], issue[3]))
        found.issues = pl.DataFrame(issues, schema=ISSUES.schema, orient="row")
        rows = [(name, *record[:-1], *record.agent) for name, (record, _) in sorted(self._eval_runs.items())]
        found.eval_runs = pl.DataFrame(rows, schema=EVAL_RUNS.schema, orient="row")
        return found

    def look_below(self, root: str) -> None:
        """All case runs of one root."""
        self._met = 0
        if not os.path.isdir(root):
            self._found.empty_roots.append(EmptyRoot(root, _no_directory(root)))
            return
        whole = os.path.abspath(root)
        above = whole.split(os.sep)
        if len(above) > 4 and above[-3] == CASES and above[-1].startswith("trial-"):
            reason = self._case_run(_up(root, 4), above[-4], above[-2], above[-1])
        elif os.path.lexists(os.path.join(root, RECORD_OF_EVAL_RUN)) or (
            os.path.isdir(os.path.join(root, CASES)) and not _is_eval_run_called_cases(os.path.join(root, CASES))
        ):
            reason = self._eval_run(_up(root, 1), above[-1])
        else:
            reason = self._runs_root(root)
        if not self._met:
            self._found.empty_roots.append(EmptyRoot(root, reason))

    def _runs_root(self, root: str) -> str:
        eval_runs = [
            name for name in self._folders(root, printable(root), "", _seems_eval_run) if self._is_eval_run(root, name)
        ]
        for name in eval_runs:
            self._eval_run(root, name)
        if CASES in os.path.abspath(root).split(os.sep)[-2:]:
            return "it lies within an eval run: name the eval run's directory, the one that holds `cases/`"
        if not eval_runs:
            return "no directory in it is an eval run: one holds `cases/` or `eval_run.json`"
        return "its eval runs hold no directory `cases/<case_id>/trial-<n>`"

    def _is_eval_run(self, root: str, name: str) -> bool:
        """Whether a directory is an eval run; where nothing can be told of it, that is an issue."""
        place = os.path.join(root, name)
        try:
            return _holds(place, CASES, stat.S_ISDIR) or _holds(place, RECORD_OF_EVAL_RUN, stat.S_ISREG)
        except OSError as fault:
            self._issue(printable(name), None, "document_unreadable", reason_of(fault))
            return False

    def _eval_run(self, runs_root: str, name: str) -> str:
        eval_run_id = printable(name)
        record = self._record(runs_root, name)
        if CASES not in self._folders(os.path.join(runs_root, name), eval_run_id, ""):
            return f"it is an eval run but holds no directory `{CASES}`"
        cases = os.path.join(runs_root, name, CASES)
        for case in self._folders(cases, eval_run_id, CASES, _is_case):
            place = f"{eval_run_id}/{printable(case)}"
            for trial in self._folders(os.path.join(cases, case), place, "", hidden=True):
                self._trial(runs_root, name, case, trial, record)
        return "it is an eval run but holds no directory `cases/<case_id>/trial-<n>`"

    def _case_run(self, runs_root: str, eval_run: str, case: str, trial: str) -> str:
        self._trial(runs_root, eval_run, case, trial, self._record(runs_root, eval_run))
        return f"it is no case run: {_TRIAL_WANTED}"

    def _trial(self, runs_root: str, eval_run: str, case: str, trial: str, record: EvalRun) -> None:
        eval_run_id, case_id = printable(eval_run), printable(case)
        number = _TRIAL.fullmatch(trial)
        if number is None:
            at = f"{eval_run_id}/{case_id}"
            self._issue(at, printable(trial), "trial_name_invalid", f"not read: {_TRIAL_WANTED}")
            return
        self._met += 1
        directory = f"{eval_run}/{CASES}/{case}/{trial}"
        path = os.path.join(runs_root, directory)
        place = CaseRunPlace(
            eval_run_id,
            case_id,
            trial=int(number[1]),
            runs_root=printable(runs_root),
            directory=printable(directory),
            path=path,
            eval_agent=record.record.agent,
            eval_issues=record.issues,
        )
        known = self._places.setdefault(place.case_run_id, place)
        if known is not place and os.path.realpath(known.path) != os.path.realpath(path):
            self._found.duplicates.append(Duplicate(place.case_run_id, printable(known.path), printable(path)))

    def _record(self, runs_root: str, name: str) -> EvalRun:
        """What `eval_run.json` says; of two eval runs of one id the first one's row is kept."""
        path = os.path.join(runs_root, name, RECORD_OF_EVAL_RUN)
        eval_run_id, result, issues = printable(name), EvalRunRecord(), list[tuple[str, str]]()
        if os.path.lexists(path):
            record, issues = read_record(path, self._limits)
            if record is not None:
                result = eval_run_record(record)
                if differs := contradictions(record, {"eval_run_id": eval_run_id}):
                    issues.append(("record_path_mismatch", differs))
        found = EvalRun(result, tuple(issues))
        self._eval_runs.setdefault(eval_run_id, found)
        return found

    def _folders(
        self, path: str, place: str, below: str, missed: Callable[[str], bool] | None = None, *, hidden: bool = False
    ) -> Iterable[str]:
        """Names of the directories in one, sorted; links, what cannot be read, and hidden ones that are `missed`, become issues."""
        names: list[str] = []
        try:
            with os.scandir(path) as entries:
                for entry in entries:
                    if entry.name[0] == "." and not hidden:
                        if missed and entry.is_dir(follow_symlinks=False) and missed(entry.path):
                            self._issue(place, _below(below, entry.name), "hidden_directory", _HIDDEN)
                        continue
                    if entry.is_symlink():
                        if entry.is_dir():
                            detail = "a symbolic link, not followed: name its target"
                            self._issue(place, _below(below, entry.name), "not_a_regular_file", detail)
                    elif entry.is_dir():
                        names.append(entry.name)
        except OSError as fault:
            self._issue(place, below or None, "document_unreadable", reason_of(fault))
        return sorted(names)

    def _issue(self, place: str, document: str | None, code: str, detail: str) -> None:
        self._issues.add((place, code, document, detail))


def _no_directory(path: str) -> str:
    """Why something is no directory, for people."""
    try:
        os.stat(path)
    except FileNotFoundError:
        return "there is no such directory"
    except (OSError, ValueError) as fault:
        return reason_of(fault)
    return "it is no directory"


def _holds(directory: str, name: str, is_kind: Callable[[int], bool]) -> bool:
    """Whether a directory holds something of a kind; raises `OSError` where that cannot be told."""
    try:
        return is_kind(os.stat(os.path.join(directory, name)).st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return False


def _below(folder: str, name: str) -> str:
    return printable(f"{folder}/{name}" if folder else name)


def _seems_eval_run(path: str) -> bool:
    """Whether a directory holds `cases/` or `eval_run.json`, as far as that can be told."""
    return os.path.isdir(os.path.join(path, CASES)) or os.path.isfile(os.path.join(path, RECORD_OF_EVAL_RUN))


def _is_case(path: str) -> bool:
    """Whether a directory holds a `trial-…`."""
    return any(os.path.basename(below).startswith("trial-") for below in _directories(path))


def _is_eval_run_called_cases(path: str) -> bool:
    """Whether a directory `cases` is an eval run of that name, and not where the cases of an eval run lie.

    It holds `eval_run.json`, or a `cases/` of its own that is no case but holds cases.
    """
    if os.path.isfile(os.path.join(path, RECORD_OF_EVAL_RUN)):
        return True
    within = os.path.join(path, CASES)
    return not _is_case(within) and any(map(_is_case, _directories(within)))


def _directories(path: str) -> Iterator[str]:
    """The directories in one; none where it cannot be read."""
    try:
        with os.scandir(path) as entries:
            yield from (entry.path for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return


def _up(root: str, levels: int) -> str:
    """The directory so many levels above one, spelled as the user spelled it where that is possible."""
    parts = os.path.normpath(root).split(os.sep)
    if len(parts) > levels and not set(parts[-levels:]) & {os.curdir, os.pardir, ""}:
        return os.sep.join(parts[:-levels]) or os.sep
    if len(parts) == levels and not set(parts) & {os.curdir, os.pardir, ""}:
        return os.curdir
    return os.sep.join(os.path.abspath(root).split(os.sep)[:-levels]) or os.sep
