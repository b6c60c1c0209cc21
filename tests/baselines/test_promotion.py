"""Promotion: what speaks against it, all at once, and what it writes."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from judge_polars.baselines import plan_promotion, promote, promotion
from judge_polars.errors import InputError, MissingPieceError, UsageError
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.registry import Registry, load_registry
from tests.baselines.conftest import BROKEN, DEGRADATION, FIRST, GOOD, HALF, RESTART, SUITE, SURGE, WEAKER


def codes(source: JudgedRuns, registry: Registry, eval_run_id: str, *, allow_lower: bool = False) -> list[str]:
    """The codes of what speaks against a promotion, with the case where one is named."""
    plan = plan_promotion(source, eval_run_id, registry.compile(), allow_lower=allow_lower)
    named = {RESTART: "restart", DEGRADATION: "degradation", SURGE: "surge"}
    told = []
    for one in plan.refusals:
        cases = [short for case, short in named.items() if case in one.message]
        told.append(" ".join([one.code, *cases]))
    return told


def without_baseline(registry: Registry) -> Registry:
    """The registry before its first promotion."""
    registry.baselines.clear()
    return registry


def test_nothing_speaks_against_a_whole_good_run(source: JudgedRuns, registry: Registry) -> None:
    assert codes(source, registry, GOOD) == []
    assert codes(source, without_baseline(registry), GOOD) == []


def test_missing_and_incomplete_cases_and_lowered_ones_are_told_together(
    source: JudgedRuns, registry: Registry
) -> None:
    assert codes(source, registry, HALF) == [
        "case_missing degradation",
        "case_incomplete surge",
        "case_lowered restart",
        "case_lowered surge",
    ]
    assert codes(source, registry, HALF, allow_lower=True) == ["case_missing degradation", "case_incomplete surge"]


def test_a_case_run_that_did_not_come_to_its_end(source: JudgedRuns, registry: Registry) -> None:
    found = plan_promotion(source, BROKEN, without_baseline(registry).compile()).refusals
    assert [one.code for one in found] == ["case_run_unfinished"]
    assert f"{DEGRADATION}/1 (spawn_failed)" in found[0].message


def test_a_case_may_be_lowered_on_three_comparable_trials(source: JudgedRuns, registry: Registry) -> None:
    plan = plan_promotion(source, WEAKER, registry.compile())
    lowered = [row for row in plan.changes if row["change"] in ("regressed", "score_dropped")]
    assert [row["case_id"] for row in lowered] == [RESTART]
    assert [row["comparable"] for row in lowered] == [3]
    assert plan.refusals == ()


@pytest.mark.parametrize(
    ("member", "value", "code"),
    [
        ("status", "inactive", "suite_inactive"),
        ("baseline_eligible", False, "suite_not_eligible"),
        ("version", 2, "suite_version"),
    ],
)
def test_a_suite_that_has_no_baselines(
    source: JudgedRuns, registry: Registry, member: str, value: object, code: str
) -> None:
    setattr(registry.suites[SUITE], member, value)
    assert codes(source, registry, GOOD) == [code]


def test_reasons_of_every_kind_come_at_once(source: JudgedRuns, registry: Registry) -> None:
    suite = registry.suites[SUITE]
    suite.status, suite.baseline_eligible, suite.version = "inactive", False, 2
    suite.execution_policy.trials = 4
    found = codes(source, registry, HALF)
    assert found[:3] == ["suite_inactive", "suite_not_eligible", "suite_version"]
    assert found.count("case_incomplete restart") == found.count("case_incomplete surge") == 1
    with pytest.raises(InputError) as refused:
        promote(source, plan_promotion(source, HALF, registry.compile()), registry.root, registry.compile())
    lines = str(refused.value).splitlines()
    assert lines[0] == f"{HALF} is not promoted:"
    assert len(lines) == 1 + len(found) + 1
    assert lines[-1].endswith("[would_overwrite]")


def test_trials_of_several_versions_of_a_case(demo: Judgment, registry: Registry) -> None:
    import polars as pl

    older = pl.col("case_run_id") == f"{GOOD}/{RESTART}/1"
    runs = demo.frames["case_runs"].with_columns(
        recorded_case_version=pl.when(older).then(1).otherwise("recorded_case_version")
    )
    changed = JudgedRuns(Judgment({**demo.frames, "case_runs": runs}))
    assert codes(changed, without_baseline(registry), GOOD) == ["case_versions restart"]


def test_an_eval_run_of_no_suite_or_an_unknown_one(demo: Judgment, registry: Registry) -> None:
    import polars as pl

    nobody = demo.frames["eval_runs"].with_columns(suite_id=pl.lit(None, pl.String))
    with pytest.raises(InputError, match="does not say which suite it ran"):
        plan_promotion(JudgedRuns(Judgment({**demo.frames, "eval_runs": nobody})), GOOD, registry.compile())
    others = demo.frames["eval_runs"].with_columns(suite_id=pl.lit("another"))
    with pytest.raises(InputError, match="ran the suite another, which the registry lacks"):
        plan_promotion(JudgedRuns(Judgment({**demo.frames, "eval_runs": others})), GOOD, registry.compile())
    with pytest.raises(UsageError, match="no eval run"):
        plan_promotion(JudgedRuns(demo), "2025-03-09-nightly", registry.compile())


def test_cases_judged_by_another_rubric_are_named(source: JudgedRuns, registry: Registry) -> None:
    assert plan_promotion(source, GOOD, registry.compile()).other_rubric == ()
    registry.cases[SURGE].case.version = 7
    assert plan_promotion(source, GOOD, registry.compile()).other_rubric == (SURGE,)


def test_what_is_there_is_replaced_only_by_force(source: JudgedRuns, registry: Registry) -> None:
    book = registry.compile()
    manifest = promotion.manifest_path(registry.root, SUITE)
    before = manifest.read_bytes()
    at = datetime(2025, 3, 5, 6, tzinfo=UTC)
    plan = plan_promotion(source, GOOD, book, promoted_at=at, created_by="me", notes="why")
    with pytest.raises(InputError, match=r"manifest .* is there already; --force replaces it \[would_overwrite\]"):
        promote(source, plan, registry.root, book, own_patterns=True)
    assert manifest.read_bytes() == before
    assert not promotion.export_path(registry.root, GOOD).exists()

    done = promote(source, plan, registry.root, book, force=True, own_patterns=True)
    [read] = load_registry(registry.root).compile().baselines
    assert read == plan.baseline
    assert (read.promoted_at, read.created_by, read.notes) == (at, "me", "why")
    assert done.directory == promotion.export_path(registry.root, GOOD)
    assert (done.directory / "eval_run.json").is_file()
    manifest.unlink()
    with pytest.raises(InputError, match=r"export .* is there already"):
        promote(source, plan, registry.root, book, own_patterns=True)
    assert sorted(path.name for path in done.directory.parent.iterdir()) == [GOOD]


def test_without_the_scanner_it_must_be_allowed(
    source: JudgedRuns, registry: Registry, monkeypatch: pytest.MonkeyPatch
) -> None:
    from judge_polars.masking import scanner

    monkeypatch.setattr(scanner, "find_spec", lambda _: None)
    book = registry.compile()
    plan = plan_promotion(source, GOOD, book)
    with pytest.raises(MissingPieceError, match="pip install"):
        promote(source, plan, registry.root, book, force=True)
    assert not promotion.export_path(registry.root, GOOD).exists()
    promote(source, plan, registry.root, book, force=True, own_patterns=True)


def test_changes_of_a_first_promotion_are_new_cases(source: JudgedRuns, registry: Registry) -> None:
    plan = plan_promotion(source, FIRST, without_baseline(registry).compile())
    assert {row["case_id"]: (row["change"], row["verdict"]) for row in plan.changes} == {
        RESTART: ("new_case", "pass"),
        DEGRADATION: ("new_case", "fail"),
        SURGE: ("new_case", "pass"),
    }
    assert plan.before is None
