"""Numeric series of JSON documents: where they stand, their names and labels (specification 40, "Numeric series")."""

from __future__ import annotations

from array import array
from collections.abc import Collection, Sequence
from datetime import UTC, datetime, timedelta
from typing import Any, Final, NamedTuple

import polars as pl

from judge_polars.facts.columns import column, repeated
from judge_polars.facts.series_points import Numbers, Points, SeriesReader
from judge_polars.tables import POINTS, SERIES, TIMESTAMP
from judge_polars.times import EPOCH, MILLISECONDS_FROM

_OF_POINTS: Final = ("values", "value", "points", "data", "series", "result", "results", "samples", "datapoints")
_OF_ANSWERS: Final = ("response", "payload", "body", "matrix", "vector", "output", "queries", "panels", "metrics")
CONTAINER_NAMES: Final = frozenset((*_OF_POINTS, *_OF_ANSWERS))
"""Member names that say nothing about what is in them."""

TIME_LISTS: Final = ("timestamps", "times", "ts", "time")
"""Members whose lists are times, of the lists that stand beside them under one of the next."""
TIMED_LISTS: Final = ("values", "value", "points", "data")

_NESTED: Final = frozenset((list, dict))

_YEARS: Final = (datetime.min.replace(tzinfo=UTC), datetime.max.replace(tzinfo=UTC))


class Level(NamedTuple):
    """What the enclosing levels say about a series: name, labels as in `tables.SERIES`, normalised path (RFC 9535)."""

    name: str
    labels: list[str]
    path: str


def document_level(name: str) -> Level:
    """The level outside a document's value: series are named by the file name without its last extension."""
    file_name = name.rpartition("/")[2]
    stem, dot, _ = file_name.rpartition(".")
    return Level(stem if dot and stem else file_name, [], "$")


def object_level(node: dict[str, Any], member: str | None, outer: Level, path: str) -> Level:
    """The level of an object that stands under `member` (None: in a list, or the document's value)."""
    name = _own_name(node)
    if name is None and not _is_answer(node):
        name = _telling(member)
    return Level(outer.name if name is None else name, _own_labels(node, outer.labels), path)


def _own_name(node: dict[str, Any]) -> str | None:
    """The name that an object has by its members, or None; an empty text is no name."""
    for holder in ("metric", "labels"):
        inner = node.get(holder)
        if type(inner) is dict:
            name = inner.get("__name__")
            if type(name) is str and name:
                return name
    for member in ("metric", "name"):
        name = node.get(member)
        if type(name) is str and name:
            return name
    return None


def own_level(node: dict[str, Any]) -> tuple[str, list[str]] | None:
    """Name and labels that an object has by its own members, or None without a name."""
    name = _own_name(node)
    return None if name is None else (name, _own_labels(node, []))


def _own_labels(node: dict[str, Any], outer: list[str]) -> list[str]:
    """Labels of the `metric` object, else of the `labels` object, else those from outside."""
    for holder in ("metric", "labels"):
        inner = node.get(holder)
        if type(inner) is dict:
            return sorted(
                [f"{key}\0{value}" for key, value in inner.items() if type(value) is str and key != "__name__"]
            )
    return outer


def _telling(member: str | None) -> str | None:
    """The name of the member under which a level stands, if it says something."""
    return member if member and member not in CONTAINER_NAMES else None


def _is_answer(node: dict[str, Any]) -> bool:
    """Whether an object is an answer of Prometheus."""
    return ("status" in node and "data" in node) or ("resultType" in node and "result" in node)


def _is_no_series(member: str) -> bool:
    """Whether lists under that member are times or ids."""
    return member in TIME_LISTS or member.endswith(("id", "ids"))


def _times_beside(node: dict[str, Any], child: Any) -> list[Any] | None:
    """The first list of times of an object that is as long as another list in it."""
    if type(child) is not list:
        return None
    lists = (node.get(name) for name in TIME_LISTS)
    return next((times for times in lists if type(times) is list and len(times) == len(child)), None)


class _MemberPaths(dict[str, str]):
    """Member name -> its part of a normalised path."""

    def __missing__(self, name: str) -> str:
        short = {"\b": "\\b", "\t": "\\t", "\n": "\\n", "\f": "\\f", "\r": "\\r", "'": "\\'", "\\": "\\\\"}
        escaped = "".join(short.get(char) or (char if char >= " " else f"\\u{ord(char):04x}") for char in name)
        self[name] = part = f"['{escaped}']"
        return part


class SeriesColumns:
    """`tables.SERIES` and `tables.POINTS`, filled document by document."""

    def __init__(self) -> None:
        self._reader = SeriesReader()
        self._member_paths = _MemberPaths()
        self._docs: list[int] = []
        self.names: list[str] = []
        self.labels: list[list[str]] = []
        self.paths: list[str] = []
        self._lengths = array("I")
        self._values: Numbers = array("d")
        self._times: Numbers = array("d")
        self._first_times = array("q")
        self._last_times: tuple[Numbers | None, int] = (None, -1)
        self._doc = 0
        self._wanted: Collection[int] = ()
        self._ranges: dict[int, range] = {}

    def add(self, doc: int, value: object, name: str, wanted: Collection[int] = ()) -> dict[int, range]:
        """Keep every series of a document's value; returns the numbers of the series at or below each wanted node.

        `wanted` and the keys of the result are `id`s of lists and objects inside the value.
        """
        return self.add_below(doc, value, None, document_level(name), wanted)

    def add_below(
        self, doc: int, node: object, member: str | None, outer: Level, wanted: Collection[int] = ()
    ) -> dict[int, range]:
        """Keep every series at or below a node that stands under `member` of an object of level `outer`."""
        self._doc, self._wanted, self._ranges = doc, wanted, {}
        path = outer.path if member is None else outer.path + self._member_paths[member]
        if type(node) in _NESTED:
            self._walk(node, member, outer, path, None)
        return self._ranges

    @property
    def count(self) -> int:
        """Number of series so far."""
        return len(self.names)

    def _walk(self, node: Any, member: str | None, outer: Level, path: str, times: list[Any] | None) -> None:
        """Visit a list or object that stands under `member`; `times` is a list of its times that stands beside it."""
        first = len(self.names)
        if type(node) is list:
            no_series = member is not None and _is_no_series(member)
            points = None if no_series else self._reader.points(node)
            name = member if member and member not in CONTAINER_NAMES else outer.name
            if points is not None:
                self._keep(points, name, outer.labels, path, times)
            else:
                self._visit_list(node, Level(name, outer.labels, path), member if no_series else None)
        elif not _NESTED.isdisjoint(map(type, node.values())):
            self._visit_object(node, object_level(node, member, outer, path))
        if self._wanted and id(node) in self._wanted:
            self._ranges[id(node)] = range(first, len(self.names))

    def _visit_list(self, node: list[Any], level: Level, member: str | None) -> None:
        """Visit the elements of a list that is no series; `member`: the lists among them are none for its sake, too."""
        for index, child in enumerate(node):
            if type(child) in _NESTED:
                self._walk(child, member, level, f"{level.path}[{index}]", None)

    def _visit_object(self, node: dict[str, Any], level: Level) -> None:
        timed = not node.keys().isdisjoint(TIME_LISTS)
        for member, child in node.items():
            if type(child) in _NESTED:
                times = _times_beside(node, child) if timed and member in TIMED_LISTS else None
                self._walk(child, member, level, level.path + self._member_paths[member], times)

    def _keep(self, points: Points, name: str, labels: list[str], path: str, times: list[Any] | None) -> None:
        """Append a series; times that stand beside it are those of the points without their own."""
        values, own = points
        if times is not None and len(times) == len(values):
            beside = self._reader.times(times)
            own = beside if own is None else array("d", [b if t != t else t for t, b in zip(own, beside, strict=True)])
        self._docs.append(self._doc)
        self.names.append(name)
        self.labels.append(labels)
        self.paths.append(path)
        self._lengths.append(len(values))
        self._values.extend(values)
        self._first_times.append(self._place_of(own))

    def _place_of(self, times: Numbers | None) -> int:
        """Where the times of a series begin, -1 without; series that share them do so one behind the other."""
        if times is None:
            return -1
        if times is not self._last_times[0]:
            self._last_times = (times, len(self._times))
            self._times.extend(times)
        return self._last_times[1]

    def frames(self) -> tuple[pl.DataFrame, pl.DataFrame]:
        """`tables.SERIES` and `tables.POINTS`."""
        rows, first_times = column(self._lengths, pl.UInt32), column(self._first_times, pl.Int64)
        place = pl.DataFrame({"rows": rows, "times": first_times}).select(
            shift=pl.when(pl.col("times") >= 0).then(pl.col("times") - (pl.col("rows").cum_sum() - pl.col("rows")))
        )
        points = pl.DataFrame({"series": repeated(rows), "value": column(self._values, pl.Float64)})
        at = points.select(pl.int_range(pl.len(), dtype=pl.Int64) + place["shift"].gather(points["series"])).to_series()
        points = points.select(
            "series", ts=_timestamps(column(self._times, pl.Float64)).gather(at), value="value"
        ).filter(pl.col("value").is_not_nan())
        without = points.filter(pl.col("ts").is_null())["series"].unique()
        series = pl.DataFrame(
            [
                pl.Series("doc", self._docs, dtype=pl.UInt32),
                pl.Series("name", self.names, dtype=pl.String),
                label_lists(self.labels),
                pl.Series("path", self.paths, dtype=pl.String),
            ]
        ).with_row_index("series")
        series = series.with_columns(timed=~pl.col("series").is_in(without.implode()))
        return SERIES.check(series), POINTS.check(points)


def label_lists(labels: Sequence[list[str]]) -> pl.Series:
    """A column `labels` of lists of texts (built from flat columns, which is much faster than from lists)."""
    if not labels:
        return pl.Series("labels", dtype=pl.List(pl.String))
    flat = pl.Series([label for of_one in labels for label in of_one], dtype=pl.String)
    lengths = pl.Series(list(map(len, labels)), dtype=pl.UInt32)
    rows = pl.DataFrame({"start": lengths.cum_sum() - lengths, "length": lengths})
    return rows.select(labels=pl.lit(flat.implode()).first().list.slice("start", "length")).to_series()


def _timestamps(times: pl.Series) -> pl.Series:
    """Unix seconds, or milliseconds from 100,000,000,000 up, as timestamps; null outside the years 1 to 9999."""
    number = pl.col("time")
    scaled = number * pl.when(number >= MILLISECONDS_FROM).then(1e3).otherwise(1e6)
    first, last = ((end - EPOCH) // timedelta(microseconds=1) for end in _YEARS)
    micros = pl.when(scaled.is_between(first, last)).then(scaled.round(0)).cast(pl.Int64)
    return times.to_frame("time").select(ts=micros.cast(TIMESTAMP)).to_series()
