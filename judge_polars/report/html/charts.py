"""Where the marks of the trend charts stand; the template draws them as inline SVG (specification 70, "Report").

No line goes from one segment to the next: there the verdicts mean something else (specification 60, `suite_trends`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, TypedDict

from judge_polars.report.content import Row

LEFT: Final = 44
RIGHT: Final = 14
TOP: Final = 14
PLOT: Final = 150
BOTTOM: Final = 24
WIDEST_STEP: Final = 80
NARROWEST_STEP: Final = 22
ROOM: Final = 560
LEAST_WIDTH: Final = 300
LABEL_HEIGHT: Final = 13
"""Pixels."""


@dataclass(frozen=True, slots=True)
class Tick:
    """A value of an axis: where it stands, and its label."""

    at: float
    label: str


@dataclass(frozen=True, slots=True)
class Point:
    """A rate with its interval; `what` says it in words."""

    x: float
    y: float
    low: float
    high: float
    what: str
    latest: bool


@dataclass(frozen=True, slots=True)
class Bar:
    """A part of a column: `kind` is its verdict, `label` is empty where it is too small for one."""

    x: float
    y: float
    width: float
    height: float
    kind: str
    label: str
    what: str


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart: its size, axes, places where a segment begins, and marks.

    `title` and `description` say for screen readers what it shows.
    """

    title: str
    description: str
    width: float
    height: float
    left: float
    right: float
    base: float
    x_ticks: tuple[Tick, ...]
    y_ticks: tuple[Tick, ...]
    breaks: tuple[float, ...]
    points: tuple[Point, ...] = ()
    lines: tuple[str, ...] = ()
    bars: tuple[Bar, ...] = ()


class _Frame(TypedDict):
    """What both charts have in common."""

    width: float
    height: float
    left: float
    right: float
    base: float
    x_ticks: tuple[Tick, ...]
    breaks: tuple[float, ...]


def rate_chart(trends: Sequence[Row]) -> Chart:
    """Pass rate of each eval run with its 95 % Wilson interval; a line within each segment."""
    step = _step(trends)

    def height(share: float) -> float:
        return _rounded(TOP + PLOT * (1 - share))

    points: list[Point] = []
    runs: dict[tuple[int, int], list[Point]] = {}
    gaps = 0
    for number, row in enumerate(trends):
        if row["pass_rate"] is None:
            gaps += 1
            continue
        point = Point(
            x=_middle(number, step),
            y=height(row["pass_rate"]),
            low=height(row["pass_rate_low"]),
            high=height(row["pass_rate_high"]),
            what=f"{row['eval_run_id']}: {100 * row['pass_rate']:.0f} % of {row['comparable']} comparable case runs, "
            f"interval {100 * row['pass_rate_low']:.0f}–{100 * row['pass_rate_high']:.0f} %",
            latest=number == len(trends) - 1,
        )
        points.append(point)
        runs.setdefault((row["segment"], gaps), []).append(point)
    ticks = tuple(Tick(height(share), f"{100 * share:.0f} %") for share in (0, 0.5, 1))
    return Chart(
        title="Pass rate of comparable case runs, by eval run",
        description=_described(trends, "with its 95 % interval; the numbers are in the table below"),
        **_frame(trends, step),
        y_ticks=ticks,
        points=tuple(points),
        lines=tuple(" ".join(f"{one.x},{one.y}" for one in run) for run in runs.values() if len(run) > 1),
    )


def count_chart(trends: Sequence[Row]) -> Chart:
    """A column per eval run: case runs that passed, failed and are invalid, from below."""
    step = _step(trends)
    most = max(1, *(row["passed"] + row["failed"] + row["invalid"] for row in trends))
    bars: list[Bar] = []
    for number, row in enumerate(trends):
        below = 0
        for kind, key in (("pass", "passed"), ("fail", "failed"), ("invalid", "invalid")):
            count = row[key]
            if not count:
                continue
            tall = PLOT * count / most
            bars.append(
                Bar(
                    x=_rounded(_middle(number, step) - step * 0.36),
                    y=_rounded(TOP + PLOT * (1 - (below + count) / most)),
                    width=_rounded(step * 0.72),
                    height=_rounded(tall),
                    kind=kind,
                    label=f"{count:,}" if tall >= LABEL_HEIGHT and len(f"{count:,}") * 8 <= step * 0.72 else "",
                    what=f"{row['eval_run_id']}: {count:,} {kind}",
                )
            )
            below += count
    halves = sorted({0, most // 2, most})
    return Chart(
        title="Case runs by verdict, by eval run",
        description=_described(trends, "pass below, fail above it, invalid on top; the numbers are in the table below"),
        **_frame(trends, step),
        y_ticks=tuple(Tick(_rounded(TOP + PLOT * (1 - count / most)), f"{count:,}") for count in halves),
        bars=tuple(bars),
    )


def _step(trends: Sequence[Row]) -> float:
    return min(WIDEST_STEP, max(NARROWEST_STEP, ROOM / len(trends)))


def _middle(number: int, step: float) -> float:
    return _rounded(LEFT + step * (number + 0.5))


def _frame(trends: Sequence[Row], step: float) -> _Frame:
    """Size, axis of eval runs, and breaks."""
    right = max(LEAST_WIDTH, LEFT + step * len(trends))
    breaks = [
        _rounded(LEFT + step * number)
        for number in range(1, len(trends))
        if trends[number]["segment"] != trends[number - 1]["segment"]
    ]
    every = -(-len(trends) // 15)
    return {
        "width": _rounded(right + RIGHT),
        "height": float(TOP + PLOT + BOTTOM),
        "left": float(LEFT),
        "right": _rounded(right),
        "base": float(TOP + PLOT),
        "x_ticks": tuple(
            Tick(_middle(number, step), str(row["place"]))
            for number, row in enumerate(trends)
            if (len(trends) - 1 - number) % every == 0
        ),
        "breaks": tuple(breaks),
    }


def _described(trends: Sequence[Row], how: str) -> str:
    segments = len({row["segment"] for row in trends})
    parts = f", in {segments} parts whose verdicts do not mean the same" if segments > 1 else ""
    return f"{len(trends)} eval runs in time order{parts}; {how}."


def _rounded(number: float) -> float:
    return round(number, 1)
