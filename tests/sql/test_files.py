"""The files of `sql/` as files: one object each, commented, tested, in the style that is set."""

from __future__ import annotations

import re
from pathlib import Path

from judge_polars.history.sql_files import sql_files
from tests.sql.history_builder import History

TESTS = Path(__file__).parent
CREATES = re.compile(r"^create or replace (view|table|macro) (\w+)", re.MULTILINE)
OBJECTS = [CREATES.findall(path.read_text("utf-8")) for path in sql_files()]


def test_each_file_creates_the_one_object_that_it_is_named_for() -> None:
    assert [[name for _, name in created] for created in OBJECTS] == [[path.stem[4:]] for path in sql_files()]


def test_each_view_and_table_has_a_file_of_tests_and_each_macro_a_test() -> None:
    tests = "\n".join(path.read_text("utf-8") for path in TESTS.glob("test_*.py"))
    untested = [
        name
        for [(kind, name)] in OBJECTS
        if not (TESTS / f"test_{name}.py").exists()
        and not name.startswith(("audit_", "bucket_"))
        and (kind != "macro" or name not in tests)
    ]
    assert untested == []


def test_each_object_and_column_has_a_comment(history: History) -> None:
    views = history.rows("select view_name, comment from duckdb_views() where not internal")
    tables = history.rows("select table_name, comment from duckdb_tables() where not internal")
    own = "not internal and database_name = current_database()"
    macros = history.rows(f"select function_name, comment from duckdb_functions() where {own}")
    columns = history.rows("select table_name || '.' || column_name, comment from duckdb_columns() where not internal")
    assert [name for name, comment in (*views, *tables, *macros, *columns) if not comment] == []
    assert {name for [(_, name)] in OBJECTS} <= {name for name, _ in (*views, *tables, *macros)}


def test_each_view_reads_what_its_header_says(history: History) -> None:
    """Every table, view and macro that the statement names is in the line `reads` of its header."""
    known = {name for [(_, name)] in OBJECTS}
    known |= {name for (name,) in history.rows("select table_name from duckdb_tables() where not internal")}
    for path in sql_files():
        sql = path.read_text("utf-8")
        header = "\n".join(line for line in sql.splitlines() if line.startswith("--"))
        reads = header.partition("reads:")[2].partition("rule:")[0]
        body = CREATES.split(sql.partition("\ncomment on")[0])[-1]
        body = re.sub(r"'(?:[^']|'')*'", lambda literal: "''" if " " in literal[0] else literal[0], body)
        named = {
            *re.findall(r"\b(?:from|join)\s+(\w+)", body),
            *re.findall(r"\b(\w+)\(", body),
            *re.findall(r"'(\w+)'\)", body),
        }
        own = {path.stem[4:], *re.findall(r"^\s*(?:with )?(\w+) as (?:materialized )?\($", body, re.MULTILINE)}
        missing = {
            name
            for name in (named & known) - own
            if name not in reads and not ("bucket_…" in reads and "bucket_" in name)
        }
        assert missing == set(), path.name


def test_names_no_path_and_no_extension() -> None:
    for path in sql_files():
        sql = path.read_text("utf-8")
        assert not re.search(r"\b(install|load|attach|read_\w+|copy)\b[ (]", sql.lower()), path.name
