"""A registry whose baseline is another one than the source knows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judge_polars.baselines import difference_from_baseline, plan_promotion
from judge_polars.baselines.overlay import active_baseline, beside_baseline
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.registry import Registry
from tests.baselines.conftest import DEGRADATION, FIRST, GOOD, HALF, RESTART, SUITE, SURGE


@pytest.fixture
def ahead(source: JudgedRuns, registry: Registry) -> Registry:
    """A registry into which a night was promoted that the source does not know as a baseline."""
    from judge_polars.baselines.promotion import manifest_path
    from judge_polars.baselines.snapshot import manifest_text
    from judge_polars.registry import load_registry

    baseline = plan_promotion(source, GOOD, registry.compile()).baseline
    manifest_path(registry.root, SUITE).write_text(manifest_text(baseline))
    return load_registry(registry.root)


def test_a_source_with_the_same_baseline_is_taken_as_it_is(source: JudgedRuns, registry: Registry) -> None:
    book = registry.compile()
    assert beside_baseline(source, book.baselines[0], book, HALF) is source
    assert (active_baseline(source, SUITE) or {})["eval_run_id"] == FIRST
    assert active_baseline(source, "another") is None


def test_the_registrys_baseline_counts(source: JudgedRuns, ahead: Registry) -> None:
    book = ahead.compile()
    rows = beside_baseline(source, book.baselines[0], book, HALF)
    difference = difference_from_baseline(rows, HALF)
    assert difference.other_eval_run_id == GOOD
    assert {row["case_id"]: (row["change"], row["other_passed"]) for row in difference.cases} == {
        RESTART: ("regressed", 3),
        DEGRADATION: ("missing", 2),
        SURGE: ("regressed", 3),
    }
    assert difference.suite is not None
    assert (difference.suite["other_planned"], difference.suite["other_comparable"]) == (9, 9)
    plan = plan_promotion(source, FIRST, book)
    assert plan.before == book.baselines[0]
    assert {row["case_id"]: row["change"] for row in plan.changes}[DEGRADATION] == "regressed"


def test_a_copy_says_the_same_as_the_source(source: JudgedRuns, demo: Judgment, registry: Registry) -> None:
    """With the baseline taken out of the source, the copy that has it from the registry differs in nothing."""
    book = registry.compile()
    bare = JudgedRuns(replace(demo, frames={**demo.frames, "baselines": demo.frames["baselines"].clear()}))
    copy = beside_baseline(bare, book.baselines[0], book, HALF)
    assert copy is not bare
    assert difference_from_baseline(copy, HALF) == difference_from_baseline(source, HALF)
