"""The yardsticks of the benchmarks do the same work as the engine, and the table tells of every row; no time is asserted."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks import rows, texts
from benchmarks.__main__ import MEASURES
from benchmarks.compare import comparison
from benchmarks.data import write_runs
from benchmarks.judging import World, differences, same
from benchmarks.per_run_judge import judge_each
from benchmarks.recorded import edit_rule, judge_all, recorded
from benchmarks.rows import TARGETS, Measured, as_data, from_data, table
from benchmarks.timing import exponent, in_turns
from judge_polars.judge import Options, judge_runs
from judge_polars.registry import load_registry


@pytest.mark.parametrize(
    ("runs", "cases"), [(200, 20), (450, 1)], ids=["few-runs-of-each-case", "many-runs-of-one-case"]
)
def test_python_judges_give_the_verdicts_of_the_engine(runs: int, cases: int) -> None:
    world = World.of(runs, cases)
    assert differences(world) == []
    assert {verdict for verdict, _, _ in world.python_verdicts()} == {"pass", "fail", "invalid"}


def test_python_results_are_the_check_results_of_the_engine() -> None:
    world = World.of(200, 20)
    checks = [passed for outcomes in world.engine_outcomes() for passed in outcomes.sort("run", "check")["passed"]]
    assert checks == [passed for results in world.python_results() for passed in results]


def test_another_verdict_is_noticed() -> None:
    assert same(("pass", None, 90.0), ("pass", None, 90.0 + 1e-12))
    assert not same(("pass", None, 90.0), ("pass", None, 89.0))
    assert not same(("fail", "contract_failed", None), ("invalid", "contract_failed", None))


def test_per_run_judge_gives_the_verdicts_of_the_engine(tmp_path: Path) -> None:
    registry, runs = write_runs(tmp_path, 60)
    book = load_registry(registry).compile()
    each = judge_each(runs, book)
    verdicts = judge_runs([runs], book, Options(facts=False)).verdicts
    judged = verdicts.select("case_run_id", "verdict", "primary_failure_code", "score").rows()
    assert {row[0] for row in judged} == set(each)
    assert [row for row in judged if not same(row[1:], each[row[0]])] == []
    assert {row[1] for row in judged} == {"pass", "fail"}


@pytest.mark.parametrize(("cases", "rules", "patterns"), texts.SHAPES)
def test_python_finds_the_keywords_that_the_engine_finds(cases: int, rules: int, patterns: int) -> None:
    answers = texts.output_texts(40)
    made = texts.keywords_of(cases, rules, patterns)
    found = texts.engine_results(texts.asked_of(40, cases, rules), made, texts.shard_of_texts(answers))
    assert texts.true_codes(found) == texts.python_keywords(answers, made, cases)
    assert any(texts.true_codes(found)) and not all(texts.true_codes(found))


def test_python_finds_the_regexes_that_the_engine_finds() -> None:
    answers = texts.output_texts(5)
    made, patterns = texts.heuristics()
    found = texts.engine_results(texts.asked_of(5, 1, len(made)), made, texts.shard_of_texts(answers))
    assert texts.true_codes(found) == texts.python_regexes(answers, patterns)
    assert any(texts.true_codes(found))


def test_copies_in_a_record_are_judged_and_an_edited_rule_is_another_registry() -> None:
    with recorded(20, 60) as made:
        engine = made.engine()
        assert judge_all(made, engine) == 60
        assert judge_all(made, engine, most=25) == 25
        edit_rule(made.registry, 1)(1)
        edited = made.engine()
        cases = zip(engine.book.cases, edited.book.cases, strict=True)
        assert [before.id for before, after in cases if before.digest != after.digest] == ["bench-000"]
        assert judge_all(made, edited) == 60


def test_every_row_has_a_measure() -> None:
    assert list(MEASURES) == [target.name for target in TARGETS]


def test_the_table_tells_of_every_row() -> None:
    told = table([Measured(target.name, "all", 1.0) for target in TARGETS])
    assert [line for line in told.splitlines() if line.startswith("| ")][1:] != []
    for target in TARGETS:
        assert f"| {target.stage} | {target.measure.replace('|', '&#124;')} | all | 1 |" in told


@pytest.mark.parametrize(
    ("value", "bound", "holds"),
    [(4.0, "≤ 4", True), (4.1, "≤ 4", False), (5.0, "≥ 5", True), (4.9, "≥ 5", False), (9.0, "", None)],
)
def test_a_figure_holds_or_not(value: float, bound: str, holds: bool | None) -> None:
    assert Measured("ingest", "all", value, bound).holds is holds


def test_results_are_compared() -> None:
    before = [Measured("ingest", "all", 4.0, "≤ 4"), Measured("views", "gone", 1.0)]
    after = from_data(json.loads(json.dumps(as_data([replace(before[0], value=2.0)]))))
    assert "| ingest | all | 4 | 2 | 0.50 | ≤ 4 |" in comparison(before, after)
    assert "gone" not in comparison(before, after)


def test_growth_and_turns() -> None:
    assert exponent([10, 100, 1000], [1.0, 10.0, 100.0]) == pytest.approx(1.0)
    assert exponent([10, 100, 1000], [1.0, 100.0, 10_000.0]) == pytest.approx(2.0)
    turns: list[str] = []
    in_turns({"a": lambda: turns.append("a"), "b": lambda: turns.append("b")}, 2)
    assert turns == ["a", "b", "a", "b"]
    assert rows.TARGETS[0].name == "ingest"
