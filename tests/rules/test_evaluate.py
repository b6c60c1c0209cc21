"""Formulas over all runs at once: facts of facts, checks, reasons, levels (specifications 30, 40, 50)."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import polars as pl
import pytest

from judge_polars.rulebook import (
    Case,
    Check,
    Comparison,
    Definition,
    DocumentRule,
    FactRule,
    Formula,
    Rule,
    RuleBook,
    Selector,
    Window,
)
from judge_polars.rules.evaluate import evaluate_checks, evaluate_definitions
from judge_polars.rules.matrices import Blocks, DocumentCodes, FactMatrix, RuleCodes
from judge_polars.rules.program import BUILT_IN_SLOTS, Program, compile_comparison, compile_program
from judge_polars.vocabulary import DEFAULT_LAYOUT, REASON_CODES

NINE = datetime(2025, 3, 4, 9, tzinfo=UTC)
TRUE = Comparison("equals", operand=True)
FALSE = Comparison("equals", operand=False)


def fact(name: str, comparison: Comparison = TRUE, reason: str | None = None) -> FactRule:
    return FactRule(name, comparison, reason)


def seen(keyword: str) -> DocumentRule:
    return DocumentRule("keyword_any", Selector("logs_dir"), keywords=(keyword,))


def all_of(*rules: Rule) -> Formula:
    return Formula(len(rules), rules)


def any_of(*rules: Rule) -> Formula:
    return Formula(1, rules)


def check(id: str, formula: Formula, **more: Any) -> Check:
    return Check("critical_evidence", None, id, None, True, 1.0, formula, **more)


def case(id: str, definitions: Sequence[Definition] = (), checks: Sequence[Check] = ()) -> Case:
    window = Window(NINE, NINE)
    return Case(
        id, 1, id, "active", (), "c", window, (window,), 1, 0, tuple(definitions), (), (), tuple(checks), f"sha256:{id}"
    )


def program(*cases: Case) -> Program:
    return compile_program(RuleBook("", cases, (), (), DEFAULT_LAYOUT, {}, (), ""))


def judged(
    compiled: Program,
    cases: Sequence[int],
    *,
    true_rules: Sequence[tuple[int, DocumentRule]] = (),
    **known: Sequence[int | None],
) -> tuple[pl.DataFrame, FactMatrix]:
    """Outcomes and facts of runs of the given cases.

    `true_rules` are (run, rule) that hold, `known` values of built-in facts per run.
    """
    runs = pl.DataFrame({"run": range(len(cases)), "case": cases}, schema={"run": pl.UInt32, "case": pl.UInt32})
    runs = runs.with_columns(has_bundle=pl.lit(value=True), has_output=pl.lit(value=True))
    facts = FactMatrix.unknown(len(cases), compiled.width)
    for name, values in known.items():
        facts.set(runs["run"], BUILT_IN_SLOTS[name.replace("__", ".")], pl.Series(values, dtype=pl.Int64))
    held: list[tuple[int, int]] = []
    for run, rule in true_rules:
        places = dict(compiled.asked.filter(pl.col("case") == cases[run]).select("rule", "place").iter_rows())
        held.append((run, places[compiled.document_rules.index(rule)]))
    at = pl.DataFrame(held, schema={"run": pl.UInt32, "place": pl.UInt32}, orient="row")
    codes = DocumentCodes.filled(Blocks(runs["case"], compiled.places), REASON_CODES["not_matched"])
    codes = codes.with_codes(at["run"], at["place"], pl.zeros(at.height, dtype=pl.UInt8, eager=True))
    matrix = RuleCodes(codes, pl.Series([], dtype=pl.UInt8), 0)
    evaluate_definitions(compiled.definitions, runs, facts, matrix)
    return evaluate_checks(compiled.checks, runs, facts, matrix), facts


def test_cases_with_different_checks_side_by_side() -> None:
    a, b = seen("a"), seen("b")
    compiled = program(
        case(
            "one",
            checks=[
                check("both", all_of(a, b)),
                check("either", any_of(a, b)),
                check("two_of_three", Formula(2, (a, b, a))),
            ],
        ),
        case("two", checks=[check("b", all_of(b))]),
        case("three"),
    )
    outcomes, _ = judged(compiled, [1, 0, 2, 0], true_rules=[(1, b), (3, a), (3, b)])
    not_matched = REASON_CODES["not_matched"]
    assert outcomes.rows() == [
        (0, 3, False, 0, not_matched),
        (1, 0, False, 0, not_matched),
        (1, 1, True, 1, 0),
        (1, 2, False, 0, not_matched),
        (3, 0, True, 0, 0),
        (3, 1, True, 0, 0),
        (3, 2, True, 0, 0),
    ]


@pytest.mark.parametrize(
    ("need", "rules", "told"),
    [
        pytest.param(0, 0, (True, None, 0), id="nothing needed, no rule"),
        pytest.param(1, 0, (False, None, REASON_CODES["fact_not_satisfied"]), id="one needed, no rule"),
        pytest.param(0, 1, (True, None, 0), id="nothing needed, a false rule"),
        pytest.param(0, 2, (True, 1, 0), id="nothing needed, a false rule and a true one"),
        pytest.param(3, 2, (False, 0, REASON_CODES["not_matched"]), id="more needed than there are"),
        pytest.param(3, -1, (False, None, REASON_CODES["fact_not_satisfied"]), id="more needed, all true"),
    ],
)
def test_a_formula_that_no_rule_decides(need: int, rules: int, told: tuple[bool, int | None, int]) -> None:
    a, b = seen("a"), seen("b")
    formula = Formula(need, (b,) if rules == -1 else (a, b)[:rules])
    outcomes, _ = judged(
        program(case("one", checks=[check("it", formula)])), [0], true_rules=[(0, b)] if b in formula.rules else []
    )
    assert outcomes.select("passed", "deciding_rule", "code").rows() == [told]


def test_a_document_rule_may_have_a_reason_of_its_own() -> None:
    named, plain = replace(seen("a"), reason="artifact_missing"), seen("b")
    compiled = program(case("one", checks=[check("named", all_of(plain, named)), check("plain", all_of(named, plain))]))
    outcomes, _ = judged(compiled, [0, 0], true_rules=[(0, plain), (1, plain), (1, named)])
    missing = REASON_CODES["artifact_missing"]
    assert outcomes.select("run", "passed", "deciding_rule", "code").rows() == [
        (0, False, 1, missing),
        (0, False, 0, missing),
        (1, True, 0, 0),
        (1, True, 0, 0),
    ]


def test_definitions_read_earlier_ones_and_checks_read_them() -> None:
    a = seen("a")
    compiled = program(
        case(
            "one",
            definitions=[
                Definition("evidence.first", all_of(a)),
                Definition("evidence.second", all_of(fact("evidence.first", FALSE))),
                Definition("output.number", Formula(1, (a, a, seen("b"))), count=True),
            ],
            checks=[
                check("second", all_of(fact("evidence.second"))),
                check("number", all_of(fact("output.number", Comparison("ge", 2)))),
            ],
        )
    )
    outcomes, _ = judged(compiled, [0, 0], true_rules=[(1, a)])
    assert outcomes.select("run", "passed").rows() == [(0, True), (0, False), (1, False), (1, True)]


def test_facts_stay_unknown_without_what_they_are_about() -> None:
    compiled = program(
        case(
            "one",
            definitions=[
                Definition("evidence.no_a", all_of(fact("cluster.matched", Comparison("exists", operand=False)))),
                Definition("output.b", Formula(0, ())),
            ],
        )
    )
    runs = pl.DataFrame(
        {"run": [0, 1], "case": [0, 0], "has_bundle": [False, True], "has_output": [True, False]},
        schema={"run": pl.UInt32, "case": pl.UInt32, "has_bundle": pl.Boolean, "has_output": pl.Boolean},
    )
    facts = FactMatrix.unknown(2, compiled.width)
    codes = RuleCodes(DocumentCodes.filled(Blocks(runs["case"], compiled.places), 0), pl.Series([], dtype=pl.UInt8), 0)
    evaluate_definitions(compiled.definitions, runs, facts, codes)
    slots = compiled.slots[0]
    told = {name: facts.get(runs["run"], slots[name][0]).to_list() for name in ("evidence.no_a", "output.b")}
    assert told == {"evidence.no_a": [None, 1], "output.b": [1, None]}


def test_a_check_may_read_the_result_of_another_one() -> None:
    a = seen("a")
    required = Check("workflow", None, "a", None, True, 1.0, all_of(a), fact="check.workflow.a")
    present = check("required_workflow_present", all_of(fact("check.workflow.a", reason="workflow_check_failed")))
    outcomes, _ = judged(program(case("one", checks=[required, present])), [0, 0], true_rules=[(1, a)])
    failed = REASON_CODES["workflow_check_failed"]
    assert outcomes.filter(pl.col("check") == 1).select("passed", "code").rows() == [(False, failed), (True, 0)]


UNKNOWN, NOT_SATISFIED = REASON_CODES["fact_unknown"], REASON_CODES["fact_not_satisfied"]


@pytest.mark.parametrize(
    ("comparison", "values", "codes"),
    [
        pytest.param(Comparison("equals", 2), [1, 2, None], [NOT_SATISFIED, 0, UNKNOWN], id="equals"),
        pytest.param(Comparison("equals", 2.0), [1, 2, None], [NOT_SATISFIED, 0, UNKNOWN], id="equals a whole float"),
        pytest.param(
            Comparison("equals", 2.5), [2, 3, None], [NOT_SATISFIED, NOT_SATISFIED, UNKNOWN], id="equals no integer"
        ),
        pytest.param(
            Comparison("not_equals", 2), [1, 2, None], [0, NOT_SATISFIED, UNKNOWN], id="not_equals, null never passes"
        ),
        pytest.param(Comparison("not_equals", 2.5), [2, 3, None], [0, 0, UNKNOWN], id="not_equals no integer"),
        pytest.param(Comparison("gt", 1.5), [1, 2, None], [NOT_SATISFIED, 0, UNKNOWN], id="gt a fraction"),
        pytest.param(Comparison("gt", 2), [2, 3, None], [NOT_SATISFIED, 0, UNKNOWN], id="gt leaves the border out"),
        pytest.param(Comparison("ge", 2), [1, 2, None], [NOT_SATISFIED, 0, UNKNOWN], id="ge takes the border in"),
        pytest.param(Comparison("lt", 2), [1, 2, None], [0, NOT_SATISFIED, UNKNOWN], id="lt"),
        pytest.param(Comparison("le", 1.5), [1, 2, None], [0, NOT_SATISFIED, UNKNOWN], id="le a fraction"),
        pytest.param(Comparison("lt", float("inf")), [1, 2, None], [0, 0, UNKNOWN], id="below infinity"),
        pytest.param(
            Comparison("gt", 2**70), [1, 2, None], [NOT_SATISFIED, NOT_SATISFIED, UNKNOWN], id="beyond 64 bits"
        ),
        pytest.param(Comparison("in", (1, "1", True)), [1, 2, None], [0, NOT_SATISFIED, UNKNOWN], id="in"),
        pytest.param(Comparison("not_in", (1,)), [1, 2, None], [NOT_SATISFIED, 0, UNKNOWN], id="not_in"),
        pytest.param(
            Comparison("not_in", ("1",)),
            [1, 2, None],
            [NOT_SATISFIED, NOT_SATISFIED, UNKNOWN],
            id="not_in of another kind",
        ),
        pytest.param(
            Comparison("equals", operand=True),
            [1, 0, None],
            [NOT_SATISFIED, NOT_SATISFIED, UNKNOWN],
            id="a boolean is no number",
        ),
        pytest.param(Comparison("exists", operand=True), [1, 0, None], [0, 0, UNKNOWN], id="exists"),
        pytest.param(
            Comparison("exists", operand=False), [1, 0, None], [NOT_SATISFIED, NOT_SATISFIED, 0], id="exists: false"
        ),
    ],
)
def test_comparisons_of_a_number(comparison: Comparison, values: list[int | None], codes: list[int]) -> None:
    compiled = program(case("one", checks=[check("it", all_of(fact("routing.refs_total", comparison)))]))
    outcomes, _ = judged(compiled, [0] * len(values), routing__refs_total=values)
    assert outcomes["code"].to_list() == codes


OF_NO_KIND = {
    "a timestamp is no number": ("routing.refs_total", Comparison("lt", NINE), [0, 1]),
    "a timestamp equals no number": ("routing.refs_total", Comparison("not_equals", NINE), [0, 1]),
    "a timestamp is no boolean": ("cluster.matched", Comparison("not_in", (NINE,)), [0, 1]),
    "a number is no timestamp": ("window.start", Comparison("gt", 0), [0, 1_741_078_800_000_000]),
    "booleans have no order": ("cluster.matched", Comparison("ge", operand=False), [0, 1]),
}


@pytest.mark.parametrize(("name", "comparison", "values"), OF_NO_KIND.values(), ids=OF_NO_KIND)
def test_an_operand_of_another_kind_satisfies_no_comparison(
    name: str, comparison: Comparison, values: list[int]
) -> None:
    compiled = program(case("one", checks=[check("it", all_of(fact(name, comparison)))]))
    known: dict[str, Any] = {name.replace(".", "__"): values}
    outcomes, _ = judged(compiled, [0] * len(values), **known)
    assert outcomes["code"].to_list() == [NOT_SATISFIED] * len(values)


def test_timestamps_compare_to_the_microsecond() -> None:
    kind, low, high, negate, _ = compile_comparison(Comparison("gt", NINE), "timestamp")
    assert (kind, low, high, negate) == (0, 1_741_078_800_000_001, 2**63 - 1, False)
