"""opencode, a real agent, against a scripted model: a whole session with tool calls that write a run bundle."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("acp", reason="the extra acp is not installed")

from judge_polars.judge import judge_runs
from judge_polars.registry import load_registry
from judge_polars.runner.agents import Agent, Permissions
from tests.peers.endpoint import Script, serving
from tests.peers.installed import program_of
from tests.runner.world import MARK, Live, write_registry

WINDOW = {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T09:45:00Z"}
SCOPE = json.dumps({"cluster_id": "1001", "time_window": WINDOW})
FILES = {
    "diagnosis/manifest.json": SCOPE,
    "diagnosis/diagnosis_report.json": SCOPE,
    "diagnosis/evidence/notes.json": "[]",
}
ANSWER = "Root cause: a CPU hotspot on tikv-2.\n\nIt was not the network.\n"


def settings(base_url: str, permission: str) -> dict[str, Any]:
    """`opencode.json`: the scripted model, and nothing that asks the network."""
    model = {"name": "local", "npm": "@ai-sdk/openai-compatible", "models": {"scripted": {"name": "scripted"}}}
    return {
        "provider": {"local": {**model, "options": {"baseURL": base_url, "apiKey": "none"}}},
        "model": "local/scripted",
        "small_model": "local/scripted",
        "enabled_providers": ["local"],
        "permission": {"*": permission},
        "autoupdate": False,
    }


def opencode(root: Path, base_url: str, *, permission: str = "allow", permissions: Permissions = "allow") -> Live:
    """A live run of opencode on one case."""
    program = program_of("opencode")
    files = {"opencode.json": json.dumps(settings(base_url, permission)), "ARCHITECTURE.md": "three stores\n"}
    write_registry(root / "registry", files=files, timeout="120s")
    live = Live(root)
    quiet = {"OPENCODE_DISABLE_AUTOUPDATE": "1", "OPENCODE_DISABLE_MODELS_FETCH": "1", MARK: live.mark}
    live.run(agent=Agent("opencode", (program, "acp"), permissions=permissions, fixed=quiet))
    return live


def test_a_whole_session(tmp_path: Path) -> None:
    script = Script(FILES, ANSWER)
    with serving(script) as base_url:
        live = opencode(tmp_path, base_url)
    record = live.record()
    assert (record["status"], record["stop_reason"]) == ("completed", "end_turn"), record
    assert record["agent"]["name"].lower() == "opencode"
    assert record["usage"]["tool_calls"] == len(FILES)
    workspace = live.directory() / "workspace"
    assert {name: (workspace / name).read_text() for name in FILES} == FILES
    assert (live.directory() / "output.md").read_text() == ANSWER
    asked = json.dumps(script.asked)
    assert "Please diagnose cluster 1001" in asked
    assert live.left() == []
    judgment = judge_runs([tmp_path / "runs"], load_registry(tmp_path / "registry").compile())
    assert judgment.verdicts["verdict"].to_list() == ["pass"]


def test_what_the_agent_asks_for_is_refused(tmp_path: Path) -> None:
    with serving(Script(FILES, ANSWER)) as base_url:
        live = opencode(tmp_path, base_url, permission="ask", permissions="deny")
    assert live.record()["refused_count"] > 0
    assert {one["method"] for one in live.record()["refused"]} == {"session/request_permission"}
    assert not (live.directory() / "workspace/diagnosis").exists()


def test_what_the_agent_asks_for_is_allowed_in_the_workspace(tmp_path: Path) -> None:
    with serving(Script(FILES, ANSWER)) as base_url:
        live = opencode(tmp_path, base_url, permission="ask", permissions="allow-in-workspace")
    record = live.record()
    assert (record["stop_reason"], record["refused_count"]) == ("end_turn", 0), record
    assert (live.directory() / "workspace/diagnosis/manifest.json").is_file()


@pytest.mark.parametrize("status", [400, 401])
def test_a_model_that_answers_with_an_error(tmp_path: Path, status: int) -> None:
    with serving(Script(FILES, ANSWER, status)) as base_url:
        live = opencode(tmp_path, base_url)
    record = live.record()
    assert (record["status"], record["stop_reason"]) == ("provider_error", None), record
    assert live.left() == []
