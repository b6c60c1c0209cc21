"""Whether a baseline still holds: its manifest, its export, and its eval run judged again (specification 70, `baseline verify`)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import orjson

from judge_polars.baselines.age import judged_again
from judge_polars.baselines.export import LISTING
from judge_polars.baselines.kept_documents import is_unsafe
from judge_polars.baselines.promotion import export_path
from judge_polars.rulebook import Baseline, RuleBook
from judge_polars.sources import Rows

_MOST_TOLD: Final = 3


@dataclass(frozen=True, slots=True)
class Verified:
    """One thing about a baseline: whether it holds (null where that cannot be told), and what was found."""

    suite_id: str
    what: str
    holds: bool | None
    found: str


def verify(baseline: Baseline, book: RuleBook, root: Path, source: Rows | None = None) -> tuple[Verified, ...]:
    """Everything that should hold of a baseline of the registry at `root`."""
    told = (
        *_of_suite(baseline, book),
        _rubric(baseline, book),
        *_export(baseline, root),
        _judged(baseline, book, source),
    )
    return tuple(Verified(baseline.suite_id, *one) for one in told)


Told = tuple[str, bool | None, str]
"""What, whether it holds, what was found."""


def _of_suite(baseline: Baseline, book: RuleBook) -> Iterator[Told]:
    suite = next((one for one in book.suites if one.id == baseline.suite_id), None)
    if suite is None:
        yield "suite", False, f"the registry has no suite {baseline.suite_id}"
        return
    same = suite.version == baseline.suite_version
    told = f"version {suite.version}" if same else f"promoted at version {baseline.suite_version}, now {suite.version}"
    yield "suite version", same, told
    remembered = {case.case_id for case in baseline.cases}
    lacking = [case_id for case_id in suite.cases if case_id not in remembered]
    beyond = sorted(remembered - set(suite.cases))
    parts = [f"the suite has also {_listed(lacking)}"] if lacking else []
    parts += [f"the suite has no longer {_listed(beyond)}"] if beyond else []
    yield "cases of the suite", not parts, "; ".join(parts) or f"all {len(remembered)}"


def _rubric(baseline: Baseline, book: RuleBook) -> Told:
    """Case versions and digests are the registry's."""
    cases = {case.id: case for case in book.cases}
    parts = []
    for case in baseline.cases:
        now = cases.get(case.case_id)
        if now is None:
            parts.append(f"{case.case_id} is not in the registry")
        elif now.version != case.case_version:
            parts.append(f"{case.case_id} was version {case.case_version}, now {now.version}")
        elif now.digest != case.case_digest:
            parts.append(f"{case.case_id} has changed, its version has not")
    return "case versions and digests", not parts, _listed(parts, "; ") or "as at promotion"


def _export(baseline: Baseline, root: Path) -> Iterator[Told]:
    directory = export_path(root, baseline.eval_run_id)
    listed = None if is_unsafe(baseline.eval_run_id) else _listing(directory / LISTING)
    if listed is None:
        yield "export", False, f"there is no {directory / LISTING} that could be read; promote the eval run again"
        return
    if listed.get("eval_run_id") != baseline.eval_run_id:
        yield "export", False, f"{directory / LISTING} is of another eval run"
        return
    files = {file["path"]: file["sha256"] for file in listed["files"]}
    faults = [f"{path} {fault}" for path in sorted(files) if (fault := _fault(directory, path, files[path]))]
    there = {
        path.relative_to(directory).as_posix()
        for path in directory.rglob("*")
        if not path.is_dir() or path.is_symlink()
    }
    faults += [f"{path} is not in the list" for path in sorted(there - set(files) - {LISTING})]
    yield "export", not faults, _listed(faults, "; ") or f"{len(files)} files, unchanged"


def _listing(path: Path) -> dict[str, Any] | None:
    """`EXPORT.json`, or None where it is not there or not of its form."""
    try:
        if not path.is_file():  # it may be a pipe
            return None
        record = orjson.loads(path.read_bytes())
        files = record["files"]
        fine = all(isinstance(file["path"], str) and isinstance(file["sha256"], str) for file in files)
    except (OSError, ValueError, KeyError, TypeError):
        return None
    return record if fine and isinstance(record, dict) else None


def _fault(directory: Path, path: str, digest: str) -> str | None:
    """What is wrong with an exported file; None where nothing is."""
    if is_unsafe(path):
        return "is no path in the export"
    file = directory / path
    try:
        if file.is_symlink() or not file.is_file():
            return "is missing"
        found = hashlib.sha256(file.read_bytes()).hexdigest()
    except OSError as wrong:
        return f"cannot be read: {wrong.strerror}"
    return None if found == digest else "has changed"


def _judged(baseline: Baseline, book: RuleBook, source: Rows | None) -> Told:
    """The eval run judged again gives the same."""
    again = None if source is None else judged_again(source, baseline, book, anew=True)
    if again is None:
        return "judged again", None, f"{baseline.eval_run_id} is not among the judged runs"
    parts = []
    for row in again:
        names = [
            name
            for name in ("verdict", "primary_failure_code", "passed_trials", "trials", "score")
            if row[name][0] != row[name][1]
        ]
        parts.append(
            f"{row['case_id']}: "
            + ", ".join(f"{name} {_value(row[name][0])} → {_value(row[name][1])}" for name in names)
        )
    return "judged again", not parts, _listed(parts, "; ") or "the same verdicts, codes, trials and scores"


def _value(value: object) -> str:
    return "none" if value is None else f"{value:g}" if isinstance(value, float) else str(value)


def _listed(parts: list[str], between: str = ", ") -> str:
    more = f"{between}… ({len(parts)} in all)" if len(parts) > _MOST_TOLD else ""
    return between.join(parts[:_MOST_TOLD]) + more
