"""`telemetry.jsonl`: what the agent did, as flat records of its own or as the messages of the Agent Client Protocol."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from datetime import datetime, timedelta

from demo_material.incidents import Incident
from demo_material.noise import Noise


@dataclass(frozen=True)
class Call:
    """One tool call.  `kind` and `title` are what ACP shows of it."""

    tool: str
    kind: str
    title: str
    args: dict[str, str] = field(default_factory=dict)
    status: str = "ok"


def calls(incident: Incident, quirks: frozenset[str]) -> list[Call]:
    """The calls of a run in order."""
    cluster = {"cluster_id": incident.cluster_id}
    guardrails = "failed" if "guardrails_failed" in quirks else "ok"
    result = [
        Call("init_diagnosis_run", "other", "Start the diagnosis run", cluster),
        Call("read_file", "read", "Read ARCHITECTURE.md", {"path": "ARCHITECTURE.md"}),
        Call("read_file", "read", "Read GUARDRAILS.md", {"path": "GUARDRAILS.md"}, guardrails),
        Call("query_metrics", "fetch", "Query metrics", cluster | {"step": "60s"}),
        Call("search_logs", "search", "Search logs", cluster | {"level": "WARN"}, "timeout"),
        Call("search_logs", "search", "Search logs", cluster | {"level": "WARN"}),
        Call("list_slow_queries", "fetch", "List slow queries", cluster | {"limit": "20"}),
    ]
    if "events_not_asked" not in quirks:
        result.append(Call("list_events", "fetch", "List events", cluster))
    if "tickets" in quirks:
        result.append(Call("search_tickets", "search", "Search tickets", cluster))
    result.append(Call("finish_evidence_collection", "other", "Finish the evidence collection"))
    result.append(Call("write_file", "edit", "Write summary.md", {"path": "summary.md"}))
    if "summary_unread" not in quirks:
        result.append(Call("read_file", "read", "Read summary.md", {"path": "summary.md"}))
    if "no_patch" not in quirks:
        result.append(Call("write_file", "edit", "Write analysis_patch.json", {"path": "analysis_patch.json"}))
    return result


def _compact(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n"


def _moments(started: datetime, noise: Noise) -> list[str]:
    moments: list[str] = []
    moment = started
    for _ in range(64):
        moment += timedelta(milliseconds=noise.whole(800, 21000))
        moments.append(moment.isoformat(timespec="milliseconds").replace("+00:00", "Z"))
    return moments


def flat(done: list[Call], started: datetime, noise: Noise) -> str:
    """One record per call."""
    moments = _moments(started, noise)
    return "".join(
        _compact({"ts": at, "tool": call.tool, "status": call.status, "ms": noise.whole(12, 4800), "args": call.args})
        for at, call in zip(moments, done, strict=False)
    )


def acp(done: list[Call], started: datetime, noise: Noise, answer: str) -> str:
    """The session as the client saw it.  Reading the guardrails is told in two updates that share just the id."""
    moments = iter(_moments(started, noise))
    session = f"sess-{noise.token(8)}"
    lines: list[str] = []

    def add(direction: str, message: dict[str, object]) -> None:
        lines.append(_compact({"ts": next(moments), "direction": direction, "message": {"jsonrpc": "2.0", **message}}))

    def update(content: dict[str, object]) -> None:
        add("recv", {"method": "session/update", "params": {"sessionId": session, "update": content}})

    add("send", {"id": 0, "method": "initialize", "params": {"protocolVersion": 1}})
    add("recv", {"id": 0, "result": {"protocolVersion": 1, "agentCapabilities": {}}})
    add("send", {"id": 1, "method": "session/new", "params": {"cwd": "workspace", "mcpServers": []}})
    add("recv", {"id": 1, "result": {"sessionId": session}})
    for number, call in enumerate(call for call in done if call.status == "ok"):
        identity = f"call-{number}"
        told: dict[str, object] = {"title": call.title, "kind": call.kind, "rawInput": call.args}
        begun = {"sessionUpdate": "tool_call", "toolCallId": identity, "status": "pending"}
        ended = {"sessionUpdate": "tool_call_update", "toolCallId": identity, "status": "completed"}
        if call.args.get("path") == "GUARDRAILS.md":
            update({**begun, **told})
            update(dict(ended))
        else:
            update({**ended, **told})
    update({"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": answer[:80]}})
    add("recv", {"id": 2, "result": {"stopReason": "end_turn"}})
    return "".join(lines)
