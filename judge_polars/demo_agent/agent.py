"""The agent's side of the protocol: a session, one diagnosis, and what it was told to do wrong."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, Final, Literal

from acp import (
    start_tool_call,
    update_agent_message_text,
    update_tool_call,
)
from acp.exceptions import RequestError
from acp.interfaces import Client
from acp.schema import (
    ClientCapabilities,
    Implementation,
    InitializeResponse,
    NewSessionResponse,
    PermissionOption,
    PromptResponse,
    ToolCallLocation,
    ToolCallUpdate,
    Usage,
)

from judge_polars.demo_agent.bundle import BUNDLE, VERSION, evidence_map, write_collection
from judge_polars.demo_agent.diagnosis import diagnose
from judge_polars.demo_agent.misbehaviour import INVALID_LINES, link_out, write_without_end
from judge_polars.demo_agent.recorded import NoRecordedDataError, read_recorded

Kind = Literal["read", "edit", "search", "fetch", "other"]
PROTOCOL_VERSION: Final = 1
SLOW_SECONDS: Final = 1.0
PIECE: Final = 7
OUTSIDE: Final = "/etc/hostname"


class DemoAgent:
    """Diagnoses what is recorded in the session's working directory."""

    def __init__(self, ways: frozenset[str]) -> None:
        self._ways = ways
        self._client: Client | None = None
        self._workspace = Path()
        self._offers_files = False
        self._cancelled = asyncio.Event()
        self._calls = 0

    def on_connect(self, connection: Client) -> None:
        """Whom to talk to."""
        self._client = connection

    @property
    def client(self) -> Client:
        """The other side."""
        assert self._client is not None
        return self._client

    async def initialize(
        self,
        protocol_version: int,
        client_capabilities: ClientCapabilities | None = None,
        client_info: Implementation | None = None,
        **_more: Any,
    ) -> InitializeResponse:
        """Version, name."""
        files = client_capabilities.fs if client_capabilities else None
        self._offers_files = bool(files and files.read_text_file and files.write_text_file)
        version = 99 if "other-protocol" in self._ways else PROTOCOL_VERSION
        return InitializeResponse(
            protocol_version=version, agent_info=Implementation(name="demo-agent", version=VERSION)
        )

    async def new_session(self, cwd: str, mcp_servers: Any = None, **_more: Any) -> NewSessionResponse:
        """One session in a workspace."""
        if "auth-required" in self._ways:
            raise RequestError.auth_required()
        if "refuse-session" in self._ways:
            raise RequestError.internal_error({"reason": "no session today"})
        if "hang-in-session" in self._ways:
            await asyncio.Event().wait()
        self._workspace = Path(cwd)
        return NewSessionResponse(session_id="session-1")

    async def cancel(self, session_id: str, **_more: Any) -> None:
        """Stop as soon as possible."""
        self._cancelled.set()

    async def prompt(self, session_id: str, prompt: list[Any], **_more: Any) -> PromptResponse:
        """Diagnose."""
        self._misbehave_at_once()
        await self._misbehave_in_prompt(session_id)
        if "hang-in-prompt" in self._ways:
            await self._cancelled.wait()
            return PromptResponse(stop_reason="cancelled")
        answer = await self._diagnosis(session_id)
        if "slow" in self._ways:
            await asyncio.sleep(SLOW_SECONDS)
        if "speak-secrets" in self._ways:
            told = json.dumps(dict(os.environ))
            os.write(2, f"{told}\n".encode())
            answer += f"\n{told}\n"
        if "die-in-prompt" in self._ways:
            await self._say(session_id, answer[: len(answer) // 2])
            os._exit(4)
        await self._say(session_id, answer)
        words = sum(len(block.text.split()) for block in prompt if getattr(block, "text", None))
        out = len(answer.split())
        usage = Usage(total_tokens=words + out, input_tokens=words, output_tokens=out)
        if "odd-stop-reason" in self._ways:
            return PromptResponse.model_construct(stop_reason="weary")
        return PromptResponse(stop_reason="end_turn", usage=usage)

    def _misbehave_at_once(self) -> None:
        if "dump-environment" in self._ways:
            (self._workspace / "environment.json").write_text(json.dumps(dict(os.environ), indent=1))
        if "babble-stderr" in self._ways:
            write_without_end(2, b"something is going on\n" * 100)
        if "invalid-lines" in self._ways:
            os.write(1, b"\n".join(INVALID_LINES) + b"\n")
        if "rate-limited" in self._ways:
            raise RequestError(-32603, "the model cannot answer", {"status": 429})
        if "provider-error" in self._ways:
            raise RequestError(-32603, "the model cannot answer", {"statusCode": 503})
        if "agent-error" in self._ways:
            raise RequestError(-32603, "something broke", {"details": "a list was empty"})

    async def _misbehave_in_prompt(self, session_id: str) -> None:
        if "ignore-cancel" in self._ways:
            await asyncio.Event().wait()
        while "babble-messages" in self._ways:
            await self._say(session_id, "and another thing, " * 200)
        for way, request in self._requests(session_id):
            if way in self._ways:
                try:
                    told = str(await request())
                except RequestError as refused:
                    told = f"refused: {refused}"
                with (self._workspace / "requests.log").open("a") as file:
                    file.write(f"{way}: {told}\n")

    def _requests(self, session_id: str) -> list[tuple[str, Callable[[], Awaitable[Any]]]]:
        """Way of misbehaviour, and a request that it makes."""
        record = str(self._workspace.parent / "case_run.json")
        return [
            ("read-outside", lambda: self.client.read_text_file(path=OUTSIDE, session_id=session_id)),
            ("write-outside", lambda: self.client.write_text_file(content="{}", path=record, session_id=session_id)),
            ("read-link", lambda: self._linked(session_id)),
            ("ask-permission", lambda: self._asked(session_id, str(self._workspace / "notes.txt"))),
            ("ask-permission", lambda: self._asked(session_id, OUTSIDE)),
            ("terminal", lambda: self._run(session_id, None)),
            ("terminal", lambda: self._run(session_id, "/")),
        ]

    async def _linked(self, session_id: str) -> Any:
        link = link_out(self._workspace)
        return await self.client.read_text_file(path=str(link), session_id=session_id)

    async def _asked(self, session_id: str, place: str) -> Any:
        options = [
            PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
            PermissionOption(option_id="no", name="Reject", kind="reject_once"),
        ]
        call = ToolCallUpdate(tool_call_id="ask", title=f"Edit {place}", raw_input={"path": place})
        answer = await self.client.request_permission(session_id=session_id, tool_call=call, options=options)
        return answer.outcome.model_dump()

    async def _run(self, session_id: str, directory: str | None) -> str:
        made = await self.client.create_terminal(
            command="sh", args=["-c", "pwd; sleep 3600 & echo done"], cwd=directory, session_id=session_id
        )
        terminal = made.terminal_id
        ended = await self.client.wait_for_terminal_exit(session_id=session_id, terminal_id=terminal)
        output = await self.client.terminal_output(session_id=session_id, terminal_id=terminal)
        return f"{ended.exit_code} {output.output.split()}"

    async def _diagnosis(self, session_id: str) -> str:
        """Collect, look, write the bundle; the answer."""
        try:
            recorded = read_recorded(self._workspace)
        except NoRecordedDataError as nothing:
            return f"No diagnosis is possible: {nothing}\n"
        cluster = {"cluster_id": recorded.cluster_id}
        await self._tool(session_id, "other", "Start the diagnosis run", cluster)
        for name in ("ARCHITECTURE.md", "GUARDRAILS.md"):
            await self._read(session_id, name)
        await self._tool(session_id, "fetch", "Query metrics", cluster | {"step": "60s"})
        await self._tool(session_id, "search", "Search logs", cluster | {"level": "WARN"})
        await self._tool(session_id, "fetch", "List slow queries", cluster)
        await self._tool(session_id, "fetch", "List events", cluster)
        write_collection(self._workspace, recorded)
        await self._tool(session_id, "other", "Finish the evidence collection", {})
        await self._read(session_id, f"{BUNDLE}/summary.md")
        diagnosis = diagnose(recorded)
        if diagnosis is None:
            return "No cause was found in the recorded data.\n"
        await self._write(session_id, f"{BUNDLE}/analysis_patch.json", evidence_map(diagnosis))
        return diagnosis.answer

    async def _read(self, session_id: str, name: str) -> None:
        """Read a file of the workspace, through the client where it offers that."""
        path = self._workspace / name
        if not path.is_file():
            return
        if self._offers_files:
            await self.client.read_text_file(path=str(path), session_id=session_id)
        await self._tool(session_id, "read", f"Read {name}", {"path": name}, path)

    async def _write(self, session_id: str, name: str, text: str) -> None:
        """Write a file of the workspace, through the client where it offers that."""
        path = self._workspace / name
        if self._offers_files:
            await self.client.write_text_file(content=text, path=str(path), session_id=session_id)
        else:
            path.write_text(text, "utf-8")
        await self._tool(session_id, "edit", f"Write {name}", {"path": name}, path)

    async def _tool(
        self, session_id: str, kind: Kind, title: str, given: dict[str, str], path: Path | None = None
    ) -> None:
        """Tell of one tool call that went well."""
        self._calls += 1
        call = f"call-{self._calls}"
        places = [] if path is None else [ToolCallLocation(path=str(path))]
        begun = start_tool_call(call, title, kind=kind, status="pending", locations=places, raw_input=given)
        ended = update_tool_call(call, title=title, kind=kind, status="completed", raw_input=given)
        await self.client.session_update(session_id, begun)
        await self.client.session_update(session_id, ended)

    async def _say(self, session_id: str, text: str) -> None:
        """Message text, in one piece or in many."""
        size = PIECE if "pieces" in self._ways else len(text)
        for start in range(0, len(text), max(size, 1)):
            await self.client.session_update(session_id, update_agent_message_text(text[start : start + size]))
