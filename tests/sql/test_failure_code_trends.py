"""View `failure_code_trends`."""

from __future__ import annotations

import polars as pl
from polars.testing import assert_frame_equal

from tests.sql.history_builder import History
from tests.sql.trend_history import eval_run, interval, started, suite_of

MISSING = "critical_evidence_missing"


def test_every_column(history: History) -> None:
    suite_of(history, "a", trials=6)
    agent = {"agent_name": "demo", "agent_version": "1", "agent_model": "m"}
    eval_run(history, 1, {"a": ["pass", "fail"]})
    eval_run(history, 2, {"a": ["pass", "fail", "fail", "diagnosis", "invalid"]}, agent)
    history.trial("r2/a/6", "invalid", cause="case")
    low, high = interval(2, 4)
    invalid_low, invalid_high = interval(2, 6)
    expected = pl.DataFrame(
        [
            {
                "suite_id": "suite-a",
                "eval_run_id": "r2",
                "code": MISSING,
                "verdict": "fail",
                "place": 2,
                "started_at": started(2),
                "suite_version": 1,
                **agent,
                "planned": 6,
                "found": 6,
                "comparable": 4,
                "passed": 1,
                "failed": 3,
                "invalid": 2,
                "invalid_by_agent": 1,
                "invalid_by_environment": 0,
                "invalid_by_provider": 0,
                "invalid_by_harness": 0,
                "invalid_by_case": 1,
                "invalid_by_unknown": 0,
                "case_runs": 2,
                "rate": 2 / 4,
                "rate_low": low,
                "rate_high": high,
                "rate_if_invalid_without": 2 / 6,
                "rate_if_invalid_with": 4 / 6,
                "invalid_rate": 2 / 6,
                "invalid_rate_low": invalid_low,
                "invalid_rate_high": invalid_high,
                "mean_score": 10.0,
                "segment": 1,
                "matched_pairs": 1,
                "matched_rate": 2 / 4,
                "previous_matched_rate": 1 / 2,
                "mixed_semantics": False,
            }
        ],
        schema_overrides={"started_at": pl.Datetime("us", "UTC")},
    )
    found = history.frame(f"from failure_code_trends where place = 2 and code = '{MISSING}'")
    assert_frame_equal(found, expected, abs_tol=1e-9)


def test_an_invalid_code_is_rated_over_all_that_is_judged(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass", "invalid", "invalid", "fail"]})
    columns = "verdict, case_runs, rate, rate_if_invalid_without, rate_if_invalid_with, mean_score"
    assert history.rows(f"select {columns} from failure_code_trends where code = 'contract_failed'") == [
        ("invalid", 2, 0.5, 0.5, 0.5, None)
    ]


def test_codes_that_came_up_in_the_suite_show_in_each_of_its_eval_runs(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass"]})
    eval_run(history, 2, {"a": ["fail"]})
    eval_run(history, 3, {"a": ["invalid"]})
    eval_run(history, 4, {"a": ["diagnosis"]}, {"suite_id": "suite-b"})
    history.add("eval_runs", {"eval_run_id": "r5", "started_at": started(5)})
    columns = "suite_id, code, eval_run_id, case_runs, rate"
    assert history.rows(f"select {columns} from failure_code_trends order by all") == [
        ("suite-a", "contract_failed", "r1", 0, 0.0),
        ("suite-a", "contract_failed", "r2", 0, 0.0),
        ("suite-a", "contract_failed", "r3", 1, 1.0),
        ("suite-a", "contract_failed", "r5", 0, None),
        ("suite-a", MISSING, "r1", 0, 0.0),
        ("suite-a", MISSING, "r2", 1, 1.0),
        ("suite-a", MISSING, "r3", 0, None),
        ("suite-a", MISSING, "r5", 0, None),
        ("suite-b", "diagnosis_critical_gate_failed", "r4", 1, 1.0),
    ]


def test_matched_rate(history: History) -> None:
    """Pairs of case and digest: of a fail both comparable, of an invalid both judged."""
    suite_of(history, "a", "b", "c")
    eval_run(history, 1, {"a": ["fail", "pass"], "b": ["invalid"], "c": ["fail"]})
    eval_run(history, 2, {"a": ["pass"], "b": ["fail"], "c@2": ["fail"]})
    columns = "code, matched_pairs, matched_rate, previous_matched_rate, segment"
    assert history.rows(f"select {columns} from failure_code_trends where place = 2 order by code") == [
        ("contract_failed", 2, 0.0, 1 / 3, 2),
        (MISSING, 1, 0.0, 1 / 2, 2),
    ]
    assert history.rows("select distinct matched_pairs, matched_rate from failure_code_trends where place = 1") == [
        (0, None)
    ]


def test_a_history_of_passes_has_no_code(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass"]})
    assert history.rows("from failure_code_trends") == []
