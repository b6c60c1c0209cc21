"""View `found_case_runs`, and every count of what was found."""

import pytest

from tests.sql.history_builder import DAY_1, DAY_2, History


@pytest.fixture
def strangers(history: History) -> History:
    """Case runs of case-a, which two versions of a registry know, and of a case that none knows."""
    history.case_of_verdicts()
    history.case_of_verdicts("case-a@2")
    history.add("judgments", {"judgment_id": "j1"})
    history.add("eval_runs", {"eval_run_id": "r1", "suite_id": "suite-a"})
    history.trial("r1/case-a/1", "pass", started_at=DAY_2)
    history.stranger("r1/stranger/1", started_at=DAY_1)
    history.stranger("r2/stranger/1")
    return history


def test_a_case_run_counts_once_and_only_where_a_registry_knows_its_case(strangers: History) -> None:
    rows = strangers.rows("select case_run_id, eval_run_id, case_id, started_at from found_case_runs")
    assert rows == [("r1/case-a/1", "r1", "case-a", DAY_2)]


@pytest.mark.parametrize("view", ["eval_run_plans", "eval_run_counts", "trend_runs", "suite_trends"])
def test_eval_runs_have_found_none_of_unknown_cases(strangers: History, view: str) -> None:
    assert strangers.rows(f"select eval_run_id, found from {view}") == [("r1", 1)]


def test_an_eval_run_does_not_begin_with_a_case_run_of_an_unknown_case(strangers: History) -> None:
    assert strangers.rows("select started_at from eval_run_plans") == [(DAY_2,)]


def test_unknown_cases_have_no_trend(strangers: History) -> None:
    assert strangers.rows("select eval_run_id, case_id, found from case_trends") == [("r1", "case-a", 1)]


def test_a_case_that_no_registry_knows_any_more_is_missing(strangers: History) -> None:
    strangers.add("baselines", {"suite_id": "suite-a", "eval_run_id": "r0", "active": True})
    strangers.add("baseline_cases", {"suite_id": "suite-a", "eval_run_id": "r0", "case_id": "stranger"})
    rows = strangers.rows("select case_id, change from baseline_regressions order by case_id")
    assert rows == [("case-a", "new_case"), ("stranger", "missing")]
