"""Macros `failed_checks_of` and `decisions_of`: what the verdicts of chosen case runs are made of."""

from tests.sql.history_builder import History

FAILED = """
    select judged_case_runs.case_run_id, checks.check_id, has_outcome, reason
    from failed_checks_of('judged_case_runs')
    inner join judged_case_runs using (judged_key)
    inner join checks using (check_key)
    order by all
"""


def test_failed_null_and_missing_outcomes(history: History) -> None:
    history.case_of_verdicts()
    history.judged("r1/case-a/1")
    history.judged("r1/case-a/2", failed=["contract.same_cluster"], missing=["diagnosis.hard.named"])
    history.judged("r1/case-a/3")
    history.write()
    history.con.execute("update check_outcomes set passed = null where judged_key = 7 and check_key = 2")
    assert history.rows(FAILED) == [
        ("r1/case-a/2", "named", False, None),
        ("r1/case-a/2", "same_cluster", True, "not_matched"),
        ("r1/case-a/3", "seen", True, None),
    ]


def test_a_run_without_buckets_lacks_nothing(history: History) -> None:
    history.case_of_verdicts()
    history.judged("r1/case-a/1", bundle_status="unresolved")
    history.judged("r1/case-a/2", bundle_status="ambiguous")
    every = [name for _, name in history.checks_of("case-a@1")]
    history.judged("r1/case-a/3", missing=every, cause="environment", has_output=False)
    assert history.rows(FAILED) == []


def test_only_chosen_case_runs_count(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"}, {"judgment_id": "j2"})
    history.trial("r1/case-a/1", "diagnosis")
    history.trial("r1/case-a/1", "pass", judgment_id="j2")
    history.trial("r1/case-a/2", "invalid")
    found = history.rows("select judged_key from failed_checks_of('latest_judged_case_runs')")
    assert found == [(7,)]
    columns = "case_run_id, verdict, failed_checks, failed_words"
    assert history.rows(f"select {columns} from decisions_of('latest_judged_case_runs') order by all") == [
        ("r1/case-a/1", "pass", 0, None),
        ("r1/case-a/2", "invalid", 1, "contract.same_cluster (nothing matched)"),
    ]
