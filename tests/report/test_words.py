"""Words that every form of a report shares."""

from __future__ import annotations

import pytest

from judge_polars.report.summary import Rate
from judge_polars.report.words import rate_words


@pytest.mark.parametrize(
    ("rate", "words"),
    [
        (Rate(4, 6, 4 / 6, 0.3, 0.9), "67 % (30–90 %) of 6 comparable, with the 95 % interval"),
        (Rate(0, 0, None, None, None), "none comparable"),
    ],
)
def test_rates(rate: Rate, words: str) -> None:
    assert rate_words(rate, "comparable") == words
