"""View `flaky_cases`."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.sql.history_builder import History
from tests.sql.trend_history import eval_run, interval, started, suite_of

AGENT: dict[str, Any] = {"agent_name": "demo", "agent_version": "1", "agent_model": "m"}


def test_every_column(history: History) -> None:
    """In time: pass fail | pass | pass pass fail: three flips among five neighbours."""
    suite_of(history, "a")
    eval_run(history, 3, {"a": ["pass", "pass", "invalid", "fail"]}, **AGENT)
    eval_run(history, 1, {"a": ["pass", "diagnosis"]}, **AGENT)
    eval_run(history, 2, {"a": ["pass"]}, **AGENT)
    eval_run(history, 4, {"a": ["invalid"]}, **AGENT)
    low, high = interval(4, 6)
    expected = pl.DataFrame(
        [
            {
                "case_id": "a",
                "case_digest": "a@1",
                **AGENT,
                "comparable": 6,
                "passed": 4,
                "failed": 2,
                "pass_rate": 4 / 6,
                "pass_rate_low": low,
                "pass_rate_high": high,
                "eval_runs": 3,
                "mixed_eval_runs": 2,
                "flips": 3,
                "flip_rate": 3 / 5,
            }
        ]
    )
    assert_frame_equal(history.frame("from flaky_cases"), expected, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("verdicts", "flips"),
    [
        pytest.param(["pass", "pass"], None, id="always passes"),
        pytest.param(["fail", "diagnosis"], None, id="always fails"),
        pytest.param(["pass", "invalid"], None, id="invalid is no failure"),
        pytest.param(["pass"], None, id="one trial"),
        pytest.param(["pass", "fail"], 1, id="once each"),
        pytest.param(["pass", "pass", "fail", "fail"], 1, id="turned once"),
        pytest.param(["pass", "fail", "pass", "fail"], 3, id="each time"),
        pytest.param(["pass", "invalid", "pass", "invalid", "fail"], 1, id="invalid ones are skipped"),
    ],
)
@pytest.mark.parametrize("eval_runs", ["one", "each"])
def test_flips(history: History, verdicts: list[str], flips: int | None, eval_runs: str) -> None:
    """Trials of one eval run and eval runs of one trial flip alike; only the former are mixed."""
    suite_of(history, "a")
    if eval_runs == "one":
        eval_run(history, 1, {"a": verdicts}, **AGENT)
    else:
        for number, verdict in enumerate(verdicts, start=1):
            eval_run(history, number, {"a": [verdict]}, **AGENT)
    expected = [] if flips is None else [(flips, 1 if eval_runs == "one" else 0)]
    assert history.rows("select flips, mixed_eval_runs from flaky_cases") == expected


def test_trials_stand_in_the_order_of_their_numbers(history: History) -> None:
    suite_of(history, "a")
    history.add("eval_runs", {"eval_run_id": "r1", "started_at": started(1)})
    for trial in (10, 2, 9, 1):
        history.trial(f"r1/a/{trial}", "pass" if trial > 5 else "fail", **AGENT)
    assert history.rows("select flips from flaky_cases") == [(1,)]


def test_agents_and_revisions_are_kept_apart(history: History) -> None:
    suite_of(history, "a", "b")
    eval_run(history, 1, {"a": ["pass"], "b": ["pass"]}, **AGENT)
    eval_run(history, 2, {"a": ["fail"]}, **{**AGENT, "agent_version": "2"})
    eval_run(history, 3, {"a": ["fail"]}, **{**AGENT, "agent_model": "n"})
    eval_run(history, 4, {"a": ["fail"]}, **{**AGENT, "agent_name": "other"})
    eval_run(history, 5, {"b@2": ["fail"]}, **AGENT)
    assert history.rows("from flaky_cases") == []
    eval_run(history, 6, {"a": ["fail"]}, **AGENT)
    assert history.rows("select case_id, agent_version, comparable from flaky_cases") == [("a", "1", 2)]


@pytest.mark.parametrize("column", list(AGENT))
def test_an_eval_run_of_another_agent_is_no_neighbour(history: History, column: str) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass"]}, **AGENT)
    eval_run(history, 2, {"a": ["fail"]}, **{**AGENT, column: "other"})
    eval_run(history, 3, {"a": ["fail"]}, **AGENT)
    assert history.rows("select comparable, flips from flaky_cases") == [(2, 1)]


def test_an_agent_that_is_not_known_is_an_agent(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass", "fail"]})
    assert history.rows("select agent_name, flips from flaky_cases") == [(None, 1)]
