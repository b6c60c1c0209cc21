"""Which documents an export keeps, and why it leaves others out (specification 10, "Suites and baselines")."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from typing import Final

from judge_polars.baselines.source import Row

MOST_LOG_BYTES: Final = 64 * 1024
REASONS: Final = {
    "unsafe_name": "its name leads out of the bundle",
    "hidden": "it is hidden",
    "telemetry": "it is telemetry",
    "local_state": "it is local state: a socket, a cache, a lock file or a database",
    "unread": "it is binary, too large or could not be read",
    "log_too_large": f"it is a log of more than {MOST_LOG_BYTES // 1024} KiB",
    "name_clash": "another document, or a directory, has its name, where upper and lower case and forms of letters are one",
}
"""Why a document is left out -> what that means; the first that fits is told."""

_LOG: Final = re.compile(r"\.log(?:[._-]?[0-9][0-9tz:._+-]*)?", re.IGNORECASE)
_STATE_NAME: Final = re.compile(
    r"(?:.*\.)?(?:lock|lck|pid|sock|socket|swp|tmp|db|db3|sqlite|sqlite3|duckdb|wal|rdb|mdb|cache|pyc)|.*(?:-wal|-shm|-journal|~)",
    re.IGNORECASE,
)
_STATE_DIRECTORY: Final = re.compile(r"(?:__pycache__|caches?|tmp|temp|node_modules|venv)", re.IGNORECASE)


def left_out_reason(document: Row, logs_dirs: Iterable[str]) -> str | None:
    """A key of `REASONS` for a row of `source.DOCUMENT_TEXTS` that is left out, None for one that is kept."""
    name = str(document["document"])
    parts = name.split("/")
    if is_unsafe(name):
        return "unsafe_name"
    if any(part.startswith(".") for part in parts):
        return "hidden"
    if document["artifact"] == "telemetry":
        return "telemetry"
    if _STATE_NAME.fullmatch(parts[-1]) or any(_STATE_DIRECTORY.fullmatch(part) for part in parts[:-1]):
        return "local_state"
    if document["unread"]:
        return "unread"
    of_logs = any(name.startswith(f"{directory.strip('/')}/") for directory in logs_dirs)
    if (of_logs or _is_log(parts[-1])) and _bytes(document) > MOST_LOG_BYTES:
        return "log_too_large"
    return None


def clashing(documents: Sequence[Row]) -> set[str]:
    """Names of documents for which there is no place beside the others, wherever the export is unpacked.

    A bundle may hold `a.gz` and `a/b`, and names that are one to a file system that folds case or letters.  Directories come
    first, then artifacts, then what is first by name.
    """
    directories = {_folded(name[:at]) for name in map(_name, documents) for at, sign in enumerate(name) if sign == "/"}
    taken, without = set(directories), set()
    for document in sorted(documents, key=lambda document: (document["artifact"] is None, _name(document))):
        folded = _folded(_name(document))
        if folded in taken:
            without.add(_name(document))
        taken.add(folded)
    return without


def _name(document: Row) -> str:
    return str(document["document"])


def _folded(name: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", name).casefold())


def is_unsafe(name: str) -> bool:
    """Whether a relative path could lead anywhere but below the directory that it is put in."""
    return any(part in ("", ".", "..") for part in name.split("/")) or bool(
        re.search(r"[\\\x00-\x1f\x7f]|^[A-Za-z]:", name)
    )


def _is_log(name: str) -> bool:
    return any(_LOG.fullmatch(name, found.start()) for found in re.finditer(r"\.", name))


def _bytes(document: Row) -> int:
    """Bytes on disk or, for a packed file, of its text."""
    return max(document["size"] or 0, len((document["text"] or "").encode("utf-8", "replace")))
