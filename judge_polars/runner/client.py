"""The client's side of the protocol: answers what the agent asks for, within its permissions (specification 80)."""

from __future__ import annotations

import asyncio
import os
import stat
from pathlib import Path
from typing import Any, Final

from acp.exceptions import RequestError
from acp.schema import (
    AllowedOutcome,
    CreateTerminalResponse,
    DeniedOutcome,
    EnvVariable,
    KillTerminalResponse,
    PermissionOption,
    ReadTextFileResponse,
    ReleaseTerminalResponse,
    RequestPermissionResponse,
    TerminalExitStatus,
    TerminalOutputResponse,
    ToolCallUpdate,
    WaitForTerminalExitResponse,
    WriteTextFileResponse,
)

from judge_polars.runner.account import Account
from judge_polars.runner.limits import Limits
from judge_polars.runner.permissions import Policy, RefusedError, chosen_option
from judge_polars.runner.process import SpawnFailedError
from judge_polars.runner.terminals import Terminal, Terminals

INVALID_PARAMS: Final = -32602
NOT_FOUND: Final = -32002
OPEN_NEW: Final = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_NONBLOCK
OPEN_OLD: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK


class WorkspaceClient:
    """What an agent can ask for; every refusal is put into the account.

    What the agent tells (`session/update`) is taken from the wire (`Account`), where nothing of it is lost.
    """

    def __init__(self, policy: Policy, terminals: Terminals, account: Account, limits: Limits) -> None:
        self._policy = policy
        self._terminals = terminals
        self._account = account
        self._limits = limits

    async def session_update(self, session_id: str, update: Any, **_more: Any) -> None:
        """Taken from the wire."""

    async def request_permission(
        self, session_id: str, tool_call: ToolCallUpdate, options: list[PermissionOption], **_more: Any
    ) -> RequestPermissionResponse:
        """The option that the permissions give."""
        locations = [location.path for location in tool_call.locations or ()]
        title = tool_call.title or tool_call.kind or tool_call.tool_call_id
        allowed = True
        try:
            self._policy.tool_call(locations, tool_call.raw_input)
        except RefusedError as why:
            allowed = False
            self._account.refuse("session/request_permission", title, str(why))
        option = chosen_option(options, allowed=allowed)
        if option is None:
            return RequestPermissionResponse(outcome=DeniedOutcome(outcome="cancelled"))
        return RequestPermissionResponse(outcome=AllowedOutcome(outcome="selected", option_id=option))

    async def read_text_file(
        self, path: str, session_id: str, limit: int | None = None, line: int | None = None, **_more: Any
    ) -> ReadTextFileResponse:
        """The text of a file, or `limit` lines of it from `line` (counted from 1) on."""
        place = self._place("fs/read_text_file", path, path)
        text = (await asyncio.to_thread(self._read, place)).decode(errors="replace")
        if line is not None or limit is not None:
            first = max((line or 1) - 1, 0)
            lines = text.splitlines(keepends=True)
            text = "".join(lines[first : None if limit is None else first + limit])
        return ReadTextFileResponse(content=text)

    def _read(self, place: Path) -> bytes:
        try:
            with open(place, "rb", opener=lambda path, _flags: os.open(path, OPEN_OLD)) as file:
                _require_regular(file.fileno())
                content = file.read(self._limits.file + 1)
        except OSError as wrong:
            raise RequestError(NOT_FOUND, f"{wrong.strerror}") from wrong
        self._require_small(content)
        return content

    async def write_text_file(self, content: str, path: str, session_id: str, **_more: Any) -> WriteTextFileResponse:
        """Write a file; folders on the way are made."""
        place = self._place("fs/write_text_file", path, path)
        await asyncio.to_thread(self._write, place, content.encode(errors="replace"))
        return WriteTextFileResponse()

    def _write(self, place: Path, content: bytes) -> None:
        self._require_small(content)
        try:
            place.parent.mkdir(parents=True, exist_ok=True)
            with open(place, "wb", opener=lambda path, _flags: os.open(path, OPEN_NEW, 0o666)) as file:
                _require_regular(file.fileno())
                file.write(content)
        except OSError as wrong:
            raise RequestError(INVALID_PARAMS, f"{wrong.strerror}") from wrong

    def _require_small(self, content: bytes) -> None:
        if len(content) > self._limits.file:
            raise RequestError(INVALID_PARAMS, f"larger than {self._limits.file:,} bytes")

    async def create_terminal(
        self,
        command: str,
        session_id: str,
        args: list[str] | None = None,
        cwd: str | None = None,
        env: list[EnvVariable] | None = None,
        output_byte_limit: int | None = None,
        **_more: Any,
    ) -> CreateTerminalResponse:
        """Run a command in the workspace, with the agent's own environment and what it adds."""
        place = self._place("terminal/create", " ".join([command, *(args or [])]), cwd)
        if self._terminals.is_full:
            raise RequestError(INVALID_PARAMS, "too many terminals are open: release one")
        more = {variable.name: variable.value for variable in env or ()}
        try:
            terminal = await self._terminals.open(command_words(command, args or []), place, more, output_byte_limit)
        except SpawnFailedError as wrong:
            raise RequestError(INVALID_PARAMS, f"{command}: {wrong}") from wrong
        return CreateTerminalResponse(terminal_id=terminal)

    async def terminal_output(self, session_id: str, terminal_id: str, **_more: Any) -> TerminalOutputResponse:
        """What a command has written so far."""
        terminal = self._terminal(terminal_id)
        status = None
        if terminal.status is not None:
            code, signal = terminal.status
            status = TerminalExitStatus(exit_code=code, signal=signal)
        return TerminalOutputResponse(output=terminal.output, truncated=terminal.truncated, exit_status=status)

    async def wait_for_terminal_exit(
        self, session_id: str, terminal_id: str, **_more: Any
    ) -> WaitForTerminalExitResponse:
        """How a command ended, once it has."""
        code, signal = await self._terminal(terminal_id).wait()
        return WaitForTerminalExitResponse(exit_code=code, signal=signal)

    async def kill_terminal(self, session_id: str, terminal_id: str, **_more: Any) -> KillTerminalResponse:
        """End a command."""
        self._terminal(terminal_id).kill()
        return KillTerminalResponse()

    async def release_terminal(self, session_id: str, terminal_id: str, **_more: Any) -> ReleaseTerminalResponse:
        """End a command and forget it."""
        self._terminal(terminal_id)
        await self._terminals.release(terminal_id)
        return ReleaseTerminalResponse()

    def _terminal(self, terminal_id: str) -> Terminal:
        try:
            return self._terminals[terminal_id]
        except KeyError:
            raise RequestError(NOT_FOUND, f"no terminal {terminal_id}") from None

    def _place(self, method: str, what: str, path: str | None) -> Path:
        """A path that the permissions allow.

        Raises:
            RequestError: they do not; it is recorded.
        """
        try:
            return self._policy.place(path)
        except RefusedError as why:
            self._account.refuse(method, what, str(why))
            raise RequestError(INVALID_PARAMS, f"refused: {why}") from why


def _require_regular(opened: int) -> None:
    if not stat.S_ISREG(os.fstat(opened).st_mode):
        raise RequestError(INVALID_PARAMS, "no regular file")


def command_words(command: str, arguments: list[str]) -> list[str]:
    """Program and arguments; a command with spaces and without arguments is a line for the shell, as some agents mean it."""
    is_line = not arguments and " " in command.strip()
    return ["sh", "-c", command] if is_line else [command, *arguments]
