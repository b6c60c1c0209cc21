"""`case_run.json` -> columns of found runs (specification 20, first section)."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.bundles.trees import BUNDLE, audit, case_run, link, read_one, read_runs, under, write

RECORD = {
    "schema_version": 1,
    "eval_run_id": "r1",
    "case_id": "case-a",
    "case_version": 2,
    "trial": 1,
    "workspace_id": "ws-7f3a",
    "workspace_dir": "workspace",
    "audit_dir": "audit",
    "output_file": "output.md",
    "status": "completed",
    "stop_reason": "end_turn",
    "usage": {"input_tokens": 51234, "output_tokens": 4210, "cost_usd": 0.31, "tool_calls": 27},
    "started_at": "2025-03-05T02:00:00Z",
    "finished_at": "2025-03-05T04:10:00.5+02:00",
    "agent": {"name": "clinic-agent", "version": "1.4.0", "model": "m-1"},
}


def record(**changes: object) -> str:
    return json.dumps({**RECORD, **changes})


def test_every_member_becomes_a_column(tmp_path: Path) -> None:
    read = read_one(tmp_path, {"case_run.json": record()})
    assert read.reading.runs.rows(named=True) == [
        {
            "case_run_id": "r1/case-a/1",
            "eval_run_id": "r1",
            "case_id": "case-a",
            "trial": 1,
            "runs_root": str(tmp_path / "runs"),
            "directory": "r1/cases/case-a/trial-1",
            "recorded_case_version": 2,
            "workspace_id": "ws-7f3a",
            "status": "completed",
            "stop_reason": "end_turn",
            "started_at": datetime(2025, 3, 5, 2, tzinfo=UTC),
            "finished_at": datetime(2025, 3, 5, 2, 10, 0, 500000, tzinfo=UTC),
            "agent_name": "clinic-agent",
            "agent_version": "1.4.0",
            "agent_model": "m-1",
            "input_tokens": 51234,
            "output_tokens": 4210,
            "cost_usd": 0.31,
            "tool_calls": 27,
            "recorded": True,
        }
    ]
    assert read.issues == []


def test_without_a_record_all_is_null_but_what_the_path_says(tmp_path: Path) -> None:
    read = read_one(tmp_path, audit({"../output.md": "done"}))
    row = read.reading.runs.row(0, named=True)
    assert {name for name, value in row.items() if value is not None} == {
        "case_run_id",
        "eval_run_id",
        "case_id",
        "trial",
        "runs_root",
        "directory",
        "recorded",
    }
    assert (row["recorded"], read.roots, read.texts["output"], read.issues) == (False, ["audit"], "done", [])


@pytest.mark.parametrize(
    ("changes", "column", "value"),
    [
        ({"case_version": "2"}, "recorded_case_version", None),
        ({"case_version": True}, "recorded_case_version", None),
        ({"case_version": 2.0}, "recorded_case_version", None),
        ({"case_version": 2**63}, "recorded_case_version", None),
        ({"case_version": 2**70}, "recorded_case_version", None),
        ({"case_version": 2**63 - 1}, "recorded_case_version", 2**63 - 1),
        ({"status": 1}, "status", None),
        ({"status": " "}, "status", None),
        ({"stop_reason": ["end_turn"]}, "stop_reason", None),
        ({"usage": None}, "cost_usd", None),
        ({"usage": [1]}, "input_tokens", None),
        ({"usage": {"cost_usd": 3}}, "cost_usd", 3.0),
        ({"usage": {"cost_usd": "3"}}, "cost_usd", None),
        ({"usage": {"cost_usd": float("inf")}}, "cost_usd", None),
        ({"usage": {"tool_calls": 1.5}}, "tool_calls", None),
        ({"started_at": "yesterday"}, "started_at", None),
        ({"started_at": 1741140000}, "started_at", None),
        ({"started_at": "2025-03-05T02:00:00"}, "started_at", datetime(2025, 3, 5, 2, tzinfo=UTC)),
        ({"started_at": "0001-01-01T00:00:00+23:00"}, "started_at", None),
        ({"agent": "clinic"}, "agent_name", None),
        ({"agent": {"name": 7}}, "agent_name", None),
    ],
)
def test_members_of_another_type_are_null(
    tmp_path: Path, changes: dict[str, object], column: str, value: object
) -> None:
    read = read_one(tmp_path, {"case_run.json": record(**changes)})
    assert read.reading.runs[column].to_list() == [value]
    assert read.reading.runs["recorded"].to_list() == [True]


@pytest.mark.parametrize(
    ("mine", "agent"),
    [
        (None, ("eval-agent", "9", None)),
        ({"name": "mine"}, ("mine", "9", None)),
        ({"name": "mine", "version": "1", "model": "m"}, ("mine", "1", "m")),
    ],
)
def test_the_agent_is_the_case_runs_else_the_eval_runs(
    tmp_path: Path, mine: object, agent: tuple[str | None, ...]
) -> None:
    case_run(tmp_path, {"case_run.json": record(agent=mine)})
    write(tmp_path / "runs/r1", {"eval_run.json": '{"agent": {"name": "eval-agent", "version": "9"}}'})
    runs = read_runs(tmp_path / "runs").reading.runs
    assert runs.select("agent_name", "agent_version", "agent_model").row(0) == agent


@pytest.mark.parametrize(
    ("content", "code", "recorded"),
    [
        ("{}", None, True),
        ('\ufeff{"status": "completed"}', None, True),
        ('{"x": Infinity}', "json_nonstandard", True),
        ("{", "record_invalid", False),
        ("[]", "record_invalid", False),
        ("null", "record_invalid", False),
        (b'{"status": "\xff"}', "record_invalid", False),
        (b"\0", "record_invalid", False),
    ],
)
def test_a_record_that_is_no_object_counts_as_absent(
    tmp_path: Path, content: str | bytes, code: str | None, recorded: bool
) -> None:
    read = read_one(tmp_path, audit({"../case_run.json": content}))
    assert read.issues == ([("case_run.json", code)] if code else [])
    assert read.reading.runs["recorded"].to_list() == [recorded]
    assert read.roots == ["audit"]


def test_a_linked_record_is_not_followed(tmp_path: Path) -> None:
    directory = case_run(tmp_path, audit())
    write(tmp_path, {"record.json": record(status="forged")})
    link(directory / "case_run.json", tmp_path / "record.json")
    read = read_runs(tmp_path / "runs")
    assert read.issues == [("case_run.json", "record_invalid")]
    assert read.reading.runs["status"].to_list() == [None]


@pytest.mark.parametrize(
    ("changes", "contradicts"),
    [
        ({}, False),
        ({"eval_run_id": "r2"}, True),
        ({"case_id": "case-b"}, True),
        ({"trial": 2}, True),
        ({"eval_run_id": None, "case_id": None}, False),
        ({"trial": "1"}, True),
        ({"trial": True}, True),
    ],
)
def test_a_record_that_contradicts_its_path_does_not_win(
    tmp_path: Path, changes: dict[str, object], contradicts: bool
) -> None:
    read = read_one(tmp_path, {"case_run.json": record(**changes)})
    assert read.issues == ([("case_run.json", "record_path_mismatch")] if contradicts else [])
    assert read.reading.runs["case_run_id"].to_list() == ["r1/case-a/1"]
    assert read.reading.runs["status"].to_list() == ["completed"]


@pytest.mark.parametrize(
    ("member", "name", "roots", "codes"),
    [
        ("audit_dir", "evidence-of-run", ["evidence-of-run"], []),
        ("audit_dir", "./a//b/../b", ["a/b"], []),
        ("audit_dir", ".hidden/audit", [".hidden/audit"], []),
        ("audit_dir", "gone", [], []),
        ("audit_dir", None, ["audit"], []),
        ("audit_dir", 5, ["audit"], []),
        ("audit_dir", " ", ["audit"], []),
        ("audit_dir", "..", [], ["path_outside_case_run"]),
        ("audit_dir", "../trial-1/audit", [], ["path_outside_case_run"]),
        ("audit_dir", "a/../../trial-1/audit", [], ["path_outside_case_run"]),
        ("audit_dir", "/etc", [], ["path_outside_case_run"]),
        ("audit_dir", "au\0dit", [], []),
        ("audit_dir", "a/\0", [], ["path_outside_case_run"]),
        ("audit_dir", "x" * 5000, [], []),
        ("audit_dir", "x/" * 2500, [], []),
        ("audit_dir", "file", [], ["document_unreadable"]),
        ("workspace_dir", "a", ["audit", "a/b"], []),
        ("workspace_dir", "../trial-1", ["audit"], ["path_outside_case_run"]),
        ("workspace_dir", ".", ["audit", "a/b", "evidence-of-run"], []),
    ],
)
def test_directories_that_a_record_names(
    tmp_path: Path, member: str, name: object, roots: list[str], codes: list[str]
) -> None:
    others = {
        **under("a/b", {**BUNDLE, "manifest.json": '{"n": 1}'}),
        **under("evidence-of-run", {**BUNDLE, "manifest.json": '{"n": 2}'}),
        **under(".hidden/audit", {**BUNDLE, "manifest.json": '{"n": 3}'}),
    }
    read = read_one(tmp_path, {**audit(), **others, "case_run.json": record(**{member: name}), "file": ""})
    assert sorted(read.roots) == sorted(roots)
    assert read.codes == codes


def test_an_absolute_path_is_refused_even_inside(tmp_path: Path) -> None:
    directory = case_run(tmp_path, audit())
    write(directory, {"case_run.json": record(audit_dir=str(directory / "audit"))})
    read = read_runs(tmp_path / "runs")
    assert (read.roots, read.codes) == ([], ["path_outside_case_run"])


def test_a_neighbour_with_a_longer_name_is_outside(tmp_path: Path) -> None:
    directory = case_run(tmp_path, {"output.md": "x"}, trial=1)
    link(directory / "audit", "../trial-10/audit")
    case_run(tmp_path, audit(), trial=10)
    read = read_runs(tmp_path / "runs/r1/cases/case-a/trial-1")
    assert (read.candidates, read.codes) == ([], ["path_outside_case_run"])


def test_a_directory_that_is_a_link_within_the_case_run_is_followed(tmp_path: Path) -> None:
    directory = case_run(tmp_path, under("workspace/out", BUNDLE))
    link(directory / "audit", "workspace/out")
    read = read_runs(tmp_path / "runs")
    assert (read.candidates, read.issues) == ([("workspace/out", [], True)], [])


@pytest.mark.parametrize("target", ["elsewhere", "/etc", "nowhere", ".."])
def test_a_directory_that_is_a_link_out_of_the_case_run_is_not(tmp_path: Path, target: str) -> None:
    directory = case_run(tmp_path, {"output.md": "x"})
    write(tmp_path, under("elsewhere", BUNDLE))
    link(directory / "audit", target if target[0] in "/." else tmp_path / target)
    read = read_runs(tmp_path / "runs")
    assert (read.candidates, read.issues) == ([], [(None, "path_outside_case_run")])


def test_a_directory_that_is_a_loop_of_links_is_none(tmp_path: Path) -> None:
    directory = case_run(tmp_path, {"output.md": "x"})
    link(directory / "audit", "workspace")
    link(directory / "workspace", "audit")
    read = read_runs(tmp_path / "runs")
    assert (read.candidates, set(read.codes)) == ([], {"document_unreadable"})


@pytest.mark.parametrize(
    ("workspace_id", "found", "codes"),
    [
        ("ws-7f3a", True, []),
        ("ws-other", False, []),
        (None, False, []),
        ("..", False, ["path_outside_case_run"]),
        (".", False, ["path_outside_case_run"]),
        ("a/ws", False, ["path_outside_case_run"]),
        ("/etc", False, ["path_outside_case_run"]),
        ("w\0", False, ["path_outside_case_run"]),
        ("link", False, ["path_outside_case_run"]),
    ],
)
def test_a_missing_workspace_is_looked_up_by_its_id(
    tmp_path: Path, workspace_id: str | None, found: bool, codes: list[str]
) -> None:
    elsewhere = tmp_path / "workspaces"
    write(elsewhere, {**under("ws-7f3a/run", BUNDLE), **under("a/ws", BUNDLE)})
    link(elsewhere / "link", "ws-7f3a")
    case_run(tmp_path, {"case_run.json": record(workspace_id=workspace_id)})
    read = read_runs(tmp_path / "runs", workspaces_root=elsewhere)
    assert read.roots == (["workspace/run"] if found else [])
    assert read.codes == codes


def test_a_workspace_that_is_there_is_not_looked_up(tmp_path: Path) -> None:
    write(tmp_path / "workspaces", under("ws-7f3a/run", BUNDLE))
    case_run(tmp_path, {"case_run.json": record(), "workspace/notes.txt": ""})
    assert read_runs(tmp_path / "runs", workspaces_root=tmp_path / "workspaces").roots == []


def test_a_missing_workspace_stays_missing_without_a_place_to_look(tmp_path: Path) -> None:
    write(tmp_path / "workspaces", under("ws-7f3a/run", BUNDLE))
    case_run(tmp_path, {"case_run.json": record()})
    assert read_runs(tmp_path / "runs").roots == []
