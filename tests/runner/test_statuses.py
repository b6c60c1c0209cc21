"""Every way in which an agent can fail ends its case run with a status, and leaves no process behind."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from judge_polars.demo_agent.misbehaviour import WAYS
from judge_polars.runner.agents import Agent
from judge_polars.runner.statuses import STATUSES, outcome_of_error, outcome_of_initialize_error
from judge_polars.vocabulary import DEFAULT_CAUSES
from tests.runner.world import QUICK, Live, write_registry

ENDS = {
    "die-at-start": ("agent_exited", None, 3),
    "other-protocol": ("protocol_mismatch", None, None),
    "no-protocol": ("initialize_timeout", None, None),
    "hang-at-start": ("initialize_timeout", None, None),
    "auth-required": ("auth_required", None, None),
    "refuse-session": ("session_failed", None, None),
    "hang-in-session": ("session_failed", None, None),
    "die-in-prompt": ("agent_exited", None, 4),
    "hang-in-prompt": ("prompt_timeout", "cancelled", None),
    "ignore-cancel": ("prompt_timeout", None, None),
    "rate-limited": ("rate_limited", None, None),
    "provider-error": ("provider_error", None, None),
    "agent-error": ("agent_error", None, None),
    "odd-stop-reason": ("agent_error", None, None),
    "babble-messages": ("output_limit", None, None),
    "babble-garbage": ("output_limit", None, None),
    "babble-line": ("output_limit", None, None),
    "babble-stderr": ("output_limit", None, None),
    "invalid-lines": ("completed", "end_turn", 0),
    "read-outside": ("completed", "end_turn", 0),
    "write-outside": ("completed", "end_turn", 0),
    "read-link": ("completed", "end_turn", 0),
    "ask-permission": ("completed", "end_turn", 0),
    "terminal": ("completed", "end_turn", 0),
    "pieces": ("completed", "end_turn", 0),
    "slow": ("completed", "end_turn", 0),
    "exit-nonzero": ("completed", "end_turn", 5),
    "leave-child": ("completed", "end_turn", 0),
    "ignore-sigterm": ("completed", "end_turn", -9),
    "dump-environment": ("completed", "end_turn", 0),
    "speak-secrets": ("completed", "end_turn", 0),
}
"""Way of misbehaviour -> status, stop reason, and exit code where it matters."""
SHORT = {
    "hang-at-start": replace(QUICK, initialize=1.0),
    "no-protocol": replace(QUICK, initialize=1.0),
    "hang-in-session": replace(QUICK, session=1.0),
    "ignore-sigterm": replace(QUICK, leave=0.5),
}
"""Ways that take as long as they are let."""
HANGING = ("hang-in-prompt", "ignore-cancel")


def test_every_way_of_misbehaviour_is_tried() -> None:
    assert set(ENDS) == set(WAYS)


@pytest.mark.parametrize(("way", "status", "stop_reason", "exit_code"), [(way, *end) for way, end in ENDS.items()])
def test_misbehaviour_ends_with_a_status(
    live: Live, way: str, status: str, stop_reason: str | None, exit_code: int | None
) -> None:
    live.limits = SHORT.get(way, QUICK)
    if way in HANGING:
        write_registry(live.root / "registry", timeout="1s")
    ran = live.run(way)
    assert not ran.lost
    record = live.record()
    assert (record["status"], record["stop_reason"]) == (status, stop_reason), record
    assert exit_code is None or record["exit_code"] == exit_code
    assert record["finished_at"] >= record["started_at"]
    assert live.left() == []


@pytest.mark.parametrize("way", ["ignore-cancel", "hang-at-start"])
def test_an_agent_that_ignores_everything_is_killed(live: Live, way: str) -> None:
    live.limits = replace(QUICK, initialize=1.0) if way == "hang-at-start" else QUICK
    write_registry(live.root / "registry", timeout="1s")
    live.run(way, "ignore-sigterm", "leave-child")
    notes = [line["note"] for line in live.telemetry() if line["direction"] == "note"]
    assert notes[-2:] == ["SIGTERM to the agent's process group", "SIGKILL to all that the agent started"]
    assert live.record()["exit_code"] == -9
    assert live.left() == []


def test_a_command_that_is_not_there(live: Live) -> None:
    live.run(agent=Agent("ghost", ("judge-polars-no-such-command", "acp")))
    record = live.record()
    assert record["status"] == "spawn_failed"
    assert "judge-polars-no-such-command: No such file" in record["detail"]
    assert not (live.directory() / "output.md").exists()


def test_a_command_that_ends_without_a_word(live: Live) -> None:
    live.run(agent=Agent("silent", ("sh", "-c", "read line; echo why >&2; exit 7")))
    record = live.record()
    assert (record["status"], record["exit_code"]) == ("agent_exited", 7)
    assert (live.directory() / "audit/agent.stderr.log").read_text() == "why\n"


def test_workspace_files_that_cannot_be_copied(live: Live, tmp_path: Path) -> None:
    write_registry(tmp_path / "registry", files={"a.txt": "a"})
    plan = live.plan(live.agent())
    (tmp_path / "registry/cases/first-case/workspace/out").symlink_to("/etc")
    from judge_polars.runner.eval_run import run_live

    run_live(plan, limits=QUICK)
    record = live.record()
    assert record["status"] == "setup_failed"
    assert "out: the link leads to /etc" in record["detail"]


def test_statuses_and_causes_know_the_same_words() -> None:
    assert set(DEFAULT_CAUSES) <= set(STATUSES)


@pytest.mark.parametrize(
    ("code", "message", "data", "status"),
    [
        pytest.param(-32000, "Authentication required", None, "auth_required", id="auth-by-code"),
        pytest.param(-32000, "Please log in first", None, "auth_required", id="login-by-code"),
        pytest.param(-32000, "something else", None, "agent_error", id="code-of-auth-alone-says-nothing"),
        pytest.param(-32603, "Internal error", {"statusCode": 401}, "auth_required", id="http-401"),
        pytest.param(-32603, "Internal error", {"error": {"status": "429"}}, "rate_limited", id="http-429-as-text"),
        pytest.param(-32603, "Internal error", {"status": 500}, "provider_error", id="http-500"),
        pytest.param(-32603, "Internal error", {"status": 404}, "agent_error", id="http-404-is-the-agents"),
        pytest.param(-32603, "Rate limit exceeded", None, "rate_limited", id="rate-limit-in-words"),
        pytest.param(-32603, "upstream error", None, "provider_error", id="provider-in-words"),
        pytest.param(-32603, "not now", {"errorName": "APIError"}, "provider_error", id="name-of-an-error"),
        pytest.param(-32603, "the provider of blocks is empty", None, "agent_error", id="provider-that-is-none"),
        pytest.param(-32603, "Internal error", {"line": 503}, "agent_error", id="a-number-that-is-no-status"),
    ],
)
def test_errors_of_a_prompt(code: int, message: str, data: object, status: str) -> None:
    assert outcome_of_error(code, message, data, "agent_error").status == status


@pytest.mark.parametrize(
    ("code", "status"),
    [(-32601, "protocol_mismatch"), (-32602, "protocol_mismatch"), (-32603, "agent_error")],
)
def test_errors_of_initialize(code: int, status: str) -> None:
    assert outcome_of_initialize_error(code, "no", None).status == status
