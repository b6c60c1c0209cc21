"""What every file of `sql/` keeps to: a header, one object, a comment on the object and on each of its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import takewhile
from pathlib import Path

import duckdb
import pytest

from judge_polars.history.bridge import create_tables
from judge_polars.history.sql_files import sql_files

FILES = sql_files()
HEADER_KEYS = ("what", "grain", "reads", "rule")
CREATE = re.compile(r"^\s*create\s+(?:or\s+replace\s+)?(\w+)\s+(\w+)", re.IGNORECASE | re.MULTILINE)
CREATE_OR_REPLACE = re.compile(r"^create or replace (view|table|macro) (\w+)", re.MULTILINE)


@pytest.fixture(scope="module")
def database() -> Iterator[duckdb.DuckDBPyConnection]:
    """An empty history: the declared tables without rows, and every file of `sql/`, loaded in order."""
    with duckdb.connect() as connection:
        create_tables(connection)
        for file in FILES:
            try:
                connection.execute(file.read_text())
            except duckdb.Error as error:
                pytest.fail(f"{file.name}: {error}")
        yield connection


def header_keys(sql: str) -> list[str]:
    """Those of `HEADER_KEYS` that the comment lines at the top give a text to, in their order."""
    comments = takewhile(lambda line: line.startswith("--"), sql.splitlines())
    found = [key for line in comments for key in re.findall(r"^-- (\w+): +\S", line)]
    return [key for key in found if key in HEADER_KEYS]


def created(sql: str) -> tuple[str, str]:
    """Kind and name of the one object that a file creates."""
    [(kind, name)] = CREATE_OR_REPLACE.findall(sql)
    return kind, name


@pytest.mark.parametrize(
    ("sql", "keys"),
    [
        pytest.param("-- what: a\n-- grain: b\n-- reads: c\n-- rule: d\n-- e\nselect 1", [*HEADER_KEYS], id="whole"),
        pytest.param("-- what: a\n-- grain:\nselect 1", ["what"], id="key-without-a-text"),
        pytest.param("-- what: a\nselect 1\n-- rule: d", ["what"], id="key-below-the-header"),
        pytest.param("select 1", [], id="none"),
    ],
)
def test_header_keys(sql: str, keys: list[str]) -> None:
    assert header_keys(sql) == keys


def test_there_are_sql_files() -> None:
    assert FILES


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
class TestSqlFile:
    def test_has_a_number_of_its_own(self, file: Path) -> None:
        assert re.fullmatch(r"\d{3}_[a-z0-9_]+\.sql", file.name)
        assert [other.name for other in FILES if other.name[:3] == file.name[:3]] == [file.name]

    def test_has_a_header(self, file: Path) -> None:
        assert header_keys(file.read_text()) == list(HEADER_KEYS)

    def test_creates_one_object(self, file: Path) -> None:
        sql = file.read_text()
        assert len(CREATE.findall(sql)) == 1
        assert len(CREATE_OR_REPLACE.findall(sql)) == 1

    def test_comments_on_the_object_and_its_columns(self, file: Path, database: duckdb.DuckDBPyConnection) -> None:
        kind, name = created(file.read_text())
        if kind == "macro":
            rows = database.execute("select comment from duckdb_functions() where function_name = ?", [name]).fetchall()
            assert rows
            assert all(comment for (comment,) in rows)
            return
        [(comment,)] = database.execute(
            f"select comment from duckdb_{kind}s() where {kind}_name = ? and not internal", [name]
        ).fetchall()
        assert comment
        columns = database.execute(
            "select column_name, comment from duckdb_columns() where table_name = ? and not internal", [name]
        ).fetchall()
        assert columns
        assert [column for column, comment in columns if not comment] == []
