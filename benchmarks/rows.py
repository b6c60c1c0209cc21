"""The rows that `make bench` fills: what is measured, what it should at least be, and what is aimed at (specification 90)."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Final


@dataclass(frozen=True)
class Target:
    """A row of the specification's table; `name` chooses it on the command line."""

    name: str
    stage: str
    measure: str
    at_least: str
    aim: str


TARGETS: Final = (
    Target("ingest", "cold ingest, 1 process", "CPU ÷ limit probe", "≤ 4", "≤ 3"),
    Target("jobs", "cold ingest, 2 jobs", "wall speed-up", "≥ 1.6", "≥ 1.85"),
    Target("keywords", "case keywords", "speed ÷ Python `any(k in text)`", "≥ 2", "≥ 4"),
    Target("heuristics", "text heuristics", "speed ÷ Python `re`", "≥ 30", "≥ 80"),
    Target(
        "checks",
        "rules -> check results, facts in memory",
        "speed ÷ tuned Python judge",
        "≥ 5",
        "≥ 8; ≥ 20 at few cases",
    ),
    Target(
        "verdicts",
        "check results -> verdict rows in DuckDB",
        "with the stage above ÷ tuned Python judge",
        "≥ 1.2 / 4 / 8",
        "≥ 2 / 8 / 15",
    ),
    Target("cases", "number of cases", "cost(10k runs, 500 cases) ÷ cost(10k runs, 20 cases)", "≤ 1.3", "≤ 1.1"),
    Target("rejudge", "re-judge from the record", "runs/s ÷ per-run judge from bundles", "≥ 500", "≥ 2,000"),
    Target("edited", "one rule edited", "re-judge ÷ full re-judge", "≤ 1/10", "≤ 1/30"),
    Target("growth", "growth", "exponent of CPU in runs", "≤ 1.1", "≤ 1.05"),
    Target("memory", "memory", "peak RSS", "≤ 1.5 GiB; ≤ 1 GiB per job", "flat"),
    Target(
        "views",
        "views on 1M verdicts, 30M check results",
        "whole view ÷ `sum(passed)`; one eval run ÷ whole",
        "≤ 20; ≤ 1/10",
        "",
    ),
    Target("disk", "disk", "documents ÷ raw bundle; bytes per check result", "≤ 1/5; ≤ 4", ""),
)
"""In the order of the specification."""

_SIGNS: Final[Mapping[str, Callable[[float, float], bool]]] = {"≤": operator.le, "≥": operator.ge}


@dataclass(frozen=True)
class Measured:
    """One figure.

    Attributes:
        target: `Target.name`.
        what: which shape, size or view.
        value: the figure; in the unit of the measure.
        bound: `≤ 4` and its like; empty where nothing is asked of the figure.
        rounds: of how many rounds it is the best.
        note: seconds of both sides, sizes that differ from the specification's, and so on.
    """

    target: str
    what: str
    value: float
    bound: str = ""
    rounds: int = 1
    note: str = ""

    @property
    def holds(self) -> bool | None:
        """Whether the figure is what is asked at least; None where nothing is asked."""
        if not self.bound:
            return None
        sign, limit = self.bound.split(" ", 1)
        return _SIGNS[sign](self.value, float(limit))


def as_data(rows: Iterable[Measured]) -> list[dict[str, Any]]:
    """Rows for JSON."""
    return [{**asdict(row), "holds": row.holds} for row in rows]


def from_data(data: Iterable[Mapping[str, Any]]) -> list[Measured]:
    """Rows of JSON."""
    names = Measured.__dataclass_fields__
    return [Measured(**{name: row[name] for name in names if name in row}) for row in data]


def table(rows: Sequence[Measured]) -> str:
    """The rows as a Markdown table, each target's first line with what the specification asks."""
    lines = [
        "| stage | measure | what | measured | asked | holds | aim | best of | notes |",
        "| --- | --- | --- | ---: | --- | --- | --- | ---: | --- |",
    ]
    for target in TARGETS:
        for number, row in enumerate(found for found in rows if found.target == target.name):
            head = (target.stage, target.measure) if number == 0 else ("", "")
            aim = target.aim if number == 0 else ""
            holds = {True: "yes", False: "**no**", None: ""}[row.holds]
            cells = (*head, row.what, f"{row.value:,.3g}", row.bound, holds, aim, str(row.rounds), row.note)
            lines.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(lines)
