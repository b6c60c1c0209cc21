"""The record: commits, foreign and damaged directories, what writers leave behind."""

import json
import os
import shutil
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import polars as pl
import pytest

from judge_polars.errors import InputError
from judge_polars.history import checksums
from judge_polars.history.checksums import checksum_of
from judge_polars.history.forms import columns_of
from judge_polars.history.publish import publish
from judge_polars.history.record import DATABASE, MARKER, Record
from judge_polars.history.store import open_history
from judge_polars.history.writers import WRITER
from judge_polars.registry import load_registry
from tests.generate import write_world
from tests.history.worlds import content, ingest, judge_all

ROWS = pl.DataFrame({"number": [1, 2, 3]})


def test_a_batch_is_there_when_it_is_committed(tmp_path: Path) -> None:
    record = Record.create(tmp_path / "history")
    batch = record.begin("ingest")
    batch.write("things", ROWS)
    assert record.batches() == []
    batch.commit()
    (found,) = record.batches()
    assert found.read("things").equals(ROWS)
    assert found.rows("things") == 3
    assert not found.has("others")


def test_numbers_rise_even_when_the_clock_goes_back(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    record = Record.create(tmp_path / "history")
    times = iter([10**18 * 2, 10**18, 10**18])
    monkeypatch.setattr("judge_polars.history.record.time.time_ns", lambda: next(times))
    numbers = [record.begin("ingest").commit().number for _ in range(3)]
    assert numbers == sorted(set(numbers))


def test_a_batch_stands_for_others(tmp_path: Path) -> None:
    record = Record.create(tmp_path / "history")
    first = record.begin("ingest").commit()
    second = record.begin("compacted").commit(replaces=[first.number])
    assert [batch.number for batch in record.batches()] == [second.number]
    assert [(batch.number, by) for batch, by in record.superseded()] == [(first.number, second.number)]


def test_a_batch_that_is_left_uncommitted_leaves_nothing(tmp_path: Path) -> None:
    record = Record.create(tmp_path / "history")
    with pytest.raises(RuntimeError), record.begin("ingest") as batch:
        batch.write("things", ROWS)
        raise RuntimeError
    assert list(record.folder.iterdir()) == []
    with record.begin("ingest") as batch:
        batch.write("things", ROWS)
        batch.commit()
    assert record.batches()[0].read("things").equals(ROWS)


def test_a_record_that_cannot_be_written(tmp_path: Path) -> None:
    record = Record.create(tmp_path / "history")
    record.folder.rmdir()
    record.folder.write_text("in the way")
    with pytest.raises(InputError, match=r"the record could not be written.*--history-dir"):
        record.begin("ingest")


def test_a_history_that_may_not_be_written_says_who_can_publish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    record = Record.create(tmp_path / "history")
    with record.begin("ingest") as batch:
        batch.commit()

    def refused(*_: object) -> int:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("judge_polars.history.publish.os.open", refused)
    with pytest.raises(InputError, match=r"it may not be written here .Permission denied.*history rebuild"):
        publish(record)


def test_a_text_is_kept_once(tmp_path: Path) -> None:
    write_world(6, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    history = tmp_path / "history"
    ingest(history, tmp_path / "runs", book)
    texts = sum(batch.rows("texts") for batch in Record.open(history).batches())
    eval_run = next(place for place in sorted((tmp_path / "runs").iterdir()) if (place / "cases").is_dir())
    shutil.copytree(eval_run, tmp_path / "again" / "another-name")
    ingest(history, tmp_path / "again", book)
    record = Record.open(history)
    assert texts > 10
    assert sum(batch.rows("runs") for batch in record.batches()) > 2
    assert sum(batch.rows("texts") for batch in record.batches()) == texts
    judge_all(history, book)
    verdicts = content(history, ("verdicts",))["verdicts"]
    again = verdicts.filter(pl.col("eval_run_id") == "another-name")
    first = verdicts.filter(pl.col("eval_run_id") == eval_run.name)
    told = ["case_id", "trial", "verdict", "score", "failure_codes"]
    assert again.select(told).rows() == first.select(told).rows() != []


def test_reading_one_more_run_reads_of_all_texts_their_keys_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A record may hold many gigabytes of texts, and a checksum takes all of a file."""
    write_world(6, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    ingest(tmp_path / "history", tmp_path / "runs", book)
    paths = {path for batch in Record.open(tmp_path / "history").batches() for path in batch.parts("texts")}
    eval_run = next(place for place in sorted((tmp_path / "runs").iterdir()) if (place / "cases").is_dir())
    shutil.copytree(eval_run, tmp_path / "again" / "another-name")
    summed: list[Path] = []

    def noted(path: Path) -> int:
        summed.append(path)
        return checksum_of(path)

    monkeypatch.setattr(checksums, "_unchanged", set())
    monkeypatch.setattr(checksums, "checksum_of", noted)
    ingest(tmp_path / "history", tmp_path / "again", book)
    assert summed
    assert paths
    assert not paths & set(summed)


def test_the_directory_ignores_itself_in_git(tmp_path: Path) -> None:
    Record.create(tmp_path / "history")
    assert (tmp_path / "history" / ".gitignore").read_text() == "*\n"


def test_abandoned_batches_are_cleared_away(tmp_path: Path) -> None:
    record = Record.create(tmp_path / "history")
    mine = record.begin("ingest")
    theirs = record.begin("ingest")
    gone = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    writer = json.loads((theirs.directory / "writer.json").read_text())
    (theirs.directory / "writer.json").write_text(json.dumps({**writer, "process": int(gone.stdout)}))
    assert record.clean() == 1
    assert mine.directory.exists()
    assert not theirs.directory.exists()


@pytest.mark.parametrize(
    ("content_of_marker", "message"),
    [
        pytest.param(None, "there is no history yet", id="nothing"),
        pytest.param("{}", "damaged", id="empty marker"),
        pytest.param("no json", "damaged", id="no JSON"),
        pytest.param('{"form": "something else", "version": 1}', "no history of judge_polars", id="foreign"),
        pytest.param('{"form": "judge_polars history", "version": 99}', "pip install --upgrade", id="newer"),
    ],
)
def test_what_is_no_history(tmp_path: Path, content_of_marker: str | None, message: str) -> None:
    history = tmp_path / "history"
    if content_of_marker is not None:
        history.mkdir()
        (history / MARKER).write_text(content_of_marker)
    with pytest.raises(InputError, match=message):
        Record.open(history)
    if content_of_marker is not None:
        with pytest.raises(InputError, match=message):
            Record.create(history)
        assert (history / MARKER).read_text() == content_of_marker


def test_nothing_is_written_into_a_foreign_directory(tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="nothing is written"):
        Record.create(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["notes.txt"]


@pytest.fixture
def judged(tmp_path: Path) -> Path:
    write_world(6, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    ingest(tmp_path / "history", tmp_path / "runs", book)
    judge_all(tmp_path / "history", book)
    return tmp_path / "history"


def test_rebuilding_gives_the_same_rows(judged: Path) -> None:
    with open_history(judged) as history:
        names = history.sql("select table_name from duckdb_tables() order by 1")["table_name"].to_list()
        before = {name: history.sql(f"from {name}").rows() for name in names}
    (judged / DATABASE).unlink()
    with open_history(judged) as history:
        for name, rows in before.items():
            found = history.sql(f"from {name}").rows()
            assert sorted(map(repr, found)) == sorted(map(repr, rows)), name


@pytest.mark.parametrize("damage", [b"", b"nothing that a database would be", b"\0" * 8192])
def test_a_damaged_published_file_is_made_anew(judged: Path, damage: bytes) -> None:
    before = content(judged, ("verdicts",))["verdicts"]
    (judged / DATABASE).write_bytes(damage)
    assert content(judged, ("verdicts",))["verdicts"].equals(before)


def test_a_missing_file_of_a_batch(judged: Path) -> None:
    (judged / DATABASE).unlink()
    batch = Record(judged).batches("judgment")[0]
    batch.parts("judged_case_runs")[0].unlink()
    with pytest.raises(InputError, match="bring it back from a copy"):
        open_history(judged)


def test_a_damaged_file_of_a_batch(judged: Path) -> None:
    (judged / DATABASE).unlink()
    Record(judged).batches("judgment")[0].parts("judged_case_runs")[0].write_bytes(b"PAR1 no parquet PAR1")
    with pytest.raises(InputError, match="damaged"):
        open_history(judged)


def test_a_directory_that_no_writer_made_is_left_alone(tmp_path: Path) -> None:
    record = Record.create(tmp_path / "history")
    for name in ("2025-03-04-nightly", "ingest-copy", "judgment-0123456789abcdef0"):
        (record.folder / name).mkdir()
        os.utime(record.folder / name, (0, 0))
    assert record.clean() == 0
    assert len(list(record.folder.iterdir())) == 3


@pytest.mark.parametrize("process", [2**31, 2**70, -(2**70), 1e400, 0, -1, None, "x", []])
def test_a_writer_that_is_no_process(tmp_path: Path, process: object) -> None:
    record = Record.create(tmp_path / "history")
    directory = record.begin("ingest").directory
    (directory / WRITER).write_text(json.dumps({"host": socket.gethostname(), "process": process}))
    assert record.clean() == 0, "it may be new"
    os.utime(directory, (0, 0))
    assert record.clean() == 1


@pytest.mark.parametrize(
    "change",
    [
        pytest.param(lambda frame, name: frame.drop(name), id="a column less"),
        pytest.param(lambda frame, name: frame.with_columns(pl.lit(b"x").alias(name)), id="another type"),
        pytest.param(lambda *_: pl.DataFrame({"x": [1]}), id="another table"),
    ],
)
def test_a_file_with_other_columns(judged: Path, change: Callable[[pl.DataFrame, str], pl.DataFrame]) -> None:
    """Files of batches without checksums, as older writers left them."""
    for batch in Record(judged).batches():
        for name in {file.split(".")[0] for file in batch.files}:
            path, *_ = batch.parts(name)
            frame, content = pl.read_parquet(path), path.read_bytes()
            change(frame, list(columns_of(batch.kind, name))[-1]).write_parquet(path)
            with pytest.raises(InputError, match=f"it has not the columns of {name}"):
                replace(batch, checksums={}).read(name)
            path.write_bytes(content)


def test_every_table_of_a_batch_is_known(judged: Path) -> None:
    for batch in Record(judged).batches():
        for name in {file.split(".")[0] for file in batch.files}:
            assert columns_of(batch.kind, name), name
            batch.read(name)


def test_a_damaged_commit_file(judged: Path) -> None:
    commit = next((judged / "record").glob("*.json"))
    commit.write_text("{")
    with pytest.raises(InputError, match="commit file is damaged"):
        open_history(judged)


def test_a_batch_of_a_newer_version(judged: Path) -> None:
    commit = next((judged / "record").glob("*.json"))
    commit.write_text(json.dumps({**json.loads(commit.read_text()), "version": 2}))
    with pytest.raises(InputError, match="pip install --upgrade"):
        open_history(judged)


@pytest.mark.parametrize("place", ["s3://bucket/history", "gs://bucket/history", "az+https://store/history"])
def test_an_object_store_is_refused(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for begin in (Record.create, Record.open):
        with pytest.raises(InputError, match="a history lies on a file system"):
            begin(Path(place))
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("place", ["history", "a:b", "2025:/x"])
def test_a_colon_in_a_name_is_no_object_store(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert Record.create(Path(place)).batches() == []


def test_a_published_batch_is_held(tmp_path: Path) -> None:
    record = Record.create(tmp_path / "h")
    with record.begin("ingest") as pending:
        number = pending.commit().number
    assert record.holds(number)
    assert not record.holds(number + 1)
