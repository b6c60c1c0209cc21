"""View `eval_run_counts`."""

import polars as pl
from polars.testing import assert_frame_equal

from tests.sql.history_builder import DAY_1, DAY_2, History


def test_what_became_of_the_case_runs(history: History) -> None:
    history.case_of_verdicts()
    history.add("suites", {"suite_id": "suite-a", "suite_digest": "s", "trials": 3})
    history.add(
        "suite_cases", *({"suite_digest": "s", "suite_id": "suite-a", "case_id": c} for c in ("case-a", "case-b"))
    )
    history.add("judgments", {"judgment_id": "j1", "judged_at": DAY_1}, {"judgment_id": "j2", "judged_at": DAY_2})
    history.add("eval_runs", {"eval_run_id": "r1"}, {"eval_run_id": "r2", "suite_id": None})
    for number, verdict in enumerate(["pass", "fail", "fail", "invalid"], start=1):
        history.trial(f"r1/case-a/{number}", verdict)
    history.trial("r1/case-a/3", "pass", judgment_id="j2")
    history.add("case_runs", {"case_run_id": "r1/case-b/1", "eval_run_id": "r1", "case_id": "case-b"})
    history.trial("r3/case-a/1", "invalid")
    expected = pl.DataFrame(
        [
            ("r1", 6, 5, 3, 2, 1, 1, 2 / 3, 0.2076596008, 0.9385080553, 0.25, 0.0455872608, 0.6993581574),
            ("r2", None, 0, 0, 0, 0, 0, None, None, None, None, None, None),
            ("r3", None, 1, 0, 0, 0, 1, None, None, None, 1.0, 0.2065493143, 1.0),
        ],
        schema={
            "eval_run_id": pl.String,
            "planned": pl.Int64,
            "found": pl.Int64,
            "comparable": pl.Int64,
            "passed": pl.Int64,
            "failed": pl.Int64,
            "invalid": pl.Int64,
            "pass_rate": pl.Float64,
            "pass_rate_low": pl.Float64,
            "pass_rate_high": pl.Float64,
            "invalid_rate": pl.Float64,
            "invalid_rate_low": pl.Float64,
            "invalid_rate_high": pl.Float64,
        },
        orient="row",
    )
    assert_frame_equal(history.frame("from eval_run_counts order by eval_run_id"), expected, abs_tol=1e-9)
