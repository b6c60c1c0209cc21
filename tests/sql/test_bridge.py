"""`history/bridge.py`: frames into DuckDB and back."""

from __future__ import annotations

from datetime import UTC, datetime

import duckdb
import polars as pl
import pytest
from polars.testing import assert_frame_equal

from judge_polars.errors import JudgePolarsError
from judge_polars.history import bridge
from judge_polars.tables import PUBLISHED_TABLES, Table
from tests.sql.history_builder import History

VALUES: dict[type, list[object]] = {
    pl.String: ["", "ä 中 \N{PILE OF POO}", None, "a'b\"c\n\x00d"],
    pl.Int64: [0, -(2**63), 2**63 - 1, None],
    pl.Float64: [0.1, float("inf"), None, -1e-310],
    pl.Boolean: [True, False, None, True],
    pl.Datetime: [datetime(2025, 3, 4, 9, 0, 0, 123456, UTC), datetime(1969, 1, 1, tzinfo=UTC), None, None],
    pl.List: [["a", "b"], [], None, ["", "ü"]],
}


def full_frame(table: Table) -> pl.DataFrame:
    """Four rows with the edges of each column's type."""
    return pl.DataFrame(
        {column.name: VALUES[column.dtype.base_type()] for column in table.columns}, schema=table.schema, strict=True
    )


@pytest.mark.parametrize("table", PUBLISHED_TABLES, ids=lambda table: table.name)
def test_every_table_comes_back_as_it_went(history: History, table: Table) -> None:
    with duckdb.connect() as con:
        con.execute(bridge.table_sql(table))
        frame = full_frame(table)
        bridge.insert(con, table, frame)
        assert_frame_equal(bridge.read(con, f"from {table.name}"), frame)


def test_tables_tell_their_grain_and_meanings(history: History) -> None:
    comments = dict(history.rows("select table_name, comment from duckdb_tables() where not internal"))
    meanings = history.rows("select table_name, column_name, comment from duckdb_columns() where not internal")
    told = {(table, column): comment for table, column, comment in meanings}
    for table in PUBLISHED_TABLES:
        assert comments[table.name] == table.grain
        assert [told[table.name, column.name] for column in table.columns] == [c.meaning for c in table.columns]


def test_columns_go_by_name(history: History) -> None:
    table = next(table for table in PUBLISHED_TABLES if table.name == "suite_cases")
    row = {"position": [3], "case_id": ["c"], "suite_id": ["s"], "suite_digest": ["d"]}
    history.add("suite_cases")
    bridge.insert(history.con, table, pl.DataFrame(row))
    assert history.rows("select suite_digest, suite_id, case_id, position from suite_cases") == [("d", "s", "c", 3)]


def test_a_type_that_no_table_has_is_refused() -> None:
    with pytest.raises(JudgePolarsError, match="Duration"):
        bridge.duckdb_type(pl.Duration())


class TestRead:
    @pytest.mark.parametrize(
        ("expression", "expected"),
        [
            pytest.param("sum(x)", pl.Series([6], dtype=pl.Int64), id="a sum of integers"),
            pytest.param("count(*)", pl.Series([3], dtype=pl.Int64), id="a count"),
            pytest.param("sum(x) / 4", pl.Series([1.5]), id="a ratio"),
            pytest.param("any_value('a'::enum ('a', 'b'))", pl.Series(["a"]), id="a word of a closed set"),
            pytest.param("sum(x) filter (where x > 5)", pl.Series([None], dtype=pl.Int64), id="no sum"),
            pytest.param(
                "max(timestamptz '2025-03-04 17:00:00+08')",
                pl.Series([datetime(2025, 3, 4, 9, tzinfo=UTC)], dtype=pl.Datetime("us", "UTC")),
                id="a time",
            ),
            pytest.param(
                "max(timestamp '2025-03-04 17:00:00')", pl.Series([datetime(2025, 3, 4, 17)]), id="a time without zone"
            ),
            pytest.param("max(1.25::decimal(9, 2))", pl.Series(["1.25"]).cast(pl.Decimal(9, 2)), id="a decimal"),
        ],
    )
    def test_types_are_plain(self, history: History, expression: str, expected: pl.Series) -> None:
        found = history.frame(f"select {expression} as found from (values (1), (2), (3)) as t (x)").to_series()
        assert found.dtype == expected.dtype
        assert found.to_list() == expected.to_list()

    def test_a_sum_beyond_64_bits_is_not_lost(self, history: History) -> None:
        found = history.frame("select sum(x) as found from (values (9223372036854775807), (1)) as t (x)").to_series()
        assert str(found[0]) == "9223372036854775808"

    def test_times_are_utc_whatever_the_session(self) -> None:
        with duckdb.connect() as con:
            con.execute("set timezone = 'Asia/Shanghai'")
            frame = bridge.read(con, "select timestamptz '2025-03-04 09:00:00+00' as at")
        assert frame.schema == {"at": pl.Datetime("us", "UTC")}
        assert frame.item() == datetime(2025, 3, 4, 9, tzinfo=UTC)

    def test_parameters_stand_for_question_marks(self, history: History) -> None:
        assert history.rows("select ? || ?", "a'; --", "b") == [("a'; --b",)]

    def test_a_statement_without_rows_gives_an_empty_frame(self, history: History) -> None:
        assert bridge.read(history.con, "set variable nothing = 1").is_empty()
        assert bridge.read(history.con, "reset variable nothing").is_empty()
