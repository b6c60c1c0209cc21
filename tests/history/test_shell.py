"""The published file in the real `duckdb` shell: as a copy, from any directory, while a writer publishes and a shell idles."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from judge_polars.history.record import DATABASE
from judge_polars.history.store import open_history
from judge_polars.registry import load_registry
from tests.generate import write_world
from tests.history.worlds import ingest, judge_all


def shell() -> str:
    beside = Path(sys.executable).with_name("duckdb")
    found = str(beside) if beside.exists() else shutil.which("duckdb")
    if found is None:
        pytest.skip("the duckdb shell is not installed: pip install duckdb-cli")
    return found


def ask(database: Path, query: str, directory: Path) -> str:
    done = subprocess.run(
        [shell(), "-readonly", "-csv", "-c", query, str(database)],
        cwd=directory,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, f"{query}\n{done.stderr}"
    return done.stdout


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("judged")
    write_world(8, place)
    book = load_registry(place / "registry").compile()
    ingest(place / "history", place / "runs", book)
    judge_all(place / "history", book)
    judge_all(place / "history", book)
    return place


def test_every_example_of_help_runs_on_a_copy(judged: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "on another machine.duckdb"
    shutil.copy(judged / "history" / DATABASE, elsewhere)
    with open_history(judged / "history") as history:
        examples = history.sql("from help").rows(named=True)
    assert len(examples) > 15
    (key,) = [name for name in examples[0] if "example" in name or "query" in name]
    for row in examples:
        ask(elsewhere, row[key], tmp_path)


def test_the_shell_sees_what_python_sees(judged: Path, tmp_path: Path) -> None:
    with open_history(judged / "history") as history:
        wanted = history.sql("select count(*), count(distinct verdict) from verdicts").row(0)
    told = ask(judged / "history" / DATABASE, "select count(*), count(distinct verdict) from verdicts", tmp_path)
    assert tuple(map(int, told.splitlines()[1].split(","))) == wanted


def test_a_writer_publishes_while_a_shell_idles(judged: Path, tmp_path: Path) -> None:
    history = tmp_path / "history"
    shutil.copytree(judged / "history", history)
    book = load_registry(judged / "registry").compile()
    command = [shell(), "-readonly", "-csv", str(history / DATABASE)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path) as idle:
        assert idle.stdin is not None and idle.stdout is not None
        idle.stdin.write("select count(*) as judgments from judgments;\n")
        idle.stdin.flush()
        assert [idle.stdout.readline().strip() for _ in range(2)] == ["judgments", "2"]
        judge_all(history, book)
        idle.stdin.write("select count(*) as judgments from judgments;\n")
        idle.stdin.flush()
        assert [idle.stdout.readline().strip() for _ in range(2)] == ["judgments", "2"], (
            "an open shell keeps its snapshot"
        )
        idle.stdin.close()
    assert ask(history / DATABASE, "select count(*) as judgments from judgments", tmp_path).split() == [
        "judgments",
        "3",
    ]


def test_nothing_outside_is_needed(judged: Path, tmp_path: Path) -> None:
    """No view reads a file, an extension or a Python variable: with all of them forbidden each one answers."""
    database = judged / "history" / DATABASE
    views = ask(database, "select view_name from duckdb_views() where not internal", tmp_path).splitlines()[1:]
    assert len(views) > 30
    locked = "set enable_external_access = false; set autoinstall_known_extensions = false; "
    for view in views:
        ask(database, f"{locked} select count(*) from {view}", tmp_path)
