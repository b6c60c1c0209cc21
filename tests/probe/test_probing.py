"""Whole reports: passing runs spoilt, controls, and what no check notices."""

from __future__ import annotations

import gzip
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from judge_polars.probe.bundles import read_passing
from judge_polars.registry import load_registry
from tests.cli.world import GOOD_ANSWER, RUNS, record
from tests.probe.rubrics import (
    CASE,
    GOOD_CHECKS,
    RIGHT_ANSWER,
    diagnosis,
    good_run,
    outcome_of,
    probed,
    states,
    write_registry,
    write_runs,
    wrong,
)
from tests.probe.test_spoilings import PACK_WITH_STEPS, TELEMETRY

CONTRACT = {"checks": [{"id": "time_window_match"}, {"id": "cluster_scope_match"}]}
BUSY = {
    "id": "disk_busy",
    "match": "numeric_series_any_gt",
    "artifact": "metrics.json",
    "series": "node_disk_io_util",
    "threshold": 0.95,
    "min_points": 3,
    "within": "window",
}
STALLED = {"id": "stalled", "match": "keyword_any", "artifact": "logs", "keywords": ["write stall"], "within": "window"}
ROUTING = {"checks": [{"id": "patch_present"}, {"id": "metric_refs_resolvable"}]}
WHOLE: dict[str, Any] = {
    "contract": CONTRACT,
    "critical_evidence": {"checks": [BUSY, STALLED]},
    "evidence_routing": ROUTING,
    **diagnosis(*GOOD_CHECKS),
}


def without(rule: Mapping[str, Any], key: str) -> dict[str, Any]:
    """A rule that does not look at the window, say."""
    return {name: value for name, value in rule.items() if name != key}


def spoilt_states(
    tmp_path: Path, judge: Mapping[str, Any], run: Mapping[str, str] | None = None, **more: Any
) -> dict[str, str]:
    """Probe -> state, on one passing run."""
    runs = write_runs(tmp_path / "runs", run or good_run())
    return states(probed(write_registry(tmp_path / "registry", judge, **more), runs))


@pytest.mark.parametrize(
    ("change", "unnoticed"),
    [
        pytest.param({}, set(), id="near_miss_whole"),
        pytest.param(
            {"contract": {"checks": [{"id": "time_window_match"}]}}, {"another_cluster"}, id="no_cluster_check"
        ),
        pytest.param(
            {"contract": {"checks": [{"id": "cluster_scope_match"}]}}, {"shifted_window"}, id="no_window_check"
        ),
        pytest.param(
            {"critical_evidence": {"checks": [without(BUSY, "within"), STALLED]}},
            {"points_out_of_window"},
            id="points_of_any_time",
        ),
        pytest.param(
            {"critical_evidence": {"checks": [BUSY, without(STALLED, "within")]}},
            {"log_lines_out_of_window"},
            id="lines_of_any_time",
        ),
        pytest.param(
            {"critical_evidence": {"checks": [BUSY]}},
            {"log_lines_out_of_window", "artifact_gone:logs_dir"},
            id="logs_not_read",
        ),
        pytest.param(
            {"evidence_routing": {"checks": [{"id": "patch_present"}]}},
            {"dangling_reference:metric"},
            id="references_not_read",
        ),
        pytest.param(
            {"evidence_routing": {"checks": [{"id": "metric_refs_resolvable"}]}}, set(), id="near_miss_references_read"
        ),
    ],
)
def test_what_no_check_notices(tmp_path: Path, change: Mapping[str, Any], unnoticed: set[str]) -> None:
    found = spoilt_states(tmp_path, {**WHOLE, **change})
    always = {"artifact_gone:evidence/events.json"}  # no check of these policies reads it
    assert {probe for probe, state in found.items() if state == "unnoticed"} == unnoticed | always
    assert found["unspoilt"] == "good"
    assert "wrong" not in found.values()


def test_which_check_notices(tmp_path: Path) -> None:
    report = probed(write_registry(tmp_path / "registry", WHOLE), write_runs(tmp_path / "runs", good_run()))
    gone = outcome_of(report, "artifact_gone:evidence/metrics.json")
    assert gone.noticed_by == ("critical_evidence.disk_busy", "evidence_routing.metric_refs_resolvable")
    assert gone.got == "fail (critical_evidence_partial)"
    assert gone.run == f"night/{CASE}/1"
    assert outcome_of(report, "artifact_gone:manifest").noticed_by == ("bundle_unresolved",)


def test_with_a_passing_bundle_whole_verdicts_decide(tmp_path: Path) -> None:
    judge = {
        **WHOLE,
        "execution_contract": {"required_artifacts": ["output_text"], "checks": [{"id": "required_artifacts_present"}]},
    }
    judge |= diagnosis(supporting=({"id": "host", "match": "keyword_any", "keywords": ["tikv-2"]},))
    registry = write_registry(tmp_path / "registry", judge)
    assert "empty_answer" in wrong(probed(registry))
    report = probed(registry, write_runs(tmp_path / "runs", good_run()))
    assert outcome_of(report, "empty_answer").got == "invalid (execution_contract_failed)"
    assert outcome_of(report, "null_agent").state == "wrong"


def test_a_failed_call_that_counts_is_told(tmp_path: Path) -> None:
    careless = PACK_WITH_STEPS.replace("{path: $.status, equals: ok}, ", "")
    judge = {"workflow": {"checks": [{"id": "guide_read"}, {"id": "run_started"}]}, **WHOLE}
    run = good_run(**{"audit/telemetry.jsonl": TELEMETRY})
    assert careless != PACK_WITH_STEPS
    assert spoilt_states(tmp_path / "a", judge, run, pack=careless)["failed_milestone:guide_read"] == "unnoticed"
    found = spoilt_states(tmp_path / "b", judge, run, pack=PACK_WITH_STEPS)
    assert found["failed_milestone:guide_read"] == "good"
    assert found["failed_milestone:run_started"] == "no_effect"
    assert not [probe for probe in found if probe.startswith("removed")]


@pytest.mark.parametrize(
    ("named", "state"),
    [
        (f"night/{CASE}/1", "good"),
        (f"night/{CASE}/2", "wrong"),
        (f"night/{CASE}/9", "unknown"),
    ],
)
def test_reference_run(tmp_path: Path, named: str, state: str) -> None:
    registry = write_registry(tmp_path / "registry", WHOLE, reference_run=named)
    runs = write_runs(tmp_path / "runs", good_run())
    write_runs(runs, good_run(**{"output.md": "Who knows?"}), trial=2)
    report = probed(registry, runs)
    assert outcome_of(report, "reference_run").state == state
    assert report.is_sound is (state != "wrong")


def test_the_reference_run_comes_first(tmp_path: Path) -> None:
    registry = write_registry(tmp_path / "registry", WHOLE, reference_run=f"night/{CASE}/2")
    runs = write_runs(tmp_path / "runs", good_run())
    write_runs(runs, good_run(), trial=2)
    report = probed(registry, runs, most=1)
    assert {outcome.run for outcome in report.outcomes if outcome.group == "spoilt"} == {f"night/{CASE}/2"}
    assert report.passing == {CASE: (1, 2)}


def test_runs_of_other_cases_are_not_judged(tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    for name, text in RUNS["2025-03-04-nightly/lock-wait/1"].items():
        path = runs / "night" / "cases" / "lock-wait" / "trial-1" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8")
    report = probed(write_registry(tmp_path / "registry", WHOLE), runs)
    assert report.passing == {CASE: (0, 0)}
    assert all(outcome.run is None for outcome in report.outcomes)


def packed(path: Path) -> None:
    path.with_name(f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()


def scattered(run: Path) -> None:
    """The bundle deep in the workspace with a twin, its logs in `audit_dir`, one of them packed."""
    (run / "workspace").mkdir()
    for place in ("workspace/out", "workspace/twin"):
        for name, text in good_run().items():
            if name.startswith("audit/") and "logs" not in name:
                path = run / place / name.removeprefix("audit/")
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text(text, "utf-8")
    for name in (
        "manifest.json",
        "diagnosis_report.json",
        "analysis_patch.json",
        "evidence/metrics.json",
        "evidence/events.json",
    ):
        (run / "audit" / name).unlink()
    packed(run / "audit" / "logs" / "tikv.log")
    (run / "answer.txt").write_text(GOOD_ANSWER)
    (run / "output.md").unlink()
    (run / "case_run.json").write_text(record(output_file="answer.txt"))
    os.symlink("/etc", run / "workspace" / "out" / "link")


def test_a_scattered_bundle_is_put_together(tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "runs", good_run())
    scattered(runs / "night" / "cases" / CASE / "trial-1")
    found = states(probed(write_registry(tmp_path / "registry", WHOLE), runs))
    assert found["unspoilt"] == "good"
    assert found["artifact_gone:evidence/metrics.json"] == "good"
    assert found["artifact_gone:logs_dir"] == "good"
    assert found["log_lines_out_of_window"] == "good"
    assert not [probe for probe in found if "link" in probe]


def test_a_workspace_elsewhere(tmp_path: Path) -> None:
    files = good_run(**{"case_run.json": record(workspace_id="ws-1", audit_dir="none")})
    runs = write_runs(tmp_path / "runs", files)
    run = runs / "night" / "cases" / CASE / "trial-1"
    (tmp_path / "spaces").mkdir()
    (run / "audit").rename(tmp_path / "spaces" / "ws-1")
    registry = write_registry(tmp_path / "registry", WHOLE)
    report = probed(registry, runs, workspaces_root=tmp_path / "spaces")
    assert outcome_of(report, "unspoilt").state == "good"
    assert report.passing == {CASE: (1, 1)}


def test_another_layout(tmp_path: Path) -> None:
    layout = "packs: [pack.yaml]\nlayout: {manifest: about.json, logs_dir: [log], evidence_dir: data}\n"
    names = {"audit/manifest.json": "audit/about.json", "audit/logs/": "audit/log/", "audit/evidence/": "audit/data/"}
    files = {}
    for name, text in good_run().items():
        for old, new in names.items():
            name = name.replace(old, new)
        files[name] = text
    registry = write_registry(tmp_path / "registry", WHOLE, references={"../../registry.yaml": layout})
    found = states(probed(registry, write_runs(tmp_path / "runs", files)))
    assert found["unspoilt"] == "good"
    assert found["artifact_gone:logs_dir"] == "good"
    assert found["artifact_gone:data/metrics.json"] == "good"
    assert states(probed(registry))["null_agent"] == "good"


def test_in_several_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    registry = write_registry(tmp_path / "registry", WHOLE)
    runs = write_runs(tmp_path / "runs", good_run())
    whole = probed(registry, runs)
    told: list[tuple[int, int]] = []
    monkeypatch.setattr("judge_polars.probe.probing.MOST_AT_ONCE", 9)
    assert probed(registry, runs, progress=lambda done, total: told.append((done, total))) == whole
    assert told[-1] == (1, 1)
    assert len(told) == -(-whole.made_up // 9)


@pytest.mark.parametrize("member", ["output_file", "audit_dir"])
def test_nothing_outside_of_a_case_run_is_read(tmp_path: Path, member: str) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "summary.md").write_text("secret")
    run = tmp_path / "runs" / "night" / "cases" / CASE / "trial-1"
    write_runs(tmp_path / "runs", good_run())
    outside = os.path.relpath(tmp_path / "secret", run)
    named = f"{outside}/summary.md" if member == "output_file" else outside
    (run / "case_run.json").write_text(record(**{member: named}))
    book = load_registry(write_registry(tmp_path / "registry", WHOLE)).compile()
    read = read_passing(run, "audit", [], book, None)
    assert b"secret" not in read.output
    assert "summary.md" not in read.files


def test_nothing_is_left_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "temporary"))
    (tmp_path / "temporary").mkdir()
    probed(write_registry(tmp_path / "registry", WHOLE, references={"reference.md": RIGHT_ANSWER}))
    assert list((tmp_path / "temporary").iterdir()) == []
