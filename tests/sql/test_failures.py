"""View `failures`."""

from tests.sql.history_builder import DAY_1, DAY_2, History


def test_failed_checks_in_words(history: History) -> None:
    history.case(
        "case-a@1",
        {"bucket": "contract", "check_id": "window", "required": False},
        {"bucket": "critical_evidence", "check_id": "seen"},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
        {"bucket": "diagnosis", "layer": "supporting", "check_id": "advice"},
    )
    history.add("judgments", {"judgment_id": "j1"})
    failed = ["contract.window", "diagnosis.supporting.advice", "critical_evidence.seen"]
    history.judged("r1/case-a/1", failed=failed)
    assert history.rows("from failures") == [
        (
            "j1",
            "r1/case-a/1",
            "r1",
            "case-a",
            1,
            "fail",
            "agent",
            "critical_evidence_missing",
            "none of the critical evidence was found",
            3,
            "optional contract.window (nothing matched); critical_evidence.seen (nothing matched); "
            "supporting diagnosis.advice (nothing matched)",
        )
    ]


def test_a_reason_without_words_is_told_as_it_is(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    history.trial("r1/case-a/1", "diagnosis")
    history.con.execute("update check_outcomes set reason = 'unheard_of' where not passed")
    assert history.rows("select failed_checks from failures") == [("diagnosis.named (unheard_of)",)]
    history.con.execute("update check_outcomes set reason = null where not passed")
    assert history.rows("select failed_checks from failures") == [("diagnosis.named",)]


def test_a_run_without_bundle_failed_no_check(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    history.trial("r1/case-a/1", "pass", bundle_status="unresolved")
    assert history.rows("select verdict, meaning, failed, failed_checks from failures") == [
        ("invalid", "no run bundle was found", 0, None)
    ]


def test_a_pass_is_no_failure(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    history.trial("r1/case-a/1", "pass")
    assert history.rows("from failures") == []


def test_only_the_latest_judgment_counts(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1", "judged_at": DAY_1}, {"judgment_id": "j2", "judged_at": DAY_2})
    history.trial("r1/case-a/1", "fail")
    history.trial("r1/case-a/1", "diagnosis", judgment_id="j2")
    history.trial("r1/case-a/2", "fail")
    history.trial("r1/case-a/2", "pass", judgment_id="j2")
    assert history.rows("select case_run_id, judgment_id, failed from failures") == [("r1/case-a/1", "j2", 1)]


def test_a_check_without_outcome_is_told(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"})
    history.judged("r1/case-a/1", failed=["contract.same_cluster"], missing=["diagnosis.hard.named"])
    assert history.rows("select failed, failed_checks from failures") == [
        (2, "contract.same_cluster (nothing matched); diagnosis.named (no result)")
    ]
