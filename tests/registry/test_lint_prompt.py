"""Lint of names and of what the agent sees: what each code finds, and what it must leave alone."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from judge_polars.registry.lint_tickets import issues_in_text, tickets_in_name, tickets_in_text, versions_in
from tests.registry.good_prompts import GOOD_PROMPTS
from tests.registry.lint_small import PROMPT, bucket, case, codes_in, findings_in


def entries(text: str) -> list[str]:
    """Texts that stand in lines, parted by `|`."""
    return [entry for line in text.strip().split("\n") for entry in line.strip().split("|")]


def test_nothing_is_found_in_the_small_registry(tmp_path: Path) -> None:
    assert findings_in(tmp_path, {}) == ()


@pytest.mark.parametrize("prompt", GOOD_PROMPTS, ids=range(len(GOOD_PROMPTS)))
def test_good_prompts(tmp_path: Path, prompt: str) -> None:
    assert findings_in(tmp_path, {"case": case(prompt)}) == ()


def test_there_are_fifty_good_prompts() -> None:
    assert len(set(GOOD_PROMPTS)) >= 50


@pytest.mark.parametrize(
    ("text", "ticket"),
    [
        ("see ABC-1234", "ABC-1234"),
        ("see ABC-123.", "ABC-123"),
        ("(OPS-12345)", "OPS-12345"),
        ("TICKET_123 says", "TICKET_123"),
        ("JIRA-7 is meant", "JIRA-7"),
        ("ticket-42", "ticket-42"),
        ("incident_2041", "incident_2041"),
        ("the #1234 one", "#1234"),
        ("（#1234）", "#1234"),
        ("ticket 56789", "ticket 56789"),
        ("Ticket no. #567", "Ticket no. #567"),
        ("TIDB-12345", "TIDB-12345"),
        ("INC-2025-0042", "INC-2025-0042"),
        ("工单 12345", "工单 12345"),
        ("工单号：123456", "工单号：123456"),
        ("见工单ABC-1234。", "ABC-1234"),
        ("https://acme.atlassian.net/browse/ABC-1", "https://acme.atlassian.net/browse/ABC-1"),
        ("https://help.example.com/tickets/99", "https://help.example.com/tickets/99"),
        ("https://acme.pagerduty.com/incidents/Q1ABC", "https://acme.pagerduty.com/incidents/Q1ABC"),
        ("`ABC-1234`", "ABC-1234"),
        ("ABC-1234-fix", "ABC-1234"),
    ],
)
def test_ticket_ids(text: str, ticket: str) -> None:
    assert [one.text for one in tickets_in_text(text)] == [ticket]


@pytest.mark.parametrize(
    "text",
    entries("""
        UTF-8|TLS-1.3|P-256|SHA-256|SHA-512|ISO-8601|RFC-3339|IPv4|us-east-1|COVID-19|v8.5.2|TiKV-3|TIKV-3|TIKV-120|PD-0|X-509
        GB-18030|CP-1252|AES-256-GCM|MY-010914|ORA-00942|HTTP-404|ERROR-1105|ERR_1105|Q3-2025|FY-2025|MAR-2025|04-MAR-2025|tikv-3
        node_123|region-1234|p-99|TIDB-8.5.2|TIDB-2025-03-04|#fff|#112233|#1|# 1234|&#1234;|page#1234|region #1234|store #123
        第 #123|connection: #1234|top-100|550E8400-E29B-41D4-A716-446655440000|ABCDEF12-3456-7890-ABCD-EF1234567890|t_1024
        T_1024|2025-03-04|1e-1000|ticket to ride 2|x86-64|tickets 12.50|[peer.rs:1234]|a 3-2-1 backup|max-1000|utf8mb4
        tidb-0.tidb-peer:4000|10.0.0.1|ddl_job_1234
    """),
)
def test_no_ticket_ids(text: str) -> None:
    assert list(tickets_in_text(text)) == []


@pytest.mark.parametrize(
    ("text", "issue"),
    [
        ("https://github.com/pingcap/tidb/issues/12345", "https://github.com/pingcap/tidb/issues/12345"),
        ("github.com/tikv/tikv/pull/9", "github.com/tikv/tikv/pull/9"),
        ("https://gitlab.example.com/a/b/-/merge_requests/7", "https://gitlab.example.com/a/b/-/merge_requests/7"),
        ("fixed by pingcap/tidb#12345", "pingcap/tidb#12345"),
        ("tikv/tikv/issues/77", "tikv/tikv/issues/77"),
        ("issue #42", "issue #42"),
        ("Issue no. 42", "Issue no. 42"),
        ("PR #9", "PR #9"),
        ("PR 12345", "PR 12345"),
        ("pull request 123", "pull request 123"),
        ("MR !12", "MR !12"),
        ("GH-123", "GH-123"),
        ("问题单 123", "问题单 123"),
    ],
)
def test_issue_numbers(text: str, issue: str) -> None:
    assert [one.text for one in issues_in_text(text)] == [issue]
    assert list(tickets_in_text(text)) == []


@pytest.mark.parametrize(
    "text",
    entries("""
        an issue since 2025|issue 3 times|the PR people|pull requests per second: 100|MR 50%|issues: 3|a/b|logs/tikv.log:123
        https://docs.example.org/issues/|store/region #12|prod#1
    """),
)
def test_no_issue_numbers(text: str) -> None:
    assert list(issues_in_text(text)) == []


@pytest.mark.parametrize(
    ("name", "tickets"),
    [
        ("abc-1234-slow", ["abc-1234"]),
        ("slow-ticket-12", ["ticket-12"]),
        ("gh-123", ["gh-123"]),
        ("case-2041-slow", ["case-2041"]),
        ("oncall-10233", ["oncall-10233"]),
        ("tidb-12345", ["tidb-12345"]),
        ("files/ABC-123/", ["ABC-123"]),
        ("tidb-0-restart", []),
        ("tikv-3-disk", []),
        ("slow-2025-03-04", []),
        ("incident-2025-03", []),
        ("error-9005", []),
        ("http-503-burst", []),
        ("top-100", []),
        ("utf-8", []),
        ("region-1234-busy", []),
        ("v8-5-2", []),
        ("p99-surge", []),
        ("march-2025", []),
    ],
)
def test_ticket_ids_in_names(name: str, tickets: list[str]) -> None:
    assert [one.text for one in tickets_in_name(name)] == tickets


@pytest.mark.parametrize(
    ("text", "versions"),
    [
        ("v8.5.2", ["v8.5.2"]),
        ("TiDB 8.5.2-pre", ["8.5.2-pre"]),
        ("V8.5", ["V8.5"]),
        ("version 8.5 is", ["8.5"]),
        ("升级到 8.5", ["8.5"]),
        ("took 8.5 s", []),
        ("10.0.0.1", []),
        ("2025.03.04", []),
        ("99.9%", []),
    ],
)
def test_versions(text: str, versions: list[str]) -> None:
    assert [one.text for one in versions_in(text)] == versions


NAMES_FIX = bucket("diagnosis", "{id: fix, match: regex_any, patterns: ['v?8[._]5[._]2 fix']}")
SEEN = {
    "ticket in the prompt": ({"case": case(PROMPT + " See ABC-1234.")}, ["ticket_id_in_prompt"]),
    "ticket in env": ({"case": case(environment="  env: {TICKET: ABC-1234}\n")}, ["ticket_id_in_prompt"]),
    "ticket in a workspace file": (
        {"case": case(environment="  workspace_files: w/\n"), "cases/slow-writes/w/notes/a.md": "a\n  see ABC-1234\n"},
        ["ticket_id_in_prompt"],
    ),
    "ticket in a workspace file's name": (
        {"case": case(environment="  workspace_files: w/\n"), "cases/slow-writes/w/ABC-1234.md": "a\n"},
        ["ticket_id_in_prompt"],
    ),
    "ticket in a path": (
        {"case": case(environment="  workspace_files: abc-1234/\n"), "cases/slow-writes/abc-1234/a": "a\n"},
        ["ticket_id_in_name"],
    ),
    "ticket outside the workspace": ({"cases/slow-writes/expected.md": "ABC-1234\n"}, []),
    "issue in the prompt": ({"case": case(PROMPT + " See pingcap/tidb#12.")}, ["issue_number_in_prompt"]),
    "issue in env": ({"case": case(environment="  env: {NOTE: 'issue #12'}\n")}, ["issue_number_in_prompt"]),
    "version that the policy names": (
        {
            "case": case(PROMPT + " It runs v8.5.2."),
            "judge": NAMES_FIX,
        },
        ["fix_version_in_prompt"],
    ),
    "another version": (
        {
            "case": case(PROMPT + " It runs v8.5.1."),
            "judge": NAMES_FIX,
        },
        [],
    ),
    "no cluster": ({"case": case("Please diagnose the cluster at 2025-03-04T09:00:00Z.")}, ["prompt_lacks_cluster_id"]),
    "cluster within another": ({"case": case("Diagnose 17401 at 2025-03-04T09:00:00Z.")}, ["prompt_lacks_cluster_id"]),
    "no window": ({"case": case("Diagnose cluster 7401.")}, ["prompt_lacks_time_window"]),
    "other day": ({"case": case("Diagnose cluster 7401 at 2025-03-05 09:00Z.")}, ["prompt_lacks_time_window"]),
    "other hour": ({"case": case("Diagnose cluster 7401 at 2025-03-04 08:00Z.")}, ["prompt_lacks_time_window"]),
    "local time without its offset": (
        {"case": case("Diagnose cluster 7401 at 2025-03-04 17:00.")},
        ["prompt_lacks_time_window"],
    ),
    "date alone": ({"case": case("Diagnose cluster 7401 on 2025-03-04.")}, ["prompt_lacks_time_window"]),
    "end alone": ({"case": case("Diagnose cluster 7401 until 2025-03-04 09:45Z.")}, []),
    "no task": ({"case": case("Cluster 7401 was slow at 2025-03-04T09:00:00Z.")}, ["prompt_lacks_task"]),
}


@pytest.mark.parametrize(("changes", "codes"), SEEN.values(), ids=SEEN)
def test_what_is_seen(tmp_path: Path, changes: dict[str, str | None], codes: list[str]) -> None:
    assert codes_in(tmp_path, changes) == codes


def test_positions_in_the_prompt_and_in_files(tmp_path: Path) -> None:
    files = {
        "case": case(f"{PROMPT}\nABC-1234, again ABC-1234, then ABC-1235.", "  workspace_files: w/\n"),
        "cases/slow-writes/w/a.md": "x\n  see ABC-1236\n",
    }
    found = [(Path(one.file).name, one.line, one.column) for one in findings_in(tmp_path, files)]
    assert found == [("case.yaml", 8, 5), ("case.yaml", 8, 36), ("a.md", 2, 7)]


def test_suite_ids(tmp_path: Path) -> None:
    suite = "schema_version: 1\nid: abc-1234\nversion: 1\ntitle: x\ncases: [slow-writes]\n"
    assert codes_in(tmp_path, {"suites/abc-1234.yaml": suite}) == ["ticket_id_in_name"]


def test_a_ticket_that_stands_twice_in_a_suite_id_is_found_once(tmp_path: Path) -> None:
    suite = "schema_version: 1\nid: abc-1234-abc-1234\nversion: 1\ntitle: x\ncases: [slow-writes]\n"
    assert codes_in(tmp_path, {"suites/abc-1234-abc-1234.yaml": suite}) == ["ticket_id_in_name"]


def test_links_are_not_followed_and_reading_is_bounded(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "secret.md").write_text("ABC-1234", "utf-8")
    root = tmp_path / "registry"
    workspace = root / "cases/slow-writes/w"
    workspace.mkdir(parents=True)
    (workspace / "dir").symlink_to(outside)
    (workspace / "file.md").symlink_to(outside / "secret.md")
    (workspace / "loop").symlink_to(workspace)
    (workspace / "binary").write_bytes(b"\0ABC-1234")
    (workspace / "large.log").write_text("x\n" * 600_000, "utf-8")
    changes = {"case": case(environment="  workspace_files: w/\n")}
    assert codes_in(root, changes) == ["workspace_too_large"]


@pytest.mark.parametrize(("files", "codes"), [(2_000, []), (2_001, ["workspace_too_large"])])
def test_names_of_so_many_workspace_files_are_looked_at(tmp_path: Path, files: int, codes: list[str]) -> None:
    workspace = tmp_path / "cases/slow-writes/w"
    workspace.mkdir(parents=True)
    for number in range(files):
        (workspace / f"{number}.md").touch()
    assert codes_in(tmp_path, {"case": case(environment="  workspace_files: w/\n")}) == codes


HOSTILE = {
    "letters": "a" * 1_000_000,
    "capitals": "A" * 1_000_000,
    "links": "https://a.b/" * 80_000,
    "hosts": "a." * 500_000,
    "paths": "a/" * 500_000,
    "hyphens": "A-" * 500_000,
    "hashes": "a/b#" * 250_000,
    "numbers": "1." * 500_000,
    "tickets": "".join(f"ABC-{n} " for n in range(1000, 100_000)),
}


@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_large_texts_take_seconds_at_most(tmp_path: Path, text: str) -> None:
    begin = time.perf_counter()
    changes = {"case": case(environment="  workspace_files: w/\n"), "cases/slow-writes/w/a.json": text}
    assert len(findings_in(tmp_path, changes)) <= 20
    assert time.perf_counter() - begin < 20
