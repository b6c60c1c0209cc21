"""View `check_quality`."""

from __future__ import annotations

from math import sqrt
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.sql.history_builder import DAY_2, History


def test_every_column(history: History) -> None:
    """Four runs with buckets: two pass; `seen` fails in one of the others, `named` in both, `advice` in a passing one."""
    history.case(
        "case-a@1",
        {"bucket": "critical_evidence", "check_id": "seen"},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
        {"bucket": "diagnosis", "layer": "supporting", "check_id": "advice", "required": False},
    )
    history.add("judgments", {"judgment_id": "j1"})
    seen, named, advice = "critical_evidence.seen", "diagnosis.hard.named", "diagnosis.supporting.advice"
    history.judged("r1/case-a/1")
    history.judged("r1/case-a/2", failed=[advice])
    history.judged("r1/case-a/3", failed=[seen, named])
    history.judged("r1/case-a/4", failed=[named])
    history.judged("r1/case-a/5", bundle_status="unresolved")
    common: dict[str, Any] = {
        "case_id": "case-a",
        "case_digest": "case-a@1",
        "case_runs": 4,
        "never_failed": False,
        "never_passed": False,
    }
    rows: list[dict[str, Any]] = [
        {"bucket": "critical_evidence", "layer": None, "check_id": "seen", "position": 0, "required": True}
        | {"passed": 3, "failed": 1, "pass_rate": 3 / 4, "phi": 2 / sqrt(3 * 1 * 2 * 2), "decides_alone": 0},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named", "position": 1, "required": True}
        | {"passed": 2, "failed": 2, "pass_rate": 2 / 4, "phi": 1.0, "decides_alone": 1},
        {"bucket": "diagnosis", "layer": "supporting", "check_id": "advice", "position": 2, "required": False}
        | {"passed": 3, "failed": 1, "pass_rate": 3 / 4, "phi": -2 / sqrt(3 * 1 * 2 * 2), "decides_alone": 0},
    ]
    found = history.frame("from check_quality order by position")
    assert_frame_equal(found, pl.DataFrame([common | row for row in rows]), check_column_order=False, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("bucket", "check", "alone"),
    [
        ("contract", {}, 1),
        ("contract", {"required": False}, 0),
        ("workflow", {}, 1),
        ("workflow", {"required": False}, 0),
        ("execution_contract", {"required": False}, 1),
        ("evidence_collection", {"required": False}, 1),
        ("critical_evidence", {"required": False}, 1),
        ("evidence_routing", {"required": False}, 1),
        ("diagnosis", {"layer": "hard"}, 1),
        ("diagnosis", {"layer": "supporting"}, 0),
    ],
)
def test_a_check_decides_alone_where_the_case_run_would_pass_without_it(
    history: History, bucket: str, check: dict[str, object], alone: int
) -> None:
    """Failed checks that count for no status do not share the decision."""
    advice = {"bucket": "diagnosis", "layer": "supporting", "check_id": "advice"}
    history.case("case-a@1", {"bucket": bucket, "check_id": "c", **check}, advice)
    history.add("judgments", {"judgment_id": "j1"})
    layer = f"{check['layer']}." if "layer" in check else ""
    history.judged("r1/case-a/1", failed=[f"{bucket}.{layer}c", "diagnosis.supporting.advice"])
    history.judged("r1/case-a/2")
    assert history.rows("select decides_alone from check_quality where check_id = 'c'") == [(alone,)]
    passes = history.rows("select count(*) from verdicts where verdict = 'pass'")
    assert passes == [(2 - alone,)]


def test_never_failed_and_never_passed(history: History) -> None:
    history.case_of_verdicts()
    history.case_of_verdicts("case-b@1")
    history.add("judgments", {"judgment_id": "j1"})
    history.trial("r1/case-a/1", "diagnosis")
    history.trial("r1/case-a/2", "diagnosis")
    columns = "case_id, check_id, case_runs, pass_rate, never_failed, never_passed, phi"
    assert history.rows(f"select {columns} from check_quality order by case_id, position") == [
        ("case-a", "same_cluster", 2, 1.0, True, False, None),
        ("case-a", "seen", 2, 1.0, True, False, None),
        ("case-a", "seen_twice", 2, 1.0, True, False, None),
        ("case-a", "named", 2, 0.0, False, True, None),
        ("case-b", "same_cluster", 0, None, False, False, None),
        ("case-b", "seen", 0, None, False, False, None),
        ("case-b", "seen_twice", 0, None, False, False, None),
        ("case-b", "named", 0, None, False, False, None),
    ]


def test_a_missing_outcome_counts_as_failed(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    history.judged("r1/case-a/1", missing=["diagnosis.hard.named"])
    history.judged("r1/case-a/2")
    rows = history.rows("select passed, failed, decides_alone from check_quality where check_id = 'named'")
    assert rows == [(1, 1, 1)]


def test_only_the_latest_judgment_counts(history: History) -> None:
    history.case_of_verdicts()
    history.case_of_verdicts("case-a@2")
    history.add("judgments", {"judgment_id": "j1"}, {"judgment_id": "j2", "judged_at": DAY_2})
    history.trial("r1/case-a/1", "diagnosis")
    history.trial("r1/case-a/1", "pass", judgment_id="j2", case_digest="case-a@2")
    columns = "case_digest, case_runs, failed"
    assert history.rows(f"select {columns} from check_quality where check_id = 'named' order by all") == [
        ("case-a@1", 0, 0),
        ("case-a@2", 1, 0),
    ]
