"""Who writes a batch of the record, whether that process is gone, and how what it writes stays (specification 60)."""

from __future__ import annotations

import contextlib
import json
import os
import re
import socket
import time
import uuid
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from judge_polars.history.checksums import require_regular

WRITER: Final = "writer.json"
"""The file that names the writer, in the batch's directory until it is committed."""
_DIRECTORY: Final = re.compile(r"[a-z]+-[0-9a-f]{16}")
_PROCESSES: Final = 1 << 31
"""Numbers of processes are below."""


def write_writer(directory: Path, begun: str) -> None:
    """Name this process as the writer of a directory; raises `OSError` where that cannot be written."""
    writer = {"host": socket.gethostname(), "process": os.getpid(), "begun": begun}
    (directory / WRITER).write_text(json.dumps(writer), "utf-8")


def is_abandoned(directory: Path) -> bool:
    """Whether the process that wrote a directory is gone; of another machine only after a day.

    A directory whose name no writer gives is somebody's own.
    """
    if not _DIRECTORY.fullmatch(directory.name):
        return False
    try:
        require_regular(directory / WRITER)
        writer = json.loads((directory / WRITER).read_text("utf-8"))
        host, process = writer["host"], int(writer["process"])
    except (OSError, ValueError, KeyError, TypeError, OverflowError):
        return age_of(directory) > 3600
    if not 0 < process < _PROCESSES:
        return age_of(directory) > 3600
    if host != socket.gethostname():
        return age_of(directory) > 86_400
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except PermissionError:
        return False
    return False


def age_of(path: Path) -> float:
    """Seconds since a file or directory was changed; 0 where it is gone."""
    try:
        return time.time() - path.stat().st_mtime
    except OSError:
        return 0.0


def write_synced(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file that a loss of power leaves; raises `OSError`."""
    with open(path, "w", encoding="utf-8") as file:
        json.dump(content, file, indent=1)
        file.flush()
        os.fsync(file.fileno())


def write_whole(path: Path, content: Mapping[str, Any]) -> None:
    """Write a JSON file whole or not at all; raises `OSError`."""
    beside = path.with_name(f".{path.name}.{uuid.uuid4().hex}")
    write_synced(beside, content)
    os.replace(beside, path)


def sync(path: Path) -> None:
    """Let a file or directory stand on the disk, where the file system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(path, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
