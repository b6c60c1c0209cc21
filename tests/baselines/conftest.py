"""The demo's runs, judged once, and copies of its registry that a test may change."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl
import pytest

import judge_polars
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.registry import Registry, load_registry
from judge_polars.sources import DOCUMENT_TEXTS, Rows

EVALUATION = Path(__file__).resolve().parents[2] / "evaluation"
RUNS = EVALUATION / "runs"
SUITE = "core-daily-demo"
RESTART = "component-restart-during-incident-window"
DEGRADATION = "service-degradation-during-incident-window"
SURGE = "tail-latency-surge-during-incident-window"
FIRST, GOOD, BROKEN, HALF, WEAKER = (f"2025-03-0{day}-nightly" for day in range(3, 8))
"""All three cases hold in GOOD; BROKEN has a case run that did not start; HALF lacks a case and a case run."""


@pytest.fixture(scope="session")
def demo() -> Judgment:
    """Every run of the demo, judged."""
    return judge_polars.judge(RUNS, load_registry(EVALUATION / "regression"))


@pytest.fixture(scope="session")
def source(demo: Judgment) -> JudgedRuns:
    """The demo's runs as a source."""
    return JudgedRuns(demo)


@pytest.fixture
def registry(tmp_path: Path) -> Registry:
    """A copy of the demo's registry, without an export of its baseline."""
    shutil.copytree(EVALUATION / "regression", tmp_path / "regression")
    shutil.rmtree(tmp_path / "regression" / "baselines" / "runs", ignore_errors=True)
    return load_registry(tmp_path / "regression")


@dataclass
class StandIn:
    """A source whose documents a test writes down: (case run id, document) -> columns of `DOCUMENT_TEXTS`."""

    rows: Rows
    written: dict[tuple[str, str], dict[str, object]] = field(default_factory=dict)
    portions: list[int] = field(default_factory=list)

    def sql(self, query: str, parameters: Sequence[object] | None = None) -> pl.DataFrame:
        """As the source behind it."""
        return self.rows.sql(query, parameters)

    def documents(self, case_run_ids: Sequence[str]) -> pl.DataFrame:
        """The documents that were written down."""
        self.portions.append(len(case_run_ids))
        found = [
            {**dict.fromkeys(DOCUMENT_TEXTS), "case_run_id": key, "document": name, **defaults(name, columns)}
            for (key, name), columns in self.written.items()
            if key in case_run_ids
        ]
        return pl.DataFrame(found, schema=DOCUMENT_TEXTS).sort("case_run_id", "document")


def defaults(name: str, columns: dict[str, object]) -> dict[str, object]:
    """What a document is by its name, and what differs."""
    kind = {"json": "json", "jsonl": "jsonl"}.get(name.rpartition(".")[2], "text")
    return {"kind": kind, "unread": False, "size": len(str(columns.get("text") or "")), **columns}
