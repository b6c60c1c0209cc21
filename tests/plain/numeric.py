"""The methods on numeric series (40-rules, table and "Numeric series")."""

import math
from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

from tests.plain.paths import Location, select
from tests.plain.scene import Rule, Scene, Unfit, documents_with_values, is_within
from tests.plain.series import Point, Series, name_fits, series_in

BEYOND: dict[str, Callable[[float, float], bool]] = {
    "gt": lambda value, threshold: value > threshold,
    "ge": lambda value, threshold: value >= threshold,
    "lt": lambda value, threshold: value < threshold,
    "le": lambda value, threshold: value <= threshold,
}


def series_for(rule: Rule, scene: Scene) -> list[Series]:
    """The series that `series`, `labels`, `path` and `within` leave."""
    found: list[Series] = []
    reached = False
    for document in documents_with_values(rule, scene):
        places = [node.location for node in select(rule.get("path", "$"), document.values[0])]
        reached = reached or bool(places)
        found += [one for one in series_in(document.values[0], document.name) if is_below(one, places)]
    if not reached:
        raise Unfit("path_selects_nothing")
    found = [series for series in found if name_fits(rule.get("series", "*"), series.name)]
    found = [series for series in found if rule.get("labels", {}).items() <= series.labels.items()]
    if "within" in rule:
        found = [replace(series, points=points_within(series, rule, scene)) for series in found]
        found = [series for series in found if series.points]
    if not found:
        raise Unfit("no_series")
    return found


def is_below(series: Series, places: list[Location]) -> bool:
    """Whether a series is a selected node or lies below one (40-rules, Numeric series)."""
    return any(series.location[: len(place)] == place for place in places)


def points_within(series: Series, rule: Rule, scene: Scene) -> list[Point]:
    """The timed points inside the window (40-rules, `within`)."""
    return [point for point in series.points if point.time is not None and is_within(point.time, rule, scene.case)]


def is_beyond(value: float, rule: Rule) -> bool:
    """Whether a number is beyond the threshold; the method's name ends in the comparison; NaN never is."""
    return BEYOND[rule["match"].rsplit("_", 1)[1]](value, rule["threshold"])


def numeric_series_present(rule: Rule, scene: Scene) -> bool:
    """One series with enough points."""
    return any(len(series.points) >= rule.get("min_points", 1) for series in series_for(rule, scene))


def numeric_series_any(rule: Rule, scene: Scene) -> bool:
    """`numeric_series_any_…`, by what `of` names."""
    series = series_for(rule, scene)
    least = rule.get("min_points", 1)
    of = rule.get("of", "value")
    if of == "value":
        count = longest_run if rule.get("consecutive", False) else number_beyond
        return any(count(one, rule) >= least for one in series)
    return any(len(one.points) >= least and is_beyond(NUMBERS[of](values_of(one)), rule) for one in series)


def number_beyond(series: Series, rule: Rule) -> int:
    """The number of points beyond the threshold."""
    return sum(is_beyond(point.value, rule) for point in series.points)


def longest_run(series: Series, rule: Rule) -> int:
    """The largest number of neighbouring points beyond the threshold."""
    longest = run = 0
    for point in series.points:
        run = run + 1 if is_beyond(point.value, rule) else 0
        longest = max(longest, run)
    return longest


def values_of(series: Series) -> list[float]:
    """The values of a series in order."""
    return [point.value for point in series.points]


def increase(values: list[float]) -> float:
    """By how much the values rose, all rises together."""
    steps = [after - before for before, after in pairwise(values)]
    return float(sum(step for step in steps if step > 0))


def changes(values: list[float]) -> float:
    """How often a value is another than the one before."""
    return sum(before != after for before, after in pairwise(values))


def largest_over_median(values: list[float]) -> float:
    """The largest value by the median; infinite where only the median is 0, NaN where both are."""
    if not values:
        return math.nan
    middle = median(values)
    if middle == 0:
        return math.nan if max(values) == 0 else math.inf
    return max(values) / middle


def median(values: list[float]) -> float:
    """The middle value; of an even number of values the mean of the middle two."""
    ordered = sorted(values)
    half = len(ordered) // 2
    return ordered[half] if len(ordered) % 2 else (ordered[half - 1] + ordered[half]) / 2


NUMBERS: dict[str, Callable[[list[float]], float]] = {
    "increase": increase,
    "changes": changes,
    "ratio": largest_over_median,
}


def numeric_series_all(rule: Rule, scene: Scene) -> bool:
    """All points of all long enough series, of which there has to be one."""
    long_enough = [series for series in series_for(rule, scene) if len(series.points) >= rule.get("min_points", 1)]
    return bool(long_enough) and all(number_beyond(series, rule) == len(series.points) for series in long_enough)


def numeric_spread_gt(rule: Rule, scene: Scene) -> bool:
    """How far the means of several series are apart."""
    means = [sum(values_of(series)) / len(series.points) for series in series_for(rule, scene) if series.points]
    if len(means) < 2 or any(math.isnan(mean) for mean in means):
        return False
    spread = largest_over_median(means) if rule["by"] == "max_over_median" else max(means) - min(means)
    return is_beyond(spread, rule)
