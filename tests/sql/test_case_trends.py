"""View `case_trends`."""

from __future__ import annotations

import polars as pl
from polars.testing import assert_frame_equal

from tests.sql.history_builder import History
from tests.sql.trend_history import eval_run, interval, started, suite_of


def test_every_column(history: History) -> None:
    suite_of(history, "a", "b", trials=4)
    agent = {"agent_name": "demo", "agent_version": "1", "agent_model": "m"}
    eval_run(history, 1, {"a": ["pass"], "b": ["fail"]})
    eval_run(history, 2, {"a": ["pass", "fail", "invalid"], "b": ["pass"]}, agent)
    low, high = interval(1, 2)
    invalid_low, invalid_high = interval(1, 3)
    expected = pl.DataFrame(
        [
            {
                "suite_id": "suite-a",
                "eval_run_id": "r2",
                "case_id": "a",
                "case_digest": "a@1",
                "place": 2,
                "started_at": started(2),
                "suite_version": 1,
                **agent,
                "planned": 4,
                "found": 3,
                "comparable": 2,
                "passed": 1,
                "failed": 1,
                "invalid": 1,
                "invalid_by_agent": 1,
                "invalid_by_environment": 0,
                "invalid_by_provider": 0,
                "invalid_by_harness": 0,
                "invalid_by_case": 0,
                "invalid_by_unknown": 0,
                "pass_rate": 1 / 2,
                "pass_rate_low": low,
                "pass_rate_high": high,
                "pass_rate_if_invalid_failed": 1 / 3,
                "pass_rate_if_invalid_passed": 2 / 3,
                "invalid_rate": 1 / 3,
                "invalid_rate_low": invalid_low,
                "invalid_rate_high": invalid_high,
                "mean_score": 15.0,
                "segment": 1,
                "matched_pairs": 1,
                "matched_pass_rate": 1 / 2,
                "previous_matched_pass_rate": 1.0,
                "mixed_semantics": False,
            }
        ],
        schema_overrides={"started_at": pl.Datetime("us", "UTC")},
    )
    assert_frame_equal(history.frame("from case_trends where place = 2 and case_id = 'a'"), expected, abs_tol=1e-9)


def test_cases_that_were_planned_found_or_judged(history: History) -> None:
    """A case of the suite that was lost shows; one that the suite does not plan has 0 planned, of no suite null."""
    suite_of(history, "a", "b", trials=2)
    history.case_of_verdicts("c@1")
    eval_run(history, 1, {"a": ["pass"], "c": ["pass"]})
    eval_run(history, 2, {"c": ["pass"]}, {"suite_id": None})
    history.add("case_runs", {"case_run_id": "r1/d/1"})
    columns = "eval_run_id, case_id, planned, found, comparable, case_digest"
    assert history.rows(f"select {columns} from case_trends order by all") == [
        ("r1", "a", 2, 1, 1, "a@1"),
        ("r1", "b", 2, 0, 0, None),
        ("r1", "c", 0, 1, 1, "c@1"),
        ("r1", "d", 0, 1, 0, None),
        ("r2", "c", None, 1, 1, "c@1"),
    ]


def test_each_case_has_segments_of_its_own(history: History) -> None:
    suite_of(history, "a", "b")
    eval_run(history, 1, {"a": ["pass"], "b": ["pass"]})
    eval_run(history, 2, {"b": ["pass"]})
    eval_run(history, 3, {"a@2": ["pass"], "b": ["pass"]})
    eval_run(history, 4, {"a@2": ["pass"], "b": ["pass"]}, {"suite_version": 2})
    rows = history.rows("select case_id, place, segment from case_trends order by all")
    assert rows == [
        ("a", 1, 1),
        ("a", 2, 1),
        ("a", 3, 2),
        ("a", 4, 3),
        ("b", 1, 1),
        ("b", 2, 1),
        ("b", 3, 1),
        ("b", 4, 2),
    ]


def test_other_packs_start_a_segment(history: History) -> None:
    suite_of(history, "a")
    history.add("judgments", {"judgment_id": "j0", "pack_digests": "p"}, {"judgment_id": "j2", "pack_digests": "q"})
    eval_run(history, 1, {"a": ["pass"]}, judgment_id="j0", status="completed")
    eval_run(history, 2, {"a": ["pass"]}, judgment_id="j2", status="completed")
    eval_run(history, 3, {"a": ["pass"]}, judgment_id="j2", status="completed")
    assert history.rows("select place, segment from case_trends order by all") == [(1, 1), (2, 2), (3, 2)]


def test_only_comparable_runs_of_the_same_revision_are_matched(history: History) -> None:
    suite_of(history, "a", "b", "c", "d")
    eval_run(history, 1, {"a": ["pass"], "b": ["pass"], "c": ["invalid"], "d": ["pass"]})
    eval_run(history, 2, {"a@2": ["fail"], "b": ["fail"], "c": ["pass"], "d": ["invalid"]})
    columns = "case_id, matched_pairs, matched_pass_rate, previous_matched_pass_rate"
    assert history.rows(f"select {columns} from case_trends where place = 2 order by all") == [
        ("a", 0, None, None),
        ("b", 1, 0.0, 1.0),
        ("c", 0, None, None),
        ("d", 0, None, None),
    ]


def test_mixed_semantics_is_told_of_the_case_that_it_is_of(history: History) -> None:
    suite_of(history, "a", "b")
    eval_run(history, 1, {"a": ["pass"], "b": ["pass"]})
    history.trial("r1/a/2", "pass", case_digest="a@2")
    assert history.rows("select case_id, mixed_semantics from case_trends order by all") == [("a", True), ("b", False)]
