"""View `eval_run_coverage`."""

import pytest

from tests.sql.history_builder import History

COLUMNS = "eval_run_id, planned, judged, cases_without_run, incomplete"


def suite_of_two_cases(history: History, trials: int) -> None:
    history.case_of_verdicts()
    history.case_of_verdicts("case-b@1")
    history.add("judgments", {"judgment_id": "j1"})
    history.add("eval_runs", {"eval_run_id": "r1"})
    history.add("suites", {"suite_id": "suite-a", "suite_digest": "s", "trials": trials})
    history.add(
        "suite_cases", *({"suite_digest": "s", "suite_id": "suite-a", "case_id": c} for c in ("case-a", "case-b"))
    )


@pytest.mark.parametrize(
    ("case_runs", "expected"),
    [
        pytest.param(["a/1", "a/2", "b/1", "b/2"], ("r1", 4, 4, 0, False), id="complete"),
        pytest.param(["a/1", "a/2", "b/1"], ("r1", 4, 3, 0, True), id="a trial is missing"),
        pytest.param(["a/1", "a/2", "a/3", "a/4"], ("r1", 4, 4, 1, True), id="a case is missing"),
    ],
)
def test_planned_and_judged(history: History, case_runs: list[str], expected: tuple[object, ...]) -> None:
    suite_of_two_cases(history, trials=2)
    for case_run in case_runs:
        history.trial(f"r1/case-{case_run}", "pass")
    assert history.rows(f"select {COLUMNS} from eval_run_coverage") == [expected]


def test_an_eval_run_of_an_unknown_suite_is_never_incomplete(history: History) -> None:
    suite_of_two_cases(history, trials=2)
    history.trial("r2/case-a/1", "pass")
    assert history.rows(f"select {COLUMNS} from eval_run_coverage") == [("r2", None, 1, 0, False)]
