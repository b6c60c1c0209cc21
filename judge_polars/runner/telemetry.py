"""What the agent and its client said, on disk: `audit/telemetry.jsonl` and `audit/agent.stderr.log` (specification 80).

Both files are limited in size; the last line of one that was cut says so.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from judge_polars.runner.limits import Mask
from judge_polars.runner.records import now

SENT: Final = "send"
RECEIVED: Final = "recv"
NOTE: Final = "note"
LONGEST_EXCERPT: Final = 2_000
LONGEST_LINE: Final = 2**20
CHUNK: Final = 2**16


class Telemetry:
    """Every protocol message as a line `{"ts": …, "direction": "send" | "recv", "message": …}`, in the order of the wire.

    A line that was no message is told as `invalid`, what the runner did to the process as `note`.

    Attributes:
        left_out: messages that came after the limit.
    """

    def __init__(self, path: Path, limit: int, mask: Mask) -> None:
        self._file = path.open("wb", buffering=0)
        self._left = limit
        self._mask = mask
        self.left_out = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._file.close()

    def message(self, direction: str, message: Mapping[str, Any]) -> None:
        """A message that was sent or received; one that is too long for a line is told by its kind."""
        line = _line(direction, "message", message)
        if len(line) > LONGEST_LINE:
            kept = {key: message[key] for key in ("jsonrpc", "id", "method") if key in message}
            line = _line(direction, "message", kept, cut=len(line))
        self._add(line)

    def invalid(self, line: bytes, why: str) -> None:
        """A line of the agent that is no protocol message."""
        self._add(_line(RECEIVED, "invalid", line[:LONGEST_EXCERPT].decode(errors="replace"), why=why))

    def note(self, text: str) -> None:
        """What the runner did."""
        self._add(_line(NOTE, "note", text))

    def _add(self, line: bytes) -> None:
        line = self._mask.content(line)
        if not self.left_out and len(line) > self._left:
            self._write(_line(NOTE, "note", "telemetry is cut here: its size limit is reached"))
            self.left_out += 1
        elif self.left_out or not self._write(line):
            self.left_out += 1
        else:
            self._left -= len(line)

    def _write(self, line: bytes) -> bool:
        """Whether a line could be written; a full disk ends the telemetry, not the session."""
        try:
            return self._file.write(line) == len(line)
        except OSError:
            return False


def _line(direction: str, key: str, value: object, **more: object) -> bytes:
    entry = {"ts": now(), "direction": direction, key: value, **more}
    try:
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


async def keep_stderr(
    stream: asyncio.StreamReader, path: Path, *, kept: int, allowed: int, mask: Mask, over: Callable[[str], None]
) -> None:
    """Write an agent's standard error to a file until it ends: the first `kept` bytes; beyond `allowed` bytes tell `over`.

    Masked line by line, so that a value is found wherever the pipe cuts.
    """
    total, rest = 0, b""
    with path.open("wb", buffering=0) as file:
        while chunk := await stream.read(CHUNK):
            before, total = total, total + len(chunk)
            if total > allowed >= before:
                over(f"more than {allowed:,} bytes on standard error")
            if before > kept:
                continue
            lines, newline, rest = (rest + chunk).rpartition(b"\n")
            if len(rest) > CHUNK:
                lines, newline, rest = lines + newline + rest, b"", b""
            if total > kept:
                newline, rest = newline + rest + b"\n[cut here: the size limit is reached]\n", b""
            with suppress(OSError):  # a full disk does not keep the agent waiting
                file.write(mask.content(lines + newline))
        with suppress(OSError):
            file.write(mask.content(rest))
