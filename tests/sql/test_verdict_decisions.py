"""Table `verdict_decisions`."""

from __future__ import annotations

from itertools import product

import pytest

from judge_polars.vocabulary import BUCKETS, STATUSES
from tests.sql.history_builder import ALL_PASS, History

COLUMNS = ", ".join(BUCKETS)


def decision(history: History, **statuses: str) -> tuple[object, ...] | None:
    """Verdict, code, codes and place of the row that decides, for a run whose other buckets pass."""
    where = " and ".join(f"{bucket} = '{status}'" for bucket, status in {**ALL_PASS, **statuses}.items())
    rows = history.rows(
        f"select verdict, primary_failure_code, failure_codes, position from verdict_decisions where {where}"
    )
    return rows[0] if rows else None


@pytest.mark.parametrize(
    ("statuses", "verdict", "code", "position"),
    [
        ({"contract": "fail"}, "invalid", "contract_failed", 4),
        ({"execution_contract": "fail"}, "invalid", "execution_contract_failed", 5),
        ({"workflow": "partial"}, "invalid", "workflow_incomplete", 6),
        ({"workflow": "fail"}, "invalid", "workflow_incomplete", 6),
        ({"evidence_collection": "fail"}, "invalid", "evidence_collection_incomplete", 7),
        ({"evidence_collection": "partial"}, "fail", "evidence_collection_partial", 8),
        ({"critical_evidence": "fail"}, "fail", "critical_evidence_missing", 9),
        ({"critical_evidence": "partial"}, "fail", "critical_evidence_partial", 10),
        ({"evidence_routing": "fail"}, "fail", "evidence_routing_failed", 11),
        ({"evidence_routing": "partial"}, "fail", "evidence_routing_partial", 12),
        ({"diagnosis": "fail"}, "fail", "diagnosis_critical_gate_failed", 13),
        ({"execution_contract": "partial"}, "fail", "execution_contract_partial", 14),
    ],
    ids=str,
)
def test_each_row_alone(history: History, statuses: dict[str, str], verdict: str, code: str, position: int) -> None:
    assert decision(history, **statuses) == (verdict, code, [code], position)


def test_all_pass(history: History) -> None:
    assert decision(history) == ("pass", None, [], 15)


@pytest.mark.parametrize("situation", ["environment_failed", "bundle_unresolved", "bundle_ambiguous"])
def test_a_run_without_buckets_has_one_code(history: History, situation: str) -> None:
    rows = history.rows(
        f"select {COLUMNS}, verdict, primary_failure_code, failure_codes from verdict_decisions where situation = ?",
        situation,
    )
    assert rows == [(*[None] * 7, "invalid", situation, [situation])]


def test_the_first_row_wins_and_all_are_listed_in_order(history: History) -> None:
    everything = dict.fromkeys(BUCKETS, "fail")
    assert decision(history, **everything) == (
        "invalid",
        "contract_failed",
        [
            "contract_failed",
            "execution_contract_failed",
            "workflow_incomplete",
            "evidence_collection_incomplete",
            "critical_evidence_missing",
            "evidence_routing_failed",
            "diagnosis_critical_gate_failed",
        ],
        4,
    )


def test_a_diagnosis_that_fails_comes_before_an_execution_contract_that_is_partial(history: History) -> None:
    codes = ["diagnosis_critical_gate_failed", "execution_contract_partial"]
    assert decision(history, diagnosis="fail", execution_contract="partial") == ("fail", codes[0], codes, 13)


@pytest.mark.parametrize("bucket", ["contract", "diagnosis"])
def test_a_status_that_no_bucket_can_have_is_not_decided(history: History, bucket: str) -> None:
    """`partial` is never promoted to a pass: no row fits, and audit_undecided_verdicts would list the run."""
    assert decision(history, **{bucket: "partial"}) is None


def test_only_all_pass_is_a_pass(history: History) -> None:
    assert history.rows(f"select {COLUMNS} from verdict_decisions where verdict = 'pass'") == [("pass",) * 7]


def test_every_combination_has_at_most_one_row(history: History) -> None:
    found = history.rows(f"select {COLUMNS} from verdict_decisions where situation = 'bundle_resolved'")
    assert len(found) == len(set(found))
    without_row = set(product(STATUSES, repeat=7)) - set(found)
    assert {(row[0], row[6]) for row in without_row} == {
        ("partial", "pass"),
        ("pass", "partial"),
        ("partial", "partial"),
    }
    assert all(set(row[1:6]) == {"pass"} for row in without_row)


def test_each_combination_has_a_key_of_its_own(history: History) -> None:
    """`decision_key` counts the combinations of statuses in base 3, and the other situations down from -1."""
    rows = history.rows(f"select decision_key, {COLUMNS} from verdict_decisions where situation = 'bundle_resolved'")
    digits = {"fail": "0", "partial": "1", "pass": "2"}
    assert [key for key, *_ in rows] == [int("".join(map(digits.__getitem__, statuses)), 3) for _, *statuses in rows]
    others = history.rows(
        "select decision_key from verdict_decisions where situation <> 'bundle_resolved' order by all"
    )
    assert others == [(-3,), (-2,), (-1,)]


def test_the_key_of_a_situation_that_is_not_known_is_null(history: History) -> None:
    statuses = ", ".join(["'pass'"] * 7)
    asked = f"decision_key('bundle_perhaps', {statuses}), decision_key('bundle_resolved', {statuses})"
    assert history.rows(f"select {asked}") == [(None, 3**7 - 1)]


@pytest.mark.parametrize(
    ("cause", "has_output", "bundle_status", "situation"),
    [
        ("environment", False, "resolved", "environment_failed"),
        ("provider", None, "unresolved", "environment_failed"),
        ("provider", True, "resolved", "bundle_resolved"),
        ("harness", False, "resolved", "bundle_resolved"),
        (None, False, "ambiguous", "bundle_ambiguous"),
        ("agent", True, None, None),
    ],
)
def test_situation(
    history: History, cause: str | None, has_output: bool | None, bundle_status: str | None, situation: str | None
) -> None:
    assert history.value("situation_of(?, ?, ?)", cause, has_output, bundle_status) == situation
