"""View `latest_case_verdicts`."""

from tests.sql.history_builder import DAY_1, DAY_2, History


def judged_one_by_one(history: History) -> None:
    """Three trials, each judged last by another judgment; the first one twice."""
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1", "judged_at": DAY_1}, {"judgment_id": "j2", "judged_at": DAY_2})
    history.trial("r1/case-a/1", "fail")
    history.trial("r1/case-a/1", "pass", judgment_id="j2")
    history.trial("r1/case-a/2", "pass")
    history.trial("r1/case-a/3", "fail", judgment_id="j2")


def test_trials_judged_one_by_one_make_one_case(history: History) -> None:
    judged_one_by_one(history)
    columns = "judgment_id, trials, passed, failed, verdict"
    assert history.rows(f"select {columns} from latest_case_verdicts") == [("j2", 3, 2, 1, "pass")]
    assert history.rows(f"select {columns} from case_verdicts order by all") == [
        ("j1", 2, 1, 1, "fail"),
        ("j2", 2, 1, 1, "fail"),
    ]


def test_is_case_verdicts_where_there_is_one_judgment(history: History) -> None:
    judged_one_by_one(history)
    history.forget("j2")
    latest, all_of_them = (history.frame(f"from {view}") for view in ("latest_case_verdicts", "case_verdicts"))
    assert latest.equals(all_of_them)
    assert latest.schema == all_of_them.schema
