"""Files and terminals that an agent asks its client for."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

import pytest
from acp.exceptions import RequestError

from judge_polars.runner.account import Account
from judge_polars.runner.client import WorkspaceClient, command_words
from judge_polars.runner.limits import Limits
from judge_polars.runner.masks import Mask
from judge_polars.runner.permissions import Policy
from judge_polars.runner.terminals import Terminals

T = TypeVar("T")
LIMITS = Limits(file=100, terminals=2, terminal_output=11)
ENVIRONMENT = {"PATH": os.environ["PATH"], "REGION": "eu"}


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    (folder / "a.txt").write_text("one\ntwo\nthree\n")
    return folder


def asked(workspace: Path, body: Callable[[WorkspaceClient], Awaitable[T]]) -> T:
    """What a client answers; its terminals are ended."""

    async def run() -> T:
        terminals = Terminals(ENVIRONMENT, LIMITS)
        client = WorkspaceClient(Policy("allow-in-workspace", workspace), terminals, Account(LIMITS, Mask({})), LIMITS)
        try:
            return await body(client)
        finally:
            await terminals.end()

    return asyncio.run(run())


@pytest.mark.parametrize(
    ("line", "limit", "text"),
    [
        (None, None, "one\ntwo\nthree\n"),
        (2, None, "two\nthree\n"),
        (2, 1, "two\n"),
        (None, 2, "one\ntwo\n"),
        (0, 1, "one\n"),
        (9, None, ""),
    ],
)
def test_read_lines(workspace: Path, line: int | None, limit: int | None, text: str) -> None:
    path = str(workspace / "a.txt")
    answer = asked(workspace, lambda client: client.read_text_file(path, "s", limit=limit, line=line))
    assert answer.content == text


def odd_files(workspace: Path) -> None:
    (workspace / "large.txt").write_text("x" * 101)
    os.mkfifo(workspace / "pipe")
    (workspace / "folder").mkdir()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("gone.txt", "No such file"),
        ("folder", "Is a directory|no regular file"),
        ("pipe", "no regular file"),
        ("large.txt", "larger than 100 bytes"),
        ("x" * 300, "File name too long"),
    ],
)
def test_what_cannot_be_read(workspace: Path, name: str, message: str) -> None:
    odd_files(workspace)
    with pytest.raises(RequestError, match=message):
        asked(workspace, lambda client: client.read_text_file(str(workspace / name), "s"))


def test_write_makes_folders(workspace: Path) -> None:
    path = workspace / "new" / "deep" / "b.txt"
    asked(workspace, lambda client: client.write_text_file("text", str(path), "s"))
    assert path.read_text() == "text"


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("folder", "x", "Is a directory"),
        ("pipe", "x", "No such device|no regular file"),
        ("b.txt", "x" * 101, "larger than 100 bytes"),
        ("a.txt/b.txt", "x", "File exists|Not a directory"),
    ],
)
def test_what_cannot_be_written(workspace: Path, name: str, content: str, message: str) -> None:
    odd_files(workspace)
    with pytest.raises(RequestError, match=message):
        asked(workspace, lambda client: client.write_text_file(content, str(workspace / name), "s"))


async def ran(client: WorkspaceClient, line: str) -> tuple[str, bool, int | None, str | None]:
    """Output, whether it was cut, exit code and signal of a shell line."""
    terminal = (await client.create_terminal("sh", "s", args=["-c", line])).terminal_id
    ended = await client.wait_for_terminal_exit("s", terminal)
    told = await client.terminal_output("s", terminal)
    assert told.exit_status is not None
    assert (told.exit_status.exit_code, told.exit_status.signal) == (ended.exit_code, ended.signal)
    return told.output, told.truncated, ended.exit_code, ended.signal


@pytest.mark.parametrize(
    ("line", "told"),
    [
        pytest.param("echo $REGION; echo no >&2; exit 3", ("eu\nno\n", False, 3, None), id="both-streams"),
        pytest.param("printf éééééééé", ("ééééé", True, 0, None), id="cut-at-a-character"),
        pytest.param("kill -9 $$", ("", False, None, "SIGKILL"), id="signal"),
    ],
)
def test_terminals(workspace: Path, line: str, told: tuple[str, bool, int | None, str | None]) -> None:
    assert asked(workspace, lambda client: ran(client, line)) == told


def test_a_terminal_that_runs_is_told_and_killed(workspace: Path) -> None:
    async def body(client: WorkspaceClient) -> str | None:
        terminal = (await client.create_terminal("sleep 300", "s")).terminal_id
        assert (await client.terminal_output("s", terminal)).exit_status is None
        await client.kill_terminal("s", terminal)
        ended = await client.wait_for_terminal_exit("s", terminal)
        await client.release_terminal("s", terminal)
        with pytest.raises(RequestError, match="no terminal"):
            await client.terminal_output("s", terminal)
        return ended.signal

    assert asked(workspace, body) == "SIGKILL"


def test_terminals_are_counted(workspace: Path) -> None:
    async def body(client: WorkspaceClient) -> None:
        for _ in range(LIMITS.terminals):
            await client.create_terminal("sleep", "s", args=["300"])
        with pytest.raises(RequestError, match="too many terminals"):
            await client.create_terminal("true", "s")

    asked(workspace, body)


def test_a_command_that_is_not_there(workspace: Path) -> None:
    with pytest.raises(RequestError, match="judge-polars-no-such-command: No such file"):
        asked(workspace, lambda client: client.create_terminal("judge-polars-no-such-command", "s"))


@pytest.mark.parametrize(
    ("command", "arguments", "words"),
    [
        ("ls", [], ["ls"]),
        ("ls", ["-l"], ["ls", "-l"]),
        ("ls -l | wc", [], ["sh", "-c", "ls -l | wc"]),
        ("my tool", ["x"], ["my tool", "x"]),
    ],
)
def test_command_words(command: str, arguments: list[str], words: list[str]) -> None:
    assert command_words(command, arguments) == words
