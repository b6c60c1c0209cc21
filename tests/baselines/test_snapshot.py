"""The manifest: what is remembered, and that it is read back as it was."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest

from judge_polars.baselines.promotion import plan_promotion
from judge_polars.baselines.snapshot import case_rows, manifest_text, snapshot
from judge_polars.errors import JudgePolarsError
from judge_polars.judged_runs import JudgedRuns
from judge_polars.registry import Registry, load_registry
from judge_polars.rulebook import Baseline
from judge_polars.vocabulary import BUCKETS
from tests.baselines.conftest import BROKEN, DEGRADATION, GOOD, RESTART, SUITE, SURGE

AT = datetime(2025, 3, 5, 6, 0, 0, 999, tzinfo=UTC)


def made(source: JudgedRuns, registry: Registry, eval_run_id: str = GOOD, **members: str) -> Baseline:
    """The snapshot of an eval run."""
    [suite] = registry.compile().suites
    told = {"created_by": "somebody", "notes": "", **members}
    return snapshot(case_rows(source, eval_run_id), suite, eval_run_id, promoted_at=AT, **told)


def test_what_is_remembered(source: JudgedRuns, registry: Registry) -> None:
    baseline = made(source, registry)
    digests = {case.id: (case.version, case.digest) for case in registry.compile().cases}
    assert (baseline.suite_id, baseline.suite_version, baseline.eval_run_id) == (SUITE, 1, GOOD)
    assert baseline.promoted_at == datetime(2025, 3, 5, 6, tzinfo=UTC)
    assert [case.case_id for case in baseline.cases] == [RESTART, DEGRADATION, SURGE]
    weak = baseline.cases[1]
    assert (weak.case_version, weak.case_digest) == digests[DEGRADATION]
    assert (weak.verdict, weak.primary_failure_code, weak.trials, weak.passed_trials) == ("pass", None, 3, 2)
    assert (weak.score, weak.max_score) == (80.0, 80.0)
    assert dict(weak.buckets) == dict.fromkeys(BUCKETS, "pass")


def test_a_case_without_a_bundle_has_no_statuses(source: JudgedRuns, registry: Registry) -> None:
    case = next(case for case in made(source, registry, BROKEN).cases if case.case_id == DEGRADATION)
    assert (case.verdict, case.primary_failure_code, case.score) == ("invalid", "environment_failed", None)
    assert "null" in manifest_text(made(source, registry, BROKEN))


@pytest.mark.parametrize(
    "notes",
    [
        "",
        "plain",
        "true",
        "12:30",
        "0123",
        "a: b # c",
        "- x",
        'quoted "so"',
        "two\nlines",
        "更好 🙂",
        "\x85\u2028\t",
        "null",
        "@x",
    ],
)
def test_a_manifest_is_read_back_as_it_was_written(source: JudgedRuns, registry: Registry, notes: str) -> None:
    baseline = made(source, registry, notes=notes, created_by=notes)
    (registry.root / "baselines" / f"{SUITE}.yaml").write_text(manifest_text(baseline), encoding="utf-8")
    [read] = load_registry(registry.root).compile().baselines
    assert read == baseline


def test_a_manifest_that_no_registry_would_take_is_not_written(source: JudgedRuns, registry: Registry) -> None:
    baseline = replace(made(source, registry), suite_version=0)
    with pytest.raises(JudgePolarsError, match="would not be valid"):
        manifest_text(baseline)


def test_cases_beyond_the_suite_are_not_remembered(source: JudgedRuns, registry: Registry) -> None:
    registry.suites[SUITE].cases.remove(SURGE)
    plan = plan_promotion(source, GOOD, registry.compile())
    assert [case.case_id for case in plan.baseline.cases] == [RESTART, DEGRADATION]
    assert {row["case_id"]: row["change"] for row in plan.changes}[SURGE] == "dropped"
