"""A history as people and commands read it: SQL over the published file, texts and points from the record."""

from __future__ import annotations

from collections.abc import Generator, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Final, Self

import duckdb
import polars as pl

from judge_polars.errors import InputError, UsageError
from judge_polars.history.bridge import chosen_case_runs, open_read_only, read
from judge_polars.history.publish import publish
from judge_polars.history.recall import Recalled, places_of_runs
from judge_polars.history.record import DATABASE, Record
from judge_polars.history.streaming import read_batches
from judge_polars.text_forms import labels_json

DIRECTORY: Final = ".judge_polars"

_LESS_MEMORY: Final = (
    "a query may take half of the memory: ask for fewer rows or columns, group before you join or sort; "
    "the shell has no such limit"
)


class History:
    """A history directory, opened for reading; a context manager.

    The rows are those of the moment in which it was opened: what others publish meanwhile is seen by the next one.
    """

    def __init__(self, directory: Path, record: Record, con: duckdb.DuckDBPyConnection) -> None:
        self.directory = directory
        self.record = record
        self._con = con

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, wrong: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the published file; an open one keeps its snapshot."""
        self._con.close()

    @property
    def database(self) -> Path:
        """The file for the `duckdb` shell."""
        return self.directory / DATABASE

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The rows of a query over tables and views; parameters stand for `?`.

        The connection is read-only and has no access to other files, networks or extensions; a query may use half of the
        machine's memory.  Of several statements the rows are those of the last.

        Raises:
            UsageError: what the database says of the query.
        """
        with self._told_of(query):
            return read(self._con, query, parameters)

    def results(self, query: str, most: int | None = None, cut: int | None = None) -> Iterator[Generator[pl.DataFrame]]:
        """The rows of each statement of a text as `sql` reads them, but some at a time: they are never all in memory.

        Args:
            most: rows of each statement.
            cut: characters of a text and elements of a list; a longer one comes with one more.

        Raises:
            UsageError: what the database says of the query, or that it holds no statement.
        """
        with self._told_of(query):
            statements = self._con.extract_statements(query)
        if not statements:
            raise UsageError("the query is empty; `judge-polars sql 'from help'` says what there is")
        return (self._batches(statement, most, cut) for statement in statements)

    def _batches(self, statement: duckdb.Statement, most: int | None, cut: int | None) -> Generator[pl.DataFrame]:
        with self._told_of(statement.query):
            yield from read_batches(self._con, statement, most, cut)

    @contextmanager
    def _told_of(self, query: str) -> Iterator[None]:
        """What the database says of a query as a `UsageError`."""
        try:
            yield
        except (duckdb.Error, pl.exceptions.ComputeError) as wrong:
            lines = str(wrong).removeprefix("got external error: ").strip().split("\n")
            if lines[0].startswith("Out of Memory"):
                lines = [lines[0], f"{_LESS_MEMORY}: duckdb -readonly {self.database}"]
            raise UsageError(*lines, f"query: {query.strip()}") from wrong

    def chosen(self, condition: str) -> pl.DataFrame:
        """`case_run_id` of the case runs for which an SQL condition over the view `verdicts` holds.

        Raises:
            UsageError: it is no condition, or more than one.
        """
        return chosen_case_runs(self._con, condition)

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """`sources.DOCUMENT_TEXTS` of case runs: the documents of the bundle that was judged last, and the output."""
        roots = self.sql(
            """
            select latest_judged_case_runs.case_run_id, bundles.root
            from latest_judged_case_runs
            inner join bundles using (case_run_id, bundle_digest)
            where latest_judged_case_runs.case_run_id in (select unnest(?))
            """,
            [list(case_run_ids)],
        )
        return self._recalled(case_run_ids).document_texts(roots)

    def metric_points(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """The points of case runs' metric series: `case_run_id`, `document`, `name`, `labels` (JSON object), `ts`, `value`."""
        recalled = self._recalled(case_run_ids)
        bundles = recalled.bundles.select("bundle", "run").join(recalled.runs.select("run", "case_run_id"), on="run")
        return (
            recalled.table("series")
            .join(bundles, on="bundle", how="inner")
            .join(recalled.table("points"), on="series", how="inner", maintain_order="left_right")
            .select("case_run_id", "document", "name", labels=labels_json(), ts="ts", value="value")
        )

    def _recalled(self, case_run_ids: Sequence[str]) -> Recalled:
        places = places_of_runs(self.record)
        return Recalled(self.record, places.filter(pl.col("case_run_id").is_in(list(case_run_ids))))


def open_history(directory: str | Path = DIRECTORY) -> History:
    """Open a history for reading; what the record holds and nobody published yet is published first.

    Raises:
        InputError: there is no history, it is foreign or damaged, or of a newer form.
    """
    place = Path(directory)
    return History(place, up_to_date(place), connect(place))


def up_to_date(directory: Path) -> Record:
    """The record of a history, published as far as it goes.

    Raises:
        InputError: there is no history, it is foreign or damaged, or of a newer form.
    """
    record = Record.open(directory)
    publish(record)
    return record


def connect(directory: Path) -> duckdb.DuckDBPyConnection:
    """The published file, read-only, without access to other files, networks or extensions.

    Raises:
        InputError: it is not there yet, or cannot be read.
    """
    database = directory / DATABASE
    if not database.is_file():
        raise InputError(f"{database}: it is being published by another process; try again in a moment")
    try:
        con = open_read_only(database)
        con.execute("set timezone = 'UTC'")
        con.execute("set python_enable_replacements = false")
        con.execute("set lock_configuration = true")
    except duckdb.Error as wrong:
        raise InputError(f"{database}: {wrong}; `judge-polars history rebuild` makes it anew") from wrong
    return con
