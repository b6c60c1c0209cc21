"""Explanations agree with the judgment that they explain."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import judge_polars as jp
from judge_polars.explain import explain_each
from judge_polars.explain.model import CheckTold, RuleTold
from judge_polars.judgment import Judgment
from tests.cli.world import bundle, write_files, write_world

EVALUATION = Path(__file__).resolve().parents[2] / "evaluation"


@pytest.fixture(scope="module")
def judgment() -> Judgment:
    """The runs that ship, judged."""
    return jp.judge(EVALUATION / "runs", EVALUATION / "regression")


def one_of_each_code(judgment: Judgment) -> list[str]:
    """A case run for each primary failure code, and a pass."""
    return judgment.verdicts.unique("primary_failure_code", keep="first", maintain_order=True)["case_run_id"].to_list()


def every_rule(check: CheckTold) -> Iterator[RuleTold]:
    """The rules of a check, and those behind their facts."""

    def below(rules: tuple[RuleTold, ...]) -> Iterator[RuleTold]:
        for rule in rules:
            yield rule
            yield from below(rule.because)

    return below(check.rules)


def test_rules_add_up_to_checks_and_every_deciding_rule_tells_something(judgment: Judgment) -> None:
    for told in explain_each(judgment, one_of_each_code(judgment)):
        for check in told.checks:
            place = f"{told.case_run_id}: {check.bucket}.{check.id}"
            assert (sum(rule.passed for rule in check.rules) >= check.need) == check.passed, place
            assert all((rule.reason is None) == rule.passed for rule in check.rules), place
            for rule in every_rule(check):
                assert all(len(one.excerpt) <= 200 for one in rule.sightings if one.excerpt), place
                assert not rule.decided or rule.sightings or rule.notes or rule.because, place


def test_checks_and_buckets_are_those_of_the_judgment(judgment: Judgment) -> None:
    case_run_id = judgment.verdicts.filter(pl.col("verdict") == "fail")["case_run_id"][0]
    told = jp.explain(judgment, case_run_id)
    rows = judgment.checks.filter(pl.col("case_run_id") == case_run_id).sort("position")
    assert [(one.id, one.passed, one.reason) for one in told.checks] == rows.select(
        "check_id", "passed", "reason"
    ).rows()
    buckets = judgment.buckets.filter(pl.col("case_run_id") == case_run_id).select("bucket", "status").rows()
    assert [(one.bucket, one.status) for one in told.buckets] == buckets


def test_only_what_is_no_pass_has_something_to_change(judgment: Judgment) -> None:
    ids = judgment.verdicts["case_run_id"].sample(12, seed=7).to_list()
    told = list(explain_each(judgment, ids, only_failed=True))
    assert {one.verdict for one in told} >= {"pass", "fail"}
    assert [bool(one.to_pass) for one in told] == [one.verdict != "pass" for one in told]


def test_case_runs_explained_together_are_explained_as_each_alone(judgment: Judgment) -> None:
    surge = "tail-latency-surge-during-incident-window"
    several = [f"2025-03-05-nightly/{surge}/{trial}" for trial in (1, 3)] + [f"2025-03-06-nightly/{surge}/1"]
    ids = [several[0], "2025-03-05-nightly/service-degradation-during-incident-window/2", *several[1:]]
    alone = {key: jp.explain(judgment, key) for key in ids}
    together = {told.case_run_id: told for told in explain_each(judgment, ids)}
    assert together == alone
    for told in explain_each(judgment, ids, only_failed=True):
        whole = alone[told.case_run_id]
        assert told.checks == tuple(check for check in whole.checks if not check.passed)
        assert told.to_pass == whole.to_pass


def test_case_runs_are_read_so_many_at_a_time(judgment: Judgment, monkeypatch: pytest.MonkeyPatch) -> None:
    ids = [f"2025-03-07-nightly/tail-latency-surge-during-incident-window/{trial}" for trial in (3, 1, 2)]
    together = list(explain_each(judgment, ids, only_failed=True))
    monkeypatch.setattr(import_module("judge_polars.explain.run"), "MOST_TEXT_BYTES", 1)
    assert list(explain_each(judgment, ids, only_failed=True)) == together
    assert [told.case_run_id for told in together] == ids


def test_an_edited_registry_is_explained_as_it_was_judged(tmp_path: Path) -> None:
    write_world(tmp_path)
    registry = jp.load_registry(tmp_path / "registry")
    before = jp.judge(tmp_path / "runs", registry)
    registry.cases["disk-hang"].case.environment.cluster_id = "7"
    after = jp.judge(tmp_path / "runs", registry)
    case_run_id = "2025-03-04-nightly/disk-hang/1"
    assert jp.explain(before, case_run_id).verdict == "pass"
    told = jp.explain(after, case_run_id)
    assert told.to_pass[0].endswith("the run is about cluster 1001 (by its report); the case is about 7")


def test_ambiguous_bundles_are_listed(tmp_path: Path) -> None:
    files = {name: text for name, text in bundle("1002").items()}
    second = {name.replace("audit/", "audit/again/"): text for name, text in bundle("1002", log="other\n").items()}
    second["audit/again/manifest.json"] = '{"cluster_id": "1002", "n": 2}'
    write_world(tmp_path, {"r1/lock-wait/1": {**files, **second}})
    told = jp.explain(jp.judge(tmp_path / "runs", tmp_path / "registry"), "r1/lock-wait/1")
    assert told.primary_failure_code == "bundle_ambiguous"
    assert [(one.root, one.chosen) for one in told.candidates] == [("audit", False), ("audit/again", False)]
    assert told.to_pass == ("exactly one of the 2 valid candidates must match the case's cluster and time window",)


RULES = """\
schema_version: 1
case_id: lock-wait
judge:
  critical_evidence:
    checks:
      - {id: no_file, match: json_exists, artifact: metric.json, path: $.a}
      - {id: no_path, match: json_exists, artifact: facts.json, path: $.hosts.tikv}
      - {id: wrong_value, match: json_value, artifact: facts.json, path: '$.items[*].state', equals: down}
      - {id: right_value, match: json_value, artifact: facts.json, path: '$.items[*].state', equals: up}
      - {id: counted, match: json_count, artifact: facts.json, path: '$.items[*]', ge: 3}
      - {id: keyword_in_json, match: keyword_any, artifact: facts.json, keywords: ["slow disk"]}
      - {id: member_in_json, match: keyword_any, artifact: facts.json, keywords: ['"state": "up"']}
      - {id: text_of_a_node, match: json_text_contains_any, artifact: facts.json, path: $.note, keywords: [slow]}
      - {id: no_series, match: numeric_series_any_gt, artifact: metrics.json, series: node_disk_io_utl, threshold: 1, min_points: 1}
      - {id: no_labels, match: numeric_series_present, artifact: metrics.json, series: node_load1, labels: {instance: tikv-3}}
      - {id: no_times, match: numeric_series_present, artifact: metrics.json, series: node_load1, within: before_window}
      - {id: broken_json, match: json_valid, artifact: broken.json}
      - {id: avoided, match: keyword_none, artifact: logs, keywords: [panic]}
      - {id: not_avoided, match: keyword_none, artifact: logs, keywords: [stall, panic]}
      - {id: all_of_them, match: keyword_all, artifact: logs, keywords: [stall, panic]}
      - {id: over_two_lines, match: regex_any, artifact: logs, patterns: ['stall.*\\n  goroutine']}
      - {id: lines_of_json, match: keyword_any, artifact: 'evidence/*.jsonl', keywords: [second]}
"""
WANTED = {
    "no_file": ["no document fits metric.json; nearest: evidence/metrics.json, "],
    "no_path": ["evidence/facts.json: $.hosts.tikv selects nothing; $.hosts has the members tikv-2, pd-1"],
    "wrong_value": [
        'selected: evidence/facts.json $.items[0].state is "up"; evidence/facts.json $.items[1].state is "up"'
    ],
    "right_value": [
        "evidence/facts.json|$.items[0].state|equals: up|up",
        "evidence/facts.json|$.items[1].state|equals: up|up",
    ],
    "counted": ["2 of 2 selected nodes count; wanted is ge: 3"],
    "keyword_in_json": ["evidence/facts.json|$.note|slow disk|a Slow  disk, they say"],
    "member_in_json": ['evidence/facts.json|$.items[0]|"state": "up"|{"state":"up"}'],
    "text_of_a_node": ["evidence/facts.json|$.note|None|a Slow  disk, they say"],
    "no_series": [
        'no series node_disk_io_utl; the series there, nearest first: node_disk_io_util{instance="tikv-2"}, '
    ],
    "no_labels": [
        'no series with the labels {instance="tikv-3"}; of that name there are node_load1{instance="tikv-2"}'
    ],
    "no_times": [
        "1 series of that name, but their points run from 2025-03-04T09:05:00Z to 2025-03-04T09:07:00Z; "
        "read is before 2025-03-04T09:00:00Z"
    ],
    "broken_json": ["no JSON value in evidence/broken.json (json invalid: "],
    "avoided": ["read without finding any: logs/tikv.log"],
    "not_avoided": [
        'logs/tikv.log|line 2|stall|[2025/03/04 09:10:00.000 +00:00] [WARN] ["write stall"] [reason="disk"]'
    ],
    "all_of_them": ["not found in logs/tikv.log: 'panic'"],
    "over_two_lines": ["logs/tikv.log|line 3|stall.*\\n  goroutine|  goroutine 1"],
    "lines_of_json": ["evidence/more.jsonl|$[1].text|second|the second"],
}
"""Check -> beginnings of what its rule tells: sightings as document|place|what|excerpt, then notes."""


@pytest.fixture(scope="module")
def told_rules(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    """Check -> sightings and notes of its one rule."""
    root = tmp_path_factory.mktemp("rules")
    facts = '{"hosts": {"pd-1": 1, "tikv-2": 2}, "items": [{"state": "up"}, {"state": "up"}], "note": "a Slow  disk, they say"}'
    files = bundle("1002") | {
        "audit/evidence/facts.json": facts,
        "audit/evidence/broken.json": "{",
        "audit/evidence/more.jsonl": '{"text": "the first"}\nbroken\n{"text": "the second"}\n',
        "output.md": "x",
    }
    write_world(root, {"r1/lock-wait/1": files})
    write_files(root / "registry", {"cases/lock-wait/judge.yaml": RULES})
    told = jp.explain(jp.judge(root / "runs", root / "registry"), "r1/lock-wait/1")
    return {
        check.id: [
            *("|".join(map(str, (one.document, one.place, one.what, one.excerpt))) for one in check.rules[0].sightings),
            *check.rules[0].notes,
        ]
        for check in told.checks
    }


@pytest.mark.parametrize("check", WANTED)
def test_what_a_rule_tells(told_rules: dict[str, list[str]], check: str) -> None:
    told = told_rules[check]
    for wanted in WANTED[check]:
        assert any(line.startswith(wanted) for line in told), told


@pytest.mark.parametrize("case_run_id", ["r9/lock-wait/1", "", "x"])
def test_unknown_case_run(judgment: Judgment, case_run_id: str) -> None:
    with pytest.raises(jp.UsageError, match="nearest: "):
        jp.explain(judgment, case_run_id)


def test_a_judgment_without_its_runs_cannot_be_explained(judgment: Judgment) -> None:
    with pytest.raises(jp.InputError, match="judge the runs again"):
        jp.explain(Judgment(judgment.frames), judgment.verdicts["case_run_id"][0])
