"""What the workspace holds under `recorded/`: identity, evidence files, logs; read as they were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, Final

RECORDED: Final = "recorded"


class NoRecordedDataError(Exception):
    """The workspace holds nothing to look at; the text says what is missing."""


@dataclass(frozen=True, slots=True)
class Series:
    """One metric of one instance; points are (Unix seconds, value)."""

    name: str
    labels: dict[str, str]
    points: tuple[tuple[float, float], ...]

    @property
    def reference(self) -> str:
        """As an evidence map cites it."""
        labels = ",".join(f'{key}="{value}"' for key, value in self.labels.items())
        return f"metric:{self.name}{{{labels}}}" if labels else f"metric:{self.name}"

    @property
    def highest(self) -> float:
        """The largest value."""
        return max((value for _, value in self.points), default=0.0)


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a log; `number` counts from 1."""

    file: str
    number: int
    text: str


@dataclass(frozen=True)
class Recorded:
    """Everything that was recorded of one incident.

    Attributes:
        window: start and end as written; `begin` and `finish` are the same as Unix seconds.
        evidence, logs: file name -> content.
    """

    cluster_id: str
    window: dict[str, str]
    evidence: dict[str, bytes]
    logs: dict[str, str]

    @property
    def begin(self) -> float:
        """Start of the window, Unix seconds."""
        return datetime.fromisoformat(self.window["start"]).timestamp()

    @property
    def finish(self) -> float:
        """End of the window, Unix seconds."""
        return datetime.fromisoformat(self.window["end"]).timestamp()

    def rows(self, file: str, key: str) -> list[dict[str, Any]]:
        """The objects that an evidence file lists under a key; none where there is no such file."""
        document = json.loads(self.evidence.get(file, b"{}"))
        return [row for row in document.get(key, []) if isinstance(row, dict)]

    def series(self, metric: str, /, **labels: str) -> list[Series]:
        """The series of a metric that have these labels, cut to the window."""
        return [
            series for series in self._series() if series.name == metric and labels.items() <= series.labels.items()
        ]

    def metric_names(self) -> list[str]:
        """The metrics that were recorded, sorted."""
        return sorted({series.name for series in self._series()})

    def _series(self) -> Iterator[Series]:
        for query in self.rows("metrics.json", "queries"):
            for entry in query["answer"]["data"]["result"]:
                labels = {key: value for key, value in entry["metric"].items() if key != "__name__"}
                points = ((float(at), float(value)) for at, value in entry["values"])
                inside = tuple((at, value) for at, value in points if self.begin <= at <= self.finish)
                yield Series(entry["metric"]["__name__"], labels, inside)

    def lines(self, *words: str) -> list[Line]:
        """Log lines that hold one of these words, in the order of files and lines."""
        return [
            Line(file, number, text)
            for file, content in self.logs.items()
            for number, text in enumerate(content.split("\n"), start=1)
            if any(word in text for word in words)
        ]


def read_recorded(workspace: Path) -> Recorded:
    """Read `recorded/` of a workspace.

    Raises:
        NoRecordedDataError: there is none, or it cannot be read.
    """
    root = workspace / RECORDED
    try:
        cluster = json.loads((root / "cluster.json").read_bytes())
        evidence = {path.name: path.read_bytes() for path in sorted((root / "evidence").glob("*.json"))}
        logs = {path.name: path.read_text("utf-8") for path in sorted((root / "logs").glob("*.log"))}
        return Recorded(str(cluster["cluster_id"]), dict(cluster["time_window"]), evidence, logs)
    except (OSError, ValueError, KeyError, TypeError) as wrong:
        raise NoRecordedDataError(f"the workspace holds no recorded data that could be read: {wrong}") from wrong
