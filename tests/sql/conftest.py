"""One database with all views for all tests of `sql/`; each test fills its tables and leaves them empty."""

from collections.abc import Iterator

import duckdb
import pytest

from tests.sql.history_builder import History, new_database


@pytest.fixture(scope="session")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """Empty tables and every view."""
    with new_database() as con:
        yield con


@pytest.fixture
def history(database: duckdb.DuckDBPyConnection) -> Iterator[History]:
    """An empty history."""
    empty = History(database)
    yield empty
    empty.clear()
