"""View `check_results`."""

import polars as pl
from polars.testing import assert_frame_equal

from tests.sql.history_builder import History


def test_words_of_the_keys(history: History) -> None:
    history.add(
        "checks",
        {
            "check_key": 7,
            "case_digest": "d",
            "bucket": "diagnosis",
            "layer": "hard",
            "check_id": "named",
            "position": 1,
        },
        {
            "check_key": 8,
            "case_digest": "d",
            "bucket": "contract",
            "check_id": "window",
            "position": 0,
            "required": False,
            "weight": 2.5,
        },
    )
    history.add("judged_case_runs", {"judged_key": 3, "judgment_id": "j2", "case_run_id": "r/d/1", "case_digest": "d"})
    history.add(
        "check_outcomes",
        {"judged_key": 3, "check_key": 7, "passed": False, "deciding_rule": 1, "reason": "no_text"},
        {"judged_key": 3, "check_key": 8, "passed": True, "deciding_rule": 0},
    )
    expected = pl.DataFrame(
        [
            ("j2", "r/d/1", "contract", None, "window", 0, False, 2.5, True, 0, None),
            ("j2", "r/d/1", "diagnosis", "hard", "named", 1, True, 1.0, False, 1, "no_text"),
        ],
        schema={
            "judgment_id": pl.String,
            "case_run_id": pl.String,
            "bucket": pl.String,
            "layer": pl.String,
            "check_id": pl.String,
            "position": pl.Int64,
            "required": pl.Boolean,
            "weight": pl.Float64,
            "passed": pl.Boolean,
            "deciding_rule": pl.Int64,
            "reason": pl.String,
        },
        orient="row",
    )
    assert_frame_equal(history.frame("from check_results order by position"), expected)


def test_a_result_that_is_null_counts_as_failed(history: History) -> None:
    history.add("checks", {"check_key": 1, "case_digest": "d", "bucket": "contract", "check_id": "c"})
    history.add("judged_case_runs", {"judged_key": 1, "case_run_id": "r/d/1", "case_digest": "d"})
    history.add("check_outcomes", {"judged_key": 1, "check_key": 1, "passed": None})
    assert history.rows("select passed from check_results") == [(False,)]


def test_without_outcomes_there_is_no_row(history: History) -> None:
    history.add("judged_case_runs", {"judged_key": 1, "case_run_id": "r/d/1", "bundle_status": "unresolved"})
    assert history.rows("from check_results") == []
