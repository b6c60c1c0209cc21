"""What the charts say in words: the sentences that matter, for rows whose truth is plain."""

from __future__ import annotations

import polars as pl
import pytest

from judge_polars.charts import tables, words
from tests.charts.conftest import Frames
from tests.charts.frames import AGREEMENT, FLIPS, trends

OF_CHART = {
    "verdict_shares": words.verdict_shares,
    "pass_rate": words.pass_rate,
    "heat_map": words.case_map,
    "failure_codes": words.failure_codes,
    "verdict_flow": words.comparison,
    "first_bad_runs": words.first_bad_runs,
    "fact_differences": words.fact_differences,
    "threshold_sweep": words.threshold_sweep,
    "dead_checks": words.check_quality,
    "shadow_agreement": words.shadow_agreement,
    "channels": words.channels,
    "dangling_references": words.references,
    "grounding": words.grounding,
}


@pytest.mark.parametrize("name", OF_CHART)
class TestAnswer:
    def test_is_a_sentence(self, name: str, frames: Frames) -> None:
        answer = OF_CHART[name](frames[name])
        assert answer.endswith(".")
        assert answer._repr_markdown_() == answer

    def test_is_a_sentence_where_there_is_nothing(self, name: str, frames: Frames) -> None:
        assert OF_CHART[name](frames[name].clear()).endswith(".")


def test_the_demo_in_words(frames: Frames) -> None:
    assert words.verdict_shares(frames["verdict_shares"]) == (
        "5 eval runs, 41 case runs judged: 24 pass, 10 fail, 7 invalid (by agent 6, environment 1). "
        "4 planned case runs never ran, in **2025-03-06-nightly**."
    )
    assert "More than noise by Fisher's test: **tail-latency-surge-during-incident-window**." in words.comparison(
        frames["verdict_flow"]
    )
    assert words.references(frames["dangling_references"]) == (
        "4 of 179 references dangle, most of them in **2025-03-06-nightly**."
    )


@pytest.mark.parametrize(
    ("now", "said"),
    [
        pytest.param({}, "the intervals overlap: it may be noise", id="the-same"),
        pytest.param({"pass_rate_low": 0.97}, "the intervals do not overlap", id="clearly-better"),
        pytest.param({"segment": 2}, "the two rates do not compare", id="another-rubric"),
        pytest.param({"mixed_semantics": True}, "`judge-polars rejudge` is the remedy", id="mixed"),
    ],
)
def test_how_a_pass_rate_moved(now: dict[str, object], said: str) -> None:
    assert said in words.pass_rate(trends({}, now))


def test_case_runs_that_never_ran_are_named() -> None:
    assert "2 planned case runs never ran, in **night-2**" in words.verdict_shares(trends({}, {"found": 2}))


def test_flips() -> None:
    assert words.flips(FLIPS, 40) == (
        "5 of 40 case runs flip, most of them by **names_it**: 1 would pass now, 3 no longer would."
    )
    assert words.flips(FLIPS.clear(), 40) == "None of 40 case runs changes its verdict or its code."


def test_the_shadow_and_where_it_agrees_least() -> None:
    assert "least with **blames_disk** (80 %)" in words.shadow_agreement(AGREEMENT)


def test_texts_of_runs_are_escaped() -> None:
    said = words.verdict_shares(trends({"found": 1, "eval_run_id": "<img src=x>**[a](javascript:b)`"}))
    assert r"\<img src=x\>\*\*\[a\](javascript:b)\`" in said


class TestTable:
    def test_reads_without_quotes_and_escapes(self) -> None:
        frame = pl.DataFrame(
            {"case_id": ["<b>\x1b"], "share": [0.25], "found": [None], "codes": [["a", "b"]], "new": [True]}
        )
        html = tables.table(frame)._repr_html_()
        assert "<th" in html and ">case id</th>" in html
        for text in ("&lt;b&gt;␛", "0.25", "–", "a, b", "yes"):
            assert f">{text}</td>" in html

    def test_says_what_it_leaves_out(self) -> None:
        assert "… and 5 more rows" in tables.table(pl.DataFrame({"x": range(45)}))._repr_html_()
        assert "no rows" in tables.table(pl.DataFrame({"x": []}))._repr_html_()
