"""View `eval_run_plans`."""

from datetime import timedelta

from tests.sql.history_builder import DAY_1, DAY_2, History


def test_planned_and_found(history: History) -> None:
    history.add("suites", {"suite_id": "suite-a", "suite_digest": "s", "trials": 3})
    history.add("suite_cases", *({"suite_digest": "s", "suite_id": "suite-a", "case_id": c} for c in "ab"))
    history.add("eval_runs", {"eval_run_id": "r1"}, {"eval_run_id": "r2", "suite_id": None}, {"eval_run_id": "r3"})
    history.add("case_runs", {"case_run_id": "r1/a/1"}, {"case_run_id": "r1/b/1"}, {"case_run_id": "r4/a/1"})
    columns = "eval_run_id, suite_id, planned, found"
    assert history.rows(f"select {columns} from eval_run_plans order by eval_run_id") == [
        ("r1", "suite-a", 6, 2),
        ("r2", None, None, 0),
        ("r3", "suite-a", 6, 0),
        ("r4", None, None, 1),
    ]


def test_started_at_is_that_of_the_record_else_of_the_earliest_case_run(history: History) -> None:
    history.add("eval_runs", {"eval_run_id": "r1", "started_at": DAY_2}, {"eval_run_id": "r2"}, {"eval_run_id": "r3"})
    for eval_run_id in ("r1", "r2"):
        for trial, started in enumerate([DAY_1 + timedelta(hours=2), DAY_1 + timedelta(hours=1), None], start=1):
            history.add("case_runs", {"case_run_id": f"{eval_run_id}/a/{trial}", "started_at": started})
    assert history.rows("select eval_run_id, started_at from eval_run_plans order by eval_run_id") == [
        ("r1", DAY_2),
        ("r2", DAY_1 + timedelta(hours=1)),
        ("r3", None),
    ]


def test_the_agent_and_version_are_those_of_the_eval_run(history: History) -> None:
    agent = {"agent_name": "demo", "agent_version": "1.1", "agent_model": "m", "suite_version": 4}
    history.add("eval_runs", {"eval_run_id": "r1", **agent})
    assert history.rows(f"select {', '.join(agent)} from eval_run_plans") == [tuple(agent.values())]
