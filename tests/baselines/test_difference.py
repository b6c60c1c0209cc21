"""An eval run beside its baseline or another eval run, and the gate over it."""

from __future__ import annotations

import csv
import io
import json

import polars as pl
import pytest

from judge_polars.baselines import (
    Difference,
    baseline_use,
    decide,
    difference_from_baseline,
    difference_from_eval_run,
)
from judge_polars.baselines.difference import COLUMNS
from judge_polars.baselines.gate import DEFAULT
from judge_polars.baselines.words import difference_as, evidence_words, heading_words, measure_words, verdict_words
from judge_polars.errors import InputError, UsageError
from judge_polars.gate import parse_conditions
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.registry import Registry
from tests.baselines.conftest import BROKEN, DEGRADATION, FIRST, GOOD, HALF, RESTART, SUITE, SURGE


@pytest.fixture(scope="module")
def half(source: JudgedRuns) -> Difference:
    """The night that lacks a case, beside the baseline."""
    return difference_from_baseline(source, HALF)


@pytest.fixture(scope="module")
def nights(source: JudgedRuns, half: Difference) -> dict[str, Difference]:
    """Three nights, each beside the baseline."""
    return {HALF: half, **{night: difference_from_baseline(source, night) for night in (GOOD, BROKEN)}}


def changes(difference: Difference) -> dict[str, str]:
    """Case -> change."""
    return {row["case_id"]: row["change"] for row in difference.cases}


def test_beside_the_baseline(half: Difference, source: JudgedRuns) -> None:
    assert changes(half) == {RESTART: "regressed", SURGE: "regressed", DEGRADATION: "missing"}
    assert (half.compared_with, half.other_eval_run_id, half.suite_id) == ("baseline", FIRST, SUITE)
    assert half.suite_version_changed is False
    assert all(list(row) == list(COLUMNS) for row in half.cases)
    view = source.sql("select * from baseline_regressions where eval_run_id = ? order by case_id", [HALF])
    renamed = view.rename(
        {name: name.replace("baseline_", "other_") for name in view.columns if name.startswith("baseline_")}
    )
    assert sorted(half.cases, key=lambda row: row["case_id"]) == renamed.select(COLUMNS).to_dicts()
    assert half.coverage == {
        "planned": 9, "judged": 5, "passed": 1, "failed": 1, "invalid": 3, "cases_without_run": 1,
    }  # fmt: skip
    assert half.suite is not None
    assert (half.suite["pass_to_fail"], half.suite["other_invalid"]) == (1, 0)


def test_beside_another_eval_run(source: JudgedRuns) -> None:
    difference = difference_from_eval_run(source, HALF, GOOD)
    assert changes(difference) == {RESTART: "regressed", SURGE: "regressed", DEGRADATION: "missing"}
    assert difference.baseline is None
    back = difference_from_eval_run(source, GOOD, HALF)
    assert changes(back) == {DEGRADATION: "new_case", RESTART: "improved", SURGE: "improved"}
    assert [row["case_id"] for row in back.cases] == [DEGRADATION, RESTART, SURGE]
    assert (back.suite or {})["other_eval_run_id"] == HALF
    assert not back.incomplete


def test_there_must_be_something_to_compare_with(source: JudgedRuns, demo: Judgment) -> None:
    with pytest.raises(UsageError, match="the eval run itself"):
        difference_from_eval_run(source, HALF, HALF)
    with pytest.raises(UsageError, match="there is no eval run nothing"):
        difference_from_eval_run(source, HALF, "nothing")
    bare = JudgedRuns(Judgment({**demo.frames, "baselines": demo.frames["baselines"].clear()}))
    with pytest.raises(InputError, match="has no baseline; promote one"):
        difference_from_baseline(bare, HALF)
    nobody = demo.frames["eval_runs"].with_columns(suite_id=pl.lit(None, pl.String))
    with pytest.raises(InputError, match="does not say which suite"):
        difference_from_baseline(JudgedRuns(Judgment({**demo.frames, "eval_runs": nobody})), HALF)


def test_eval_runs_that_share_no_case(demo: Judgment) -> None:
    frames = dict(demo.frames)
    for name in ("judged_case_runs", "case_runs"):
        frames[name] = frames[name].filter(
            ((pl.col("eval_run_id") == GOOD) & (pl.col("case_id") == RESTART))
            | ((pl.col("eval_run_id") == HALF) & (pl.col("case_id") == SURGE))
        )
    difference = difference_from_eval_run(JudgedRuns(Judgment(frames)), HALF, GOOD)
    assert changes(difference) == {SURGE: "new_case", RESTART: "missing"}
    assert difference.suite is None
    assert not decide(difference, parse_conditions(["invalid-shift"])).met
    assert json.loads(difference_as("json", difference, {"met": False, "line": ""}))["suite"] is None


@pytest.mark.parametrize(
    ("eval_run", "rule", "met", "words"),
    [
        (HALF, "regression", True, "3 of 3 cases regressed or missing"),
        (GOOD, "regression", False, "0 of 3 cases"),
        (HALF, "incomplete", True, "5 of 9 planned"),
        (GOOD, "incomplete", False, "9 of 9 planned"),
        (HALF, "invalid", True, "3 of 5 case runs"),
        (GOOD, "invalid", False, "0 of 9"),
        (BROKEN, "fail", True, "of 9 case runs"),
        (HALF, "invalid-rate:0.6", False, "60.0%"),
        (HALF, "invalid-rate:59%", True, "60.0%"),
        (HALF, "invalid-shift", True, "p 0.027"),
        (GOOD, "invalid-shift", False, "p 1.000"),
        (HALF, "never", False, "nothing is asked"),
    ],
)
def test_gate(nights: dict[str, Difference], eval_run: str, rule: str, met: bool, words: str) -> None:
    found = decide(nights[eval_run], parse_conditions([rule]))
    assert found.met is met
    assert words in found.line
    assert found.line.startswith("gate FAILED" if met else "gate passed")


def test_gate_of_several_rules(half: Difference) -> None:
    assert "regression: 3 of 3" in decide(half, parse_conditions(list(DEFAULT))).line
    assert "incomplete: 5 of 9" in decide(half, parse_conditions(list(DEFAULT))).line
    assert decide(half, ()).line == "gate passed (never: nothing is asked)"


def test_words(half: Difference) -> None:
    restart, _, degradation = half.cases
    assert verdict_words(restart) == "pass → fail at critical_evidence (critical_evidence_missing)"
    assert measure_words(restart) == "score 100 → 74 %, 3/3 → 1/3 passed, always pass → mixed"
    assert evidence_words(restart) == "within noise (p 0.200, q 0.200)"
    assert verdict_words(degradation) == "was fail (critical_evidence_partial)"
    assert evidence_words(degradation) == ""
    assert verdict_words(restart | {"verdict": "pass"}).startswith("still pass, critical_evidence got worse")


def test_json_and_lines(half: Difference, registry: Registry, source: JudgedRuns) -> None:
    book = registry.compile()
    [baseline] = book.baselines
    use = baseline_use(baseline, book, baseline.promoted_at, source)
    whole = json.loads(difference_as("json", difference_from_baseline(source, HALF, use), {"met": True, "line": "x"}))
    assert list(whole) == [
        *("eval_run_id", "compared_with", "other_eval_run_id", "suite_id", "suite_version_changed", "baseline"),
        *("coverage", "suite", "changes", "cases", "gate"),
    ]
    assert whole["baseline"]["promoted_at"] == "2025-03-03T08:00:00Z"
    assert whole["changes"] == {"regressed": 2, "missing": 1}
    assert whole["coverage"]["incomplete"] is True
    lines = [json.loads(line) for line in difference_as("jsonl", half, {}).splitlines()]
    assert [line["case_id"] for line in lines] == [row["case_id"] for row in half.cases]
    assert list(lines[0]) == ["eval_run_id", "compared_with", "other_eval_run_id", *COLUMNS]
    rows = list(csv.DictReader(io.StringIO(difference_as("csv", half, {}).decode())))
    assert [row["change"] for row in rows] == ["regressed", "regressed", "missing"]
    text = difference_as("markdown", half, {"line": "gate_line | x"}).decode()
    assert f"## {HALF} against the baseline {FIRST} of {SUITE}" in text
    assert "| ▼ regressed | component-restart-during-incident-window | pass → fail at critical_evidence" in text
    assert text.endswith("gate_line \\| x\n")


def test_heading(half: Difference, source: JudgedRuns) -> None:
    assert heading_words(half) == f"{HALF} against the baseline {FIRST} of {SUITE}"
    assert heading_words(difference_from_eval_run(source, HALF, GOOD)) == f"{HALF} against {GOOD}"
