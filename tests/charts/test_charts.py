"""Each chart is drawn, says in words what its colours mean, and takes empty, hostile and large frames."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from judge_polars import charts
from judge_polars.charts.flips import causes
from judge_polars.charts.look import COLORS, MOST_ROWS, MOST_RUNS, MOST_SUITES
from tests.charts.conftest import ROOT, Frames
from tests.charts.frames import agreement, flips, trends
from tests.charts.images import colors, pixels, words

PASS, FAIL, INVALID = COLORS["pass"], COLORS["fail"], COLORS["invalid"]
DRAWN = {
    "verdict_shares": ({PASS, FAIL, INVALID}, {"pass", "fail", "invalid", "8", "share of judged case runs (%)"}),
    "pass_rate": ({PASS}, {"7/9", "1/5", "pass rate of comparable case runs (%)", "eval run, in time order"}),
    "heat_map": ({PASS, FAIL, INVALID}, {"pass 3/3", "fail 0/3", "invalid", "not run", "case, the worst first"}),
    "failure_codes": ({FAIL, INVALID}, {"bundle_ambiguous", "2 · 40 %", "primary failure code, by precedence"}),
    "verdict_flow": ({PASS, FAIL, INVALID}, {"pass 2", "fail 1", "invalid 1", "before → now", "cases"}),
    "first_bad_runs": ({PASS}, {"first bad 1/3", "good 3/3", "check · case"}),
    "fact_differences": (set(), {"before", "now", "share of case runs in which the fact holds (%)"}),
    "flips_by_cause": (set(), {"pass → fail", "2 by rubric", "1 by bundle", "case runs that flip"}),
    "threshold_sweep": ({PASS, FAIL, INVALID}, {"0.5", "0.9", "0.99", "today", "threshold", "case runs"}),
    "dead_checks": ({INVALID}, {"never failed", "decides alone", "checks", "bucket"}),
    "deciding_checks": ({FAIL}, {"alone", "with others", "case runs in which the check failed"}),
    "shadow_agreement": (set(), {"8/10 · kappa 0.52", "12/10", "answers that agree with the check (%)"}),
    "channels": (set(), {"attempted", "observed", "persisted", "100 %", "channel", "eval run, in time order"}),
    "dangling_references": ({PASS, FAIL}, {"1 of 9", "0 of 17", "channel of the reference"}),
    "grounding": ({PASS}, {"grounded", "missed_signal", "comparable case runs"}),
}
"""Chart -> colours that it has, words that stand in it, for the demo's runs."""
HOSTILE = "</text><script>alert(1)</script>\x1b[31m\u202egnp.\u0000\n{{datum}} datum['x'] \"'\\ 磁盘 " + "x" * 10_000


def chart(name: str, frame: pl.DataFrame) -> Any:
    """The chart of a name."""
    return getattr(charts, name)(frame)


def test_every_chart_is_tested() -> None:
    assert set(DRAWN) | {"prepare", "rows", "table", "words"} == set(charts.__all__)


@pytest.mark.parametrize("name", DRAWN)
class TestChart:
    def test_is_drawn_in_its_colours(self, name: str, frames: Frames, tmp_path: Path) -> None:
        image = pixels(chart(name, frames[name]), tmp_path)
        assert image.std() > 10
        assert DRAWN[name][0] <= colors(image)

    def test_says_in_words_what_is_seen(self, name: str, frames: Frames) -> None:
        said = words(chart(name, frames[name]))
        assert DRAWN[name][1] <= set(said), sorted(set(said))

    def test_says_that_there_is_nothing(self, name: str, frames: Frames, tmp_path: Path) -> None:
        empty = chart(name, frames[name].clear())
        assert pixels(empty, tmp_path).std() > 5
        said = words(empty)
        assert any(text.startswith(("No ", "There is ", "The semantic shadow has not ")) for text in said)
        assert len(said) >= 2

    def test_takes_hostile_texts(self, name: str, frames: Frames) -> None:
        free = [
            column
            for column in ("suite_id", "eval_run_id", "case_id", "what", "fact", "channel", "check_id")
            if column in frames[name].columns
        ]
        hostile = frames[name].with_columns(
            pl.format("{} {}", column, pl.lit(HOSTILE)).alias(column) for column in free
        )
        said = words(chart(name, hostile))
        assert not any(char in text for text in said for char in "\x1b\u202e\x00\n")
        assert max(map(len, said)) < 1000

    def test_needs_no_network(self, name: str, frames: Frames) -> None:
        spec = json.dumps(chart(name, frames[name]).to_dict() | {"$schema": ""})
        assert "http" not in spec


def marks(spec: Any, kind: str) -> Iterator[dict[str, Any]]:
    """The parts of a chart that are of a kind of mark."""
    if isinstance(spec, list):
        for part in spec:
            yield from marks(part, kind)
    elif isinstance(spec, dict):
        if isinstance(spec.get("mark"), dict) and spec["mark"].get("type") == kind:
            yield spec
        for part in spec.values():
            yield from marks(part, kind)


class TestSegments:
    CHANGE: tuple[dict[str, Any], ...] = ({}, {}, {"segment": 2}, {"segment": 2})

    def test_no_line_and_no_band_crosses_them(self) -> None:
        spec = charts.pass_rate(trends(*self.CHANGE)).to_dict()
        joined = [*marks(spec, "line"), *marks(spec, "area")]
        assert len(joined) == 2
        assert all(part["encoding"]["detail"]["field"] == "segment" for part in joined)

    @pytest.mark.parametrize("name", ["pass_rate", "verdict_shares"])
    def test_a_change_of_the_rubric_is_marked_once(self, name: str) -> None:
        assert words(chart(name, trends(*self.CHANGE))).count("rubric changed") == 1

    @pytest.mark.parametrize("name", ["pass_rate", "verdict_shares"])
    def test_no_change_no_mark(self, name: str) -> None:
        assert "rubric changed" not in words(chart(name, trends({}, {}, {})))

    def test_suites_stand_under_each_other(self) -> None:
        said = words(charts.pass_rate(trends({}, {"suite_id": None, "place": 1})))
        assert [text.partition(":")[0] for text in said if "Wilson" in text] == ["core", "no suite"]


class TestLargeFrames:
    def test_only_some_suites_are_drawn(self) -> None:
        nights = [{"suite_id": f"suite-{number}", "place": 1} for number in range(MOST_SUITES + 3)]
        said = words(charts.verdict_shares(trends(*nights)))
        assert "3 other suites are left out: filter the rows by suite_id" in said
        assert sum(text.endswith(": verdicts of each eval run") for text in said) == MOST_SUITES

    def test_only_the_latest_eval_runs_are_drawn(self) -> None:
        said = words(charts.verdict_shares(trends(*[{}] * (MOST_RUNS + 12))))
        assert f"the latest {MOST_RUNS} eval runs; 12 earlier ones are left out" in said
        assert "night-12" not in said
        assert f"night-{MOST_RUNS + 12}" in said

    def test_only_the_worst_cases_are_drawn(self, frames: Frames) -> None:
        cases = frames["heat_map"].head(1).join(pl.DataFrame({"number": range(MOST_ROWS + 5)}), how="cross")
        cases = cases.with_columns(
            case_id=pl.format("case-{}", "number"), passed=pl.col("number"), comparable=pl.lit(50)
        )
        said = words(charts.heat_map(cases))
        assert f"the {MOST_ROWS} cases that passed least; 5 others are left out" in said
        assert "case-0" in said
        assert f"case-{MOST_ROWS + 4}" not in said


def test_flips_are_counted_by_what_becomes_what_and_why(frames: Frames) -> None:
    assert causes(frames["flips_by_cause"]).rows() == [
        ("pass → fail", "rubric", 2),
        ("fail → pass", "several", 1),
        ("fail: critical_evidence_missing → critical_evidence_partial", "unknown", 1),
        ("pass → fail", "bundle", 1),
    ]


def test_an_engine_flip_is_the_engines() -> None:
    assert causes(flips(("pass", "fail", None, "x", False, False, True)))["cause"].to_list() == ["engine"]


def test_a_shadow_without_answers_has_no_chart() -> None:
    said = words(charts.shadow_agreement(agreement(compared=0)))
    assert "The semantic shadow has not answered yet" in said


WITHOUT_ALTAIR = """
import sys
sys.modules["altair"] = None
from judge_polars import charts
from judge_polars.errors import MissingPieceError
assert charts.words.failures is not None and charts.rows.case_map is not None
try:
    charts.pass_rate
except MissingPieceError as missing:
    print(missing)
"""


def test_without_altair_only_charts_are_missing() -> None:
    done = subprocess.run([sys.executable, "-c", WITHOUT_ALTAIR], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "pip install 'judge-polars[notebooks]'" in done.stdout, done.stderr
