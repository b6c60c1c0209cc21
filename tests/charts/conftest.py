"""The demo's history, judged once, and the frames that the charts take."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import polars as pl
import pytest

import judge_polars as jp
from judge_polars import sweep
from judge_polars.charts import rows
from tests.charts.frames import AGREEMENT, FLIPS
from tests.notebooks.histories import demo_history

ROOT = Path(__file__).resolve().parents[2]
Frames = dict[str, pl.DataFrame]


@pytest.fixture(scope="session")
def history(tmp_path_factory: pytest.TempPathFactory) -> Iterator[jp.History]:
    """The history of the runs that ship."""
    opened = jp.open_history(demo_history(tmp_path_factory.mktemp("charts")))
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def registry() -> jp.Registry:
    """The registry that ships."""
    return jp.load_registry(ROOT / "evaluation" / "regression")


@pytest.fixture(scope="session")
def frames(history: jp.History, registry: jp.Registry) -> Frames:
    """What each chart takes, by the chart's name; flips and the shadow's answers are made up."""
    run = "2025-03-05-nightly"
    compared = rows.comparison(history, run)
    number = sweep.thresholds(registry).filter(check_id="one_store_thread_at_its_limit")["number"][0]
    return {
        "verdict_shares": history.sql("from suite_trends"),
        "pass_rate": history.sql("from suite_trends"),
        "heat_map": rows.case_map(history),
        "failure_codes": history.sql("from failure_code_trends"),
        "verdict_flow": compared,
        "first_bad_runs": rows.first_bad_runs(history, run),
        "fact_differences": rows.fact_differences(history, run, rows.other_run(compared)),
        "flips_by_cause": FLIPS,
        "threshold_sweep": sweep.threshold_sweep(history, registry, number, [0.5, 0.99]),
        "dead_checks": history.sql("from check_quality"),
        "deciding_checks": history.sql("from check_quality"),
        "shadow_agreement": AGREEMENT,
        "channels": rows.channels(history),
        "dangling_references": rows.references(history),
        "grounding": rows.grounding(history),
    }
