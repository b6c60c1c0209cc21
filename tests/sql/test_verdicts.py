"""View `verdicts`."""

from tests.sql.history_builder import DAY_1, DAY_2, History


def two_judgments(history: History) -> None:
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1", "judged_at": DAY_1}, {"judgment_id": "j2", "judged_at": DAY_2})
    history.trial("r1/case-a/1", "pass")
    history.trial("r1/case-a/2", "fail")
    history.trial("r1/case-a/1", "diagnosis", judgment_id="j2")


def test_each_run_by_its_latest_judgment(history: History) -> None:
    two_judgments(history)
    assert history.rows("select case_run_id, judgment_id, verdict, score from verdicts order by case_run_id") == [
        ("r1/case-a/1", "j2", "fail", 10.0),
        ("r1/case-a/2", "j1", "fail", 10.0),
    ]


def test_is_all_verdicts_where_there_is_one_judgment(history: History) -> None:
    two_judgments(history)
    history.forget("j2")
    both = (history.frame(f"from {view} order by case_run_id") for view in ("verdicts", "all_verdicts"))
    verdicts, all_verdicts = both
    assert verdicts.equals(all_verdicts)
    assert verdicts.schema == all_verdicts.schema
