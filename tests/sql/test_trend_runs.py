"""View `trend_runs`."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from tests.sql.history_builder import DAY_1, DAY_2, History


@pytest.fixture
def cases(history: History) -> History:
    """A history that knows two revisions of the cases a and b, and some judgments."""
    for name in ("a", "b"):
        history.case_of_verdicts(f"{name}@1")
        history.case_of_verdicts(f"{name}@2")
    history.add(
        "judgments",
        {"judgment_id": "j1", "pack_digests": "p"},
        {"judgment_id": "same", "pack_digests": "p", "registry_digest": "other", "engine_version": "2"},
        {"judgment_id": "packs", "pack_digests": "q"},
        {"judgment_id": "semantics", "pack_digests": "p", "semantics_version": 2},
    )
    history.add(
        "suites",
        {"suite_id": "suite-a", "suite_digest": "s1"},
        {"suite_id": "suite-a", "suite_digest": "s2", "suite_version": 2},
        {"suite_id": "suite-a", "suite_digest": "s3", "suite_version": 3, "aggregate": "any"},
    )
    return history


def run(history: History, number: int, *case_runs: str, eval_run: dict[str, Any] | None = None, **columns: Any) -> None:
    """Eval run `r<number>`, started on that day, with a verdict of each case run (`case/trial`)."""
    started = {"started_at": DAY_1 + timedelta(days=number)}
    history.add("eval_runs", {"eval_run_id": f"r{number}", **started, **(eval_run or {})})
    for case_run in case_runs or ("a/1",):
        history.add("case_runs", {"case_run_id": f"r{number}/{case_run}"})
        history.judged(f"r{number}/{case_run}", **{"case_digest": f"{case_run[0]}@1", **columns})


def test_order_and_previous(history: History) -> None:
    """By started_at, else by the earliest case run, those without last; ties by id; each suite by itself."""
    history.add(
        "eval_runs",
        {"eval_run_id": "d", "started_at": DAY_2},
        {"eval_run_id": "c", "started_at": DAY_2},
        {"eval_run_id": "b"},
        {"eval_run_id": "a"},
        {"eval_run_id": "e"},
        {"eval_run_id": "x", "suite_id": "suite-b", "started_at": DAY_1},
        {"eval_run_id": "n", "suite_id": None},
    )
    history.add("case_runs", {"case_run_id": "e/case-a/1", "started_at": DAY_1}, {"case_run_id": "m/case-a/1"})
    assert history.rows("select suite_id, place, eval_run_id, previous_eval_run_id from trend_runs order by all") == [
        ("suite-a", 1, "e", None),
        ("suite-a", 2, "c", "e"),
        ("suite-a", 3, "d", "c"),
        ("suite-a", 4, "a", "d"),
        ("suite-a", 5, "b", "a"),
        ("suite-b", 1, "x", None),
        (None, 1, "m", None),
        (None, 2, "n", "m"),
    ]


@pytest.mark.parametrize(
    ("eval_run", "judged", "segment"),
    [
        pytest.param({}, {}, 1, id="nothing"),
        pytest.param({}, {"judgment_id": "same"}, 1, id="a judgment that means the same"),
        pytest.param({"agent_version": "2"}, {"bundle_digest": "b2"}, 1, id="another agent"),
        pytest.param({}, {"case_digest": "a@2"}, 2, id="the case"),
        pytest.param({}, {"judgment_id": "packs"}, 2, id="a pack"),
        pytest.param({}, {"judgment_id": "semantics"}, 2, id="the semantics"),
        pytest.param({"suite_version": 2}, {}, 2, id="the suite version"),
        pytest.param({"suite_version": 3}, {}, 2, id="the suite version, with another aggregate"),
    ],
)
def test_segment_rises_where_the_meaning_changes(
    cases: History, eval_run: dict[str, Any], judged: dict[str, Any], segment: int
) -> None:
    run(cases, 1)
    run(cases, 2, eval_run=eval_run, **judged)
    found = cases.rows("select eval_run_id, segment, mixed_semantics from trend_runs order by place")
    assert found == [("r1", 1, False), ("r2", segment, False)]


def test_a_case_is_compared_with_the_latest_eval_run_that_has_it(cases: History) -> None:
    """A case that was lost or added changes no meaning; one that comes back otherwise does."""
    run(cases, 1, "a/1", "b/1")
    run(cases, 2, "a/1")
    run(cases, 3, "b/1")
    run(cases, 4, "a/1", case_digest="a@2")
    run(cases, 5, "b/1")
    run(cases, 6, "a/1")
    found = cases.rows("select eval_run_id, segment from trend_runs order by place")
    assert found == [("r1", 1), ("r2", 1), ("r3", 1), ("r4", 2), ("r5", 2), ("r6", 3)]


def test_an_eval_run_that_is_not_judged_changes_nothing(cases: History) -> None:
    run(cases, 1)
    cases.add("eval_runs", {"eval_run_id": "r2", "started_at": DAY_1 + timedelta(days=2), "suite_version": 3})
    run(cases, 3)
    run(cases, 4, judgment_id="packs")
    assert cases.rows("select segment from trend_runs order by place") == [(1,), (1,), (1,), (2,)]


def test_suites_have_segments_of_their_own(cases: History) -> None:
    run(cases, 1)
    run(cases, 2, eval_run={"suite_id": "suite-b"}, case_digest="a@2", judgment_id="packs")
    run(cases, 3)
    assert cases.rows("select eval_run_id, segment from trend_runs order by all") == [("r1", 1), ("r2", 1), ("r3", 1)]


@pytest.mark.parametrize(
    ("second", "mixed"),
    [
        pytest.param({}, False, id="the same"),
        pytest.param({"judgment_id": "same"}, False, id="a judgment that means the same"),
        pytest.param({"judgment_id": "packs"}, True, id="other packs"),
        pytest.param({"judgment_id": "semantics"}, True, id="other semantics"),
        pytest.param({"suite_digest": "s2"}, True, id="another suite digest"),
        pytest.param({"case_digest": "a@2"}, True, id="another case digest"),
    ],
)
@pytest.mark.parametrize("other", ["a/2", "b/1"])
def test_mixed_semantics(cases: History, second: dict[str, Any], mixed: bool, other: str) -> None:
    run(cases, 1, "a/1", suite_digest="s1")
    cases.judged(f"r1/{other}", **{"case_digest": f"{other[0]}@1", "suite_digest": "s1", **second})
    expected = mixed and not (other == "b/1" and "case_digest" in second)
    assert cases.rows("select mixed_semantics from trend_runs") == [(expected,)]
