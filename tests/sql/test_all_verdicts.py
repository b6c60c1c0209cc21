"""View `all_verdicts` with the macro `verdicts_of`."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.sql.history_builder import DAY_1, History


def full_case(history: History) -> None:
    """A case with a check of every bucket and kind."""
    history.case(
        "case-a@1",
        {"bucket": "contract", "check_id": "cluster"},
        {"bucket": "workflow", "check_id": "started"},
        {"bucket": "workflow", "check_id": "collected"},
        {"bucket": "execution_contract", "check_id": "artifacts"},
        {"bucket": "execution_contract", "check_id": "channels", "required": False},
        {"bucket": "evidence_collection", "check_id": "kept"},
        {"bucket": "evidence_collection", "check_id": "events", "required": False},
        {"bucket": "critical_evidence", "check_id": "busy"},
        {"bucket": "critical_evidence", "check_id": "hot"},
        {"bucket": "evidence_routing", "check_id": "patch"},
        {"bucket": "evidence_routing", "check_id": "supporting", "required": False},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
        {"bucket": "diagnosis", "layer": "supporting", "check_id": "advice"},
        workflow={"max_score": 10.0},
        evidence_collection={"max_score": 10.0},
        critical_evidence={"max_score": 10.0},
        evidence_routing={"max_score": 10.0},
        diagnosis={"hard_max_score": 18.0, "supporting_weight": 12.0},
    )


@pytest.mark.parametrize(
    ("failed", "run", "verdict", "codes", "score"),
    [
        pytest.param([], {}, "pass", [], 70.0, id="12 all pass"),
        pytest.param(["diagnosis.supporting.advice"], {}, "pass", [], 58.0, id="12 a supporting check fails"),
        pytest.param(["contract.cluster"], {}, "invalid", ["contract_failed"], None, id="1 contract"),
        pytest.param(
            ["execution_contract.artifacts"],
            {},
            "invalid",
            ["execution_contract_failed"],
            None,
            id="2 execution contract",
        ),
        pytest.param(
            ["workflow.started"],
            {"progressed": True},
            "invalid",
            ["workflow_incomplete"],
            None,
            id="3 workflow partial",
        ),
        pytest.param(["workflow.started"], {}, "invalid", ["workflow_incomplete"], None, id="3 workflow fail"),
        pytest.param(
            ["evidence_collection.kept"],
            {},
            "invalid",
            ["evidence_collection_incomplete"],
            None,
            id="4 collection fail",
        ),
        pytest.param(
            ["evidence_collection.events"], {}, "fail", ["evidence_collection_partial"], 65.0, id="5 collection partial"
        ),
        pytest.param(
            ["critical_evidence.busy", "critical_evidence.hot"],
            {},
            "fail",
            ["critical_evidence_missing"],
            60.0,
            id="6 critical evidence missing",
        ),
        pytest.param(
            ["critical_evidence.hot"], {}, "fail", ["critical_evidence_partial"], 65.0, id="7 critical evidence partial"
        ),
        pytest.param(["evidence_routing.patch"], {}, "fail", ["evidence_routing_failed"], 60.0, id="8 routing fail"),
        pytest.param(
            ["evidence_routing.supporting"], {}, "fail", ["evidence_routing_partial"], 70.0, id="9 routing partial"
        ),
        pytest.param(["diagnosis.hard.named"], {}, "fail", ["diagnosis_critical_gate_failed"], 52.0, id="10 diagnosis"),
        pytest.param(
            ["execution_contract.channels"], {}, "fail", ["execution_contract_partial"], 70.0, id="11 execution partial"
        ),
        pytest.param(
            ["contract.cluster", "critical_evidence.hot", "diagnosis.hard.named"],
            {},
            "invalid",
            ["contract_failed", "critical_evidence_partial", "diagnosis_critical_gate_failed"],
            None,
            id="1, 7 and 10 together",
        ),
        pytest.param(
            ["evidence_routing.supporting", "execution_contract.channels"],
            {},
            "fail",
            ["evidence_routing_partial", "execution_contract_partial"],
            70.0,
            id="9 and 11 together",
        ),
        pytest.param([], {"bundle_status": "unresolved"}, "invalid", ["bundle_unresolved"], None, id="0 no bundle"),
        pytest.param([], {"bundle_status": "ambiguous"}, "invalid", ["bundle_ambiguous"], None, id="0 several bundles"),
        pytest.param(
            [], {"cause": "provider", "has_output": False}, "invalid", ["environment_failed"], None, id="0 provider"
        ),
        pytest.param(
            [],
            {"cause": "provider", "has_output": None},
            "invalid",
            ["environment_failed"],
            None,
            id="0 output unknown",
        ),
        pytest.param(
            ["contract.cluster"],
            {"cause": "environment", "has_output": False},
            "invalid",
            ["environment_failed"],
            None,
            id="0 environment, whatever else failed",
        ),
        pytest.param(
            [],
            {"cause": "environment", "has_output": False, "bundle_status": "unresolved"},
            "invalid",
            ["environment_failed"],
            None,
            id="0 environment before no bundle",
        ),
        pytest.param([], {"cause": "provider", "has_output": True}, "pass", [], 70.0, id="provider, but an answer"),
        pytest.param([], {"cause": "harness", "has_output": False}, "pass", [], 70.0, id="harness, no answer"),
        pytest.param([], {"cause": None, "has_output": False}, "pass", [], 70.0, id="no record, no answer"),
    ],
)
def test_verdict_codes_and_score(
    history: History, failed: list[str], run: dict[str, Any], verdict: str, codes: list[str], score: float | None
) -> None:
    full_case(history)
    history.judged("r1/case-a/1", failed=failed, **run)
    found = history.rows(
        "select verdict, primary_failure_code, failure_codes, score, max_score, score_pct from all_verdicts"
    )
    pct = None if score is None else pytest.approx(100 * score / 70)
    assert found == [(verdict, codes[0] if codes else None, codes, score, None if score is None else 70.0, pct)]


@pytest.mark.parametrize(
    ("failed", "cause", "shown"),
    [
        pytest.param([], "agent", None, id="a pass has no cause"),
        pytest.param(["critical_evidence.hot"], "agent", "agent", id="fail"),
        pytest.param(["contract.cluster"], "harness", "harness", id="invalid"),
        pytest.param(["contract.cluster"], None, None, id="without a record"),
    ],
)
def test_cause(history: History, failed: list[str], cause: str | None, shown: str | None) -> None:
    full_case(history)
    history.judged("r1/case-a/1", failed=failed, cause=cause)
    assert history.rows("select cause from all_verdicts") == [(shown,)]


def test_where_nothing_is_scored_there_is_no_percentage(history: History) -> None:
    history.case("case-a@1", {"bucket": "contract", "check_id": "cluster"})
    history.judged("r1/case-a/1")
    assert history.rows("select verdict, score, max_score, score_pct from all_verdicts") == [("pass", 0.0, 0.0, None)]


def test_a_maximum_of_zero_has_no_percentage(history: History) -> None:
    history.case("case-a@1", {"bucket": "workflow", "check_id": "a"}, workflow={"max_score": 0.0})
    history.judged("r1/case-a/1")
    assert history.rows("select score, max_score, score_pct from all_verdicts") == [(0.0, 0.0, None)]


def test_a_case_that_configures_nothing_passes(history: History) -> None:
    history.case("case-a@1")
    history.judged("r1/case-a/1")
    assert history.rows("select verdict, contract, diagnosis from all_verdicts") == [("pass", "pass", "pass")]


def test_an_unknown_bundle_status_is_not_decided(history: History) -> None:
    history.case("case-a@1")
    history.judged("r1/case-a/1", bundle_status="perhaps")
    assert history.rows("select verdict, score, contract from all_verdicts") == [(None, None, None)]


def test_every_column(history: History) -> None:
    full_case(history)
    started, finished = datetime(2025, 3, 1, 9, tzinfo=UTC), datetime(2025, 3, 1, 10, tzinfo=UTC)
    record = {
        "recorded_case_version": 3,
        "workspace_id": "w-7",
        "status": "timeout",
        "stop_reason": "max_turns",
        "started_at": started,
        "finished_at": finished,
        "agent_name": "demo",
        "agent_version": "1.1",
        "agent_model": "model-x",
        "input_tokens": 100,
        "output_tokens": 20,
        "cost_usd": 0.25,
        "tool_calls": 9,
    }
    history.add("judgments", {"judgment_id": "j1", "pack_digests": '{"tidb": "p"}', "engine_version": "0.9"})
    history.add("eval_runs", {"eval_run_id": "r1", "suite_version": 4, "execution_mode": "live"})
    history.add(
        "case_runs", {"case_run_id": "r1/case-a/12", "eval_run_id": "r1", "case_id": "case-a", "trial": 12, **record}
    )
    history.judged("r1/case-a/12", failed=["critical_evidence.hot"], case_version=2, suite_digest="s")
    expected = pl.DataFrame(
        [
            {
                "judgment_id": "j1",
                "judged_at": DAY_1,
                "registry_digest": "registry",
                "pack_digests": '{"tidb": "p"}',
                "semantics_version": 1,
                "engine_version": "0.9",
                "case_run_id": "r1/case-a/12",
                "eval_run_id": "r1",
                "case_id": "case-a",
                "trial": 12,
                "suite_id": "suite-a",
                "suite_version": 4,
                "suite_digest": "s",
                "execution_mode": "live",
                "case_version": 2,
                "case_digest": "case-a@1",
                "bundle_digest": "bundle",
                "verdict": "fail",
                "cause": "agent",
                "primary_failure_code": "critical_evidence_partial",
                "failure_codes": ["critical_evidence_partial"],
                "score": 65.0,
                "max_score": 70.0,
                "score_pct": 6500 / 70,
                "contract": "pass",
                "workflow": "pass",
                "execution_contract": "pass",
                "evidence_collection": "pass",
                "critical_evidence": "partial",
                "evidence_routing": "pass",
                "diagnosis": "pass",
                **record,
            }
        ],
        schema_overrides={"judged_at": pl.Datetime("us", "UTC")},
    )
    assert_frame_equal(history.frame("from all_verdicts"), expected)


def test_a_run_without_records_keeps_its_ids(history: History) -> None:
    history.case("case-a@1")
    history.judged("r1/case-a/3")
    columns = "eval_run_id, case_id, trial, suite_id, status, agent_name"
    assert history.rows(f"select {columns} from all_verdicts") == [("r1", "case-a", 3, None, None, None)]


def test_one_row_per_judgment_and_case_run(history: History) -> None:
    full_case(history)
    for judgment in ("j1", "j2"):
        history.add("judgments", {"judgment_id": judgment})
        history.judged("r1/case-a/1", judgment_id=judgment, failed=["contract.cluster"] if judgment == "j2" else [])
    rows = history.rows("select judgment_id, verdict from all_verdicts order by judgment_id")
    assert rows == [("j1", "pass"), ("j2", "invalid")]


@pytest.mark.parametrize(
    ("missing", "verdict", "code", "score"),
    [
        pytest.param([], "pass", None, 70.0, id="all are there"),
        pytest.param(["contract.cluster"], "invalid", "contract_failed", None, id="a required one of contract"),
        pytest.param(["critical_evidence.busy"], "fail", "critical_evidence_partial", 65.0, id="critical evidence"),
        pytest.param(["diagnosis.supporting.advice"], "pass", None, 58.0, id="a supporting one costs its points"),
        pytest.param(
            ["critical_evidence.busy", "critical_evidence.hot"],
            "fail",
            "critical_evidence_missing",
            60.0,
            id="a bucket",
        ),
    ],
)
def test_a_missing_outcome_counts_as_a_failed_check(
    history: History, missing: list[str], verdict: str, code: str | None, score: float | None
) -> None:
    full_case(history)
    history.judged("r1/case-a/1", missing=missing)
    history.judged("r1/case-a/2")
    columns = "verdict, primary_failure_code, score"
    assert history.rows(f"select {columns} from all_verdicts order by trial") == [
        (verdict, code, score),
        ("pass", None, 70.0),
    ]


def test_failed_and_missing_outcomes_count_together(history: History) -> None:
    full_case(history)
    history.judged("r1/case-a/1", missing=["critical_evidence.busy"], failed=["critical_evidence.hot"])
    assert history.rows("select critical_evidence, primary_failure_code from all_verdicts") == [
        ("fail", "critical_evidence_missing")
    ]


def test_a_run_without_any_outcome_failed_all_checks(history: History) -> None:
    full_case(history)
    history.judged("r1/case-a/1")
    history.write()
    history.con.execute("delete from check_outcomes")
    assert history.rows("select verdict, contract, workflow, diagnosis from all_verdicts") == [
        ("invalid", "fail", "fail", "fail")
    ]


@pytest.mark.parametrize("filtered", ["", "where eval_run_id = 'r1'", "where case_run_id = 'r1/case-a/1'"])
def test_a_surplus_outcome_is_no_missing_one(history: History, filtered: str) -> None:
    full_case(history)
    history.judged("r1/case-a/1")
    history.write()
    history.con.execute("insert into check_outcomes select * from check_outcomes limit 1")
    assert history.rows(f"select verdict from all_verdicts {filtered}") == [("pass",)]


def test_a_broken_run_with_a_bundle_lacks_no_outcome(history: History) -> None:
    full_case(history)
    names = [name for _, name in history.checks_of("case-a@1")]
    history.judged("r1/case-a/1", missing=names, cause="provider", has_output=False)
    assert history.rows("select primary_failure_code, failure_codes from all_verdicts") == [
        ("environment_failed", ["environment_failed"])
    ]
    assert history.rows("select failed, failed_checks from failures") == [(0, None)]
