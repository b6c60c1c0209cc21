"""`explain`: the whole reasoning for one case run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Cli, matches_snapshot

ROUTING = "2025-03-05-nightly/disk-hang/1"
EVIDENCE = "2025-03-05-nightly/disk-hang/2"
CONTRACT = "2025-03-05-nightly/lock-wait/1"
ENVIRONMENT = "2025-03-05-nightly/lock-wait/2"
PASS = "2025-03-04-nightly/disk-hang/2"


def told(cli: Cli, case_run_id: str) -> dict[str, Any]:
    """The explanation as a record."""
    result = cli("explain", case_run_id, "RUNS", "--format", "json")
    assert result.code == 0, result.err
    record: dict[str, Any] = json.loads(result.out)
    return record


def rules_of(record: dict[str, Any], check: str) -> list[dict[str, Any]]:
    """The rules of one check of an explanation."""
    rules: list[dict[str, Any]] = next(one for one in record["checks"] if one["id"] == check)["rules"]
    return rules


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize(
    ("case_run_id", "name"),
    [
        pytest.param(PASS, "pass", id="pass"),
        pytest.param(EVIDENCE, "evidence", id="evidence"),
        pytest.param(ENVIRONMENT, "environment", id="environment"),
    ],
)
def test_text(cli: Cli, world: Path, case_run_id: str, name: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = cli("explain", case_run_id, "RUNS")
    assert result.code == 0
    # The directory's length differs from machine to machine, and with it how its line is wrapped.
    text = result.out.partition("\nJudged by")[0] + "\n"
    assert matches_snapshot(text, f"explain_{name}_{width}.txt", world)
    assert max(map(cell_len, text.splitlines())) <= width


@pytest.mark.parametrize(("output_format", "suffix"), [("json", "json"), ("markdown", "md")])
def test_format(cli: Cli, world: Path, output_format: str, suffix: str) -> None:
    result = cli("explain", ROUTING, "RUNS", "--format", output_format)
    assert matches_snapshot(result.out, f"explain_routing.{suffix}", world)


def test_verbose_tells_passed_checks_as_fully(cli: Cli) -> None:
    brief = cli("explain", PASS, "RUNS").out
    whole = cli("explain", PASS, "RUNS", "-v").out
    assert "match: numeric_series_any_gt" not in brief
    assert "match: numeric_series_any_gt" in whole


def test_deciding_row_in_words(cli: Cli) -> None:
    assert told(cli, EVIDENCE)["deciding"].startswith(
        "row 6 of precedence, the first that fits: critical evidence is fail"
    )
    assert told(cli, PASS)["deciding"].endswith("all buckets pass, so the verdict is pass")


def test_what_would_have_to_change(cli: Cli) -> None:
    assert told(cli, PASS)["to_pass"] == []
    assert told(cli, ROUTING)["to_pass"] == [
        "evidence_routing: metric_refs_resolvable must hold: metric:node_disk_util of item A1: no such metric"
    ]
    assert told(cli, CONTRACT)["to_pass"] == [
        "contract: cluster_scope_match must hold: the run is about cluster 1009 (by its report); the case is about 1002"
    ]
    assert told(cli, ENVIRONMENT)["to_pass"] == [
        "the run must be repeated: it ended with error, rate_limited, which is the provider's doing, and left no output"
    ]
    assert [line.partition(" must hold")[0] for line in told(cli, EVIDENCE)["to_pass"]] == [
        "critical_evidence: disk_busy",
        "critical_evidence: writes_stalled",
        "diagnosis: blames_disk",
    ]


def test_series_that_made_a_check_pass(cli: Cli) -> None:
    [rule] = rules_of(told(cli, PASS), "disk_busy")
    [sighting] = rule["sightings"]
    assert sighting == {
        "document": "evidence/metrics.json",
        "place": "$[0]['values']",
        "what": "0.97 at 2025-03-04T09:06:00Z, 3 such points",
        "excerpt": 'node_disk_io_util{instance="tikv-2"}: 5 points, 0.4 to 0.99, median 0.97',
    }


def test_series_that_came_near(cli: Cli) -> None:
    [rule] = rules_of(told(cli, EVIDENCE), "disk_busy")
    assert (rule["passed"], rule["reason"], rule["sightings"]) == (False, "not_matched", [])
    assert rule["notes"] == [
        "1 series read, wanted is at least 3 points > 0.95 in a row: "
        'node_disk_io_util{instance="tikv-2"}: 5 points, 0.4 to 0.98, median 0.5'
    ]


def test_line_of_a_keyword(cli: Cli) -> None:
    rules = rules_of(told(cli, PASS), "writes_stalled")
    assert rules[0]["decided"]
    assert rules[0]["sightings"] == [
        {
            "document": "logs/tikv.log",
            "place": "line 2",
            "what": "write stall",
            "excerpt": '[2025/03/04 09:10:00.000 +00:00] [WARN] ["write stall"] [reason="disk"]',
        }
    ]


def test_nearest_record(cli: Cli) -> None:
    rules = rules_of(told(cli, EVIDENCE), "writes_stalled")
    assert rules[0]["notes"] == ["no line in the window in logs/tikv.log"]
    assert rules[1]["notes"] == [
        "nearest of 2 records is evidence/events.json $[0], with 1 of 2 conditions; $.count is 2, wanted is ge: 3"
    ]


def test_clause_and_what_denied_it(cli: Cli) -> None:
    [rule] = rules_of(told(cli, EVIDENCE), "blames_disk")
    assert rule["notes"] == ["output.blames_disk is false"]
    [definition] = rule["because"]
    assert definition["sightings"] == [
        {
            "document": "output",
            "place": "line 1",
            "what": "disk (?:hung|hang) denied by the post negator “ruled out”",
            "excerpt": "A disk hang was ruled out.",
        }
    ]


def test_clause_in_chinese(cli: Cli) -> None:
    [rule] = rules_of(told(cli, PASS), "blames_disk")
    [definition] = rule["because"]
    assert definition["sightings"][0]["excerpt"] == "根因:主机 2 的磁盘卡住。"


def test_unresolved_references(cli: Cli) -> None:
    references = told(cli, ROUTING)["references"]
    assert [(one["channel"], one["ref"], one["resolved"], one["verified"]) for one in references] == [
        ("metric", "node_disk_util", False, None),
        ("log", "tikv.log:99", True, False),
    ]
    assert all(one["reason"] for one in references)


def test_candidates_and_why_they_were_rejected(cli: Cli, tmp_path: Path) -> None:
    from tests.cli.world import REGISTRY, bundle, write_files, write_world

    broken = {name: text for name, text in bundle().items() if not name.startswith("audit/evidence")}
    write_world(tmp_path, {"r1/disk-hang/1": broken})
    write_files(tmp_path / "registry", REGISTRY)
    result = cli("explain", "r1/disk-hang/1", str(tmp_path / "runs"), "--format", "json")
    record = json.loads(result.out)
    assert record["candidates"] == [{"root": "audit", "chosen": False, "reasons": ["evidence_missing"]}]
    assert record["to_pass"] == ["audit must be a valid bundle: evidence missing"]
    assert (record["verdict"], record["checks"]) == ("invalid", [])


@pytest.mark.parametrize(
    "form",
    [
        pytest.param("{root}/2025-03-05-nightly/cases/disk-hang/trial-1", id="directory"),
        pytest.param("{root}/2025-03-05-nightly/cases/disk-hang/trial-1/", id="directory-with-a-slash"),
    ],
)
def test_a_directory_says_where_to_look(cli: Cli, world: Path, form: str) -> None:
    result = cli("explain", form.format(root=world / "runs"))
    assert result.out.startswith(f"{ROUTING}\n")


def test_a_trial_may_be_written_as_its_directory(cli: Cli) -> None:
    assert cli("explain", "2025-03-05-nightly/disk-hang/trial-1", "RUNS").out.startswith(f"{ROUTING}\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["2025-03-05-nightly/disk-hang/7", "RUNS"], f"nearest: {ROUTING}", id="trial"),
        pytest.param(["2025-03-05-nightly/disc-hang/1", "RUNS"], ROUTING, id="case"),
        pytest.param(["x", "RUNS"], "<eval_run_id>/<case_id>/<trial>", id="no-id"),
        pytest.param([ROUTING], "name the runs behind it", id="no-runs"),
        pytest.param(["2025-03-05-nightly/lock-waits/1", "RUNS"], "does not know its case", id="unknown-case"),
        pytest.param([ROUTING, "nowhere"], "no such directory", id="no-directory"),
        pytest.param([ROUTING, "RUNS", "-o", "x.csv"], "writes no csv", id="format"),
    ],
)
def test_wrong_input(cli: Cli, arguments: list[str], message: str) -> None:
    result = cli("explain", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_files(cli: Cli, tmp_path: Path) -> None:
    names = ("why.md", "why.json", "why.txt")
    result = cli("explain", ROUTING, "RUNS", *(part for name in names for part in ("-o", str(tmp_path / name))))
    assert result.code == 0
    assert (tmp_path / "why.md").read_text().startswith(f"# {ROUTING}")
    assert json.loads((tmp_path / "why.json").read_text())["case_run_id"] == ROUTING
    assert (tmp_path / "why.txt").read_text().startswith(ROUTING)
