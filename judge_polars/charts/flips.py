"""What another rubric makes of the history: flips by cause, and the sweep of a threshold (specification 60, "what-if")."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from judge_polars.charts.look import (
    ACCENT,
    COLORS,
    INK,
    MOST_ROWS,
    SOFT,
    STEP,
    WIDTH,
    Chart,
    colored,
    data,
    finished,
    in_order,
    nothing,
    rows_axis,
    title,
)

CAUSES: Final = {"rubric_changed": "rubric", "bundle_changed": "bundle", "engine_changed": "engine"}
"""Column of `verdict_flips` -> the word for the cause."""
CAUSE_COLORS: Final = {"rubric": ACCENT, "bundle": "#b7791f", "engine": "#7a4ea3", "several": INK, "unknown": SOFT}


def causes(flips: pl.DataFrame) -> pl.DataFrame:
    """Flips counted by what became what and why: `becomes`, `cause` (rubric, bundle, engine, several, unknown), `case_runs`.

    Args:
        flips: the view `verdict_flips`.
    """
    known = [pl.col(column).fill_null(False) for column in CAUSES]
    one = pl.coalesce(pl.when(flag).then(pl.lit(cause)) for flag, cause in zip(known, CAUSES.values(), strict=True))
    several = pl.sum_horizontal(flag.cast(pl.Int8) for flag in known) > 1
    cause = pl.when(several).then(pl.lit("several")).otherwise(one.fill_null("unknown"))
    same = pl.col("from_verdict") == pl.col("to_verdict")
    other_code = pl.format(
        "{}: {} → {}",
        "to_verdict",
        pl.col("from_primary_failure_code").fill_null("none"),
        pl.col("to_primary_failure_code").fill_null("none"),
    )
    becomes = pl.when(same).then(other_code).otherwise(pl.format("{} → {}", "from_verdict", "to_verdict"))
    return (
        flips.select(becomes=becomes, cause=cause)
        .group_by("becomes", "cause")
        .agg(case_runs=pl.len().cast(pl.Int64))
        .sort(["case_runs", "becomes", "cause"], descending=[True, False, False])
    )


def flips_by_cause(flips: pl.DataFrame) -> Chart:
    """Bars: how many case runs flip from which verdict to which, and whether rubric, bundle or engine did it.

    Args:
        flips: the view `verdict_flips`, or what `History.rejudge` gives.
    """
    if flips.is_empty():
        return nothing("No verdict flips", "Every case run keeps its verdict and its primary failure code.")
    counted = causes(flips)
    names = in_order(counted["becomes"])[:MOST_ROWS]
    more = counted["becomes"].n_unique() - len(names)
    counted = counted.with_columns(text=pl.format("{} by {}", "case_runs", "cause"))
    x = alt.X("case_runs:Q", axis=alt.Axis(title="case runs that flip", tickMinStep=1, format="d"))
    base = alt.Chart(data(counted.filter(pl.col("becomes").is_in(names))))
    y = rows_axis("becomes", names, "what becomes what")
    bars = base.mark_bar().encode(x=x, y=y, color=alt.Color("cause:N", **colored(CAUSE_COLORS, "cause")))
    texts = base.mark_text(align="left", dx=4, color=INK).encode(
        x=alt.X("case_runs:Q", stack="zero"), y=y, text="text:N", detail="cause:N"
    )
    heading = title(
        f"{flips.height} case runs flip",
        "by what their verdict becomes and what did it",
        f"{more} other kinds of flips are left out" if more else "",
    )
    chart = alt.layer(bars, texts, title=heading)
    return finished(chart.properties(width=WIDTH - 120, height=STEP * len(names)))


def threshold_sweep(sweep: pl.DataFrame) -> Chart:
    """Stacked bars: how the verdicts of a case's case runs would stand at each threshold; today's is marked.

    Args:
        sweep: `sweep.threshold_sweep`: `threshold`, `verdict`, `case_runs`, `today`, `what`.
    """
    if sweep.is_empty():
        return nothing(
            "There is no threshold to sweep", "No case of the registry has a numeric rule with case runs here."
        )
    rows = sweep.with_columns(at=pl.col("threshold").map_batches(_shortest, return_dtype=pl.String))
    values = in_order(rows.sort("threshold")["at"])
    x = alt.X("at:N", sort=values, axis=alt.Axis(title="threshold", labelAngle=0))
    y = alt.Y("case_runs:Q", axis=alt.Axis(title="case runs", tickMinStep=1, format="d"))
    bars = (
        alt.Chart(data(rows))
        .mark_bar()
        .encode(
            x=x,
            y=y,
            color=alt.Color("verdict:N", **colored(COLORS, "verdict")),
            order=alt.Order("order:Q"),
        )
        .transform_calculate(order="datum.verdict == 'pass' ? 0 : datum.verdict == 'fail' ? 1 : 2")
    )
    today = rows.filter("today").select("at", text=pl.lit("today")).unique()
    mark = alt.Chart(data(today)).mark_text(color=INK, y=-8, fontWeight="bold").encode(x=x, text="text:N")
    heading = title("Verdicts at other thresholds", str(rows["what"][0]))
    return finished(alt.layer(bars, mark, title=heading).properties(width=WIDTH, height=240))


def _shortest(thresholds: pl.Series) -> pl.Series:
    """Numbers as short texts."""
    return pl.Series([f"{value:.6g}" for value in thresholds], dtype=pl.String)
