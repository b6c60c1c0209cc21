"""Shards in this process and in processes beside it: order, what is given out at once, faults, interrupts, lost processes."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge_polars.errors import InputError, MissingPieceError, UsageError
from judge_polars.workers import ALONE, Workers, in_order
from judge_polars.workers.pool import run_in_pool
from tests.workers.works import Doubling, Reversing, Telling

ROOT = Path(__file__).resolve().parents[2]


def test_no_more_shards_are_given_out_than_asked_for_and_results_keep_their_order() -> None:
    given: list[int] = []
    taken: list[int] = []

    def submit(shard: int) -> int:
        given.append(shard)
        return shard

    for number in in_order(range(10), 3, submit, lambda handle: handle * 10):
        taken.append(number)
        assert len(given) - len(taken) <= 3
    assert taken == [number * 10 for number in range(10)]


def test_nothing_to_do_gives_nothing() -> None:
    assert list(in_order([], 3, int, int)) == []
    assert list(ALONE.run(Doubling(), [], 0)) == []


def test_few_case_runs_are_worked_on_in_this_process() -> None:
    assert next(Workers(2).run(Telling(), [0], 999))[0] == os.getpid()
    assert next(Workers(1).run(Telling(), [0], 1000))[0] == os.getpid()


def test_many_are_worked_on_by_processes_that_leave_interrupts_alone_and_have_one_thread(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("POLARS_MAX_THREADS", raising=False)
    told = list(Workers(2).run(Telling(), range(4), 1000))
    assert os.getpid() not in {process for process, _, _ in told}
    assert {(threads, ignored) for _, threads, ignored in told} == {("1", True)}
    assert "POLARS_MAX_THREADS" not in os.environ


def test_a_pool_gives_the_results_in_order_and_ends_its_processes() -> None:
    before = set(multiprocessing.active_children())
    assert list(run_in_pool(Doubling(), range(9), 2)) == [2 * number for number in range(9)]
    assert set(multiprocessing.active_children()) == before


def test_what_a_worker_raises_is_raised_here() -> None:
    before = set(multiprocessing.active_children())
    results = run_in_pool(Doubling(), [4, -4, 5], 2)
    assert next(results) == 8
    with pytest.raises(InputError, match="-4 is negative") as raised:
        next(results)
    assert "works.py" in raised.value.__notes__[0]
    assert set(multiprocessing.active_children()) == before


def test_a_lost_process_is_told() -> None:
    with pytest.raises(MissingPieceError, match=r"a worker process was lost.*fewer --jobs"):
        list(run_in_pool(Doubling(lost=True), range(9), 2))


def test_large_shards_and_results_go_to_and_fro() -> None:
    texts = [letter * 3_000_000 for letter in "abcdefgh"]
    assert list(run_in_pool(Reversing(), texts, 2)) == texts


def test_who_stops_taking_results_ends_the_processes() -> None:
    before = set(multiprocessing.active_children())
    results = run_in_pool(Doubling(), range(9), 2)
    next(results)
    assert isinstance(results, Iterator)
    del results
    assert set(multiprocessing.active_children()) == before


@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_no_worker_outlives_the_process_that_began_it(tmp_path: Path, how: signal.Signals) -> None:
    command = [sys.executable, "-m", "tests.workers.works", str(tmp_path)]
    with subprocess.Popen(command, cwd=ROOT, start_new_session=True) as process:
        while len(list(tmp_path.iterdir())) < 2:
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(how)
        code = process.wait(timeout=60)
    assert code == (130 if how == signal.SIGINT else -how)
    workers = [int(path.name) for path in tmp_path.iterdir()]
    until = time.monotonic() + 60
    while any(Path(f"/proc/{worker}/cmdline").exists() and _runs(worker) for worker in workers):
        assert time.monotonic() < until, "a worker is still there"
        time.sleep(0.05)


def _runs(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0] != "Z"


@pytest.mark.parametrize(
    ("settings", "told"),
    [({"engine": "spark"}, "--engine spark: one of local, ray"), ({"jobs": None}, "wants a number of jobs")],
)
def test_settings_that_do_not_fit_are_refused(settings: dict[str, str | None], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        Workers(**settings)  # type: ignore[arg-type]
