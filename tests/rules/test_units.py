"""Lines within a window, however few bytes are looked at once."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from judge_polars.rules import units
from judge_polars.rules.units import lines_within

START, END = datetime(2025, 3, 4, 9, tzinfo=UTC), datetime(2025, 3, 4, 10, tzinfo=UTC)
LINES = (
    "",
    "no time",
    "an é and a 中",
    "[2025/03/04 08:59:59.999 +00:00] before",
    "[2025/03/04 09:00:00.000 +00:00] at the start",
    "2025-03-04T17:30:00+08:00 inside",
    "2025-03-04T10:00:01Z after",
    "[2025/13/04 09:00:00.000 +00:00] no month",
)


def texts_of(random: Random, count: int) -> pl.DataFrame:
    """`doc`, `run`, `text`, `plain`; of some lines are hundreds of bytes, and of some runs no window is known."""
    texts = []
    for _ in range(count):
        lines = random.choices(LINES, k=random.randrange(40))
        texts.append(random.choice(["\n", "\r\n"]).join(line * random.choice([1, 1, 1, 30]) for line in lines))
    plain = [text.isascii() and "\r" not in text for text in texts]
    numbers = pl.Series(range(count), dtype=pl.UInt32)
    return pl.DataFrame({"doc": numbers, "run": numbers % 3, "text": texts, "plain": plain}).cast(
        {"run": pl.UInt32, "text": pl.String, "plain": pl.Boolean}
    )


RUNS = pl.DataFrame(
    {"run": [0, 1, 2], "window_start": [START, START, None], "window_end": [END, START, None]},
    schema={"run": pl.UInt32, "window_start": pl.Datetime("us", "UTC"), "window_end": pl.Datetime("us", "UTC")},
)


@pytest.mark.parametrize("within", ["window", "before_window"])
@pytest.mark.parametrize("at_once", [1, 7, 100, 3000])
def test_pieces_change_nothing(monkeypatch: pytest.MonkeyPatch, within: str, at_once: int) -> None:
    texts = texts_of(Random(at_once), 60)
    whole = lines_within(texts, RUNS, within, 0)
    assert 5 < whole.height < texts.height
    monkeypatch.setattr(units, "_BYTES_AT_ONCE", at_once)
    assert_frame_equal(lines_within(texts, RUNS, within, 0), whole)


def test_a_line_goes_with_the_time_above_it_over_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(units, "_BYTES_AT_ONCE", 1)
    text = f"no time\n{LINES[4]}\nstack\n\ntrace\n{LINES[6]}\nlate"
    texts = pl.DataFrame({"doc": [5], "run": [0], "text": [text], "plain": [True]}, schema_overrides={"run": pl.UInt32})
    assert lines_within(texts, RUNS, "window", 0)["text"].to_list() == [f"{LINES[4]}\nstack\n\ntrace"]


def test_no_text_at_all() -> None:
    assert lines_within(texts_of(Random(0), 0), RUNS, "window", 0).is_empty()
