"""One command run under the launcher: streams, exit code, and an end of which nothing is left."""

from __future__ import annotations

import asyncio
import json
import os
import socket
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final

LAUNCHER: Final = Path(__file__).with_name("launcher.py")
CHUNK: Final = 2**16
SECONDS_TO_START: Final = 60.0
SECONDS_TO_END: Final = 10.0
SECONDS_AFTER_OUR_DEATH: Final = 1.0
"""How long a command may take to end by itself after the process that started it was killed."""


class SpawnFailedError(Exception):
    """The command could not be started; the text says why."""


class Process:
    """A command in a session and process group of its own.

    Attributes:
        pid: process id of the command, which is that of its process group.
        exited: becomes its exit code, negative where a signal ended it.
        killed: whether `kill` was said.
    """

    def __init__(self, launched: asyncio.subprocess.Process, orders: asyncio.StreamWriter) -> None:
        self._launched = launched
        self._orders = orders
        self._started: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._ended = asyncio.Event()
        self._listening: asyncio.Task[None] | None = None
        self.exited: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self.pid = 0
        self.killed = False

    @property
    def stdin(self) -> asyncio.StreamWriter:
        """Where the command reads."""
        assert self._launched.stdin is not None
        return self._launched.stdin

    @property
    def stdout(self) -> asyncio.StreamReader:
        """What the command writes."""
        assert self._launched.stdout is not None
        return self._launched.stdout

    @property
    def stderr(self) -> asyncio.StreamReader:
        """What the command writes to standard error, unless it was merged."""
        assert self._launched.stderr is not None
        return self._launched.stderr

    @classmethod
    async def start(
        cls,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        directory: Path,
        scratch: Path | None = None,
        folders: Sequence[str] = (),
        line_limit: int = 2**16,
        merged: bool = False,
    ) -> Process:
        """Start a command with exactly this environment in a directory.

        Args:
            scratch: a directory that is made, with `folders` in it, and removed with the command's end.
            line_limit: longest line of standard output that its reader buffers, in bytes.
            merged: no standard input, and standard error joined to standard output.

        Raises:
            SpawnFailedError: it cannot be started.
        """
        ours, theirs = socket.socketpair()
        try:
            launched = await asyncio.create_subprocess_exec(
                *(sys.executable, "-I", "-S", str(LAUNCHER), str(theirs.fileno())),
                stdin=subprocess.DEVNULL if merged else subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT if merged else subprocess.PIPE,
                env={"PATH": environment.get("PATH", os.defpath)},
                pass_fds=[theirs.fileno()],
                start_new_session=True,
                limit=line_limit,
            )
        except OSError as wrong:
            ours.close()
            raise SpawnFailedError(wrong.strerror or str(wrong)) from wrong
        finally:
            theirs.close()
        answers, orders = await asyncio.open_unix_connection(sock=ours)
        process = cls(launched, orders)
        process._listening = asyncio.create_task(process._listen(answers))
        order = {
            "command": list(command),
            "environment": dict(environment),
            "directory": str(directory),
            "scratch": None if scratch is None else str(scratch),
            "folders": list(folders),
            "grace": SECONDS_AFTER_OUR_DEATH,
        }
        process._order(json.dumps(order))
        try:
            process.pid = await asyncio.wait_for(asyncio.shield(process._started), SECONDS_TO_START)
        except BaseException as wrong:
            await process.end()
            if isinstance(wrong, TimeoutError):
                raise SpawnFailedError("the launcher does not answer") from wrong
            raise
        return process

    async def _listen(self, answers: asyncio.StreamReader) -> None:
        with suppress(OSError, ValueError):
            while line := await answers.readline():
                self._hear(json.loads(line))
        self._hear({"failed": "the launcher went away", "exited": -9})
        self._ended.set()

    def _hear(self, answer: Mapping[str, Any]) -> None:
        if "started" in answer and not self._started.done():
            self._started.set_result(answer["started"])
        if "failed" in answer and not self._started.done():
            self._started.set_exception(SpawnFailedError(answer["failed"]))
        if "exited" in answer and not self.exited.done():
            self.exited.set_result(answer["exited"])

    def _order(self, order: str) -> None:
        with suppress(OSError, RuntimeError):
            self._orders.write(order.encode() + b"\n")

    def terminate(self) -> None:
        """Ask the process group to end (SIGTERM)."""
        self._order("terminate")

    def kill(self) -> None:
        """End everything that the command started (SIGKILL)."""
        self.killed = True
        self._order("kill")

    async def exit_within(self, seconds: float) -> int | None:
        """The exit code, None where the command still runs after that time."""
        done, _ = await asyncio.wait({self.exited}, timeout=seconds)
        return self.exited.result() if done else None

    async def end(self) -> None:
        """Kill what is left, and wait until it has gone."""
        self.kill()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ended.wait(), SECONDS_TO_END)
        self._orders.close()
        if self._launched.stdin is not None:
            self._launched.stdin.close()
        if self._listening is not None:
            self._listening.cancel()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._drained(), SECONDS_TO_END)

    async def _drained(self) -> None:
        """The streams have come to their end, so that nothing of them is left to the event loop; then so has the launcher."""
        for stream in (self._launched.stdout, self._launched.stderr):
            with suppress(RuntimeError):  # somebody else reads it to its end
                while stream is not None and await stream.read(CHUNK):
                    pass
        await self._launched.wait()
