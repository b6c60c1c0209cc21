"""View `bucket_statuses` with the macros `bucket_…` and `buckets_of`: specification 50, "Bucket status", row by row."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from judge_polars.vocabulary import BUCKETS
from tests.sql.history_builder import History

Check = Mapping[str, object]


def required(check_id: str, weight: float = 1.0) -> Check:
    return {"check_id": check_id, "weight": weight}


def optional(check_id: str, weight: float = 1.0) -> Check:
    return {"check_id": check_id, "weight": weight, "required": False}


def hard(check_id: str, weight: float = 1.0) -> Check:
    return {"check_id": check_id, "weight": weight, "layer": "hard"}


def supporting(check_id: str, weight: float = 1.0) -> Check:
    return {"check_id": check_id, "weight": weight, "layer": "supporting"}


def judged_bucket(
    history: History, bucket: str, checks: list[Check], failed: list[str], scores: Mapping[str, float], **run: Any
) -> tuple[str | None, float | None, float | None]:
    """Status, score and maximum of one bucket of one case run."""
    history.case("case-a@1", *({"bucket": bucket, **check} for check in checks), **{bucket: scores})
    history.judged("r1/case-a/1", failed=[f"{bucket}.{check}" for check in failed], **run)
    [(configured, *found)] = history.rows(
        "select configured, status, score, max_score from bucket_statuses where bucket = ?", bucket
    )
    assert configured
    return found[0], found[1], found[2]


@pytest.mark.parametrize(
    ("checks", "failed", "status"),
    [
        pytest.param([required("a"), optional("b")], [], "pass", id="all pass"),
        pytest.param([required("a"), optional("b")], ["a"], "fail", id="required fails"),
        pytest.param([required("a"), optional("b")], ["b"], "pass", id="optional fails: there is no partial"),
        pytest.param([required("a"), required("b")], ["b"], "fail", id="one of two required fails"),
        pytest.param([optional("b")], ["b"], "pass", id="nothing required"),
    ],
)
def test_contract(history: History, checks: list[Check], failed: list[str], status: str) -> None:
    assert judged_bucket(history, "contract", checks, failed, {}) == (status, None, None)


@pytest.mark.parametrize(
    ("checks", "failed", "progressed", "status", "score"),
    [
        pytest.param([required("a", 2), required("b", 3)], [], False, "pass", 8.0, id="all pass"),
        pytest.param([required("a", 2), required("b", 3)], ["b"], True, "partial", 3.2, id="one fails, progressed"),
        pytest.param([required("a", 2), required("b", 3)], ["b"], False, "fail", 3.2, id="one fails, no progress"),
        pytest.param([required("a", 2), required("b", 3)], ["b"], None, "fail", 3.2, id="one fails, progress unknown"),
        pytest.param([required("a"), required("b")], ["a", "b"], True, "partial", 0.0, id="all fail, progressed"),
        pytest.param([required("a"), optional("b", 5)], ["b"], True, "pass", 8.0, id="optional fails"),
        pytest.param([required("a"), optional("b", 5)], ["a"], True, "partial", 0.0, id="optional ones do not score"),
        pytest.param([optional("a")], ["a"], False, "pass", 8.0, id="no required check: full"),
    ],
)
def test_workflow(
    history: History, checks: list[Check], failed: list[str], progressed: bool | None, status: str, score: float
) -> None:
    found = judged_bucket(history, "workflow", checks, failed, {"max_score": 8.0}, progressed=progressed)
    assert found == (status, score, 8.0)


@pytest.mark.parametrize(
    ("failed", "status"),
    [([], "pass"), (["a"], "fail"), (["b"], "partial"), (["a", "b"], "fail")],
    ids=["all pass", "required fails", "optional fails", "both fail"],
)
def test_execution_contract(history: History, failed: list[str], status: str) -> None:
    found = judged_bucket(history, "execution_contract", [required("a"), optional("b")], failed, {}, progressed=True)
    assert found == (status, None, None)


@pytest.mark.parametrize(
    ("failed", "status", "score"),
    [
        pytest.param([], "pass", 20.0, id="all pass"),
        pytest.param(["a"], "fail", 17.5, id="required fails"),
        pytest.param(["b"], "partial", 12.5, id="optional fails"),
        pytest.param(["a", "b"], "fail", 10.0, id="both fail"),
        pytest.param(["a", "b", "c"], "fail", 0.0, id="all fail"),
    ],
)
def test_evidence_collection(history: History, failed: list[str], status: str, score: float) -> None:
    checks = [required("a", 1), optional("b", 3), required("c", 4)]
    found = judged_bucket(history, "evidence_collection", checks, failed, {"max_score": 20.0}, progressed=True)
    assert found == (status, score, 20.0)


@pytest.mark.parametrize(
    ("failed", "status", "score"),
    [
        pytest.param([], "pass", 10.0, id="all pass"),
        pytest.param(["b"], "partial", 7.5, id="some pass"),
        pytest.param(["a"], "partial", 2.5, id="the light one passes"),
        pytest.param(["a", "b"], "fail", 0.0, id="none passes"),
    ],
)
def test_critical_evidence(history: History, failed: list[str], status: str, score: float) -> None:
    checks = [required("a", 3), required("b", 1)]
    assert judged_bucket(history, "critical_evidence", checks, failed, {"max_score": 10.0}) == (status, score, 10.0)


def test_critical_evidence_is_partial_however_little_the_passed_check_weighs(history: History) -> None:
    checks = [required("a", 1e-300), required("b", 1e300)]
    status, score, _ = judged_bucket(history, "critical_evidence", checks, ["b"], {"max_score": 10.0})
    assert status == "partial"
    assert score == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize(
    ("checks", "failed", "status", "score"),
    [
        pytest.param([required("a"), optional("b")], [], "pass", 10.0, id="all pass"),
        pytest.param([required("a", 1), required("c", 4), optional("b")], ["a"], "fail", 8.0, id="required fails"),
        pytest.param([required("a"), optional("b")], ["b"], "partial", 10.0, id="optional fails: full score"),
        pytest.param([required("a"), optional("b")], ["a", "b"], "fail", 0.0, id="both fail"),
        pytest.param([optional("b")], ["b"], "partial", 10.0, id="no required check: full"),
    ],
)
def test_evidence_routing(history: History, checks: list[Check], failed: list[str], status: str, score: float) -> None:
    found = judged_bucket(history, "evidence_routing", checks, failed, {"max_score": 10.0})
    assert found == (status, score, 10.0)


@pytest.mark.parametrize(
    ("checks", "failed", "expected"),
    [
        pytest.param([hard("a"), supporting("b")], [], ("pass", 30.0, 30.0), id="all pass"),
        pytest.param(
            [hard("a", 2), hard("c", 1), supporting("b", 1), supporting("d", 3)],
            ["hard.c", "supporting.d"],
            ("fail", 15.0, 30.0),
            id="a hard and a supporting one fail",
        ),
        pytest.param([hard("a"), supporting("b")], ["supporting.b"], ("pass", 18.0, 30.0), id="supporting fails"),
        pytest.param([hard("a")], [], ("pass", 18.0, 18.0), id="no supporting part"),
        pytest.param([hard("a")], ["hard.a"], ("fail", 0.0, 18.0), id="no supporting part, fails"),
        pytest.param(
            [supporting("a", 1), supporting("b", 2)], ["supporting.b"], ("pass", 4.0, 12.0), id="no hard part"
        ),
    ],
)
def test_diagnosis(
    history: History, checks: list[Check], failed: list[str], expected: tuple[str, float, float]
) -> None:
    scores = {"hard_max_score": 18.0, "supporting_weight": 12.0}
    assert judged_bucket(history, "diagnosis", checks, failed, scores) == expected


@pytest.mark.parametrize("weights", [(0.1, 0.2, 0.3), (1.0, 2.0, 3.0), (0.7, 1e-3, 12.25)])
def test_scores_are_not_rounded(history: History, weights: tuple[float, float, float]) -> None:
    checks = [required(name, weight) for name, weight in zip("abc", weights, strict=True)]
    _, score, _ = judged_bucket(history, "evidence_collection", checks, ["b"], {"max_score": 7.0})
    assert score == pytest.approx(7 * (weights[0] + weights[2]) / sum(weights), rel=1e-14)


def test_a_result_that_is_null_counts_as_failed(history: History) -> None:
    history.case("case-a@1", {"bucket": "contract", "check_id": "a"})
    history.judged("r1/case-a/1")
    history.con.execute("update check_outcomes set passed = null")
    assert history.rows("select status from bucket_statuses where bucket = 'contract'") == [("fail",)]


def test_a_row_per_bucket_in_order_and_unconfigured_ones_pass(history: History) -> None:
    history.case("case-a@1", {"bucket": "workflow", "check_id": "a"}, workflow={"max_score": 5.0})
    history.judged("r1/case-a/1", failed=["workflow.a"])
    expected = pl.DataFrame(
        [
            ("j1", "r1/case-a/1", "contract", 1, "pass", False, None, None),
            ("j1", "r1/case-a/1", "workflow", 2, "fail", True, 0.0, 5.0),
            *(
                ("j1", "r1/case-a/1", bucket, place, "pass", False, None, None)
                for place, bucket in enumerate(BUCKETS[2:], 3)
            ),
        ],
        schema={
            "judgment_id": pl.String,
            "case_run_id": pl.String,
            "bucket": pl.String,
            "position": pl.Int32,
            "status": pl.String,
            "configured": pl.Boolean,
            "score": pl.Float64,
            "max_score": pl.Float64,
        },
        orient="row",
    )
    assert_frame_equal(history.frame("from bucket_statuses order by position"), expected)


@pytest.mark.parametrize(
    "run",
    [
        pytest.param({"bundle_status": "unresolved"}, id="no bundle"),
        pytest.param({"bundle_status": "ambiguous"}, id="several bundles"),
        pytest.param({"cause": "provider", "has_output": False}, id="broken by the provider, no answer"),
        pytest.param({"cause": "environment", "has_output": False}, id="broken by the environment, no answer"),
    ],
)
def test_without_buckets_there_is_a_row_of_nulls_per_bucket(history: History, run: dict[str, Any]) -> None:
    history.case("case-a@1", {"bucket": "contract", "check_id": "a"})
    history.judged("r1/case-a/1", **run)
    rows = history.rows("select bucket, status, configured, score, max_score from bucket_statuses order by position")
    assert rows == [(bucket, None, None, None, None) for bucket in BUCKETS]


def test_runs_and_judgments_do_not_mix(history: History) -> None:
    history.case("case-a@1", {"bucket": "contract", "check_id": "a"})
    history.case("case-a@2", {"bucket": "contract", "check_id": "a"}, {"bucket": "contract", "check_id": "b"})
    history.judged("r1/case-a/1", failed=["contract.a"])
    history.judged("r1/case-a/2")
    history.judged("r1/case-a/1", judgment_id="j2", case_digest="case-a@2")
    history.judged("r1/case-a/2", judgment_id="j2", case_digest="case-a@2", failed=["contract.b"])
    assert history.rows(
        "select judgment_id, case_run_id, status from bucket_statuses where bucket = 'contract' order by all"
    ) == [
        ("j1", "r1/case-a/1", "fail"),
        ("j1", "r1/case-a/2", "pass"),
        ("j2", "r1/case-a/1", "pass"),
        ("j2", "r1/case-a/2", "fail"),
    ]  # fmt: skip
