"""Histories of random worlds, and their tables in a form that does not tell how they came about."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

import polars as pl

from judge_polars.bundles import find_case_runs
from judge_polars.chronicle import judge_record
from judge_polars.engine import Engine
from judge_polars.history.publish import publish
from judge_polars.history.record import Record
from judge_polars.history.store import open_history
from judge_polars.ingest import ingest_places
from judge_polars.rulebook import Case, Check, RuleBook, Window
from judge_polars.vocabulary import DEFAULT_LAYOUT

TOLD = (
    "eval_runs",
    "case_runs",
    "bundles",
    "documents",
    "facts",
    "metric_series",
    "query_evidence",
    "event_evidence",
    "routing_refs",
    "issues",
    "cases",
    "checks",
    "rules",
    "suites",
    "verdicts",
    "check_results",
)
PASSING = ("judgment_id", "judged_at")
"""Columns that differ from one judging pass to the next."""


def ingest(history: Path, runs: Path, book: RuleBook, *, check_content: bool = False) -> None:
    """Read runs into a history."""
    found = find_case_runs([runs], book.limits)
    ingest_places(history, Engine(book), found, found.places, check_content=check_content)


def judge_all(history: Path, book: RuleBook) -> None:
    """Judge everything that a history holds, and publish."""
    record = Record.open(history)
    judge_record(record, Engine(book))
    publish(record)


def content(history: Path, names: tuple[str, ...] = TOLD) -> Mapping[str, pl.DataFrame]:
    """What a history says, as of the latest judgments, in order."""
    with open_history(history) as opened:
        tables = {}
        for name in names:
            query = f"from {name}"
            if name == "check_results":
                query = "select check_results.* from check_results inner join verdicts using (judgment_id, case_run_id)"
            frame = opened.sql(query)
            frame = frame.drop([column for column in PASSING if column in frame.columns])
            tables[name] = frame.sort(pl.all()) if not frame.is_empty() else frame
    return tables


def case_of(case_id: str, *, checks: tuple[Check, ...]) -> Case:
    """A case with these checks and nothing else."""
    start = datetime(2025, 3, 4, 9, tzinfo=UTC)
    window = Window(start, start + timedelta(minutes=45))
    return Case(
        case_id, 1, case_id, "active", (), "1001", window, (window,), 1, 0, (), (), (), checks, f"sha256:{case_id}"
    )


def book_of_cases(*cases: Case) -> RuleBook:
    """A registry of cases."""
    return RuleBook("", cases, (), (), DEFAULT_LAYOUT, {}, (), "")
