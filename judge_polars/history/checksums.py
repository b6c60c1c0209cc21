"""What was written is what is read: checksums of the record's files (specification 60; 90, "Robustness").

A bit that flips in a Parquet file may only change a value: nothing but a checksum tells.
"""

from __future__ import annotations

import json
import stat
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

_CHUNK: Final = 1 << 20
_SEAL: Final = "checksum"
_unchanged: set[tuple[str, int, int, int]] = set()
"""Path, size, time and checksum of the files that this process has found unchanged."""


def require_regular(path: Path) -> None:
    """Look whether a path leads to a regular file: a pipe would keep whoever opens it.

    Raises:
        OSError: it is missing or cannot be looked at.
        ValueError: it is something else.
    """
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError("it is no regular file")


def checksum_of(path: Path) -> int:
    """CRC-32 of a file."""
    found = 0
    with path.open("rb") as file:
        while chunk := file.read(_CHUNK):
            found = zlib.crc32(chunk, found)
    return found


def require_unchanged(path: Path, checksum: int) -> bool:
    """Look whether a file holds what was written; once in a process, while its size and time stay the same.

    Returns whether it was read for that.

    Raises:
        OSError: it is missing or cannot be read.
        ValueError: it holds something else.
    """
    status = path.stat()
    key = (str(path), status.st_size, status.st_mtime_ns, checksum)
    if key in _unchanged:
        return False
    if checksum_of(path) != checksum:
        raise ValueError("it does not hold what was written")
    _unchanged.add(key)
    return True


def sealed(content: Mapping[str, Any]) -> dict[str, Any]:
    """A commit file's content with a checksum of itself."""
    return {**content, _SEAL: _checksum(content)}


def require_sealed(content: Mapping[str, Any]) -> None:
    """Raise `ValueError` where a commit file is not what was written; files of older writers have no checksum."""
    wanted = content.get(_SEAL)
    if wanted is not None and wanted != _checksum({name: value for name, value in content.items() if name != _SEAL}):
        raise ValueError("it does not hold what was written")


def _checksum(content: Mapping[str, Any]) -> int:
    return zlib.crc32(json.dumps(content, sort_keys=True).encode())
