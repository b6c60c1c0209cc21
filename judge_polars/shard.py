"""The frames of one shard of case runs while it is judged (the declarations are in `tables.py`)."""

from __future__ import annotations

from dataclasses import dataclass

import polars as pl

from judge_polars.plan import ReadingPlan


@dataclass(frozen=True)
class Shard:
    """What rules read: the documents of the chosen bundles and outputs, and what was taken out of their JSON values.

    Attributes:
        runs: `run`, `case` (row of the compiled cases), `window_start`, `window_end` (the case's `time_window`), row number = run.
        documents: `tables.DOCUMENTS` of every distinct bundle; row number = `doc`.
        nodes, series, points, series_paths: as in `tables.py`.
        plan: what the indexes in `nodes.path`, `nodes.condition` and `series_paths.path` mean.
    """

    runs: pl.DataFrame
    documents: pl.DataFrame
    nodes: pl.DataFrame
    series: pl.DataFrame
    points: pl.DataFrame
    series_paths: pl.DataFrame
    plan: ReadingPlan
