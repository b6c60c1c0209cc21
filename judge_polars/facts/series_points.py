"""Points of numeric series: which lists are series, and their values and times (specification 40, "Numeric series").

Metric points are most of what a bundle's JSON holds, so a list whose elements are alike is judged and read with a few
calls over the whole list, never one per point.  Numbers are kept as doubles; NaN stands for a value that is dropped and
for a time that is not there.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterable, Sequence
from contextlib import suppress
from datetime import timedelta
from typing import Any, Final, NamedTuple, TypeAlias

import orjson

from judge_polars.times import EPOCH, MILLISECONDS_FROM, parse_time_text

LONE_POINT_FROM: Final = 1_000_000_000
"""A list of two elements whose first is a number from here up is one timed point."""

_NUMBER_TEXT: Final = re.compile(r"[+-]?(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_IN_NUMBERS: Final = b"0123456789eE.+-,"
_SPECIAL_NUMBERS: Final = {"NaN": float("nan"), "Inf": float("inf"), "+Inf": float("inf"), "-Inf": float("-inf")}

_NUMBERS: Final = frozenset((int, float))
_NUMBERS_OR_NULL: Final = frozenset((int, float, type(None)))
_ABSENT: Final = object()
_NONE: Final = type(None)

Numbers: TypeAlias = "array[float]"

NOTHING: Final = float("nan")
"""A dropped value; a time that is not there."""


class Points(NamedTuple):
    """The elements of a series: values and times, or None where none has a time."""

    values: Numbers
    times: Numbers | None


class _Times(dict[str, float | None]):
    """Time text -> Unix time as a number, remembered since series share times; None for a text that is no RFC 3339."""

    def __missing__(self, text: str) -> float | None:
        parsed = parse_time_text(text)
        if parsed is None:
            return None
        seconds = (parsed[0] - EPOCH) / timedelta(seconds=1)
        self[text] = number = seconds if seconds < MILLISECONDS_FROM else seconds * 1000
        return number


class SeriesReader:
    """Decides what is a series and reads its points."""

    def __init__(self) -> None:
        self._times = _Times()
        self._shared: tuple[list[Any], Numbers] = ([], array("d"))

    def points(self, items: list[Any]) -> Points | None:
        """The points of a list that is a numeric series, one per element; None when it is none."""
        if len(items) == 2 and self._begins_with_time(items[0]):
            values = read_values(items[1:])
            return None if values is None else Points(values, self._read_times(items[:1]))
        if items and type(items[0]) is list:
            points = self._pairs(items)
            if points is not None:
                return points
        kinds = set(map(type, items))
        if kinds == {dict}:
            return self._objects(items)
        if str in kinds or kinds <= _NUMBERS_OR_NULL:
            values = None if kinds <= {_NONE} else read_values(items)
            if values is not None:
                return Points(values, None)
        if kinds == {list} or bool in kinds or not kinds & {list, dict}:
            return None
        return self._mixed(items)

    def times(self, items: list[Any]) -> Numbers:
        """The times that the elements of a list of times name."""
        return self._read_times(items) or array("d", map(self._time, items))

    def _begins_with_time(self, first: Any) -> bool:
        kind = type(first)
        if kind is str:
            return self._times[first] is not None
        return (kind is int or kind is float) and bool(first >= LONE_POINT_FROM)

    def _pairs(self, items: list[Any]) -> Points | None:
        """A list of `[time, value]` pairs; the series of a document often share their times.

        What unpacks into two, the first of them a number, is a list: it needs no look of its own.
        """
        try:
            values = [value for _, value in items]
            times = [time for time, _ in items]
        except (TypeError, ValueError):
            return None
        numbers = read_values(values)
        if numbers is None:
            return None
        if times == self._shared[0]:
            return Points(numbers, self._shared[1])
        read = self._read_times(times)
        if read is None:
            return None
        if _NUMBERS.issuperset(map(type, times)):
            if 0 not in times and 1 not in times:  # which equal booleans
                self._shared = (times, read)
        elif set(map(type, items)) != {list}:
            return None
        return Points(numbers, read)

    def _objects(self, items: list[dict[str, Any]]) -> Points | None:
        """A list of objects with a `value`, else `v`; a time that is none is no time."""
        if "value" not in items[0] and "v" not in items[0]:
            return None
        values = read_values([item["value"] if "value" in item else item.get("v", _ABSENT) for item in items])
        if values is None:
            return None
        times = [item.get("ts", item.get("time", item.get("timestamp"))) for item in items]
        return Points(values, self.times(times))

    def _read_times(self, items: Sequence[Any]) -> Numbers | None:
        """Times of pairs: numbers or RFC 3339 texts; None when an element is neither."""
        kinds = set(map(type, items))
        if kinds <= _NUMBERS:
            return _floats(items)
        if not kinds <= _NUMBERS | {str}:
            return None
        if len(kinds) == 1:
            read = list(map(self._times.__getitem__, items))
        else:
            read = [self._times[item] if type(item) is str else _float(item) for item in items]
        times = [time for time in read if time is not None]
        return array("d", times) if len(times) == len(read) else None

    def _mixed(self, items: list[Any]) -> Points | None:
        """A list of unlike elements: each that is not null must be a point."""
        values, times = array("d"), array("d")
        for item in items:
            if type(item) is list:
                point = self._pairs([item])
            elif type(item) is dict:
                point = self._objects([item])
            else:
                numbers = read_values((item,))
                point = None if numbers is None else Points(numbers, None)
            if point is None:
                return None
            values.extend(point.values)
            times.extend((NOTHING,) if point.times is None else point.times)
        return Points(values, times)

    def _time(self, item: Any) -> float:
        """The time that a scalar names."""
        if type(item) is str:
            time = self._times[item]
            return NOTHING if time is None else time
        return _float(item) if type(item) in _NUMBERS else NOTHING


def read_values(items: Sequence[Any]) -> Numbers | None:
    """Elements as numbers: numbers, number texts, null; None when an element is neither."""
    try:
        joined = ",".join(items)
    except TypeError:
        kinds = set(map(type, items))
    else:
        return _number_texts(items, joined)
    if kinds <= _NUMBERS:
        return _floats(items)
    if not kinds <= _NUMBERS_OR_NULL | {str}:
        return None
    texts = [item for item in items if type(item) is str]
    numbers = _number_texts(texts, ",".join(texts))
    if numbers is None:
        return None
    read = iter(numbers)
    return array(
        "d", [next(read) if type(item) is str else NOTHING if item is None else _float(item) for item in items]
    )


def _number_texts(texts: Sequence[str], joined: str) -> Numbers | None:
    """The numbers that texts are; None when one of them is no number.  `joined`: with a comma between them.

    The JSON parser reads most lists at once.  What it takes among the characters of numbers are numbers, but it has no
    negative zero without a fraction, and no number that begins with `+`, `.` or a zero, ends in `.`, or is too large.
    """
    if joined.isascii() and not (plain := joined.encode()).translate(None, _IN_NUMBERS):
        with suppress(orjson.JSONDecodeError):
            read = orjson.loads(b"[%b]" % plain)
            if len(read) == len(texts) and not (b"-0" in plain and 0 in read):
                return array("d", read)
    numbers = array("d")
    for text in texts:
        if text in _SPECIAL_NUMBERS:
            numbers.append(_SPECIAL_NUMBERS[text])
        elif _NUMBER_TEXT.fullmatch(text):
            numbers.append(float(text))
        else:
            return None
    return numbers


def _floats(items: Iterable[int | float]) -> Numbers:
    try:
        return array("d", items)
    except OverflowError:
        return array("d", map(_float, items))


def _float(number: int | float) -> float:
    """A number as a double; an integer beyond the range of doubles is infinite."""
    try:
        return float(number)
    except OverflowError:
        return float("inf") if number > 0 else float("-inf")
