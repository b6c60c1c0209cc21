"""View `rejudged_case_runs`."""

from tests.sql.history_builder import History


def test_case_runs_that_several_judgments_judged(history: History) -> None:
    for case_run, judgments in {"r/c/1": "abc", "r/c/2": "b", "s/c/1": "bc"}.items():
        for judgment in judgments:
            history.judged(case_run, judgment_id=judgment)
    assert history.rows("select case_run_id, judgment_id from rejudged_case_runs order by all") == [
        ("r/c/1", "a"),
        ("r/c/1", "b"),
        ("r/c/1", "c"),
        ("s/c/1", "b"),
        ("s/c/1", "c"),
    ]


def test_has_the_columns_of_judged_case_runs(history: History) -> None:
    assert history.frame("from rejudged_case_runs").schema == history.frame("from judged_case_runs").schema
