"""Polars frames into DuckDB tables and back, without pyarrow, and the SQL views over them (specification 60)."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import duckdb
import polars as pl

from judge_polars.errors import JudgePolarsError, UsageError
from judge_polars.history.sql_files import sql_files
from judge_polars.tables import PUBLISHED_TABLES, Table

_DUCKDB_TYPES: Final[Mapping[Any, str]] = {
    pl.String: "varchar",
    pl.Int64: "bigint",
    pl.Float64: "double",
    pl.Boolean: "boolean",
    pl.Datetime: "timestamptz",
}


OPENING: Final = ".opening-"
"""How directories begin in which `open_read_only` gives a file another name, for a moment."""


READ_ONLY: Final[Mapping[str, str]] = {
    "enable_external_access": "false",
    "autoinstall_known_extensions": "false",
    "memory_limit": "50%",
    "temp_directory": "",
}
"""Settings of a connection to a published file: what lies in it, perhaps by another's hand, reaches no other file, no network;
a query takes half of the memory at most and no room on the disk."""
_WITHOUT_FRAME: Final = re.compile(
    r"\b(INTERVAL|UNION|BIT|UHUGEINT|BIGNUM|VARIANT|GEOMETRY|TIME WITH TIME ZONE)\b(?=[(\[, )]|$)"
)
"""Types of DuckDB that no frame has, or that it shows as something else."""


class _ArrowStream:
    """A frame as the Arrow stream that DuckDB reads; a frame itself it would only take through pyarrow."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self._frame = frame

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        return self._frame.__arrow_c_stream__(requested_schema)


def duckdb_type(dtype: pl.DataType) -> str:
    """The DuckDB type of a declared column; raises `JudgePolarsError` for a type that no published table has."""
    if isinstance(dtype, pl.List):
        return f"{duckdb_type(pl.Series(dtype=dtype.inner).dtype)}[]"
    try:
        return _DUCKDB_TYPES[dtype.base_type()]
    except KeyError:
        raise JudgePolarsError(f"no DuckDB type is declared for {dtype}") from None


def _literal(text: str) -> str:
    """A text as an SQL literal."""
    return "'" + text.replace("'", "''") + "'"


def _name(name: str) -> str:
    """A name as an SQL identifier."""
    return '"' + name.replace('"', '""') + '"'


def table_sql(table: Table) -> str:
    """The statement that creates a declared table."""
    columns = ", ".join(f"{_name(column.name)} {duckdb_type(column.dtype)}" for column in table.columns)
    return f"create table {_name(table.name)} ({columns});\n"


def comments_sql(table: Table) -> str:
    """The statements that say a declared table's grain, and the meaning of each of its columns."""
    name = _name(table.name)
    return f"comment on table {name} is {_literal(table.grain)};\n" + "".join(
        f"comment on column {name}.{_name(column.name)} is {_literal(column.meaning)};\n" for column in table.columns
    )


def create_tables(con: duckdb.DuckDBPyConnection) -> None:
    """Create every table of `tables.PUBLISHED_TABLES`, empty and with comments."""
    for table in PUBLISHED_TABLES:
        con.execute(table_sql(table) + comments_sql(table))


def insert(con: duckdb.DuckDBPyConnection, table: Table, frame: pl.DataFrame) -> None:
    """Append the rows of `frame` to `table`, column by name; raises `JudgePolarsError` when it is not of that table."""
    checked = table.check(frame)
    if checked.is_empty():
        return
    con.register("frame_to_insert", _ArrowStream(checked))
    try:
        con.execute(f"insert into {_name(table.name)} by name select * from frame_to_insert")
    finally:
        con.unregister("frame_to_insert")


def load_views(con: duckdb.DuckDBPyConnection) -> None:
    """Run every file of `sql/` in order: the macros, tables of rows and views over the published tables."""
    for path in sql_files():
        con.execute(path.read_text("utf-8"))


def supersede(con: duckdb.DuckDBPyConnection, case_runs: str = "from judged_case_runs") -> None:
    """Add to `superseded_case_runs` what rows of `judged_case_runs` that were added since supersede.

    Args:
        case_runs: a query of `eval_run_id` and `case_run_id` of the case runs that have new rows.
    """
    con.execute(f"create or replace temp view case_runs_judged_anew as {case_runs}")
    con.execute(
        """
        insert into superseded_case_runs
        select judged_key from superseded_among('case_runs_judged_anew')
        where judged_key not in (select judged_key from superseded_case_runs)
        """
    )
    con.execute("drop view temp.case_runs_judged_anew")


def read(con: duckdb.DuckDBPyConnection, sql: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
    """The rows of a query; `parameters` stand for its `?`.  A statement without rows gives an empty frame.

    Times are in UTC, sums of integers are integers (DuckDB adds them up in 128 bits, which arrive as decimals; a sum
    beyond 64 bits stays one), and texts of a closed set are texts.
    """
    with interrupted():
        relation = con.sql(sql, params=list(parameters)) if parameters else con.sql(sql)
        return pl.DataFrame() if relation is None else plain(pl.DataFrame(transferable(relation)))


@contextmanager
def interrupted() -> Iterator[None]:
    """Ctrl-C that DuckDB met within a query, and tells as a `RuntimeError`, as what it is."""
    try:
        yield
    except RuntimeError as wrong:
        if str(wrong) == "Query interrupted":
            raise KeyboardInterrupt from wrong
        raise


def transferable(relation: duckdb.DuckDBPyRelation, cut: int | None = None) -> duckdb.DuckDBPyRelation:
    """A relation whose columns a frame can have: of different names (`a`, `a_1`), and as text where Polars has no such type.

    Args:
        cut: characters of a text and elements of a list; a longer one comes with one more.
    """
    names: list[str] = []
    values: list[str] = []
    for position, (name, dtype) in enumerate(zip(relation.columns, map(str, relation.types), strict=True), start=1):
        numbered = (f"{name}_{number}" for number in range(1, position + 1))
        names.append(next(one for one in (name, *numbered) if one not in names))
        as_text = _WITHOUT_FRAME.search(dtype) is not None
        is_cut = cut is not None and (as_text or dtype == "VARCHAR" or dtype.endswith("[]"))
        values.append(f"#{position}{'::varchar' if as_text else ''}{f'[:{cut} + 1]' if is_cut else ''}")
    if names == relation.columns and not any(value.endswith(("varchar", "]")) for value in values):
        return relation
    return relation.project(", ".join(f"{value} as {_name(name)}" for value, name in zip(values, names, strict=True)))


def plain(frame: pl.DataFrame) -> pl.DataFrame:
    """A frame as DuckDB gave it, with the types that the rest of the program has."""
    return frame.with_columns(_plain_column(column) for column in frame.iter_columns() if _is_special(column.dtype))


def open_read_only(database: Path) -> duckdb.DuckDBPyConnection:
    """A connection to a database file as it is now, whatever this process has open of it, with the settings `READ_ONLY`.

    Within a process DuckDB opens a path once, with one set of settings, and goes on giving that file where another has taken its
    place since.  So the file is opened under a name of its own, which is gone at once; where the directory may not be written,
    under its usual one.

    Raises:
        duckdb.Error: it cannot be opened.
    """
    settings: dict[str, str | bool | int | float | list[str]] = dict(READ_ONLY)
    try:
        with tempfile.TemporaryDirectory(prefix=OPENING, dir=database.parent, ignore_cleanup_errors=True) as folder:
            beside = Path(folder) / database.name
            os.link(database.resolve(), beside)
            return duckdb.connect(str(beside.absolute()), read_only=True, config=settings)
    except OSError:
        return duckdb.connect(str(database.resolve()), read_only=True, config=settings)


def chosen_case_runs(con: duckdb.DuckDBPyConnection, condition: str) -> pl.DataFrame:
    """`case_run_id` of the case runs for which an SQL condition over the view `verdicts` holds (`--where`).

    The connection must have no access to files, networks or extensions: the condition is the user's.

    Raises:
        UsageError: it is no condition, or more than one.
    """
    query = f"select case_run_id from verdicts where (\n{condition}\n)"
    try:
        statements = con.extract_statements(query)
        if len(statements) != 1 or not str(statements[0].type).rpartition(".")[2].startswith("SELECT"):
            raise UsageError("it is more than one condition")
        return read(con, query)
    except Exception as wrong:  # whatever the database says of the user's own SQL
        first = " ".join(str(wrong).partition("\n\n")[0].split())
        raise UsageError(f"--where {condition!r}: {first}; it is a condition over the columns of `verdicts`") from wrong


def _is_special(dtype: pl.DataType) -> bool:
    return isinstance(dtype, (pl.Decimal, pl.Datetime, pl.Categorical, pl.Enum))


def _plain_column(column: pl.Series) -> pl.Series:
    """A column that DuckDB gives in a type of its own, in the type that the rest of the program has for it."""
    dtype = column.dtype
    if isinstance(dtype, (pl.Categorical, pl.Enum)):
        return column.cast(pl.String)
    if isinstance(dtype, pl.Datetime):
        return column.dt.convert_time_zone("UTC") if dtype.time_zone else column
    if isinstance(dtype, pl.Decimal) and dtype.scale == 0:
        whole = column.cast(pl.Int64, strict=False)
        return whole if whole.null_count() == column.null_count() else column
    return column
