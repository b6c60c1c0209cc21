"""A whole eval run: its case runs side by side, its record, and going on where an interrupted one stopped."""

from __future__ import annotations

import asyncio
import logging
import signal
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, Final

from judge_polars.errors import UsageError
from judge_polars.runner.case_run import CaseRun, Progress, Show
from judge_polars.runner.limits import Limits
from judge_polars.runner.plan import CaseRunPlan, EvalPlan
from judge_polars.runner.records import EVAL_RUN, SCHEMA_VERSION, is_finished, now, only_writer, write_record

SECONDS_BETWEEN_SHOWS: Final = 0.25
STOPPING: Final = (signal.SIGTERM, signal.SIGHUP)


@dataclass(frozen=True, slots=True)
class Ran:
    """What an eval run did.

    Attributes:
        done: case runs that were run now, with their records; `kept` were finished before.
        lost: case run id -> why not even a record of it could be written.
    """

    done: Mapping[str, Mapping[str, Any]]
    kept: tuple[str, ...]
    lost: Mapping[str, str]


def run_live(plan: EvalPlan, *, limits: Limits | None = None, show: Show | None = None) -> Ran:
    """Run what is planned and not finished yet.

    Args:
        show: called four times a second and at the end with where the case runs are.

    Raises:
        UsageError: the directory cannot be made, or another process is at work in it.
        KeyboardInterrupt: an interrupt, SIGTERM or SIGHUP came; every agent has been ended, and the eval run can be resumed.
    """
    try:
        plan.directory.mkdir(parents=True, exist_ok=plan.resumed is not None)
    except OSError as wrong:
        raise UsageError(f"--runs: {plan.directory} cannot be made: {wrong.strerror}") from wrong
    with only_writer(plan.directory), sdk_kept_quiet():
        return asyncio.run(_run(plan, limits or Limits(), show))


@contextmanager
def sdk_kept_quiet() -> Iterator[None]:
    """The protocol's SDK logs what an agent does wrong, with tracebacks; the telemetry tells it, so nobody need see that.

    A root logger without a handler would print it; one that somebody has set up is left as it is.
    """
    handler = logging.NullHandler()
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)


async def _run(plan: EvalPlan, limits: Limits, show: Show | None) -> Ran:
    task = asyncio.current_task()
    assert task is not None
    stopped = []

    def stop(number: int) -> None:
        stopped.append(number)
        task.cancel()

    if threading.current_thread() is threading.main_thread():
        for number in STOPPING:
            asyncio.get_running_loop().add_signal_handler(number, stop, number)
    try:
        return await _run_all(plan, limits, show)
    except asyncio.CancelledError:
        if stopped:
            raise KeyboardInterrupt from None
        raise


async def _run_all(plan: EvalPlan, limits: Limits, show: Show | None) -> Ran:
    record = _record(plan)
    write_record(plan.directory / EVAL_RUN, record)
    kept = tuple(one.case_run_id for one in plan.case_runs if _is_finished(plan, one))
    waiting = [one for one in plan.case_runs if one.case_run_id not in kept]
    progress = {one.case_run_id: Progress(one.case_run_id) for one in waiting}
    showing = None if show is None else asyncio.create_task(_show(show, list(progress.values())))
    turns = asyncio.Semaphore(plan.concurrency)
    done: dict[str, Mapping[str, Any]] = {}
    lost: dict[str, str] = {}

    async def run_one(one: CaseRunPlan) -> None:
        async with turns:
            try:
                done[one.case_run_id] = await CaseRun(one, plan.agent, limits, progress[one.case_run_id]).run()
            except Exception as wrong:  # one case run's fault is never another one's
                lost[one.case_run_id] = f"{type(wrong).__name__}: {wrong}"
                progress[one.case_run_id].state, progress[one.case_run_id].status = "ended", "lost"

    try:
        async with asyncio.TaskGroup() as group:
            for one in waiting:
                group.create_task(run_one(one))
    finally:
        if showing is not None:
            showing.cancel()
            with suppress(asyncio.CancelledError):
                await showing
    if show is not None:
        show(list(progress.values()))
    agents = [told["agent"] for told in done.values() if told.get("agent")]
    if agents:
        record["agent"] = next((agent for agent in reversed(agents) if agent["version"]), agents[-1])
    if not lost:
        record["finished_at"] = now()
    write_record(plan.directory / EVAL_RUN, record)
    return Ran(done, kept, lost)


async def _show(show: Show, progress: list[Progress]) -> None:
    while True:
        show(progress)
        await asyncio.sleep(SECONDS_BETWEEN_SHOWS)


def _is_finished(plan: EvalPlan, one: CaseRunPlan) -> bool:
    return plan.resumed is not None and is_finished(one.directory, one.case_run_id)


def _record(plan: EvalPlan) -> dict[str, Any]:
    """What `eval_run.json` says while the eval run goes on; `planned` is what `--resume` needs."""
    before = plan.resumed or {}
    cases = [
        {"case_id": case, "case_version": version, "trials": plan.trials[case]} for case, version in plan.cases.items()
    ]
    return {
        "schema_version": SCHEMA_VERSION,
        "eval_run_id": plan.eval_run_id,
        "suite_id": plan.suite_id,
        "suite_version": plan.suite_version,
        "execution_mode": "live",
        "started_at": before.get("started_at") or now(),
        "finished_at": None,
        "agent": before.get("agent") or {"name": plan.agent.name, "version": None, "model": None},
        "planned": {"agent": plan.agent.name, "cases": cases},
    }
