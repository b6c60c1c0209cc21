"""Numeric rules: `numeric_series_…` and `numeric_spread_gt` (specification 40, "Document rules" and "Numeric series").

A *reading* is one series as a rule reads it: its points, or those in (or before) the case's time window.  Equal
readings of many rules are one list of values and are summed up once; points are looked at again only where a sum does
not decide.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from typing import Final

import polars as pl

from judge_polars.globs import series_regex
from judge_polars.rulebook import DocumentRule
from judge_polars.rules.comparison import number_range
from judge_polars.shard import Shard
from judge_polars.tables import RULE_RESULTS, TIMESTAMP
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

PRESENT: Final = "numeric_series_present"
SPREAD: Final = "numeric_spread_gt"
OPERATORS: Final = ("gt", "ge", "lt", "le")
ANY: Final = {f"numeric_series_any_{operator}": operator for operator in OPERATORS}
ALL: Final = {f"numeric_series_all_{operator}": operator for operator in OPERATORS}
METHODS: Final = (PRESENT, *ANY, *ALL, SPREAD)

_KEY: Final = ["run", "rule"]
_READING: Final = ["series", "variant"]

Rules = Mapping[int, DocumentRule]


def evaluate(asked: pl.DataFrame, selected: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard) -> pl.DataFrame:
    """Codes of numeric rules: `tables.RULE_RESULTS`, one row per row of `asked`."""
    if asked.is_empty():
        return RULE_RESULTS.empty()
    chosen = {index: rules[index] for index in asked["rule"].unique().sort()}
    documents = selected.with_columns(has_json=shard.documents["has_json"].gather(selected["doc"]))
    wanted = _wanted(documents.filter("has_json"), chosen, shard)
    read = _read_series(wanted, chosen, shard)
    readings = read.select("run", *_READING).unique().sort(_READING).with_row_index("reading")
    values = _values(readings, shard, chosen)
    sums = (
        read.join(readings.select("reading", *_READING), on=_READING, how="inner")
        .join(_parameters(chosen), on="rule", how="inner")
        .join(_sums(values), on="reading", how="left")
        .with_columns(pl.col("points").fill_null(0))
        .filter(~(pl.col("within") & (pl.col("points") == 0)))
    )
    sums = sums.join(_costly_sums(values, sums), on="reading", how="left")
    true = pl.concat([_present(sums), _any(sums, values), _of_change(sums), _all(sums), _spread(sums)]).unique()
    return _codes(asked, documents, _selecting(wanted, shard), sums, true)


def _codes(
    asked: pl.DataFrame, documents: pl.DataFrame, selecting: pl.DataFrame, series: pl.DataFrame, true: pl.DataFrame
) -> pl.DataFrame:
    """`tables.RULE_RESULTS`: true, or the first reason that fits."""
    there = documents.group_by(_KEY).agg(json=pl.col("has_json").sum())
    with_series = series.select(_KEY).unique()
    table = (
        asked.join(true.with_columns(true=pl.lit(value=True)), on=_KEY, how="left", maintain_order="left")
        .join(there, on=_KEY, how="left", maintain_order="left")
        .join(selecting.with_columns(selecting=pl.lit(value=True)), on=_KEY, how="left", maintain_order="left")
        .join(with_series.with_columns(some=pl.lit(value=True)), on=_KEY, how="left", maintain_order="left")
    )
    code = (
        pl.when("true")
        .then(TRUE_CODE)
        .when(pl.col("json").is_null())
        .then(REASON_CODES["artifact_missing"])
        .when(pl.col("json") == 0)
        .then(REASON_CODES["no_json_value"])
        .when(pl.col("selecting").is_null())
        .then(REASON_CODES["path_selects_nothing"])
        .when(pl.col("some").is_null())
        .then(REASON_CODES["no_series"])
        .otherwise(REASON_CODES["not_matched"])
    )
    return RULE_RESULTS.check(table.select(*_KEY, code=code.cast(pl.UInt8)))


def _variants(rules: Rules) -> dict[tuple[str | None, int], int]:
    """The distinct ways in which rules restrict points to times, numbered: (`within`, margin)."""
    numbers: dict[tuple[str | None, int], int] = {}
    for rule in rules.values():
        numbers.setdefault(_variant(rule), len(numbers))
    return numbers


def _variant(rule: DocumentRule) -> tuple[str | None, int]:
    return (rule.within, rule.margin_us if rule.within else 0)


def _wanted(documents: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`run`, `rule`, `doc` with what the rule wants of the document: `variant`, `within`, `path`, `regex`, `labels`."""
    variants = _variants(rules)
    paths = shard.plan.series_path_index
    table = pl.DataFrame(
        [
            (
                index,
                variants[_variant(rule)],
                rule.within is not None,
                None if rule.path == "$" else paths[rule.path],
                None if rule.series is None else series_regex(rule.series),
                len(rule.labels),
            )
            for index, rule in rules.items()
        ],
        schema={
            "rule": pl.UInt32,
            "variant": pl.UInt32,
            "within": pl.Boolean,
            "path": pl.UInt32,
            "regex": pl.String,
            "labels": pl.UInt32,
        },
        orient="row",
    )
    return documents.select(*_KEY, "doc").join(table, on="rule", how="inner")


def _selecting(wanted: pl.DataFrame, shard: Shard) -> pl.DataFrame:
    """`run`, `rule` of rules without a path, and of those whose path selects a node (`tables.NODES` tells)."""
    of_plan = (pl.col("path") + len(shard.plan.requests)).cast(pl.UInt32)
    at_paths = wanted.select(*_KEY, "doc", path=of_plan).join(shard.nodes, on=["doc", "path"], how="semi")
    return pl.concat([wanted.filter(pl.col("path").is_null()).select(_KEY), at_paths.select(_KEY)]).unique()


def _read_series(wanted: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """`run`, `rule`, `series`, `variant`, `within`: the series that fit a rule by document, name, path and labels."""
    every = shard.series.select("doc", "series", "name").join(wanted.select("doc").unique(), on="doc", how="semi")
    named = every.join(_fitting_names(every["name"], wanted["regex"]), on="name", how="inner")
    series = pl.concat(
        [
            wanted.filter(pl.col("regex").is_null()).join(every, on="doc", how="inner").drop("name"),
            wanted.join(named.drop("name"), on=["doc", "regex"], how="inner"),
        ]
    )
    series = pl.concat(
        [
            series.filter(pl.col("path").is_null()),
            series.filter(pl.col("path").is_not_null()).join(shard.series_paths, on=["series", "path"], how="semi"),
        ]
    )
    return _by_labels(series, rules, shard).select(*_KEY, "series", "variant", "within")


def _fitting_names(names: pl.Series, regexes: pl.Series) -> pl.DataFrame:
    """`name`, `regex` of the distinct names that fit a rule's glob or regex."""
    every = pl.DataFrame({"name": names.unique()}).join(
        pl.DataFrame({"regex": regexes.drop_nulls().unique()}), how="cross", maintain_order="right_left"
    )
    return every.filter(pl.col("name").str.contains(pl.col("regex")))


def _by_labels(series: pl.DataFrame, rules: Rules, shard: Shard) -> pl.DataFrame:
    """Those that have all labels of the rule."""
    free = series.filter(pl.col("labels") == 0)
    wanted = pl.DataFrame(
        [(index, f"{key}\0{value}") for index, rule in rules.items() for key, value in rule.labels],
        schema={"rule": pl.UInt32, "label": pl.String},
        orient="row",
    )
    if wanted.is_empty():
        return free
    bound = series.filter(pl.col("labels") > 0)
    there = shard.series.select("series", label="labels").join(bound.select("series").unique(), on="series", how="semi")
    there = there.explode("label", empty_as_null=False).unique()
    found = bound.select("rule", "series").unique().join(wanted, on="rule", how="inner")
    found = found.join(there, on=["series", "label"], how="semi").group_by("rule", "series").agg(found=pl.len())
    kept = bound.join(found, on=["rule", "series"], how="inner").filter(pl.col("found") == pl.col("labels"))
    return pl.concat([free, kept.drop("found")])


def _values(readings: pl.DataFrame, shard: Shard, rules: Rules) -> pl.DataFrame:
    """`reading`, `values` (a list): the points of each reading that has any, in time order where all have a time.

    The points of a series stand one behind the other; most series are in order and are read whole.
    """
    runs = shard.points.select(pl.col("series").rle()).unnest("series").rename({"value": "series", "len": "length"})
    extents = runs.with_columns(start=pl.col("length").cum_sum() - pl.col("length"))
    placed = _bounded(readings, shard, rules).join(extents, on="series", how="inner")
    whole = pl.col("first").is_null()
    if any(rule.consecutive or rule.of in ("increase", "changes") for rule in rules.values()):
        whole &= ~pl.col("series").is_in(_out_of_order(shard).implode())
    read = [_picked(placed.filter(~whole), shard)]
    at_once = placed.filter(whole)
    if not at_once.is_empty():
        every = pl.lit(shard.points["value"].implode()).first()
        read.append(at_once.select("reading", values=every.list.slice("start", "length")))
    return pl.concat(read)


def _out_of_order(shard: Shard) -> pl.Series:
    """The series whose points all have a time and are not in the order of their times."""
    earlier = (pl.col("series") == pl.col("series").shift(1)) & (pl.col("ts") < pl.col("ts").shift(1))
    found = shard.points.filter(earlier)["series"].unique()
    return found.filter(shard.series["timed"].gather(found))


def _picked(placed: pl.DataFrame, shard: Shard) -> pl.DataFrame:
    """`reading`, `values` of readings of which each point is looked at, whether it is inside and where it belongs."""
    at = pl.int_ranges("start", pl.col("start") + pl.col("length"), dtype=pl.UInt32)
    points = placed.select("reading", "series", "first", "last", at=at).explode("at")
    points = points.with_columns(shard.points[column].gather(points["at"]) for column in ("ts", "value"))
    points = points.with_columns(timed=shard.series["timed"].gather(points["series"]))
    inside = pl.col("first").is_null() | pl.col("ts").is_between("first", "last").fill_null(value=False)
    points = points.filter(inside).with_columns(order=pl.when("timed").then("ts"))
    points = points.sort("reading", "order", "at")
    return points.group_by("reading", maintain_order=True).agg(values="value")


def _bounded(readings: pl.DataFrame, shard: Shard, rules: Rules) -> pl.DataFrame:
    """Readings with the times between which their points lie, `first` and `last`; null where any point counts.

    `window`: the case's, widened by the margin; `before_window`: all that is before its start, narrowed by it.
    """
    variants = pl.DataFrame(
        [(number, within, margin) for (within, margin), number in _variants(rules).items()],
        schema={"variant": pl.UInt32, "within": pl.String, "margin": pl.Int64},
        orient="row",
    )
    margin = pl.duration(microseconds=pl.col("margin"), time_unit="us")
    start, end = pl.col("window_start") - margin, pl.col("window_end") + margin
    during, before = pl.col("within") == "window", pl.col("within") == "before_window"
    long_ago = pl.lit(datetime.min.replace(tzinfo=UTC), TIMESTAMP)
    return (
        readings.join(variants, on="variant", how="left")
        .join(shard.runs.select("run", "window_start", "window_end"), on="run", how="left")
        .with_columns(
            first=pl.when(during).then(start).when(before).then(long_ago),
            last=pl.when(during).then(end).when(before).then(start - pl.duration(microseconds=1, time_unit="us")),
        )
    )


def _sums(values: pl.DataFrame) -> pl.DataFrame:
    """Per reading with points: their number `points`, the `least` and the `largest`."""
    of_list = pl.col("values").list
    return values.select("reading", points=of_list.len(), least=of_list.min(), largest=of_list.max())


def _costly_sums(values: pl.DataFrame, sums: pl.DataFrame) -> pl.DataFrame:
    """Per reading that a rule asks about: what only some rules want to know; `sums`: `reading` with the parameters.

    `mean`, `increase` (sum of the positive steps), `changes` (number of neighbours that differ) and `ratio` (largest ÷
    median).
    """
    value = pl.col("values")
    step = value.diff()
    some = sums.filter((pl.col("of") != "value") | (pl.col("method") == SPREAD)).select("reading").unique()
    points = values.join(some, on="reading", how="semi").explode("values")
    return points.group_by("reading", maintain_order=True).agg(
        mean=value.mean(),
        increase=step.filter(step > 0, step.is_not_nan()).sum(),
        changes=(value != value.shift(1)).sum().cast(pl.Float64),
        ratio=share_of_median(value),
    )


def share_of_median(value: pl.Expr) -> pl.Expr:
    """Largest ÷ median: infinite where the median is 0 and the largest is not; NaN where both are.

    The median is the middle value, or half the sum of the two middle ones, infinite ones included.
    """
    largest = value.max()
    median = (value.quantile(0.5, "lower") + value.quantile(0.5, "higher")) / 2
    return pl.when((median == 0) & (largest != 0)).then(float("inf")).otherwise(largest / median)


def _parameters(rules: Rules) -> pl.DataFrame:
    """Per rule: its method and parameters; beyond the threshold is a closed range, `low` to `high`."""
    rows = []
    for index, rule in rules.items():
        operator = rule.method.rpartition("_")[2]
        beyond = None if rule.threshold is None else number_range(operator, rule.threshold)
        low, high = (None, None) if beyond is None else (beyond.float_low, beyond.float_high)
        rows.append((index, rule.method, rule.min_points, rule.consecutive, rule.of, rule.by, low, high))
    schema = {
        "rule": pl.UInt32,
        "method": pl.String,
        "min_points": pl.Int64,
        "consecutive": pl.Boolean,
        "of": pl.String,
        "by": pl.String,
        "low": pl.Float64,
        "high": pl.Float64,
    }
    return pl.DataFrame(rows, schema=schema, orient="row")


def _beyond(value: pl.Expr) -> pl.Expr:
    """Whether a value is beyond the threshold; NaN never is."""
    return value.is_between("low", "high") & value.is_not_nan()


def _enough() -> pl.Expr:
    return pl.col("points") >= pl.col("min_points")


def _present(sums: pl.DataFrame) -> pl.DataFrame:
    """`numeric_series_present`: some series has enough points."""
    return sums.filter((pl.col("method") == PRESENT) & _enough()).select(_KEY)


def _any(sums: pl.DataFrame, values: pl.DataFrame) -> pl.DataFrame:
    """`numeric_series_any_…` of values: some series has enough points beyond, with `consecutive` in a row.

    Where the largest and the least value are not beyond, none is; where one point is enough, one of them decides.
    """
    able = sums.filter(
        pl.col("method").is_in(list(ANY)) & (pl.col("of") == "value") & _enough() & (pl.col("points") > 0)
    )
    able = able.filter(_beyond(pl.col("largest")) | _beyond(pl.col("least")))
    more = able.filter(pl.col("min_points") > 1)
    look = ["reading", "low", "high"]
    looked = more.select(look).unique().with_row_index("look")
    counted = _counts(looked.join(values, on="reading", how="inner"))
    number = pl.when("consecutive").then("in_a_row").otherwise("in_all")
    enough = more.join(looked, on=look, how="inner").join(counted, on="look", how="inner")
    enough = enough.filter(number >= pl.col("min_points"))
    return pl.concat([able.filter(pl.col("min_points") <= 1).select(_KEY), enough.select(_KEY)])


def _counts(looked: pl.DataFrame) -> pl.DataFrame:
    """`look`, how many `values` are beyond its threshold `in_all`, and at most `in_a_row`; only where there are any."""
    points = looked.select("look", "low", "high", value="values").explode("value").with_row_index("position")
    beyond = points.filter(_beyond(pl.col("value"))).select("look", "position")
    behind = (pl.col("position") == pl.col("position").shift(1) + 1) & (pl.col("look") == pl.col("look").shift(1))
    begins = beyond.select(~behind.fill_null(value=False)).to_series()
    lengths = begins.cum_sum().rle().struct.field("len")
    rows = beyond.filter(begins).select(pl.col("look").set_sorted(), length=lengths)
    return rows.group_by("look").agg(in_all=pl.col("length").sum(), in_a_row=pl.col("length").max())


def _of_change(sums: pl.DataFrame) -> pl.DataFrame:
    """`numeric_series_any_…` of increase, changes or ratio: some series with enough points has one beyond."""
    able = sums.filter(pl.col("method").is_in(list(ANY)) & (pl.col("of") != "value") & _enough())
    number = pl.when(pl.col("of") == "increase").then("increase").when(pl.col("of") == "changes").then("changes")
    return able.filter(_beyond(number.otherwise("ratio"))).select(_KEY)


def _all(sums: pl.DataFrame) -> pl.DataFrame:
    """`numeric_series_all_…`: there is a series with enough points, and all points of each such one are beyond."""
    able = sums.filter(pl.col("method").is_in(list(ALL)) & _enough() & (pl.col("points") > 0))
    every = able.group_by(_KEY).agg(every=(_beyond(pl.col("least")) & _beyond(pl.col("largest"))).all())
    return every.filter("every").select(_KEY)


def _spread(sums: pl.DataFrame) -> pl.DataFrame:
    """`numeric_spread_gt`: of the means of two or more series the largest is far from the median or the smallest."""
    able = sums.filter((pl.col("method") == SPREAD) & (pl.col("points") > 0))
    spread = able.group_by(_KEY).agg(
        pl.len(),
        pl.col("by", "low", "high").first(),
        known=pl.col("mean").is_not_nan().all(),
        max_over_median=share_of_median(pl.col("mean")),
        max_minus_min=pl.col("mean").max() - pl.col("mean").min(),
    )
    number = pl.when(pl.col("by") == "max_over_median").then("max_over_median").otherwise("max_minus_min")
    return spread.filter((pl.col("len") >= 2) & pl.col("known") & _beyond(number)).select(_KEY)
