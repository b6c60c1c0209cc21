"""Comparisons of JSON scalars with operands, over columns (specification 40, "Fact rules" and `json_value`).

Operands become small tables, one per kind of value, that are joined to the values by the number of their comparison: a
thousand comparisons of one value each cost what one comparison of a thousand values costs.  Nothing is converted:
numbers are compared with numbers, texts with texts, booleans with booleans; null and NaN satisfy nothing, and
`not_equals` and `not_in` hold only for values of the kind of an operand.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Final, NamedTuple

import polars as pl

from judge_polars.rulebook import Comparison, TimeWithin
from judge_polars.text_forms import keyword_form, normalise_keyword, regex_form
from judge_polars.times import EPOCH, MILLISECONDS_FROM

NULL, BOOLEAN, INTEGER, FLOAT, TEXT, LIST, OBJECT = range(7)
"""Values of `kind` in `tables.NODES`."""

_NUMBER: Final = pl.col("kind").is_in([INTEGER, FLOAT])
_LOWEST, _HIGHEST = -(2**127), 2**127 - 1
_NEGATED: Final = ("not_equals", "not_in")
_TIME_TEXT: Final = (
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})[Tt ]([0-9]{2}:[0-9]{2}:[0-5][0-9])(?:\.([0-9]+))?"
    r"(?:([Zz])|([+-])([01][0-9]|2[0-3]):([0-5][0-9]))?$"
)
_MICROSECONDS: Final = 1_000_000
_MINUTE: Final = 60 * _MICROSECONDS
_LARGEST_TIME: Final = 2.0**62


def satisfied(values: pl.DataFrame, comparisons: Sequence[Comparison]) -> pl.Series:
    """Whether each value satisfies its comparison; never null.

    Args:
        values: `comparison` (index into `comparisons`) and `kind`, `boolean`, `integer`, `number`, `string` as in
            `tables.NODES`.
        comparisons: operators are those of `vocabulary.COMPARISONS` but `exists`, and `contains_any` and `time_within`.
    """
    nowhere = pl.repeat(value=False, n=values.height, dtype=pl.Boolean, eager=True)
    if values.is_empty():
        return nowhere
    rows = values.select("comparison", "kind", "boolean", "integer", "number", "string").with_row_index("at")
    used = [(index, comparisons[index]) for index in rows["comparison"].unique().sort()]
    hits = pl.concat([find(rows, used) for find in _FINDERS])
    fits = nowhere.scatter(hits["at"], True)
    negated = [(index, comparison) for index, comparison in used if comparison.operator in _NEGATED]
    if not negated:
        return fits
    kinds = pl.DataFrame(
        [(index, kind) for index, comparison in negated for kind in _kinds(comparison)],
        schema={"comparison": pl.UInt32, "kind": pl.UInt8},
        orient="row",
    )
    of_kind = rows.filter(pl.col("number").is_nan().fill_null(value=False).not_()).join(
        kinds, on=["comparison", "kind"], how="semi"
    )
    denied = rows["comparison"].is_in(pl.Series([index for index, _ in negated], dtype=pl.UInt32).implode())
    may = pl.repeat(value=False, n=rows.height, dtype=pl.Boolean, eager=True).scatter(of_kind["at"], True)
    return (fits & ~denied) | (may & denied & ~fits)


Used = Sequence[tuple[int, Comparison]]


def _operands(comparison: Comparison) -> Iterable[object]:
    """The operands of a comparison that takes scalars."""
    operand = comparison.operand
    return operand if isinstance(operand, tuple) else (operand,)


def _kinds(comparison: Comparison) -> set[int]:
    """The kinds of a comparison's operands."""
    kinds: set[int] = set()
    for operand in _operands(comparison):
        if isinstance(operand, bool):
            kinds.add(BOOLEAN)
        elif isinstance(operand, int | float):
            kinds |= {INTEGER, FLOAT}
        elif isinstance(operand, str):
            kinds.add(TEXT)
    return kinds


def _equal_booleans(rows: pl.DataFrame, used: Used) -> pl.DataFrame:
    """`at` of booleans that equal an operand."""
    operands = pl.DataFrame(
        [
            (index, operand)
            for index, comparison in used
            if comparison.operator in _EQUALITIES
            for operand in _operands(comparison)
            if isinstance(operand, bool)
        ],
        schema={"comparison": pl.UInt32, "boolean": pl.Boolean},
        orient="row",
    )
    if operands.is_empty():
        return rows.clear().select("at")
    return rows.filter(pl.col("kind") == BOOLEAN).join(operands, on=["comparison", "boolean"], how="semi").select("at")


def _equal_texts(rows: pl.DataFrame, used: Used) -> pl.DataFrame:
    """`at` of texts that equal an operand."""
    operands = pl.DataFrame(
        [
            (index, operand)
            for index, comparison in used
            if comparison.operator in _EQUALITIES
            for operand in _operands(comparison)
            if isinstance(operand, str)
        ],
        schema={"comparison": pl.UInt32, "string": pl.String},
        orient="row",
    )
    if operands.is_empty():
        return rows.clear().select("at")
    return rows.filter(pl.col("kind") == TEXT).join(operands, on=["comparison", "string"], how="semi").select("at")


def _numbers_in_range(rows: pl.DataFrame, used: Used) -> pl.DataFrame:
    """`at` of numbers in a range of their comparison; every comparison of numbers is one."""
    ranges = [
        (index, *number_range(_RANGES[comparison.operator], operand).columns())
        for index, comparison in used
        if comparison.operator in _RANGES
        for operand in _operands(comparison)
        if isinstance(operand, int | float) and not isinstance(operand, bool)
    ]
    if not ranges:
        return rows.clear().select("at")
    bounds = pl.DataFrame(ranges, schema={"comparison": pl.UInt32, **_RANGE_COLUMNS}, orient="row")
    bounds = bounds.with_columns(low_key=_order(pl.col("low_digits")), high_key=_order(pl.col("high_digits")))
    numbers = rows.filter(_NUMBER).join(bounds, on="comparison", how="inner")
    beyond = pl.when(pl.col("kind") == INTEGER).then(_order(pl.col("string")))
    integer = (
        pl.when(beyond.is_null())
        .then(pl.col("integer").is_between("low", "high"))
        .otherwise(
            (beyond >= pl.col("low_key")).fill_null(value=True) & (beyond <= pl.col("high_key")).fill_null(value=True)
        )
    )
    number = pl.col("number").is_between("float_low", "float_high") & pl.col("number").is_not_nan()
    return numbers.filter(pl.when(pl.col("kind") == INTEGER).then(integer).otherwise(number)).select("at")


def _matching_texts(rows: pl.DataFrame, used: Used) -> pl.DataFrame:
    """`at` of texts in which a regex is found."""
    regexes = [(index, f"(?im){comparison.operand}") for index, comparison in used if comparison.operator == "matches"]
    return _containing(rows, regexes, lower=False)


def _texts_with_keywords(rows: pl.DataFrame, used: Used) -> pl.DataFrame:
    """`at` of texts in which a keyword occurs."""
    keywords = [
        (index, normalise_keyword(str(keyword)))
        for index, comparison in used
        if comparison.operator == "contains_any"
        for keyword in _operands(comparison)
    ]
    return _containing(rows, keywords, lower=True)


def _containing(rows: pl.DataFrame, wanted: Sequence[tuple[int, object]], *, lower: bool) -> pl.DataFrame:
    """`at` of texts that hold what their comparison wants: a regex, or (`lower`) a keyword in the texts' keyword form."""
    if not wanted:
        return rows.clear().select("at")
    table = pl.DataFrame(wanted, schema={"comparison": pl.UInt32, "wanted": pl.String}, orient="row")
    asked = rows.filter(pl.col("kind") == TEXT).join(table.select("comparison").unique(), on="comparison", how="semi")
    texts = asked.select("string").unique()
    forms = texts.select("string", form=keyword_form(pl.col("string")) if lower else regex_form(pl.col("string")))
    pairs = asked.select("at", "comparison", "string").join(table, on="comparison", how="inner").sort("wanted")
    pairs = pairs.join(forms, on="string", how="inner", maintain_order="left")
    return pairs.filter(pl.col("form").str.contains(pl.col("wanted"), literal=lower)).select("at").unique()


def _near_times(rows: pl.DataFrame, used: Used) -> pl.DataFrame:
    """`at` of values that are times near another one."""
    wanted = [
        (index, _microseconds(operand.of), operand.tolerance_us, operand.offset_minutes)
        for index, comparison in used
        if isinstance(operand := comparison.operand, TimeWithin)
    ]
    if not wanted:
        return rows.clear().select("at")
    schema = {"comparison": pl.UInt32, "of": pl.Int64, "tolerance": pl.Int64, "offset": pl.Int64}
    times = rows.filter(_NUMBER | (pl.col("kind") == TEXT)).join(
        pl.DataFrame(wanted, schema=schema, orient="row"), on="comparison", how="inner"
    )
    instant = pl.when(pl.col("kind") == TEXT).then(_time_of_text()).otherwise(_time_of_number())
    return times.filter((instant - pl.col("of")).abs() <= pl.col("tolerance")).select("at")


def _time_of_text() -> pl.Expr:
    """Microseconds since 1970 of an RFC 3339 text in `string`; without an offset it is read at `offset` (minutes)."""
    parts = pl.col("string").str.strip_chars().str.extract_groups(_TIME_TEXT).struct
    local = pl.concat_str(parts.field("1"), parts.field("2"), separator=" ").str.to_datetime(
        "%Y-%m-%d %H:%M:%S", time_unit="us", strict=False
    )
    fraction = parts.field("3").fill_null("0").str.pad_end(6, "0").str.slice(0, 6).cast(pl.Int64)
    minutes = parts.field("6").cast(pl.Int64) * 60 + parts.field("7").cast(pl.Int64)
    given = pl.when(parts.field("5") == "-").then(-minutes).otherwise(minutes)
    offset = pl.when(parts.field("4").is_not_null()).then(0).otherwise(pl.coalesce(given, "offset"))
    return local.dt.epoch("us") + fraction - offset * _MINUTE


def _time_of_number() -> pl.Expr:
    """Microseconds since 1970 of Unix seconds, or milliseconds from 100,000,000,000 up, in `number`."""
    number = pl.col("number")
    scaled = number * pl.when(number >= MILLISECONDS_FROM).then(1e3).otherwise(1e6)
    return pl.when(scaled.abs() < _LARGEST_TIME).then(scaled.round(0)).cast(pl.Int64)


def _microseconds(time: datetime) -> int:
    elapsed = time - EPOCH
    return (elapsed.days * 86_400 + elapsed.seconds) * _MICROSECONDS + elapsed.microseconds


_FINDERS: Final = (_equal_booleans, _equal_texts, _numbers_in_range, _matching_texts, _texts_with_keywords, _near_times)
_EQUALITIES: Final = ("equals", "not_equals", "in", "not_in")
_RANGES: Final = {**dict.fromkeys(_EQUALITIES, "equals"), "gt": "gt", "ge": "ge", "lt": "lt", "le": "le"}
_RANGE_COLUMNS: Final = {
    "low": pl.Int128(),
    "high": pl.Int128(),
    "low_digits": pl.String(),
    "high_digits": pl.String(),
    "float_low": pl.Float64(),
    "float_high": pl.Float64(),
}


class NumberRange(NamedTuple):
    """The integers and the doubles that satisfy a comparison: closed ranges, empty where low > high; None: no end."""

    low: int | None
    high: int | None
    float_low: float
    float_high: float

    def columns(self) -> tuple[int, int, str | None, str | None, float, float]:
        """As `_RANGE_COLUMNS`: ends in 128 bits, and as digits for integers beyond."""
        low = _LOWEST if self.low is None else self.low
        high = _HIGHEST if self.high is None else self.high
        outside = low > _HIGHEST or high < _LOWEST or low > high
        ends = (1, 0) if outside else (max(low, _LOWEST), min(high, _HIGHEST))
        digits = [None if end is None else str(end) for end in (self.low, self.high)]
        return (*ends, digits[0], digits[1], self.float_low, self.float_high)


_EMPTY: Final = NumberRange(1, 0, 1.0, 0.0)


def number_range(operator: str, operand: int | float) -> NumberRange:
    """What satisfies `equals`, `gt`, `ge`, `lt` or `le`, exactly: integers and doubles are not rounded to fit.

    A registry holds no NaN.
    """
    if operator in ("lt", "le"):
        low, high, float_low, float_high = number_range("gt" if operator == "lt" else "ge", -operand)
        return NumberRange(None if high is None else -high, None if low is None else -low, -float_high, -float_low)
    if isinstance(operand, float) and math.isinf(operand):
        return _range_from_infinity(operator, operand)
    if operator == "equals":
        return NumberRange(math.ceil(operand), math.floor(operand), _at_least(operand), _at_most(operand))
    if operator == "ge":
        return NumberRange(math.ceil(operand), None, _at_least(operand), math.inf)
    return NumberRange(math.floor(operand) + 1, None, math.nextafter(_at_most(operand), math.inf), math.inf)


def _range_from_infinity(operator: str, infinity: float) -> NumberRange:
    """`number_range` of an infinite operand; no integer equals it."""
    if operator == "equals" or (operator == "ge" and infinity > 0):
        return NumberRange(1, 0, infinity, infinity)
    if infinity > 0:
        return _EMPTY
    return NumberRange(None, None, infinity if operator == "ge" else math.nextafter(infinity, 0), math.inf)


def _at_least(number: int | float) -> float:
    """The smallest double that is not less than a number."""
    try:
        near = float(number)
    except OverflowError:
        return math.inf if number > 0 else -math.nextafter(math.inf, 0)
    return near if near >= number else math.nextafter(near, math.inf)


def _at_most(number: int | float) -> float:
    """The largest double that is not greater than a number."""
    return -_at_least(-number)


def _order(digits: pl.Expr) -> pl.Expr:
    """Texts that sort as the integers do that `digits` writes: sign, number of digits, digits."""
    magnitude = digits.str.strip_prefix("-")
    text = magnitude.str.len_bytes().cast(pl.String).str.zfill(4) + magnitude
    complement = text.str.replace_many(list("0123456789"), list("9876543210"))
    return pl.when(digits.str.starts_with("-")).then(pl.lit("0") + complement).otherwise(pl.lit("1") + text)
