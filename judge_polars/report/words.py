"""Words that every form of a report shares."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from judge_polars.report.content import REGRESSED
from judge_polars.report.formats import SYMBOLS
from judge_polars.report.summary import Rate

_GROUP_TITLES: Final = {
    REGRESSED: "No pass, of cases that regressed",
    "fail": "Fail",
    "invalid": "Invalid: not comparable",
    "pass": "Pass",
}


def group_title(group: str) -> str:
    """The heading of a group of case runs."""
    return _GROUP_TITLES[group]


def rate_words(rate: Rate, of: str) -> str:
    """`67 % (30–90 %) of 6 comparable, with the 95 % interval`; `none comparable` where there is nothing to count."""
    if rate.rate is None or rate.low is None or rate.high is None:
        return f"none {of}"
    share = f"{100 * rate.rate:.0f} % ({100 * rate.low:.0f}–{100 * rate.high:.0f} %)"
    return f"{share} of {rate.whole:,} {of}, with the 95 % interval"


def count_words(counts: Mapping[str, int]) -> str:
    """`✓ 4 pass, ✗ 2 fail, ○ 1 invalid`."""
    return ", ".join(f"{SYMBOLS[verdict]} {count:,} {verdict}" for verdict, count in counts.items())


def tally_words(tally: Mapping[str, int]) -> str:
    """`contract failed 2, environment failed 1`."""
    return ", ".join(f"{name.replace('_', ' ')} {count:,}" for name, count in tally.items())
