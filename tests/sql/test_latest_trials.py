"""View `latest_trials`."""

from tests.sql.history_builder import DAY_1, DAY_2, History


def test_trials_of_a_case_take_the_latest_of_their_judgments(history: History) -> None:
    history.case_of_verdicts()
    history.case_of_verdicts("case-b@1")
    history.add("judgments", {"judgment_id": "j1", "judged_at": DAY_2}, {"judgment_id": "j0", "judged_at": DAY_1})
    history.trial("r1/case-a/1", "pass", judgment_id="j0", recorded_case_version=2)
    history.trial("r1/case-a/2", "fail", judgment_id="j1")
    history.trial("r1/case-b/1", "pass", judgment_id="j0")
    columns = "eval_run_id, case_id, verdict, judgment_id, recorded_case_version, score, max_score, critical_evidence"
    assert history.rows(f"select {columns} from latest_trials order by all") == [
        ("r1", "case-a", "fail", "j1", None, 10.0, 20.0, "fail"),
        ("r1", "case-a", "pass", "j1", 2, 20.0, 20.0, "pass"),
        ("r1", "case-b", "pass", "j0", None, 20.0, 20.0, "pass"),
    ]
