"""Interrupted, terminated and killed eval runs leave no process, publish nothing half, and can be gone on with."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from judge_polars.errors import UsageError
from judge_polars.registry import load_registry
from judge_polars.runner.plan import Request, plan_eval
from judge_polars.runner.records import only_writer
from tests.runner.world import MARK, Live, write_registry, written

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = """
import sys
from pathlib import Path
from tests.runner.world import Live
live = Live(Path(sys.argv[1]), mark=sys.argv[2])
resume = "e1" if sys.argv[3] == "resume" else None
try:
    live.run(*sys.argv[4:], resume=resume)
except KeyboardInterrupt:
    sys.exit(130)
"""
CASES = ("first-case", "second-case")
SECONDS = 60.0


def start(live: Live, *ways: str, resume: bool = False) -> subprocess.Popen[bytes]:
    """An eval run in a process of its own."""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    environment.pop(MARK, None)
    command = [sys.executable, "-c", SCRIPT, str(live.root), live.mark, "resume" if resume else "begin", *ways]
    return subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, start_new_session=True)


def wait_for(state: Callable[[], bool], process: subprocess.Popen[bytes]) -> None:
    """Wait until something is so; fails when the process ends before."""
    until = time.monotonic() + SECONDS
    while not state():
        assert process.poll() is None, "it ended too early"
        assert time.monotonic() < until
        time.sleep(0.005)


@pytest.fixture
def two(live: Live) -> Iterator[Live]:
    """Two cases, one after the other."""
    write_registry(live.root / "registry", cases=CASES, files={f"{number}.txt": "x" * 1000 for number in range(50)})
    yield live
    assert live.left() == []


def audit(live: Live, case: str) -> Path:
    return live.directory(case) / "audit" / "telemetry.jsonl"


MOMENTS: dict[str, Callable[[Live], bool]] = {
    "record": lambda live: (live.root / "runs/e1/eval_run.json").exists(),
    "setting-up": lambda live: (live.directory() / "workspace").exists(),
    "starting": lambda live: audit(live, CASES[0]).exists(),
    "prompt": lambda live: audit(live, CASES[0]).exists() and b"session/prompt" in audit(live, CASES[0]).read_bytes(),
    "second-case": lambda live: audit(live, CASES[1]).exists() and b"session/new" in audit(live, CASES[1]).read_bytes(),
}


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("starting", signal.SIGKILL),
        ("prompt", signal.SIGINT),
        ("prompt", signal.SIGTERM),
        ("second-case", signal.SIGKILL),
        ("second-case", signal.SIGINT),
    ],
    ids=lambda value: value.name if isinstance(value, signal.Signals) else value,
)
def test_stopped_at_a_moment_and_gone_on_with(two: Live, moment: str, number: signal.Signals) -> None:
    with start(two, "slow", "leave-child") as process:
        wait_for(lambda: MOMENTS[moment](two), process)
        process.send_signal(number)
        code = process.wait(timeout=SECONDS)
    assert code == (-signal.SIGKILL if number == signal.SIGKILL else 130)
    assert two.left() == []
    records = [path for path in written(two.root / "runs") if path.name == "case_run.json"]
    assert all(json.loads(path.read_text())["finished_at"] for path in records)
    assert len(records) == (moment == "second-case")
    before = {path: path.stat().st_mtime_ns for path in records}

    ran = two.run(resume="e1")
    assert len(ran.done) + len(ran.kept) == 2
    assert len(ran.kept) == len(records)
    assert before == {path: path.stat().st_mtime_ns for path in records}
    for case in CASES:
        assert two.record(case)["status"] == "completed"
        assert len(list((two.directory(case) / "workspace").glob("*.txt"))) == 50
    record = json.loads((two.root / "runs/e1/eval_run.json").read_text())
    assert record["finished_at"]


def test_an_agent_that_ignores_sigterm_ends_with_a_runner_that_was_killed(two: Live) -> None:
    with start(two, "ignore-sigterm", "hang-in-prompt", "leave-child") as process:
        wait_for(lambda: MOMENTS["prompt"](two), process)
        process.kill()
        process.wait()
    assert two.left() == []


def test_scratch_directories_are_removed_when_the_runner_was_killed(two: Live) -> None:
    with start(two, "hang-in-prompt", "dump-environment") as process:
        dump = two.directory() / "workspace/environment.json"
        wait_for(lambda: dump.exists() and dump.read_text().endswith("}"), process)
        home = Path(json.loads(dump.read_text())["HOME"])
        assert home.is_dir()
        process.kill()
        process.wait()
    assert two.left() == []
    until = time.monotonic() + 5
    while home.parent.exists() and time.monotonic() < until:
        time.sleep(0.05)
    assert not home.parent.exists()


def test_a_case_run_that_was_left_unreadable_is_repeated(two: Live) -> None:
    with start(two, "hang-in-prompt") as process:
        wait_for(lambda: MOMENTS["prompt"](two), process)
        process.kill()
        process.wait()
    locked = two.directory() / "workspace" / "locked"
    locked.mkdir()
    (locked / "file").write_text("x")
    locked.chmod(0)
    two.run(resume="e1")
    assert two.record()["status"] == "completed"
    assert not locked.exists()


def test_a_damaged_record_is_repeated(two: Live) -> None:
    two.run()
    (two.directory() / "case_run.json").write_text('{"eval_run_id": "e1"')
    ran = two.run(resume="e1")
    assert (list(ran.done), list(ran.kept)) == (["e1/first-case/1"], ["e1/second-case/1"])


def test_a_finished_eval_run_is_not_repeated(two: Live) -> None:
    two.run()
    ran = two.run(resume="e1")
    assert not ran.done and len(ran.kept) == 2


def test_two_runners_do_not_share_an_eval_run(two: Live) -> None:
    two.run()
    with only_writer(two.root / "runs/e1"), pytest.raises(UsageError, match="another judge-polars eval is at work"):
        two.run(resume="e1")


@pytest.mark.parametrize(
    ("file", "message"),
    [
        pytest.param("suites/small.yaml", "version 1 of the suite small", id="suite"),
        pytest.param("cases/first-case/case.yaml", "version 1 of first-case", id="case"),
    ],
)
def test_an_eval_run_is_of_one_version(two: Live, file: str, message: str) -> None:
    two.run()
    path = two.root / "registry" / file
    path.write_text(path.read_text().replace("version: 1\ntitle", "version: 2\ntitle"))
    with pytest.raises(UsageError, match=message):
        two.run(resume="e1")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"resume": "e2"}, "--resume e2: .* is no record of an eval run that eval began; there are: e1"),
        ({"resume": "../e1"}, "--resume ../e1: letters, digits"),
        ({"resume": "e1", "suite": "other"}, "--suite other: the eval run e1 is of the suite small"),
        ({"resume": "e1", "agent": "other"}, "--agent other: the eval run e1 is of the agent demo"),
        ({"resume": "e1", "trials": 2}, "--resume: cases, trials and id are those of the eval run"),
        ({"resume": "e1", "cases": ("x",)}, "--resume: cases, trials and id are those of the eval run"),
    ],
)
def test_what_cannot_be_gone_on_with(two: Live, options: dict[str, object], message: str) -> None:
    two.run()
    request = Request(two.root / "runs", **options)  # type: ignore[arg-type]
    with pytest.raises(UsageError, match=message):
        plan_eval(load_registry(two.root / "registry"), request, {"demo": two.agent()}, os.environ)
