"""The files of `sql/` as what they create and what that needs, and a database that loads them when a query names them."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

import duckdb
import polars as pl

from judge_polars.errors import InputError, JudgePolarsError
from judge_polars.history.bridge import chosen_case_runs, comments_sql, insert, load_views, read, supersede, table_sql
from judge_polars.history.sql_files import sql_files
from judge_polars.tables import PUBLISHED_TABLES

_SETTINGS: Final = (
    "set timezone = 'UTC'",
    "set python_enable_replacements = false",
    "set enable_external_access = false",
    "set lock_configuration = true",
)
"""Times are shown in UTC; a query reads tables and views, never a Python variable, a file, a network or an extension."""
_WORD: Final = re.compile(r"\w+")
_COMMENT: Final = re.compile(r"^--.*$|^comment on .*$", re.MULTILINE)
_LOOKS_AROUND: Final = re.compile(
    r"\b(duckdb_\w+|information_schema|pg_\w+|sqlite_\w+|pragma\w*|show|describe|summarize)\b", re.IGNORECASE
)
"""A query that may ask what there is."""
_TABLES: Final = {table.name: table for table in PUBLISHED_TABLES}


@dataclass(frozen=True, slots=True)
class ViewFile:
    """One file of `sql/`.

    Attributes:
        name: of the view, macro or table that it creates.
        statement: that creates it; comments are left out.
        needs: names of the files that have to be loaded before it, in order.
    """

    name: str
    statement: str
    needs: tuple[str, ...]


@cache
def view_files() -> Mapping[str, ViewFile]:
    """The files of `sql/` by the name of what they create, in order."""
    found: dict[str, ViewFile] = {}
    for path in sql_files():
        name = path.stem.partition("_")[2]
        statement = _COMMENT.sub("", path.read_text("utf-8"))
        found[name] = ViewFile(name, statement, _named(statement, found))
    return found


def _named(text: str, among: Mapping[str, ViewFile]) -> tuple[str, ...]:
    """Files whose names stand in a text, after those that they need."""
    words = {word.lower() for word in _WORD.findall(text)}
    wanted = dict.fromkeys(part for name in among if name in words for part in (*among[name].needs, name))
    return tuple(name for name in among if name in wanted)


class VerdictDatabase:
    """Published tables, empty at first, and the views over them, which are loaded when a query names them first.

    Binding all views takes longer than judging a few runs, and most queries need few of them.  A query that asks what
    there is finds all of them, with comments.

    Args:
        path: file of the database; without one it is in memory.
    """

    def __init__(self, path: Path | None = None) -> None:
        with _kept():
            self._con = duckdb.connect(str(path or ":memory:"))
            for setting in _SETTINGS:
                self._con.execute(setting)
            for table in PUBLISHED_TABLES:
                self._con.execute(table_sql(table))
        self._loaded: set[str] = set()
        self._complete = False
        self.reusable = True
        """Whether nothing but queries was run on it."""

    def fill(self, frames: Mapping[str, pl.DataFrame]) -> None:
        """Add rows of published tables.

        Raises:
            JudgePolarsError: a name that is no published table, or a frame that is not of its table.
        """
        unknown = sorted(set(frames) - set(_TABLES))
        if unknown:
            raise JudgePolarsError(
                f"no published table has the name {', '.join(unknown)}; there are {', '.join(_TABLES)}"
            )
        with _kept():
            for name, frame in frames.items():
                insert(self._con, _TABLES[name], frame)

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query, as `bridge.read` gives them."""
        with _kept():
            self._load(query)
            try:
                return read(self._con, query, parameters)
            except duckdb.CatalogException:
                if self._complete:
                    raise
            self.load_all()
            return read(self._con, query, parameters)

    def chosen(self, condition: str) -> pl.DataFrame:
        """`case_run_id` of the case runs for which a condition over `verdicts` holds, as `bridge.chosen_case_runs` gives them."""
        self.load_all()
        return chosen_case_runs(self._con, condition)

    def supersede(self) -> None:
        """Mark what rows of `judged_case_runs` that were added since supersede, as `bridge.supersede` does."""
        with _kept():
            self._load("superseded_among")
            supersede(self._con)

    def load_all(self) -> None:
        """Load all views, and what tables and views say of themselves."""
        if self._complete:
            return
        for table in PUBLISHED_TABLES:
            self._con.execute(comments_sql(table))
        load_views(self._con)
        self._complete = True

    def clear(self) -> None:
        """Take all rows out."""
        for name in _TABLES:
            self._con.execute(f'truncate "{name}"')

    def close(self) -> None:
        """Close the database; its rows are gone."""
        self._con.close()

    def _load(self, query: str) -> None:
        """Load what a query names; everything where it may change something, or ask what there is."""
        changes = not _only_queries(self._con, query)
        if changes:
            self.reusable = False
        if changes or _LOOKS_AROUND.search(query):
            self.load_all()
        if self._complete:
            return
        for name in _named(query, view_files()):
            if name not in self._loaded:
                self._con.execute(view_files()[name].statement)
                self._loaded.add(name)


@contextmanager
def _kept() -> Iterator[None]:
    """Turns what the system refuses a database into a message with the way out.

    Raises:
        InputError: the disk is full, or memory.
    """
    try:
        yield
    except (duckdb.IOException, duckdb.OutOfMemoryException, duckdb.TransactionException) as wrong:
        first = str(wrong).partition("\n")[0]
        raise InputError(
            f"the database for this judgment could not be kept in {tempfile.gettempdir()}: {first}; make room there, or name "
            "another place with TMPDIR"
        ) from wrong


def _only_queries(con: duckdb.DuckDBPyConnection, query: str) -> bool:
    """Whether a text holds nothing that could change a database; a text that is no SQL changes nothing."""
    try:
        return all(statement.type == duckdb.StatementType.SELECT for statement in con.extract_statements(query))
    except duckdb.Error:
        return True


_idle: list[VerdictDatabase] = []
_MOST_IDLE: Final = 2


def borrow_database(frames: Mapping[str, pl.DataFrame]) -> VerdictDatabase:
    """A database with these rows of published tables, one that was given back where there is one.

    Raises:
        JudgePolarsError: a name that is no published table, or a frame that is not of its table.
    """
    database = _idle.pop() if _idle else VerdictDatabase()
    database.fill(frames)
    return database


def give_back_database(database: VerdictDatabase) -> None:
    """Take a borrowed database back, for the next who borrows one."""
    if len(_idle) >= _MOST_IDLE or not database.reusable:
        database.close()
        return
    database.clear()
    _idle.append(database)
