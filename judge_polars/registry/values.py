"""The types of single values in the registry's files, each with its check and its message (specification 10, 40).

Values stay as they are written (a duration is the text `5m`); `compile` turns them into what the judge uses.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Annotated, Any, Final, LiteralString

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    GetCoreSchemaHandler,
    GetJsonSchemaHandler,
    WithJsonSchema,
)
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from judge_polars.json_path import PathError, parse_path
from judge_polars.registry.regexes import FULL_WIDTH_COMMA, TEXT_FLAGS, regex_fault
from judge_polars.registry.source import shown
from judge_polars.text_forms import normalise_keyword
from judge_polars.times import RFC_3339, parse_time_text

LONGEST_US: Final = 100 * 366 * 86_400 * 1_000_000
_DURATION: Final = re.compile(r"(?:(?P<h>[0-9]{1,9})h)?(?:(?P<m>[0-9]{1,9})m)?(?:(?P<s>[0-9]{1,9})s)?")
_OFFSET: Final = re.compile(r"[Zz]|[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]")
_HYPHENED: Final = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_UNDERSCORED: Final = re.compile(r"[a-z0-9]+(?:_[a-z0-9]+)*")
_DIGEST: Final = re.compile(r"sha256:[0-9a-f]{64}")
MOST: Final = 2**63 - 1
LARGEST: Final = 1.7976931348623157e308


class Model(BaseModel):
    """What every model of a registry file is: no unknown keys, nothing converted."""

    model_config = ConfigDict(extra="forbid", strict=True)


def refused(code: LiteralString, message: str, *at: str | int) -> PydanticCustomError:
    """The error of a check; `at` leads from the value that is checked to the one that is wrong."""
    return PydanticCustomError(code, "{message}", {"message": message, "at": at})


def _check_text(value: str) -> str:
    if not value.strip():
        raise refused("blank_text", "this text is empty or blank; write something")
    return value


def _check_hyphened(value: str) -> str:
    if not _HYPHENED.fullmatch(value):
        raise refused("invalid_id", f"{shown(value)} is no id; ids are lower-case words and digits joined by `-`")
    return value


def _check_underscored(value: str) -> str:
    if not _UNDERSCORED.fullmatch(value):
        raise refused("invalid_id", f"{shown(value)} is no name; names are lower-case words and digits joined by `_`")
    return value


def _check_digest(value: str) -> str:
    if not _DIGEST.fullmatch(value):
        raise refused("invalid_digest", f"{shown(value)} is no digest; `sha256:` and 64 hexadecimal digits are wanted")
    return value


def _check_keyword(value: str) -> str:
    if not normalise_keyword(value).strip():
        raise refused(
            "empty_keyword", "this keyword is empty or blank, so it would be found everywhere; remove or fill it"
        )
    return value


def _check_path(value: str) -> str:
    try:
        parse_path(value)
    except PathError as error:
        raise refused("invalid_path", f"{shown(value)} is no path that is taken: {error}") from None
    return value


def _wanted(what: str) -> Callable[[object], object]:
    """A check that a value is a text, for texts that quoting alone does not make right."""

    def check(value: object) -> object:
        if not isinstance(value, str):
            raise refused("wrong_type", f"found {shown(value)} where {what} is wanted")
        return value

    return check


def _check_duration(value: str) -> str:
    if duration_us(value) is None:
        raise refused(
            "invalid_duration", f"{shown(value)} is no duration; wanted is `<n>h<n>m<n>s`, such as `5m` or `1h30m`"
        )
    return value


def _check_timestamp(value: str) -> str:
    timestamp(value)
    return value


def _check_offset(value: str) -> str:
    if not _OFFSET.fullmatch(value):
        raise refused("invalid_offset", f"{shown(value)} is no offset; wanted is `Z` or such as `+08:00`")
    return value


def _regex(flags: str = TEXT_FLAGS, *, normalised: bool = True, keep: str = "") -> Callable[[str], str]:
    """A check that the engine takes a regex with those flags."""

    def check(value: str) -> str:
        fault = regex_fault(value, flags, normalised=normalised, keep=keep)
        if fault:
            raise PydanticCustomError(fault.code, "{message}", {"message": fault.message, "at": ()})
        return value

    return check


def _check_series(value: str) -> str:
    if not value:
        raise refused("blank_text", "this text is empty; leave `series` out to take all series")
    if len(value) > 2 and value.startswith("/") and value.endswith("/"):
        _regex()(value[1:-1])
    return value


def _check_selector(value: str) -> str:
    parts = value.split("/")
    if not value.strip() or any(part in ("", ".", "..") for part in parts):
        message = (
            f"{shown(value)} names no document; wanted is an artifact, a name or a glob, without empty, `.`, `..` parts"
        )
        raise refused("invalid_selector", message)
    return value


def _check_relative_path(value: str) -> str:
    if (
        value.startswith("/")
        or "\\" in value
        or any(part == ".." for part in value.split("/"))
        or not value.strip("./ ")
    ):
        raise refused(
            "invalid_file", f"{shown(value)} is no path inside this directory; write it relative, without `..`"
        )
    return value


def _finite(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused("wrong_type", f"found {shown(value)} where a number is wanted")
    if not abs(value) <= LARGEST:
        raise refused(
            "threshold_not_finite", f"found {shown(value)}; a threshold is a finite number of a double's range"
        )
    return value


def _comparable_number(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused("operand_type", f"found {shown(value)} where a number is wanted: only numbers have an order here")
    return _no_nan(value)


def _ordered(value: object) -> object:
    """An operand of `gt` and its like in a fact rule: a number, or a timestamp."""
    if isinstance(value, str) and timestamp_or_none(value) is not None:
        return value
    if isinstance(value, bool) or not isinstance(value, int | float):
        message = f"found {shown(value)} where a number, or an RFC 3339 timestamp with an offset, is wanted"
        raise refused("operand_type", message)
    return _no_nan(value)


def _scalar(value: object) -> object:
    if not isinstance(value, bool | int | float | str):
        raise refused("operand_type", f"found {shown(value)} where a text, a number or a boolean is wanted")
    return _no_nan(value)


def _no_nan(value: object) -> object:
    if isinstance(value, float) and math.isnan(value):
        raise refused("operand_type", "NaN satisfies no comparison; write a number")
    return value


def _count_operand(value: object) -> object:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise refused(
            "operand_type", f"found {shown(value)} where a number is wanted: a count is compared with numbers"
        )
    return _no_nan(value)


def _positive(value: float) -> float:
    if not (value > 0 and math.isfinite(value)):
        raise refused("out_of_range", f"found {shown(value)}; a weight is a finite number greater than 0")
    return value


def _not_negative(value: float) -> float:
    if not (value >= 0 and math.isfinite(value)):
        raise refused("out_of_range", f"found {shown(value)}; a score is a finite number of at least 0")
    return value


def _countable(value: int) -> int:
    if value > MOST:
        raise refused("out_of_range", f"found {shown(value)}; wanted is a whole number of at most {MOST}")
    return value


def _one_or_more(value: int) -> int:
    if value < 1:
        raise refused("out_of_range", f"found {shown(value)}; wanted is a whole number of at least 1")
    return _countable(value)


def _zero_or_more(value: int) -> int:
    if value < 0:
        raise refused("out_of_range", f"found {shown(value)}; wanted is a whole number of at least 0")
    return _countable(value)


def check_distinct(values: list[str]) -> list[str]:
    """A list that names nothing twice."""
    for index, value in enumerate(values):
        if value in values[:index]:
            raise refused("duplicate_id", f"{shown(value)} is listed twice; keep one of them", index)
    return values


class Shape:
    """What JSON Schema can say of a check, for editors: `Annotated[str, Shape(pattern=…)]`."""

    def __init__(self, **keywords: Any) -> None:
        self.keywords = keywords

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return {**handler(schema), **self.keywords}


class OneOf:
    """A text out of a closed set of the vocabulary, for `Annotated[str, OneOf(...)]`."""

    def __init__(self, names: Sequence[str]) -> None:
        self.names = tuple(names)

    def __get_pydantic_core_schema__(self, source: object, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.literal_schema(list(self.names))


def _given(value: object) -> object:
    if value is None:
        raise refused("wrong_type", "found nothing (null); fill it or leave the key out")
    return value


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


Text = Annotated[str, AfterValidator(_check_text), Shape(minLength=1)]
CaseId = Annotated[str, AfterValidator(_check_hyphened), Shape(pattern=f"^{_HYPHENED.pattern}$")]
SuiteId = Annotated[str, AfterValidator(_check_hyphened), Shape(pattern=f"^{_HYPHENED.pattern}$")]
Name = Annotated[str, AfterValidator(_check_underscored), Shape(pattern=f"^{_UNDERSCORED.pattern}$")]
Digest = Annotated[str, AfterValidator(_check_digest), Shape(pattern=f"^{_DIGEST.pattern}$")]
Keyword = Annotated[str, AfterValidator(_check_keyword), Shape(minLength=1)]
JsonPath = Annotated[str, AfterValidator(_check_path), Shape(pattern=r"^\$")]
Duration = Annotated[
    str,
    AfterValidator(_check_duration),
    BeforeValidator(_wanted("a duration such as `30m`")),
    Shape(pattern="^(?=.)([0-9]+h)?([0-9]+m)?([0-9]+s)?$"),
]
Timestamp = Annotated[
    str,
    AfterValidator(_check_timestamp),
    BeforeValidator(_wanted("a timestamp such as `2025-03-04T09:00:00Z`")),
    Shape(pattern=r"^\d{4}-\d{2}-\d{2}[Tt ]\d{2}:\d{2}:\d{2}(\.\d+)?([Zz]|[+-]\d{2}:\d{2})$"),
]
Offset = Annotated[str, AfterValidator(_check_offset)]
Selector = Annotated[str, AfterValidator(_check_selector)]
SeriesName = Annotated[str, AfterValidator(_check_series)]
RelativePath = Annotated[str, AfterValidator(_check_relative_path)]
Pattern = Annotated[str, AfterValidator(_regex())]
CommaPattern = Annotated[str, AfterValidator(_regex(keep=FULL_WIDTH_COMMA))]
ValueRegex = Annotated[str, AfterValidator(_regex())]
Number = Annotated[int | float, BeforeValidator(_finite)]
ComparableNumber = Annotated[int | float, BeforeValidator(_comparable_number)]
CountOperand = Annotated[int | float, BeforeValidator(_count_operand)]
Ordered = Annotated[int | float | str, BeforeValidator(_ordered)]
Operand = Annotated[bool | int | float | str, BeforeValidator(_scalar)]
Weight = Annotated[float, AfterValidator(_positive), Shape(exclusiveMinimum=0)]
Score = Annotated[float, AfterValidator(_not_negative), Shape(minimum=0)]
Positive = Annotated[int, AfterValidator(_one_or_more), Shape(minimum=1)]
Natural = Annotated[int, AfterValidator(_zero_or_more), Shape(minimum=0)]
Given = BeforeValidator(_given)
"""Refuses an explicit null: `section:` with nothing behind it would quietly mean "everywhere"."""
Distinct = AfterValidator(check_distinct)
NameOrNames = Annotated[
    list[RelativePath],
    BeforeValidator(_listed),
    Distinct,
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "array", "items": {"type": "string"}, "minItems": 1}]}),
]


def duration_us(text: str) -> int | None:
    """Microseconds of a duration such as `1h30m`; None for a text that is none, or is longer than 100 years."""
    found = _DURATION.fullmatch(text)
    if not text or not found:
        return None
    hours, minutes, seconds = (int(found[part] or 0) for part in "hms")
    microseconds = (hours * 3600 + minutes * 60 + seconds) * 1_000_000
    return microseconds if microseconds <= LONGEST_US else None


def timestamp(text: str) -> datetime:
    """The instant of an RFC 3339 text with an offset, UTC, in microseconds; `PydanticCustomError` for another text."""
    found = parse_time_text(text)
    if found and found[1]:
        return found[0]
    if found:
        raise refused("invalid_timestamp", f"{shown(text)} has no offset; write `{text}Z`, or such as `{text}+08:00`")
    if RFC_3339.fullmatch(text):
        raise refused("invalid_timestamp", f"{shown(text)} is no real time; check its numbers")
    message = f"{shown(text)} is no timestamp; wanted is RFC 3339 with an offset, such as `2025-03-04T09:00:00Z`"
    raise refused("invalid_timestamp", message)


def timestamp_or_none(text: str) -> datetime | None:
    """The instant of an RFC 3339 text with an offset, or None."""
    try:
        return timestamp(text)
    except PydanticCustomError:
        return None


def offset_minutes(text: str) -> int:
    """Minutes of an offset such as `+08:00`."""
    if text in ("Z", "z"):
        return 0
    minutes = int(text[1:3]) * 60 + int(text[4:6])
    return -minutes if text[0] == "-" else minutes
