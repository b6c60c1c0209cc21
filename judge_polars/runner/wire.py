"""The protocol's lines: JSON-RPC messages over the standard streams of the agent, as its SDK takes them (`Transport`).

Lines that are no message are recorded and passed over; what breaks the SDK's loop never reaches it.
"""

from __future__ import annotations

import asyncio
import json
from typing import Any, Final

from judge_polars.runner.account import Account
from judge_polars.runner.limits import Limits
from judge_polars.runner.telemetry import RECEIVED, SENT, Telemetry

CODE_INTERNAL: Final = -32603


class Wire:
    """One agent's standard input and output as messages; all of them go to the telemetry and the account."""

    def __init__(
        self,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
        telemetry: Telemetry,
        account: Account,
        limits: Limits,
    ) -> None:
        self._reader = reader
        self._writer = writer
        self._telemetry = telemetry
        self._account = account
        self._limits = limits
        self._received = 0
        self._sending = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        """Send one message.

        Raises:
            OSError: the agent does not read any more.
        """
        self._account.sent(message)
        self._telemetry.message(SENT, message)
        async with self._sending:
            self._writer.write(json.dumps(message, separators=(",", ":")).encode() + b"\n")
            await self._writer.drain()

    async def receive(self) -> dict[str, Any] | None:
        """The next message; None at the end of the agent's output, or when it has said too much."""
        while not self._account.over.done():
            await asyncio.sleep(0)  # whoever else waits gets a turn, however fast the agent writes
            line = await self._line()
            if not line:
                return None
            if not line.strip():
                continue
            message, why = read_message(line)
            if message is None:
                self._telemetry.invalid(line, why)
                self._account.invalid_line()
                continue
            self._telemetry.message(RECEIVED, message)
            self._account.received(message)
            return message
        return None

    async def close(self) -> None:
        """Nothing more is sent."""
        self._writer.close()

    async def _line(self) -> bytes:
        """The next line, empty at the end."""
        try:
            line = await self._reader.readuntil(b"\n")
        except asyncio.IncompleteReadError as end:
            line = end.partial
        except asyncio.LimitOverrunError:
            self._account.stop(f"a line of more than {self._limits.line:,} bytes")
            return b""
        except OSError:
            return b""
        self._received += len(line)
        if self._received > self._limits.received:
            self._account.stop(f"more than {self._limits.received:,} bytes on standard output")
        return line


def read_message(line: bytes) -> tuple[dict[str, Any] | None, str]:
    """The JSON-RPC message of a line, or None and why it is none."""
    try:
        message = json.loads(line)
    except (ValueError, RecursionError) as wrong:
        return None, f"no JSON: {wrong}"[:200]
    if not isinstance(message, dict):
        return None, "no JSON object"
    identity = message.get("id")
    if identity is not None and (isinstance(identity, bool) or not isinstance(identity, int | str)):
        return None, "an id that is neither a number nor a text"
    if "method" in message:
        return (message, "") if isinstance(message["method"], str) else (None, "a method that is no text")
    if "id" not in message or not ("result" in message or "error" in message):
        return None, "neither a request nor a notification nor an answer"
    return _with_plain_error(message), ""


def _with_plain_error(message: dict[str, Any]) -> dict[str, Any]:
    """An answer whose error, if it has one, has a numeric code and a text, as the SDK takes for granted."""
    if "result" in message or "error" not in message:
        return message
    error = message["error"] if isinstance(message["error"], dict) else {"message": str(message["error"])}
    code = error.get("code")
    plain = code if isinstance(code, int) and not isinstance(code, bool) else CODE_INTERNAL
    return {**message, "error": {**error, "code": plain, "message": str(error.get("message", ""))}}
