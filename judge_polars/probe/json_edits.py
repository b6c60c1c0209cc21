"""JSON documents with something changed; a document that does not parse stays as it is."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any, Final

from judge_polars.times import MILLISECONDS_FROM, RFC_3339

TIME_NUMBERS_FROM: Final = 1_000_000_000
"""A number from here up may be a time (specification 40, "Numeric series")."""
_TIMES: Final = ("timestamps", "times", "ts", "time")
_POINT_TIMES: Final = ("ts", "time", "timestamp")
_DATE: Final = re.compile(r"\s*(\d{4})([-/])(\d{2})\2(\d{2})", re.ASCII)


def parsed(content: bytes) -> Any:
    """The JSON value of a file, or None."""
    try:
        return json.loads(content.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None


def edited(content: bytes, edit: Callable[[Any], Any]) -> bytes:
    """A JSON document after an edit; unchanged where it does not parse or the edit changes nothing."""
    value = parsed(content)
    if value is None:
        return content
    after = edit(value)
    return content if after == value else json.dumps(after, ensure_ascii=False).encode()


def emptied(value: Any) -> Any:
    """A value without content: lists empty, numbers 0, members as they are."""
    if isinstance(value, list):
        return []
    if isinstance(value, dict):
        return {key: emptied(member) for key, member in value.items()}
    return 0 if isinstance(value, int | float) and not isinstance(value, bool) else value


def emptied_at(value: Any, names: list[str]) -> Any:
    """A value whose member at a path of names is empty; unchanged without such a member."""
    if not names:
        return emptied(value)
    if not isinstance(value, dict) or names[0] not in value:
        return value
    return {**value, names[0]: emptied_at(value[names[0]], names[1:])}


def leaves(value: Any) -> Iterator[str]:
    """Every text in a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for member in value.values():
            yield from leaves(member)
    elif isinstance(value, list):
        for member in value:
            yield from leaves(member)


def later_text(text: str, days: int) -> str:
    """A text that begins with a date, `2025-03-04` or `2025/03/04`, so many days later; the rest stays."""
    found = _DATE.match(text)
    if found is None:
        return text
    try:
        day = date(int(found[1]), int(found[3]), int(found[4])) + timedelta(days=days)
    except (ValueError, OverflowError):
        return text
    return f"{text[: found.start(1)]}{day:%Y}{found[2]}{day:%m}{found[2]}{day:%d}{text[found.end() :]}"


def later(value: Any, days: int) -> Any:
    """A time, as number or RFC 3339 text, so many days later; anything else stays."""
    if isinstance(value, str):
        return later_text(value, days) if RFC_3339.fullmatch(value.strip()) else value
    if isinstance(value, bool) or not isinstance(value, int | float) or value < TIME_NUMBERS_FROM:
        return value
    return value + days * 86_400 * (1_000 if value >= MILLISECONDS_FROM else 1)


def later_points(value: Any, days: int) -> Any:
    """A value whose points of numeric series carry later times (specification 40, "Numeric series")."""
    if isinstance(value, list):
        if len(value) == 2 and not isinstance(value[1], dict | list) and (moved := later(value[0], days)) != value[0]:
            return [moved, value[1]]
        return [later_points(member, days) for member in value]
    if not isinstance(value, dict):
        return value
    is_point = "value" in value or "v" in value
    return {key: _later_member(key, member, days, is_point=is_point) for key, member in value.items()}


def _later_member(key: str, member: Any, days: int, *, is_point: bool) -> Any:
    if is_point and key in _POINT_TIMES and not isinstance(member, list | dict):
        return later(member, days)
    if key in _TIMES and isinstance(member, list):
        return [later(time, days) for time in member]
    return later_points(member, days)
