"""View `latest_judged_case_runs`."""

from datetime import timedelta

from tests.sql.history_builder import DAY_1, DAY_2, History


def test_the_latest_judgment_of_each_run(history: History) -> None:
    history.add("judgments", {"judgment_id": "old", "judged_at": DAY_1}, {"judgment_id": "new", "judged_at": DAY_2})
    history.judged("r/c/1", judgment_id="new", bundle_digest="b2", cause="harness")
    history.judged("r/c/1", judgment_id="old", bundle_digest="b1")
    history.judged("r/c/2", judgment_id="old", bundle_digest="b3", progressed=True, has_output=False)
    rows = history.rows("from latest_judged_case_runs order by case_run_id")
    assert rows == [
        (1, "new", "r/c/1", "r", "c", 1, "case-a@1", 1, None, "b2", "resolved", True, "harness", False),
        (3, "old", "r/c/2", "r", "c", 2, "case-a@1", 1, None, "b3", "resolved", False, "agent", True),
    ]


def test_each_run_may_have_another_latest_judgment(history: History) -> None:
    for number, judgment in enumerate("abc"):
        history.add("judgments", {"judgment_id": judgment, "judged_at": DAY_1 + timedelta(days=number)})
    for case_run, judgments in {"r/c/1": "abc", "r/c/2": "ab", "r/c/3": "a", "s/c/1": "ac"}.items():
        for judgment in judgments:
            history.judged(case_run, judgment_id=judgment)
    found = "select case_run_id, judgment_id from latest_judged_case_runs"
    expected = [("r/c/1", "c"), ("r/c/2", "b"), ("r/c/3", "a"), ("s/c/1", "c")]
    assert history.rows(f"{found} order by all") == expected
    assert history.rows(f"{found} where eval_run_id = 's'") == expected[3:]


def test_of_judgments_of_one_moment_the_one_with_the_greater_id(history: History) -> None:
    history.add("judgments", {"judgment_id": "a"}, {"judgment_id": "b"}, {"judgment_id": "c"})
    for judgment in ("b", "c", "a"):
        history.judged("r/c/1", judgment_id=judgment)
    assert history.rows("select judgment_id from latest_judged_case_runs") == [("c",)]


def test_has_the_columns_of_judged_case_runs(history: History) -> None:
    assert history.frame("from latest_judged_case_runs").schema == history.frame("from judged_case_runs").schema
