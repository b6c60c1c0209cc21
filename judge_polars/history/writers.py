"""Who writes a batch of the record, and whether that process is gone (specification 60, "a stale lock")."""

from __future__ import annotations

import json
import os
import re
import socket
import time
from pathlib import Path
from typing import Final

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
