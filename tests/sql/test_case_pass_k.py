"""View `case_pass_k`."""

import pytest

from tests.sql.history_builder import History


def test_a_row_for_each_number_of_comparable_trials(history: History) -> None:
    history.case_of_verdicts()
    for number, verdict in enumerate(["pass", "fail", "pass", "invalid", "fail"], start=1):
        history.trial(f"r1/case-a/{number}", verdict)
    assert history.rows("from case_pass_k order by k") == [
        ("j1", "r1", "case-a", 1, 4, 2, 0.5, 0.5),
        ("j1", "r1", "case-a", 2, 4, 2, pytest.approx(5 / 6), pytest.approx(1 / 6)),
        ("j1", "r1", "case-a", 3, 4, 2, 1.0, 0.0),
        ("j1", "r1", "case-a", 4, 4, 2, 1.0, 0.0),
    ]


def test_a_case_without_comparable_trials_has_no_row(history: History) -> None:
    history.case_of_verdicts()
    history.trial("r1/case-a/1", "invalid")
    assert history.rows("from case_pass_k") == []
