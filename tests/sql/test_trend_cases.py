"""View `trend_cases`."""

import polars as pl
from polars.testing import assert_frame_equal

from tests.sql.history_builder import DAY_2, History

CAUSES = {"agent": 1, "environment": 2, "provider": 3, "harness": 4, "case": 5, None: 6}
"""Cause -> invalid case runs that have it: no two as many."""


def test_every_column(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    for trial, verdict in enumerate(["pass", "pass", "fail", "partial"], start=1):
        history.trial(f"r1/case-a/{trial}", verdict)
    causes = [cause for cause, times in CAUSES.items() for _ in range(times)]
    for trial, cause in enumerate(causes, start=5):
        history.trial(f"r1/case-a/{trial}", "invalid", cause=cause)
    expected = pl.DataFrame(
        {
            "eval_run_id": ["r1"],
            "case_id": ["case-a"],
            "case_digest": ["case-a@1"],
            "passed": [2],
            "failed": [2],
            "comparable": [4],
            "invalid": [21],
            "invalid_by_agent": [1],
            "invalid_by_environment": [2],
            "invalid_by_provider": [3],
            "invalid_by_harness": [4],
            "invalid_by_case": [5],
            "invalid_by_unknown": [6],
            "score_sum": [65.0],
        }
    )
    assert_frame_equal(history.frame("select * replace (score_sum::double as score_sum) from trend_cases"), expected)


def test_one_row_per_eval_run_case_and_digest_by_the_latest_judgment(history: History) -> None:
    for digest in ("case-a@1", "case-a@2", "case-b@1"):
        history.case_of_verdicts(digest)
    history.add("judgments", {"judgment_id": "j1"}, {"judgment_id": "j2", "judged_at": DAY_2})
    history.trial("r1/case-a/1", "pass")
    history.trial("r1/case-a/2", "pass")
    history.trial("r1/case-a/2", "fail", judgment_id="j2", case_digest="case-a@2")
    history.trial("r1/case-b/1", "invalid")
    history.trial("r2/case-a/1", "fail")
    columns = "eval_run_id, case_digest, passed, failed, invalid, score_sum::double"
    assert history.rows(f"select {columns} from trend_cases order by all") == [
        ("r1", "case-a@1", 1, 0, 0, 20.0),
        ("r1", "case-a@2", 0, 1, 0, 10.0),
        ("r1", "case-b@1", 0, 0, 1, None),
        ("r2", "case-a@1", 0, 1, 0, 10.0),
    ]


def test_what_no_case_run_has_is_counted_as_none(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    history.trial("r1/case-a/1", "invalid", cause=None)
    columns = "passed, comparable, invalid, invalid_by_agent, invalid_by_case, invalid_by_unknown"
    assert history.rows(f"select {columns} from trend_cases") == [(0, 0, 1, 0, 0, 1)]


def test_sums_do_not_depend_on_an_order(history: History) -> None:
    """A tenth ten times is one; a score without measure is left out."""
    for name, score in {"case-a": 0.1, "case-b": 1e300}.items():
        history.case(f"{name}@1", {"bucket": "workflow", "check_id": "c"}, workflow={"max_score": score})
    history.add("judgments", {"judgment_id": "j1"})
    for trial in range(1, 11):
        history.judged(f"r1/case-a/{trial}")
    history.judged("r1/case-b/1", case_digest="case-b@1")
    assert history.rows("select case_id, score_sum::double from trend_cases order by all") == [
        ("case-a", 1.0),
        ("case-b", None),
    ]
