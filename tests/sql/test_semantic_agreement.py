"""View `semantic_agreement`."""

from __future__ import annotations

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from tests.sql.history_builder import DAY_2, History


def answer(history: History, case_run_id: str, matched: bool | None, **columns: object) -> None:
    """An answer to the question q1, which shadows the check `named`."""
    history.add("semantic_results", {"case_run_id": case_run_id, "shadows": "named", "matched": matched, **columns})


@pytest.fixture
def case(history: History) -> History:
    """A history with a case whose check `named` is shadowed, and two judgments."""
    history.case_of_verdicts()
    history.add("judgments", {"judgment_id": "j1"}, {"judgment_id": "j2", "judged_at": DAY_2})
    return history


def test_every_column(case: History) -> None:
    """Both say yes 3 times, no 2 times; the shadow alone yes once; two questions got no answer."""
    told = [("pass", True)] * 3 + [("diagnosis", False)] * 2 + [("diagnosis", True)]
    for trial, (verdict, matched) in enumerate(told, start=1):
        case.trial(f"r1/case-a/{trial}", verdict)
        answer(case, f"r1/case-a/{trial}", matched)
    for trial, status in enumerate(["timeout", "provider_missing"], start=7):
        case.trial(f"r1/case-a/{trial}", "pass")
        answer(case, f"r1/case-a/{trial}", None, status=status)
    by_chance = (3 * 4 + 3 * 2) / 36
    expected = pl.DataFrame(
        [
            {
                "case_id": "case-a",
                "case_digest": "case-a@1",
                "semantic_check_id": "q1",
                "layer": "hard",
                "check_id": "named",
                "compared": 6,
                "unanswered": 2,
                "both_passed": 3,
                "only_check_passed": 0,
                "only_shadow_passed": 1,
                "neither_passed": 2,
                "agreement": 5 / 6,
                "kappa": (5 / 6 - by_chance) / (1 - by_chance),
            }
        ]
    )
    assert_frame_equal(case.frame("from semantic_agreement"), expected, abs_tol=1e-12)


@pytest.mark.parametrize(
    ("verdict", "matched", "cell"),
    [
        ("pass", True, "both_passed"),
        ("pass", False, "only_check_passed"),
        ("diagnosis", True, "only_shadow_passed"),
        ("diagnosis", False, "neither_passed"),
    ],
)
def test_each_cell(case: History, verdict: str, matched: bool, cell: str) -> None:
    case.trial("r1/case-a/1", verdict)
    answer(case, "r1/case-a/1", matched)
    cells = ("both_passed", "only_check_passed", "only_shadow_passed", "neither_passed")
    [row] = case.frame(f"select {', '.join(cells)} from semantic_agreement").rows(named=True)
    assert row == {**dict.fromkeys(cells, 0), cell: 1}


def test_where_nothing_varies_there_is_no_kappa(case: History) -> None:
    case.trial("r1/case-a/1", "pass")
    answer(case, "r1/case-a/1", True)
    assert case.rows("select agreement, kappa from semantic_agreement") == [(1.0, None)]


def test_without_an_answer_there_is_no_agreement(case: History) -> None:
    case.trial("r1/case-a/1", "pass")
    answer(case, "r1/case-a/1", None, status="timeout")
    columns = "compared, unanswered, agreement, kappa"
    assert case.rows(f"select {columns} from semantic_agreement") == [(0, 1, None, None)]


def test_a_question_that_shadows_nothing_is_left_out(case: History) -> None:
    case.trial("r1/case-a/1", "pass")
    answer(case, "r1/case-a/1", True, shadows=None)
    assert case.rows("from semantic_agreement") == []


def test_only_diagnosis_checks_are_shadowed(case: History) -> None:
    case.trial("r1/case-a/1", "pass")
    answer(case, "r1/case-a/1", True, shadows="seen")
    assert case.rows("from semantic_agreement") == []


def test_a_case_run_counts_once_with_its_latest_answer(case: History) -> None:
    case.trial("r1/case-a/1", "pass")
    case.trial("r1/case-a/1", "diagnosis", judgment_id="j2")
    answer(case, "r1/case-a/1", True)
    answer(case, "r1/case-a/1", False, judgment_id="j2")
    assert case.rows("select compared, neither_passed from semantic_agreement") == [(1, 1)]


def test_the_check_is_that_of_the_judgment_that_was_shadowed(case: History) -> None:
    case.trial("r1/case-a/1", "diagnosis")
    case.trial("r1/case-a/1", "pass", judgment_id="j2")
    answer(case, "r1/case-a/1", False)
    assert case.rows("select compared, neither_passed from semantic_agreement") == [(1, 1)]


def test_a_missing_outcome_failed(case: History) -> None:
    case.judged("r1/case-a/1", missing=["diagnosis.hard.named"])
    answer(case, "r1/case-a/1", False)
    assert case.rows("select neither_passed from semantic_agreement") == [(1,)]


def test_an_id_of_both_layers_means_the_hard_check(history: History) -> None:
    history.case(
        "case-a@1",
        {"bucket": "diagnosis", "layer": "supporting", "check_id": "named"},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
    )
    history.add("judgments", {"judgment_id": "j1"})
    history.judged("r1/case-a/1", failed=["diagnosis.hard.named"])
    answer(history, "r1/case-a/1", False)
    assert history.rows("select layer, neither_passed from semantic_agreement") == [("hard", 1)]


def test_questions_and_revisions_are_kept_apart(case: History) -> None:
    case.case_of_verdicts("case-a@2")
    case.trial("r1/case-a/1", "pass")
    case.trial("r1/case-a/2", "pass", case_digest="case-a@2")
    answer(case, "r1/case-a/1", True)
    answer(case, "r1/case-a/1", False, semantic_check_id="q2")
    answer(case, "r1/case-a/2", True, case_digest="case-a@2")
    columns = "case_digest, semantic_check_id, both_passed, only_check_passed"
    assert case.rows(f"select {columns} from semantic_agreement order by all") == [
        ("case-a@1", "q1", 1, 0),
        ("case-a@1", "q2", 0, 1),
        ("case-a@2", "q1", 1, 0),
    ]
