"""A what-if shows the flips that judging the files anew would show, and the case runs may be gone by then."""

import os
import shutil
from pathlib import Path
from random import Random

import polars as pl
import pytest

from judge_polars.engine import Engine
from judge_polars.history.store import open_history
from judge_polars.judge import judge_runs
from judge_polars.registry import load_registry
from judge_polars.what_if import what_if
from tests.generate import write_world
from tests.history.edits import edited
from tests.history.worlds import content, ingest, judge_all

SEEDS = range(int(os.environ.get("JUDGE_POLARS_TEST_SEEDS", "1")))
"""Worlds and edits; the variable asks for more of them."""


@pytest.mark.parametrize("seed", SEEDS)
def test_flips_are_those_of_judging_anew(seed: int, tmp_path: Path) -> None:
    random = Random(seed)
    write_world(seed, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    other = edited(random, book)
    before = judge_runs([tmp_path / "runs"], book).verdicts
    after = judge_runs([tmp_path / "runs"], other).verdicts
    ingest(tmp_path / "history", tmp_path / "runs", book)
    judge_all(tmp_path / "history", book)
    shutil.rmtree(tmp_path / "runs")
    kept = content(tmp_path / "history")
    with open_history(tmp_path / "history") as history:
        found = what_if(history, Engine(other))
    both = before.join(after, on="case_run_id", suffix="_after")
    wanted = both.filter(
        (pl.col("verdict") != pl.col("verdict_after"))
        | pl.col("primary_failure_code").ne_missing(pl.col("primary_failure_code_after"))
    )
    columns = ("case_run_id", "verdict", "verdict_after", "primary_failure_code", "primary_failure_code_after")
    told = found.flips.select(
        "case_run_id", "from_verdict", "to_verdict", "from_primary_failure_code", "to_primary_failure_code"
    )
    assert told.sort("case_run_id").rows() == wanted.select(columns).sort("case_run_id").rows()
    assert found.counts["case_runs"].sum() == after.height
    again = content(tmp_path / "history")
    for name, frame in kept.items():
        assert again[name].equals(frame), name
