"""Standard streams and output files that take nothing: a message and an exit code of ours, never an internal error."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.test_process import COMMAND, environment

needs_full = pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no /dev/full")
LIST = "list cases --registry registry --format csv"


def shell(directory: Path, words: str) -> tuple[int, str]:
    """A command line of the shell, with `jp` for the command: exit code, and all that it printed."""
    line = words.replace("jp", f"'{COMMAND[0]}' -m judge_polars")
    done = subprocess.run(["sh", "-c", line], cwd=directory, env=environment(), capture_output=True, check=False)
    return done.returncode, (done.stdout + done.stderr).decode()


@needs_full
@pytest.mark.parametrize("words", [f"jp {LIST} > /dev/full", "jp --version > /dev/full"])
def test_a_full_standard_output_is_told(world: Path, words: str) -> None:
    code, told = shell(world, words)
    assert (code, told.count("\n")) == (2, 1), told
    assert "No space left on device" in told


@needs_full
@pytest.mark.parametrize(
    ("words", "code"),
    [("jp list nonsense 2> /dev/full", 2), ("jp --no-such 2> /dev/full", 2), (f"jp {LIST} -v 2>&-", 0)],
)
def test_messages_that_nobody_takes_change_no_exit_code(world: Path, words: str, code: int) -> None:
    found, told = shell(world, words)
    assert found == code
    assert all("," in line for line in told.splitlines()), "a message has come to standard output"


@pytest.mark.parametrize("words", ["jp --help >&-", f"jp {LIST} <&- >&- 2>&-"])
def test_closed_streams_end_quietly(world: Path, words: str) -> None:
    assert shell(world, words) == (0, "")


@needs_full
@pytest.mark.parametrize("arguments", [("list", "cases"), ("judge", "RUNS"), ("inspect",)])
def test_an_output_file_that_takes_nothing_is_told(cli: Cli, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    (tmp_path / "full.json").symlink_to("/dev/full")
    told = cli(*arguments, "-o", "full.json")
    assert told.code == 2
    assert "full.json" in told.err


def test_what_the_system_refuses_is_no_internal_error(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device", "/tmp/some\x1b[31m")

    monkeypatch.setattr("tempfile.mkdtemp", refuse)
    told = cli("probe")
    assert told.code == 2
    assert "No space left on device" in told.err
    assert "internal error" not in told.err
    assert "\x1b" not in told.err


@pytest.mark.parametrize("command", [("validate",), ("list", "cases"), ("judge", "RUNS"), ("inspect",)])
def test_a_name_that_cannot_be_is_told(cli: Cli, command: tuple[str, ...]) -> None:
    told = cli(*command, "--registry", "x" * 300, registry=False)
    assert told.code == 2
    assert "File name too long" in told.err


def test_a_working_directory_that_is_gone_is_told(world: Path, tmp_path: Path) -> None:
    code, told = shell(tmp_path, "mkdir gone; cd gone; rmdir ../gone; jp list cases")
    assert (code, told.count("\n")) == (2, 1)
    assert "the working directory is gone" in told


def test_a_panic_of_a_library_is_an_internal_error(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    class PanicError(BaseException):
        """What a library written in Rust raises."""

    def panic(*_: object) -> None:
        raise PanicError("worker threads cannot be set to 0")

    monkeypatch.setattr("judge_polars.registry.load_registry", panic)
    told = cli("list", "cases")
    assert told.code == 3
    assert "internal error: PanicError: worker threads" in told.err
