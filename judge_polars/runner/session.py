"""One conversation: `initialize`, `session/new`, one `session/prompt`, and how it ended (specification 80)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar, cast

from acp import text_block
from acp.client import ClientSideConnection
from acp.exceptions import RequestError
from acp.interfaces import Client
from acp.schema import ClientCapabilities, FileSystemCapabilities, Implementation, PromptResponse

from judge_polars.runner.account import Account
from judge_polars.runner.limits import Limits
from judge_polars.runner.plan import PROTOCOL_VERSION
from judge_polars.runner.statuses import (
    AGENT_ERROR,
    AGENT_EXITED,
    COMPLETED,
    INITIALIZE_TIMEOUT,
    OUTPUT_LIMIT,
    PROMPT_TIMEOUT,
    PROTOCOL_MISMATCH,
    SESSION_FAILED,
    Outcome,
    outcome_of_error,
    outcome_of_initialize_error,
)
from judge_polars.runner.telemetry import Telemetry
from judge_polars.version import __version__

if TYPE_CHECKING:
    from judge_polars.runner.client import WorkspaceClient
    from judge_polars.runner.wire import Wire

T = TypeVar("T")
SECONDS_TO_SEND: Final = 2.0
LONGEST_DETAIL: Final = 500


class EndedError(Exception):
    """The conversation is over; `outcome` says how."""

    def __init__(self, outcome: Outcome) -> None:
        super().__init__(outcome.status)
        self.outcome = outcome


class Session:
    """The conversation with one agent process."""

    def __init__(
        self,
        client: WorkspaceClient,
        wire: Wire,
        account: Account,
        telemetry: Telemetry,
        limits: Limits,
        on_state: Callable[[str], None],
    ) -> None:
        self._connection = ClientSideConnection(cast(Client, client), wire)
        self._account = account
        self._telemetry = telemetry
        self._limits = limits
        self._on_state = on_state

    async def hold(self, workspace: Path, prompt: str, timeout: float, *, offers: bool) -> Outcome:
        """Talk until the agent has answered the prompt or it is clear that it will not.

        Args:
            workspace: the session's working directory.
            prompt: sent as it is.
            timeout: seconds that the answer may take.
            offers: whether the client offers files and terminals.
        """
        try:
            self._on_state("initialize")
            await self._initialize(offers)
            self._on_state("session")
            session_id = await self._open(workspace)
            self._on_state("working")
            return await self._prompt(session_id, prompt, timeout)
        except EndedError as end:
            return end.outcome
        finally:
            with suppress(Exception):
                await self._connection.close()

    async def _initialize(self, offers: bool) -> None:
        capabilities = ClientCapabilities(
            fs=FileSystemCapabilities(read_text_file=offers, write_text_file=offers), terminal=offers
        )
        ours = Implementation(name="judge-polars", version=__version__)
        call = self._connection.initialize(PROTOCOL_VERSION, capabilities, ours)
        try:
            answer = await self._answered(call, self._limits.initialize)
        except TimeoutError:
            raise EndedError(Outcome(INITIALIZE_TIMEOUT, detail=f"after {self._limits.initialize:g} s")) from None
        except RequestError as wrong:
            raise EndedError(outcome_of_initialize_error(wrong.code, str(wrong), wrong.data)) from None
        except ValueError as wrong:
            raise EndedError(Outcome(PROTOCOL_MISMATCH, detail=_detail(wrong))) from None
        if answer.protocol_version != PROTOCOL_VERSION:
            told = f"the agent speaks version {answer.protocol_version}, judge-polars version {PROTOCOL_VERSION}"
            raise EndedError(Outcome(PROTOCOL_MISMATCH, detail=told))

    async def _open(self, workspace: Path) -> str:
        try:
            answer = await self._answered(self._connection.new_session(str(workspace)), self._limits.session)
        except TimeoutError:
            told = f"session/new was not answered within {self._limits.session:g} s"
            raise EndedError(Outcome(SESSION_FAILED, detail=told)) from None
        except RequestError as wrong:
            raise EndedError(outcome_of_error(wrong.code, str(wrong), wrong.data, SESSION_FAILED)) from None
        except ValueError as wrong:
            raise EndedError(Outcome(SESSION_FAILED, detail=_detail(wrong))) from None
        return answer.session_id

    async def _prompt(self, session_id: str, prompt: str, timeout: float) -> Outcome:
        call = _started(self._connection.prompt(session_id, [text_block(prompt)]))
        try:
            answer = await self._answered(_joined(call), timeout)
        except TimeoutError:
            return await self._cancelled(session_id, call, timeout)
        except RequestError as wrong:
            return outcome_of_error(wrong.code, str(wrong), wrong.data, AGENT_ERROR)
        except ValueError as wrong:
            return Outcome(AGENT_ERROR, detail=_detail(wrong))
        return Outcome(COMPLETED, answer.stop_reason)

    async def _cancelled(self, session_id: str, call: asyncio.Future[PromptResponse], timeout: float) -> Outcome:
        """The time is over: ask the agent to stop, and give it a moment to say that it did."""
        self._telemetry.note(f"the time limit of {timeout:g} s is over: session/cancel")
        self._on_state("cancelling")
        with suppress(Exception):
            await asyncio.wait_for(self._connection.cancel(session_id), SECONDS_TO_SEND)
        await self._first_of(call, self._limits.cancel)
        stop_reason = None
        if call.done() and not call.cancelled() and call.exception() is None:
            stop_reason = call.result().stop_reason
        call.cancel()
        return Outcome(PROMPT_TIMEOUT, stop_reason, f"after {timeout:g} s")

    async def _answered(self, call: Coroutine[Any, Any, T], seconds: float) -> T:
        """The answer to a call.

        Raises:
            TimeoutError: there is none in time.
            EndedError: the agent has gone, or wrote too much.
        """
        task = _started(call)
        over = self._account.over
        try:
            await self._first_of(task, seconds)
        except asyncio.CancelledError:
            task.cancel()
            raise
        if over.done():
            task.cancel()
            with suppress(BaseException):
                await task
            raise EndedError(Outcome(OUTPUT_LIMIT, detail=over.result()))
        if not task.done():
            task.cancel()
            raise TimeoutError
        try:
            return task.result()
        except OSError as gone:  # ConnectionError is one
            raise EndedError(Outcome(AGENT_EXITED, detail="before it answered")) from gone

    async def _first_of(self, call: asyncio.Future[Any], seconds: float) -> None:
        """Wait for the end of a call, for a limit that is hit, or for the time."""
        waited: set[asyncio.Future[Any]] = {call, self._account.over}
        await asyncio.wait(waited, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)


def _started(call: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
    """A call in a task of its own, whose error nobody need ask for."""
    task = asyncio.ensure_future(call)
    task.add_done_callback(lambda done: done.cancelled() or done.exception())
    return task


async def _joined(call: asyncio.Future[T]) -> T:
    """The result of a call that goes on when nobody waits for it any more."""
    return await asyncio.shield(call)


def _detail(wrong: Exception) -> str:
    return f"the answer is not what the protocol says: {wrong}"[:LONGEST_DETAIL]
