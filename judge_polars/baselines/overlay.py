"""A source's eval runs beside the baselines of a registry, where the source knows other ones.

A history has the baselines of the registry that judged last; after a promotion the registry is ahead of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from judge_polars.baselines.source import Row, rows_of
from judge_polars.book_tables import registry_tables
from judge_polars.judgment import Judgment
from judge_polars.rulebook import Baseline, RuleBook
from judge_polars.sources import Rows
from judge_polars.tables import PUBLISHED_TABLES, Table

_OF_EVAL_RUNS: Final = ("case_runs", "judged_case_runs")
_OF_JUDGED: Final = ("superseded_case_runs", "check_outcomes")
_WHOLE: Final = ("eval_runs", "cases", "case_buckets", "checks", "suites", "suite_cases", "judgments")


def active_baseline(source: Rows, suite_id: str) -> Row | None:
    """Eval run and time of promotion of the baseline that a source compares a suite with."""
    found = rows_of(source, "select eval_run_id, promoted_at from baselines where suite_id = ? and active", suite_id)
    return found[0] if found else None


def beside_baseline(source: Rows, baseline: Baseline, book: RuleBook, eval_run_id: str) -> Rows:
    """The source itself where its baseline of the suite is the registry's, else a copy of the eval run beside the registry's.

    The copy has the eval run and the promoted one, with all eval runs' records, and everything that verdicts depend on.
    """
    known = active_baseline(source, baseline.suite_id)
    if known == {"eval_run_id": baseline.eval_run_id, "promoted_at": baseline.promoted_at}:
        return source
    tables = {table.name: table for table in PUBLISHED_TABLES}
    ids = [eval_run_id, baseline.eval_run_id]
    frames = {name: _rows(source, tables[name]) for name in _WHOLE}
    frames |= {name: _rows(source, tables[name], "where eval_run_id in (?, ?)", ids) for name in _OF_EVAL_RUNS}
    of_these = "where judged_key in (select judged_key from judged_case_runs where eval_run_id in (?, ?))"
    frames |= {name: _rows(source, tables[name], of_these, ids) for name in _OF_JUDGED}
    promoted = registry_tables(book, ())
    frames |= {name: promoted[name] for name in ("baselines", "baseline_cases")}
    empty = {name: table.empty() for name, table in tables.items()}
    return Judgment({**empty, **frames})


def _rows(source: Rows, table: Table, condition: str = "", parameters: Sequence[object] = ()) -> pl.DataFrame:
    columns = ", ".join(f'"{name}"' for name in table.schema)
    found = source.sql(f"select {columns} from {table.name} {condition}", list(parameters))
    return table.check(found.cast(table.schema))
