"""The record: append-only batches of Parquet files (specification 60).

    <history>/history.json           what this directory is, and the version of its form
    <history>/record/<name>/         the files of one batch, written by one writer
    <history>/record/<number>.json   its commit file: the batch is there from the moment that this one is

A batch is built in a directory of its own and published by linking its commit file, which takes the next number: the numbers order
the record.  Nothing that is published is ever changed, so that writers and readers need no lock.
"""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from types import TracebackType
from typing import Any, Final

import polars as pl

from judge_polars.errors import InputError
from judge_polars.history.checksums import checksum_of, require_regular, require_sealed, require_unchanged, sealed
from judge_polars.history.forms import require_columns
from judge_polars.history.writers import WRITER, age_of, is_abandoned, sync, write_synced, write_whole, write_writer

FORM: Final = "judge_polars history"
VERSION: Final = 1
MARKER: Final = "history.json"
DATABASE: Final = "history.duckdb"
RECORD: Final = "record"
_EPOCH_MS: Final = 1_704_067_200_000
"""Numbers count milliseconds from 2024-01-01 on, so that a number and a row of a batch fit in 63 bits."""
_NUMBERS: Final = 1 << 39
"""Numbers of batches, and counts of rows, are below."""
_COMMIT_FILE: Final = re.compile(r"[0-9]+\.json")
_ROW_GROUP: Final = 65_536


@dataclass(frozen=True)
class Batch:
    """A published batch.

    Attributes:
        number: its place in the record.
        kind: `ingest`, `judgment`, `registry`, `semantic`, or `compacted`.
        directory: where its files lie.
        files: file name -> rows.
        replaces: numbers of the batches that it stands for.
        about: what the writer said of it.
        checksums: file name -> what `checksum_of` gave when it was written; batches of older writers have none.
    """

    number: int
    kind: str
    directory: Path
    files: Mapping[str, int]
    replaces: tuple[int, ...] = ()
    about: Mapping[str, Any] = field(default_factory=dict)
    checksums: Mapping[str, int] = field(default_factory=dict)

    @property
    def place(self) -> int:
        """Where its rows stand among those of others: with the last batch that it stands for, not where it was put together."""
        return int(self.about.get("place", max(self.replaces, default=self.number)))

    @property
    def commit_file(self) -> Path:
        """The file that makes it part of the record."""
        return self.directory.parent / f"{self.number:013d}.json"

    def has(self, table: str) -> bool:
        """Whether it holds rows of a table."""
        return bool(self.parts(table))

    def parts(self, table: str) -> list[Path]:
        """The files of a table, in order."""
        names = sorted(name for name in self.files if name.split(".")[0] == table)
        return [self.directory / name for name in names]

    def rows(self, table: str) -> int:
        """Rows of a table."""
        return sum(count for name, count in self.files.items() if name.split(".")[0] == table)

    def scan(self, table: str, *, checked: bool = True) -> pl.LazyFrame:
        """The rows of a table that it has, lazily; the arguments are those of `require`.

        Raises:
            InputError: a file is missing or damaged.
        """
        return pl.scan_parquet([path.absolute() for path in self.require(table, checked=checked)], glob=False)

    def require(self, table: str, *, checked: bool = True) -> list[Path]:
        """The files of a table that it has, which are there and hold what was written.

        Args:
            checked: look whether they hold just that, once in a process, for which all of them is read.

        Raises:
            InputError: a file is missing or damaged.
        """
        paths = self.parts(table)
        for path in paths:
            try:
                with _reading(path):
                    require_regular(path)
                    checksum = self.checksums.get(path.name) if checked else None
                    if checksum is None or require_unchanged(path, checksum):
                        require_columns(path, self.kind, table)
            except (pl.exceptions.PolarsError, OSError, ValueError) as wrong:
                if not self.commit_file.exists():
                    raise InputError(
                        f"{path}: its batch {self.number} was put together with others meanwhile, and removed at once: run the "
                        "command again"
                    ) from wrong
                what = "missing" if isinstance(wrong, FileNotFoundError) else "damaged"
                raise InputError(
                    f"{path}: the file is {what}{_said(wrong)}, its batch {self.number} was published with it; bring it back "
                    f"from a copy, or give the batch up: remove {self.commit_file}, run "
                    "`judge-polars history rebuild` and ingest its runs again"
                ) from wrong
        return paths

    def read(self, table: str, columns: Sequence[str | pl.Expr] | None = None, *, checked: bool = True) -> pl.DataFrame:
        """The rows of a table that it has, or some columns of it; `checked` as in `require`.

        Raises:
            InputError: a file is missing or damaged.
        """
        rows = self.scan(table, checked=checked)
        try:
            return (rows if columns is None else rows.select(columns)).collect(engine="in-memory")
        except pl.exceptions.PolarsError as wrong:
            raise InputError(
                f"{self.directory}: a file of table {table} is damaged ({wrong}); bring it back from a copy"
            ) from wrong
        except FileNotFoundError as wrong:
            raise InputError(f"{self.directory}: a file of table {table} is missing ({wrong})") from wrong


class PendingBatch:
    """A batch while it is written; without `commit` it never was.

    A context manager: what was written is removed again where the batch was not committed when it is left.  Every method
    raises `InputError` where the record cannot be written.
    """

    def __init__(self, record: Record, kind: str) -> None:
        self._record = record
        self.kind = kind
        self.directory = record.folder / f"{kind}-{uuid.uuid4().hex[:16]}"
        self._files: dict[str, int] = {}
        self._checksums: dict[str, int] = {}
        self._parts: dict[str, int] = {}
        self._committed = False
        with _writing(record.history):
            self.directory.mkdir(parents=True)
            write_writer(self.directory, _now())

    def __enter__(self) -> PendingBatch:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, wrong: BaseException | None, trace: TracebackType | None
    ) -> None:
        if not self._committed:
            shutil.rmtree(self.directory, ignore_errors=True)

    def write(self, table: str, frame: pl.DataFrame, *, row_group: int = _ROW_GROUP) -> None:
        """Add rows of a table; none leave no file."""
        if frame.is_empty():
            return
        part = self._parts[table] = self._parts.get(table, 0) + 1
        name = f"{table}.{part:05d}.parquet"
        with _writing(self._record.history):
            frame.write_parquet(
                (self.directory / name).absolute(), compression="zstd", compression_level=1, row_group_size=row_group
            )
            self._checksums[name] = checksum_of(self.directory / name)
        self._files[name] = frame.height

    def commit(self, *, replaces: Iterable[int] = (), about: Mapping[str, Any] | None = None) -> Batch:
        """Publish it: from now on it is part of the record, and stays as it is."""
        for name in self._files:
            sync(self.directory / name)
        sync(self.directory)
        content = {
            "form": FORM,
            "version": VERSION,
            "kind": self.kind,
            "directory": self.directory.name,
            "files": self._files,
            "checksums": self._checksums,
            "replaces": sorted(replaces),
            "about": dict(about or {}),
            "committed": _now(),
        }
        with _writing(self._record.history):
            number = self._record.publish(sealed(content))
        self._committed = True
        (self.directory / WRITER).unlink(missing_ok=True)
        return self._record.batch(number, content)


class Record:
    """The record of one history directory."""

    def __init__(self, history: Path) -> None:
        self.history = history
        self.folder = history / RECORD

    @classmethod
    def open(cls, history: Path) -> Record:
        """The record of an existing history.

        Raises:
            InputError: there is none, it is foreign, damaged, of a newer form, or named by a URL.
        """
        _require_file_system(history)
        marker = history / MARKER
        if not marker.exists():
            if not history.exists():
                raise InputError(
                    f"{history}: there is no history yet; `judge-polars judge RUNS` or `ingest RUNS` begins one, "
                    "--history-dir names another place"
                )
            raise InputError(f"{history}: this is no history of judge_polars: it holds no {MARKER}; name another place")
        if not marker.is_file():
            raise InputError(f"{marker}: this is no regular file: bring it back from a copy")
        _require_known(marker)
        if not (history / RECORD).is_dir():
            raise InputError(
                f"{history}: its directory {RECORD}/ is missing: bring it back from a copy; nothing was changed"
            )
        return cls(history)

    @classmethod
    def create(cls, history: Path) -> Record:
        """The record of a history, begun where there is none.

        Raises:
            InputError: the directory holds something else, is of a newer form, cannot be written, or is named by a URL.
        """
        _require_file_system(history)
        if (history / MARKER).exists():
            return cls.open(history)
        if history.is_dir() and any(history.iterdir()) and not (history / RECORD).is_dir():
            raise InputError(
                f"{history}: the directory holds something that is no history of judge_polars, and nothing is written "
                "into it; name another place with --history-dir"
            )
        try:
            (history / RECORD).mkdir(parents=True, exist_ok=True)
            (history / ".gitignore").write_text("*\n", "utf-8")
            write_whole(history / MARKER, {"form": FORM, "version": VERSION})
        except OSError as wrong:
            raise InputError(f"{history}: {wrong.strerror or wrong}; name another place with --history-dir") from wrong
        return cls(history)

    def begin(self, kind: str) -> PendingBatch:
        """A new batch to be written.

        Raises:
            InputError: the record cannot be written.
        """
        return PendingBatch(self, kind)

    def batches(self, *kinds: str) -> list[Batch]:
        """Published batches, by number; those that another one replaces are left out."""
        every = self._committed()
        gone = {number for batch in every for number in batch.replaces}
        return [batch for batch in every if batch.number not in gone and (not kinds or batch.kind in kinds)]

    def superseded(self) -> list[tuple[Batch, int]]:
        """Published batches that another one replaces, with the number of that one."""
        every = self._committed()
        by = {number: batch.number for batch in every for number in batch.replaces}
        return [(batch, by[batch.number]) for batch in every if batch.number in by]

    def holds(self, number: int) -> bool:
        """Whether a batch of this number is published."""
        return self._commit_file(number).exists()

    def holds_all(self, numbers: Set[int]) -> bool:
        """Whether batches of these numbers are published and no other one stands for them."""
        return numbers <= {batch.number for batch in self.batches()}

    def age(self, number: int) -> float:
        """Seconds since a batch was published."""
        return age_of(self._commit_file(number))

    def remove(self, batch: Batch) -> None:
        """Remove a batch that another one replaces: first its commit file."""
        self._commit_file(batch.number).unlink(missing_ok=True)
        shutil.rmtree(batch.directory, ignore_errors=True)

    def publish(self, content: Mapping[str, Any]) -> int:
        """Link a commit file under the next number, which it returns."""
        beside = self.folder / f".{uuid.uuid4().hex}.part"
        write_synced(beside, content)
        number = max(time.time_ns() // 1_000_000 - _EPOCH_MS, self._last() + 1)
        try:
            while True:
                try:
                    os.link(beside, self._commit_file(number))
                    break
                except FileExistsError:
                    number += 1
        finally:
            beside.unlink(missing_ok=True)
        sync(self.folder)
        return number

    def batch(self, number: int, content: Mapping[str, Any]) -> Batch:
        """A batch by what its commit file says.

        Raises:
            ValueError: it names something that is not the batch's own.
        """
        files = content["files"]
        for name in (content["directory"], *files):
            if name in ("", ".", "..") or "/" in name or "\0" in name:
                raise ValueError(f"{name!r} is no name of a file in the record")
        replaces = tuple(_count(replaced, "replaces") for replaced in content["replaces"])
        if any(replaced >= number for replaced in replaces):
            raise ValueError("replaces: a batch stands for earlier ones")
        about = dict(content["about"])
        about |= {name: _count(about[name], name) for name in ("place", "end_of_runs") if name in about}
        return Batch(
            number=number,
            kind=str(content["kind"]),
            directory=self.folder / content["directory"],
            files={name: _count(rows, name) for name, rows in files.items()},
            replaces=replaces,
            about=about,
            checksums=dict(content.get("checksums", {})),
        )

    def clean(self) -> int:
        """Remove what dead writers left behind, and return how many directories that were."""
        named = {batch.directory.name for batch in self._committed()}
        removed = 0
        for entry in list(os.scandir(self.folder)) if self.folder.is_dir() else ():
            if entry.is_dir(follow_symlinks=False) and entry.name not in named and is_abandoned(Path(entry.path)):
                shutil.rmtree(entry.path, ignore_errors=True)
                removed += 1
        return removed

    @cached_property
    def _known(self) -> dict[int, Batch]:
        return {}

    def _committed(self) -> list[Batch]:
        found: dict[int, Batch] = {}
        for number in self._numbers():
            batch = self._known.get(number) or self._read_commit(number)
            if batch is not None:
                found[number] = self._known[number] = batch
        return [found[number] for number in sorted(found)]

    def _read_commit(self, number: int) -> Batch | None:
        path = self._commit_file(number)
        try:
            with _reading(path):
                require_regular(path)
                content = json.loads(path.read_text("utf-8"))
            if content["version"] > VERSION:
                raise InputError(
                    f"{path}: written by a newer judge_polars (form {content['version']}, this one knows {VERSION}): "
                    "pip install --upgrade judge-polars"
                )
            require_sealed(content)
            return self.batch(number, content)
        except FileNotFoundError:
            return None
        except (OSError, ValueError, KeyError, TypeError, AttributeError, OverflowError) as wrong:
            raise InputError(
                f"{path}: the commit file is damaged ({wrong}); bring it back from a copy, or remove it to give its batch up"
            ) from wrong

    def _commit_file(self, number: int) -> Path:
        return self.folder / f"{number:013d}.json"

    def _last(self) -> int:
        return max(self._numbers(), default=0)

    def _numbers(self) -> Iterator[int]:
        """Numbers of the commit files.

        Raises:
            InputError: one has no number that a batch can have.
        """
        for name in _names(self.folder):
            if not _COMMIT_FILE.fullmatch(name):
                continue
            number = int(name.removesuffix(".json"))
            if not 0 < number < _NUMBERS or self._commit_file(number).name != name:
                raise InputError(
                    f"{self.folder / name}: no batch has this number; give the commit file its name back, from a copy, or "
                    "remove it to give its batch up"
                )
            yield number


def _said(wrong: Exception) -> str:
    """What we found ourselves, in brackets; libraries say more than a line."""
    return f" ({wrong})" if isinstance(wrong, ValueError) else ""


def _count(value: Any, name: str) -> int:
    """A number of rows, or of a batch; raises `ValueError` and its like where it is none."""
    number = int(value)
    if not 0 <= number < _NUMBERS:
        raise ValueError(f"{name}: {str(value)[:40]} is no such number")
    return number


@contextlib.contextmanager
def _reading(path: Path) -> Iterator[None]:
    """Tells what the system refuses, or a disk cannot read, from what is missing or damaged: nothing needs to be given up."""
    try:
        yield
    except FileNotFoundError:
        raise
    except OSError as wrong:
        if wrong.errno is None and not isinstance(wrong, PermissionError):
            raise
        raise InputError(
            f"{path}: it cannot be read: {(wrong.strerror or str(wrong)).lower()}; mend that and run the command again"
        ) from wrong


@contextlib.contextmanager
def _writing(history: Path) -> Iterator[None]:
    """Turns what the file system refuses into a message with the way out."""
    try:
        yield
    except (OSError, pl.exceptions.PolarsError) as wrong:
        raise InputError(
            f"{history}: the record could not be written: {wrong}; nothing that was published is lost: mend that and run the "
            "command again, or name another place with --history-dir (judge --no-history keeps nothing)"
        ) from wrong


def _require_file_system(history: Path) -> None:
    """Raise `InputError` for `s3://…` and its like, of which a path keeps one slash, and for what no database may lie below."""
    if "?" in str(history.absolute()):
        raise InputError(
            f"{history}: DuckDB takes a ? for the end of a path; name another place, or rename the directory"
        )
    if re.match(r"[A-Za-z][A-Za-z0-9+.-]+:/", str(history)):
        raise InputError(
            f"{history}: a history lies on a file system: its writers need hard links, and who publishes a file lock, which object "
            "stores do not have; write it on a shared file system, and copy it to the store (`docs/scale.md`)"
        )


def _names(folder: Path) -> list[str]:
    try:
        with _reading(folder):
            return sorted(os.listdir(folder))
    except FileNotFoundError:
        return []


def _require_known(marker: Path) -> None:
    try:
        with _reading(marker):
            content = json.loads(marker.read_text("utf-8"))
        form, version = content["form"], content["version"]
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise InputError(f"{marker}: damaged ({wrong}): bring it back from a copy") from wrong
    if form != FORM or not isinstance(version, int):
        raise InputError(f"{marker}: this is no history of judge_polars; name another place with --history-dir")
    if version > VERSION:
        raise InputError(
            f"{marker}: the history has form {version}, this judge_polars knows {VERSION}: "
            "pip install --upgrade judge-polars; nothing was changed"
        )


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="microseconds").replace("+00:00", "Z")
