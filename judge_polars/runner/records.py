"""`eval_run.json` and `case_run.json`: written whole or not at all, and read again to go on (specification 20, 80)."""

from __future__ import annotations

import fcntl
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from judge_polars.errors import UsageError

EVAL_RUN: Final = "eval_run.json"
CASE_RUN: Final = "case_run.json"
OUTPUT: Final = "output.md"
AUDIT: Final = "audit"
WORKSPACE: Final = "workspace"
TELEMETRY: Final = "telemetry.jsonl"
STDERR: Final = "agent.stderr.log"
SCHEMA_VERSION: Final = 1


def now() -> str:
    """The time as records write it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def write_atomically(path: Path, content: bytes) -> None:
    """Write a file so that it is there whole or not at all, also when the machine stops meanwhile; no link is followed."""
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    beside.unlink(missing_ok=True)
    try:
        with open(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW, 0o666), "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        beside.replace(path)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise
    folder = os.open(path.parent, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)


def write_record(path: Path, record: Mapping[str, object]) -> None:
    """Write a record."""
    write_atomically(path, (json.dumps(record, ensure_ascii=False, indent=1) + "\n").encode(errors="replace"))


def read_record(path: Path) -> dict[str, Any] | None:
    """A record's members; None where there is none that could be used."""
    try:
        record = json.loads(path.read_bytes())
    except (OSError, ValueError, RecursionError):
        return None
    return record if isinstance(record, dict) else None


def is_finished(directory: Path, case_run_id: str) -> bool:
    """Whether a case run's directory holds the record of its end."""
    record = read_record(directory / CASE_RUN) or {}
    ids = "/".join(str(record.get(key)) for key in ("eval_run_id", "case_id", "trial"))
    return ids == case_run_id and isinstance(record.get("finished_at"), str)


@contextmanager
def only_writer(directory: Path) -> Iterator[None]:
    """Keep other processes from running the same eval run; the system lets go when this process ends, however.

    Raises:
        UsageError: another process runs it.
    """
    folder = os.open(directory, os.O_RDONLY)
    try:
        try:
            fcntl.flock(folder, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError as taken:
            raise UsageError(f"{directory}: another judge-polars eval is at work there; wait for its end") from taken
        yield
    finally:
        os.close(folder)
