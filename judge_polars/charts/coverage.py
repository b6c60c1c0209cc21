"""What evidence was gathered: channels attempted, observed, persisted, dangling references, evidence against diagnosis."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from judge_polars.charts.look import (
    ABSENT_COLOR,
    ACCENT,
    AMBER,
    COLORS,
    INK,
    STEP,
    WIDTH,
    Chart,
    colored,
    data,
    each_suite,
    in_order,
    latest_runs,
    nothing,
    percent,
    rows_axis,
    runs_axis,
    title,
)

STATES: Final = ("attempted", "observed", "persisted")
CLASSES: Final = {
    "grounded": COLORS["pass"],
    "missed_signal": AMBER,
    "unsupported_claim": "#7a4ea3",
    "neither": COLORS["fail"],
}
_DARK_FROM: Final = 0.55
"""Share from which on a cell's text is white."""


def channels(rows: pl.DataFrame) -> Chart:
    """Three grids side by side: in which share of the case runs each channel was attempted, observed, persisted.

    Args:
        rows: `rows.channels`.
    """
    if rows.is_empty():
        return nothing("No channel is known", "A channel is defined in a pack; its facts come with judging.")
    return each_suite(rows, _channels)


def _channels(suite: str, rows: pl.DataFrame) -> Chart:
    rows, left_out = latest_runs(rows, 12)
    runs, names = in_order(rows.sort("place")["eval_run_id"]), in_order(rows["channel"].unique().sort())
    shown = rows.with_columns(text=percent(pl.col("share")), ink=_ink(pl.col("share")))
    width = max(150, 40 * len(runs))
    grids = [
        _grid(
            shown.filter(pl.col("state") == state),
            runs_axis(runs, width),
            rows_axis("channel", names, "channel", named=state == STATES[0]),
            alt.TitleParams(state, anchor="start", fontSize=13, color=INK),
            width=width,
            height=STEP * len(names),
        )
        for state in STATES
    ]
    heading = title(
        f"{suite}: evidence channels, eval run by eval run",
        "share of case runs; persisted: an artifact is kept, even an empty one",
        left_out,
    )
    chart: Chart = alt.hconcat(*grids, spacing=14, title=heading)
    return chart


def _ink(share: pl.Expr) -> pl.Expr:
    """The colour of a text on a cell of that share."""
    return pl.when(share > _DARK_FROM).then(pl.lit("white")).otherwise(pl.lit(INK))


def _grid(cells: pl.DataFrame, x: alt.X, y: alt.Y, heading: alt.TitleParams, *, width: int, height: int) -> Chart:
    """The cells of one state."""
    base = alt.Chart(data(cells)).encode(x=x, y=y)
    scale = alt.Scale(domain=[0, 1], range=[ABSENT_COLOR, ACCENT])
    rects = base.mark_rect(cornerRadius=3).encode(color=alt.Color("share:Q", scale=scale, legend=None))
    texts = base.mark_text(fontSize=10).encode(text="text:N", color=alt.Color("ink:N", scale=None, legend=None))
    chart: Chart = alt.layer(rects, texts, title=heading).resolve_scale(color="independent")
    return chart.properties(width=width, height=height)


def dangling_references(rows: pl.DataFrame) -> Chart:
    """A cell per channel and eval run: how many references of the analysis patches point at nothing.

    Args:
        rows: `rows.references`.
    """
    if rows.is_empty():
        return nothing("No analysis patch cites evidence", "References come from analysis_patch.json.")
    return each_suite(rows, _references)


def _references(suite: str, rows: pl.DataFrame) -> Chart:
    rows, left_out = latest_runs(rows)
    runs, names = in_order(rows.sort("place")["eval_run_id"]), in_order(rows["channel"].unique().sort())
    dangles = pl.col("dangling") > 0
    cells = rows.with_columns(
        text=pl.format("{} of {}", "dangling", "refs"),
        color=pl.when(dangles).then(pl.lit("some dangle")).otherwise(pl.lit("all resolve")),
        ink=pl.lit("white"),
    )
    width = max(WIDTH - 60, 34 * len(runs))
    y = rows_axis("channel", names, "channel of the reference")
    base = alt.Chart(data(cells)).encode(x=runs_axis(runs, width), y=y)
    kinds = {"all resolve": COLORS["pass"], "some dangle": COLORS["fail"]}
    rects = base.mark_rect(cornerRadius=3).encode(color=alt.Color("color:N", **colored(kinds, "references")))
    texts = base.mark_text(color="white").encode(text="text:N")
    heading = title(f"{suite}: references that dangle", "dangling references of all references cited", left_out)
    chart: Chart = alt.layer(rects, texts, title=heading)
    return chart.properties(width=width, height=STEP * len(names))


def grounding(rows: pl.DataFrame) -> Chart:
    """Stacked bars: how evidence and diagnosis stand to each other in the comparable case runs of each eval run.

    Args:
        rows: `rows.grounding`.
    """
    if rows.is_empty():
        return nothing(
            "No case run is comparable yet", "Evidence and diagnosis are compared where the verdict is pass or fail."
        )
    return each_suite(rows, _grounding)


def _grounding(suite: str, rows: pl.DataFrame) -> Chart:
    rows, left_out = latest_runs(rows)
    runs = in_order(rows.sort("place")["eval_run_id"])
    placed = rows.with_columns(order=pl.col("class").replace_strict(list(CLASSES), range(len(CLASSES))))
    y = alt.Y("case_runs:Q", stack="zero", axis=alt.Axis(title="comparable case runs", tickMinStep=1, format="d"))
    base = alt.Chart(data(placed)).encode(x=runs_axis(runs, WIDTH), y=y, order="order:Q")
    bars = base.mark_bar().encode(color=alt.Color("class:N", **colored(CLASSES, "evidence and diagnosis")))
    texts = base.mark_text(color="white", fontWeight="bold", dy=10).encode(text="case_runs:Q", detail="class:N")
    heading = title(
        f"{suite}: evidence against diagnosis",
        "missed_signal: the evidence was there, the diagnosis is wrong · unsupported_claim: the other way round",
        left_out,
    )
    chart: Chart = alt.layer(bars, texts, title=heading)
    return chart.properties(width=WIDTH, height=220)
