"""`inspect`: the table at two widths, JSON, where things come from, and registries that are not valid."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Cli, matches_snapshot
from tests.registry.lint_small import BUCKETS, DIAGNOSIS, PROMPT, SUITE, bucket, case, findings_in, judge


@pytest.mark.parametrize("suite", ["", "daily"])
@pytest.mark.parametrize("width", [80, 200])
def test_table(cli: Cli, world: Path, suite: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = cli("inspect", *filter(None, [suite]))
    assert result.code == 0, result.err
    shown = result.out.partition("\n✗")[0].partition("\n! ")[0].partition("\n✓")[0]
    assert matches_snapshot(shown, f"inspect_{suite or 'all'}_{width}.txt", world)
    assert max(map(cell_len, result.out.splitlines())) <= width
    assert "\x1b" not in result.out


def told(root: Path, changes: dict[str, str | None], cli: Cli, *arguments: str) -> Any:
    """What `inspect --format json` says of the small registry."""
    findings_in(root, changes)
    result = cli("inspect", *arguments, "--format", "json", "--registry", str(root), registry=False)
    assert result.code == 0, result.err
    return json.loads(result.out)


def test_json(cli: Cli, tmp_path: Path) -> None:
    record = told(tmp_path / "r", {}, cli)
    assert list(record) == ["registry", "packs", "replaced", "suites", "cases", "findings"]
    assert record["packs"] == [{"id": "small", "version": 1}]
    [suite], [one] = record["suites"], record["cases"]
    assert (suite["id"], suite["cases"], suite["baseline"]) == ("daily", ["slow-writes"], None)
    assert one["window"] == {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T09:45:00Z"}
    assert one["allowed"] == [{**one["window"], "match": "within", "tolerance_seconds": 0.0}]
    assert [(part["bucket"], part["from"], len(part["checks"])) for part in one["buckets"]] == [
        ("contract", "case", 1),
        ("workflow", None, 0),
        ("execution_contract", None, 0),
        ("evidence_collection", None, 0),
        ("critical_evidence", None, 0),
        ("evidence_routing", None, 0),
        ("diagnosis", "case", 1),
    ]
    assert one["buckets"][-1]["checks"] == [
        {
            "id": "names_disk",
            "layer": "hard",
            "required": None,
            "weight": 1.0,
            "need": 1,
            "rules": 1,
            "facts": ["output.disk"],
            "through": ["output.inner"],
            "documents": [],
        }
    ]


def test_documents_of_a_check(cli: Cli, tmp_path: Path) -> None:
    rules = "{match: keyword_any, artifact: logs, keywords: [x]}, {match: json_valid, artifact: a.json}"
    record = told(tmp_path / "r", {"judge": bucket("critical_evidence", f"{{id: a, any_of: [{rules}]}}")}, cli)
    [check] = record["cases"][0]["buckets"][4]["checks"]
    assert check["documents"] == ["logs_dir: keyword_any", "a.json: json_valid"]


def test_buckets_of_judge_defaults(cli: Cli, tmp_path: Path) -> None:
    defaults = "packs: [pack.yaml]\njudge_defaults:\n  contract:\n    checks: [{id: cluster_scope_match}]\n"
    own = {"judge": judge(DIAGNOSIS), "registry.yaml": defaults}
    removed = {"judge": judge("contract: null\n" + DIAGNOSIS), "registry.yaml": defaults}
    origins = [
        (part["from"], part["removed"])
        for changes in (own, removed, {"registry.yaml": defaults})
        for part in told(tmp_path / "r", {"judge": judge(BUCKETS + DIAGNOSIS), **changes}, cli)["cases"][0]["buckets"][
            :1
        ]
    ]
    assert origins == [("judge_defaults", False), (None, True), ("case", False)]


def test_what_replaces_what(cli: Cli, tmp_path: Path) -> None:
    more = (
        "id: more\nversion: 1\nwords: {negators: ['\\bno\\b']}\nconcepts: {hot_cpu: ['hot cpu']}\n"
        "facts: [{name: output.cpu, match: claimed_any, concepts: [hot_cpu]}]\n"
        "channels: {logs: {observed_any_of: [{match: artifact_present, artifact: logs}]}}\n"
    )
    facts = "facts: [{name: output.disk, match: claimed_any, patterns: [disk]}]\nwords: {claims: ['\\bcause\\b']}\n"
    changes = {"more.yaml": more, "registry.yaml": "packs: [pack.yaml, more.yaml]\n", "judge": judge(facts=facts)}
    record = told(tmp_path / "r", {**changes}, cli)
    assert [(one["kind"], one["name"], one["of"], one["by"]) for one in record["replaced"]] == [
        ("facts", "output.cpu", "pack small", "pack more"),
        ("channels", "logs", "pack small", "pack more"),
        ("concepts", "hot_cpu", "pack small", "pack more"),
        ("words", "negators", "pack small", "pack more"),
    ]
    assert [(one["kind"], one["name"], one["of"]) for one in record["cases"][0]["replaced"]] == [
        ("facts", "output.disk", "pack small"),
        ("words", "claims", "pack small"),
    ]
    shown = cli("inspect", "daily", "--registry", str(tmp_path / "r"), registry=False).out
    assert "pack more replaces the channel logs of pack small" in shown
    assert "case slow-writes replaces the fact output.disk of pack small" in shown


@pytest.mark.parametrize(
    ("version", "state"), [(1, "other version"), (2, "changed"), (0, "current")], ids=["older", "changed", "current"]
)
def test_state_of_a_baseline(cli: Cli, tmp_path: Path, version: int, state: str) -> None:
    digest = told(tmp_path / "r", {}, cli)["cases"][0]["digest"]
    text = (
        "schema_version: 1\nsuite_id: daily\nsuite_version: 1\neval_run_id: r\njudgment_id: j\n"
        "promoted_at: 2025-03-05T07:00:00+01:00\ncases:\n  slow-writes:\n"
        f'    {{case_version: {version or 2}, case_digest: "{digest if not version else "sha256:" + "0" * 64}", verdict: fail}}\n'
    )
    record = told(tmp_path / "r", {"baselines/daily.yaml": text}, cli)
    assert record["suites"][0]["baseline"]["promoted_at"] == "2025-03-05T06:00:00Z"
    assert [(one["verdict"], one["state"]) for one in record["cases"][0]["baselines"]] == [("fail", state)]


def test_lint_findings_do_not_stop_it_and_ignored_ones_are_told(cli: Cli, tmp_path: Path) -> None:
    changes = {"case": case(PROMPT + " See ABC-1234.", more="lint_ignore: {reference_missing: soon there}\n")}
    record = told(tmp_path / "r", {**changes, "cases/slow-writes/reference.md": None}, cli)
    assert [one["code"] for one in record["cases"][0]["findings"]] == ["ticket_id_in_prompt"]
    assert record["cases"][0]["ignored"] == {"reference_missing": "soon there"}
    shown = cli("inspect", "daily", "--registry", str(tmp_path / "r"), registry=False).out
    assert "✗ 1 error" in shown and "lint ignores reference_missing: soon there" in shown


def test_an_invalid_registry(cli: Cli, tmp_path: Path) -> None:
    findings_in(tmp_path / "r", {"judge": bucket("diagnosis", "{id: a, fact: dusk}")})
    result = cli("inspect", "--registry", str(tmp_path / "r"), registry=False)
    assert result.code == 2 and "did you mean `disk`?" in result.err and result.out == ""


def test_a_suite_that_is_not_there(cli: Cli) -> None:
    result = cli("inspect", "dayly")
    assert result.code == 2 and "nearest: daily" in result.err


def test_a_case_in_no_suite_is_shown_at_a_glance(cli: Cli, tmp_path: Path) -> None:
    findings_in(tmp_path / "r", {"suites/daily.yaml": None})
    shown = cli("inspect", "--registry", str(tmp_path / "r"), registry=False).out
    assert "in no suite" in shown and "slow-writes" in shown


def test_hostile_texts_stay_in_their_lines(cli: Cli, tmp_path: Path) -> None:
    text = case(more='tags: ["\\e[31mred", "a\\nb"]\n').replace(
        "title: Slow writes", 'title: "Slow\\u202e [bold]writes"'
    )
    findings_in(tmp_path / "r", {"case": text, "suites/daily.yaml": SUITE.replace("title: Daily", 'title: "D\\e[2J"')})
    shown = cli("inspect", "daily", "--registry", str(tmp_path / "r"), registry=False).out
    assert "\x1b" not in shown and "\u202e" not in shown and "[bold]writes" in shown and "a⏎b" in shown


def test_output_files(cli: Cli, tmp_path: Path) -> None:
    assert cli("inspect", "-o", "told.json", "-o", "told.txt").code == 0
    assert json.loads(Path("told.json").read_text("utf-8"))["suites"]
    assert "daily" in Path("told.txt").read_text("utf-8")
    assert cli("inspect", "-o", "told.csv").code == 2
