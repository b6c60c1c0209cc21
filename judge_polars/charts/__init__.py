"""Charts of a history, and what they say in words (specification 70, "Notebooks").

    from judge_polars import charts

    charts.prepare()                                        # charts as PNG
    charts.pass_rate(history.sql("from suite_trends"))      # a chart
    charts.words.pass_rate(history.sql("from suite_trends"))  # its answer in words
    charts.table(history.sql("from failures"))              # a table for reading

Each chart takes the rows of a view, or of a function of `rows`.  The names are resolved when they are first used: Altair
(extra `notebooks`) is imported with the first chart.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge_polars.charts import rows, words
    from judge_polars.charts.coverage import channels, dangling_references, grounding
    from judge_polars.charts.flips import flips_by_cause, threshold_sweep
    from judge_polars.charts.look import prepare
    from judge_polars.charts.quality import dead_checks, deciding_checks, shadow_agreement
    from judge_polars.charts.regressions import fact_differences, first_bad_runs, verdict_flow
    from judge_polars.charts.tables import table
    from judge_polars.charts.trends import failure_codes, heat_map, pass_rate, verdict_shares

__all__ = [
    "channels",
    "dangling_references",
    "dead_checks",
    "deciding_checks",
    "fact_differences",
    "failure_codes",
    "first_bad_runs",
    "flips_by_cause",
    "grounding",
    "heat_map",
    "pass_rate",
    "prepare",
    "rows",
    "shadow_agreement",
    "table",
    "threshold_sweep",
    "verdict_flow",
    "verdict_shares",
    "words",
]

_HOMES = {
    "prepare": "look",
    "table": "tables",
    **dict.fromkeys(("verdict_shares", "pass_rate", "heat_map", "failure_codes"), "trends"),
    **dict.fromkeys(("verdict_flow", "first_bad_runs", "fact_differences"), "regressions"),
    **dict.fromkeys(("flips_by_cause", "threshold_sweep"), "flips"),
    **dict.fromkeys(("dead_checks", "deciding_checks", "shadow_agreement"), "quality"),
    **dict.fromkeys(("channels", "dangling_references", "grounding"), "coverage"),
}
_WITHOUT_ALTAIR = ("tables",)


def __getattr__(name: str) -> Any:
    if name in ("rows", "words"):
        return import_module(f"{__name__}.{name}")
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    if _HOMES[name] not in _WITHOUT_ALTAIR:
        import_module(f"{__name__}.look")  # says what to install where Altair is missing
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
