"""View `case_quality`."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.sql.history_builder import History
from tests.sql.trend_history import eval_run, interval, started, suite_of

STATE = "select state from case_quality where case_digest = 'a@1'"


def agent(version: str) -> dict[str, Any]:
    """Columns of an agent."""
    return {"agent_name": "demo", "agent_version": version, "agent_model": "m"}


def test_every_column(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass", "pass", "invalid"]}, **agent("1"))
    eval_run(history, 2, {"a": ["fail"]}, **agent("2"))
    eval_run(history, 3, {"a": ["fail"]}, **agent("2"))
    low, high = interval(2, 4)
    tried = {
        "case_id": "a",
        "case_digest": "a@1",
        "case_version": 1,
        "status": "active",
        "case_runs": 5,
        "comparable": 4,
        "passed": 2,
        "agents": 2,
        "pass_rate": 2 / 4,
        "pass_rate_low": low,
        "pass_rate_high": high,
        "state": "discriminating",
        "eval_runs": 3,
        "eval_runs_since_told_apart": 0,
    }
    nothing = dict.fromkeys(("case_runs", "comparable", "passed", "agents", "eval_runs"), 0)
    unknown = dict.fromkeys(("pass_rate", "pass_rate_low", "pass_rate_high", "eval_runs_since_told_apart"))
    untried = tried | {"case_digest": "a@2", "state": "never_comparable"} | nothing | unknown
    expected = pl.DataFrame([tried, untried])
    assert_frame_equal(history.frame("from case_quality order by case_digest"), expected, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("verdicts", "state"),
    [
        pytest.param([], "never_comparable", id="no case run"),
        pytest.param(["invalid"] * 9, "never_comparable", id="only invalid ones"),
        pytest.param(["fail"] * 4, None, id="four failures tell nothing"),
        pytest.param(["fail"] * 4 + ["invalid"], None, id="an invalid one is no trial"),
        pytest.param(["fail"] * 5, "impossible", id="five failures"),
        pytest.param(["fail"] * 30, "impossible", id="thirty failures"),
        pytest.param(["pass"] * 19, None, id="nineteen passes tell nothing"),
        pytest.param(["pass"] * 20, "saturated", id="twenty passes"),
        pytest.param(["pass"] * 19 + ["fail"], "discriminating", id="one of twenty fails"),
        pytest.param(["fail", "pass"], "discriminating", id="one of two passes"),
    ],
)
def test_state(history: History, verdicts: list[str], state: str | None) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": verdicts}, **agent("1"))
    assert history.rows(STATE) == [(state,)]


@pytest.mark.parametrize(
    ("eval_runs", "since"),
    [
        pytest.param([("1", ["pass"])], None, id="one agent"),
        pytest.param([("1", ["pass"]), ("1", ["fail"])], None, id="one agent that differs from itself"),
        pytest.param([("1", ["pass"]), ("2", ["pass"])], None, id="two agents alike"),
        pytest.param([("1", ["pass"]), ("2", ["fail"])], 0, id="two agents apart"),
        pytest.param([("1", ["fail"]), ("2", ["pass"]), ("2", ["pass"]), ("2", ["pass"])], 0, id="and still apart"),
        pytest.param([("1", ["fail"]), ("2", ["pass"]), ("1", ["pass"]), ("2", ["pass"])], 2, id="alike since"),
        pytest.param(
            [("1", ["fail"]), ("1", ["pass"]), ("2", ["pass"])], None, id="the agent's latest eval run counts"
        ),
        pytest.param([("1", ["pass", "fail"]), ("2", ["fail"])], None, id="half is no pass"),
        pytest.param([("1", ["pass", "pass", "fail"]), ("2", ["fail"])], 0, id="more than half is one"),
        pytest.param([("1", ["pass"]), ("2", ["invalid"]), ("1", ["pass"])], None, id="invalid tells nothing"),
        pytest.param([("1", ["pass"]), ("2", ["fail"]), ("3", ["invalid"])], 0, id="nor counts as an eval run"),
    ],
)
def test_eval_runs_since_it_told_two_agents_apart(
    history: History, eval_runs: list[tuple[str, list[str]]], since: int | None
) -> None:
    suite_of(history, "a")
    for number, (version, verdicts) in enumerate(eval_runs, start=1):
        eval_run(history, number, {"a": verdicts}, **agent(version))
    assert history.rows("select eval_runs_since_told_apart from case_quality where case_digest = 'a@1'") == [(since,)]


@pytest.mark.parametrize("part", ["agent_name", "agent_version", "agent_model"])
def test_an_agent_is_a_name_a_version_and_a_model(history: History, part: str) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass"]}, **agent("1"))
    eval_run(history, 2, {"a": ["fail"]}, **{**agent("1"), part: "other"})
    rows = history.rows("select agents, eval_runs_since_told_apart from case_quality where case_digest = 'a@1'")
    assert rows == [(2, 0)]


def test_two_agents_in_one_eval_run(history: History) -> None:
    suite_of(history, "a")
    history.add("eval_runs", {"eval_run_id": "r1", "started_at": started(1)})
    history.trial("r1/a/1", "pass", **agent("1"))
    history.trial("r1/a/2", "fail", **agent("2"))
    columns = "agents, eval_runs, eval_runs_since_told_apart"
    assert history.rows(f"select {columns} from case_quality where case_digest = 'a@1'") == [(2, 1, 0)]


def test_a_revision_is_a_case_of_its_own(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass"]}, **agent("1"))
    eval_run(history, 2, {"a@2": ["fail"]}, **agent("2"))
    columns = "case_digest, comparable, eval_runs_since_told_apart"
    assert history.rows(f"select {columns} from case_quality order by all") == [("a@1", 1, None), ("a@2", 1, None)]
