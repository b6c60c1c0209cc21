"""View `suite_trends`."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.sql.history_builder import History
from tests.sql.trend_history import eval_run, interval, started, suite_of


def test_every_column(history: History) -> None:
    suite_of(history, "a", "b", trials=3)
    agent = {"agent_name": "demo", "agent_version": "1", "agent_model": "m"}
    eval_run(history, 1, {"a": ["pass"]})
    eval_run(history, 2, {"a": ["pass", "fail", "invalid"], "b": ["diagnosis"]}, agent)
    history.trial("r2/b/2", "invalid", cause="harness")
    history.trial("r2/b/3", "invalid", cause=None)
    low, high = interval(1, 3)
    invalid_low, invalid_high = interval(3, 6)
    expected = pl.DataFrame(
        [
            {
                "suite_id": "suite-a",
                "eval_run_id": "r2",
                "place": 2,
                "started_at": started(2),
                "suite_version": 1,
                **agent,
                "planned": 6,
                "found": 6,
                "comparable": 3,
                "passed": 1,
                "failed": 2,
                "invalid": 3,
                "invalid_by_agent": 1,
                "invalid_by_environment": 0,
                "invalid_by_provider": 0,
                "invalid_by_harness": 1,
                "invalid_by_case": 0,
                "invalid_by_unknown": 1,
                "pass_rate": 1 / 3,
                "pass_rate_low": low,
                "pass_rate_high": high,
                "pass_rate_if_invalid_failed": 1 / 6,
                "pass_rate_if_invalid_passed": 4 / 6,
                "invalid_rate": 3 / 6,
                "invalid_rate_low": invalid_low,
                "invalid_rate_high": invalid_high,
                "mean_score": 40 / 3,
                "segment": 1,
                "matched_pairs": 1,
                "matched_pass_rate": 1 / 2,
                "previous_matched_pass_rate": 1.0,
                "mixed_semantics": False,
            }
        ],
        schema_overrides={"started_at": pl.Datetime("us", "UTC")},
    )
    assert_frame_equal(history.frame("from suite_trends where place = 2"), expected, abs_tol=1e-9)


def test_an_eval_run_that_is_not_judged_is_a_gap_that_shows(history: History) -> None:
    suite_of(history, "a")
    history.add("eval_runs", {"eval_run_id": "r1", "started_at": started(1)})
    columns = (
        "planned, found, comparable, invalid, invalid_by_agent, pass_rate, pass_rate_if_invalid_failed, invalid_rate"
    )
    assert history.rows(f"select {columns}, mean_score, segment, matched_pairs from suite_trends") == [
        (1, 0, 0, 0, 0, None, None, None, None, 1, 0)
    ]


def test_without_a_comparable_case_run_only_the_bounds_are_known(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["invalid", "invalid"]})
    columns = (
        "pass_rate, pass_rate_low, pass_rate_if_invalid_failed, pass_rate_if_invalid_passed, invalid_rate, mean_score"
    )
    assert history.rows(f"select {columns} from suite_trends") == [(None, None, 0.0, 1.0, 1.0, None)]


@pytest.mark.parametrize(
    ("before", "now", "matched"),
    [
        pytest.param({"a": ["pass"]}, {"a": ["fail"]}, (1, 0.0, 1.0), id="a case of both"),
        pytest.param(
            {"a": ["pass"], "b": ["fail"]},
            {"a": ["pass", "fail"], "c": ["fail"]},
            (1, 0.5, 1.0),
            id="cases of one alone do not count",
        ),
        pytest.param({"a": ["pass"]}, {"a@2": ["pass"]}, (0, None, None), id="another revision is another case"),
        pytest.param({"a": ["invalid"]}, {"a": ["pass"]}, (0, None, None), id="not comparable before"),
        pytest.param({"a": ["pass"]}, {"a": ["invalid"]}, (0, None, None), id="not comparable now"),
        pytest.param(
            {"a": ["pass"], "b": ["pass", "pass", "fail"]},
            {"a": ["fail", "invalid"], "b": ["pass"]},
            (2, 1 / 2, 3 / 4),
            id="trials count, not cases",
        ),
    ],
)
def test_matched_pass_rate(
    history: History, before: dict[str, list[str]], now: dict[str, list[str]], matched: tuple[object, ...]
) -> None:
    suite_of(history, "a", "b", "c")
    eval_run(history, 1, before)
    eval_run(history, 2, now)
    columns = "matched_pairs, matched_pass_rate, previous_matched_pass_rate"
    rows = history.rows(f"select {columns} from suite_trends order by place")
    assert rows == [(0, None, None), matched]


def test_the_previous_eval_run_is_one_of_the_same_suite(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass"]})
    eval_run(history, 2, {"a": ["fail"]}, {"suite_id": "suite-b"})
    eval_run(history, 3, {"a": ["fail"]})
    rows = history.rows("select suite_id, place, previous_matched_pass_rate from suite_trends order by all")
    assert rows == [("suite-a", 1, None), ("suite-a", 2, 1.0), ("suite-b", 1, None)]


def test_segment_and_mixed_semantics(history: History) -> None:
    suite_of(history, "a", "b")
    eval_run(history, 1, {"a": ["pass"], "b": ["pass"]})
    eval_run(history, 2, {"a": ["pass"], "b@2": ["pass"]})
    eval_run(history, 3, {"a": ["pass"]})
    history.trial("r3/a/2", "pass", case_digest="a@2")
    assert history.rows("select segment, mixed_semantics from suite_trends order by place") == [
        (1, False),
        (2, False),
        (3, True),
    ]
