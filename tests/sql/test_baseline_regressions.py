"""View `baseline_regressions`."""

from __future__ import annotations

import json
from random import Random
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal
from scipy.stats import false_discovery_control, fisher_exact

from tests.sql.history_builder import ALL_PASS, DAY_1, DAY_2, History


def eval_run(history: History, cases: dict[str, list[str]], *, suite_version: int | None = 1) -> None:
    """The eval run `r1` of suite-a with the trials of each case, and an active baseline without cases yet."""
    history.add("judgments", {"judgment_id": "j1", "judged_at": DAY_1})
    history.add("eval_runs", {"eval_run_id": "r1", "suite_version": suite_version})
    history.add("baselines", {})
    for case_id, verdicts in cases.items():
        history.case_of_verdicts(f"{case_id}@1")
        for number, verdict in enumerate(verdicts, start=1):
            history.trial(f"r1/{case_id}/{number}", verdict)


def remembered(case_id: str = "case-a", **columns: Any) -> dict[str, object]:
    """A case of the baseline: by default one trial that passed with 20 of 20 points."""
    points = {"pass": 20.0, "fail": 10.0, "invalid": None}[columns.get("verdict", "pass")]
    full = {"score": points, "max_score": None if points is None else 20.0}
    return {"case_id": case_id, "case_digest": f"{case_id}@1", "buckets": json.dumps(ALL_PASS), **full, **columns}


def of_trials(passed: int, trials: int) -> dict[str, Any]:
    return {"passed_trials": passed, "trials": trials, "verdict": "pass" if 2 * passed > trials else "fail"}


@pytest.mark.parametrize(
    ("now", "baseline", "change"),
    [
        pytest.param(["pass"], {}, "unchanged", id="pass to pass"),
        pytest.param(["fail"], {}, "regressed", id="pass to fail"),
        pytest.param(["invalid"], {}, "regressed", id="pass to invalid"),
        pytest.param(["invalid"], {"verdict": "fail"}, "regressed", id="fail to invalid"),
        pytest.param(["pass"], {"verdict": "fail"}, "improved", id="fail to pass"),
        pytest.param(["pass"], {"verdict": "invalid"}, "improved", id="invalid to pass"),
        pytest.param(["fail"], {"verdict": "invalid"}, "improved", id="invalid to fail"),
        pytest.param(["invalid"], {"verdict": "invalid"}, "unchanged", id="invalid to invalid"),
        pytest.param(["fail"], {"verdict": "fail"}, "unchanged", id="fail to fail"),
        pytest.param(["fail"], {"verdict": "fail", "score": 11.01}, "score_dropped", id="fails with fewer points"),
        pytest.param(["fail"], {"verdict": "fail", "score": 8.99}, "score_raised", id="fails with more points"),
        pytest.param(["fail"], {"verdict": "fail", "score": 11.0}, "unchanged", id="exactly 5 points down"),
        pytest.param(["fail"], {"verdict": "fail", "score": 9.0}, "unchanged", id="exactly 5 points up"),
        pytest.param(["fail"], {"verdict": "fail", "score": None}, "unchanged", id="score unknown"),
        pytest.param(["fail"], {"case_version": 2}, "incomparable", id="another case version"),
        pytest.param(["fail"], {"score": 1.0}, "regressed", id="a verdict counts before a score"),
    ],
)
def test_change(history: History, now: list[str], baseline: dict[str, Any], change: str) -> None:
    eval_run(history, {"case-a": now})
    history.add("baseline_cases", remembered(**baseline))
    assert history.rows("select change from baseline_regressions") == [(change,)]


@pytest.mark.parametrize(
    ("recorded", "change"),
    [
        pytest.param([2], "incomparable", id="the recorded version differs"),
        pytest.param([None], "regressed", id="without a record the registry's"),
        pytest.param([1, 2], "incomparable", id="that of one trial differs"),
        pytest.param([1, 1], "regressed", id="no recorded version differs"),
    ],
)
def test_the_recorded_case_version_counts(history: History, recorded: list[int | None], change: str) -> None:
    eval_run(history, {})
    history.case_of_verdicts()
    for number, version in enumerate(recorded, start=1):
        history.trial(f"r1/case-a/{number}", "fail", recorded_case_version=version)
    history.add("baseline_cases", remembered())
    assert history.rows("select change from baseline_regressions") == [(change,)]


def test_the_session_sets_the_tolerance(history: History) -> None:
    eval_run(history, {"case-a": ["fail"]})
    history.add("baseline_cases", remembered(verdict="fail", score=10.5))
    assert history.rows("select change, score_change from baseline_regressions") == [("unchanged", -2.5)]
    history.con.execute("set variable score_tolerance = 2")
    assert history.rows("select change, score_change from baseline_regressions") == [("score_dropped", -2.5)]
    history.con.execute("reset variable score_tolerance")


class TestCasesOfBothSides:
    COLUMNS = "case_id, change, judgment_id, verdict, baseline_verdict, suite_id, baseline_eval_run_id, evidence"

    def test_new_and_missing(self, history: History) -> None:
        eval_run(history, {"case-new": ["pass"]})
        history.add("baseline_cases", remembered("case-gone"))
        assert history.rows(f"select {self.COLUMNS} from baseline_regressions order by case_id") == [
            ("case-gone", "missing", "j1", None, "pass", "suite-a", "base", None),
            ("case-new", "new_case", "j1", "pass", None, "suite-a", "base", None),
        ]

    def test_a_baseline_without_cases(self, history: History) -> None:
        eval_run(history, {"case-a": ["pass"]})
        assert history.rows("select case_id, change from baseline_regressions") == [("case-a", "new_case")]

    def test_a_case_that_is_there_but_not_judged_is_not_missing(self, history: History) -> None:
        eval_run(history, {"case-a": ["pass"]})
        history.add("case_runs", {"case_run_id": "r1/case-b/1", "eval_run_id": "r1", "case_id": "case-b"})
        history.add("baseline_cases", remembered("case-a"), remembered("case-b"))
        assert history.rows("select case_id, change from baseline_regressions") == [("case-a", "unchanged")]

    def test_an_eval_run_without_any_case_run_misses_all(self, history: History) -> None:
        eval_run(history, {})
        history.add("baseline_cases", remembered("case-a"))
        assert history.rows("select case_id, change, judgment_id from baseline_regressions") == [
            ("case-a", "missing", None)
        ]

    @pytest.mark.parametrize("suite", ["suite-b", None])
    def test_an_eval_run_of_another_suite_is_not_compared(self, history: History, suite: str | None) -> None:
        eval_run(history, {})
        history.add("eval_runs", {"eval_run_id": "r2", "suite_id": suite})
        history.case_of_verdicts()
        history.trial("r2/case-a/1", "fail")
        history.add("baseline_cases", remembered())
        assert history.rows("select eval_run_id, change from baseline_regressions") == [("r1", "missing")]

    def test_an_old_baseline_is_not_looked_at(self, history: History) -> None:
        eval_run(history, {"case-a": ["fail"]})
        history.add("baselines", {"eval_run_id": "old", "active": False})
        history.add("baseline_cases", remembered(eval_run_id="old"), remembered(verdict="fail"))
        assert history.rows("select change from baseline_regressions") == [("unchanged",)]

    def test_the_latest_judgment_counts(self, history: History) -> None:
        eval_run(history, {"case-a": ["fail", "pass", "pass"]})
        history.add("judgments", {"judgment_id": "j2", "judged_at": DAY_2})
        history.trial("r1/case-a/2", "fail", judgment_id="j2")
        history.add("baseline_cases", remembered(**of_trials(3, 3)))
        columns = "judgment_id, change, trials, passed"
        assert history.rows(f"select {columns} from baseline_regressions") == [("j2", "regressed", 3, 1)]


@pytest.mark.parametrize(
    ("now", "baseline", "p_value", "evidence"),
    [
        pytest.param((0, 1), (3, 3), None, "single_trial", id="one trial now"),
        pytest.param((0, 3), (1, 1), None, "single_trial", id="one trial then"),
        pytest.param((0, 2), (2, 2), 1 / 6, "underpowered", id="2 against 2"),
        pytest.param((0, 2), (3, 3), 1 / 10, "underpowered", id="2 against 3"),
        pytest.param((0, 2), (4, 4), 1 / 15, "underpowered", id="2 against 4"),
        pytest.param((0, 2), (5, 5), 1 / 21, "significant", id="2 against 5"),
        pytest.param((0, 3), (3, 3), 1 / 20, "significant", id="3 against 3"),
        pytest.param((1, 3), (3, 3), 1 / 5, "within_noise", id="3 against 3, one passes"),
        pytest.param((3, 3), (0, 3), 1.0, "within_noise", id="better"),
        pytest.param((3, 3), (3, 3), 1.0, "within_noise", id="no difference"),
    ],
)
def test_evidence(
    history: History, now: tuple[int, int], baseline: tuple[int, int], p_value: float | None, evidence: str
) -> None:
    passed, trials = now
    eval_run(history, {"case-a": ["pass"] * passed + ["fail"] * (trials - passed)})
    history.add("baseline_cases", remembered(**of_trials(*baseline)))
    expected = None if p_value is None else pytest.approx(p_value, abs=1e-12)
    assert history.rows("select p_value, q_value, evidence from baseline_regressions") == [
        (expected, expected, evidence)
    ]


def test_invalid_trials_count_as_not_passed(history: History) -> None:
    eval_run(history, {"case-a": ["pass", "invalid", "invalid"]})
    history.add("baseline_cases", remembered(**of_trials(3, 3)))
    [(p_value,)] = history.rows("select p_value from baseline_regressions")
    assert p_value == pytest.approx(fisher_exact([[1, 2], [3, 0]], "less")[1])


def test_q_values_are_of_benjamini_and_hochberg(history: History) -> None:
    trials = {"a": (0, 3), "b": (1, 3), "c": (0, 4), "d": (3, 3), "e": (1, 3), "f": (2, 4), "g": (1, 1)}
    eval_run(history, {f"case-{c}": ["pass"] * passed + ["fail"] * (n - passed) for c, (passed, n) in trials.items()})
    history.add("baseline_cases", *(remembered(f"case-{c}", **of_trials(4, 4)) for c in trials))
    rows = history.rows("select p_value, q_value from baseline_regressions order by case_id")
    tested = [(p, q) for p, q in rows if p is not None]
    assert [p for p, _ in tested] == pytest.approx(
        [fisher_exact([[x, n - x], [4, 0]], "less")[1] for x, n in trials.values() if n > 1]
    )
    assert [q for _, q in tested] == pytest.approx(list(false_discovery_control([p for p, _ in tested], method="bh")))
    assert rows[-1] == (None, None)


@pytest.mark.parametrize("seed", range(4))
def test_q_values_of_random_trials(history: History, seed: int) -> None:
    """Ties, cases that are no test, and p-values of 1 among them."""
    chance = Random(seed)
    sides = {f"case-{number:02}": [(chance.randint(0, 4), chance.randint(1, 4)) for _ in "ab"] for number in range(15)}
    for case_id, ((passed, failed), (base_passed, base_failed)) in sides.items():
        history.case_of_verdicts(f"{case_id}@1")
        columns = {**of_trials(base_passed, base_passed + base_failed), "case_digest": f"{case_id}@1"}
        history.add("baseline_cases", remembered(case_id, **columns))
        for trial, verdict in enumerate(["pass"] * passed + ["fail"] * failed, start=1):
            history.trial(f"r1/{case_id}/{trial}", verdict)
    history.add("judgments", {"judgment_id": "j1"})
    history.add("eval_runs", {"eval_run_id": "r1"})
    history.add("baselines", {})
    expected = [
        fisher_exact([[passed, failed], [base_passed, base_failed]], "less")[1]
        for (passed, failed), (base_passed, base_failed) in sides.values()
        if passed + failed > 1 and base_passed + base_failed > 1
    ]
    found = history.rows("select p_value, q_value from baseline_regressions where p_value is not null order by case_id")
    assert [p for p, _ in found] == pytest.approx(expected, abs=1e-12)
    assert [q for _, q in found] == pytest.approx(list(false_discovery_control(expected, method="bh")), abs=1e-12)


def test_q_values_are_of_one_eval_run(history: History) -> None:
    eval_run(history, {"case-a": ["fail"] * 3})
    history.add("eval_runs", {"eval_run_id": "r2"})
    for number in (1, 2, 3):
        history.trial(f"r2/case-a/{number}", "pass")
    history.add("baseline_cases", remembered(**of_trials(3, 3)))
    rows = history.rows("select eval_run_id, q_value from baseline_regressions order by 1")
    assert rows == [("r1", pytest.approx(0.05)), ("r2", pytest.approx(1.0))]


@pytest.mark.parametrize(
    ("now", "baseline", "expected"),
    [
        (["pass", "pass"], of_trials(2, 2), ("always_pass", "always_pass")),
        (["pass", "invalid"], of_trials(1, 2), ("always_pass", "mixed")),
        (["fail", "fail"], of_trials(0, 2), ("always_fail", "always_fail")),
        (["pass", "fail"], of_trials(2, 3), ("mixed", "mixed")),
        (["invalid"], {"verdict": "invalid", "passed_trials": 0}, ("not_comparable", "not_comparable")),
    ],
)
def test_stability(history: History, now: list[str], baseline: dict[str, Any], expected: tuple[str, str]) -> None:
    eval_run(history, {"case-a": now})
    history.add("baseline_cases", remembered(**baseline))
    assert history.rows("select stability, baseline_stability from baseline_regressions") == [expected]


@pytest.mark.parametrize(
    ("now", "buckets", "expected"),
    [
        pytest.param("fail", ALL_PASS, "critical_evidence", id="pass to fail"),
        pytest.param("partial", ALL_PASS, "critical_evidence", id="pass to partial"),
        pytest.param("fail", {**ALL_PASS, "critical_evidence": "partial"}, "critical_evidence", id="partial to fail"),
        pytest.param("partial", {**ALL_PASS, "critical_evidence": "fail"}, None, id="fail to partial"),
        pytest.param("fail", {**ALL_PASS, "critical_evidence": "fail"}, None, id="fail to fail"),
        pytest.param("pass", {**ALL_PASS, "critical_evidence": "fail"}, None, id="fail to pass"),
        pytest.param("diagnosis", ALL_PASS, "diagnosis", id="diagnosis"),
        pytest.param("invalid", ALL_PASS, "contract", id="contract"),
        pytest.param("fail", dict.fromkeys(ALL_PASS), None, id="the baseline had no bundle"),
        pytest.param("fail", {}, None, id="the baseline does not say"),
    ],
)
def test_first_worse_bucket(history: History, now: str, buckets: dict[str, str], expected: str | None) -> None:
    eval_run(history, {"case-a": [now]})
    history.add("baseline_cases", remembered(buckets=json.dumps(buckets)))
    assert history.rows("select first_worse_bucket from baseline_regressions") == [(expected,)]


def test_of_several_worse_buckets_the_first_in_precedence(history: History) -> None:
    history.case(
        "case-a@1",
        {"bucket": "execution_contract", "check_id": "needed"},
        {"bucket": "execution_contract", "check_id": "liked", "required": False},
        {"bucket": "workflow", "check_id": "started"},
        {"bucket": "diagnosis", "layer": "hard", "check_id": "named"},
    )
    eval_run(history, {})
    history.add("eval_runs", {"eval_run_id": "r2"})
    history.judged("r1/case-a/1", failed=["execution_contract.liked", "diagnosis.hard.named"])
    history.judged("r2/case-a/1", failed=["execution_contract.needed", "workflow.started"])
    history.add("baseline_cases", remembered())
    rows = history.rows("select eval_run_id, first_worse_bucket from baseline_regressions order by all")
    assert rows == [("r1", "diagnosis"), ("r2", "execution_contract")]


@pytest.mark.parametrize(("recorded", "expected"), [(1, False), (2, True), (None, None)])
def test_suite_version_changed(history: History, recorded: int | None, expected: bool | None) -> None:
    eval_run(history, {"case-a": ["pass"]}, suite_version=recorded)
    history.add("baseline_cases", remembered())
    assert history.rows("select suite_version_changed from baseline_regressions") == [(expected,)]


def test_rubric_changed(history: History) -> None:
    eval_run(history, {"case-a": ["pass"], "case-b": ["pass"], "case-c": ["pass"]})
    history.add("baseline_cases", remembered("case-a"), remembered("case-b", case_digest="case-b@0"))
    rows = history.rows("select case_id, rubric_changed from baseline_regressions order by case_id")
    assert rows == [("case-a", False), ("case-b", True), ("case-c", None)]


def test_every_column(history: History) -> None:
    eval_run(history, {"case-a": ["pass", "fail", "fail"]})
    history.add("baseline_cases", remembered(**of_trials(3, 3)))
    expected = pl.DataFrame(
        {
            "judgment_id": ["j1"],
            "eval_run_id": ["r1"],
            "case_id": ["case-a"],
            "suite_id": ["suite-a"],
            "baseline_eval_run_id": ["base"],
            "change": ["regressed"],
            "verdict": ["fail"],
            "baseline_verdict": ["pass"],
            "primary_failure_code": ["critical_evidence_missing"],
            "baseline_primary_failure_code": pl.Series([None], dtype=pl.String),
            "score": [40 / 3],
            "baseline_score": [20.0],
            "score_pct": [200 / 3],
            "baseline_score_pct": [100.0],
            "score_change": [-100 / 3],
            "first_worse_bucket": ["critical_evidence"],
            "suite_version_changed": [False],
            "rubric_changed": [False],
            "trials": [3],
            "passed": [1],
            "baseline_trials": [3],
            "baseline_passed": [3],
            "p_value": [0.2],
            "evidence": ["within_noise"],
            "q_value": [0.2],
            "stability": ["mixed"],
            "baseline_stability": ["always_pass"],
        }
    )
    assert_frame_equal(history.frame("from baseline_regressions"), expected)
