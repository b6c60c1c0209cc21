"""Writers that are killed, that meet each other, or that run out of disk: nothing that was published is lost or doubled."""

from __future__ import annotations

import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import judge_polars as jp
from judge_polars.errors import InputError
from judge_polars.history.record import Record
from judge_polars.history.store import open_history
from judge_polars.registry import load_registry
from tests.generate import write_world
from tests.history.worlds import content, ingest, judge_all

KILLS = int(os.environ.get("JUDGE_POLARS_TEST_KILLS", "2"))
AUDITS = "select view_name from duckdb_views() where view_name like 'audit_%' order by view_name"
COUNTED = ("case_runs", "eval_runs", "verdicts", "check_results", "facts", "documents")


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("world")
    write_world(4, place)
    return place


@pytest.fixture(scope="module")
def undisturbed(world: Path) -> dict[str, object]:
    """What the history says when nothing goes wrong."""
    return dict(_content(_finish(world, world / "undisturbed")))


def _content(history: Path) -> dict[str, object]:
    return {name: frame.to_dicts() for name, frame in content(history, COUNTED).items()}


def _start(world: Path, history: Path, *more: str) -> subprocess.Popen[str]:
    root = Path(__file__).parents[2]
    command = [sys.executable, "-m", "tests.history.writer", str(world), str(history), *more]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=root)


def _finish(world: Path, history: Path) -> Path:
    done = _start(world, history)
    _, wrong = done.communicate()
    assert done.returncode == 0, wrong
    return history


def assert_sound(history: Path) -> int:
    """Every audit view is empty; the number of verdicts."""
    with open_history(history) as opened:
        for name in opened.sql(AUDITS)["view_name"]:
            assert opened.sql(f"from {name}").is_empty(), name
        return int(opened.sql("select count(*) from verdicts").item())


def test_killed_at_random_moments(world: Path, undisturbed: dict[str, object], tmp_path: Path) -> None:
    history = tmp_path / "history"
    chance = random.Random(int(os.environ.get("JUDGE_POLARS_TEST_SEED", "1")))
    verdicts = 0
    for _ in range(KILLS):
        writer = _start(world, history)
        assert writer.stdout is not None
        writer.stdout.readline()
        time.sleep(chance.uniform(0, 2.5))
        writer.send_signal(signal.SIGKILL)
        writer.communicate()
        if (history / "history.json").exists() and Record.open(history).batches("judgment"):
            now = assert_sound(history)
            assert now >= verdicts
            verdicts = now
    _finish(world, history)
    assert_sound(history)
    assert _content(history) == undisturbed


def test_two_writers_at_once(world: Path, undisturbed: dict[str, object], tmp_path: Path) -> None:
    history = tmp_path / "history"
    writers = [_start(world, history), _start(world, history, "backward")]
    for writer in writers:
        _, wrong = writer.communicate()
        assert writer.returncode == 0, wrong
    assert_sound(history)
    assert _content(history) == undisturbed


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 3 MB."""
    place = tmp_path / "small"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=3m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if mounted.returncode != 0:
        pytest.skip("a file system of its own may not be mounted here")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=False)


def test_full_disk(world: Path, undisturbed: dict[str, object], small_disk: Path) -> None:
    history = small_disk / "history"
    writer = _start(world, history)
    _, told = writer.communicate()
    assert writer.returncode != 0
    assert "could not be written" in told or "No space left" in told
    subprocess.run(["mount", "-o", "remount,size=300m", str(small_disk)], check=True)
    _finish(world, history)
    assert_sound(history)
    assert _content(history) == undisturbed


@contextmanager
def small_files() -> Iterator[None]:
    """No file may become larger than 200 kB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_file_size_limit(world: Path, tmp_path: Path) -> None:
    """A limit on the size of files stands for a full disk where none can be mounted."""
    book = load_registry(world / "registry").compile()
    history = tmp_path / "history"
    ingest(history, world / "runs", book)
    with small_files(), pytest.raises(InputError, match="the record is whole"):
        judge_all(history, book)
    assert_sound(history)
    judge_all(history, book)
    with jp.open_history(history) as opened, small_files(), pytest.raises(InputError, match="with TMPDIR"):
        opened.rejudge(book, what_if=True)
