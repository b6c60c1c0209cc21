"""Batches that are put together while others write and read: the latest of what was read counts, and everything counts once."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import polars as pl
import pytest

from judge_polars import compact as compacting
from judge_polars.compact import Compacted, compact
from judge_polars.errors import InputError
from judge_polars.history.publish import publish
from judge_polars.history.record import Batch, Record
from judge_polars.registry import load_registry
from judge_polars.rulebook import RuleBook
from tests.cli.world import write_world
from tests.history.worlds import content, ingest, judge_all


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world, with a directory that is no trial, and its history in a batch for each eval run."""
    root = write_world(tmp_path_factory.mktemp("world"))
    (root / "runs" / "2025-03-04-nightly" / "cases" / "disk-hang" / "trial-x").mkdir()
    book = load_registry(root / "registry").compile()
    for eval_run in sorted((root / "runs").iterdir()):
        ingest(root / "history", eval_run, book)
    judge_all(root / "history", book)
    return root


@pytest.fixture
def root(judged: Path, tmp_path: Path) -> Path:
    """A copy of it."""
    return Path(shutil.copytree(judged, tmp_path / "world"))


@pytest.fixture
def book(root: Path) -> RuleBook:
    """Its registry."""
    return load_registry(root / "registry").compile()


@pytest.fixture
def history(root: Path) -> Path:
    """Its history."""
    return root / "history"


def change_records(root: Path, version: str) -> None:
    """Another version of the agent in every record, and another status."""
    for path in (root / "runs").rglob("eval_run.json"):
        path.write_text(json.dumps({**json.loads(path.read_text()), "agent": {"name": "a", "version": version}}))
    for path in (root / "runs").rglob("case_run.json"):
        told = {**json.loads(path.read_text()), "status": version}
        told.pop("agent", None)
        path.write_text(json.dumps(told))


def rebuilt(history: Path) -> Mapping[str, pl.DataFrame]:
    """What a history says when its published file is made anew."""
    publish(Record.open(history), rebuild=True)
    return content(history)


def assert_same(found: Mapping[str, pl.DataFrame], wanted: Mapping[str, pl.DataFrame]) -> None:
    for name, frame in wanted.items():
        assert found[name].to_dicts() == frame.to_dicts(), name


def test_what_is_read_meanwhile_stays_the_latest(
    root: Path, history: Path, book: RuleBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    merge_texts = compacting._merge_texts

    def read_anew_meanwhile(*arguments: object) -> None:
        merge_texts(*arguments)  # type: ignore[arg-type]
        change_records(root, "later")
        ingest(history, root / "runs", book)
        judge_all(history, book)

    with monkeypatch.context() as patched:
        patched.setattr(compacting, "_merge_texts", read_anew_meanwhile)
        compact(Record.open(history), at_once=True)
    wanted = content(history)
    assert set(wanted["eval_runs"]["agent_version"]) == {"later"}
    assert_same(rebuilt(history), wanted)
    compact(Record.open(history), at_once=True)
    assert_same(rebuilt(history), wanted)


def test_a_large_batch_between_small_ones_keeps_its_place(
    root: Path, history: Path, book: RuleBook, monkeypatch: pytest.MonkeyPatch
) -> None:
    for version, rows in (("second", 5), ("third", 100)):
        change_records(root, version)
        monkeypatch.setattr(compacting, "LARGE", rows)
        ingest(history, root / "runs", book)
        ingest(history, root / "runs" / "2025-03-04-nightly", book)
    judge_all(history, book)
    wanted = content(history)
    monkeypatch.setattr(compacting, "LARGE", 5)
    compact(Record.open(history), at_once=True)
    assert_same(rebuilt(history), wanted)


def test_two_that_put_the_same_together(history: Path) -> None:
    wanted = content(history)
    assert wanted["issues"].filter(pl.col("code") == "trial_name_invalid").height == 1
    record = Record.open(history)
    group = record.batches("ingest")
    assert compacting._merge(record, group)
    assert not compacting._merge(record, group), "another did it meanwhile"
    assert len(record.batches("compacted")) == 1
    assert_same(rebuilt(history), wanted)


def test_two_that_did_put_the_same_together(history: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = content(history)
    record = Record.open(history)
    group = record.batches("ingest")
    with monkeypatch.context() as patched:
        patched.setattr(Record, "holds_all", lambda self, numbers: True)
        assert compacting._merge(record, group)
        assert compacting._merge(record, group)
    assert_same(rebuilt(history), wanted)
    compact(record, at_once=True)
    assert_same(rebuilt(history), wanted)


def remove_directory(record: Record, batch: Batch) -> None:
    """The files of a batch are gone."""
    shutil.rmtree(batch.directory)


def put_together(record: Record, batch: Batch) -> None:
    """The batch was replaced, and removed at once."""
    assert isinstance(compact(record, at_once=True), Compacted)


@pytest.mark.parametrize(
    ("done", "way_out"), [(put_together, "run the command again"), (remove_directory, "bring it back from a copy")]
)
def test_a_reader_of_a_batch_that_is_gone(history: Path, done: Callable[[Record, Batch], None], way_out: str) -> None:
    record = Record.open(history)
    batch = next(batch for batch in record.batches("ingest") if batch.has("runs"))
    done(Record.open(history), batch)
    with pytest.raises(InputError, match=way_out):
        batch.read("runs")
