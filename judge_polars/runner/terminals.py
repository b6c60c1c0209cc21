"""Commands that an agent lets its client run for it (`terminal/*`), each under the launcher like the agent itself."""

from __future__ import annotations

import asyncio
import signal
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Final

from judge_polars.runner.limits import Limits
from judge_polars.runner.process import Process

CHUNK: Final = 2**16


class Terminal:
    """One command: what it wrote lately, and how it ended."""

    def __init__(self, process: Process, kept: int) -> None:
        self._process = process
        self._kept = kept
        self._output = bytearray()
        self._reading = asyncio.create_task(self._read())
        self.truncated = False

    async def _read(self) -> None:
        while chunk := await self._process.stdout.read(CHUNK):
            self._output += chunk
            if len(self._output) > self._kept:
                self.truncated = True
                del self._output[: len(self._output) - self._kept]

    @property
    def output(self) -> str:
        """The last bytes that it wrote, from the beginning of a character on."""
        start = 0
        while self.truncated and start < min(4, len(self._output)) and self._output[start] & 0xC0 == 0x80:
            start += 1
        return self._output[start:].decode(errors="replace")

    @property
    def status(self) -> tuple[int | None, str | None] | None:
        """Exit code, or the name of the signal that ended it; None while it runs."""
        if not self._process.exited.done():
            return None
        code = self._process.exited.result()
        if code >= 0:
            return code, None
        known = {member.value: member.name for member in signal.Signals}
        return None, known.get(-code, str(-code))

    async def wait(self) -> tuple[int | None, str | None]:
        """Wait for its end, and for all of its output."""
        await asyncio.shield(self._process.exited)
        await asyncio.wait({self._reading}, timeout=1)
        status = self.status
        assert status is not None
        return status

    def kill(self) -> None:
        """End it; its output stays."""
        self._process.kill()

    async def end(self) -> None:
        """End it, and all that it left."""
        self._reading.cancel()
        with suppress(asyncio.CancelledError):
            await self._reading
        await self._process.end()


class Terminals:
    """The terminals of one session."""

    def __init__(self, environment: Mapping[str, str], limits: Limits) -> None:
        self._environment = environment
        self._limits = limits
        self._open: dict[str, Terminal] = {}
        self._made = 0

    def __getitem__(self, terminal_id: str) -> Terminal:
        return self._open[terminal_id]

    @property
    def is_full(self) -> bool:
        """Whether no other one may be opened."""
        return len(self._open) >= self._limits.terminals

    async def open(
        self, command: Sequence[str], directory: Path, environment: Mapping[str, str], kept: int | None
    ) -> str:
        """Run a command; `kept` bytes of its output are remembered.

        Raises:
            SpawnFailedError: it cannot be started.
        """
        process = await Process.start(
            command, environment={**self._environment, **environment}, directory=directory, merged=True
        )
        most = self._limits.terminal_output
        self._made += 1
        terminal_id = f"terminal-{self._made}"
        self._open[terminal_id] = Terminal(process, most if kept is None else min(kept, most))
        return terminal_id

    async def release(self, terminal_id: str) -> None:
        """End a terminal and forget it."""
        await self._open.pop(terminal_id).end()

    async def end(self) -> None:
        """End all of them."""
        while self._open:
            await self.release(next(iter(self._open)))
