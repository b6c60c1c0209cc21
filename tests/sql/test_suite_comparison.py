"""View `suite_comparison`."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.stats import binomtest, fisher_exact

from tests.sql.history_builder import History


def eval_run(history: History, eval_run_id: str, cases: dict[str, list[str]]) -> None:
    """An eval run of suite-a with the trials of each case."""
    history.add("eval_runs", {"eval_run_id": eval_run_id})
    for case_id, verdicts in cases.items():
        for number, verdict in enumerate(verdicts, start=1):
            history.trial(f"{eval_run_id}/{case_id}/{number}", verdict)


@pytest.fixture
def cases(history: History) -> History:
    """A history that knows the cases a to e, and one judgment."""
    history.add("judgments", {"judgment_id": "j1"})
    for name in "abcde":
        history.case_of_verdicts(f"{name}@1")
    return history


def baseline(history: History, eval_run_id: str = "base", **verdicts: str | dict[str, Any]) -> None:
    """An active baseline with a verdict of one trial, or columns, for each case."""
    history.add("baselines", {"eval_run_id": eval_run_id})
    for case_id, verdict in verdicts.items():
        columns = verdict if isinstance(verdict, dict) else {"verdict": verdict}
        history.add("baseline_cases", {"case_id": case_id, "eval_run_id": eval_run_id, **columns})


def test_transitions_against_the_baseline(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["fail"], "b": ["pass"], "c": ["invalid"], "d": ["pass"]})
    baseline(cases, a="pass", b="fail", c="pass", d="pass", e="pass")
    columns = "eval_run_id, compared_with, other_eval_run_id, shared_cases, pass_to_fail, fail_to_pass, p_value"
    assert cases.rows(f"select {columns} from suite_comparison") == [("r1", "baseline", "base", 4, 1, 1, 1.0)]


def test_transitions_between_eval_runs_both_ways(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["pass"], "b": ["pass"], "c": ["pass"], "d": ["fail"]})
    eval_run(cases, "r2", {"a": ["fail"], "b": ["fail"], "c": ["fail"], "e": ["fail"]})
    columns = "eval_run_id, compared_with, other_eval_run_id, shared_cases, pass_to_fail, fail_to_pass, p_value"
    p_value = pytest.approx(binomtest(0, 3).pvalue)
    assert cases.rows(f"select {columns} from suite_comparison order by all") == [
        ("r1", "eval_run", "r2", 3, 0, 3, p_value),
        ("r2", "eval_run", "r1", 3, 3, 0, p_value),
    ]


def test_a_case_counts_once_whatever_its_trials(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["fail", "fail", "pass"]})
    eval_run(cases, "r2", {"a": ["pass"]})
    columns = "shared_cases, pass_to_fail, comparable, other_comparable"
    assert cases.rows(f"select {columns} from suite_comparison where eval_run_id = 'r1'") == [(1, 1, 3, 1)]


def test_eval_runs_without_a_common_case_are_no_pair(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["pass"]})
    eval_run(cases, "r2", {"b": ["pass"]})
    assert cases.rows("from suite_comparison") == []


def test_a_baseline_without_a_common_case_is_still_compared(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["pass"]})
    baseline(cases, b="pass")
    columns = "compared_with, shared_cases, pass_to_fail, fail_to_pass, p_value"
    assert cases.rows(f"select {columns} from suite_comparison") == [("baseline", 0, 0, 0, 1.0)]


@pytest.mark.parametrize(
    "columns",
    [
        pytest.param({"active": False}, id="inactive"),
        pytest.param({"suite_id": "suite-b"}, id="of another suite"),
    ],
)
def test_other_baselines_are_not_compared(cases: History, columns: dict[str, Any]) -> None:
    eval_run(cases, "r1", {"a": ["fail"]})
    baseline(cases, a="pass")
    cases.add("baselines", {"eval_run_id": "other", **columns})
    suite = {"suite_id": columns.get("suite_id", "suite-a")}
    cases.add("baseline_cases", {"case_id": "a", "eval_run_id": "other", **suite})
    assert cases.rows("select other_eval_run_id, shared_cases, pass_to_fail from suite_comparison") == [("base", 1, 1)]


def test_runs_that_were_lost_are_a_result(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["invalid"] * 4 + ["pass"]})
    eval_run(cases, "r2", {"a": ["pass"] * 5})
    columns = "comparable, invalid, other_comparable, other_invalid, invalid_p_value"
    assert cases.rows(f"select {columns} from suite_comparison order by eval_run_id") == [
        (1, 4, 5, 0, pytest.approx(fisher_exact([[1, 4], [5, 0]], "less")[1])),
        (5, 0, 1, 4, pytest.approx(1.0)),
    ]


@pytest.mark.parametrize(
    ("remembered", "expected"),
    [
        pytest.param({"a": "pass", "b": "invalid"}, (2, 1, 1, 0.5), id="single trials tell it"),
        pytest.param({"a": {"trials": 3, "passed_trials": 3}}, (3, 3, 0, 0.0), id="all trials passed"),
        pytest.param({"a": {"trials": 3, "passed_trials": 2}}, (3, None, None, None), id="not passed may be invalid"),
    ],
)
def test_a_baseline_that_is_not_in_the_record_tells_what_it_knows(
    cases: History, remembered: dict[str, Any], expected: tuple[object, ...]
) -> None:
    eval_run(cases, "r1", {"a": ["pass"]})
    baseline(cases, **remembered)
    columns = "other_found, other_comparable, other_invalid, other_invalid_rate"
    assert cases.rows(f"select {columns} from suite_comparison") == [expected]


def test_a_baseline_in_the_record_is_counted_there(cases: History) -> None:
    eval_run(cases, "r1", {"a": ["pass"]})
    eval_run(cases, "base", {"a": ["pass", "fail", "invalid"]})
    baseline(cases, a={"trials": 3, "passed_trials": 1, "verdict": "fail"})
    columns = "compared_with, fail_to_pass, other_found, other_comparable, other_invalid"
    rows = cases.rows(f"select {columns} from suite_comparison where eval_run_id = 'r1' order by all")
    assert rows == [("baseline", 1, 3, 2, 1), ("eval_run", 1, 3, 2, 1)]


def test_every_column(cases: History) -> None:
    cases.add("suites", {"suite_id": "suite-a", "suite_digest": "s", "trials": 2})
    cases.add("suite_cases", *({"suite_digest": "s", "suite_id": "suite-a", "case_id": case_id} for case_id in "ab"))
    eval_run(cases, "r1", {"a": ["invalid"], "b": ["fail"]})
    baseline(cases, a="pass", b="pass")
    half = {"invalid_rate": 0.5, "invalid_rate_low": 0.0945312057, "invalid_rate_high": 0.9054687943}
    none = {"invalid_rate": 0.0, "invalid_rate_low": 0.0, "invalid_rate_high": 0.6576197724}
    expected = pl.DataFrame(
        [
            {
                "eval_run_id": "r1",
                "compared_with": "baseline",
                "other_eval_run_id": "base",
                "shared_cases": 2,
                "pass_to_fail": 1,
                "fail_to_pass": 0,
                "p_value": 1.0,
                "planned": 4,
                "found": 2,
                "comparable": 1,
                "invalid": 1,
                **half,
                "other_planned": None,
                "other_found": 2,
                "other_comparable": 2,
                "other_invalid": 0,
                **{f"other_{name}": value for name, value in none.items()},
                "invalid_p_value": 0.5,
            }
        ],
        schema_overrides={"other_planned": pl.Int64},
    )
    assert_frame_equal(cases.frame("from suite_comparison"), expected, abs_tol=1e-9)
