"""Tries mutants of views one after the other in one process: a view takes the place of another in an open database.

A test of a view asks a database that all tests share.  So the file is changed, what it creates is created anew in every
open database, with the tables that later files make, and behind the tests all is put back as it was.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import pytest
from _pytest.runner import runtestprotocol

from mutants.mutant import Mutant

FOLDER: Final = "sql/"
TESTS: Final = "tests/sql/"
_TWO_FILES: Final = (f"{TESTS}test_buckets.py", f"{TESTS}test_reasons.py")
"""Quick tests that are always there, so that no file is the only one."""
_TABLE: Final = "create or replace table"


def can_be_tried_together(mutant: Mutant) -> bool:
    """Whether it breaks a view, and tests of views are to notice."""
    return mutant.file.startswith(FOLDER) and all(test.startswith(TESTS) for test in mutant.tests)


class Together:
    """A plugin of pytest that runs each mutant's tests instead of all tests once.

    Writes a line to `results` for each mutant: its name, seconds, the first test that failed or None, and the error
    of a change that is no SQL.
    """

    def __init__(self, tree: Path, mutants: Sequence[Mutant], results: Path) -> None:
        self._tree = tree
        self._mutants = mutants
        self._results = results
        self._databases: list[Any] = []

    def watch(self, module: Any) -> None:
        """Remember the databases that a module opens from now on."""
        connect: Callable[..., Any] = module.connect

        def remembered(*arguments: Any, **options: Any) -> Any:
            self._databases.append(connect(*arguments, **options))
            return self._databases[-1]

        module.connect = remembered

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Instead of running all tests once."""
        _failure(session.items[0], session.items)
        with self._results.open("a", encoding="utf-8") as results:
            for mutant in self._mutants:
                started = time.monotonic()
                failed, error = self._try(mutant, session.items)
                seconds = round(time.monotonic() - started, 1)
                results.write(json.dumps([mutant.name, seconds, failed, error]) + "\n")
                results.flush()
        return True

    def _try(self, mutant: Mutant, items: Sequence[pytest.Item]) -> tuple[str | None, str | None]:
        file = self._tree / mutant.file
        before = file.read_text(encoding="utf-8")
        file.write_text(mutant.apply(self._tree), encoding="utf-8")
        try:
            error = self._create(file)
            failed = (
                None if error else next(filter(None, (_failure(item, items) for item in _chosen(mutant, items))), None)
            )
        finally:
            file.write_text(before, encoding="utf-8")
            self._create(file)
        return failed, error

    def _create(self, file: Path) -> str | None:
        """Create what a file creates, and the tables of later files, in every open database; what was wrong."""
        later = [other for other in sorted(file.parent.glob("*.sql")) if other.name > file.name]
        texts = [file.read_text(encoding="utf-8")]
        texts += [text for other in later if _TABLE in (text := other.read_text(encoding="utf-8"))]
        error = None
        for database in list(self._databases):
            try:
                database.execute("select 1")
            except Exception:
                self._databases.remove(database)
                continue
            try:
                for text in texts:
                    database.execute(text)
            except Exception as fault:
                error = f"{type(fault).__name__}: {fault}"
        return error


def _chosen(mutant: Mutant, items: Sequence[pytest.Item]) -> list[pytest.Item]:
    """The mutant's tests, in its order."""
    return [item for test in mutant.tests for item in items if item.nodeid.split("::")[0] == test]


def _failure(item: pytest.Item, items: Sequence[pytest.Item]) -> str | None:
    """The name of a test that fails; what tests of all files share stays, and nothing else."""
    elsewhere = next(other for other in items if other.path != item.path)
    reports = runtestprotocol(item, log=False, nextitem=elsewhere)
    return item.nodeid if any(report.failed for report in reports) else None


def run_together(tree: Path, mutants: Sequence[Mutant], results: Path, arguments: Sequence[str]) -> int:
    """Try mutants in this process; pytest's exit code."""
    import duckdb

    plugin = Together(tree, mutants, results)
    plugin.watch(duckdb)
    tests = sorted({*_TWO_FILES, *(test for mutant in mutants for test in mutant.tests)})
    sys.stdout.flush()
    return int(pytest.main([*arguments, *tests], plugins=[plugin]))
