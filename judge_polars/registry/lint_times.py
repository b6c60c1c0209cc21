"""Points in time as people write them in a prompt, in English and Chinese (lint `prompt_lacks_time_window`)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Final, NamedTuple

_MONTHS: Final = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH: Final = (
    r"(?P<month>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\.?"
)
_DAY: Final = r"(?P<day>[0-9]{1,2})(?:st|nd|rd|th)?"
_YEAR: Final = r"(?P<year>(?:19|20)[0-9]{2})"
_DATES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"(?<![0-9]){_YEAR}[-/.](?P<month>[0-9]{{1,2}})[-/.](?P<day>[0-9]{{1,2}})(?![0-9])",
        rf"(?<![0-9]){_YEAR}(?P<month>[0-9]{{2}})(?P<day>[0-9]{{2}})(?![0-9])",
        rf"(?<![0-9]){_YEAR} ?年 ?(?P<month>[0-9]{{1,2}}) ?月 ?(?P<day>[0-9]{{1,2}})",
        r"(?<![0-9年])(?P<month>[0-9]{1,2}) ?月 ?(?P<day>[0-9]{1,2}) ?[日号]",
        r"(?<![0-9])(?P<month>[0-9]{1,2})[/-](?P<day>[0-9]{1,2})(?:[/-](?P<year>(?:19|20)[0-9]{2}))?(?![0-9/-])",
        r"(?<![0-9])(?P<day>[0-9]{1,2})[/.](?P<month>[0-9]{1,2})(?:[/.](?P<year>(?:19|20)[0-9]{2}))?(?![0-9/.])",
        rf"\b{_MONTH} {_DAY}(?:,? {_YEAR})?\b",
        rf"\b{_DAY}[ -](?:of )?{_MONTH}(?:[, -]+{_YEAR})?\b",
    )
)
_HOUR: Final = r"(?P<hour>[01]?[0-9]|2[0-4])"
_MINUTE: Final = r"(?P<minute>[0-5][0-9])"
_SECOND: Final = r"(?P<second>[0-5][0-9])"
_HALF: Final = r"(?P<half>[ap])\.?m\b"
_CHINESE_HALF: Final = r"(?P<part>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|夜间)?"
_TIMES: Final = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        rf"{_CHINESE_HALF} ?(?<![0-9:.]){_HOUR}[:：]{_MINUTE}(?:[:：]{_SECOND}(?:[.,][0-9]+)?)?(?: ?{_HALF})?(?![0-9])",
        rf"(?<![0-9:.]){_HOUR} ?{_HALF}",
        rf"{_CHINESE_HALF} ?(?<![0-9:.]){_HOUR} ?[点时](?!间)"
        r"(?:钟|整|(?P<half_hour>半)|(?P<quarter>[一三])刻|(?P<minute>[0-5]?[0-9]) ?分?)?",
        rf"(?<=T){_HOUR}{_MINUTE}(?:{_SECOND})?(?![0-9])",
        r"(?<![0-9:.])(?P<hour>[01][0-9]|2[0-3])h?(?P<minute>[0-5][0-9]) ?(?:h|hours|hrs|Z|UTC|GMT)\b",
        r"\b(?P<noon>noon|midnight)\b",
    )
)
_OFFSET: Final = re.compile(
    r"(?:(?:UTC|GMT) ?)?(?P<sign>[+\-−])(?P<hours>[01]?[0-9])(?::?(?P<minutes>[0-5][0-9]))?(?![0-9])"
)
_ZONES: Final = (
    (
        r"北京时间|中国标准时间|东八区|上海时间|Asia/(?:Shanghai|Hong_Kong|Singapore)|\bBeijing time|\b(?:CST|SGT|HKT)\b",
        480,
    ),
    (r"\b(?:JST|KST)\b|Asia/(?:Tokyo|Seoul)|东京时间", 540),
    (r"\bIST\b|Asia/Kolkata", 330),
    (r"\b(?:CET|BST|WEST)\b|Europe/(?:Berlin|Paris|Madrid|London)", 60),
    (r"\b(?:CEST|EET)\b|Europe/(?:Berlin|Paris|Madrid)", 120),
    (r"\b(?:EST|CDT)\b|America/(?:New_York|Chicago)", -300),
    (r"\bEDT\b|America/New_York", -240),
    (r"\b(?:PST)\b|America/Los_Angeles", -480),
    (r"\b(?:PDT|MST)\b|America/(?:Los_Angeles|Denver)", -420),
)
_UNIX: Final = re.compile(r"(?<![0-9])(?P<seconds>[12][0-9]{9})(?:\.[0-9]+|(?P<milliseconds>[0-9]{3}))?(?![0-9])")
_AFTERNOON: Final = ("下午", "傍晚", "晚上", "夜里", "夜间", "中午")


class _Date(NamedTuple):
    year: int | None
    month: int
    day: int


def holds_time(text: str, moment: datetime, *, written_offset: timedelta) -> bool:
    """Whether a text holds a moment to the minute: one of its dates together with one of its times, or Unix time.

    A time is meant in UTC, at the offset that the case writes, or at an offset or zone that the text names.
    """
    if any(abs(int(found["seconds"]) - moment.timestamp()) < 1 for found in _UNIX.finditer(text)):
        return True
    dates = set(_dates(text))
    times = set(_times(text))
    for offset in {timedelta(0), written_offset, *_offsets(text)}:
        local = moment.astimezone(UTC) + offset
        before = local - timedelta(days=1)
        for year, month, day in dates:
            same_day = (month, day) == (local.month, local.day) and year in (None, local.year)
            end_of_day = (month, day) == (before.month, before.day) and year in (None, before.year)
            if same_day and (local.hour, local.minute) in times:
                return True
            if end_of_day and (local.hour, local.minute) == (0, 0) and (24, 0) in times:
                return True
    return False


def _dates(text: str) -> Iterator[_Date]:
    for pattern in _DATES:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            month = parts["month"].lower()
            number = int(month) if month.isdecimal() else _MONTHS.index(month[:3]) + 1
            year = parts.get("year")
            yield _Date(int(year) if year else None, number, int(parts["day"]))


def _times(text: str) -> Iterator[tuple[int, int]]:
    """Hours and minutes; a time without a half of the day is meant both ways where Chinese says it only once."""
    for pattern in _TIMES:
        for found in pattern.finditer(text):
            parts = found.groupdict()
            if parts.get("noon"):
                yield (12, 0) if parts["noon"].lower() == "noon" else (0, 0)
                continue
            hour = int(parts["hour"])
            minute = int(parts.get("minute") or 0)
            if parts.get("half_hour"):
                minute = 30
            elif parts.get("quarter"):
                minute = 15 if parts["quarter"] == "一" else 45
            half = (parts.get("half") or "").lower()
            if half and hour <= 12:
                hour = hour % 12 + (12 if half == "p" else 0)
            elif parts.get("part") in _AFTERNOON and hour < 12 and not (parts["part"] == "中午" and hour > 10):
                hour += 12
            yield hour, minute
            if not half and not parts.get("part") and hour < 12 and "下午" in text:
                yield hour + 12, minute


def _offsets(text: str) -> Iterator[timedelta]:
    for found in _OFFSET.finditer(text):
        minutes = int(found["hours"]) * 60 + int(found["minutes"] or 0)
        yield timedelta(minutes=minutes if found["sign"] == "+" else -minutes)
    for pattern, minutes in _ZONES:
        if re.search(pattern, text):
            yield timedelta(minutes=minutes)
