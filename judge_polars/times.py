"""Times as documents write them (specification 30, "Trace facts")."""

from __future__ import annotations

import math
import re
from datetime import UTC, datetime, timedelta
from typing import Final

RFC_3339: Final = re.compile(
    r"(\d{4})-(\d{2})-(\d{2})[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d+))?([Zz]|[+-]\d{2}:\d{2})?", re.ASCII
)
EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECONDS_FROM: Final = 100_000_000_000
"""A number from here up is Unix milliseconds, below it Unix seconds."""


def parse_time_text(text: str, offset_minutes: int = 0) -> tuple[datetime, bool] | None:
    """The instant (UTC, microseconds) that an RFC 3339 text names, and whether it has an offset; None when it is none.

    A space in place of `T` is fine.  A text without an offset is read at `offset_minutes`.  Digits behind the sixth of a
    fraction are cut.
    """
    found = RFC_3339.fullmatch(text)
    if found is None:
        return None
    year, month, day, hour, minute, second = (int(found[index]) for index in range(1, 7))
    fraction = int((found[7] or "0").ljust(6, "0")[:6])
    offset = found[8]
    minutes = offset_minutes if offset is None else 0
    if offset is not None and offset not in "Zz":
        hours, rest = int(offset[1:3]), int(offset[4:6])
        if hours > 23 or rest > 59:
            return None
        minutes = (hours * 60 + rest) * (-1 if offset[0] == "-" else 1)
    try:
        local = datetime(year, month, day, hour, minute, second, fraction, tzinfo=UTC)
        return local - timedelta(minutes=minutes), offset is not None
    except (ValueError, OverflowError):
        return None


def parse_time_number(number: int | float) -> datetime | None:
    """The instant that a number names: Unix seconds, or milliseconds from 100,000,000,000 up; None when out of range."""
    if isinstance(number, float) and not math.isfinite(number):
        return None
    scale = 1_000 if number >= MILLISECONDS_FROM else 1_000_000
    try:
        return EPOCH + timedelta(microseconds=round(number * scale))
    except OverflowError:
        return None


def parse_time(value: object, offset_minutes: int = 0) -> tuple[datetime, bool] | None:
    """The instant that a JSON scalar names and whether it is complete (numbers are); None when it names none."""
    if isinstance(value, str):
        return parse_time_text(value.strip(), offset_minutes)
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    instant = parse_time_number(value)
    return None if instant is None else (instant, True)
