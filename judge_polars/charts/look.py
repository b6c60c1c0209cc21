"""How every chart looks: colours with words, harmless texts, titles, and a chart that says that there is nothing.

Charts are Altair charts that need no network: `prepare` lets a notebook show them as PNG (specification 70, "Notebooks").
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, TypeAlias

import polars as pl

from judge_polars.errors import MissingPieceError
from judge_polars.masking import mask
from judge_polars.printable import excerpt

try:
    import altair as alt
except ImportError as missing:
    raise MissingPieceError("charts need altair and vl-convert: pip install 'judge-polars[notebooks]'") from missing

Chart: TypeAlias = alt.Chart | alt.LayerChart | alt.VConcatChart | alt.HConcatChart | alt.FacetChart

COLORS: Final = {"pass": "#2a9d55", "fail": "#d1495b", "invalid": "#8d99ae"}
"""Verdict -> its colour; its word stands beside it wherever it is used."""
ABSENT_COLOR: Final = "#f1f0ec"
INK, SOFT, ACCENT, AMBER, PALE = "#22272e", "#6b7280", "#33658a", "#b7791f", "#e5e7eb"
WIDTH: Final = 620
"""Pixels of a chart's plot."""
STEP: Final = 26
"""Pixels of a row or of a cell's height."""
MOST_RUNS, MOST_ROWS, MOST_SUITES = 30, 30, 6
"""Eval runs (the latest), rows and suites that a chart shows; a title says what it leaves out."""
TEXT_LENGTH: Final = 300
LABEL_PIXELS: Final = 480
_MIDDLE: Final = 0.5
_LETTER: Final = 6.6
"""Pixels of a letter of an axis label, and a little room."""


def prepare() -> None:
    """Show charts as PNG, which needs no network; the first call of each notebook."""
    alt.renderers.enable("png", scale_factor=1.4)


def plain(value: object) -> object:
    """A value for a chart: a text in one line without control characters, everything else as it is."""
    return excerpt(mask(value).text, length=TEXT_LENGTH) if isinstance(value, str) else value


def data(frame: pl.DataFrame) -> alt.InlineData:
    """The rows of a frame as a chart's own data; texts are made harmless."""
    return values(frame.iter_rows(named=True))


def values(rows: Iterable[Mapping[str, Any]]) -> alt.InlineData:
    """Rows as a chart's own data; texts are made harmless."""
    return alt.InlineData(values=[{name: plain(value) for name, value in row.items()} for row in rows])


def in_order(names: Iterable[str]) -> list[str]:
    """Distinct names in their order, as `data` shows them."""
    return list(dict.fromkeys(str(plain(name)) for name in names))


def title(text: str, *below: str) -> alt.TitleParams:
    """What a chart shows, with lines below it; empty ones are left out."""
    return alt.TitleParams(
        str(plain(text)),
        subtitle=[str(plain(line)) for line in below if line],
        anchor="start",
        fontSize=15,
        subtitleFontSize=12,
        color=INK,
        subtitleColor=SOFT,
        offset=10,
    )


def finished(chart: Chart) -> Chart:
    """A chart with the common settings of axes, legends and view."""
    dressed: Chart = (
        chart.configure_view(stroke=None)
        .configure_axis(
            labelColor=INK,
            titleColor=SOFT,
            titleFontWeight="normal",
            gridColor=PALE,
            domainColor=PALE,
            tickColor=PALE,
            labelLimit=LABEL_PIXELS,
            labelFontSize=12,
            titleFontSize=12,
        )
        .configure_legend(labelColor=INK, titleColor=SOFT, titleFontWeight="normal", orient="top", labelFontSize=12)
        .configure_concat(spacing=30)
        .properties(background="white", padding=12)
    )
    return dressed


def nothing(what: str, *ways: str) -> Chart:
    """A chart that says what there is none of, and what to do about it."""
    lines = [str(plain(line)) for line in ways if line] or ["There are no rows to draw."]
    rows = [{"line": line, "at": at} for at, line in enumerate(lines)]
    chart = (
        alt.Chart(values(rows), title=title(what))
        .mark_text(align="left", color=SOFT, fontSize=13, x=0)
        .encode(y=alt.Y("at:O", axis=None), text="line:N")
        .properties(width=WIDTH, height=STEP * len(lines))
    )
    return finished(chart)


def colored(names: Mapping[str, str], heading: str | None, *, legend: bool = True) -> Any:
    """The colour scale of a closed set of words; the legend holds the words."""
    return {
        "scale": alt.Scale(domain=list(names), range=list(names.values())),
        "legend": alt.Legend(title=heading) if legend else None,
    }


def runs_axis(runs: Sequence[str], width: int, *, at: float = _MIDDLE) -> alt.X:
    """Eval runs side by side in their order; the field is `eval_run_id`.

    Args:
        width: of the plot, in pixels; where the names do not fit side by side they are turned.
        at: where in the band of an eval run a mark stands, 0 to 1.
    """
    fits = max(map(len, runs), default=0) * len(runs) * _LETTER <= width
    return alt.X(
        "eval_run_id:N",
        sort=list(runs),
        scale=alt.Scale(type="band", paddingInner=0.08, paddingOuter=0.04),
        axis=alt.Axis(title="eval run, in time order", labelAngle=0 if fits else -40, labelLimit=160, grid=False),
        bandPosition=alt.Undefined if at == _MIDDLE else at,
    )


def rows_axis(field: str, names: Sequence[str], heading: str, *, named: bool = True) -> alt.Y:
    """Names under each other in their order; `named` says whether they are written there."""
    return alt.Y(
        f"{field}:N",
        sort=list(names),
        scale=alt.Scale(type="band", paddingInner=0.08),
        axis=alt.Axis(
            title=heading if named else None,
            labels=named,
            ticks=named,
            grid=False,
            labelLimit=LABEL_PIXELS,
            maxExtent=LABEL_PIXELS + STEP,
        ),
    )


def latest_runs(frame: pl.DataFrame, most: int = MOST_RUNS) -> tuple[pl.DataFrame, str]:
    """The rows of the latest eval runs by `place`, in time order, and a line that says how many are left out."""
    last = frame["place"].max()
    first = frame["place"].min()
    if not isinstance(last, int) or not isinstance(first, int):
        return frame, ""
    kept = frame.filter(pl.col("place") > last - most).sort("place", maintain_order=True)
    left_out = max(0, last - most - first + 1)
    return kept, f"the latest {most} eval runs; {left_out} earlier ones are left out" if left_out else ""


def each_suite(frame: pl.DataFrame, draw: Callable[[str, pl.DataFrame], Chart]) -> Chart:
    """A chart per suite under each other, at most `MOST_SUITES`, the one without a suite last; the last line says how many
    suites are left out.

    Args:
        draw: makes the chart of a suite's name and rows.
    """
    suites = frame["suite_id"].unique().sort(nulls_last=True).to_list()
    charts = [
        draw(suite or "no suite", frame.filter(pl.col("suite_id").eq_missing(pl.lit(suite, pl.String))))
        for suite in suites[:MOST_SUITES]
    ]
    left_out = len(suites) - MOST_SUITES
    if left_out > 0:
        charts.append(_line(f"{left_out} other suites are left out: filter the rows by suite_id"))
    if len(charts) == 1:
        return finished(charts[0])
    together: Chart = alt.vconcat(*charts).resolve_scale(x="independent", y="independent", color="independent")
    return finished(together)


def _line(text: str) -> Chart:
    """A line of text as a chart."""
    mark = alt.Chart(values([{"line": text}])).mark_text(align="left", color=SOFT, fontSize=13, x=0)
    chart: Chart = mark.encode(text="line:N")
    return chart


def cells_of(
    frame: pl.DataFrame, x: alt.X, y: alt.Y, color: Any, *, width: int, height: int, heading: alt.TitleParams
) -> Chart:
    """A grid of coloured cells, each with its text: the fields are `color`, `text` and `ink`, and those of the axes."""
    base = alt.Chart(data(frame))
    cells = base.mark_rect(cornerRadius=3).encode(x=x, y=y, color=color)
    texts = base.mark_text(fontSize=11, limit=120).encode(
        x=x, y=y, text="text:N", color=alt.Color("ink:N", scale=None, legend=None)
    )
    chart: Chart = alt.layer(cells, texts, title=heading).resolve_scale(color="independent")
    return chart.properties(width=width, height=height)


def percent(share: pl.Expr) -> pl.Expr:
    """A share as text: `83 %`; null stays null."""
    return pl.format("{} %", (share * 100).round(0).cast(pl.Int64))
