"""View `bucket_trends`."""

from __future__ import annotations

from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.sql.history_builder import History
from tests.sql.trend_history import eval_run, interval, started, suite_of


def test_every_column(history: History) -> None:
    suite_of(history, "a", trials=5)
    agent = {"agent_name": "demo", "agent_version": "1", "agent_model": "m"}
    eval_run(history, 1, {"a": ["pass"]})
    eval_run(history, 2, {"a": ["pass", "partial", "fail", "invalid"]}, agent)
    history.trial("r2/a/5", "pass", cause="provider", has_output=False)
    low, high = interval(2, 4)
    invalid_low, invalid_high = interval(1, 5)
    expected = pl.DataFrame(
        [
            {
                "suite_id": "suite-a",
                "eval_run_id": "r2",
                "bucket": "critical_evidence",
                "place": 2,
                "started_at": started(2),
                "suite_version": 1,
                **agent,
                "planned": 5,
                "found": 5,
                "comparable": 4,
                "passed": 2,
                "partial": 1,
                "failed": 1,
                "invalid": 1,
                "invalid_by_agent": 0,
                "invalid_by_environment": 0,
                "invalid_by_provider": 1,
                "invalid_by_harness": 0,
                "invalid_by_case": 0,
                "invalid_by_unknown": 0,
                "pass_rate": 2 / 4,
                "pass_rate_low": low,
                "pass_rate_high": high,
                "pass_rate_if_invalid_failed": 2 / 5,
                "pass_rate_if_invalid_passed": 3 / 5,
                "invalid_rate": 1 / 5,
                "invalid_rate_low": invalid_low,
                "invalid_rate_high": invalid_high,
                "mean_score": 25 / 4,
                "segment": 1,
                "matched_pairs": 1,
                "matched_pass_rate": 2 / 4,
                "previous_matched_pass_rate": 1.0,
                "mixed_semantics": False,
            }
        ],
        schema_overrides={"started_at": pl.Datetime("us", "UTC")},
    )
    found = history.frame("from bucket_trends where place = 2 and bucket = 'critical_evidence'")
    assert_frame_equal(found, expected, abs_tol=1e-9)


@pytest.mark.parametrize(
    ("bucket", "check", "run", "counts"),
    [
        ("contract", {}, {}, (0, 0, 1)),
        ("workflow", {}, {"progressed": True}, (0, 1, 0)),
        ("workflow", {}, {}, (0, 0, 1)),
        ("execution_contract", {"required": False}, {}, (0, 1, 0)),
        ("evidence_collection", {}, {}, (0, 0, 1)),
        ("evidence_routing", {"required": False}, {}, (0, 1, 0)),
        ("diagnosis", {"layer": "hard"}, {}, (0, 0, 1)),
        ("diagnosis", {"layer": "supporting"}, {}, (1, 0, 0)),
    ],
)
def test_each_bucket(
    history: History, bucket: str, check: dict[str, Any], run: dict[str, Any], counts: tuple[int, ...]
) -> None:
    """A bucket counts by its own status; buckets that the case does not configure have no row."""
    history.case("case-a@1", {"bucket": bucket, "check_id": "c", **check})
    history.add("judgments", {"judgment_id": "j1"})
    history.add("eval_runs", {"eval_run_id": "r1"})
    layer = f"{check['layer']}." if "layer" in check else ""
    history.judged("r1/case-a/1", failed=[f"{bucket}.{layer}c"], **run)
    assert history.rows("select bucket, passed, partial, failed from bucket_trends") == [(bucket, *counts)]


def test_case_runs_without_buckets_are_invalid_by_cause(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass"]}, bundle_status="unresolved")
    history.trial("r1/a/2", "invalid")
    history.trial("r1/a/3", "pass", bundle_status="ambiguous", cause=None)
    columns = "bucket, comparable, failed, invalid, invalid_by_agent, invalid_by_unknown"
    assert history.rows(f"select {columns} from bucket_trends order by all") == [
        ("contract", 1, 1, 2, 1, 1),
        ("critical_evidence", 1, 0, 2, 1, 1),
        ("diagnosis", 1, 0, 2, 1, 1),
    ]


def test_a_bucket_that_is_not_scored_has_no_mean(history: History) -> None:
    suite_of(history, "a")
    eval_run(history, 1, {"a": ["pass", "diagnosis"]})
    rows = history.rows("select bucket, mean_score from bucket_trends order by all")
    assert rows == [("contract", None), ("critical_evidence", 10.0), ("diagnosis", 5.0)]


def test_segment_and_matched_pairs(history: History) -> None:
    suite_of(history, "a", "b")
    eval_run(history, 1, {"a": ["diagnosis"], "b": ["pass"]})
    eval_run(history, 2, {"a": ["pass"], "b@2": ["diagnosis"]})
    columns = "place, segment, matched_pairs, matched_pass_rate, previous_matched_pass_rate"
    assert history.rows(f"select {columns} from bucket_trends where bucket = 'diagnosis' order by all") == [
        (1, 1, 0, None, None),
        (2, 2, 1, 1.0, 0.0),
    ]


@pytest.mark.parametrize("lost", [1, 2])
def test_without_a_bundle_on_either_side_nothing_is_matched(history: History, lost: int) -> None:
    suite_of(history, "a", "b")
    for number in (1, 2):
        eval_run(history, number, {"a": ["pass"]})
        history.trial(f"r{number}/b/1", "pass", bundle_status="unresolved" if number == lost else "resolved")
    columns = "matched_pairs, matched_pass_rate, previous_matched_pass_rate"
    assert history.rows(f"select {columns} from bucket_trends where place = 2") == [(1, 1.0, 1.0)] * 3
