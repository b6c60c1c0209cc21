"""Why a fact has its value: what a built-in one was computed from, and the rules that define any other."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Any, Final

import polars as pl

from judge_polars.book_tables import duration_text
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.run import CaseRunAgain
from judge_polars.printable import printable
from judge_polars.report.records import timestamp_text
from judge_polars.rulebook import FactRule, Window
from judge_polars.vocabulary import ROUTING_CHANNELS

MOST_REFERENCES: Final = 4


def value_text(value: Any) -> str:
    """A fact's value for people."""
    if value is None:
        return "unknown"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, datetime):
        return timestamp_text(value)
    return printable(str(value))


def fact_notes(run: CaseRunAgain, rule: FactRule) -> tuple[str, ...]:
    """What a fact is, and for built-in ones what that came from."""
    name = rule.fact
    if name.startswith("check."):
        return ()
    told = [f"{name} is {value_text(run.facts.get(name))}"]
    family, _, short = name.partition(".")
    explain = _FAMILIES.get(family)
    if explain is not None and name not in run.definitions:
        told += explain(run, short)
    return tuple(told)


def _window(run: CaseRunAgain, short: str) -> list[str]:
    facts = run.facts
    start, end = facts.get("window.start"), facts.get("window.end")
    if start is None or end is None:
        return ["neither report nor manifest has a time window that can be read"]
    if short != "matched_allowed_window":
        return []
    allowed = "; ".join(map(_window_text, run.case.allowed))
    source = facts.get("window.source")
    return [f"the run is about {value_text(start)} to {value_text(end)} (by its {source}); allowed is {allowed}"]


def _window_text(window: Window) -> str:
    tolerance = f", tolerance {duration_text(window.tolerance_us)}" if window.tolerance_us else ""
    return f"{window.match} {timestamp_text(window.start)} to {timestamp_text(window.end)}{tolerance}"


def _cluster(run: CaseRunAgain, short: str) -> list[str]:
    del short
    found = run.facts.get("cluster.id")
    source = f" (by its {run.facts.get('cluster.source')})" if found else ""
    return [f"the run is about cluster {value_text(found)}{source}; the case is about {printable(run.case.cluster_id)}"]


def _artifacts(run: CaseRunAgain, short: str) -> list[str]:
    if run.facts.get(f"artifacts.{short}") is not False:
        return []
    names = run.engine.book.layout.get(short.removesuffix("_present"), ())
    there = nearest_first(names[0] if names else short, run.documents["name"])
    return [f"looked for {', '.join(names)}; nearest documents: {listed(there)}"]


def _routing(run: CaseRunAgain, short: str) -> list[str]:
    """The references that keep a routing fact from holding."""
    if run.facts.get("routing.analysis_patch_present") is False:
        return ["the bundle has no analysis patch"]
    if "refs" not in short or run.facts.get(f"routing.{short}") is True:
        return []
    refs = run.frames["routing_refs"]
    channel = next((channel for channel in ROUTING_CHANNELS if f"analysis_{channel}_" in short), None)
    if channel is not None:
        refs = refs.filter(pl.col("channel") == channel)
    lacking = refs.filter(~pl.col("verified" if short.endswith("verified") else "resolved"))
    shown = [
        f"{row['channel']}:{printable(row['ref'])} of item {printable(row['item_id'] or str(row['item']))}: "
        f"{(row['reason'] or 'unresolved').replace('_', ' ')}"
        for row in lacking.head(MOST_REFERENCES).iter_rows(named=True)
    ]
    if lacking.height > MOST_REFERENCES:
        shown.append(f"… {lacking.height} references in all")
    return shown


_FAMILIES: Final[dict[str, Callable[[CaseRunAgain, str], list[str]]]] = {
    "window": _window,
    "cluster": _cluster,
    "artifacts": _artifacts,
    "routing": _routing,
}
