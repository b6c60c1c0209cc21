"""`history/views.py`: a database whose views are loaded when a query names them."""

from __future__ import annotations

from pathlib import Path

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from judge_polars.errors import JudgePolarsError
from judge_polars.history.views import VerdictDatabase, borrow_database, give_back_database, view_files
from judge_polars.tables import PUBLISHED_TABLES

SUITES = next(table for table in PUBLISHED_TABLES if table.name == "suites")
ONE_SUITE = SUITES.frame({name: ["s" if name == "suite_id" else None] for name in SUITES.schema})


@pytest.fixture
def database() -> VerdictDatabase:
    return VerdictDatabase()


def loaded(database: VerdictDatabase) -> set[str]:
    return set(database._loaded)


LAST = sorted(set(view_files()) - {need for file in view_files().values() for need in file.needs})
"""What nothing else needs."""


@pytest.mark.parametrize("name", LAST)
def test_what_a_file_needs_is_loaded_with_it(name: str) -> None:
    """Each alone, in a database in which nothing was loaded before."""
    kind = view_files()[name].statement.strip().split()[3]
    database = VerdictDatabase()
    if kind == "macro":
        database._load(name)
    else:
        database.sql(f"from {name} limit 1")
    assert name in loaded(database)
    database.close()


def test_nothing_is_loaded_that_is_not_asked_for(database: VerdictDatabase) -> None:
    database.sql("from suites")
    assert loaded(database) == set()
    database.sql("select * from VERDICT_precedence")
    assert "verdict_precedence" in loaded(database)
    assert "verdict_decisions" not in loaded(database)
    database.sql("from all_verdicts")
    assert "baseline_regressions" not in loaded(database)


@pytest.mark.parametrize(
    "query",
    [
        "select view_name from duckdb_views() where not internal",
        "select table_name from information_schema.views where table_schema = 'main'",
        "select name from (show all tables)",
    ],
)
def test_who_asks_what_there_is_finds_everything(database: VerdictDatabase, query: str) -> None:
    found = set(database.sql(query).to_series())
    assert {"baseline_regressions", "audit_repeated_keys", "help"} <= found


def test_comments_are_there_for_who_looks_at_them(database: VerdictDatabase) -> None:
    database.sql("from verdicts")
    found = database.sql("select comment from duckdb_columns() where table_name in ('verdicts', 'case_runs')")
    assert found.height > 40
    assert found["comment"].null_count() == 0


def test_a_name_that_is_put_together_is_found(database: VerdictDatabase) -> None:
    assert database.sql("from query_table('fail' || 'ures')").is_empty()


def test_a_name_that_is_not_there_is_an_error(database: VerdictDatabase) -> None:
    with pytest.raises(duckdb.CatalogException, match="nothing_such"):
        database.sql("from nothing_such")


def test_a_frame_of_another_table_is_refused(database: VerdictDatabase) -> None:
    with pytest.raises(JudgePolarsError, match="suites"):
        database.fill({"suites": pl.DataFrame({"suite_id": ["s"]})})


def test_an_unknown_table_is_refused(database: VerdictDatabase) -> None:
    with pytest.raises(JudgePolarsError, match=r"no published table has the name verdict\b.*eval_runs"):
        database.fill({"verdict": pl.DataFrame()})


def test_a_query_cannot_read_python_variables(database: VerdictDatabase) -> None:
    frame = pl.DataFrame({"secret": [1]})
    with pytest.raises(duckdb.Error, match="frame"):
        database.sql("from frame")
    assert frame.height == 1


def test_a_query_cannot_read_files(database: VerdictDatabase, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("a\n1\n")
    with pytest.raises(duckdb.Error, match="disabled"):
        database.sql(f"from '{tmp_path}/a.csv'")


def test_statements_that_change_something_are_run_once(database: VerdictDatabase) -> None:
    found = database.sql("create table mine as select 1 as a; select count(*) from mine, query_table('fail' || 'ures')")
    assert found.row(0) == (0,)
    assert database.sql("from mine").height == 1


class TestBorrowing:
    def test_the_next_one_finds_it_empty(self) -> None:
        first = borrow_database({"suites": ONE_SUITE})
        assert_frame_equal(first.sql("from suites"), ONE_SUITE)
        first.sql("from failures")
        give_back_database(first)
        second = borrow_database({})
        assert second is first
        assert second.sql("from suites").is_empty()
        second.close()

    @pytest.mark.parametrize(
        "statement", ["create table mine (a int)", "set variable a = 1", "from suites; drop table suites"]
    )
    def test_one_that_was_changed_is_not_used_again(self, statement: str) -> None:
        first = borrow_database({})
        first.sql(statement)
        give_back_database(first)
        second = borrow_database({})
        assert second is not first
        second.close()
