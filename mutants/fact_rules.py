"""Mutants of rules on facts and of the formulas that rules make (specification 40)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutants.mutant import Mutant, mutants_of
from mutants.selections import vectors

FACT_COMPARISONS: Final = {
    "gt_as_ge": ('"gt": (floor + 1, _HIGHEST)', '"gt": (ceiling, _HIGHEST)'),
    "ge_as_gt": ('"ge": (ceiling, _HIGHEST)', '"ge": (floor + 1, _HIGHEST)'),
    "lt_as_le": ('"lt": (_LOWEST, ceiling - 1)', '"lt": (_LOWEST, floor)'),
    "le_as_lt": ('"le": (_LOWEST, floor)', '"le": (_LOWEST, ceiling - 1)'),
    "equals_rounds": ('"equals": (ceiling, floor)', '"equals": (floor, ceiling)'),
    "exists_swapped": ("KNOWN if operand else UNKNOWN", "UNKNOWN if operand else KNOWN"),
    "not_in_as_in": ('operator == "not_in", members)', "False, members)"),
    "not_equals_as_equals": ("return (RANGE, low, high, negate, None)", "return (RANGE, low, high, False, None)"),
    "order_of_booleans": ('if kind == "boolean" and operator not in', "if False and operator not in"),
    "booleans_are_numbers": ('return kind == "boolean"', 'return kind in ("boolean", "number")'),
    "other_kinds_fit": ('isinstance(value, datetime) and kind == "timestamp"', "isinstance(value, datetime)"),
    "infinity_the_other_way": (
        'below = operator in ("lt", "le") if operand > 0 else operator in ("gt", "ge")',
        'below = operator in ("lt", "le") if operand < 0 else operator in ("gt", "ge")',
    ),
    "reason_of_a_rule_lost": ("REASON_CODES[rule.reason] if rule.reason else 0", "0"),
    "output_facts_without_an_output": ('definition.name.startswith("output.")', "False"),
}

SHAPES: Final = {
    "unknown_as_not_satisfied": (
        "pl.when(value.is_null()).then(pl.lit(_FACT_UNKNOWN, pl.UInt8))",
        "pl.when(value.is_null()).then(pl.lit(_NOT_SATISFIED, pl.UInt8))",
    ),
    "null_satisfies_negation": (
        "return code_of(true & value.is_not_null(), unknown)",
        "return code_of(true.fill_null(value=True), unknown)",
    ),
    "known_as_unknown": ("return code_of(value.is_null(), pl.lit", "return code_of(value.is_not_null(), pl.lit"),
    "unknown_as_known": ("return code_of(value.is_not_null(), pl.lit", "return code_of(value.is_null(), pl.lit"),
    "never_as_always": ("true = value.is_null() & value.is_not_null() if", "true = pl.lit(value=True) if"),
    "negation_lost": ("else inside != negate", "else inside"),
    "override_of_true_rules": (
        "pl.when(code == TRUE_CODE).then(code).otherwise(pl.lit(override",
        "pl.when(False).then(code).otherwise(pl.lit(override",
    ),
    "override_lost": ("return code if not override else", "return code if True else"),
    "count_as_boolean": (
        "pl.sum_horizontal(true) if counts and true else pl.lit(0) if counts else",
        "pl.lit(0) if False else",
    ),
    "all_as_any": ("return pl.all_horizontal(true)", "return pl.any_horizontal(true)"),
    "any_as_all": ("return pl.any_horizontal(true) if need == 1", "return pl.all_horizontal(true) if need == 1"),
    "one_more_is_needed": ("pl.sum_horizontal(true) >= need", "pl.sum_horizontal(true) > need"),
    "nothing_needed_is_false": ("        return pl.lit(need <= 0)", "        return pl.lit(need < 0)"),
    "deciding_rule_of_the_wrong_kind": (
        "pl.when(passed).then(first_true).otherwise(first_false)",
        "pl.when(passed).then(first_false).otherwise(first_true)",
    ),
    "deciding_rule_is_the_last": ("in reversed(list(enumerate(codes))):", "in list(enumerate(codes)):"),
    "of_output_by_another_shape": (
        'formula["count"], formula["of_output"], tuple(overrides))',
        'formula["count"], False, tuple(overrides))',
    ),
}

EVALUATE: Final = {
    "facts_told_without_their_base": ("            if not every:\n", "            if False:\n"),
    "output_facts_by_the_bundle": ('runs["has_output" if shape.of_output else "has_bundle"]', 'runs["has_bundle"]'),
    "facts_by_the_output": ('runs["has_output" if shape.of_output else "has_bundle"]', 'runs["has_output"]'),
    "rare_override_of_true_rules": ("pl.when((found != TRUE_CODE) & (override != 0))", "pl.when(override != 0)"),
    "rare_override_lost": ("pl.when((found != TRUE_CODE) & (override != 0))", "pl.when(override < 0)"),
    "rare_negation_lost": (
        'compared(kind, value, inside, pl.col("negate"))',
        "compared(kind, value, inside, pl.lit(value=False))",
    ),
    "definitions_are_outcomes": ('rows.filter(pl.col("check").is_not_null())', "rows"),
}

TEXT_FACTS: Final = {
    "exists_swapped": (
        "return value.is_not_null() if operand else value.is_null()",
        "return value.is_null() if operand else value.is_not_null()",
    ),
    "in_as_not_in": ('inside if operator == "in" else ~inside', "~inside"),
    "not_in_as_in": ('inside if operator == "in" else ~inside', "inside"),
    "not_equals_as_equals": ('"not_equals": value != operand', '"not_equals": value == operand'),
    "equals_as_not_equals": ('{"equals": value == operand', '{"equals": value != operand'),
    "matches_with_case": ('f"(?im){operand}"', 'f"(?m){operand}"'),
    "null_passes": ("comparison).fill_null(value=False)", "comparison).fill_null(value=True)"),
}


def of_fact_rules() -> Iterator[Mutant]:
    """Mutants of what compares facts, and of what counts true rules."""
    evaluate = (
        "tests/rules/test_evaluate.py",
        "tests/rules/test_all_at_once.py",
        *vectors(44, 45, 46, 47, 48, 158, 213),
    )
    yield from mutants_of("judge_polars/rules/program.py", evaluate, FACT_COMPARISONS)
    yield from mutants_of("judge_polars/rules/shapes.py", evaluate, SHAPES)
    yield from mutants_of("judge_polars/rules/evaluate.py", evaluate, EVALUATE)
    yield from mutants_of("judge_polars/rules/document_rules.py", evaluate, TEXT_FACTS)
