"""One case run, from an empty directory to its record; whatever goes wrong is a status (specification 80)."""

from __future__ import annotations

import asyncio
import secrets
import shutil
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from judge_polars.runner.account import Account
from judge_polars.runner.agents import Agent, passed_on, values
from judge_polars.runner.client import WorkspaceClient
from judge_polars.runner.limits import Limits
from judge_polars.runner.masks import Mask
from judge_polars.runner.permissions import Policy
from judge_polars.runner.plan import CaseRunPlan
from judge_polars.runner.process import Process, SpawnFailedError
from judge_polars.runner.records import (
    AUDIT,
    CASE_RUN,
    OUTPUT,
    SCHEMA_VERSION,
    STDERR,
    TELEMETRY,
    WORKSPACE,
    now,
    write_atomically,
    write_record,
)
from judge_polars.runner.session import Session
from judge_polars.runner.statuses import COMPLETED, SETUP_FAILED, SPAWN_FAILED, Outcome
from judge_polars.runner.telemetry import Telemetry, keep_stderr
from judge_polars.runner.terminals import Terminals
from judge_polars.runner.wire import Wire
from judge_polars.runner.workspace import WorkspaceError, copy_files, remove

HOME: Final = "home"
TEMPORARY: Final = "tmp"
SECONDS_FOR_STDERR: Final = 5.0
SECONDS_WHEN_INTERRUPTED: Final = 1.0


@dataclass
class Progress:
    """Where a case run is, for a display; times are monotonic seconds.

    Attributes:
        state: `waiting`, `setting up`, `initialize`, `session`, `working`, `cancelling`, `ending`, or `ended`.
        status: how it ended.
    """

    case_run_id: str
    state: str = "waiting"
    begun: float | None = None
    ended: float | None = None
    status: str | None = None
    account: Account | None = field(default=None, repr=False)

    @property
    def last_activity(self) -> float | None:
        """When the agent last wrote something."""
        return None if self.account is None else self.account.last_activity

    @property
    def last_seen(self) -> str:
        """What that was."""
        return "" if self.account is None else self.account.last_seen


class CaseRun:
    """Runs one case once."""

    def __init__(self, plan: CaseRunPlan, agent: Agent, limits: Limits, progress: Progress) -> None:
        self._plan = plan
        self._agent = agent
        self._limits = limits
        self._progress = progress
        self._mask = Mask(passed_on(list(plan.environment)))
        self._account = Account(limits, self._mask)
        self._exit_code: int | None = None
        self._telemetry_left_out = 0

    @property
    def _workspace(self) -> Path:
        return self._plan.directory.absolute() / WORKSPACE

    async def run(self) -> dict[str, Any]:
        """Run it and write its record, which is returned.

        Raises:
            OSError: not even the record could be written.
        """
        self._progress.begun = time.monotonic()
        self._progress.account = self._account
        started_at = now()
        try:
            self._state("setting up")
            await asyncio.to_thread(self._set_up)
            outcome = await self._talk()
        except (WorkspaceError, OSError) as wrong:
            outcome = Outcome(SETUP_FAILED, detail=str(wrong))
        answer = self._account.answer
        self._plan.directory.mkdir(parents=True, exist_ok=True)
        if answer:
            write_atomically(self._plan.directory / OUTPUT, answer.encode(errors="replace"))
        record = self._record(outcome, started_at)
        write_record(self._plan.directory / CASE_RUN, record)
        self._progress.ended = time.monotonic()
        self._progress.status = outcome.status if outcome.status != COMPLETED else outcome.stop_reason
        self._state("ended")
        return record

    def _state(self, state: str) -> None:
        self._progress.state = state

    def _set_up(self) -> None:
        """A directory without anything of an attempt before, and the case's files in the workspace."""
        remove(self._plan.directory)
        (self._plan.directory / AUDIT).mkdir(parents=True)
        self._workspace.mkdir()
        if self._plan.workspace_files is not None:
            copy_files(self._plan.workspace_files, self._workspace)

    async def _talk(self) -> Outcome:
        """Start the agent, hold the session, end the agent."""
        scratch = Path(tempfile.gettempdir()) / f"judge-polars-{secrets.token_hex(8)}"
        audit = self._plan.directory / AUDIT
        try:
            with Telemetry(audit / TELEMETRY, self._limits.telemetry, self._mask) as telemetry:
                outcome = await self._talk_in(scratch, audit, telemetry)
                self._telemetry_left_out = telemetry.left_out
            return outcome
        finally:
            shutil.rmtree(scratch, ignore_errors=True)

    async def _talk_in(self, scratch: Path, audit: Path, telemetry: Telemetry) -> Outcome:
        environment = values(list(self._plan.environment), home=scratch / HOME, temporary=scratch / TEMPORARY)
        try:
            process = await self._start(environment, scratch)
        except SpawnFailedError as wrong:
            telemetry.note(f"the agent could not be started: {wrong}")
            return Outcome(SPAWN_FAILED, detail=f"{self._agent.command[0]}: {wrong}")
        terminals = Terminals(environment, self._limits)
        stderr = asyncio.create_task(self._keep_stderr(process, audit / STDERR))
        try:
            outcome = await self._hold(process, telemetry, terminals)
            self._state("ending")
            await self._leave(process, telemetry, outcome)
        finally:
            await _settled(self._end(process, terminals, stderr))
        return outcome

    async def _start(self, environment: dict[str, str], scratch: Path) -> Process:
        program, *arguments = self._agent.command
        if "/" in program:
            program = str((self._agent.directory / program).absolute())
        return await Process.start(
            [program, *arguments],
            environment=environment,
            directory=self._workspace,
            scratch=scratch,
            folders=(HOME, TEMPORARY),
            line_limit=self._limits.line,
        )

    async def _keep_stderr(self, process: Process, path: Path) -> None:
        await keep_stderr(
            process.stderr,
            path,
            kept=self._limits.stderr_log,
            allowed=self._limits.stderr,
            mask=self._mask,
            over=self._account.stop,
        )

    async def _hold(self, process: Process, telemetry: Telemetry, terminals: Terminals) -> Outcome:
        policy = Policy(self._agent.permissions, self._workspace)
        client = WorkspaceClient(policy, terminals, self._account, self._limits)
        wire = Wire(process.stdout, process.stdin, telemetry, self._account, self._limits)
        session = Session(client, wire, self._account, telemetry, self._limits, self._state)
        return await session.hold(self._workspace, self._plan.prompt, self._plan.timeout, offers=policy.offers)

    async def _leave(self, process: Process, telemetry: Telemetry, outcome: Outcome) -> None:
        """Let the agent end by itself after its answer; tell one that does not, or did not answer, to end."""
        if outcome.status == COMPLETED:
            await process.exit_within(self._limits.leave)
        if not process.exited.done():
            telemetry.note("SIGTERM to the agent's process group")
            process.terminate()
            await process.exit_within(self._limits.terminate)
        if not process.exited.done():
            telemetry.note("SIGKILL to all that the agent started")
            process.kill()

    async def _end(self, process: Process, terminals: Terminals, stderr: asyncio.Task[None]) -> None:
        """Nothing of the agent is left behind, however the session ended; an interrupt leaves it a moment."""
        if not process.exited.done() and not process.killed:
            process.terminate()
            await process.exit_within(SECONDS_WHEN_INTERRUPTED)
        await terminals.end()
        await process.end()
        self._exit_code = process.exited.result() if process.exited.done() else None
        await asyncio.wait({stderr}, timeout=SECONDS_FOR_STDERR)
        stderr.cancel()
        with suppress(asyncio.CancelledError, OSError):
            await stderr

    def _record(self, outcome: Outcome, started_at: str) -> dict[str, Any]:
        """What `case_run.json` says."""
        plan = self._plan
        return {
            "schema_version": SCHEMA_VERSION,
            "eval_run_id": plan.case_run_id.split("/")[0],
            "case_id": plan.case_id,
            "case_version": plan.case_version,
            "trial": plan.trial,
            "workspace_id": plan.case_run_id.replace("/", "-"),
            "workspace_dir": WORKSPACE,
            "audit_dir": AUDIT,
            "output_file": OUTPUT,
            "status": outcome.status,
            "stop_reason": outcome.stop_reason and self._mask.text(outcome.stop_reason),
            "detail": self._mask.text(outcome.detail) or None,
            "usage": self._account.usage,
            "started_at": started_at,
            "finished_at": now(),
            "agent": self._account.agent(self._agent.name),
            "exit_code": self._exit_code,
            "refused": self._account.refused,
            "refused_count": self._account.refused_count,
            "invalid_lines": self._account.invalid_lines,
            "telemetry_left_out": self._telemetry_left_out,
        }


async def _settled(ending: Any) -> None:
    """Wait for an ending even where this task is cancelled meanwhile; the cancellation goes on afterwards."""
    task = asyncio.ensure_future(ending)
    interrupted = False
    while not task.done():
        try:
            await asyncio.shield(task)
        except asyncio.CancelledError:
            interrupted = True
    task.result()
    if interrupted:
        raise asyncio.CancelledError


Show = Callable[[list[Progress]], None]
"""Told again and again where the case runs are."""
