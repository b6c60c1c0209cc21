"""View `case_verdicts` with the macro `case_verdicts_of`."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from judge_polars.vocabulary import BUCKETS
from tests.sql.history_builder import History


def trials(history: History, *verdicts: str, aggregate: str | None = None) -> None:
    """Trials of one case in one eval run, whose suite has this `aggregate` (None: an unknown suite)."""
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    history.add("eval_runs", {"eval_run_id": "r1"})
    if aggregate:
        history.add("suites", {"suite_id": "suite-a", "suite_digest": "s", "aggregate": aggregate})
    for number, verdict in enumerate(verdicts, start=1):
        history.trial(f"r1/case-a/{number}", verdict)


@pytest.mark.parametrize(
    ("verdicts", "majority", "every", "some"),
    [
        pytest.param(["pass"], "pass", "pass", "pass", id="one pass"),
        pytest.param(["fail"], "fail", "fail", "fail", id="one fail"),
        pytest.param(["invalid"], "invalid", "invalid", "invalid", id="one invalid"),
        pytest.param(["invalid", "invalid"], "invalid", "invalid", "invalid", id="no comparable trial"),
        pytest.param(["pass", "fail"], "fail", "fail", "pass", id="half"),
        pytest.param(["pass", "pass", "fail"], "pass", "fail", "pass", id="more than half"),
        pytest.param(["pass", "fail", "fail"], "fail", "fail", "pass", id="less than half"),
        pytest.param(["pass", "invalid"], "pass", "fail", "pass", id="pass and invalid"),
        pytest.param(
            ["pass", "fail", "pass", "invalid", "invalid"], "pass", "fail", "pass", id="comparable ones count"
        ),
        pytest.param(["fail", "invalid"], "fail", "fail", "fail", id="fail and invalid"),
        pytest.param(["pass", "pass", "pass"], "pass", "pass", "pass", id="three passes"),
    ],
)
@pytest.mark.parametrize("aggregate", ["majority", "all", "any", None])
def test_verdict(
    history: History, verdicts: list[str], majority: str, every: str, some: str, aggregate: str | None
) -> None:
    trials(history, *verdicts, aggregate=aggregate)
    expected = {"majority": majority, "all": every, "any": some, None: majority}[aggregate]
    assert history.rows("select verdict, aggregate from case_verdicts") == [(expected, aggregate or "majority")]


@pytest.mark.parametrize(
    ("verdicts", "code", "worst"),
    [
        pytest.param(["pass", "pass", "fail"], None, {}, id="a pass has no code"),
        pytest.param(
            ["fail", "diagnosis", "diagnosis"],
            "diagnosis_critical_gate_failed",
            {"critical_evidence": "fail", "diagnosis": "fail"},
            id="the most frequent code, the worst status",
        ),
        pytest.param(
            ["diagnosis", "partial"],
            "critical_evidence_partial",
            {"critical_evidence": "partial", "diagnosis": "fail"},
            id="of equally frequent ones the first in precedence",
        ),
        pytest.param(
            ["fail", "invalid", "invalid"],
            "critical_evidence_missing",
            {"critical_evidence": "fail"},
            id="trials of the verdict alone decide",
        ),
        pytest.param(["invalid"], "contract_failed", {"contract": "fail"}, id="invalid"),
    ],
)
def test_code_and_statuses(history: History, verdicts: list[str], code: str | None, worst: dict[str, str]) -> None:
    trials(history, *verdicts)
    [row] = history.frame(f"select primary_failure_code, {', '.join(BUCKETS)} from case_verdicts").rows(named=True)
    assert row == {"primary_failure_code": code, **dict.fromkeys(BUCKETS, "pass"), **worst}


@pytest.mark.parametrize("codes", ["one code", "two codes"])
@pytest.mark.parametrize("bucket", BUCKETS)
def test_the_worst_status_of_each_bucket(history: History, bucket: str, codes: str) -> None:
    trials(history, "invalid", "invalid")
    other = "contract_failed" if codes == "one code" else "workflow_incomplete"
    replaced = f"""case trial when 1 then 'pass' else 'partial' end as {bucket},
        case trial when 1 then 'contract_failed' else '{other}' end as primary_failure_code"""
    history.con.execute(f"create or replace temp view told as select * replace ({replaced}) from all_verdicts")
    assert history.rows(f"select {bucket} from case_verdicts_of('told')") == [("partial",)]
    history.con.execute("drop view told")


def test_where_no_trial_has_the_verdict_those_that_are_no_pass_decide(history: History) -> None:
    trials(history, "pass", "pass", "invalid", aggregate="all")
    columns = "verdict, failed, primary_failure_code, contract"
    assert history.rows(f"select {columns} from case_verdicts") == [("fail", 0, "contract_failed", "fail")]


def test_a_case_without_bundles_has_no_statuses(history: History) -> None:
    history.case_of_verdicts()
    history.trial("r1/case-a/1", "pass", bundle_status="unresolved")
    assert history.rows("select verdict, primary_failure_code, contract from case_verdicts") == [
        ("invalid", "bundle_unresolved", None)
    ]


def test_every_column(history: History) -> None:
    trials(history, "pass", "fail", "pass", "invalid")
    expected = pl.DataFrame(
        [
            {
                "judgment_id": "j1",
                "eval_run_id": "r1",
                "case_id": "case-a",
                "suite_id": "suite-a",
                "suite_version": 1,
                "case_version": 1,
                "case_digest": "case-a@1",
                "oldest_case_version": 1,
                "newest_case_version": 1,
                "aggregate": "majority",
                "trials": 4,
                "passed": 2,
                "failed": 1,
                "invalid": 1,
                "comparable": 3,
                "pass_rate": 2 / 3,
                "pass_rate_low": 0.2076596008,
                "pass_rate_high": 0.9385080553,
                "mean_score": 50 / 3,
                "max_score": 20.0,
                "score_pct": 250 / 3,
                "verdict": "pass",
                "primary_failure_code": None,
                **dict.fromkeys(BUCKETS, "pass"),
            }
        ],
        schema_overrides={"primary_failure_code": pl.String},
    )
    assert_frame_equal(history.frame("from case_verdicts"), expected, abs_tol=1e-9)


def test_without_a_comparable_trial_rates_and_scores_are_unknown(history: History) -> None:
    trials(history, "invalid", "invalid")
    columns = "comparable, pass_rate, pass_rate_low, pass_rate_high, mean_score, max_score, score_pct"
    assert history.rows(f"select {columns} from case_verdicts") == [(0, *[None] * 6)]


def test_versions_that_the_trials_recorded(history: History) -> None:
    history.case_of_verdicts()
    history.case_of_verdicts("case-b@1")
    history.trial("r1/case-a/1", "pass", case_version=5, recorded_case_version=3)
    history.trial("r1/case-a/2", "pass", case_version=5, recorded_case_version=None)
    history.trial("r1/case-a/3", "fail", case_version=5, recorded_case_version=2)
    history.trial("r1/case-a/4", "invalid", case_version=5, recorded_case_version=4)
    history.trial("r1/case-b/1", "pass", case_version=5, recorded_case_version=3)
    history.trial("r1/case-b/2", "fail", case_version=5, recorded_case_version=7)
    columns = "case_version, oldest_case_version, newest_case_version"
    assert history.rows(f"select {columns} from case_verdicts order by case_id") == [(5, 2, 5), (5, 3, 7)]


def test_one_row_per_judgment_eval_run_and_case(history: History) -> None:
    history.case_of_verdicts()
    history.case_of_verdicts("case-b@1")
    history.trial("r1/case-a/1", "pass")
    history.trial("r1/case-b/1", "fail")
    history.trial("r2/case-a/1", "fail")
    history.trial("r1/case-a/1", "fail", judgment_id="j2")
    history.trial("r1/case-a/2", "fail", judgment_id="j2")
    columns = "judgment_id, eval_run_id, case_id, trials, verdict"
    assert history.rows(f"select {columns} from case_verdicts order by all") == [
        ("j1", "r1", "case-a", 1, "pass"),
        ("j1", "r1", "case-b", 1, "fail"),
        ("j1", "r2", "case-a", 1, "fail"),
        ("j2", "r1", "case-a", 2, "fail"),
    ]
