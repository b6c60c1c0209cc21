"""Mutants of rules on series and JSON values, and of what chooses documents (specification 40)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutants.methods import OF_JSON, OF_SERIES, ON_JSON, ON_SERIES
from mutants.mutant import Mutant, mutants_of
from mutants.selections import vectors

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

JSON: Final = {
    "empty_lists_count": ('(pl.col("length") > 0).any()', '(pl.col("length") >= 0).any()'),
    "what_is_no_list_counts": ('(pl.col("length") > 0).any()', '(pl.col("length") > 0).fill_null(value=True).any()'),
    "all_nodes_must_be_lists": ('(pl.col("length") > 0).any()', '(pl.col("length") > 0).all()'),
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
EXPLAINED_OF_JSON: Final = {
    "one_condition_is_enough": "it spares looking at records of documents in which a condition holds nowhere; each record's"
    " conditions are counted behind it",
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


def of_value_rules() -> Iterator[Mutant]:
    """Mutants of what looks at points and values."""
    yield from mutants_of(ON_SERIES, OF_SERIES, SERIES, EXPLAINED_OF_SERIES)
    comparisons = ("tests/rules/test_on_json.py", *vectors(34, 43, 161))
    yield from mutants_of("judge_polars/rules/comparison.py", comparisons, COMPARISONS, EXPLAINED_COMPARISONS)
    yield from mutants_of(ON_JSON, OF_JSON, JSON, EXPLAINED_OF_JSON)
    yield from mutants_of(
        "judge_polars/rules/select.py", ("tests/rules/test_select.py", *vectors(29, 30, 31, 169, 171)), SELECTORS
    )
