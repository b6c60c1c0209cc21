"""What other processes and a Ray cluster read and judge is what this process reads and judges, byte for byte."""

from __future__ import annotations

import re
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import TypeVar

import pytest

from judge_polars.bundles import find_case_runs, shards
from judge_polars.chronicle import judge_files
from judge_polars.engine import Engine
from judge_polars.history.record import Record
from judge_polars.ingest import Reader, ingest_places
from judge_polars.judge import Options, judge_runs
from judge_polars.registry import load_registry
from judge_polars.report.formats import WRITERS
from judge_polars.tables import PUBLISHED_TABLES
from judge_polars.workers import ALONE, LOCAL, RAY, Workers, force
from tests.history.worlds import content, judge_all

pytestmark = pytest.mark.xdist_group("ray")
Place = TypeVar("Place")
PASSING = re.compile(rb'"(judgment_id|judged_at)": ?"[^"]+"')
"""What differs from one judging pass to the next."""


@pytest.fixture(params=[LOCAL, RAY])
def workers(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Workers:
    """Two workers, that are given three case runs at a time."""
    if request.param == RAY:
        request.getfixturevalue("cluster")

    def of_three(places: list[Place]) -> Iterator[list[Place]]:
        return shards(places, 3)

    for room in ("judge", "ingest"):
        monkeypatch.setattr(import_module(f"judge_polars.{room}"), "shards", of_three)
    monkeypatch.setattr(force, "POOL_FROM", 1)
    return Workers(2, request.param)


def test_exports(world: Path, workers: Workers) -> None:
    book = load_registry(world / "registry").compile()
    here, there = (judge_runs([world / "runs"], book, Options(workers=who, evidence=True)) for who in (ALONE, workers))
    for write in WRITERS.values():
        one, other = (write(done, done.verdicts, facts=True, issues=True) for done in (here, there))
        assert PASSING.sub(b"", one) == PASSING.sub(b"", other)
    passing = ("judgments", "judged_case_runs")
    told = [table.name for table in PUBLISHED_TABLES if table.name not in passing]
    assert [name for name in told if not here.frames[name].equals(there.frames[name])] == []


def test_a_shard_that_is_read_twice_changes_no_answer(world: Path, tmp_path: Path) -> None:
    book = load_registry(world / "registry").compile()
    found = find_case_runs([world / "runs"], book.limits)
    ingest_places(tmp_path / "once", Engine(book), found, found.places)
    ingest_places(tmp_path / "twice", Engine(book), found, found.places)
    Reader(tmp_path / "twice", Engine(book))(found.places)
    for name in ("once", "twice"):
        judge_all(tmp_path / name, book)
    once, twice = content(tmp_path / "once"), content(tmp_path / "twice")
    assert [name for name in once if not once[name].equals(twice[name])] == []
    assert len(Record.open(tmp_path / "twice").batches()) > len(Record.open(tmp_path / "once").batches())


def test_histories(world: Path, tmp_path: Path, workers: Workers) -> None:
    book = load_registry(world / "registry").compile()
    for name, who in (("here", ALONE), ("there", workers)):
        for _ in range(2):
            judge_files([world / "runs"], book, tmp_path / name, Options(workers=who))
    here, there = content(tmp_path / "here"), content(tmp_path / "there")
    assert [name for name in here if not here[name].equals(there[name])] == []
    assert here["verdicts"].height > 0
