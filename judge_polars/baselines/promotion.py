"""Promotion: an eval run becomes the baseline of its suite (specification 10, "Suites and baselines")."""

from __future__ import annotations

import getpass
import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from judge_polars.baselines.difference import COLUMNS, cases_against_baseline
from judge_polars.baselines.export import Export, write_export
from judge_polars.baselines.overlay import beside_baseline
from judge_polars.baselines.refusals import Refusal, overwritten, refusals
from judge_polars.baselines.snapshot import case_rows, manifest_text, snapshot
from judge_polars.baselines.source import Row, eval_run_row
from judge_polars.errors import InputError
from judge_polars.masking import require_scanner
from judge_polars.rulebook import Baseline, RuleBook, Suite
from judge_polars.sources import Rows, Source


@dataclass(frozen=True, slots=True)
class Plan:
    """What the promotion of an eval run would do.

    Attributes:
        baseline: the manifest that would be written.
        before: the active baseline of the suite in the registry; null where there is none.
        changes: rows of `difference.COLUMNS` for every case of the suite, and `dropped` for those that only the baseline has;
            with `case_version`, `other_case_version`, `comparable`.
        other_rubric: cases that were judged by another rubric than the registry's.
        refusals: every reason against it.
    """

    baseline: Baseline
    before: Baseline | None
    changes: tuple[Row, ...]
    other_rubric: tuple[str, ...]
    refusals: tuple[Refusal, ...]


@dataclass(frozen=True, slots=True)
class Promotion:
    """What was written."""

    plan: Plan
    manifest: Path
    directory: Path
    export: Export


def manifest_path(root: Path, suite_id: str) -> Path:
    """Where the manifest of a suite's baseline lies in a registry."""
    return root / "baselines" / f"{suite_id}.yaml"


def export_path(root: Path, eval_run_id: str) -> Path:
    """Where the export of a promoted eval run lies in a registry."""
    return root / "baselines" / "runs" / eval_run_id


def plan_promotion(
    source: Rows,
    eval_run_id: str,
    book: RuleBook,
    *,
    promoted_at: datetime | None = None,
    created_by: str | None = None,
    notes: str = "",
    allow_lower: bool = False,
) -> Plan:
    """What promoting an eval run would write and change, and what speaks against it.

    Raises:
        UsageError: there is no such eval run.
        InputError: it names no suite, or one that the registry does not know.
    """
    eval_run = eval_run_row(source, eval_run_id)
    suite = _suite(eval_run, book)
    rows = case_rows(source, eval_run_id)
    before = next((one for one in book.baselines if one.suite_id == suite.id), None)
    changes = _changes(source, eval_run_id, suite, rows, before, book)
    digests = {case.id: case.digest for case in book.cases}
    return Plan(
        baseline=snapshot(
            rows,
            suite,
            eval_run_id,
            promoted_at=promoted_at or datetime.now(UTC),
            created_by=_user() if created_by is None else created_by,
            notes=notes,
        ),
        before=before,
        changes=changes,
        other_rubric=tuple(
            key for key in sorted(suite.cases) if key in rows and rows[key]["case_digest"] != digests.get(key)
        ),
        refusals=refusals(source, eval_run, suite, rows, changes, allow_lower=allow_lower),
    )


def promote(
    source: Source, plan: Plan, root: Path, book: RuleBook, *, force: bool = False, own_patterns: bool = False
) -> Promotion:
    """Write the export, then the manifest; each is there whole or not at all.

    Args:
        root: the registry's directory.
        force: whether a manifest and an export that are there give way.
        own_patterns: whether our own patterns for secrets are enough where the scanner is not installed.

    Raises:
        InputError: something speaks against it (all reasons are told), or it cannot be written.
        MissingPieceError: the scanner for secrets is not installed.
    """
    manifest = manifest_path(root, plan.baseline.suite_id)
    directory = export_path(root, plan.baseline.eval_run_id)
    against = (*plan.refusals, *(() if force else overwritten(manifest, directory)))
    if against:
        reasons = (f"  - {one.message} [{one.code}]" for one in against)
        raise InputError(f"{plan.baseline.eval_run_id} is not promoted:", *reasons)
    if not own_patterns:
        require_scanner()
    text = manifest_text(plan.baseline)
    export = write_export(source, plan.baseline, directory, book.layout["logs_dir"], replace=force)
    _write(manifest, text)
    return Promotion(plan, manifest, directory, export)


def _suite(eval_run: Row, book: RuleBook) -> Suite:
    suite_id = eval_run["suite_id"]
    suite = next((one for one in book.suites if one.id == suite_id), None)
    if suite is None:
        known = ", ".join(one.id for one in book.suites) or "none"
        told = (
            "does not say which suite it ran"
            if suite_id is None
            else f"ran the suite {suite_id}, which the registry lacks"
        )
        raise InputError(
            f"{eval_run['eval_run_id']} {told}; a baseline belongs to one of the registry's suites: {known}"
        )
    return suite


def _changes(
    source: Rows, eval_run_id: str, suite: Suite, rows: dict[str, Row], before: Baseline | None, book: RuleBook
) -> tuple[Row, ...]:
    versions = {} if before is None else {case.case_id: case.case_version for case in before.cases}
    told = []
    for row in _differing(source, eval_run_id, rows, before, book):
        case_id = row["case_id"]
        now = rows.get(case_id)
        if case_id not in suite.cases:
            if case_id not in versions:
                continue
            row = row | {"change": "dropped"}
        told.append(
            {
                **row,
                "case_version": None if now is None else now["newest_case_version"],
                "other_case_version": versions.get(case_id),
                "comparable": None if now is None else now["comparable"],
            }
        )
    return tuple(told)


def _differing(
    source: Rows, eval_run_id: str, rows: dict[str, Row], before: Baseline | None, book: RuleBook
) -> tuple[Row, ...]:
    """The eval run's cases against the suite's baseline; without one each is new."""
    if before is not None:
        return cases_against_baseline(beside_baseline(source, before, book, eval_run_id), eval_run_id)
    empty: Row = dict.fromkeys(COLUMNS)
    return tuple(
        empty | {"change": "new_case"} | {name: row[name] for name in COLUMNS if name in row} for row in rows.values()
    )


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return ""


def _write(path: Path, text: str) -> None:
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with beside.open("w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except OSError as wrong:
        beside.unlink(missing_ok=True)
        raise InputError(f"the manifest {path} cannot be written: {wrong.strerror or wrong}") from wrong
