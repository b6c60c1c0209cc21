"""Times and durations (30-facts, 10-registry).  An instant is a count of microseconds since 1970 in UTC."""

import math
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from fractions import Fraction

from tests.plain.values import Json, as_double

MICROSECONDS = 1_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MILLISECONDS_FROM = 100_000_000_000
DATE_AND_TIME = r"(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:\.(\d+))?([Zz]|[+-]\d\d:\d\d)?"
RFC_3339 = re.compile(DATE_AND_TIME, re.ASCII)
TIDB_TIME = re.compile(r"\[(\d{4})/(\d\d)/(\d\d) (\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?: ([+-]\d\d:\d\d))?\]", re.ASCII)
BRACKETED_TIME = re.compile(r"\[" + DATE_AND_TIME + r"\]", re.ASCII)
DURATION = re.compile(r"(?:(\d+)h)?(?:(\d+)m)?(?:(\d+)s)?", re.ASCII)


@dataclass(frozen=True, order=True)
class Instant:
    """A timestamp fact, in microseconds since 1970 (UTC)."""

    microseconds: int

    def __str__(self) -> str:
        """As it is printed: in UTC, microseconds only where there are any (70-interface)."""
        moment = EPOCH + timedelta(microseconds=self.microseconds)
        return moment.replace(tzinfo=None).isoformat(timespec="microseconds" if moment.microsecond else "seconds") + "Z"


def instant_of_match(found: re.Match[str], offset: str) -> Instant | None:
    """The instant of the eight groups of a time; None where the calendar has no such time."""
    year, month, day, hour, minute, second = (int(part) for part in found.groups()[:6])
    fraction = ((found[7] or "") + "000000")[:6]
    shift = shift_of_offset(found[8] or offset)
    if shift is None:
        return None
    try:
        moment = datetime(year, month, day, hour, minute, second, int(fraction), tzinfo=UTC)
    except ValueError:
        return None
    instant = Instant((moment - EPOCH) // timedelta(microseconds=1) - shift)
    return instant if FIRST <= instant <= LAST else None


def shift_of_offset(offset: str) -> int | None:
    """The microseconds of `Z` or `+hh:mm`; None where hours or minutes are too large."""
    if offset in ("Z", "z"):
        return 0
    hours, minutes = int(offset[1:3]), int(offset[4:6])
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * 60 * MICROSECONDS * (-1 if offset[0] == "-" else 1)


def instant_of_text(text: str, offset: str = "Z") -> Instant | None:
    """An RFC 3339 text, also with a space for the `T` and without an offset (30-facts, Trace facts)."""
    found = RFC_3339.fullmatch(text)
    return instant_of_match(found, offset) if found else None


def lacks_offset(text: str) -> bool:
    """Whether a time text names no offset."""
    found = RFC_3339.fullmatch(text)
    return found is not None and found[8] is None


def instant_of_number(number: int | float) -> Instant | None:
    """Unix time, as milliseconds where the number is too large for seconds (30-facts, Trace facts)."""
    if not math.isfinite(as_double(number)):
        return None
    unit = 1000 if number >= MILLISECONDS_FROM else MICROSECONDS
    instant = Instant(round(Fraction(number) * unit))
    return instant if FIRST <= instant <= LAST else None


FIRST = Instant((datetime(1, 1, 1, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1))
LAST = Instant((datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC) - EPOCH) // timedelta(microseconds=1))


def instant_of(value: Json, offset: str = "Z") -> Instant | None:
    """A time that is a text or a number; None for everything else (30-facts, Trace facts)."""
    if isinstance(value, bool):
        return None
    if isinstance(value, str):
        return instant_of_text(value, offset)
    if isinstance(value, int | float):
        return instant_of_number(value)
    return None


def leading_time(line: str) -> Instant | None:
    """The time at the beginning of a log line, as TiDB writes it or RFC 3339 (40-rules, `within`)."""
    found = TIDB_TIME.match(line) or BRACKETED_TIME.match(line) or RFC_3339.match(line)
    return instant_of_match(found, "Z") if found else None


def duration(text: str) -> int:
    """A duration such as `1h30m` in microseconds (10-registry, case.yaml)."""
    found = DURATION.fullmatch(str(text))
    if found is None or not text:
        raise ValueError(f"no duration: {text!r}")
    hours, minutes, seconds = (int(part or 0) for part in found.groups())
    return ((hours * 60 + minutes) * 60 + seconds) * MICROSECONDS
