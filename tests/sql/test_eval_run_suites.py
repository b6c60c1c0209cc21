"""View `eval_run_suites`."""

import pytest

from tests.sql.history_builder import History

SUITES = (
    {"suite_id": "s", "suite_version": 1, "suite_digest": "s1", "aggregate": "any", "trials": 1},
    {"suite_id": "s", "suite_version": 2, "suite_digest": "s2", "aggregate": "all", "trials": 2},
    {"suite_id": "s", "suite_version": 3, "suite_digest": "s3a", "aggregate": "any", "trials": 3},
    {"suite_id": "s", "suite_version": 3, "suite_digest": "s3b", "aggregate": "majority", "trials": 4},
    {"suite_id": "other", "suite_version": 9, "suite_digest": "o9", "aggregate": "all", "trials": 9},
)


@pytest.mark.parametrize(
    ("recorded", "expected"),
    [
        pytest.param(2, ("s2", "all", 2), id="the version that was recorded"),
        pytest.param(1, ("s1", "any", 1), id="an old version that was recorded"),
        pytest.param(3, ("s3b", "majority", 4), id="two of one version: the greater digest"),
        pytest.param(7, ("s3b", "majority", 4), id="an unknown version: the newest"),
        pytest.param(None, ("s3b", "majority", 4), id="no version: the newest"),
    ],
)
def test_which_version_counts(history: History, recorded: int | None, expected: tuple[str, str, int]) -> None:
    history.add("suites", *SUITES)
    history.add("eval_runs", {"eval_run_id": "r1", "suite_id": "s", "suite_version": recorded})
    assert history.rows("from eval_run_suites") == [("r1", "s", recorded, *expected)]


@pytest.mark.parametrize("suite", ["unheard-of", None])
def test_an_unknown_suite_has_no_row(history: History, suite: str | None) -> None:
    history.add("suites", *SUITES)
    history.add("eval_runs", {"eval_run_id": "r1", "suite_id": suite})
    assert history.rows("from eval_run_suites") == []
