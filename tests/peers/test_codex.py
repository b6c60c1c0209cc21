"""codex-acp, a real agent: it answers `initialize` without a network, and opens no session without a login."""

from __future__ import annotations

import pytest

pytest.importorskip("acp", reason="the extra acp is not installed")

from judge_polars.runner.agents import Agent
from tests.peers.installed import program_of
from tests.runner.conftest import live
from tests.runner.world import MARK, Live

__all__ = ["live"]


def test_a_session_needs_a_login(live: Live) -> None:
    agent = Agent("codex", (program_of("codex-acp"),), fixed={MARK: live.mark})
    live.run(agent=agent)
    record = live.record()
    assert (record["status"], record["stop_reason"]) == ("auth_required", None), record
    assert record["agent"]["name"]
    assert "authMethods" in next(
        line["message"]["result"] for line in live.telemetry() if line["direction"] == "recv" and "message" in line
    )
    assert live.left() == []
