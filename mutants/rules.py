"""Mutants of the rule methods and their operators (specification 40)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from judge_polars.vocabulary import METHODS, REASON_CODES, TRUE_CODE
from mutants.mutant import Mutant, mutants_of
from mutants.selections import vectors

_SERIES: Final = "judge_polars/rules/on_series.py"
_JSON: Final = "judge_polars/rules/on_json.py"
_TEXT: Final = "judge_polars/rules/on_text.py"
_ASSERTIONS: Final = "judge_polars/rules/on_assertions.py"

_OF_SERIES: Final = ("tests/rules/test_on_series.py", *vectors(35, 36, 37, 38, 39, 40, 41, 42, 43, 160, 209, 211))
_OF_JSON: Final = ("tests/rules/test_on_json.py", *vectors(8, 9, 10, 23, 24, 25, 31, 32, 33, 34, 159, 161, 208))
_OF_TEXT: Final = ("tests/rules/test_on_text.py", *vectors(1, 2, 3, 4, 5, 6, 7, 11, 12, 27, 154, 157, 210, 216))
_OF_ASSERTIONS: Final = (*vectors(13, 14, 15, 200, 202, 203, 205, 206, 207), "tests/rules/test_on_assertions.py")

_FILE_OF: Final = {"numeric": _SERIES, "keyword": _TEXT, "regex": _TEXT, "asserted": _ASSERTIONS}
_FILE_OF_OTHERS: Final = {"claimed": _ASSERTIONS, "denied": _ASSERTIONS, "json": _JSON, "artifact": _JSON}
_RESULTS: Final = {
    _SERIES: ("return _codes(asked, documents, _selecting(wanted, shard), sums, true)", "enumerate(rules)", _OF_SERIES),
    _JSON: ("return _codes(asked, documents, selecting, true, chosen)", "enumerate(rules)", _OF_JSON),
    _TEXT: ('return RULE_RESULTS.check(tally.select("run", "rule", code=_code()))', "enumerate(rules)", _OF_TEXT),
    _ASSERTIONS: (
        'return RULE_RESULTS.check(tally.select("run", "rule", code=_code()))',
        "enumerate(rules)",
        _OF_ASSERTIONS,
    ),
}
"""File of methods -> where its codes are ready, the numbered rules, and the tests."""


def of_methods() -> Iterator[Mutant]:
    """Each method as one that is never true, and as one that always is."""
    for method in METHODS:
        family = method.partition("_")[0]
        file = (_FILE_OF | _FILE_OF_OTHERS)[family]
        ready, numbered, tests = _RESULTS[file]
        chosen = f'pl.col("rule").is_in(pl.Series([i for i, r in {numbered} if r.method == "{method}"]).implode())'
        for how, code in (("never", REASON_CODES["not_matched"]), ("always", TRUE_CODE)):
            when = chosen if how == "always" else f'{chosen} & (pl.col("code") == {TRUE_CODE})'
            changed = f'.with_columns(code=pl.when({when}).then(pl.lit({code}, pl.UInt8)).otherwise("code"))'
            yield Mutant(f"{method}/{how}", file, ready, ready + changed, tests)


SERIES: Final = {
    "enough_is_more_than_min_points": (
        'return pl.col("points") >= pl.col("min_points")',
        'return pl.col("points") > pl.col("min_points")',
    ),
    "min_points_ignored": ('return pl.col("points") >= pl.col("min_points")', 'return pl.col("points") >= 1'),
    "beyond_with_nan": ('value.is_between("low", "high") & value.is_not_nan()', 'value >= pl.col("low")'),
    "low_end_open": ('value.is_between("low", "high") &', 'value.is_between("low", "high", closed="right") &'),
    "high_end_open": ('value.is_between("low", "high") &', 'value.is_between("low", "high", closed="left") &'),
    "present_ignores_points": (
        'sums.filter((pl.col("method") == PRESENT) & _enough())',
        'sums.filter(pl.col("method") == PRESENT)',
    ),
    "any_looks_at_the_largest_alone": (
        'able.filter(_beyond(pl.col("largest")) | _beyond(pl.col("least")))',
        'able.filter(_beyond(pl.col("largest")))',
    ),
    "any_looks_at_the_least_alone": (
        'able.filter(_beyond(pl.col("largest")) | _beyond(pl.col("least")))',
        'able.filter(_beyond(pl.col("least")))',
    ),
    "consecutive_off": ('pl.when("consecutive").then("in_a_row").otherwise("in_all")', 'pl.col("in_all")'),
    "consecutive_always": ('pl.when("consecutive").then("in_a_row").otherwise("in_all")', 'pl.col("in_a_row")'),
    "any_one_more_point": (
        'enough = enough.filter(number >= pl.col("min_points"))',
        'enough = enough.filter(number > pl.col("min_points"))',
    ),
    "any_one_point_less": (
        'enough = enough.filter(number >= pl.col("min_points"))',
        'enough = enough.filter(number >= pl.col("min_points") - 1)',
    ),
    "two_points_decided_as_one": ('able.filter(pl.col("min_points") > 1)', 'able.filter(pl.col("min_points") > 2)'),
    "rows_run_over_gaps": ('pl.col("position").shift(1) + 1)', 'pl.col("position").shift(1) + 2)'),
    "rows_run_over_series": (
        ' + 1) & (pl.col("look") == pl.col("look").shift(1))',
        " + 1)",
    ),
    "longest_row_is_the_shortest": ('in_a_row=pl.col("length").max()', 'in_a_row=pl.col("length").min()'),
    "any_of_other_numbers": ('(pl.col("of") == "value") & _enough() & (pl.col("points") > 0)', "_enough()"),
    "increase_as_changes": (
        'pl.when(pl.col("of") == "increase").then("increase")',
        'pl.when(pl.col("of") == "increase").then("changes")',
    ),
    "changes_as_increase": (
        '.when(pl.col("of") == "changes").then("changes")',
        '.when(pl.col("of") == "changes").then("increase")',
    ),
    "ratio_as_increase": ('number.otherwise("ratio")', 'number.otherwise("increase")'),
    "change_without_min_points": (
        '(pl.col("of") != "value") & _enough())\n    number',
        '(pl.col("of") != "value"))\n    number',
    ),
    "increase_with_falls": ("step.filter(step > 0, step.is_not_nan()).sum()", "step.filter(step.is_not_nan()).sum()"),
    "changes_are_those_that_stay": ("(value != value.shift(1)).sum()", "(value == value.shift(1)).sum()"),
    "all_ignores_min_points": (
        'pl.col("method").is_in(list(ALL)) & _enough() & (pl.col("points") > 0)',
        'pl.col("method").is_in(list(ALL)) & (pl.col("points") > 0)',
    ),
    "all_of_no_point": (
        'pl.col("method").is_in(list(ALL)) & _enough() & (pl.col("points") > 0)',
        'pl.col("method").is_in(list(ALL)) & _enough()',
    ),
    "all_as_any_series": (
        '_beyond(pl.col("largest"))).all())',
        '_beyond(pl.col("largest"))).any())',
    ),
    "all_looks_at_the_least_alone": (
        '(_beyond(pl.col("least")) & _beyond(pl.col("largest")))',
        '_beyond(pl.col("least"))',
    ),
    "all_looks_at_the_largest_alone": (
        '(_beyond(pl.col("least")) & _beyond(pl.col("largest")))',
        '_beyond(pl.col("largest"))',
    ),
    "spread_of_one": ('(pl.col("len") >= 2) &', '(pl.col("len") >= 1) &'),
    "spread_of_three": ('(pl.col("len") >= 2) &', '(pl.col("len") >= 3) &'),
    "spread_swapped": (
        'pl.when(pl.col("by") == "max_over_median")',
        'pl.when(pl.col("by") != "max_over_median")',
    ),
    "spread_with_unknown_means": ('(pl.col("len") >= 2) & pl.col("known") &', '(pl.col("len") >= 2) &'),
    "spread_of_the_largest_point": ("mean=value.mean(),", "mean=value.max(),"),
    "spread_without_the_smallest": (
        'max_minus_min=pl.col("mean").max() - pl.col("mean").min()',
        'max_minus_min=pl.col("mean").max()',
    ),
    "median_is_the_lower": (
        '(value.quantile(0.5, "lower") + value.quantile(0.5, "higher")) / 2',
        'value.quantile(0.5, "lower")',
    ),
    "median_is_the_mean": (
        '(value.quantile(0.5, "lower") + value.quantile(0.5, "higher")) / 2',
        "value.mean()",
    ),
    "ratio_to_zero_is_none": (
        '.then(float("inf")).otherwise(largest / median)',
        ".then(0.0).otherwise(largest / median)",
    ),
    "ratio_of_zeros_is_infinite": ("(median == 0) & (largest != 0)", "median == 0"),
    "during_is_before": (
        'during, before = pl.col("within") == "window", pl.col("within") == "before_window"',
        'before, during = pl.col("within") == "window", pl.col("within") == "before_window"',
    ),
    "margin_of_the_start_dropped": (
        'start, end = pl.col("window_start") - margin,',
        'start, end = pl.col("window_start"),',
    ),
    "margin_of_the_end_dropped": ('pl.col("window_end") + margin', 'pl.col("window_end")'),
    "before_includes_the_start": (
        '.then(start - pl.duration(microseconds=1, time_unit="us"))',
        ".then(start)",
    ),
    "window_dropped": (
        'pl.col("first").is_null() | pl.col("ts").is_between("first", "last")',
        'pl.lit(value=True) | pl.col("ts").is_between("first", "last")',
    ),
    "untimed_points_are_inside": (
        'is_between("first", "last").fill_null(value=False)',
        'is_between("first", "last").fill_null(value=True)',
    ),
    "end_of_the_window_open": (
        'is_between("first", "last").fill_null',
        'is_between("first", "last", closed="left").fill_null',
    ),
    "start_of_the_window_open": (
        'is_between("first", "last").fill_null',
        'is_between("first", "last", closed="right").fill_null',
    ),
    "order_of_points_kept": ('points.sort("reading", "order", "at")', 'points.sort("reading", "at")'),
    "order_of_whole_series_kept": (
        'whole &= ~pl.col("series").is_in(_out_of_order(shard).implode())',
        "whole &= pl.lit(value=True)",
    ),
    "path_ignored": (
        'None if rule.path == "$" else paths[rule.path]',
        "None",
    ),
    "name_ignored": ("None if rule.series is None else series_regex(rule.series)", "None"),
    "labels_ignored": ("                len(rule.labels),\n", "                0,\n"),
    "one_label_is_enough": ('pl.col("found") == pl.col("labels")', 'pl.col("found") >= 1'),
    "no_series_as_not_matched": (
        '.then(REASON_CODES["no_series"])',
        '.then(REASON_CODES["not_matched"])',
    ),
    "path_selects_nothing_as_no_series": (
        '.then(REASON_CODES["path_selects_nothing"])',
        '.then(REASON_CODES["no_series"])',
    ),
    "no_json_as_not_matched": ('.then(REASON_CODES["no_json_value"])', '.then(REASON_CODES["not_matched"])'),
    "missing_as_not_matched": ('.then(REASON_CODES["artifact_missing"])', '.then(REASON_CODES["not_matched"])'),
}

EXPLAINED_OF_SERIES: Final = {
    "all_of_no_point": "`min_points` is at least 1, so that a series with enough points has one",
}

COMPARISONS: Final = {
    "gt_as_ge": (
        '_RANGES: Final = {**dict.fromkeys(_EQUALITIES, "equals"), "gt": "gt"',
        '_RANGES: Final = {**dict.fromkeys(_EQUALITIES, "equals"), "gt": "ge"',
    ),
    "ge_as_gt": ('"ge": "ge"', '"ge": "gt"'),
    "lt_as_le": ('"lt": "lt"', '"lt": "le"'),
    "le_as_lt": ('"le": "le"}', '"le": "lt"}'),
    "range_lt_as_le": ('number_range("gt" if operator == "lt" else "ge", -operand)', 'number_range("ge", -operand)'),
    "range_le_as_lt": ('number_range("gt" if operator == "lt" else "ge", -operand)', 'number_range("gt", -operand)'),
    "range_gt_as_ge_for_doubles": (
        "math.nextafter(_at_most(operand), math.inf), math.inf)",
        "_at_most(operand), math.inf)",
    ),
    "range_gt_as_ge_for_integers": (
        "NumberRange(math.floor(operand) + 1, None,",
        "NumberRange(math.floor(operand), None,",
    ),
    "range_equals_rounds": (
        "NumberRange(math.ceil(operand), math.floor(operand), _at_least(operand), _at_most(operand))",
        "NumberRange(round(operand), round(operand), _at_least(operand), _at_most(operand))",
    ),
    "range_ge_rounds_down": (
        "return NumberRange(math.ceil(operand), None, _at_least(operand), math.inf)",
        "return NumberRange(math.floor(operand), None, _at_least(operand), math.inf)",
    ),
    "equals_infinity": (
        'if operator == "equals" or (operator == "ge" and infinity > 0):',
        'if operator == "equals":',
    ),
    "gt_infinity_holds": (
        "    if infinity > 0:\n        return _EMPTY",
        "    if infinity > 0:\n        return NumberRange(None, None, 0.0, math.inf)",
    ),
    "gt_minus_infinity_as_ge": ('infinity if operator == "ge" else math.nextafter(infinity, 0)', "infinity"),
    "ge_minus_infinity_as_gt": (
        'infinity if operator == "ge" else math.nextafter(infinity, 0)',
        "math.nextafter(infinity, 0)",
    ),
    "nan_satisfies_negation": ('rows.filter(pl.col("number").is_nan().fill_null(value=False).not_())', "rows"),
    "nan_satisfies_range": ('"float_low", "float_high") & pl.col("number").is_not_nan()', '"float_low", "float_high")'),
    "negation_of_other_kinds": (
        'kinds, on=["comparison", "kind"], how="semi"',
        'kinds, on=["comparison"], how="semi"',
    ),
    "not_equals_as_equals": ('_NEGATED: Final = ("not_equals", "not_in")', '_NEGATED: Final = ("not_in",)'),
    "not_in_as_in": ('_NEGATED: Final = ("not_equals", "not_in")', '_NEGATED: Final = ("not_equals",)'),
    "booleans_equal_any": (
        'operands, on=["comparison", "boolean"], how="semi").select("at")',
        'operands, on=["comparison"], how="semi").select("at")',
    ),
    "texts_equal_any": (
        'operands, on=["comparison", "string"], how="semi").select("at")',
        'operands, on=["comparison"], how="semi").select("at")',
    ),
    "booleans_are_numbers": (
        "isinstance(operand, int | float) and not isinstance(operand, bool)",
        "isinstance(operand, int | float)",
    ),
    "matches_with_case": ('f"(?im){comparison.operand}"', 'f"(?m){comparison.operand}"'),
    "matches_whole_text_only": ('f"(?im){comparison.operand}"', 'f"(?i){comparison.operand}"'),
    "contains_any_with_case": ('keyword_form(pl.col("string")) if lower else', 'pl.col("string") if lower else'),
    "contains_any_never": ('if comparison.operator == "contains_any"\n', "if False\n"),
    "matches_never": ('if comparison.operator == "matches"]', "if False]"),
    "time_tolerance_open": ('.abs() <= pl.col("tolerance")', '.abs() < pl.col("tolerance")'),
    "time_before_only": ('(instant - pl.col("of")).abs()', '(instant - pl.col("of"))'),
    "time_tolerance_ignored": ('.abs() <= pl.col("tolerance")', ".abs() <= 0"),
    "time_offset_ignored": ("- offset * _MINUTE", "- 0 * offset"),
    "time_offset_of_the_other_sign": ("- offset * _MINUTE", "+ offset * _MINUTE"),
    "time_default_offset_ignored": ('pl.coalesce(given, "offset")', "given.fill_null(0)"),
    "time_fraction_dropped": ('local.dt.epoch("us") + fraction', 'local.dt.epoch("us")'),
    "time_milliseconds_as_seconds": ("number >= MILLISECONDS_FROM", "number > 1e300"),
    "very_large_integers": ('beyond = pl.when(pl.col("kind") == INTEGER)', 'beyond = pl.when(pl.col("kind") == 99)'),
}

EXPLAINED_COMPARISONS: Final = {
    "nan_satisfies_range": "Polars orders NaN behind infinity, where no range goes; the code says it all the same",
}

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
    "never_as_always": ("true = value.is_null() & value.is_not_null()", "true = pl.lit(value=True)"),
    "negation_lost": ("value.is_between(low, high) != negate", "value.is_between(low, high)"),
    "negation_of_members_lost": ("value.is_in(members or []) != negate", "value.is_in(members or [])"),
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
    "rare_negation_of_members_lost": (
        'pl.col("members").list.contains(pl.col("value")) != pl.col("negate")',
        'pl.col("members").list.contains(pl.col("value"))',
    ),
    "rare_unknown_members": (
        'code_of(holds & pl.col("value").is_not_null(), unknown)',
        "code_of(holds.fill_null(value=True), unknown)",
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

JSON: Final = {
    "empty_lists_count": ('(pl.col("kind") == LIST) & (pl.col("length") > 0)', 'pl.col("kind") == LIST'),
    "texts_are_lists": ('(pl.col("kind") == LIST) & (pl.col("length") > 0)', 'pl.col("length") > 0'),
    "all_nodes_must_be_lists": ('(pl.col("length") > 0)).any()', '(pl.col("length") > 0)).all()'),
    "blank_output_is_present": (" & ~blank_output", ""),
    "conditions_on_several_records": (
        'tally.filter(pl.col("len") == pl.col("conditions"))',
        "tally",
    ),
    "one_condition_is_enough": (
        'there.filter(pl.len().over("pair") == pl.col("conditions"))',
        'there.filter(pl.len().over("pair") >= 1)',
    ),
    "count_of_documents": ('integer=pl.col("count").sum()', "integer=pl.len()"),
    "count_of_one_document": ('integer=pl.col("count").sum()', 'integer=pl.col("count").first()'),
    "count_of_nothing_is_unknown": (
        'pl.col("integer").fill_null(0).cast(pl.Int128)',
        'pl.col("integer").fill_null(1).cast(pl.Int128)',
    ),
    "record_of_none": ('(pl.col("integer") > 0)).select(_KEY)', '(pl.col("integer") >= 0)).select(_KEY)'),
    "where_is_ignored": ("if not rules[index].where]", "if True]"),
    "value_of_another_path": (
        'wanted.join(true, on=["doc", "key", "comparison"]',
        'wanted.join(true, on=["doc", "comparison"]',
    ),
    "keywords_in_plain_form": (
        "(json_keyword(text) if in_json else text for text in",
        "(text for text in",
    ),
    "texts_as_json": ('in_json=pl.col("kind") != TEXT', "in_json=pl.lit(value=True)"),
    "own_text_never": (
        'rule.method == "json_text_contains_any" and rule.path == "$"]\n    own',
        'rule.method == ""]\n    own',
    ),
    "patterns_ignored": (
        "[*map(keyword_search, keywords), *map(regex_search, rule.patterns)]",
        "[*map(keyword_search, keywords)]",
    ),
    "nothing_selected_as_not_matched": (
        '.then(REASON_CODES["path_selects_nothing"])',
        '.then(REASON_CODES["not_matched"])',
    ),
    "no_json_as_not_matched": ('.then(REASON_CODES["no_json_value"])', '.then(REASON_CODES["not_matched"])'),
    "missing_as_not_matched": ('.then(REASON_CODES["artifact_missing"])', '.then(REASON_CODES["not_matched"])'),
}

TEXT: Final = {
    "none_needs_something": ("then(found == 0)", "then(found > 0)"),
    "all_as_any": ('if rule.method == "keyword_all"', "if False"),
    "any_as_all": ('if rule.method == "keyword_all"', "if not rule.method.endswith('_none')"),
    "nothing_avoided_without_a_document": (
        'pl.when(pl.col("documents").fill_null(0) == 0)',
        'pl.when(pl.col("documents").fill_null(1) == 0)',
    ),
    "unread_ignored": ('pl.col("strict") & (pl.col("unread") > 0)', "pl.lit(value=False)"),
    "ignore_unread_ignored": (" and not rule.ignore_unread", ""),
    "unread_matters_to_all": ('rule.method.endswith("_none") and not rule.ignore_unread', "True"),
    "whole_word_off": ("whole_word=rule.whole_word", "whole_word=False"),
    "whole_word_on": ("whole_word=rule.whole_word", "whole_word=True"),
    "case_never_counts": (
        'case_sensitive=rule.case_sensitive and rule.method.startswith("regex")',
        "case_sensitive=False",
    ),
    "case_always_counts": (
        'case_sensitive=rule.case_sensitive and rule.method.startswith("regex")',
        "case_sensitive=True",
    ),
    "json_as_plain_text": ("json_keyword(keyword) if in_json else keyword", "keyword"),
    "missing_as_no_text": ('.then(REASON_CODES["artifact_missing"])', '.then(REASON_CODES["no_text"])'),
    "no_text_as_not_matched": ('.then(REASON_CODES["no_text"])', '.then(REASON_CODES["not_matched"])'),
    "unread_as_not_matched": ('.then(REASON_CODES["unread_document"])', '.then(REASON_CODES["not_matched"])'),
}

UNITS: Final = {
    "within_swapped": ('if within == "window" else', 'if within != "window" else'),
    "within_ignored": ("    if variant.within:\n", "    if False:\n"),
    "section_ignored": ("    if variant.section is not None:\n", "    if False:\n"),
    "or_all_always": ("rule.section is not None and rule.section_or_all", "True"),
    "or_all_never": ("rule.section is not None and rule.section_or_all", "False"),
    "margin_of_the_start_dropped": ('start=pl.col("window_start") - margin', 'start=pl.col("window_start")'),
    "margin_of_the_end_dropped": ('end=pl.col("window_end") + margin', 'end=pl.col("window_end")'),
    "before_includes_the_start": ('else at < pl.col("start")', 'else at <= pl.col("start")'),
    "start_open": ('at.is_between("start", "end")', 'at.is_between("start", "end", closed="right")'),
    "end_open": ('at.is_between("start", "end")', 'at.is_between("start", "end", closed="left")'),
    "lines_without_a_time_dropped": ('.then(above).otherwise("at").forward_fill()', '.then(above).otherwise("at")'),
    "times_run_into_the_next_document": (
        'begins = (pl.col("doc") != pl.col("doc").shift(1)).fill_null(value=True)',
        'begins = pl.col("doc").shift(1).is_null()',
    ),
    "times_run_into_the_next_piece": ("and before[0] == texts", "and before[0] != texts"),
    "lines_before_the_first_time_are_old": ("lines.filter(at != _NO_TIME).join(", "lines.join("),
    "a_piece_lost": ("    yield text[first:]\n", "    yield text[first:-1]\n"),
    "offset_of_a_usual_line_ignored": ("return (local - offset)", "return (local)"),
    "offset_of_a_usual_line_of_the_other_sign": ("return (local - offset)", "return (local + offset)"),
    "fraction_of_a_line_cut": (
        """pl.lit("000000")).str.slice(0, 6)""",
        """pl.lit("000000")).str.slice(0, 0) + "000000\"""",
    ),
}

SEARCHING: Final = {
    "case_folding_off": ('return self.texts["text"].str.to_lowercase()', 'return self.texts["text"]'),
    "one_clause_is_enough": (
        'pl.col("wanted").fill_null(0) == pl.col("found").fill_null(0)',
        'pl.col("wanted").fill_null(0) >= 0',
    ),
    "regexes_with_case": ('("(?m)" if case_sensitive else "(?im)")', '"(?m)"'),
    "regexes_without_case": ('("(?m)" if case_sensitive else "(?im)")', '"(?im)"'),
    "lines_not_looked_at": ('("(?m)" if case_sensitive else "(?im)")', '("" if case_sensitive else "(?i)")'),
    "needles_are_enough": ("sure = literal and all(", "sure = bool("),
}

SELECTORS: Final = {
    "logs_as_evidence": ('"logs_dir": pl.col("in_logs")', '"logs_dir": pl.col("in_evidence")'),
    "evidence_as_logs": ('"evidence_dir": pl.col("in_evidence")', '"evidence_dir": pl.col("in_logs")'),
    "root_first": (
        'places = [(f"{evidence_dir}/{selector.name}", 0)]',
        'places = [(f"{evidence_dir}/{selector.name}", 2)]',
    ),
    "both_places_count": (
        'placed.join(best, on=["run", "selector", "priority"], how="semi")',
        'placed.join(best, on=["run", "selector"], how="semi")',
    ),
    "globs_in_the_root_too": ("if is_plain(selector.name) else places", "if True else places"),
    "root_never": ("if is_plain(selector.name) else places", "if False else places"),
    "slash_ignored": ('if "/" in selector.name:', "if False:"),
}

ASSERTIONS: Final = {
    "none_as_any": ('.when(found != pl.col("none"))', ".when(found)"),
    "unread_ignored": ('pl.col("strict") & (pl.col("unread") > 0)', "pl.lit(value=False)"),
    "ignore_unread_ignored": ("strict = none and not rule.ignore_unread", "strict = none"),
    "no_document_as_not_matched": ('.then(REASON_CODES["artifact_missing"])', '.then(REASON_CODES["not_matched"])'),
    "no_text_as_not_matched": ('.then(REASON_CODES["no_text"])', '.then(REASON_CODES["not_matched"])'),
    "unread_as_not_matched": ('.then(REASON_CODES["unread_document"])', '.then(REASON_CODES["not_matched"])'),
    "negated_finding_ignored": ('pl.when("negated").then("free_itself").otherwise("free")', 'pl.col("free")'),
    "negated_finding_always": ('pl.when("negated").then("free_itself").otherwise("free")', 'pl.col("free_itself")'),
    "negated_finding_ignored_in_denials": (
        'pl.when("negated").then("denied_itself").otherwise("denied")',
        'pl.col("denied")',
    ),
    "questions_assert": (' & ~pl.col("silent")', ""),
    "questions_deny": (' & ~pl.col("question")', ""),
    "denied_sentences_deny_nothing": ('.then(denied | pl.col("denied_whole"))', ".then(denied)"),
    "denied_clauses_deny_nothing": ('.then(denied | pl.col("denied_whole"))', '.then(pl.col("denied_whole"))'),
    "claims_need_no_claim": ('.then(free & pl.col("states_claim"))', ".then(free)"),
    "assertions_need_a_claim": (".otherwise(free)\n", '.otherwise(free & pl.col("states_claim"))\n'),
    "unless_ignored": ("        if rule.unless:\n", "        if False:\n"),
    "unless_excuses_denials": ('.filter(pl.col("mode") != _DENIED)\n    found', "\n    found"),
    "unless_excuses_the_whole_text": (
        'on=["run", "rule", "clause", "words"], how="anti"',
        'on=["run", "rule"], how="anti"',
    ),
    "section_ignored": ("        return held\n    spans", "        return held\n    return held\n    spans"),
    "section_or_all_always": ('pl.col("section").is_null() | pl.col("or_all") |', "pl.lit(value=True) |"),
    "section_or_all_never": ('pl.col("section").is_null() | pl.col("or_all") |', 'pl.col("section").is_null() |'),
    "words_of_another_rule": ('mine = asks.filter(pl.col("words") == index)', "mine = asks"),
}

CLAUSES: Final = {
    "negators_ignored": ("return negated | (pl.col", "return (pl.col"),
    "post_negators_ignored": (
        '    return negated | (pl.col("negated_to") > behind).fill_null(value=False)',
        "    return negated",
    ),
    "negator_at_the_end": ('(pl.col("negated_from") < before)', '(pl.col("negated_from") <= before)'),
    "post_negator_at_the_begin": ('(pl.col("negated_to") > behind)', '(pl.col("negated_to") >= behind)'),
    "negator_before_the_begin": (
        'denied = _denied(before=pl.col("end"), behind=pl.col("begin"))',
        'denied = _denied(before=pl.col("begin"), behind=pl.col("end"))',
    ),
    "pseudo_negators_kept": ('content = replaced(unmarked, words.pseudo_negators, " ")', "content = unmarked"),
    "terminators_ignored": ("replaced(content, words.terminators, OPEN).str.split(OPEN)", "content.str.split(OPEN)"),
    "terminators_dropped": ('content=pl.col("heads") + pl.col("pieces")', 'content=pl.col("pieces")'),
    "commas_kept": (
        'clauses.with_columns(content=plain_commas(clauses["content"]).str.strip_chars())',
        'clauses.with_columns(content=clauses["content"].str.strip_chars())',
    ),
    "clauses_not_trimmed": ('plain_commas(clauses["content"]).str.strip_chars()', 'plain_commas(clauses["content"])'),
    "one_match_of_several": ("matches.list.len() > 1).drop", "matches.list.len() > 2).drop"),
    "all_matches_must_be_free": ("flag.any().alias(name)", "flag.all().alias(name)"),
    "headings_deny_nothing": (
        'DENYING_CONTEXTS: Final = ("heading", "lead_in")',
        'DENYING_CONTEXTS: Final = ("lead_in",)',
    ),
    "lead_ins_deny_nothing": (
        'DENYING_CONTEXTS: Final = ("heading", "lead_in")',
        'DENYING_CONTEXTS: Final = ("heading",)',
    ),
    "labels_deny": ('negated & contexts["kind"].is_in(DENYING_CONTEXTS)', "negated"),
    "post_negators_of_headings_ignored": (
        "holds(bare, words.negators) | holds(bare, words.post_negators)",
        "holds(bare, words.negators)",
    ),
    "negators_of_headings_ignored": (
        "holds(bare, words.negators) | holds(bare, words.post_negators)",
        "holds(bare, words.post_negators)",
    ),
    "pseudo_negators_of_headings_kept": (
        'bare = plain_commas(replaced(contexts["content"], words.pseudo_negators, " "))',
        'bare = plain_commas(contexts["content"])',
    ),
    "sentence_negators_ignored": (
        'pl.col("denies").fill_null(value=False) | holds(plain, words.sentence_negators)',
        'pl.col("denies").fill_null(value=False)',
    ),
    "contexts_deny_nothing": (
        'pl.col("denies").fill_null(value=False) | holds(plain, words.sentence_negators)',
        "holds(plain, words.sentence_negators)",
    ),
    "claims_of_contexts_ignored": (
        'pl.col("states_claim").fill_null(value=False) | holds(plain, words.claims)',
        "holds(plain, words.claims)",
    ),
    "claims_of_sentences_ignored": (
        'pl.col("states_claim").fill_null(value=False) | holds(plain, words.claims)',
        'pl.col("states_claim").fill_null(value=False)',
    ),
    "questions_are_loud": ('silent=pl.col("denied_whole") | pl.col("question")', 'silent=pl.col("denied_whole")'),
    "denied_sentences_are_loud": ('silent=pl.col("denied_whole") | pl.col("question")', 'silent=pl.col("question")'),
}


def of_rules() -> Iterator[Mutant]:
    """Mutants of everything that makes a rule true or false."""
    yield from of_methods()
    evaluate = (
        "tests/rules/test_evaluate.py",
        "tests/rules/test_all_at_once.py",
        *vectors(44, 45, 46, 47, 48, 158, 213),
    )
    yield from mutants_of(_SERIES, _OF_SERIES, SERIES, EXPLAINED_OF_SERIES)
    comparisons = ("tests/rules/test_on_json.py", *vectors(34, 43, 161))
    yield from mutants_of("judge_polars/rules/comparison.py", comparisons, COMPARISONS, EXPLAINED_COMPARISONS)
    yield from mutants_of("judge_polars/rules/program.py", evaluate, FACT_COMPARISONS)
    yield from mutants_of("judge_polars/rules/shapes.py", evaluate, SHAPES)
    yield from mutants_of("judge_polars/rules/evaluate.py", evaluate, EVALUATE)
    yield from mutants_of("judge_polars/rules/document_rules.py", evaluate, TEXT_FACTS)
    yield from mutants_of(_JSON, _OF_JSON, JSON)
    yield from mutants_of(_TEXT, _OF_TEXT, TEXT)
    yield from mutants_of(
        "judge_polars/rules/units.py",
        ("tests/rules/test_on_text.py", "tests/rules/test_units.py", *vectors(12, 155, 210)),
        UNITS,
    )
    yield from mutants_of("judge_polars/rules/searching.py", _OF_TEXT, SEARCHING)
    yield from mutants_of("judge_polars/rules/select.py", vectors(29, 30, 31, 169, 171), SELECTORS)
    yield from mutants_of(_ASSERTIONS, _OF_ASSERTIONS, ASSERTIONS)
    yield from mutants_of("judge_polars/rules/clauses.py", _OF_ASSERTIONS, CLAUSES)
