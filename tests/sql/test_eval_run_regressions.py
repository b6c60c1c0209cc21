"""Macro `eval_run_regressions`."""

from __future__ import annotations

from typing import Any

import pytest
from scipy.stats import false_discovery_control, fisher_exact

from tests.sql.history_builder import History


@pytest.fixture
def cases(history: History) -> History:
    """A history that knows the cases a to f, and one judgment."""
    history.add("judgments", {"judgment_id": "j1"})
    for name in "abcdef":
        history.case_of_verdicts(f"{name}@1")
    return history


def eval_run(history: History, eval_run_id: str, cases: dict[str, list[str]], **columns: Any) -> None:
    """An eval run of suite-a with the trials of each case."""
    history.add("eval_runs", {"eval_run_id": eval_run_id})
    for case_id, verdicts in cases.items():
        for number, verdict in enumerate(verdicts, start=1):
            history.trial(f"{eval_run_id}/{case_id}/{number}", verdict, **columns)


def rows(history: History, columns: str) -> list[tuple[Any, ...]]:
    """Columns of r2 against r1, by case."""
    return history.rows(f"select case_id, {columns} from eval_run_regressions('r2', 'r1') order by case_id")


def test_the_first_change_that_fits(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["pass"], "b": ["fail"], "c": ["fail"], "d": ["pass"], "e": ["invalid"]})
    eval_run(cases, "r2", {"a": ["fail"], "b": ["pass"], "c": ["invalid"], "e": ["invalid"], "f": ["pass"]})
    assert rows(cases, "change, verdict, other_verdict") == [
        ("a", "regressed", "fail", "pass"),
        ("b", "improved", "pass", "fail"),
        ("c", "regressed", "invalid", "fail"),
        ("d", "missing", None, "pass"),
        ("e", "unchanged", "invalid", "invalid"),
        ("f", "new_case", "pass", None),
    ]


def test_a_case_run_that_is_not_judged_is_not_missing(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["pass"], "b": ["pass"]})
    eval_run(cases, "r2", {"a": ["pass"]})
    cases.add("case_runs", {"case_run_id": "r2/b/1", "eval_run_id": "r2", "case_id": "b"})
    assert rows(cases, "change") == [("a", "unchanged")]


def test_evidence_p_and_q_values(cases: History) -> None:
    before = {"a": ["pass"] * 4, "b": ["pass"] * 4, "c": ["pass"] * 2, "d": ["pass"], "e": ["pass"] * 3}
    now = {"a": ["fail"] * 4, "b": ["pass"] * 3 + ["fail"], "c": ["fail"] * 2, "d": ["fail"] * 3, "e": ["fail"]}
    eval_run(cases, "r1", before)
    eval_run(cases, "r2", now)
    p_values = [
        fisher_exact([[0, 4], [4, 0]], "less").pvalue,
        fisher_exact([[3, 1], [4, 0]], "less").pvalue,
        fisher_exact([[0, 2], [2, 0]], "less").pvalue,
    ]
    q_values = false_discovery_control(p_values)
    found = rows(cases, "evidence, p_value, q_value")
    assert [row[:2] for row in found] == [
        ("a", "significant"),
        ("b", "within_noise"),
        ("c", "underpowered"),
        ("d", "single_trial"),
        ("e", "single_trial"),
    ]
    assert [row[2] for row in found[:3]] == pytest.approx(p_values)
    assert [row[3] for row in found[:3]] == pytest.approx(list(q_values))
    assert [row[2:] for row in found[3:]] == [(None, None)] * 2


def test_of_several_worse_buckets_the_first_in_precedence(history: History) -> None:
    history.case(
        "a@1",
        {"bucket": "execution_contract", "check_id": "needed"},
        {"bucket": "workflow", "check_id": "started"},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
    )
    history.add("judgments", {"judgment_id": "j1"})
    history.add("eval_runs", {"eval_run_id": "r1"}, {"eval_run_id": "r2"})
    history.judged("r1/a/1", case_digest="a@1", failed=["diagnosis.hard.named"])
    history.judged("r2/a/1", case_digest="a@1", failed=["execution_contract.needed", "workflow.started"])
    assert rows(history, "first_worse_bucket") == [("a", "execution_contract")]


def test_stability_of_both_sides(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["pass", "fail"], "b": ["invalid"], "c": ["pass", "invalid"]})
    eval_run(cases, "r2", {"a": ["pass", "pass"], "b": ["fail"], "c": ["invalid", "invalid"]})
    assert rows(cases, "stability, other_stability") == [
        ("a", "always_pass", "mixed"),
        ("b", "always_fail", "not_comparable"),
        ("c", "not_comparable", "always_pass"),
    ]


def test_another_case_version_is_incomparable(cases: History) -> None:
    cases.case_of_verdicts("a@2")
    eval_run(cases, "r1", {"a": ["pass"], "b": ["pass"]})
    eval_run(cases, "r2", {"b": ["pass"]})
    cases.trial("r2/a/1", "fail", case_digest="a@2", case_version=2)
    assert rows(cases, "change, rubric_changed") == [("a", "incomparable", True), ("b", "unchanged", False)]


def test_against_itself_nothing_changes(cases: History) -> None:
    eval_run(cases, "r2", {"a": ["pass"], "b": ["fail"]})
    found = cases.rows("select case_id, change from eval_run_regressions('r2', 'nothing') order by case_id")
    assert found == [("a", "new_case"), ("b", "new_case")]


def test_agrees_with_the_baseline_view_where_the_baseline_is_the_other_eval_run(cases: History) -> None:
    """The snapshot of an eval run says the same as the eval run."""
    eval_run(cases, "r1", {"a": ["pass"] * 3, "b": ["fail"] * 3, "c": ["pass", "fail", "fail"]})
    eval_run(cases, "r2", {"a": ["fail"] * 3, "b": ["pass"] * 3, "c": ["pass"] * 3})
    cases.add("baselines", {"eval_run_id": "r1"})
    for row in cases.rows(
        "select case_id, verdict, primary_failure_code, mean_score, max_score, trials, passed,"
        " to_json(struct_pack(contract, workflow, execution_contract, evidence_collection, critical_evidence,"
        " evidence_routing, diagnosis)) from latest_case_verdicts where eval_run_id = 'r1'"
    ):
        names = (
            "case_id",
            "verdict",
            "primary_failure_code",
            "score",
            "max_score",
            "trials",
            "passed_trials",
            "buckets",
        )
        cases.add(
            "baseline_cases", {"eval_run_id": "r1", **dict(zip(names, row, strict=True)), "case_digest": f"{row[0]}@1"}
        )
    shared = "case_id, change, first_worse_bucket, p_value, q_value, evidence, stability, score_change, rubric_changed"
    of_view = cases.rows(f"select {shared} from baseline_regressions where eval_run_id = 'r2' order by case_id")
    assert cases.rows(f"select {shared} from eval_run_regressions('r2', 'r1') order by case_id") == of_view
