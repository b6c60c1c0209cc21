"""Numeric series in JSON values (40-rules, "Numeric series")."""

import math
import re
from dataclasses import dataclass, replace

from tests.plain.paths import Location
from tests.plain.text import glob, regex_found
from tests.plain.times import Instant, instant_of, instant_of_text
from tests.plain.values import Json, as_double, is_number

DECIMAL = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+)?", re.ASCII)
WORDS = {"NaN": math.nan, "Inf": math.inf, "+Inf": math.inf, "-Inf": -math.inf}
TIMES = ("timestamps", "times", "ts", "time")
VALUES = ("values", "value", "points", "data")
CONTAINERS = {
    *("values", "value", "points", "data", "series", "result", "results", "samples", "datapoints"),
    *("response", "payload", "body", "matrix", "vector", "output", "queries", "panels", "metrics"),
}
TIMED_FROM = 1_000_000_000


@dataclass(frozen=True)
class Point:
    """A value, NaN where the point is to be dropped, and its time."""

    time: Instant | None
    value: float


@dataclass(frozen=True)
class Series:
    """A numeric series with its place in the document; its points without the dropped ones, in order."""

    name: str
    labels: dict[str, str]
    location: Location
    points: list[Point]


@dataclass(frozen=True)
class Level:
    """A list or an object on the way to a series, and the member name under which it stands (None in a list)."""

    value: Json
    member: str | None


def number_of(value: Json) -> float | None:
    """The number that a value or a text is; None for everything else, booleans included (40-rules, Numeric series)."""
    if isinstance(value, str):
        if value in WORDS:
            return WORDS[value]
        return float(value) if DECIMAL.fullmatch(value) else None
    if isinstance(value, int | float) and not isinstance(value, bool):
        return as_double(value)
    return None


def number_or_null(value: Json) -> float | None:
    """The value of a timed point; a null is a dropped point."""
    return math.nan if value is None else number_of(value)


def is_time(value: Json) -> bool:
    """Whether a value can be the time of a point (40-rules, Numeric series)."""
    return is_number(value) or (isinstance(value, str) and instant_of_text(value) is not None)


def pair(value: Json) -> Point | None:
    """A list of a time and a value as a point; None where it is none (40-rules, Numeric series)."""
    if not isinstance(value, list) or len(value) != 2 or not is_time(value[0]):
        return None
    number = number_or_null(value[1])
    return None if number is None else Point(instant_of(value[0]), number)


def object_point(value: dict[str, Json]) -> Point | None:
    """An object with a value and perhaps a time as a point; None where it is none (40-rules, Numeric series)."""
    held = next((value[name] for name in ("value", "v") if name in value), "")
    number = number_or_null(held)
    time = next((value[name] for name in ("ts", "time", "timestamp") if name in value), None)
    return None if number is None else Point(instant_of(time), number)


def point_of(value: Json) -> Point | None:
    """An element as a point, or None."""
    if isinstance(value, dict):
        return object_point(value)
    if isinstance(value, list):
        return pair(value)
    number = number_of(value)
    return None if number is None else Point(None, number)


def points_of(elements: list[Json]) -> list[Point | None] | None:
    """The points of a list, None for null elements; None where the list is no series (40-rules, Numeric series).

    Two elements whose first looks like a time of today are one point.
    """
    if len(elements) == 2 and begins_as_timed_point(elements[0]):
        lone = pair(elements)
        return None if lone is None else [lone]
    points = [None if element is None else point_of(element) for element in elements]
    all_fit = points.count(None) == elements.count(None)
    return points if all_fit and any(points) else None


def begins_as_timed_point(first: Json) -> bool:
    """Whether the first of two elements is a time rather than a value (40-rules, Numeric series)."""
    if isinstance(first, int | float) and not isinstance(first, bool):
        return first >= TIMED_FROM
    return is_time(first)


def is_list_of_times_or_ids(member: str | None) -> bool:
    """Whether a member name says that its list holds no measurements (40-rules, Numeric series)."""
    return member is not None and (member in TIMES or member.endswith(("id", "ids")))


def series_in(value: Json, document: str) -> list[Series]:
    """All numeric series of a JSON value; none lies inside another (40-rules, Numeric series)."""
    return series_below([Level(value, None)], (), document)


def series_below(levels: list[Level], location: Location, document: str) -> list[Series]:
    """The series at or below the innermost level."""
    value = levels[-1].value
    if isinstance(value, dict):
        return [
            found
            for name, member in value.items()
            for found in series_below([*levels, Level(member, name)], (*location, name), document)
        ]
    if not isinstance(value, list):
        return []
    points = None if is_list_of_times_or_ids(nearest_member(levels)) else points_of(value)
    if points is not None:
        timed = with_times_beside(points, levels, len(value))
        return [Series(name_of(levels, document), labels_of(levels), location, in_order(timed))]
    return [
        found
        for n, element in enumerate(value)
        for found in series_below([*levels, Level(element, None)], (*location, n), document)
    ]


def nearest_member(levels: list[Level]) -> str | None:
    """The member name under which a list stands, directly or through lists alone."""
    for level in reversed(levels):
        if level.member is not None or not isinstance(level.value, list):
            return level.member
    return None


def with_times_beside(points: list[Point | None], levels: list[Level], length: int) -> list[Point]:
    """The points, untimed ones with the time from the list of times beside them (40-rules, Numeric series)."""
    times: list[Json] = [None] * length
    owner = levels[-2].value if len(levels) > 1 else None
    if isinstance(owner, dict) and levels[-1].member in VALUES:
        for name in reversed(TIMES):
            beside = owner.get(name)
            if isinstance(beside, list) and len(beside) == length:
                times = beside
    return [
        replace(point, time=point.time or instant_of(time))
        for point, time in zip(points, times, strict=False)
        if point is not None
    ]


def in_order(points: list[Point]) -> list[Point]:
    """The points without NaN, by time where each of them has one (40-rules, Numeric series)."""
    kept = [point for point in points if not math.isnan(point.value)]
    if any(point.time is None for point in kept):
        return kept
    return sorted(kept, key=lambda point: point.time or Instant(0))


def name_of(levels: list[Level], document: str) -> str:
    """The innermost name, or the name of the file (40-rules, Numeric series)."""
    for level in reversed(levels):
        name = name_on(level)
        if name is not None:
            return name
    file_name = document.rsplit("/", 1)[-1]
    return file_name.rsplit(".", 1)[0] if "." in file_name else file_name


def name_on(level: Level) -> str | None:
    """The name that one level gives: its own before its member name (40-rules, Numeric series)."""
    value = level.value
    if isinstance(value, dict):
        named = own_name(value)
        if named is not None:
            return named
        if is_prometheus_answer(value):
            return None
    return None if level.member in CONTAINERS else level.member or None


def own_name(value: dict[str, Json]) -> str | None:
    """The name that an object gives itself; an empty text is none (40-rules, Numeric series)."""
    for member in ("metric", "labels"):
        held = value.get(member)
        name = held.get("__name__") if isinstance(held, dict) else None
        if isinstance(name, str) and name:
            return name
    for member in ("metric", "name"):
        text = value.get(member)
        if isinstance(text, str) and text:
            return text
    return None


def is_prometheus_answer(value: dict[str, Json]) -> bool:
    """Whether an object is what the HTTP interface of Prometheus answers (40-rules, Numeric series)."""
    return {"status", "data"} <= value.keys() or {"resultType", "result"} <= value.keys()


def labels_of(levels: list[Level]) -> dict[str, str]:
    """The text labels from the innermost object that has any place for them (40-rules, Numeric series)."""
    for level in reversed(levels):
        if isinstance(level.value, dict):
            for member in ("metric", "labels"):
                held = level.value.get(member)
                if isinstance(held, dict):
                    return {name: text for name, text in held.items() if name != "__name__" and isinstance(text, str)}
    return {}


def name_fits(series: str, name: str) -> bool:
    """Whether a name fits the glob or the `/regex/` of a rule (40-rules, Numeric series)."""
    if len(series) > 1 and series.startswith("/") and series.endswith("/"):
        return regex_found(series[1:-1], name)
    return glob(series, crosses_slash=True).fullmatch(name) is not None
