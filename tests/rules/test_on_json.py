"""JSON rules: tables of rules on one document, the row that must not match beside the one that must."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from judge_polars.rulebook import Comparison, Condition, DocumentRule, Selector, TimeWithin
from judge_polars.rules import on_json
from judge_polars.vocabulary import METHODS
from tests.rules.shard_builder import Lines, Output, Run, Text, reasons

FILE = Selector(name="d.json")
TELEMETRY = Selector(artifact="telemetry")
OUTPUT = Selector(artifact="output_text")


def told(rule: DocumentRule, value: object, file: str = "evidence/d.json") -> str:
    """What one rule says of one document."""
    return reasons(on_json.evaluate, [rule], [{file: value}])[0][0]


def rule(method: str, path: str = "$", operator: str | None = None, operand: object = None) -> DocumentRule:
    """A rule on `d.json`."""
    comparison = None if operator is None else Comparison(operator, operand)  # type: ignore[arg-type]
    return DocumentRule(method, FILE, path=path, comparison=comparison)


def text_rule(*keywords: str, path: str = "$") -> DocumentRule:
    return DocumentRule("json_text_contains_any", FILE, path=path, keywords=keywords)


LONG = 2**130
OF = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)


def near(seconds: float, offset_minutes: int = 0) -> TimeWithin:
    return TimeWithin(OF, int(seconds * 1_000_000), offset_minutes)


INFINITY = float("inf")
COMPARISONS: list[tuple[str, object, list[object], list[object]]] = [
    ("equals", "up", ["up"], ["Up", "down", " up", None, 1, True, ["up"], {"up": 1}]),
    ("equals", 3, [3, 3.0], [4, 3.5, "3", True, None]),
    ("equals", 3.5, [3.5], [3, 4, "3.5"]),
    ("equals", 1, [1], [True, "1"]),
    ("equals", True, [True], [False, 1, "true"]),
    ("equals", False, [False], [True, 0, None]),
    ("equals", 2**63, [2**63, float(2**63)], [2**63 + 1]),
    ("equals", 9007199254740993, [9007199254740993], [9007199254740992, 9007199254740992.0, 9007199254740994.0]),
    ("equals", float(2**53), [2**53], [2**53 + 1]),
    ("equals", LONG + 1, [LONG + 1], [LONG, LONG + 2, float(LONG), 2**127 - 1]),
    ("equals", -LONG, [-LONG, float(-LONG)], [LONG, -LONG - 1]),
    ("not_equals", "up", ["down", ""], ["up", 1, True, None, ["down"]]),
    ("not_equals", 3, [4, 2.5], [3, 3.0, "4", True, None, float("nan")]),
    ("not_equals", True, [False], [True, 0, None]),
    ("in", (1, "a", True), [1, 1.0, "a", True], [2, "b", False, None]),
    ("not_in", (1, "a"), [2, "b", 1.5], [1, "a", True, None, float("nan")]),
    ("not_in", (1, 2), [3, LONG], [1, 2, "3"]),
    ("gt", 5, [6, 5.000001, float("inf"), LONG], [5, 5.0, "6", True, float("nan"), -LONG]),
    ("ge", 5, [5, 5.0, 6], [4, 4.9999]),
    ("lt", 5, [4, 4.9999, float("-inf"), -LONG], [5, 5.0, "4", None, float("nan"), LONG]),
    ("le", 5, [5, 5.0, 4], [6, 5.0001]),
    ("equals", INFINITY, [INFINITY], [-INFINITY, 1e308, LONG]),
    ("gt", INFINITY, [], [INFINITY, 1e308, LONG]),
    ("ge", INFINITY, [INFINITY], [-INFINITY, 1e308, LONG]),
    ("gt", -INFINITY, [INFINITY, -1e308, -LONG], [-INFINITY, float("nan")]),
    ("ge", -INFINITY, [-INFINITY, INFINITY, -LONG], [float("nan"), "1"]),
    ("lt", INFINITY, [-INFINITY, 1e308, LONG], [INFINITY]),
    ("le", -INFINITY, [-INFINITY], [INFINITY, -1e308, -LONG]),
    ("gt", 5.5, [6, 5.6], [5, 5.5]),
    ("lt", -5.5, [-6, -5.6], [-5, -5.5]),
    ("gt", 9007199254740992.0, [9007199254740993], [9007199254740992]),
    ("gt", LONG, [LONG + 1, 10 * LONG, float("inf")], [LONG, LONG - 1, 5, 2**127 - 1, -10 * LONG]),
    ("lt", -LONG, [-LONG - 1, -10 * LONG, float("-inf")], [-LONG, -LONG + 1, -5, 10 * LONG]),
    ("ge", LONG, [LONG, float(LONG)], [LONG - 1]),
    ("matches", "^tikv-[0-9]$", ["tikv-1", "TIKV-1", "x\ntikv-1", "ｔikv-1"], ["tikv-10", 1, None]),
    ("matches", "(?-i:kv)", ["tikv-1"], ["TIKV", ["kv"]]),
    (
        "contains_any",
        ("Disk Hang", "热点"),
        ["a DISK  hang!", "ｄｉｓｋ\nhang", "CPU热点"],
        ["disk", 1, None, ["disk hang"]],
    ),
    ("contains_any", (" oom",), ["an OOM"], ["oom"]),
    (
        "time_within",
        near(30),
        ["2025-03-04T09:00:30Z", "2025-03-04t08:59:30z", " 2025-03-04 09:00:00+00:00 "],
        ["x", None],
    ),
    ("time_within", near(0), [1741078800, 1741078800.0, 1741078800000], [1741078801, 1741078800.5, True, "1741078800"]),
    ("time_within", near(29.9), ["2025-03-04T09:00:29.9Z"], ["2025-03-04T09:00:30Z", "2025-03-04T09:00:29.900001Z"]),
    ("time_within", near(60), ["2025-03-04T17:00:30+08:00"], ["2025-03-04T17:00:30-08:00", "2025-03-04 17:00:30"]),
    ("time_within", near(60, 480), ["2025-03-04 17:00:30", "2025-03-04T09:00:00Z"], ["2025-03-04 09:00:00"]),
    (
        "time_within",
        near(60),
        ["2025-03-04T09:00:00.1234567891Z"],
        ["2025-02-30T09:00:00Z", "2025-03-04", "2025-03-04T9:0:0Z"],
    ),
    (
        "time_within",
        near(60),
        ["2025-03-04T09:00:00Z"],
        ["2025-03-04T24:00:00Z", "2025-03-04T09:00:60Z", 10**40, float("inf")],
    ),
]


@pytest.mark.parametrize(("operator", "operand", "fit", "others"), COMPARISONS, ids=lambda value: str(value)[:30])
def test_comparison(operator: str, operand: object, fit: list[object], others: list[object]) -> None:
    values = [*fit, *others]
    found = reasons(
        on_json.evaluate,
        [rule("json_value", "$.x", operator, operand)],
        [{"evidence/d.json": {"x": x}} for x in values],
    )
    expected = ["true"] * len(fit) + ["not_matched"] * len(others)
    assert list(zip(values, found, strict=True)) == [(x, [code]) for x, code in zip(values, expected, strict=True)]


def test_all_comparisons_at_once_are_what_each_is_alone() -> None:
    rules = [rule("json_value", "$.x", operator, operand) for operator, operand, _, _ in COMPARISONS]
    values = [value for _, _, fit, others in COMPARISONS for value in (*fit, *others)]
    runs: list[Run] = [{"evidence/d.json": {"x": value}} for value in values]
    together = reasons(on_json.evaluate, rules, runs)
    for at, alone in enumerate(rules):
        assert [codes[at] for codes in together] == [codes[0] for codes in reasons(on_json.evaluate, [alone], runs)]


RULES = {
    "valid": (rule("json_valid"), 0, "true"),
    "exists": (rule("json_exists", "$.a.b"), {"a": {"b": None}}, "true"),
    "exists_not": (rule("json_exists", "$.a.c"), {"a": {"b": None}}, "path_selects_nothing"),
    "list": (rule("json_list_nonempty"), [0], "true"),
    "empty_list": (rule("json_list_nonempty"), [], "not_matched"),
    "object_is_no_list": (rule("json_list_nonempty"), {"a": 1}, "not_matched"),
    "text_is_no_list": (rule("json_list_nonempty"), "abc", "not_matched"),
    "one_of_several_lists": (rule("json_list_nonempty", "$[*]"), [[], [1]], "true"),
    "no_list_there": (rule("json_list_nonempty", "$.a"), {}, "path_selects_nothing"),
    "one_of_several_values": (rule("json_value", "$..s", "equals", "up"), [{"s": "down"}, {"s": "up"}], "true"),
    "value_in_a_list": (rule("json_value", "$.a", "equals", 1), {"a": [1]}, "not_matched"),
    "no_value": (rule("json_value", "$.b", "equals", 1), {"a": 1}, "path_selects_nothing"),
    "count": (rule("json_count", "$.i[*]", "equals", 3), {"i": [1, 2, 3]}, "true"),
    "count_of_lists": (rule("json_count", "$.i", "equals", 3), {"i": [1, 2, 3]}, "not_matched"),
    "count_of_nothing": (rule("json_count", "$.j", "equals", 0), {"i": []}, "true"),
    "count_is_no_text": (rule("json_count", "$.j", "gt", 0), {"i": []}, "not_matched"),
    "count_in": (rule("json_count", "$.i[*]", "in", (1, 2)), {"i": [1, 2]}, "true"),
    "count_not_in": (rule("json_count", "$.i[*]", "not_in", (1, 2)), {"i": [1, 2]}, "not_matched"),
    "repeated_nodes_count": (rule("json_count", "$..a..a", "equals", 3), {"a": {"a": {"a": 1}}}, "true"),
}


@pytest.mark.parametrize(("asked", "value", "expected"), RULES.values(), ids=RULES.keys())
def test_rule(asked: DocumentRule, value: object, expected: str) -> None:
    assert told(asked, value) == expected


CALLS: list[object] = [
    {"tool": "read_file", "status": "ok", "args": {"path": "ARCHITECTURE.md"}},
    {"tool": "read_file", "status": "error", "args": {"path": "GUARDRAILS.md"}},
    {"tool": "list_events", "status": "ok", "args": {"tags": ["x", "y"]}},
    "no object",
]


def where(*conditions: tuple[str, str, object]) -> tuple[Condition, ...]:
    return tuple(Condition(path, Comparison(operator, operand)) for path, operator, operand in conditions)  # type: ignore[arg-type]


RECORDS = {
    "together": (where(("$.tool", "equals", "read_file"), ("$.status", "equals", "ok")), 1),
    "apart": (where(("$.tool", "equals", "list_events"), ("$.status", "equals", "error")), 0),
    "one": (where(("$.tool", "equals", "read_file")), 2),
    "deep": (where(("$.args.path", "matches", r"\.md$")), 2),
    "one_path_twice": (where(("$.tool", "not_equals", "x"), ("$.tool", "matches", "events")), 1),
    "some_node_below": (where(("$.args.tags[*]", "equals", "y"), ("$.status", "equals", "ok")), 1),
    "each_by_another_node": (where(("$.args.tags[*]", "equals", "y"), ("$.args.tags[*]", "equals", "x")), 1),
    "node_itself": (where(("$", "equals", "no object")), 1),
    "nowhere": (where(("$.nope", "not_equals", 1)), 0),
    "list_is_no_scalar": (where(("$.args.tags", "not_equals", "x")), 0),
}


@pytest.mark.parametrize(("conditions", "number"), RECORDS.values(), ids=RECORDS.keys())
def test_records_satisfy_all_conditions(conditions: tuple[Condition, ...], number: int) -> None:
    some = DocumentRule("json_record_any", FILE, path="$[*]", where=conditions)
    exactly = DocumentRule("json_count", FILE, path="$[*]", where=conditions, comparison=Comparison("equals", number))
    other = replace(exactly, comparison=Comparison("not_equals", number))
    expected = ["true" if number else "not_matched", "true", "not_matched"]
    assert reasons(on_json.evaluate, [some, exactly, other], [{"evidence/d.json": CALLS}]) == [expected]


def test_records_that_are_not_there() -> None:
    conditions = where(("$.tool", "equals", "x"))
    some = DocumentRule("json_record_any", FILE, path="$.calls[*]", where=conditions)
    none = DocumentRule("json_count", FILE, path="$.calls[*]", where=conditions, comparison=Comparison("equals", 0))
    runs: list[Run] = [{"evidence/d.json": {}}, {"evidence/d.json": {"calls": [1]}}, {}]
    assert reasons(on_json.evaluate, [some, none], runs) == [
        ["path_selects_nothing", "true"],
        ["not_matched", "true"],
        ["artifact_missing", "artifact_missing"],
    ]


def test_count_is_over_all_selected_documents() -> None:
    globbed = replace(rule("json_count", "$.items[*]", "equals", 4), selector=Selector(name="g_*.json"))
    one_value = replace(rule("json_value", "$.items[*]", "equals", 4), selector=Selector(name="g_*.json"))
    runs: list[Run] = [
        {
            "evidence/g_1.json": {"items": [1, 2, 3]},
            "evidence/g_2.json": {"items": [4]},
            "evidence/h.json": {"items": [5]},
        },
        {"evidence/g_1.json": {"items": [1, 2, 3]}, "evidence/g_2.json": Text("{")},
        {"evidence/g_2.json": Text("{")},
    ]
    assert reasons(on_json.evaluate, [globbed, one_value], runs) == [
        ["true", "true"],
        ["not_matched", "not_matched"],
        ["no_json_value", "no_json_value"],
    ]


STATUS = {
    "status": "up",
    "names": ["tikv-1", "tikv-2"],
    "msg": 'line one\nline "two"',
    "深": "根因",
    "said": 'it says "load": 3',
}
TEXTS = {
    "key_and_value": (text_rule('"status": "up"'), "true"),
    "compact": (text_rule('"status":"UP"'), "true"),
    "list": (text_rule('["tikv-1", "tikv-2"]'), "true"),
    "space_inside_a_text_counts": (text_rule("lineone"), "not_matched"),
    "escapes_in_json_text": (text_rule("line one\\nline"), "true"),
    "escaped_quotes": (text_rule('\\"two\\"'), "true"),
    "text_of_a_string_is_its_own": (text_rule('one line "two"', path="$.msg"), "true"),
    "no_escapes_in_a_string": (text_rule("one\\nline", path="$.msg"), "not_matched"),
    "space_behind_a_colon_of_a_string": (text_rule('"load": 3', path="$.said"), "true"),
    "no_compact_form_of_a_string": (text_rule('"load":3', path="$.said"), "not_matched"),
    "text_of_a_list": (text_rule('tikv-1","tikv', path="$.names"), "true"),
    "not_of_another_node": (text_rule("tikv-1", path="$.msg"), "not_matched"),
    "no_node": (text_rule("tikv-1", path="$.nope"), "path_selects_nothing"),
    "chinese": (text_rule("根因"), "true"),
    "not_chinese": (text_rule("根本原因"), "not_matched"),
    "second_keyword": (text_rule("x", "tikv-2"), "true"),
    "pattern_of_a_concept": (replace(text_rule(), patterns=(r"TIKV-\d",)), "true"),
    "pattern_is_a_regex": (replace(text_rule(), patterns=(r"tikv-\D",)), "not_matched"),
}


@pytest.mark.parametrize(("asked", "expected"), TEXTS.values(), ids=TEXTS.keys())
def test_text_of_nodes(asked: DocumentRule, expected: str) -> None:
    assert told(asked, STATUS) == expected


def test_text_of_json_lines_and_of_a_string() -> None:
    lines = Lines([{"a": "one"}, {"a": "two"}], '{"a":"one"}\n{"a":"two"}')
    asked = replace(text_rule("two"), selector=TELEMETRY)
    assert told(asked, lines, "telemetry.jsonl") == "true"
    assert (
        told(replace(asked, keywords=("broken",)), replace(lines, text=f"{lines.text}\nbroken"), "telemetry.jsonl")
        == "not_matched"
    )
    assert told(text_rule("a b"), "a\nb") == "true", "a string's text is its own, without escapes"
    assert told(text_rule("a\\nb"), ["a\nb"]) == "true"
    assert told(replace(text_rule("two"), selector=OUTPUT), Output("```json\n[2]\n```", [2]), "output") == "not_matched"


def test_reasons_come_in_order() -> None:
    rules = [
        rule("json_valid"),
        rule("json_exists", "$.a"),
        rule("json_list_nonempty", "$.a"),
        rule("json_count", "$.a", "equals", 0),
        rule("json_value", "$.a", "equals", 2),
        text_rule("x", path="$.a"),
        text_rule("x"),
    ]
    runs: list[Run] = [
        {"evidence/e.json": 1},
        {"evidence/d.json": Text("{")},
        {"evidence/d.json": Text(None, unread=True)},
        {"evidence/d.json": {"b": 1}},
        {"evidence/d.json": {"a": 1}},
    ]
    nothing = "path_selects_nothing"
    assert reasons(on_json.evaluate, rules, runs) == [
        ["artifact_missing"] * 7,
        ["no_json_value"] * 7,
        ["no_json_value"] * 7,
        ["true", nothing, nothing, "true", nothing, nothing, "not_matched"],
        ["true", "true", "not_matched", "not_matched", "not_matched", "not_matched", "not_matched"],
    ]


PRESENCE = {
    "json": ({"evidence/d.json": {}}, "true"),
    "text": ({"evidence/d.json": Text("x")}, "true"),
    "unread": ({"evidence/d.json": Text(None, unread=True)}, "true"),
    "root": ({"d.json": {}}, "true"),
    "elsewhere": ({"evidence/deep/d.json": {}}, "artifact_missing"),
    "nowhere": ({}, "artifact_missing"),
}


@pytest.mark.parametrize(("run", "expected"), PRESENCE.values(), ids=PRESENCE.keys())
def test_presence(run: Run, expected: str) -> None:
    assert reasons(on_json.evaluate, [rule("artifact_present")], [run]) == [[expected]]


@pytest.mark.parametrize(("text", "expected"), [("x", "true"), (" \n", "artifact_missing"), (None, "artifact_missing")])
def test_output_is_present_when_it_says_something(text: str | None, expected: str) -> None:
    asked = DocumentRule("artifact_present", OUTPUT)
    assert reasons(on_json.evaluate, [asked], [{"output": Text(text, unread=text is None)}]) == [[expected]]


def test_methods_are_those_of_the_vocabulary() -> None:
    assert set(on_json.METHODS) == {method for method in METHODS if method.startswith(("json_", "artifact_"))}


def test_tolerance_is_in_microseconds() -> None:
    within = TimeWithin(OF, 1)
    instants = [OF + timedelta(microseconds=us) for us in (-2, -1, 0, 1, 2)]
    found = [told(rule("json_value", "$", "time_within", within), instant.isoformat()) for instant in instants]
    assert found == ["not_matched", "true", "true", "true", "not_matched"]
