"""What numeric rules found among the series, and what is there instead."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Final

import polars as pl

from judge_polars.explain.model import Findings, Sighting
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.run import CaseRunAgain
from judge_polars.printable import printable
from judge_polars.report.records import timestamp_text
from judge_polars.rulebook import DocumentRule
from judge_polars.rules.on_series import ALL, ANY, PRESENT, SPREAD
from judge_polars.vocabulary import TRUE_CODE

MOST_SERIES: Final = 4


@dataclass(frozen=True, slots=True)
class _Series:
    """One series and the points that the rule reads of it, in its order."""

    number: int
    document: str
    title: str
    path: str
    points: pl.DataFrame


def series_findings(run: CaseRunAgain, rule: DocumentRule, *, passed: bool) -> Findings:
    """Sightings of the series that make the rule true; of a false rule those that it reads, or that are there."""
    every = _series_of(run, rule)
    codes = run.microscope.on_series([(replace(rule, method=PRESENT, min_points=1), one.number) for one in every])
    fitting = [one for one, code in zip(every, codes, strict=True) if code == TRUE_CODE]
    if not fitting:
        return (), _what_is_there(run, rule, every)
    if rule.method == SPREAD:
        return _sightings(fitting, None), (_spread_text(fitting, rule),)
    trials = run.microscope.on_series([(rule, one.number) for one in fitting])
    true = [one for one, code in zip(fitting, trials, strict=True) if code == TRUE_CODE]
    if rule.method in ALL:
        beyond = len(true)
        note = (
            f"{beyond} of {len(fitting)} series have all points beyond {rule.threshold:g}"
            if rule.threshold is not None
            else ""
        )
        wrong = [one for one in fitting if one not in true]
        return _sightings(wrong or true, rule), (note,)
    if true:
        return _sightings(true, rule), ()
    return (), (
        f"{len(fitting)} series read, wanted is {_wanted_text(rule)}: "
        + "; ".join(_series_text(one) for one in _extreme_first(fitting, rule)[:MOST_SERIES]),
    )


def _series_of(run: CaseRunAgain, rule: DocumentRule) -> list[_Series]:
    """The series of the documents that a rule reads, with the points that its `within` leaves."""
    shard = run.shard
    series = shard.series.join(
        run.selected(rule).select("doc", document="name"), on="doc", how="inner", maintain_order="left"
    )
    if rule.path != "$":
        at = shard.series_paths.filter(pl.col("path") == shard.plan.series_path_index[rule.path])
        series = series.join(at, on="series", how="semi", maintain_order="left")
    window, margin = run.case.window, timedelta(microseconds=rule.margin_us)
    told = []
    for row in series.iter_rows(named=True):
        points = shard.points.filter(pl.col("series") == row["series"])
        if rule.within == "window":
            points = points.filter(pl.col("ts").is_between(window.start - margin, window.end + margin))
        elif rule.within == "before_window":
            points = points.filter(pl.col("ts") < window.start - margin)
        labels = ", ".join(f'{key}="{value}"' for key, _, value in (label.partition("\0") for label in row["labels"]))
        title = printable(row["name"] + (f"{{{labels}}}" if labels else ""))
        told.append(_Series(row["series"], row["document"], title, row["path"], points))
    return told


def _what_is_there(run: CaseRunAgain, rule: DocumentRule, every: list[_Series]) -> tuple[str, ...]:
    """Why no series fits: none of the name, none with the labels, or none with points at the wanted times."""
    anywhere = replace(rule, method=PRESENT, min_points=1, within=None, margin_us=0)
    of_name = replace(anywhere, labels=())
    codes = run.microscope.on_series([(anywhere, one.number) for one in every])
    outside = [one for one, code in zip(every, codes, strict=True) if code == TRUE_CODE]
    if outside:
        points = run.shard.points.filter(pl.col("series").is_in([one.number for one in outside]))["ts"].drop_nulls()
        window = run.case.window
        times = (
            f"their points run from {_time(points.min())} to {_time(points.max())}"
            if len(points)
            else "their points have no times"
        )
        wanted = (
            f"{_time(window.start)} to {_time(window.end)}"
            if rule.within == "window"
            else f"before {_time(window.start)}"
        )
        return (f"{len(outside)} series of that name, but {times}; read is {wanted}",)
    codes = run.microscope.on_series([(of_name, one.number) for one in every])
    others = [one.title for one, code in zip(every, codes, strict=True) if code == TRUE_CODE]
    if others:
        wanted = ", ".join(f'{key}="{value}"' for key, value in rule.labels)
        return (
            f"no series with the labels {{{wanted}}}; of that name there are {listed(nearest_first(wanted, others))}",
        )
    names = nearest_first(rule.series or "", (one.title for one in every))
    return (f"no series {rule.series or 'at all'}; the series there, nearest first: {listed(names)}",)


def _time(value: object) -> str:
    return timestamp_text(value) if isinstance(value, datetime) else "?"


def _sightings(series: list[_Series], rule: DocumentRule | None) -> tuple[Sighting, ...]:
    return tuple(
        Sighting(one.document, one.path, None if rule is None else _point_text(one, rule), _series_text(one))
        for one in series[:MOST_SERIES]
    )


def _point_text(one: _Series, rule: DocumentRule) -> str | None:
    """The first point beyond the threshold, for rules on values."""
    if rule.threshold is None or rule.of != "value":
        return None
    operator = rule.method.rpartition("_")[2]
    value = pl.col("value")
    beyond = {
        "gt": value > rule.threshold,
        "ge": value >= rule.threshold,
        "lt": value < rule.threshold,
        "le": value <= rule.threshold,
    }
    if operator not in beyond:
        return None
    wanted = beyond[operator] if rule.method in ANY else ~beyond[operator]
    points = one.points.filter(wanted)
    if points.is_empty():
        return None
    row = points.row(0, named=True)
    at = f" at {timestamp_text(row['ts'])}" if row["ts"] is not None else ""
    return f"{row['value']:g}{at}, {points.height} such points"


def _series_text(one: _Series) -> str:
    least, median, largest = _spread_of(one.points["value"])
    if least is None:
        return f"{one.title}: no points"
    return f"{one.title}: {one.points.height} points, {least} to {largest}, median {median}"


def _spread_of(values: pl.Series) -> tuple[str | None, str | None, str | None]:
    """Smallest, median and largest number as text; null where there is none."""
    if values.is_empty():
        return None, None, None
    frame = pl.DataFrame({"value": values}).select(
        least=pl.col("value").min(), median=pl.col("value").median(), largest=pl.col("value").max()
    )
    least, median, largest = (f"{float(number):g}" for number in frame.row(0))
    return least, median, largest


def _extreme_first(series: list[_Series], rule: DocumentRule) -> list[_Series]:
    """Those that come nearest to the threshold first."""
    upwards = rule.method.endswith(("gt", "ge"))

    def key(one: _Series) -> float:
        value = one.points["value"].max() if upwards else one.points["value"].min()
        return float("inf") if not isinstance(value, float) else -value if upwards else value

    return sorted(series, key=key)


def _wanted_text(rule: DocumentRule) -> str:
    if rule.threshold is None:
        return f"at least {rule.min_points} points"
    signs = {"gt": ">", "ge": "≥", "lt": "<", "le": "≤"}
    sign = signs.get(rule.method.rpartition("_")[2], "")
    what = {"value": "points", "increase": "an increase", "changes": "changes", "ratio": "a ratio"}[rule.of]
    row = " in a row" if rule.consecutive else ""
    count = f"at least {rule.min_points} " if rule.of == "value" else ""
    return f"{count}{what} {sign} {rule.threshold:g}{row}"


def _spread_text(series: list[_Series], rule: DocumentRule) -> str:
    """Largest, median and smallest mean of the series, as `numeric_spread_gt` compares them."""
    least, median, largest = _spread_of(pl.Series([one.points["value"].mean() for one in series], dtype=pl.Float64))
    means = f"means of {len(series)} series: largest {largest}, median {median}, smallest {least}"
    return f"{means}; wanted is {rule.by} > {rule.threshold:g}"
