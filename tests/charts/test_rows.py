"""Rows that no view has: the first bad run of a check, what an eval run is compared with, sweeps of a threshold."""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl
import pytest

import judge_polars as jp
from judge_polars import sweep
from judge_polars.charts import rows
from judge_polars.errors import UsageError
from tests.charts.conftest import Frames

LIMIT = "one_store_thread_at_its_limit"


class Answers:
    """Answers every query with the same frame."""

    def __init__(self, frame: pl.DataFrame) -> None:
        self.frame = frame

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """The frame."""
        return self.frame


def first_bad(passed: Sequence[int | None], case_runs: int = 3) -> list[int]:
    """The place that is marked, for a check of which so many of three case runs pass in each eval run in time order."""
    outcomes = pl.DataFrame(
        [
            ("c", "diagnosis", None, "names_it", 0, f"r{place}", place, case_runs, count)
            for place, count in enumerate(passed, start=1)
            if count is not None
        ],
        schema={
            "case_id": pl.String,
            "bucket": pl.String,
            "layer": pl.String,
            "check_id": pl.String,
            "position": pl.Int64,
            "eval_run_id": pl.String,
            "place": pl.Int64,
            "case_runs": pl.Int64,
            "passed": pl.Int64,
        },
        orient="row",
    )
    found = rows.first_bad_runs(Answers(outcomes), f"r{len(passed)}")
    return found.filter("first_bad")["place"].to_list()


@pytest.mark.parametrize(
    ("passed", "place"),
    [
        pytest.param([3, 3, 0], [3], id="bad-just-now"),
        pytest.param([3, 0, 0], [2], id="bad-for-a-while"),
        pytest.param([0, 3, 0], [3], id="was-bad-long-ago"),
        pytest.param([0, 0, 0], [1], id="never-good"),
        pytest.param([3, None, 0], [3], id="not-judged-in-between"),
        pytest.param([3, 2, 1], [3], id="most-pass-is-good"),
        pytest.param([3, 0, 3], [], id="good-now"),
        pytest.param([0, 0, None], [], id="not-judged-now"),
        pytest.param([], [], id="nothing"),
    ],
)
def test_first_bad_run(passed: list[int | None], place: list[int]) -> None:
    assert first_bad(passed) == place


def test_the_first_bad_run_of_a_wrong_diagnosis(frames: Frames) -> None:
    found = frames["first_bad_runs"].filter("first_bad")
    assert ("concludes_cpu_of_one_store", "2025-03-05-nightly") in found.select("check_id", "eval_run_id").rows()


class TestComparison:
    def test_is_with_the_baseline(self, history: jp.History) -> None:
        compared = rows.comparison(history, "2025-03-05-nightly")
        assert rows.other_run(compared) == "2025-03-03-nightly"
        assert compared.height == 3
        assert rows.whole_suite(history, "2025-03-05-nightly", compared).height == 1

    @pytest.mark.parametrize("run", [None, "no such run"])
    def test_is_empty_for_no_eval_run(self, history: jp.History, run: str | None) -> None:
        compared = rows.comparison(history, run)
        assert compared.is_empty()
        assert rows.whole_suite(history, run, compared).is_empty()
        assert rows.first_bad_runs(history, run).is_empty()
        assert rows.fact_differences(history, run, rows.other_run(compared)).is_empty()

    def test_the_run_to_triage_is_the_latest_bad_one(self, history: jp.History) -> None:
        assert rows.run_to_triage(history) == "2025-03-06-nightly"


class TestChannels:
    def test_states_and_shares(self, frames: Frames) -> None:
        found = frames["channels"].filter(eval_run_id="2025-03-06-nightly", channel="metrics")
        assert found.select("state", "holds", "case_runs").rows() == [
            ("attempted", 4, 4),
            ("observed", 3, 4),
            ("persisted", 3, 4),
        ]

    def test_the_two_channels_in_one_are_left_out(self, frames: Frames) -> None:
        assert not frames["channels"]["channel"].str.contains("_or_").any()


class TestSweep:
    def number(self, registry: jp.Registry) -> int:
        """The row of the threshold that the tests move."""
        return int(sweep.thresholds(registry).filter(check_id=LIMIT)["number"][0])

    def test_thresholds_are_numbered(self, registry: jp.Registry) -> None:
        every = sweep.thresholds(registry)
        assert every["number"].to_list() == list(range(every.height))
        assert every.filter(check_id=LIMIT).row(0, named=True)["threshold"] == 0.9

    def test_an_edit_leaves_the_registry_as_it_is(self, registry: jp.Registry) -> None:
        number = self.number(registry)
        edited = sweep.with_threshold(registry, number, 0.95)
        assert sweep.thresholds(edited)["threshold"][number] == 0.95
        assert sweep.thresholds(registry)["threshold"][number] == 0.9
        assert edited.compile().digest != registry.compile().digest

    def test_only_that_threshold_changes(self, registry: jp.Registry) -> None:
        number = self.number(registry)
        before, after = sweep.thresholds(registry), sweep.thresholds(sweep.with_factor(registry, number, 2))
        changed = before.filter(before["threshold"] != after["threshold"])
        assert changed["number"].to_list() == [number]

    def test_todays_threshold_gives_todays_verdicts(self, history: jp.History, frames: Frames) -> None:
        today = frames["threshold_sweep"].filter("today").select("verdict", "case_runs")
        stored = history.sql(
            "select verdict, count(*) as case_runs from verdicts where case_id like 'tail-%' group by verdict order by verdict"
        )
        assert today.sort("verdict").equals(stored)

    def test_a_higher_threshold_fails_what_passed(self, frames: Frames) -> None:
        high = frames["threshold_sweep"].filter(threshold=0.99)
        assert high["verdict"].to_list() == ["fail", "invalid"]

    def test_no_such_threshold(self, history: jp.History, registry: jp.Registry) -> None:
        assert sweep.threshold_sweep(history, registry, 999).is_empty()
        assert sweep.with_factor(registry, 999, 2) is registry
        with pytest.raises(UsageError, match="threshold 999: this registry has 10"):
            sweep.with_threshold(registry, 999, 1)
