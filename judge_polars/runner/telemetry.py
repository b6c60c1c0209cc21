"""What the agent and its client said, on disk: `audit/telemetry.jsonl` and `audit/agent.stderr.log` (specification 80).

Both files are limited in size; the last line of one that was cut says so.
"""

from __future__ import annotations

import asyncio
import json
from collections import deque
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Final, Self

from judge_polars.runner.masks import Joined, Mask, Piece
from judge_polars.runner.records import now

SENT: Final = "send"
RECEIVED: Final = "recv"
NOTE: Final = "note"
LONGEST_EXCERPT: Final = 2_000
LONGEST_LINE: Final = 2**20
CHUNK: Final = 2**16


class Telemetry:
    """Every protocol message as a line `{"ts": …, "direction": "send" | "recv", "message": …}`, in the order of the wire.

    A line that was no message is told as `invalid`, what the runner did to the process as `note`.  A chunk of a text that may
    end within the value of a declared variable waits for the next one of its kind, and what comes behind waits with it.

    Attributes:
        left_out: messages that came after the limit.
    """

    def __init__(self, path: Path, limit: int, mask: Mask) -> None:
        self._file = path.open("wb", buffering=0)
        self._left = limit
        self._mask = mask
        self._texts: dict[str, Joined] = {}
        self._waiting: deque[bytes | Chunk] = deque()
        self._waiting_size = 0
        self.left_out = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        self._file.close()

    def message(self, direction: str, message: Mapping[str, Any]) -> None:
        """A message that was sent or received; one that is too long for a line is told by its kind."""
        told = _chunk(message) if direction == RECEIVED else None
        if told is None:
            self._add(_message_line(now(), direction, message))
        else:
            kind, text = told
            piece = self._texts.setdefault(kind, Joined(self._mask)).add(text)
            self._add(Chunk(now(), message, piece), len(text))

    def invalid(self, line: bytes, why: str) -> None:
        """A line of the agent that is no protocol message."""
        shown = self._mask.contents.ended(line[:LONGEST_EXCERPT]).decode(errors="replace")
        self._add(_line(now(), RECEIVED, "invalid", shown, why=why))

    def note(self, text: str) -> None:
        """What the runner did."""
        self._add(_line(now(), NOTE, "note", text))

    def _add(self, line: bytes | Chunk, size: int = 0) -> None:
        """Write a line, or let it wait; no more waits than may be written."""
        self._waiting.append(line)
        self._waiting_size += len(line) if isinstance(line, bytes) else size
        if self._waiting_size > self._left:
            self._end()
        while self._waiting and (isinstance(first := self._waiting[0], bytes) or not first.piece.left):
            self._waiting.popleft()
            self._keep(first if isinstance(first, bytes) else first.line())
        if not self._waiting:
            self._waiting_size = 0

    def _end(self) -> None:
        """Nothing that waits is gone on with."""
        for text in self._texts.values():
            text.end()
        while self._waiting:
            line = self._waiting.popleft()
            self._keep(line if isinstance(line, bytes) else line.line())
        self._waiting_size = 0

    def _keep(self, line: bytes) -> None:
        line = self._mask.contents.masked(line)
        if not self.left_out and len(line) > self._left:
            self._write(_line(now(), NOTE, "note", "telemetry is cut here: its size limit is reached"))
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


@dataclass(frozen=True, slots=True)
class Chunk:
    """A message with a piece of a text, when it came, and what is known of the piece."""

    ts: str
    message: Mapping[str, Any]
    piece: Piece

    def line(self) -> bytes:
        """Its line, with what is known of the text."""
        params = self.message["params"]
        update = params["update"]
        content = {**update["content"], "text": self.piece.text}
        message = {**self.message, "params": {**params, "update": {**update, "content": content}}}
        return _message_line(self.ts, RECEIVED, message)


def _chunk(message: Mapping[str, Any]) -> tuple[str, str] | None:
    """Kind and text of a message that brings a piece of a text; None for other messages."""
    match message:
        case {
            "method": "session/update",
            "params": {"update": {"sessionUpdate": str(kind), "content": {"text": str(text)}}},
        } if text and kind.endswith("_chunk"):
            return kind, text
    return None


def _message_line(ts: str, direction: str, message: Mapping[str, Any]) -> bytes:
    line = _line(ts, direction, "message", message)
    if len(line) <= LONGEST_LINE:
        return line
    kept = {key: message[key] for key in ("jsonrpc", "id", "method") if key in message}
    return _line(ts, direction, "message", kept, cut=len(line))


def _line(ts: str, direction: str, key: str, value: object, **more: object) -> bytes:
    entry = {"ts": ts, "direction": direction, key: value, **more}
    try:
        return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"
    except UnicodeEncodeError:  # a lone surrogate
        return json.dumps(entry, separators=(",", ":")).encode() + b"\n"


async def keep_stderr(
    stream: asyncio.StreamReader, path: Path, *, kept: int, allowed: int, mask: Mask, over: Callable[[str], None]
) -> None:
    """Write an agent's standard error to a file until it ends: the first `kept` bytes; beyond `allowed` bytes tell `over`.

    A value of a declared variable is found wherever the pipe cuts it.
    """
    forms = mask.contents
    total, rest = 0, b""
    with path.open("wb", buffering=0) as file:
        while chunk := await stream.read(CHUNK):
            before, total = total, total + len(chunk)
            if total > allowed >= before:
                over(f"more than {allowed:,} bytes on standard error")
            if before > kept:
                continue
            rest += chunk
            if total > kept:
                known, rest = forms.ended(rest) + b"\n[cut here: the size limit is reached]\n", b""
            else:
                start = forms.open_from(rest)
                known, rest = forms.masked(rest[:start]), rest[start:]
            with suppress(OSError):  # a full disk does not keep the agent waiting
                file.write(known)
        with suppress(OSError):
            file.write(forms.ended(rest))
