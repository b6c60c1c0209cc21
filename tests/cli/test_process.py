"""What only a real process shows: exit codes, pipes, interrupts, settings, the speed of the help."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "judge_polars"]
HEAVY = ("polars", "duckdb", "pydantic", "yaml", "rich", "orjson")


def environment(**more: str) -> dict[str, str]:
    """A clean environment in which the checkout is found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("JUDGE_POLARS_")}
    return {**kept, "PYTHONPATH": str(ROOT), "COLUMNS": "100", **more}


def run(directory: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """A command run to its end."""
    return subprocess.run(
        [*COMMAND, *arguments], cwd=directory, env=environment(**more), capture_output=True, text=True, check=False
    )


def test_exit_code_and_streams(world: Path) -> None:
    done = run(world, "judge", "runs", "--registry", "registry", "--fail-on", "fail", "--format", "csv")
    assert done.returncode == 1
    assert done.stdout.startswith("case_run_id,")
    assert done.stderr.splitlines()[-1] == "gate FAILED (fail: 2 of 8 case runs)"


def test_commands_import_heavy_libraries_only_when_used(tmp_path: Path) -> None:
    script = "import sys, judge_polars.cli.app; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment(), capture_output=True, text=True, check=True
    )
    loaded = set(done.stdout.split())
    assert "judge_polars.cli.app" in loaded
    assert not loaded & set(HEAVY)


@pytest.mark.parametrize("arguments", [["--help"], ["judge", "--help"], ["explain", "-h"]], ids=" ".join)
def test_help(tmp_path: Path, arguments: list[str]) -> None:
    done = run(tmp_path, *arguments)
    assert done.returncode == 0
    assert "Usage: judge-polars" in done.stdout


def test_version(tmp_path: Path) -> None:
    from judge_polars.version import __version__

    assert run(tmp_path, "--version").stdout == f"judge-polars {__version__}\n"


def test_a_closed_pipe_ends_quietly(world: Path) -> None:
    command = [*COMMAND, "judge", "runs", "--registry", "registry", "--format", "json", "--facts"]
    with subprocess.Popen(
        command, cwd=world, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None and process.stderr is not None
        process.stdout.close()
        told = process.stderr.read().decode()
        process.wait()
    assert "Traceback" not in told
    assert "BrokenPipe" not in told
    assert process.returncode == 0


def test_an_interrupt_is_exit_code_130(world: Path) -> None:
    script = (
        "import sys, time\n"
        "from judge_polars.cli.app import run\n"
        "from importlib import import_module\n"
        "def slow(*_): print('judging', file=sys.stderr, flush=True); time.sleep(60)\n"
        "import_module('judge_polars.judge').judge_runs = slow\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    command = [sys.executable, "-c", script, "judge", "runs", "--registry", "registry", "--no-history"]
    with subprocess.Popen(
        command, cwd=world, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "judging" in line:
                break
        process.send_signal(signal.SIGINT)
        told = process.stderr.read()
        process.wait(timeout=30)
    assert process.returncode == 130
    assert "Traceback" not in told


def test_settings_file_and_variables(world: Path, tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b"
    deep.mkdir(parents=True)
    (tmp_path / "judge_polars.toml").write_text(f'registry = "{world / "registry"}"\nformat = "jsonl"\n')
    by_file = run(deep, "judge", str(world / "runs"))
    assert by_file.returncode == 0, by_file.stderr
    assert json.loads(by_file.stdout.splitlines()[0])["case_id"] == "disk-hang"
    by_variable = run(deep, "judge", str(world / "runs"), JUDGE_POLARS_FORMAT="csv")
    assert by_variable.stdout.startswith("case_run_id,")
    by_option = run(deep, "judge", str(world / "runs"), "--format", "markdown", JUDGE_POLARS_FORMAT="csv")
    assert by_option.stdout.startswith("8 of 8 planned")


def test_settings_of_one_command_and_relative_paths(world: Path, tmp_path: Path) -> None:
    inside = tmp_path / "deep"
    inside.mkdir()
    (tmp_path / "registry").symlink_to(world / "registry")
    (tmp_path / "pyproject.toml").write_text(
        '[tool.judge_polars]\nregistry = "registry"\n[tool.judge_polars.commands.list]\nformat = "csv"\n'
    )
    assert run(inside, "list", "suites").stdout.startswith("suite,version")
    assert "disk-hang" in run(inside, "show", "daily").stdout


@pytest.mark.parametrize(
    ("text", "message"),
    [
        pytest.param('registri = "x"', "registri: there is no such setting; did you mean registry?", id="key"),
        pytest.param("[commands.jugde]", "did you mean commands.judge?", id="command"),
        pytest.param(
            '[commands.judge]\nfail_no = ["fail"]', "did you mean commands.judge.fail-on?", id="key-of-a-command"
        ),
        pytest.param("x = ", "judge_polars.toml: ", id="no-toml"),
    ],
)
def test_wrong_settings(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "judge_polars.toml").write_text(text)
    done = run(tmp_path, "doctor")
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_an_internal_error_is_a_message(world: Path) -> None:
    script = (
        "import sys\n"
        "from judge_polars.cli import care\n"
        "from judge_polars.cli.app import run\n"
        "def broken(*_): raise RuntimeError('boom')\n"
        "care.examined = broken\n"
        "sys.exit(run(sys.argv[1:]))\n"
    )
    for more, has_traceback in (([], False), (["-v"], True)):
        command = [sys.executable, "-c", script, "doctor", *more]
        done = subprocess.run(command, cwd=world, env=environment(), capture_output=True, text=True, check=False)
        assert done.returncode == 3
        assert "internal error: RuntimeError: boom" in done.stderr
        assert ("Traceback" in done.stderr) == has_traceback
