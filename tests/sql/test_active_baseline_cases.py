"""View `active_baseline_cases`."""

from __future__ import annotations

import pytest

from tests.sql.history_builder import History


@pytest.mark.parametrize(
    ("verdict", "trials", "passed", "comparable", "stability"),
    [
        ("pass", 1, 1, 1, "always_pass"),
        ("fail", 1, 0, 1, "always_fail"),
        ("invalid", 1, 0, 0, "not_comparable"),
        ("pass", 3, 3, 3, "always_pass"),
        ("pass", 3, 2, None, "mixed"),
        ("fail", 3, 0, None, "always_fail"),
        ("invalid", 3, 0, 0, "not_comparable"),
    ],
)
def test_what_the_trials_tell(
    history: History, verdict: str, trials: int, passed: int, comparable: int | None, stability: str
) -> None:
    history.add("baselines", {})
    history.add("baseline_cases", {"case_id": "case-a", "verdict": verdict, "trials": trials, "passed_trials": passed})
    columns = "verdict, trials, passed, comparable, stability"
    assert history.rows(f"select {columns} from active_baseline_cases") == [
        (verdict, trials, passed, comparable, stability)
    ]


def test_only_the_active_baseline(history: History) -> None:
    history.add("baselines", {"suite_version": 2}, {"eval_run_id": "old", "active": False})
    history.add(
        "baseline_cases",
        {"case_id": "case-a", "score": 30.0, "max_score": 40.0},
        {"case_id": "case-b", "score": 0.0, "max_score": 0.0},
        {"case_id": "case-a", "eval_run_id": "old"},
    )
    columns = (
        "suite_id, suite_version, eval_run_id, case_id, case_version, case_digest, score, max_score, score_pct, buckets"
    )
    assert history.rows(f"select {columns} from active_baseline_cases order by case_id") == [
        ("suite-a", 2, "base", "case-a", 1, "case-a@1", 30.0, 40.0, 75.0, "{}"),
        ("suite-a", 2, "base", "case-b", 1, "case-a@1", 0.0, 0.0, None, "{}"),
    ]
