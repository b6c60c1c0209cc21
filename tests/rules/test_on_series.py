"""Numeric rules: one table of rules on one document each, the row that must not match beside the one that must."""

from __future__ import annotations

import itertools
import random
from dataclasses import replace

import pytest

from judge_polars.rulebook import DocumentRule, Selector
from judge_polars.rules import on_series
from judge_polars.vocabulary import METHODS
from tests.rules.shard_builder import Run, Text, reasons

SERIES = Selector(name="m.json")
ANY_GT = DocumentRule("numeric_series_any_gt", SERIES, threshold=5)
PRESENT = DocumentRule("numeric_series_present", SERIES)
SPREAD = DocumentRule("numeric_spread_gt", SERIES, by="max_over_median", threshold=5)

START, MINUTE = 1741078800, 60
"""2025-03-04T09:00:00Z, where the case's window of 45 minutes begins."""


def told(rule: DocumentRule, value: object, file: str = "evidence/m.json") -> str:
    """What one rule says of one document."""
    return reasons(on_series.evaluate, [rule], [{file: value}])[0][0]


def labelled(name: str, instance: str, *values: float) -> dict[str, object]:
    """A Prometheus series with a time for each value."""
    return {
        "metric": {"__name__": name, "instance": instance},
        "values": [[START + MINUTE * at, str(value)] for at, value in enumerate(values)],
    }


THRESHOLDS = [
    ("gt", [0.9], 0.9, False),
    ("gt", [0.9], 0.8999999, True),
    ("ge", [0.9], 0.9, True),
    ("ge", [0.9], 0.9000001, False),
    ("lt", [0.9], 0.9, False),
    ("lt", [0.9], 0.9000001, True),
    ("le", [0.9], 0.9, True),
    ("le", [0.9], 0.8999999, False),
    ("gt", ["+Inf"], 10**400, True),
    ("lt", ["-Inf"], -1e300, True),
    ("gt", ["NaN"], -1, False),
    ("lt", ["NaN"], 1, False),
    ("ge", [9007199254740992], 9007199254740993, False),
    ("ge", [9007199254740994], 9007199254740993, True),
    ("le", [9007199254740992], 9007199254740993, True),
]


@pytest.mark.parametrize(("operator", "values", "threshold", "true"), THRESHOLDS)
def test_a_threshold_is_met_exactly(operator: str, values: list[object], threshold: float, true: bool) -> None:
    for quantifier in ("any", "all"):
        rule = DocumentRule(f"numeric_series_{quantifier}_{operator}", SERIES, threshold=threshold)
        assert told(rule, {"x": values}) == ("true" if true else "not_matched")


ANY = {
    "one_of_many": (replace(ANY_GT), {"x": [1, 9], "y": [2]}, "true"),
    "none": (ANY_GT, {"x": [1, 5], "y": [2]}, "not_matched"),
    "two_points": (replace(ANY_GT, min_points=2), {"x": [9, 1, 9]}, "true"),
    "two_points_of_two_series": (replace(ANY_GT, min_points=2), {"x": [9], "y": [9]}, "not_matched"),
    "three_of_two": (replace(ANY_GT, min_points=3), {"x": [9, 1, 9]}, "not_matched"),
    "in_a_row": (replace(ANY_GT, min_points=2, consecutive=True), {"x": [1, 9, 9]}, "true"),
    "not_in_a_row": (replace(ANY_GT, min_points=2, consecutive=True), {"x": [9, 1, 9]}, "not_matched"),
    "null_does_not_interrupt": (replace(ANY_GT, min_points=2, consecutive=True), {"x": [9, None, "NaN", 9]}, "true"),
    "in_time_order": (
        replace(ANY_GT, min_points=3, consecutive=True),
        {"x": [[240, 1], [60, 9], [0, 1], [120, 9], [180, 9]]},
        "true",
    ),
    "one_point_without_time_keeps_list_order": (
        replace(ANY_GT, min_points=3, consecutive=True),
        {"x": [[240, 9], [60, 9], [0, 1], {"value": 9}, [180, 9]]},
        "not_matched",
    ),
    "equal_times_keep_list_order": (
        replace(ANY_GT, min_points=2, consecutive=True),
        {"x": [[60, 9], [60, 1], [60, 9], [0, 0]]},
        "not_matched",
    ),
    "increase": (replace(ANY_GT, of="increase", threshold=2), {"x": [7, 8, 8, 0, 2]}, "true"),
    "increase_is_not_level": (replace(ANY_GT, of="increase", threshold=0), {"x": [41, 41, 40]}, "not_matched"),
    "increase_needs_points": (
        replace(ANY_GT, of="increase", threshold=2, min_points=6),
        {"x": [7, 8, 8, 0, 2]},
        "not_matched",
    ),
    "increase_in_time_order": (replace(ANY_GT, of="increase", threshold=3), {"x": [[2, 1], [1, 5], [3, 5]]}, "true"),
    "changes": (replace(ANY_GT, of="changes", threshold=1), {"x": [1, 1, 2, 1]}, "true"),
    "changes_are_between_neighbours": (replace(ANY_GT, of="changes", threshold=1), {"x": [1, 1, 2, 2]}, "not_matched"),
    "ratio": (replace(ANY_GT, of="ratio", threshold=50), {"x": [0.1, 0.1, 0.1, 9]}, "true"),
    "ratio_of_even_number": (replace(ANY_GT, of="ratio", threshold=1.5), {"x": [1, 3]}, "not_matched"),
    "ratio_over_zero": (replace(ANY_GT, of="ratio", threshold=1e300), {"x": [0, 0, 1]}, "true"),
    "ratio_over_infinite_median": (
        replace(ANY_GT, method="numeric_series_any_lt", of="ratio", threshold=1),
        {"x": ["-Inf", 3]},
        "true",
    ),
    "ratio_of_infinities": (replace(ANY_GT, of="ratio", threshold=-1), {"x": ["Inf", "Inf"]}, "not_matched"),
    "ratio_of_zeros": (replace(ANY_GT, of="ratio", threshold=-1), {"x": [0, 0, 0]}, "not_matched"),
}


@pytest.mark.parametrize(("rule", "value", "expected"), ANY.values(), ids=ANY.keys())
def test_some_series_has_points_beyond(rule: DocumentRule, value: object, expected: str) -> None:
    assert told(rule, value) == expected


ALL_LT = DocumentRule("numeric_series_all_lt", SERIES, threshold=5)
ALL = {
    "every_series": (ALL_LT, {"x": [1, 2], "y": [4]}, "true"),
    "not_every_series": (ALL_LT, {"x": [1, 2], "y": [5]}, "not_matched"),
    "too_short_ones_do_not_count": (replace(ALL_LT, min_points=2), {"x": [1, 2], "y": [9]}, "true"),
    "all_too_short": (replace(ALL_LT, min_points=3), {"x": [1, 2], "y": [3]}, "not_matched"),
    "dropped_points_prove_nothing": (ALL_LT, {"x": ["NaN"]}, "not_matched"),
    "over_all_documents": (ALL_LT, {"x": [1]}, "true"),
}


@pytest.mark.parametrize(("rule", "value", "expected"), ALL.values(), ids=ALL.keys())
def test_all_series_have_all_points_beyond(rule: DocumentRule, value: object, expected: str) -> None:
    assert told(rule, value) == expected


def test_all_looks_at_all_selected_documents() -> None:
    rule = replace(ALL_LT, selector=Selector(name="m_*.json"))
    runs: list[Run] = [
        {"evidence/m_1.json": {"x": [1]}, "evidence/m_2.json": {"x": [4]}},
        {"evidence/m_1.json": {"x": [1]}, "evidence/m_2.json": {"x": [6]}},
    ]
    assert reasons(on_series.evaluate, [rule], runs) == [["true"], ["not_matched"]]


SPREADS = {
    "hot_store": (SPREAD, [[9, 9], [1, 1], [1, 1]], "true"),
    "at_the_border": (replace(SPREAD, threshold=9), [[9, 9], [1, 1], [1, 1]], "not_matched"),
    "means_not_points": (SPREAD, [[0, 9], [1, 1], [1, 1]], "not_matched"),
    "two_series": (replace(SPREAD, threshold=1.7), [[9], [1]], "true"),
    "lone_series": (replace(SPREAD, threshold=0.5), [[9, 1]], "not_matched"),
    "second_has_no_points": (replace(SPREAD, threshold=0.5), [[9, 1], ["NaN"]], "not_matched"),
    "median_zero": (replace(SPREAD, threshold=1e300), [[0], [0], [1]], "true"),
    "all_zero": (replace(SPREAD, threshold=-1), [[0], [0]], "not_matched"),
    "difference": (replace(SPREAD, by="max_minus_min", threshold=7.9), [[9, 9], [1, 1], [5, 5]], "true"),
    "opposite_infinities_have_no_mean": (
        replace(SPREAD, by="max_minus_min", threshold=7),
        [[9], [1], ["Inf", "-Inf"]],
        "not_matched",
    ),
    "difference_at_the_border": (replace(SPREAD, by="max_minus_min", threshold=8), [[9], [1]], "not_matched"),
}


@pytest.mark.parametrize(("rule", "series", "expected"), SPREADS.values(), ids=SPREADS.keys())
def test_spread_of_means(rule: DocumentRule, series: list[list[object]], expected: str) -> None:
    assert told(rule, {"stores": [{"values": values} for values in series]}) == expected


CPU = {"a": [labelled("cpu", "one", 9, 1), labelled("cpu", "two", 1, 1)], "b": {"name": "mem", "values": [7]}}
CHOICES = {
    "name": (replace(ANY_GT, series="cpu"), "true"),
    "glob": (replace(ANY_GT, series="m?m*"), "true"),
    "glob_covers_the_whole_name": (replace(ANY_GT, series="cp"), "no_series"),
    "case_counts": (replace(ANY_GT, series="CPU"), "no_series"),
    "regex_is_found_anywhere": (replace(ANY_GT, series="/^(c|x)p/"), "true"),
    "regex_of_nothing": (replace(ANY_GT, series="/^p/"), "no_series"),
    "label": (replace(ANY_GT, labels=(("instance", "one"),)), "true"),
    "label_of_a_quiet_one": (replace(ANY_GT, labels=(("instance", "two"),)), "not_matched"),
    "labels_must_all_be_there": (replace(ANY_GT, labels=(("instance", "one"), ("zone", "a"))), "no_series"),
    "part_of_a_label": (replace(ANY_GT, labels=(("instance", "on"),)), "no_series"),
    "path": (replace(ANY_GT, path="$.b"), "true"),
    "path_to_a_quiet_one": (replace(ANY_GT, path="$.a[1]"), "not_matched"),
    "path_to_the_list_itself": (replace(ANY_GT, path="$.a[0].values"), "true"),
    "path_into_a_series": (replace(ANY_GT, path="$.a[0].values[0]"), "no_series"),
    "path_to_nothing": (replace(ANY_GT, path="$.c"), "path_selects_nothing"),
    "path_to_no_series": (replace(ANY_GT, path="$.b.name"), "no_series"),
    "many_nodes": (replace(ANY_GT, path="$.a[*]"), "true"),
}


@pytest.mark.parametrize(("rule", "expected"), CHOICES.values(), ids=CHOICES.keys())
def test_which_series_count(rule: DocumentRule, expected: str) -> None:
    assert told(rule, CPU) == expected


TIMED = {"cpu": [[START - 300, 9], [START, 4], [START + 60, 6]], "load": [9, 9]}
WITHIN = {
    "anywhere": (replace(ANY_GT, threshold=8), "true"),
    "window": (replace(ANY_GT, series="cpu", within="window"), "true"),
    "not_in_the_window": (replace(ANY_GT, series="cpu", threshold=8, within="window"), "not_matched"),
    "wider": (replace(ANY_GT, threshold=8, within="window", margin_us=300_000_000), "true"),
    "not_wide_enough": (replace(ANY_GT, threshold=8, within="window", margin_us=299_999_999), "not_matched"),
    "before": (replace(ANY_GT, threshold=8, within="before_window"), "true"),
    "before_leaves_the_start_out": (replace(ANY_GT, threshold=3, within="before_window", min_points=2), "not_matched"),
    "long_before": (replace(ANY_GT, within="before_window", margin_us=300_000_000), "no_series"),
    "untimed": (replace(PRESENT, series="load", within="window"), "no_series"),
    "present": (replace(PRESENT, series="cpu", within="window", min_points=2), "true"),
    "not_so_many": (replace(PRESENT, series="cpu", within="window", min_points=3), "not_matched"),
}


@pytest.mark.parametrize(("rule", "expected"), WITHIN.values(), ids=WITHIN.keys())
def test_points_within_the_window(rule: DocumentRule, expected: str) -> None:
    assert told(rule, TIMED) == expected


END = START + 45 * MINUTE
LATE = {"x": [[END, 6], [END + 300, 9]]}
UP_TO_THE_END = {
    "end": (5, 0, "true"),
    "behind_the_end": (8, 0, "not_matched"),
    "wider": (8, 300_000_000, "true"),
    "not_wide_enough": (8, 299_999_999, "not_matched"),
}


@pytest.mark.parametrize(("threshold", "margin_us", "expected"), UP_TO_THE_END.values(), ids=UP_TO_THE_END.keys())
def test_the_end_of_the_window_is_in_it(threshold: int, margin_us: int, expected: str) -> None:
    rule = replace(ANY_GT, threshold=threshold, within="window", margin_us=margin_us)
    assert told(rule, LATE) == expected


REASONS = {
    "no_document": ({"evidence/other.json": {"x": [9]}}, "artifact_missing"),
    "no_json": ({"evidence/m.json": Text("{")}, "no_json_value"),
    "unread": ({"evidence/m.json": Text(None, unread=True)}, "no_json_value"),
    "no_series": ({"evidence/m.json": {"x": [True], "y": []}}, "no_series"),
    "not_matched": ({"evidence/m.json": {"x": [1]}}, "not_matched"),
    "dropped_points": ({"evidence/m.json": {"x": ["NaN", None]}}, "not_matched"),
    "true": ({"evidence/m.json": {"x": [9]}}, "true"),
    "in_the_root": ({"m.json": {"x": [9]}}, "true"),
    "evidence_first": ({"m.json": {"x": [9]}, "evidence/m.json": {"x": [1]}}, "not_matched"),
}


@pytest.mark.parametrize(("run", "expected"), REASONS.values(), ids=REASONS.keys())
def test_reason(run: Run, expected: str) -> None:
    assert reasons(on_series.evaluate, [ANY_GT], [run]) == [[expected]]


def test_present_has_the_reasons_too() -> None:
    runs: list[Run] = [{}, {"evidence/m.json": {"x": ["NaN"]}}, {"evidence/m.json": {"x": [1]}}]
    assert reasons(on_series.evaluate, [PRESENT], runs) == [["artifact_missing"], ["not_matched"], ["true"]]


def test_many_rules_at_once_are_what_each_is_alone() -> None:
    tables = [*ANY.values(), *ALL.values()]
    rules = [rule for rule, _, _ in tables] + [rule for rule, _ in (*CHOICES.values(), *WITHIN.values())]
    runs: list[Run] = [{"evidence/m.json": value} for value in [*(value for _, value, _ in tables), CPU, TIMED]]
    alone = [[of_run[0] for of_run in reasons(on_series.evaluate, [rule], runs)] for rule in rules]
    together = reasons(on_series.evaluate, rules, runs)
    assert [[of_run[at] for of_run in together] for at in range(len(rules))] == alone


def test_methods_are_those_of_the_vocabulary() -> None:
    assert set(on_series.METHODS) == {method for method in METHODS if method.startswith("numeric_")}


def longest_row(flags: list[bool]) -> int:
    """How many true ones follow each other at most."""
    return max((len(list(group)) for beyond, group in itertools.groupby(flags) if beyond), default=0)


@pytest.mark.parametrize("seed", range(5))
def test_random_points(seed: int) -> None:
    """Every kind of rule against its definition, spelled out in Python."""
    rng = random.Random(seed)
    rules = []
    for _ in range(25):
        quantifier, operator = rng.choice(("any", "all")), rng.choice(("gt", "ge", "lt", "le"))
        consecutive = quantifier == "any" and rng.random() < 0.5
        rules.append(
            DocumentRule(
                f"numeric_series_{quantifier}_{operator}",
                SERIES,
                threshold=rng.randint(0, 4),
                min_points=rng.randint(1, 3),
                consecutive=consecutive,
                of="value" if quantifier == "all" or consecutive else rng.choice(("value", "increase", "changes")),
            )
        )
    documents = [
        [[rng.randint(0, 4) for _ in range(rng.randint(1, 6))] for _ in range(rng.randint(1, 3))] for _ in range(12)
    ]
    runs: list[Run] = [{"evidence/m.json": {"s": [{"values": s} for s in series]}} for series in documents]
    expected = [["true" if plainly(rule, series) else "not_matched" for rule in rules] for series in documents]
    assert reasons(on_series.evaluate, rules, runs) == expected


def plainly(rule: DocumentRule, series: list[list[int]]) -> bool:
    """The definition of `numeric_series_…` for series without times."""
    assert isinstance(rule.threshold, int)
    threshold, operator = rule.threshold, rule.method[-2:]

    def beyond(value: float) -> bool:
        return {"gt": value > threshold, "ge": value >= threshold, "lt": value < threshold, "le": value <= threshold}[
            operator
        ]

    long = [values for values in series if len(values) >= rule.min_points]
    if "_all_" in rule.method:
        return bool(long) and all(all(map(beyond, values)) for values in long)
    if rule.of == "increase":
        return any(beyond(sum(max(b - a, 0) for a, b in itertools.pairwise(values))) for values in long)
    if rule.of == "changes":
        return any(beyond(sum(a != b for a, b in itertools.pairwise(values))) for values in long)
    if rule.consecutive:
        return any(longest_row(list(map(beyond, values))) >= rule.min_points for values in series)
    return any(sum(map(beyond, values)) >= rule.min_points for values in series)
