"""`history.duckdb`: the record's tables and the views of `sql/` in one file that the plain `duckdb` shell opens (specification 60).

The file is built beside the published one and put in its place by an atomic rename, so that readers never wait and never see half a
batch.  Whoever finds another process publishing leaves it to that one, which looks for newer batches before it ends.
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import tempfile
import time
import uuid
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Final

import duckdb

from judge_polars.errors import InputError
from judge_polars.history.bridge import OPENING, comments_sql, load_views, open_read_only, supersede, table_sql
from judge_polars.history.record import DATABASE, Batch, Record
from judge_polars.history.sql_files import sql_files
from judge_polars.tables import CASE_RUNS, EVAL_RUNS, ISSUES, PUBLISHED_TABLES, SEMANTIC_RESULTS

STORAGE: Final = "v1.5.0"
"""Storage version that the published shell opens; DuckDB 2 writes a newer one unless told otherwise."""
MEMORY: Final = "768MiB"
"""What the database may hold while it is built; what does not fit lies beside it on disk meanwhile."""
LOCK: Final = "publish.lock"
_OF_PATTERNS: Final = re.compile(r"[*?\[]")
_OPENED_BY_NOW: Final = 60.0
"""Seconds after which nobody is about to open a file any more."""
KEY_BITS: Final = 24
"""Bits of `judged_key` that are the row within its batch; the others are the batch's number."""

ONLY_IN_RECORD: Final = ("metric_points",)
_TABLES: Final = tuple(table for table in PUBLISHED_TABLES if table.name not in ONLY_IN_RECORD)
_OF_RUN: Final = ("documents", "metric_series", "query_evidence", "event_evidence", "routing_refs", "facts", "issues")
_OF_AN_ANSWER: Final = ("judgment_id", "case_run_id", "semantic_check_id")

_OWN_TABLES: Final = """
create table published_batches (number bigint, kind varchar);
comment on table published_batches is 'batches of the record whose rows are in this file';
comment on column published_batches.number is 'number of the batch';
comment on column published_batches.kind is 'kind of the batch';
create table history_info (name varchar, value varchar);
comment on table history_info is 'what this file was made with';
comment on column history_info.name is 'tables or views';
comment on column history_info.value is 'digest of their declarations';
"""


def publish(record: Record, *, rebuild: bool = False) -> bool:
    """Bring `history.duckdb` up to date with the record; False where another process does it.

    Args:
        rebuild: make it anew, whatever it holds.

    Raises:
        InputError: a batch of the record is missing or damaged, or the disk is full.
    """
    while rebuild or _waiting(record):
        with _locked(record.history) as mine:
            if not mine:
                return False
            _sweep(record.history)
            built = False
            while rebuild or _waiting(record, built=built):
                _build(record, rebuild=rebuild)
                rebuild, built = False, True
    return True


def published_numbers(database: Path) -> set[int] | None:
    """Numbers of the batches in a published file; None where it is none, damaged, or made with other tables or views."""
    if not database.is_file():
        return None
    try:
        with open_read_only(database) as con:
            info = dict(con.execute("select name, value from history_info").fetchall())
            if info.get("tables") != _tables_digest() or info.get("views") != _views_digest():
                return None
            return {row[0] for row in con.execute("select number from published_batches").fetchall()}
    except duckdb.Error:
        return None


def _waiting(record: Record, *, built: bool = False) -> bool:
    """Whether the record holds a batch that is not published.

    Raises:
        InputError: the published file was just `built` and cannot be read.
    """
    held = published_numbers(record.history / DATABASE)
    if held is None and built:
        raise InputError(f"{record.history / DATABASE}: it was just written and cannot be read; close what has it open")
    return held is None or not {batch.number for batch in record.batches()} <= held


@contextlib.contextmanager
def _locked(history: Path) -> Iterator[bool]:
    """Whether this process alone publishes; the lock ends with its process, however that ends.

    Raises:
        InputError: the directory may not be written.
    """
    try:
        handle = os.open(history / LOCK, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o644)
    except OSError as wrong:
        raise InputError(
            f"{history}: what the record holds is not published, and it may not be written here ({wrong.strerror}): "
            "`judge-polars history rebuild` by somebody who may, or in a copy of the directory"
        ) from wrong
    try:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            yield False
            return
        yield True
    finally:
        os.close(handle)


def _sweep(history: Path) -> None:
    """Remove what publishers, and readers about to open the file, left that were killed."""
    for left in history.glob(f"{OPENING}*"):
        with contextlib.suppress(OSError):
            if time.time() - left.stat().st_mtime > _OPENED_BY_NOW:
                shutil.rmtree(left, ignore_errors=True)
    for left in history.glob(f".{DATABASE}.*"):
        if left.is_dir():
            shutil.rmtree(left, ignore_errors=True)
        else:
            left.unlink(missing_ok=True)


def _build(record: Record, *, rebuild: bool) -> None:
    """One published file, with everything that the record holds by now."""
    final = record.history / DATABASE
    beside = record.history / f".{DATABASE}.{uuid.uuid4().hex[:8]}"
    held = None if rebuild else published_numbers(final)
    batches = sorted(record.batches(), key=lambda batch: batch.place)
    todo = [batch for batch in batches if held is None or batch.number not in held]
    if held and any(_comes_too_late(batch, held) for batch in todo):
        held, todo = None, batches
    try:
        if held is None:
            beside.write_bytes(_without_rows(_tables_digest(), _views_digest()))
        else:
            shutil.copyfile(final, beside)
        with _writing(beside, record.folder) as con:
            for batch in todo:
                _add(con, batch, held or set())
        with open(beside, "rb") as file:
            os.fsync(file.fileno())
        os.replace(beside, final)
    except (OSError, duckdb.Error) as wrong:
        first = str(wrong).partition("\n")[0]
        raise InputError(
            f"{final}: it could not be written: {first}; the record is whole, and nothing that was published is changed: "
            "mend that, then `judge-polars history rebuild` publishes it"
        ) from wrong
    finally:
        beside.unlink(missing_ok=True)
        beside.with_name(f"{beside.name}.wal").unlink(missing_ok=True)
        shutil.rmtree(beside.with_name(f"{beside.name}.tmp"), ignore_errors=True)


def _comes_too_late(batch: Batch, held: set[int]) -> bool:
    """Whether rows of a batch belong before, or are among, those that are published; of one whose rows all are nothing is added."""
    replaced = set(batch.replaces)
    return not (replaced and replaced <= held) and (bool(replaced & held) or batch.place < max(held))


@contextlib.contextmanager
def _writing(path: Path, record: Path | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
    """A connection to a file that is built: macros that lie in it, perhaps by another's hand, reach the record's folder alone."""
    con = duckdb.connect(str(path.absolute()), config={"storage_compatibility_version": STORAGE})
    try:
        con.execute("set timezone = 'UTC'")
        con.execute(f"set memory_limit = '{MEMORY}'")
        if record is not None:
            allowed = ", ".join(f"'{named(_whole(record))}/'" for named in (_literal, _pattern))
            con.execute(f"set allowed_directories = [{allowed}]")
        con.execute("set enable_external_access = false")
        con.execute("set lock_configuration = true")
        yield con
        con.execute("checkpoint")
    finally:
        con.close()


def _whole(folder: Path) -> Path:
    """A folder by the name by which the database is given its files."""
    return folder.resolve()


def _literal(path: Path | str) -> str:
    """A path inside an SQL literal."""
    return str(path).replace("'", "''")


def _pattern(path: Path) -> str:
    """A path that DuckDB takes for a pattern, inside an SQL literal: characters of patterns stand for themselves."""
    return _literal(_OF_PATTERNS.sub(r"[\g<0>]", str(path)))


@lru_cache(1)
def _without_rows(tables: str, views: str) -> bytes:
    """A published file with all tables and views and no row; they take longer to make than a few runs to add.

    Args:
        tables: digest of the declared tables.
        views: digest of the files of `sql/`.
    """
    with tempfile.TemporaryDirectory(prefix="judge-polars-") as folder:
        path = Path(folder) / DATABASE
        with _writing(path) as con:
            con.execute("begin")
            con.execute(_declarations())
            con.execute("insert into history_info values ('tables', ?), ('views', ?)", [tables, views])
            load_views(con)
            con.execute("commit")
        return path.read_bytes()


def _declarations() -> str:
    """The statements that create all tables of a published file."""
    return "\n".join([*(table_sql(table) + comments_sql(table) for table in _TABLES), _OWN_TABLES])


def _tables_digest() -> str:
    return hashlib.sha256(_declarations().encode()).hexdigest()


def _views_digest() -> str:
    return hashlib.sha256("\n".join(path.read_text("utf-8") for path in sql_files()).encode()).hexdigest()


def _add(con: duckdb.DuckDBPyConnection, batch: Batch, held: set[int]) -> None:
    """The rows of a batch, in one transaction; of one that stands for published batches there is nothing to add."""
    con.execute("begin")
    if not batch.replaces or not set(batch.replaces) <= held:
        if batch.has("eval_runs"):
            _replace(con, batch, "eval_runs", ("eval_run_id",), list(EVAL_RUNS.schema))
        if batch.has("runs"):
            _replace(con, batch, "case_runs", ("case_run_id",), list(CASE_RUNS.schema), source="runs")
        if batch.has("outside_issues"):
            told = f"from {_rows(batch, 'outside_issues')} select {', '.join(ISSUES.schema)}"
            con.execute(f"insert into issues by name ({told} except from issues select {', '.join(ISSUES.schema)})")
        if batch.has("cases") or batch.has("suites"):
            _add_registry(con, batch)
        if batch.has("judgments"):
            _add_judgment(con, batch)
        if batch.has("semantic_results"):
            _replace(con, batch, "semantic_results", _OF_AN_ANSWER, list(SEMANTIC_RESULTS.schema))
    numbers = [batch.number, *(number for number in batch.replaces if number not in held)]
    con.executemany("insert into published_batches values (?, ?)", [[number, batch.kind] for number in numbers])
    con.execute("commit")


def _rows(batch: Batch, table: str) -> str:
    """A table of a batch as an SQL relation.

    Raises:
        InputError: a file is missing or damaged.
    """
    batch.require(table)
    folder = _whole(batch.directory.parent)
    files = ", ".join(f"'{_pattern(folder / batch.directory.name / path.name)}'" for path in batch.parts(table))
    return f"read_parquet([{files}])"


def _replace(
    con: duckdb.DuckDBPyConnection,
    batch: Batch,
    table: str,
    keys: Sequence[str],
    columns: Sequence[str],
    source: str | None = None,
) -> None:
    """Rows of a batch in the place of those with the same keys; of several of its own with the same the last."""
    rows = _rows(batch, source or table)
    listed = ", ".join(columns)
    key = ", ".join(keys)
    con.execute(f"delete from {table} where ({key}) in (select ({key}) from {rows})")
    con.execute(
        f"insert into {table} by name select {listed} from (select *, row_number() over () as place from {rows}) "
        f"qualify row_number() over (partition by {key} order by place desc) = 1 order by place"
    )


def _add_registry(con: duckdb.DuckDBPyConnection, batch: Batch) -> None:
    """Cases and suites that are new, by their digests; baselines of the registry, which are the active ones from now on."""
    if batch.has("checks"):
        con.execute(
            f"""
            insert into checks by name
            select
                new.* replace (
                    (select coalesce(max(check_key), -1) from checks)
                    + row_number() over (order by new.case_digest, new.position) as check_key
                )
            from {_rows(batch, "checks")} as new
            where new.case_digest not in (select case_digest from cases)
            """
        )
    for table in ("case_windows", "case_buckets", "rules", "cases"):
        if batch.has(table):
            con.execute(
                f"insert into {table} by name from {_rows(batch, table)} where case_digest not in (select case_digest from cases)"
            )
    for table in ("suite_cases", "suites"):
        if batch.has(table):
            con.execute(
                f"insert into {table} by name from {_rows(batch, table)} "
                "where suite_digest not in (select suite_digest from suites)"
            )
    _add_baselines(con, batch)


def _add_baselines(con: duckdb.DuckDBPyConnection, batch: Batch) -> None:
    con.execute("update baselines set active = false")
    if not batch.has("baselines"):
        return
    rows = _rows(batch, "baselines")
    same = "baselines.suite_id = new.suite_id and baselines.eval_run_id = new.eval_run_id"
    con.execute(f"delete from baselines using {rows} as new where {same}")
    con.execute(f"insert into baselines by name from {rows}")
    if batch.has("baseline_cases"):
        cases = _rows(batch, "baseline_cases")
        same = "baseline_cases.suite_id = new.suite_id and baseline_cases.eval_run_id = new.eval_run_id"
        con.execute(f"delete from baseline_cases using {rows} as new where {same}")
        con.execute(f"insert into baseline_cases by name from {cases}")


def _add_judgment(con: duckdb.DuckDBPyConnection, batch: Batch) -> None:
    """A judgment's rows; what is told of its case runs takes the place of what was told before."""
    con.execute(f"insert into judgments by name from {_rows(batch, 'judgments')}")
    first = batch.number << KEY_BITS
    if batch.has("judged_case_runs"):
        con.execute(
            f"insert into judged_case_runs by name select * replace ({first} + judged_key as judged_key) "
            f"from {_rows(batch, 'judged_case_runs')}"
        )
        supersede(con, f"select eval_run_id, case_run_id from {_rows(batch, 'judged_case_runs')}")
    if batch.has("check_outcomes"):
        con.execute(
            f"""
            insert into check_outcomes by name
            select outcomes.* replace ({first} + outcomes.judged_key as judged_key, checks.check_key as check_key)
            from {_rows(batch, "check_outcomes")} as outcomes
            inner join {_rows(batch, "checks")} as own on own.check_key = outcomes.check_key
            inner join checks on checks.case_digest = own.case_digest and checks.position = own.position
            order by outcomes.judged_key, outcomes.check_key
            """
        )
    if not batch.has("bundles"):
        return
    bundles = _rows(batch, "bundles")
    con.execute(
        f"delete from bundles using {bundles} as new "
        "where bundles.case_run_id = new.case_run_id and bundles.bundle_digest = new.bundle_digest"
    )
    con.execute(f"insert into bundles by name from {bundles}")
    for table in _OF_RUN:
        con.execute(f"delete from {table} where case_run_id in (select case_run_id from {bundles})")
        if batch.has(table):
            con.execute(f"insert into {table} by name from {_rows(batch, table)}")
