"""Cluster and window of a bundle, and what they match (specification 30, 10)."""

from datetime import UTC, datetime, timedelta
from typing import Any

import polars as pl
import pytest

from judge_polars.facts.trace import matches_window, read_identity

NINE = datetime(2025, 3, 4, 9, tzinfo=UTC)
TEN = NINE + timedelta(hours=1)
WINDOW = {"start_time": "2025-03-04T09:00:00Z", "end_time": "2025-03-04T10:00:00Z"}
SHORT = {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T10:00:00Z"}
OTHER = {"start_time": "2001-01-01T00:00:00Z", "end_time": "2001-01-02T00:00:00Z"}


@pytest.mark.parametrize(
    ("report", "manifest", "expected"),
    [
        pytest.param(
            {"metadata": {"cluster_id": "a"}, "cluster_id": "b"},
            {"cluster_id": "c"},
            ("a", "report"),
            id="metadata first",
        ),
        pytest.param({"cluster_id": " b "}, {}, ("b", "report"), id="trimmed"),
        pytest.param(
            {"cluster_id": "  "}, {"metadata": {"cluster_id": "m"}}, ("m", "manifest"), id="blank is passed over"
        ),
        pytest.param({"cluster_id": None}, {"cluster_id": 12}, ("12", "manifest"), id="integer"),
        pytest.param({"cluster_id": 2**64}, {}, ("18446744073709551616", "report"), id="all digits"),
        pytest.param({"cluster_id": True}, {"cluster_id": "x"}, ("true", "report"), id="a boolean as JSON writes it"),
        pytest.param({"cluster_id": {"id": 1}}, {"cluster_id": "x"}, ("x", "manifest"), id="no scalar"),
        pytest.param({"cluster_id": 1.0}, {"cluster_id": "x"}, (None, None), id="a fraction ends the search"),
        pytest.param({}, {}, (None, None), id="nowhere"),
    ],
)
def test_cluster(report: dict[str, Any], manifest: dict[str, Any], expected: tuple[str | None, str | None]) -> None:
    found = read_identity(report, manifest)
    assert (found.cluster_id, found.cluster_source) == expected


@pytest.mark.parametrize(
    ("report", "manifest", "source"),
    [
        pytest.param(
            {"metadata": {"time_window": SHORT}, "time_window": OTHER}, OTHER, "report", id="metadata.time_window first"
        ),
        pytest.param({"time_window": WINDOW, "metadata": OTHER}, OTHER, "report", id="time_window before metadata"),
        pytest.param({"metadata": WINDOW, **OTHER}, {}, "report", id="metadata before the top"),
        pytest.param(WINDOW, {}, "report", id="the top itself"),
        pytest.param({"metadata": SHORT}, WINDOW, "manifest", id="start and end count in time_window only"),
        pytest.param(
            {"time_window": {"start": SHORT["start"], "end": None}, **WINDOW},
            OTHER,
            "report",
            id="null end is not there",
        ),
        pytest.param(
            {"time_window": {"start": SHORT["start"], "end": "soon"}, **OTHER},
            WINDOW,
            "manifest",
            id="invalid end: next document",
        ),
        pytest.param({"time_window": [1, 2]}, {"time_window": SHORT}, "manifest", id="no object"),
    ],
)
def test_window(report: dict[str, Any], manifest: dict[str, Any], source: str) -> None:
    found = read_identity(report, manifest)
    assert (found.window_start, found.window_end, found.window_source) == (NINE, TEN, source)


def test_issues_name_their_document() -> None:
    found = read_identity({"cluster_id": 1e3, "time_window": {"start": "x", "end": "2025-03-04T09:00:00"}}, {})
    assert [(source, code) for source, code, _ in found.issues] == [
        ("report", "cluster_id_inexact"),
        ("report", "timestamp_invalid"),
        ("report", "timestamp_without_offset"),
    ]


@pytest.mark.parametrize(
    ("match", "start", "end", "expected"),
    [
        pytest.param("within", -5, 5, True, id="sticks out by the tolerance"),
        pytest.param("within", -6, 0, False, id="sticks out by more"),
        pytest.param("within", 20, -20, True, id="inside"),
        pytest.param("exact", 5, -5, True, id="both ends near"),
        pytest.param("within", 30, -30, True, id="an instant inside"),
        pytest.param("exact", 0, 6, False, id="the end too far"),
        pytest.param("exact", -6, 0, False, id="the start too far"),
        pytest.param("exact", 20, -20, False, id="inside is not exact"),
        pytest.param("overlap", 65, 70, True, id="touches within the tolerance"),
        pytest.param("overlap", -70, -65, True, id="touches the start within the tolerance"),
        pytest.param("overlap", -70, -66, False, id="ends before"),
        pytest.param("overlap", 66, 70, False, id="does not touch"),
        pytest.param("overlap", 40, -40, False, id="turned round never matches"),
    ],
)
def test_windows_match(match: str, start: int, end: int, expected: bool) -> None:
    row = pl.DataFrame(
        {
            "s": [NINE + timedelta(minutes=start)],
            "e": [TEN + timedelta(minutes=end)],
            "start": [NINE],
            "end": [TEN],
            "match": [match],
            "tolerance": [timedelta(minutes=5)],
        }
    )
    assert row.select(matches_window(pl.col("s"), pl.col("e"))).item() is expected
