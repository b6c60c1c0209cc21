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

COMPARED: Final = {
    "unknown_as_not_satisfied": (
        "np.uint8(_NOT_SATISFIED), np.uint8(_FACT_UNKNOWN)",
        "np.uint8(_NOT_SATISFIED), np.uint8(_NOT_SATISFIED)",
    ),
    "not_satisfied_as_unknown": (
        "np.uint8(_NOT_SATISFIED), np.uint8(_FACT_UNKNOWN)",
        "np.uint8(_FACT_UNKNOWN), np.uint8(_FACT_UNKNOWN)",
    ),
    "null_satisfies_negation": ("np.where(known, inside != negate, absent)", "inside != negate"),
    "null_satisfies_never": ("np.where(known, inside != negate, absent)", "np.where(known, inside != negate, False)"),
    "negation_lost": ("inside != negate, absent", "inside, absent"),
    "known_as_unknown": ("absent=kind == UNKNOWN,", "absent=kind == KNOWN,"),
    "unknown_as_known": ("    if kind == KNOWN:\n", "    if kind in (KNOWN, UNKNOWN):\n"),
    "never_as_always": (
        "    elif kind in (UNKNOWN, NEVER):\n        low, high = 1, 0",
        "    elif kind in (UNKNOWN, NEVER):\n        low, high = _LOWEST, _HIGHEST",
    ),
    "low_end_out": ("(value >= test.low) &", "(value > test.low) &"),
    "high_end_out": ("& (value <= test.high)", "& (value < test.high)"),
    "members_lost": ("np.array(test.members, dtype=np.int64)", "np.array(test.members[:1], dtype=np.int64)"),
    "override_lost": ("np.uint8(override) if override else codes", "np.uint8(0) + codes if override else codes"),
    "override_of_true_rules": (
        "return (codes != TRUE_CODE) * np.uint8(override) if",
        "return codes * np.uint8(0) + np.uint8(override) if",
    ),
    "rare_override_of_true_rules": (
        "np.where((codes != TRUE_CODE) & (override != 0), override",
        "np.where(override != 0, override",
    ),
    "rare_override_lost": (
        "np.where((codes != TRUE_CODE) & (override != 0), override",
        "np.where(override < 0, override",
    ),
}

SHAPES: Final = {
    "of_output_by_another_shape": (
        'formula["count"], formula["of_output"], tuple(overrides))',
        'formula["count"], False, tuple(overrides))',
    ),
    "count_by_another_shape": ('formula["need"], formula["count"],', 'formula["need"], False,'),
    "override_by_another_shape": (
        '                overrides.append(cell["override"])',
        "                overrides.append(0)",
    ),
    "nothing_needed_is_usual": ("return 0 < self.need <= self.length", "return 0 <= self.need <= self.length"),
    "too_many_needed_is_usual": ("return 0 < self.need <= self.length", "return 0 < self.need"),
    "formulas_not_by_slot": ("key=lambda row: (row[1], row[0])", "key=lambda row: row[0]"),
}

DECIDE: Final = {
    "true_as_false": ("found += column == TRUE_CODE", "found += column != TRUE_CODE"),
    "all_as_any_in_facts": (
        "return np.equal(_combined(codes), TRUE_CODE)",
        "return np.equal(_least(codes), TRUE_CODE)",
    ),
    "any_as_all_in_facts": (
        "return np.equal(_least(codes), TRUE_CODE)",
        "return np.equal(_combined(codes), TRUE_CODE)",
    ),
    "one_more_is_needed_in_facts": (
        "number_of_true(codes, height) >= shape.need",
        "number_of_true(codes, height) > shape.need",
    ),
    "one_more_is_needed": ("true.sum(axis=0) >= shape.need", "true.sum(axis=0) > shape.need"),
    "deciding_rule_of_the_wrong_kind": ("np.where(enough, true, ~true)", "np.where(enough, ~true, true)"),
    "deciding_rule_is_the_last": ("rule = fits.argmax(axis=0)", "rule = fits.shape[0] - 1 - fits[::-1].argmax(axis=0)"),
    "only_the_first_rule": ("codes[0] if shape.need == 1 else _combined(codes)", "codes[0]"),
    "no_rule_lost": ("np.where(there, rule, NO_RULE)", "rule"),
    "nothing_needed_is_false": ("np.full(height, shape.need <= 0 or usual)", "np.full(height, usual)"),
    "code_without_a_rule": ("TRUE_CODE if shape.need <= 0 or usual else _NOT_SATISFIED", "TRUE_CODE"),
    "lone_rule_of_the_other_sign": ("return Decided(codes[0] == TRUE_CODE,", "return Decided(codes[0] != TRUE_CODE,"),
    "cells_of_the_next_run": (
        "np.repeat(begins, self.count) + self._within",
        "np.repeat(begins, self.count) + self._within + 1",
    ),
    "even_cells_of_the_next_run": (
        "begins[:, np.newaxis] + np.arange(self._even)",
        "begins[:, np.newaxis] + np.arange(1, self._even + 1)",
    ),
    "always_even": ("return first if (self.count == first).all() else 0", "return first"),
    "copied_cells_of_the_next_run": ("values[begin : begin + count]", "values[begin + 1 : begin + 1 + count]"),
}

EVALUATE: Final = {
    "facts_told_without_their_base": ("        if not every:\n", "        if False:\n"),
    "output_facts_by_the_bundle": (
        'runs["has_output" if formulas.shape.of_output else "has_bundle"]',
        'runs["has_bundle"]',
    ),
    "facts_by_the_output": ('runs["has_output" if formulas.shape.of_output else "has_bundle"]', 'runs["has_output"]'),
    "rare_negation_lost": ("(value <= high), negate, absent)", "(value <= high), False, absent)"),
    "rare_absence_lost": ("(value <= high), negate, absent)", "(value <= high), negate, False)"),
    "rare_members_as_a_range": ("        if not test.is_range:\n", "        if False:\n"),
    "rare_low_end_out": ("compared(known, (value >= low)", "compared(known, (value > low)"),
    "rare_high_end_out": ("& (value <= high), negate", "& (value < high), negate"),
    "counts_as_booleans": (
        "number_of_true(columns, height) if shape.counts else",
        "number_of_true(columns, height) if False else",
    ),
    "passed_lost": ("packed |= found.passed.view", "packed |= 0 * found.passed.view"),
    "outcomes_of_the_next_check": ("formulas.check - self.first_check[formulas.case]", "0 * formulas.check"),
    "no_rule_is_a_number": ("if any(not shape.is_usual for shape in self.shapes):", "if False:"),
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
    "unknown_as_not_satisfied": ('.then(REASON_CODES["fact_unknown"])', '.then(REASON_CODES["fact_not_satisfied"])'),
    "null_cannot_be_asked_for": (' & (comparison.operator != "exists" or bool(comparison.operand))', ""),
}


def of_fact_rules() -> Iterator[Mutant]:
    """Mutants of what compares facts, and of what counts true rules."""
    evaluate = (
        "tests/rules/test_evaluate.py",
        "tests/rules/test_all_at_once.py",
        *vectors(44, 45, 46, 47, 48, 158, 213),
    )
    yield from mutants_of("judge_polars/rules/program.py", evaluate, FACT_COMPARISONS)
    yield from mutants_of("judge_polars/rules/compare.py", evaluate, COMPARED)
    yield from mutants_of("judge_polars/rules/shapes.py", evaluate, SHAPES)
    yield from mutants_of("judge_polars/rules/decide.py", evaluate, DECIDE)
    yield from mutants_of("judge_polars/rules/evaluate.py", evaluate, EVALUATE)
    yield from mutants_of("judge_polars/rules/document_rules.py", ("tests/rules/test_text_facts.py",), TEXT_FACTS)
