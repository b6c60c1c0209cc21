"""What a case run leaves: its record, the answer, the messages, standard error; and what is refused meanwhile."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from judge_polars.runner.agents import Permissions
from tests.runner.world import EVALUATION, QUICK, Live, write_registry, written

TAIL = "tail-latency-surge-during-incident-window"


@pytest.fixture
def recorded(tmp_path: Path) -> Live:
    """One case with the recorded data of a demo case."""
    source = EVALUATION / "regression" / "cases" / TAIL / "workspace"
    files = {
        path.relative_to(source).as_posix(): path.read_text("utf-8") for path in source.rglob("*") if path.is_file()
    }
    write_registry(tmp_path / "registry", files=files)
    return Live(tmp_path)


def messages(live: Live, direction: str, method: str) -> list[dict[str, Any]]:
    """Messages of a method, in order."""
    told = [line["message"] for line in live.telemetry() if line["direction"] == direction and "message" in line]
    return [message for message in told if message.get("method") == method]


def chunks(live: Live) -> list[str]:
    """The pieces of message text."""
    updates = [message["params"]["update"] for message in messages(live, "recv", "session/update")]
    return [one["content"]["text"] for one in updates if one["sessionUpdate"] == "agent_message_chunk"]


def test_record_holds_what_the_judge_reads(live: Live) -> None:
    live.run()
    record = live.record()
    wanted = {
        "schema_version": 1,
        "eval_run_id": "e1",
        "case_id": "first-case",
        "case_version": 1,
        "trial": 1,
        "workspace_id": "e1-first-case-1",
        "workspace_dir": "workspace",
        "audit_dir": "audit",
        "output_file": "output.md",
        "status": "completed",
        "stop_reason": "end_turn",
        "detail": None,
        "agent": {"name": "demo-agent", "version": "2.0", "model": None},
        "exit_code": 0,
    }
    assert {key: record[key] for key in wanted} == wanted
    assert record["usage"]["input_tokens"] == 8 and record["usage"]["tool_calls"] == 0


def test_eval_run_record(live: Live) -> None:
    live.run()
    record = json.loads((live.root / "runs/e1/eval_run.json").read_text())
    assert (record["suite_id"], record["suite_version"], record["execution_mode"]) == ("small", 1, "live")
    assert record["finished_at"] >= record["started_at"]
    assert record["agent"]["name"] == "demo-agent"


def test_the_prompt_is_sent_unchanged_and_the_workspace_is_the_sessions(live: Live) -> None:
    live.run()
    (prompt,) = messages(live, "send", "session/prompt")
    wanted = "Please diagnose cluster 1001 between 2025-03-04T09:00:00Z and 2025-03-04T09:45:00Z."
    assert prompt["params"]["prompt"] == [{"type": "text", "text": wanted}]
    (session,) = messages(live, "send", "session/new")
    assert session["params"]["cwd"] == str(live.directory() / "workspace")


def test_answer_is_the_concatenated_message_text(recorded: Live) -> None:
    recorded.run("pieces")
    answer = (recorded.directory() / "output.md").read_text("utf-8")
    assert len(chunks(recorded)) > 50
    assert answer == "".join(chunks(recorded))
    assert answer.startswith("# Diagnosis of cluster 7412098871604425013")


def test_every_message_is_in_the_telemetry_in_order(live: Live) -> None:
    live.run()
    told = live.telemetry()
    assert [line["ts"] for line in told] == sorted(line["ts"] for line in told)
    calls = [line["message"].get("method") or "answer" for line in told if "message" in line]
    assert calls == ["initialize", "answer", "session/new", "answer", "session/prompt", "session/update", "answer"]


def test_half_an_answer_is_kept(recorded: Live) -> None:
    recorded.run("die-in-prompt")
    answer = (recorded.directory() / "output.md").read_text("utf-8")
    assert answer.startswith("# Diagnosis") and "AUTO_RANDOM" not in answer


def test_invalid_lines_are_told_and_passed_over(live: Live, capfd: pytest.CaptureFixture[str]) -> None:
    live.run("invalid-lines")
    assert capfd.readouterr() == ("", "")
    why = [line["why"] for line in live.telemetry() if "invalid" in line]
    assert len(why) == 5
    assert [one for one in why if not one.startswith("no JSON:")] == [
        "no JSON object",
        "an id that is neither a number nor a text",
        "neither a request nor a notification nor an answer",
    ]
    assert live.record()["invalid_lines"] == 5


@pytest.mark.parametrize(
    ("permissions", "allowed"),
    [
        pytest.param("deny", {"ask-permission": [False, False], "terminal": [False, False]}, id="deny"),
        pytest.param("allow-in-workspace", {"ask-permission": [True, False], "terminal": [True, False]}, id="inside"),
        pytest.param("allow", {"ask-permission": [True, True], "terminal": [True, True]}, id="allow"),
    ],
)
def test_permissions_of_terminals_and_tools(
    live: Live, permissions: Permissions, allowed: dict[str, list[bool]]
) -> None:
    live.permissions = permissions
    live.run("ask-permission", "terminal")
    told: dict[str, list[bool]] = {}
    for line in (live.directory() / "workspace/requests.log").read_text().splitlines():
        way, _, answer = line.partition(": ")
        told.setdefault(way, []).append("'option_id': 'yes'" in answer or answer.startswith("0 "))
    assert told == allowed
    refused = sum(not one for answers in allowed.values() for one in answers)
    assert live.record()["refused_count"] == len(live.record()["refused"]) == refused
    assert live.left() == []


@pytest.mark.parametrize("way", ["read-outside", "write-outside", "read-link"])
def test_files_outside_are_refused_and_recorded(live: Live, way: str) -> None:
    live.run(way)
    assert (
        live.directory() / "workspace/requests.log"
    ).read_text() == f"{way}: refused: refused: outside the workspace\n"
    (refused,) = live.record()["refused"]
    assert refused["method"] == ("fs/write_text_file" if way == "write-outside" else "fs/read_text_file")
    assert refused["why"] == "outside the workspace"
    assert live.record()["case_id"] == "first-case"


def test_files_outside_are_read_where_that_is_allowed(live: Live) -> None:
    live.permissions = "allow"
    live.run("read-link")
    assert "refused" not in (live.directory() / "workspace/requests.log").read_text()
    assert live.record()["refused_count"] == 0


def test_the_agent_works_without_the_clients_files(recorded: Live) -> None:
    recorded.permissions = "deny"
    recorded.run()
    assert (recorded.directory() / "workspace/diagnosis/analysis_patch.json").is_file()
    assert messages(recorded, "recv", "fs/read_text_file") == []
    assert recorded.record()["refused_count"] == 0


def test_telemetry_is_cut_at_its_limit_and_says_so(recorded: Live) -> None:
    recorded.limits = replace(QUICK, telemetry=3_000)
    recorded.run("pieces")
    told = recorded.telemetry()
    assert told[-1]["note"] == "telemetry is cut here: its size limit is reached"
    assert recorded.record()["telemetry_left_out"] > 50
    assert (recorded.directory() / "output.md").read_text().endswith("PRE_SPLIT_REGIONS.\n")


def test_standard_error_is_cut_at_its_limit_and_says_so(live: Live) -> None:
    live.run("babble-stderr")
    log = (live.directory() / "audit/agent.stderr.log").read_bytes()
    assert log.endswith(b"\n[cut here: the size limit is reached]\n")
    assert len(log) < QUICK.stderr_log + 2**17
    assert live.record()["detail"] == "more than 1,048,576 bytes on standard error"


def test_answer_is_cut_at_its_limit(live: Live) -> None:
    live.run("babble-messages")
    assert live.record()["detail"] == "more than 200,000 bytes of message text"
    assert 190_000 < (live.directory() / "output.md").stat().st_size <= 200_000


def test_workspace_files_are_copied(live: Live, tmp_path: Path) -> None:
    write_registry(tmp_path / "registry", files={"notes/a.md": "text", "b.sh": "exit"})
    source = tmp_path / "registry/cases/first-case/workspace"
    (source / "b.sh").chmod(0o755)
    (source / "link").symlink_to("notes/a.md")
    live.run()
    workspace = live.directory() / "workspace"
    assert (workspace / "notes/a.md").read_text() == "text"
    assert (workspace / "b.sh").stat().st_mode & 0o111
    assert (workspace / "link").readlink() == Path("notes/a.md")


def test_trials_have_workspaces_of_their_own(live: Live, tmp_path: Path) -> None:
    write_registry(tmp_path / "registry", trials=3, concurrency=3, cases=("first-case", "second-case"))
    ran = live.run("dump-environment")
    assert len(ran.done) == 6
    homes = {json.loads(path.read_text())["HOME"] for path in live.root.rglob("environment.json")}
    assert len(homes) == 6
    assert not any(Path(home).exists() for home in homes)


def test_one_case_runs_fault_is_not_anothers(live: Live, tmp_path: Path) -> None:
    write_registry(tmp_path / "registry", cases=("first-case", "second-case"), files={"a": "a"}, concurrency=2)
    plan = live.plan(live.agent())
    (tmp_path / "registry/cases/first-case/workspace/out").symlink_to("/")
    from judge_polars.runner.eval_run import run_live

    run_live(plan, limits=QUICK)
    assert live.record("first-case")["status"] == "setup_failed"
    assert live.record("second-case")["status"] == "completed"


def test_no_file_of_a_half_written_record_is_left(live: Live) -> None:
    live.run()
    assert not [path for path in written(live.root / "runs") if path.name.startswith(".")]
