"""Shards on a Ray cluster of two workers against the same shards in this process (`make test-ray`)."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judge_polars.bundles import find_case_runs
from judge_polars.engine import Engine
from judge_polars.errors import InputError, MissingPieceError
from judge_polars.history.record import Record
from judge_polars.ingest import ingest_places
from judge_polars.registry import load_registry
from judge_polars.workers import RAY, Workers
from judge_polars.workers.on_ray import run_on_ray
from tests.workers.works import Doubling, DyingOnce, Telling

ray = pytest.importorskip("ray", reason="Ray is not installed: make test-ray")
pytestmark = pytest.mark.xdist_group("ray")
ROOT = Path(__file__).resolve().parents[2]
ON_RAY = Workers(2, RAY)


@pytest.mark.usefixtures("cluster")
def test_results_keep_their_order_and_the_cluster_stays() -> None:
    assert list(run_on_ray(Doubling(), range(12), 2, None)) == [2 * number for number in range(12)]
    assert ray.is_initialized()


@pytest.mark.usefixtures("cluster")
def test_workers_have_one_thread_and_are_other_processes() -> None:
    told = list(run_on_ray(Telling(), range(3), None, None))
    assert {threads for _, threads, _ in told} == {"1"}
    assert os.getpid() not in {process for process, _, _ in told}


@pytest.mark.usefixtures("cluster")
def test_a_shard_whose_worker_is_lost_goes_to_another_one(tmp_path: Path) -> None:
    assert list(run_on_ray(DyingOnce(str(tmp_path)), range(6), 2, None)) == list(range(6))
    assert (tmp_path / "been").exists()


@pytest.mark.usefixtures("cluster")
def test_a_shard_whose_workers_are_always_lost_is_told() -> None:
    with pytest.raises(MissingPieceError, match="lost with a shard again and again"):
        list(run_on_ray(Doubling(lost=True), range(6, 9), 2, None))


@pytest.mark.usefixtures("cluster")
def test_what_a_worker_raises_is_raised_here() -> None:
    results = run_on_ray(Doubling(), [4, -4, 5], 2, None)
    assert next(results) == 8
    with pytest.raises(InputError, match=r"^-4 is negative$"):
        next(results)


@pytest.mark.usefixtures("cluster")
def test_a_worker_that_does_not_see_the_files_says_so(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"elsewhere: it is not there for the Ray worker on .*under the same path"):
        list(run_on_ray(Doubling(path=str(tmp_path / "elsewhere")), [1], 2, None))


@pytest.mark.usefixtures("cluster")
def test_a_worker_with_other_versions_is_not_given_work(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge_polars.workers.on_ray._versions", lambda: {"polars": "1.0"})
    with pytest.raises(MissingPieceError, match=r"has polars .* instead of 1\.0: install the same versions"):
        list(run_on_ray(Doubling(), [1], 2, None))


@pytest.mark.usefixtures("cluster")
def test_batches_that_this_machine_does_not_see_are_noticed(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    book = load_registry(world / "registry").compile()
    found = find_case_runs([world / "runs"], book.limits)
    monkeypatch.setattr(Record, "holds", lambda record, number: False)
    with pytest.raises(InputError, match="directory of the same name on its own machine"):
        ingest_places(tmp_path / "history", Engine(book), found, found.places, workers=ON_RAY)


def _command(world: Path, tmp_path: Path, *arguments: str) -> list[str]:
    places = [str(world / "runs"), "--registry", str(world / "registry"), "--history-dir", str(tmp_path / "h")]
    return [sys.executable, "-m", "judge_polars", "ingest", *places, "--engine", "ray", *arguments]


def test_the_command_begins_a_cluster_quietly_and_ends_it(world: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        _command(world, tmp_path, "--jobs", "2"), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (0, "")
    assert re.fullmatch(
        r"(read .*\n)*read into the history: \d+ new, 0 changed; 0 were there as they are\n", done.stderr
    )


def test_no_cluster_at_an_address_is_exit_code_4(world: Path, tmp_path: Path) -> None:
    done = subprocess.run(
        _command(world, tmp_path, "--ray-address", "127.0.0.1:9"), cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 4
    assert "no Ray cluster answers at 127.0.0.1:9" in done.stderr
    assert "Traceback" not in done.stderr


def test_an_interrupt_ends_the_cluster(tmp_path: Path) -> None:
    script = (
        "import sys\n"
        "from judge_polars.workers.on_ray import run_on_ray\n"
        "from tests.workers.works import Endless\n"
        "try: list(run_on_ray(Endless(sys.argv[1]), range(9), 2, None))\n"
        "except KeyboardInterrupt: sys.exit(130)\n"
    )
    with subprocess.Popen([sys.executable, "-c", script, str(tmp_path)], cwd=ROOT, start_new_session=True) as process:
        while not list(tmp_path.iterdir()):
            assert process.poll() is None
        process.send_signal(signal.SIGINT)
        assert process.wait(timeout=60) == 130
    for path in tmp_path.iterdir():
        assert not Path(f"/proc/{path.name}").exists()
