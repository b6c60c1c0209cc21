"""Times as documents write them (specification 30)."""

from datetime import UTC, datetime

import pytest

from judge_polars.times import parse_time

NINE = datetime(2025, 3, 4, 9, tzinfo=UTC)


@pytest.mark.parametrize(
    ("value", "instant", "complete"),
    [
        pytest.param("2025-03-04T09:00:00Z", NINE, True, id="zulu"),
        pytest.param("2025-03-04t09:00:00z", NINE, True, id="lower case"),
        pytest.param("2025-03-04T17:00:00+08:00", NINE, True, id="offset"),
        pytest.param("2025-03-04 09:00:00Z", NINE, True, id="space instead of T"),
        pytest.param("2025-03-04T09:00:00", NINE, False, id="no offset is UTC"),
        pytest.param("2025-03-04T09:00:00.1234567Z", NINE.replace(microsecond=123456), True, id="seventh digit is cut"),
        pytest.param(1741078800, NINE, True, id="Unix seconds"),
        pytest.param(1741078800.5, NINE.replace(microsecond=500_000), True, id="fraction of a second"),
        pytest.param(1741078800000, NINE, True, id="Unix milliseconds"),
        pytest.param(100_000_000_000, datetime(1973, 3, 3, 9, 46, 40, tzinfo=UTC), True, id="the first milliseconds"),
        pytest.param(99_999_999_999, datetime(5138, 11, 16, 9, 46, 39, tzinfo=UTC), True, id="the last seconds"),
    ],
)
def test_it_is_a_time(value: object, instant: datetime, complete: bool) -> None:
    assert parse_time(value) == (instant, complete)


@pytest.mark.parametrize(
    "value",
    [
        "",
        "yesterday",
        "2025-03-04",
        "2025-13-04T09:00:00Z",
        "2025-03-04T09:00:00+8",
        "2025-03-04T09:00:00+24:00",
        True,
        None,
        [],
        float("inf"),
        1e300,
    ],
)
def test_it_is_no_time(value: object) -> None:
    assert parse_time(value) is None


def test_a_text_without_offset_is_read_at_the_given_one() -> None:
    assert parse_time("2025-03-04 17:00:00", offset_minutes=480) == (NINE, False)
    assert parse_time("2025-03-04T09:00:00Z", offset_minutes=480) == (NINE, True)
