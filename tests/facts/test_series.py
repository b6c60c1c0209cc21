"""What is a numeric series, its points, name and labels: tables by hand, then random JSON against the definition."""

from __future__ import annotations

import math
import random
import re
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from judge_polars.facts.series import SeriesColumns, document_level, label_lists
from judge_polars.times import parse_time_number, parse_time_text

T = 1741078800
NINE = datetime(2025, 3, 4, 9, 0, tzinfo=UTC)


def read(value: object, name: str = "evidence/m.json") -> list[dict[str, Any]]:
    """Series of one document, each with its points as (time, value)."""
    columns = SeriesColumns()
    columns.add(0, value, name)
    series, points = columns.frames()
    of_series: dict[int, list[tuple[datetime | None, float]]] = {}
    for number, ts, number_value in points.iter_rows():
        of_series.setdefault(number, []).append((ts, number_value))
    return [{**row, "points": of_series.get(row["series"], [])} for row in series.to_dicts()]


def values(value: object) -> list[list[float]]:
    """The values of each series of a document."""
    return [[number for _, number in series["points"]] for series in read(value)]


SERIES: dict[str, tuple[Any, list[list[float]]]] = {
    "numbers": ([1, 2.5, -3], [[1, 2.5, -3]]),
    "texts": (["4", "5.5", "-.5", "+1.", "1e3", "2E-1"], [[4, 5.5, -0.5, 1, 1000, 0.2]]),
    "special_texts": (["Inf", "+Inf", "-Inf", "NaN", "1"], [[math.inf, math.inf, -math.inf, 1]]),
    "numbers_and_texts": ([1, "2"], [[1, 2]]),
    "nulls": ([None, 1, None], [[1]]),
    "only_nulls": ([None, None], []),
    "empty": ([], []),
    "nan_is_a_dropped_point": ([float("nan"), "NaN"], [[]]),
    "infinite_number": ([float("-inf"), 10**400, -(10**400)], [[-math.inf, math.inf, -math.inf]]),
    "booleans": ([True, False], []),
    "boolean_among_numbers": ([1, True], []),
    "words": (["1", "two"], []),
    "number": (7, []),
    "pairs": ([[0, 7], [60, "8"]], [[7, 8]]),
    "pairs_and_nulls": ([[0, 7], None, [60, None]], [[7]]),
    "pairs_and_numbers": ([[0, 7], 8], [[7, 8]]),
    "pairs_of_words": ([["a", 7], ["b", 8]], []),
    "pairs_and_a_triple": ([[0, 7], [60, 8, 9]], [[0, 7], [60, 8, 9]]),
    "pairs_with_a_word": ([[0, 7], [60, "x"]], [[0, 7]]),
    "pairs_with_a_boolean_time": ([[True, 7], [False, 8]], []),
    "number_and_pair": ([[0, [1, 2]]], [[0, 2]]),
    "objects": ([{"ts": 1, "value": 9}, {"time": 2, "v": "10"}], [[9, 10]]),
    "objects_with_null": ([{"value": None}, {"value": 5}], [[5]]),
    "value_counts_before_v": ([{"value": 1, "v": 2}], [[1]]),
    "value_that_is_none_is_no_point": ([{"value": "x", "v": 2}], []),
    "objects_without_value": ([{"x": 1}], []),
    "objects_and_numbers": ([{"value": 1}, 2, [0, 3]], [[1, 2, 3]]),
    "objects_and_words": ([{"value": 1}, "x"], []),
    "objects_with_lists": ([{"value": [1, 2]}], [[1, 2]]),
    "series_holds_no_series": ([{"value": 1, "more": [5, 6]}], [[1]]),
    "series_in_a_list": ([[1, 2], "x", [3]], [[1, 2], [3]]),
    "lone_timed_point": ([T, "0.2"], [[0.2]]),
    "lone_timed_null": ([T, None], [[]]),
    "lone_timed_word": ([T, "x"], []),
    "lone_timed_list": ([T, [1, 2, 3]], [[1, 2, 3]]),
    "lone_written_time": (["2025-03-04T09:00:00Z", 5], [[5]]),
    "lone_written_time_and_word": (["2025-03-04T09:00:00Z", "x"], []),
    "two_written_times": (["2025-03-04T09:00:00Z", "2025-03-04T09:01:00Z"], []),
    "two_small": ([10, 20], [[10, 20]]),
    "border": ([1_000_000_000, 7], [[7]]),
    "below_the_border": ([999_999_999, 7], [[999_999_999, 7]]),
    "three": ([T, 1, 2], [[T, 1, 2]]),
    "one": ([T], [[T]]),
    "times": ({"timestamps": [1, 2], "times": [1], "ts": [1], "time": [1], "at": [1]}, [[1]]),
    "ids": ({"ids": [1], "store_ids": [2], "region_id": ["7"], "id": [3], "idle": [4], "ID": [5]}, [[4], [5]]),
    "lists_of_ids": ({"ids": [[1, 2], [[3, 4]], {"x": [5]}], "ts": [[0, 6]], "at": [[7]]}, [[5], [7]]),
    "deep": ({"a": [{"b": {"c": [[[1, 2, 3]]]}}]}, [[1, 2, 3]]),
}


@pytest.mark.parametrize(("value", "expected"), SERIES.values(), ids=SERIES.keys())
def test_series(value: object, expected: list[list[float]]) -> None:
    assert values(value) == expected


NO_NUMBERS = [
    "",
    " 1",
    "1 ",
    "1_000",
    "٣",
    "１",
    ".",
    "+",
    "1e",
    "e5",
    "0x10",
    "inf",
    "nan",
    "infinity",
    "-NaN",
    "1,5",
    "1\n",
    "--1",
    "1.2.3",
]


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_text_that_is_no_number(text: str) -> None:
    assert values({"x": [text], "y": ["1", text], "z": [[0, text]], "u": [1, text], "v": ["NaN", text]}) == []


TIMES: dict[str, tuple[Any, list[datetime | None]]] = {
    "seconds": ([[T, 1]], [NINE]),
    "fractions": ([[T + 0.123456, 1]], [NINE + timedelta(microseconds=123456)]),
    "milliseconds": ([[T * 1000 + 5, 1]], [NINE + timedelta(milliseconds=5)]),
    "milliseconds_from": (
        [[99_999_999_999, 1], [100_000_000_000, 1]],
        [datetime(5138, 11, 16, 9, 46, 39, tzinfo=UTC), datetime(1973, 3, 3, 9, 46, 40, tzinfo=UTC)],
    ),
    "negative": ([[-1, 1]], [datetime(1969, 12, 31, 23, 59, 59, tzinfo=UTC)]),
    "nanoseconds": ([[T * 10**9, 1]], [None]),
    "infinite": ([[float("inf"), 1], [10**400, 1], [float("nan"), 1]], [None, None, None]),
    "texts": ([["2025-03-04T09:00:00Z", 1], ["2025-03-04 17:00:00.5+08:00", 1]], [NINE, NINE + timedelta(seconds=0.5)]),
    "no_offset": ([["2025-03-04T09:00:00", 1]], [NINE]),
    "text_and_number": ([["2025-03-04T09:00:00Z", 1], [T, 1]], [NINE, NINE]),
    "late_text": ([["9999-12-31T23:59:59Z", 1]], [datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)]),
    "objects": (
        [{"ts": T, "value": 1}, {"time": "2025-03-04T09:00:00Z", "v": 1}, {"timestamp": T, "v": 1}],
        [NINE] * 3,
    ),
    "first_time_counts": ([{"ts": "soon", "time": T, "value": 1}, {"ts": None, "time": T, "value": 1}], [None, None]),
    "objects_without_time": ([{"value": 1}], [None]),
    "numbers": ([1, 2], [None, None]),
    "beside": ({"timestamps": [T, "2025-03-04T09:00:00Z"], "values": [1, 2]}, [NINE, NINE]),
    "beside_with_null": ({"ts": [0, T], "data": [None, 2]}, [NINE]),
    "beside_of_other_length": ({"times": [T], "points": [1, 2]}, [None, None]),
    "first_of_that_length": ({"times": [T], "time": [T, T], "points": [1, 2]}, [NINE, NINE]),
    "beside_no_times": ({"times": ["soon", True], "points": [1, 2]}, [None, None]),
    "beside_under_another_name": ({"times": [T, T], "numbers": [1, 2]}, [None, None]),
    "own_time_counts": ({"time": [0, 0], "values": [[T, 1], {"value": 2}]}, [NINE, datetime(1970, 1, 1, tzinfo=UTC)]),
    "lone_point": ({"time": [0, 0], "value": [T, 1]}, [NINE]),
}


@pytest.mark.parametrize(("value", "expected"), TIMES.values(), ids=TIMES.keys())
def test_times_of_points(value: object, expected: list[datetime | None]) -> None:
    (series,) = read(value)
    assert [ts for ts, _ in series["points"]] == expected
    assert series["timed"] == (None not in expected)


def test_boolean_is_no_time_even_after_an_equal_number() -> None:
    assert values({"a": [[1, 5], [0, 6]], "b": [[True, 5], [False, 6]]}) == [[5, 6]]


def test_dropped_points_have_no_say_in_whether_a_series_is_timed() -> None:
    assert [
        series["timed"] for series in read({"a": [[T, 1], None], "b": [[T, 1], {"value": 1}], "c": [None, "NaN"]})
    ] == [True, False, True]


NAMES: dict[str, tuple[Any, list[str]]] = {
    "file": ([1], ["m"]),
    "member": ({"cpu": [1]}, ["cpu"]),
    "member_of_a_list_of_lists": ({"cpu": [[[1], [2, 3, 4]]]}, ["cpu", "cpu"]),
    "container": ({"cpu": {"values": [1], "samples": [2]}}, ["cpu", "cpu"]),
    "containers_only": ({"data": {"result": [[1, 2, 3]]}, "queries": [1]}, ["m", "m"]),
    "containers_count_case": ({"cpu": {"Values": [1]}}, ["Values"]),
    "metric_name": ({"x": {"metric": {"__name__": "up"}, "name": "n", "values": [1]}}, ["up"]),
    "labels_name": ({"x": {"labels": {"__name__": "up"}, "metric": "m", "values": [1]}}, ["up"]),
    "metric_before_labels": ({"labels": {"__name__": "b"}, "metric": {"__name__": "a"}, "values": [1]}, ["a"]),
    "metric_text": ({"x": {"metric": "m", "name": "n", "values": [1]}}, ["m"]),
    "name_text": ({"x": {"name": "n", "values": [1]}}, ["n"]),
    "member_of_the_list_is_nearer": ({"name": "n", "cpu": [1]}, ["cpu"]),
    "no_texts": ({"x": {"metric": 5, "name": True, "labels": [], "values": [1]}}, ["x"]),
    "empty_texts": ({"x": {"metric": {"__name__": ""}, "name": "", "": [1]}}, ["x"]),
    "nearest": ({"name": "far", "rows": [{"name": "near", "values": [1]}, {"values": [2]}]}, ["near", "rows"]),
    "answer": (
        {"name": "n", "saved": {"status": "success", "data": {"resultType": "m", "result": [{"values": [1]}]}}},
        ["n"],
    ),
    "data_of_an_answer": ({"saved": {"resultType": "m", "result": [1]}}, ["m"]),
    "no_answer": ({"saved": {"status": "success", "result": [1]}}, ["saved"]),
    "answer_with_a_name": ({"saved": {"status": "s", "name": "n", "data": [1]}}, ["n"]),
}


@pytest.mark.parametrize(("value", "expected"), NAMES.values(), ids=NAMES.keys())
def test_names(value: object, expected: list[str]) -> None:
    assert [series["name"] for series in read(value)] == expected


@pytest.mark.parametrize(
    ("document", "name"),
    [
        ("evidence/cpu.usage.json", "cpu.usage"),
        ("metrics", "metrics"),
        ("a.b/c", "c"),
        ("output", "output"),
        ("x.", "x"),
    ],
)
def test_name_of_a_document(document: str, name: str) -> None:
    assert document_level(document).name == name


def test_labels_of_the_nearest_object_that_has_some() -> None:
    value = {
        "labels": {"zone": "far"},
        "rows": [
            {"values": [1]},
            {"labels": {"zone": "near", "b": "2", "a": "1", "cores": 8, "__name__": "io"}, "values": [2]},
            {"metric": {}, "labels": {"zone": "other"}, "values": [3]},
            {"metric": "text", "labels": {"zone": "mine"}, "values": [4]},
        ],
    }
    assert [series["labels"] for series in read(value)] == [
        ["zone\0far"],
        ["a\x001", "b\x002", "zone\0near"],
        [],
        ["zone\0mine"],
    ]


def test_paths_are_normalised() -> None:
    value = {"a": [{"it's": [1]}, {"b\n\\\x01": {"c": [2]}}]}
    assert [series["path"] for series in read(value)] == ["$['a'][0]['it\\'s']", "$['a'][1]['b\\n\\\\\\u0001']['c']"]
    assert [series["path"] for series in read([1])] == ["$"]


def test_series_below_wanted_nodes() -> None:
    columns = SeriesColumns()
    columns.add(0, {"x": [1]}, "m.json")
    value: dict[str, Any] = {"a": {"b": [1], "c": [{"d": [2]}, {"d": [3]}]}, "e": [[T, 1]], "f": "text"}
    wanted = [value, value["a"], value["a"]["c"], value["a"]["c"][1], value["e"], value["e"][0], value["a"]["b"]]
    ranges = columns.add(1, value, "m.json", {id(node) for node in wanted})
    assert [ranges.get(id(node)) for node in wanted] == [
        range(1, 5),
        range(1, 4),
        range(2, 4),
        range(3, 4),
        range(4, 5),
        None,
        range(1, 2),
    ]


@pytest.mark.parametrize("labels", [[], [[]], [[], ["a"], [], ["b", "c"]]], ids=str)
def test_lists_of_labels(labels: list[list[str]]) -> None:
    assert label_lists(labels).to_list() == labels


# The definition, sentence by sentence ---------------------------------------------------------------------------------

NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
CONTAINERS = ["values", "value", "points", "data", "series", "result", "results", "samples", "datapoints"]
CONTAINERS += ["response", "payload", "body", "matrix", "vector", "output", "queries", "panels", "metrics"]
Point = tuple[datetime | None, float | None]


def number_of(value: Any) -> tuple[float | None] | None:
    """A number, a number text or null, as a number or None; None alone when it is none of them."""
    if value is None:
        return (None,)
    if isinstance(value, str):
        if value in ("NaN", "Inf", "+Inf", "-Inf"):
            return (float(value),)
        return (float(value),) if NUMBER.fullmatch(value) else None
    return (float(value),) if isinstance(value, int | float) and not isinstance(value, bool) else None


def time_of(value: Any) -> datetime | None:
    if isinstance(value, str):
        parsed = parse_time_text(value)
        return parsed and parsed[0]
    return parse_time_number(value) if isinstance(value, int | float) and not isinstance(value, bool) else None


def is_time(value: Any) -> bool:
    if isinstance(value, str):
        return parse_time_text(value) is not None
    return isinstance(value, int | float) and not isinstance(value, bool)


def point_of(item: Any) -> Point | None:
    """A point, or None."""
    if isinstance(item, list):
        number = number_of(item[1]) if len(item) == 2 and is_time(item[0]) else None
        return number and (time_of(item[0]), number[0])
    if isinstance(item, dict):
        if "value" not in item and "v" not in item:
            return None
        number = number_of(item["value"] if "value" in item else item["v"])
        times = [item[name] for name in ("ts", "time", "timestamp") if name in item]
        return number and (time_of(times[0]) if times else None, number[0])
    number = number_of(item)
    return number and (None, number[0])


def points_of(items: list[Any]) -> list[Point] | None:
    """The points of a series, or None."""
    if len(items) == 2 and is_time(items[0]) and (isinstance(items[0], str) or items[0] >= 1e9):
        number = number_of(items[1])
        return number and [(time_of(items[0]), number[0])]
    points = [(None, None) if item is None else point_of(item) for item in items]
    if all(item is None for item in items) or any(point is None for point in points):
        return None
    return [point for point in points if point is not None]


def own_name(node: Any, member: str | None) -> str | None:
    """The name that one level gives, or None."""
    if isinstance(node, dict):
        for holder in (node.get("metric"), node.get("labels")):
            if isinstance(holder, dict) and isinstance(holder.get("__name__"), str):
                return str(holder["__name__"])
        for text in (node.get("metric"), node.get("name")):
            if isinstance(text, str):
                return text
        if {"status", "data"} <= node.keys() or {"resultType", "result"} <= node.keys():
            return None
    return None if member is None or member in CONTAINERS else member


def series_in(
    node: Any, member: str | None, levels: list[tuple[Any, str | None]]
) -> list[tuple[str, list[str], list[Point]]]:
    """Name, labels and points of every series at or below a node; `levels` are those around it, nearest first."""
    levels = [(node, member), *levels]
    excluded = member is not None and (
        member in ("timestamps", "times", "ts", "time") or member.endswith(("id", "ids"))
    )
    points = points_of(node) if isinstance(node, list) and not excluded else None
    if points is not None:
        if member in ("values", "value", "points", "data"):
            around = levels[1][0]
            beside = [around.get(name) for name in ("timestamps", "times", "ts", "time")]
            fitting = [times for times in beside if isinstance(times, list) and len(times) == len(node) == len(points)]
            if fitting:
                points = [
                    (time_of(t) if own is None else own, v) for t, (own, v) in zip(fitting[0], points, strict=True)
                ]
        name = next((name for level in levels if (name := own_name(*level)) is not None), "m")
        holders = [
            holder
            for level, _ in levels
            if isinstance(level, dict)
            for holder in (level.get("metric"), level.get("labels"))
            if isinstance(holder, dict)
        ]
        labels = [
            f"{k}\0{v}" for k, v in (holders[0] if holders else {}).items() if isinstance(v, str) and k != "__name__"
        ]
        return [(name, sorted(labels), [p for p in points if p[1] is not None and not math.isnan(p[1])])]
    if isinstance(node, list):
        return [found for child in node for found in series_in(child, member if excluded else None, levels)]
    children = node.items() if isinstance(node, dict) else ()
    return [found for key, child in children for found in series_in(child, key, levels)]


SCALARS: list[Any] = [None, True, 1, 2.5, T, T * 1000, 999_999_999, 10**300, "1", "2.5", "x", "NaN", "-Inf", "1_0"]
SCALARS += ["2025-03-04T09:00:00Z", "2025-03-04"]
MEMBERS = ["values", "value", "v", "points", "data", "cpu", "name", "metric", "labels", "__name__", "ts", "time"]
MEMBERS += ["timestamps", "ids", "result", "resultType", "status", "x"]


def random_json(rng: random.Random, depth: int) -> Any:
    kind = rng.random()
    if depth == 0 or kind < 0.15:
        return rng.choice(SCALARS)
    if kind < 0.4:
        return {name: random_json(rng, depth - 1) for name in rng.sample(MEMBERS, rng.randint(0, 4))}
    if kind < 0.6:
        return [random_json(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    if kind < 0.75:
        times: list[Any] = rng.choice([[T, T + 1.5], ["2025-03-04T09:00:00Z", T], [None, T]])
        numbers: list[Any] = rng.choice([["1", "2"], [1, None], SCALARS])
        return [[rng.choice(times), rng.choice(numbers)] for _ in range(rng.randint(1, 3))]
    if kind < 0.85:
        return [
            {rng.choice(["value", "v"]): rng.choice([1, "2", None]), rng.choice(MEMBERS): T}
            for _ in range(rng.randint(1, 3))
        ]
    elements: list[Any] = rng.choice([[1, 2], ["1", "NaN", None], SCALARS])
    return [rng.choice(elements) for _ in range(rng.randint(0, 4))]


@pytest.mark.parametrize("seed", range(10))
def test_random_json(seed: int) -> None:
    rng = random.Random(seed)
    found = 0
    for _ in range(300):
        value = random_json(rng, 4)
        expected = series_in(value, None, [])
        assert [(s["name"], s["labels"], s["points"]) for s in read(value)] == expected, value
        found += len(expected)
    assert found > 200
