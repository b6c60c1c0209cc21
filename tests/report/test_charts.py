"""Where the marks of the trend charts stand."""

from __future__ import annotations

from typing import Any

import pytest

from judge_polars.report.html.charts import LEFT, PLOT, TOP, count_chart, rate_chart


def run(place: int, rate: float | None, segment: int = 1, **counts: int) -> dict[str, Any]:
    """An eval run of `suite_trends` with an interval of a tenth to each side."""
    counted = {"passed": 6, "failed": 4, "invalid": 0, "comparable": 10, **counts}
    low, high = (None, None) if rate is None else (max(0, rate - 0.1), min(1, rate + 0.1))
    rates = {"pass_rate": rate, "pass_rate_low": low, "pass_rate_high": high}
    return {"eval_run_id": f"r{place}", "place": place, "segment": segment, **counted, **rates}


def test_rates_stand_between_none_and_all() -> None:
    chart = rate_chart([run(1, 0.0), run(2, 1.0), run(3, 0.5)])
    assert [point.y for point in chart.points] == [TOP + PLOT, TOP, TOP + PLOT / 2]
    assert [(point.low, point.high) for point in chart.points][2] == (TOP + PLOT * 0.6, TOP + PLOT * 0.4)
    assert [point.latest for point in chart.points] == [False, False, True]
    assert chart.points[2].what == "r3: 50 % of 10 comparable case runs, interval 40–60 %"


def test_no_line_goes_from_one_segment_to_the_next() -> None:
    chart = rate_chart([run(1, 0.5), run(2, 0.6), run(3, 0.7, 2), run(4, 0.7, 2), run(5, 0.8, 3)])
    x = [point.x for point in chart.points]
    assert [line.count(",") for line in chart.lines] == [2, 2]
    assert [line.split(",")[0] for line in chart.lines] == [str(x[0]), str(x[2])]
    assert chart.breaks == ((x[1] + x[2]) / 2, (x[3] + x[4]) / 2)
    assert "in 3 parts whose verdicts do not mean the same" in chart.description


def test_a_run_without_a_rate_has_no_point_and_breaks_the_line() -> None:
    chart = rate_chart([run(1, 0.5), run(2, None), run(3, 0.7), run(4, 0.9)])
    assert len(chart.points) == 3
    assert len(chart.lines) == 1
    assert chart.lines[0].startswith(f"{chart.points[1].x},")


def test_columns_are_as_tall_as_their_counts() -> None:
    chart = count_chart([run(1, 0.5, passed=5, failed=3, invalid=2), run(2, 1.0, passed=5, failed=0)])
    assert [(bar.kind, bar.height) for bar in chart.bars] == [
        ("pass", PLOT / 2),
        ("fail", PLOT * 0.3),
        ("invalid", PLOT * 0.2),
        ("pass", PLOT / 2),
    ]
    below, above = chart.bars[:2]
    assert above.y + above.height == below.y
    assert [bar.label for bar in chart.bars] == ["5", "3", "2", "5"]
    assert chart.bars[1].what == "r1: 3 fail"


def test_a_part_that_is_too_small_has_no_label() -> None:
    chart = count_chart([run(1, 0.5, passed=990, failed=10)])
    assert [bar.label for bar in chart.bars] == ["990", ""]


@pytest.mark.parametrize("number", [1, 2, 15, 30])
def test_marks_stay_inside(number: int) -> None:
    rows = [run(place, 0.5) for place in range(1, number + 1)]
    for chart in (rate_chart(rows), count_chart(rows)):
        assert chart.width >= 300
        assert all(LEFT <= point.x <= chart.right for point in chart.points)
        assert all(bar.x >= LEFT and bar.x + bar.width <= chart.right for bar in chart.bars)
        assert chart.x_ticks[-1].label == str(number)
        assert len(chart.x_ticks) <= 15
        gaps = [later.at - before.at for before, later in zip(chart.x_ticks, chart.x_ticks[1:], strict=False)]
        assert all(gap >= 20 for gap in gaps)


def test_nothing_judged_divides_by_nothing() -> None:
    chart = count_chart([run(1, None, passed=0, failed=0, comparable=0)])
    assert chart.bars == ()
