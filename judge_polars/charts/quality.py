"""What checks are worth: dead ones, redundant ones, deciding ones, and how far the semantic shadow agrees (specification 60)."""

from __future__ import annotations

from typing import Final

import altair as alt
import polars as pl

from judge_polars.charts.facets import DECIDING, NEVER_FAILED, NEVER_PASSED, ONLY_SCORE, REDUNDANT, kinds_of_checks
from judge_polars.charts.look import (
    ACCENT,
    AMBER,
    COLORS,
    INK,
    MOST_ROWS,
    PALE,
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
from judge_polars.vocabulary import BUCKETS

COLORS_OF_KINDS: Final = {
    NEVER_FAILED: COLORS["invalid"],
    NEVER_PASSED: INK,
    ONLY_SCORE: "#5f9ea0",
    REDUNDANT: AMBER,
    DECIDING: ACCENT,
}
"""What a check does -> its colour."""


def dead_checks(checks: pl.DataFrame) -> Chart:
    """Bars: what the checks of each bucket do: dead, only for the score, redundant, deciding.

    Args:
        checks: the view `check_quality`.
    """
    kinds = kinds_of_checks(checks)
    if kinds.is_empty():
        return nothing("No check has judged a case run yet", "judge-polars judge RUNS fills the history.")
    place = pl.col("kind").replace_strict(list(COLORS_OF_KINDS), range(len(COLORS_OF_KINDS)))
    counted = kinds.group_by("bucket", "kind").agg(checks=pl.len().cast(pl.Int64)).with_columns(place=place)
    met = counted["bucket"].to_list()
    names = [bucket for bucket in BUCKETS if bucket in met]
    x = alt.X("checks:Q", stack="zero", axis=alt.Axis(title="checks", tickMinStep=1, format="d"))
    y = rows_axis("bucket", names, "bucket")
    base = alt.Chart(data(counted)).encode(y=y, order="place:Q")
    bars = base.mark_bar().encode(x=x, color=alt.Color("kind:N", **colored(COLORS_OF_KINDS, "the check")))
    texts = base.mark_text(color="white", fontWeight="bold", dx=-9).encode(x=x, text="checks:Q", detail="kind:N")
    heading = title(
        f"What the {kinds.height} checks do",
        "never failed, never passed: dead · never alone: whenever it failed, another check did, too",
    )
    return finished(alt.layer(bars, texts, title=heading).properties(width=WIDTH - 60, height=STEP * len(names)))


def deciding_checks(checks: pl.DataFrame) -> Chart:
    """Bars: in how many case runs each check failed, and in how many of them it alone keeps the case run from passing.

    Args:
        checks: the view `check_quality`.
    """
    failing = kinds_of_checks(checks).filter(pl.col("failed") > 0)
    if failing.is_empty():
        return nothing("No check ever failed", "Either every case run passes, or nothing is judged yet.")
    rows = failing.head(MOST_ROWS).with_columns(check=pl.format("{}.{} · {}", "bucket", "check_id", "case_id"))
    names = in_order(rows["check"])
    alone = pl.col("decides_alone")
    parts = pl.concat(
        [
            rows.select("check", part=pl.lit("alone"), case_runs=alone, place=pl.lit(0)),
            rows.select("check", part=pl.lit("with others"), case_runs=pl.col("failed") - alone, place=pl.lit(1)),
        ]
    ).filter(pl.col("case_runs") > 0)
    x = alt.X("case_runs:Q", axis=alt.Axis(title="case runs in which the check failed", tickMinStep=1, format="d"))
    bars = (
        alt.Chart(data(parts))
        .mark_bar()
        .encode(
            x=x,
            y=rows_axis("check", names, "check · case"),
            order="place:Q",
            color=alt.Color("part:N", **colored({"alone": COLORS["fail"], "with others": "#e8b4bc"}, "it failed")),
        )
    )
    more = failing.height - rows.height
    heading = title(
        "Which checks decide",
        "alone: the case run is no pass only because of it",
        f"{more} other checks are left out" if more else "",
    )
    return finished(bars.properties(width=WIDTH - 180, height=STEP * len(names), title=heading))


def shadow_agreement(agreement: pl.DataFrame) -> Chart:
    """Bars: in which share of the answers the semantic shadow agrees with the check that it shadows; kappa beside it.

    Args:
        agreement: the view `semantic_agreement`.
    """
    compared = agreement.filter(pl.col("compared") > 0)
    if compared.is_empty():
        return nothing(
            "The semantic shadow has not answered yet", "judge-polars semantic run asks it; it never changes a verdict."
        )
    kappa = (
        pl.when(pl.col("kappa").is_null())
        .then(pl.lit(""))
        .otherwise(pl.format(" · kappa {}", pl.col("kappa").round(2)))
    )
    rows = compared.sort("agreement", "case_id", "semantic_check_id").head(MOST_ROWS)
    rows = rows.with_columns(
        check=pl.format("{} → {} · {}", "semantic_check_id", "check_id", "case_id"),
        text=pl.concat_str(pl.format("{}/{}", pl.col("both_passed") + pl.col("neither_passed"), "compared"), kappa),
    )
    names = in_order(rows["check"])
    axis = alt.Axis(format="%", title="answers that agree with the check (%)")
    base = alt.Chart(data(rows)).encode(y=rows_axis("check", names, "question → check · case"))
    room = base.mark_bar(color=PALE).encode(x=alt.X("all:Q", axis=axis, scale=alt.Scale(domain=[0, 1])))
    room = room.transform_calculate(all="1")
    bars = base.mark_bar(color=ACCENT).encode(x=alt.X("agreement:Q", axis=axis))
    texts = base.mark_text(align="left", x=6, color="white").encode(text="text:N")
    heading = title("How far the semantic shadow agrees", "not scored; answers that agree / answers, and Cohen's kappa")
    chart = alt.layer(room, bars, texts, title=heading)
    return finished(chart.properties(width=WIDTH - 180, height=STEP * len(names)))
