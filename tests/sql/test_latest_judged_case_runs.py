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


def test_a_case_run_without_its_judgment_is_shown_and_supersedes_nothing(history: History) -> None:
    history.add("judgments", {"judgment_id": "a"})
    history.judged("r/c/1", judgment_id="a")
    history.judged("r/c/1", judgment_id="lost")
    history.judged("r/c/2", judgment_id="lost")
    assert history.rows("select case_run_id, judgment_id from latest_judged_case_runs order by all") == [
        ("r/c/1", "a"),
        ("r/c/2", "lost"),
    ]


def test_superseded_among_looks_at_the_named_case_runs_only(history: History) -> None:
    history.add("judgments", {"judgment_id": "a"}, {"judgment_id": "b", "judged_at": DAY_2})
    for case_run in ("r/c/1", "r/c/2", "s/c/1"):
        for judgment in ("a", "b"):
            history.judged(case_run, judgment_id=judgment)
    history.con.execute(
        "create or replace temp view named as select 'r' as eval_run_id, 'r/c/' || n as case_run_id from range(3) as t(n)"
    )
    assert history.rows(
        "select case_run_id, judgment_id from superseded_among('named') inner join judged_case_runs using (judged_key) order by all"
    ) == [("r/c/1", "a"), ("r/c/2", "a")]


def test_what_is_added_later_supersedes_what_was_there(history: History) -> None:
    history.add("judgments", {"judgment_id": "a"}, {"judgment_id": "b", "judged_at": DAY_2})
    found = "select judgment_id from latest_judged_case_runs"
    history.judged("r/c/1", judgment_id="b")
    assert history.rows(found) == [("b",)]
    history.judged("r/c/1", judgment_id="a")
    assert history.rows(found) == [("b",)]


def test_has_the_columns_of_judged_case_runs(history: History) -> None:
    assert history.frame("from latest_judged_case_runs").schema == history.frame("from judged_case_runs").schema
