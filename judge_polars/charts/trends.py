"""Eval runs in time: verdict shares, pass rates, cases, failure codes; no line crosses a change of meaning (specification 60)."""

from __future__ import annotations

import altair as alt
import polars as pl

from judge_polars.charts.look import (
    ABSENT_COLOR,
    COLORS,
    INK,
    MOST_ROWS,
    SOFT,
    STEP,
    WIDTH,
    Chart,
    cells_of,
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
from judge_polars.vocabulary import FAILURE_CODES, VERDICTS

NO_RUNS = "No eval run is judged yet"
WAY_TO_RUNS = "judge-polars judge RUNS fills the history."
NOT_RUN = "not run"


def verdict_shares(trends: pl.DataFrame) -> Chart:
    """Stacked bars: which share of each eval run's judged case runs passed, failed, is invalid, with the counts.

    Args:
        trends: the view `suite_trends`.
    """
    judged = trends.filter(pl.col("comparable") + pl.col("invalid") > 0)
    if judged.is_empty():
        return nothing(NO_RUNS, WAY_TO_RUNS)
    return each_suite(judged, _shares)


def _shares(suite: str, rows: pl.DataFrame) -> Chart:
    rows, left_out = latest_runs(rows)
    runs = in_order(rows["eval_run_id"])
    counts = (
        rows.select("eval_run_id", "place", **{"pass": "passed", "fail": "failed", "invalid": "invalid"})
        .unpivot(index=["eval_run_id", "place"], variable_name="verdict", value_name="case_runs")
        .filter(pl.col("case_runs") > 0)
        .with_columns(order=pl.col("verdict").replace_strict(VERDICTS, range(len(VERDICTS))))
        .sort("place", "order")
        .with_columns(share=pl.col("case_runs") / pl.col("case_runs").sum().over("place"))
        .with_columns(high=pl.col("share").cum_sum().over("place"))
        .with_columns(low=pl.col("high") - pl.col("share"))
        .with_columns(middle=(pl.col("low") + pl.col("high")) / 2)
    )
    base = alt.Chart(data(counts))
    shares = alt.Axis(format="%", title="share of judged case runs (%)")
    bars = base.mark_bar().encode(
        x=runs_axis(runs, WIDTH),
        y=alt.Y("low:Q", axis=shares, scale=alt.Scale(domain=[0, 1])),
        y2="high:Q",
        color=alt.Color("verdict:N", **colored(COLORS, "verdict")),
    )
    texts = base.mark_text(color="white", fontWeight="bold").encode(
        x=runs_axis(runs, WIDTH), y=alt.Y("middle:Q", axis=shares), text="case_runs:Q"
    )
    heading = title(
        f"{suite}: verdicts of each eval run",
        "share of the judged case runs that passed, failed, are invalid; numbers are case runs",
        left_out,
    )
    chart: Chart = alt.layer(bars, texts, *_marks_of_changes(rows, runs), title=heading)
    return chart.properties(width=WIDTH, height=220)


def pass_rate(trends: pl.DataFrame) -> Chart:
    """Pass rate of the comparable case runs with its 95 % Wilson interval; a line joins only eval runs of one segment.

    Args:
        trends: the view `suite_trends`.
    """
    rated = trends.filter(pl.col("pass_rate").is_not_null())
    if rated.is_empty():
        return nothing("No eval run has a comparable case run yet", WAY_TO_RUNS)
    return each_suite(rated, _rates)


def _rates(suite: str, rows: pl.DataFrame) -> Chart:
    rows, left_out = latest_runs(rows)
    runs = in_order(rows["eval_run_id"])
    counted = rows.select(
        "eval_run_id",
        "segment",
        "pass_rate",
        "pass_rate_low",
        "pass_rate_high",
        text=pl.format("{}/{}", "passed", "comparable"),
    )
    base = alt.Chart(data(counted)).encode(x=runs_axis(runs, WIDTH))
    rates = alt.Axis(format="%", title="pass rate of comparable case runs (%)")
    scale = alt.Scale(domain=[0, 1])
    low, high = alt.Y("pass_rate_low:Q", axis=rates, scale=scale), alt.Y2("pass_rate_high:Q")
    rate = alt.Y("pass_rate:Q", axis=rates, scale=scale)
    layers = [
        base.mark_area(color=COLORS["pass"], opacity=0.15).encode(y=low, y2=high, detail="segment:N"),
        base.mark_rule(color=COLORS["pass"], opacity=0.5).encode(y=low, y2=high),
        base.mark_line(color=COLORS["pass"], strokeWidth=2).encode(y=rate, detail="segment:N"),
        base.mark_point(color=COLORS["pass"], filled=True, size=60, opacity=1).encode(y=rate),
        base.mark_text(color=INK, dx=8, align="left", fontSize=11).encode(y=rate, text="text:N"),
    ]
    heading = title(
        f"{suite}: pass rate, with its 95 % interval (Wilson)",
        "passed / comparable case runs; no line crosses a change of rubric",
        left_out,
    )
    chart: Chart = alt.layer(*layers, *_marks_of_changes(rows, runs), title=heading)
    return chart.properties(width=WIDTH, height=240)


def _marks_of_changes(rows: pl.DataFrame, runs: list[str]) -> list[alt.Chart]:
    """A dashed line with words before each eval run with which the meaning of the verdicts changes."""
    changed = rows.sort("place").filter(pl.col("segment") != pl.col("segment").shift())
    if changed.is_empty():
        return []
    marked = changed.select("eval_run_id", text=pl.lit("rubric changed"))
    base = alt.Chart(data(marked)).encode(x=runs_axis(runs, WIDTH, at=0))
    return [
        base.mark_rule(color=INK, strokeDash=[4, 3]),
        base.mark_text(color=INK, align="left", dx=4, fontSize=11, y=-6).encode(text="text:N"),
    ]


def heat_map(cases: pl.DataFrame) -> Chart:
    """A cell per case and eval run: its verdict over the trials as a word, with passed / comparable trials.

    Args:
        cases: `rows.case_map`.
    """
    if cases.is_empty():
        return nothing(NO_RUNS, WAY_TO_RUNS)
    return each_suite(cases, _cases)


def _cases(suite: str, rows: pl.DataFrame) -> Chart:
    rows, left_out = latest_runs(rows)
    rows, more = worst_first(rows)
    runs, names = in_order(rows.sort("place")["eval_run_id"]), in_order(rows["case_id"])
    verdict = pl.col("verdict").fill_null(NOT_RUN)
    of_trials = (
        pl.when(pl.col("comparable") > 0).then(pl.format(" {}/{}", "passed", "comparable")).otherwise(pl.lit(""))
    )
    cells = rows.select(
        "eval_run_id",
        "case_id",
        color=verdict,
        text=pl.concat_str(verdict, of_trials),
        ink=pl.when(pl.col("verdict").is_null()).then(pl.lit(SOFT)).otherwise(pl.lit("white")),
    )
    width = max(WIDTH - 180, 34 * len(runs))
    return cells_of(
        cells,
        runs_axis(runs, width),
        rows_axis("case_id", names, "case, the worst first"),
        alt.Color("color:N", **colored({**COLORS, NOT_RUN: ABSENT_COLOR}, "verdict of the case")),
        width=width,
        height=STEP * len(names),
        heading=title(f"{suite}: cases × eval runs", "passed / comparable trials", left_out, more),
    )


def worst_first(rows: pl.DataFrame) -> tuple[pl.DataFrame, str]:
    """The rows of the cases that passed least, and a line that says how many cases are left out."""
    order = (
        rows.group_by("case_id")
        .agg(rate=pl.col("passed").sum() / (pl.col("comparable") + pl.col("invalid")).sum())
        .sort("rate", "case_id", nulls_last=True)
    )
    kept = order.head(MOST_ROWS).select("case_id")
    more = order.height - kept.height
    return (
        kept.join(rows, on="case_id", how="inner", maintain_order="left_right"),
        f"the {MOST_ROWS} cases that passed least; {more} others are left out" if more else "",
    )


def failure_codes(codes: pl.DataFrame) -> Chart:
    """A cell per primary failure code and eval run: how many case runs ended with it, and their share.

    Args:
        codes: the view `failure_code_trends`.
    """
    if codes.filter(pl.col("case_runs") > 0).is_empty():
        return nothing("No case run has a failure code", "Everything passed, or nothing is judged yet.")
    return each_suite(codes, _codes)


def _codes(suite: str, rows: pl.DataFrame) -> Chart:
    rows, left_out = latest_runs(rows)
    met = rows.filter(pl.col("case_runs") > 0)["code"].to_list()
    runs = in_order(rows["eval_run_id"])
    names = [code for code in FAILURE_CODES if code in met]
    came_up = pl.col("case_runs") > 0
    cells = rows.filter(pl.col("code").is_in(names)).select(
        "eval_run_id",
        "code",
        color=pl.when(came_up).then("verdict").otherwise(pl.lit("none")),
        text=pl.when(came_up).then(pl.format("{} · {}", "case_runs", percent(pl.col("rate")))).otherwise(pl.lit("")),
        ink=pl.lit("white"),
    )
    kinds = {name: COLORS[name] for name in ("fail", "invalid")} | {"none": ABSENT_COLOR}
    width = max(WIDTH - 120, 34 * len(runs))
    return cells_of(
        cells,
        runs_axis(runs, width),
        rows_axis("code", names, "primary failure code, by precedence"),
        alt.Color("color:N", **colored(kinds, "makes the verdict")),
        width=width,
        height=STEP * max(1, len(names)),
        heading=title(
            f"{suite}: why case runs did not pass",
            "case runs with the code · share: of the comparable ones (fail), of all judged ones (invalid)",
            left_out,
        ),
    )
