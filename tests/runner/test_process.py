"""The launcher: a session of its own, exactly the given environment, and nothing left however it ends."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
import uuid
from collections.abc import Coroutine, Iterator
from pathlib import Path
from typing import Any, TypeVar

import pytest

from judge_polars.runner.process import LAUNCHER, Process, SpawnFailedError
from tests.runner.world import MARK, marked

T = TypeVar("T")
PATH = os.environ["PATH"]


@pytest.fixture
def mark() -> Iterator[str]:
    """A mark whose processes have all gone at the end."""
    name = uuid.uuid4().hex
    yield name
    until = time.monotonic() + 5
    while marked(name) and time.monotonic() < until:
        time.sleep(0.02)
    assert marked(name) == []


def run(coroutine: Coroutine[Any, Any, T]) -> T:
    return asyncio.run(coroutine)


async def ended(command: list[str], mark: str, directory: Path, scratch: Path | None = None) -> tuple[bytes, int]:
    """Output and exit code of a command."""
    environment = {"PATH": PATH, MARK: mark}
    process = await Process.start(command, environment=environment, directory=directory, scratch=scratch)
    process.stdin.close()
    output = await process.stdout.read()
    code = await process.exited
    await process.end()
    return output, code


def test_environment_and_directory(mark: str, tmp_path: Path) -> None:
    output, code = run(ended([sys.executable, "-c", "import os; print(dict(os.environ), os.getcwd())"], mark, tmp_path))
    assert code == 0
    names = set(eval(output.decode().rpartition("}")[0] + "}"))
    assert names - {"LC_CTYPE"} == {"PATH", MARK}
    assert output.decode().strip().endswith(str(tmp_path))


def test_signals_are_as_usual_for_the_command(mark: str, tmp_path: Path) -> None:
    script = "import signal; print([signal.getsignal(n) == signal.SIG_DFL for n in (1, 13, 15, 17)])"
    output, _ = run(ended([sys.executable, "-c", script], mark, tmp_path))
    assert output.split() == [b"[True,", b"False,", b"True,", b"True]"]  # Python itself ignores SIGPIPE


@pytest.mark.parametrize(("script", "code"), [("exit 3", 3), ("kill -9 $$", -9), ("kill -15 $$", -15)])
def test_exit_code(mark: str, tmp_path: Path, script: str, code: int) -> None:
    assert run(ended(["sh", "-c", script], mark, tmp_path))[1] == code


@pytest.mark.parametrize(
    "script",
    [
        pytest.param("sleep 300 & exit 0", id="child"),
        pytest.param("setsid sleep 300 & sleep 0.2; exit 0", id="child-of-its-own-session"),
        pytest.param(
            "(setsid sh -c 'trap \"\" TERM HUP; (setsid sleep 300 &) ; sleep 300' &) ; sleep 0.3; exit 0", id="daemon"
        ),
    ],
)
def test_what_a_command_leaves_behind_is_ended(mark: str, tmp_path: Path, script: str) -> None:
    scratch = tmp_path / "scratch"
    run(ended(["sh", "-c", script], mark, tmp_path, scratch))
    assert marked(mark) == []
    assert not scratch.exists()


def test_terminate_then_kill(mark: str, tmp_path: Path) -> None:
    async def body() -> tuple[int | None, int]:
        environment = {"PATH": PATH, MARK: mark}
        command = ["sh", "-c", "trap '' TERM; echo ready; sleep 300 & wait; wait"]
        process = await Process.start(command, environment=environment, directory=tmp_path)
        await process.stdout.readline()
        process.terminate()
        after_term = await process.exit_within(0.3)
        await process.end()
        return after_term, process.exited.result()

    assert run(body()) == (None, -9)


@pytest.mark.parametrize("named", ["judge-polars-no-such-command", "./plain.txt", "./script"])
def test_a_command_that_cannot_be_started(mark: str, tmp_path: Path, named: str) -> None:
    (tmp_path / "plain.txt").write_text("not executable")
    (tmp_path / "script").write_text("#!/no/such/interpreter")
    (tmp_path / "script").chmod(0o755)
    scratch = tmp_path / "scratch"
    with pytest.raises(SpawnFailedError, match=r"No such file or directory|Permission denied"):
        run(ended([named], mark, tmp_path, scratch))
    assert not scratch.exists()


def test_scratch_is_made_for_the_command(mark: str, tmp_path: Path) -> None:
    async def body() -> bytes:
        environment = {"PATH": PATH, MARK: mark}
        scratch = tmp_path / "scratch"
        command = ["ls", str(scratch)]
        process = await Process.start(
            command, environment=environment, directory=tmp_path, scratch=scratch, folders=["b", "a"]
        )
        output = await process.stdout.read()
        await process.end()
        return output

    assert run(body()).split() == [b"a", b"b"]


def test_scratch_that_is_there_already_is_not_taken(mark: str, tmp_path: Path) -> None:
    with pytest.raises(SpawnFailedError, match="File exists"):
        run(ended(["true"], mark, tmp_path, tmp_path))
    assert tmp_path.exists()


def test_a_directory_that_is_not_there(mark: str, tmp_path: Path) -> None:
    with pytest.raises(SpawnFailedError, match="No such file"):
        run(ended(["true"], mark, tmp_path / "gone"))


def test_the_end_of_the_watching_process_ends_the_command(mark: str, tmp_path: Path) -> None:
    async def body() -> int:
        environment = {"PATH": PATH, MARK: mark}
        process = await Process.start(["sleep", "300"], environment=environment, directory=tmp_path)
        watcher = int(Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()[1])
        os.kill(watcher, signal.SIGKILL)
        code = await asyncio.wait_for(process.exited, 5)
        await process.end()
        return code

    assert run(body()) == -9
    time.sleep(0.1)
    assert marked(mark) == []


def test_a_launcher_whose_starter_went_before_it_ordered_anything() -> None:
    import socket

    ours, theirs = socket.socketpair()
    with subprocess.Popen(
        [sys.executable, "-I", "-S", str(LAUNCHER), str(theirs.fileno())], pass_fds=[theirs.fileno()]
    ) as launcher:
        theirs.close()
        ours.close()
        assert launcher.wait(timeout=10) == 0
