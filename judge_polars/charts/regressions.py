"""An eval run against its baseline: the flow of verdicts, the first bad run of each check, facts that differ."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from judge_polars.charts.look import (
    ACCENT,
    COLORS,
    INK,
    MOST_ROWS,
    PALE,
    SOFT,
    STEP,
    WIDTH,
    Chart,
    cells_of,
    colored,
    data,
    finished,
    in_order,
    nothing,
    rows_axis,
    runs_axis,
    title,
)

NO_COMPARISON: Final = "There is nothing to compare this eval run with"
WAY_TO_COMPARISON: Final = (
    "judge-polars baseline promote names a baseline; else an earlier eval run of the suite is taken."
)
ABSENT: Final = "not there"
FLOW_COLORS: Final = {**COLORS, ABSENT: "#c9c5bb"}
MOST_FACTS: Final = 20
_STEPS: Final = 24
_GAP: Final = 0.06
"""Room between two verdicts of a side, as a share of all cases."""


def verdict_flow(compared: pl.DataFrame) -> Chart:
    """Ribbons from the verdicts of the baseline to those of the eval run; their width is the number of cases.

    Args:
        compared: `rows.comparison`.
    """
    if compared.is_empty():
        return nothing(NO_COMPARISON, WAY_TO_COMPARISON)
    flows = _flows(compared)
    before, after = (_nodes(flows, side, x) for side, x in (("before", 0.0), ("after", 1.0)))
    ribbons = (
        alt.Chart(data(_ribbons(flows)))
        .mark_area(opacity=0.45)
        .encode(
            x=alt.X(
                "x:Q",
                scale=alt.Scale(domain=[-0.3, 1.3]),
                axis=alt.Axis(title="before → now", values=[], grid=False, domain=False),
            ),
            y=alt.Y(
                "low:Q",
                axis=alt.Axis(title="cases", values=[], grid=False, domain=False),
                scale=alt.Scale(reverse=True),
            ),
            y2="high:Q",
            detail="flow:N",
            color=alt.Color("after:N", **colored(FLOW_COLORS, "verdict now")),
        )
    )
    kind = "the baseline" if compared["compared_with"][0] == "baseline" else "the eval run before it"
    heading = title("Flow of case verdicts", f"left: {kind} ({compared['other_eval_run_id'][0]}), right: this eval run")
    chart = alt.layer(ribbons, *_bars(before, right=False), *_bars(after, right=True), title=heading)
    return finished(chart.properties(width=WIDTH, height=260))


def _flows(compared: pl.DataFrame) -> pl.DataFrame:
    """`before`, `after`, `cases`, and where each flow begins on both sides: `left`, `right`, counted from the top."""
    order = {word: place for place, word in enumerate(FLOW_COLORS)}
    gap = _GAP * compared.height
    flows = (
        compared.group_by(before=pl.col("other_verdict").fill_null(ABSENT), after=pl.col("verdict").fill_null(ABSENT))
        .agg(cases=pl.len())
        .with_columns(from_place=pl.col("before").replace_strict(order), to_place=pl.col("after").replace_strict(order))
    )
    below = pl.col("cases").cum_sum() - pl.col("cases")
    return (
        flows.sort("from_place", "to_place")
        .with_columns(left=below + gap * (pl.col("from_place").rank("dense") - 1))
        .sort("to_place", "from_place")
        .with_columns(right=below + gap * (pl.col("to_place").rank("dense") - 1))
    )


def _ribbons(flows: pl.DataFrame) -> pl.DataFrame:
    """Points of each flow's two edges: `flow`, `after`, `x` from 0 to 1, `low`, `high`."""
    points = pl.DataFrame({"x": [step / _STEPS for step in range(_STEPS + 1)]})
    smooth = 3 * pl.col("x").pow(2) - 2 * pl.col("x").pow(3)
    return (
        flows.join(points, how="cross")
        .with_columns(low=pl.col("left") * (1 - smooth) + pl.col("right") * smooth)
        .select(
            "x", "after", "low", flow=pl.format("{} to {}", "before", "after"), high=pl.col("low") + pl.col("cases")
        )
    )


def _nodes(flows: pl.DataFrame, side: str, x: float) -> pl.DataFrame:
    """The verdicts of one side: `verdict`, `x`, `low`, `high`, `middle`, `text`."""
    start = "left" if side == "before" else "right"
    return (
        flows.group_by(verdict=side)
        .agg(low=pl.col(start).min(), high=(pl.col(start) + pl.col("cases")).max(), cases=pl.col("cases").sum())
        .with_columns(x=pl.lit(x), middle=(pl.col("low") + pl.col("high")) / 2)
        .with_columns(text=pl.format("{} {}", "verdict", "cases"))
        .sort("low")
    )


def _bars(nodes: pl.DataFrame, *, right: bool) -> list[alt.Chart]:
    """The verdicts of one side as thick lines with their words and numbers of cases."""
    base = alt.Chart(data(nodes)).encode(x="x:Q")
    return [
        base.mark_rule(strokeWidth=10).encode(
            y="low:Q", y2="high:Q", color=alt.Color("verdict:N", **colored(FLOW_COLORS, None, legend=False))
        ),
        base.mark_text(align="left" if right else "right", dx=12 if right else -12, color=INK, fontSize=13).encode(
            y="middle:Q", text="text:N"
        ),
    ]


def first_bad_runs(checks: pl.DataFrame) -> Chart:
    """A cell per check that is bad now and eval run: whether it was good, and with which eval run it turned bad.

    Args:
        checks: `rows.first_bad_runs`.
    """
    if checks.is_empty():
        return nothing("No check is bad in this eval run", "Each passes in more than half of its case runs.")
    name = pl.format("{}.{} · {}", "bucket", "check_id", "case_id")
    kept = checks.select("case_id", "bucket", "layer", "check_id").unique(maintain_order=True).head(MOST_ROWS)
    left_out = checks.select("case_id", "bucket", "layer", "check_id").n_unique() - kept.height
    rows = kept.join(checks, on=kept.columns, how="inner", nulls_equal=True, maintain_order="left_right").with_columns(
        check=name
    )
    runs, names = in_order(rows.sort("place")["eval_run_id"]), in_order(rows["check"])
    state = pl.when("first_bad").then(pl.lit("first bad")).when("bad").then(pl.lit("bad")).otherwise(pl.lit("good"))
    cells = rows.select(
        "eval_run_id",
        "check",
        color=state,
        text=pl.format("{} {}/{}", state, "passed", "case_runs"),
        ink=pl.lit("white"),
    )
    states = {"good": COLORS["pass"], "first bad": "#8f1d33", "bad": COLORS["fail"]}
    width = max(WIDTH - 220, 34 * len(runs))
    chart = cells_of(
        cells,
        runs_axis(runs, width),
        rows_axis("check", names, "check · case"),
        alt.Color("color:N", **colored(states, "the check was")),
        width=width,
        height=STEP * len(names),
        heading=title(
            "Since when each bad check is bad",
            "case runs that pass the check / case runs; bad: at most half of them",
            f"{left_out} other checks are left out" if left_out else "",
        ),
    )
    return finished(chart)


def fact_differences(facts: pl.DataFrame) -> Chart:
    """How often each boolean fact holds, before and now: the facts that differ most.

    Args:
        facts: `rows.fact_differences`.
    """
    if facts.is_empty():
        return nothing("No fact differs", "Both eval runs need case runs of a shared case in this history.")
    rows = facts.head(MOST_FACTS)
    names = in_order(rows["fact"])
    axis = alt.Axis(format="%", title="share of case runs in which the fact holds (%)")
    x = alt.X("share:Q", axis=axis, scale=alt.Scale(domain=[0, 1]))
    y = rows_axis("fact", names, "fact, the largest difference first")
    lines = alt.Chart(data(rows)).mark_rule(color=PALE, strokeWidth=3).encode(y=y, x=x, x2="other_share:Q")
    sides = pl.concat(
        [
            rows.select("fact", share="other_share", side=pl.lit("before")),
            rows.select("fact", "share", side=pl.lit("now")),
        ]
    )
    points = (
        alt.Chart(data(sides))
        .mark_point(filled=True, size=90, opacity=1)
        .encode(
            x=x,
            y=y,
            color=alt.Color("side:N", **colored({"before": SOFT, "now": ACCENT}, "eval run")),
            shape=alt.Shape("side:N", scale=alt.Scale(domain=["before", "now"], range=["circle", "diamond"])),
        )
    )
    more = facts.height - rows.height
    heading = title(
        "Facts that hold more or less often than before",
        "over the cases that both eval runs have",
        f"{more} smaller differences are left out" if more else "",
    )
    return finished(alt.layer(lines, points, title=heading).properties(width=WIDTH - 120, height=STEP * len(names)))
