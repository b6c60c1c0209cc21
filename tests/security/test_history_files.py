"""Files of a history that were changed, cut or made up: a message, never another verdict, never a file elsewhere."""

from __future__ import annotations

import json
import os
import random
import shutil
import zlib
from pathlib import Path

import duckdb
import pytest

from judge_polars.errors import InputError
from judge_polars.history.checksums import sealed
from judge_polars.history.publish import published_numbers
from judge_polars.history.record import DATABASE, Record
from judge_polars.history.store import open_history
from tests.cli.world import write_world
from tests.security.conftest import Cli


@pytest.fixture(scope="module")
def history(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history of the small world; tests change a copy."""
    from judge_polars.cli.app import run

    root = write_world(tmp_path_factory.mktemp("world"))
    place = root / "history"
    assert (
        run(["judge", str(root / "runs"), "-q", "--registry", str(root / "registry"), "--history-dir", str(place)]) == 0
    )
    return place


@pytest.fixture
def changed(history: Path, tmp_path: Path) -> Path:
    """A copy of the history, not published."""
    place = tmp_path / "history"
    shutil.copytree(history, place)
    (place / "history.duckdb").unlink()
    return place


def read_all(place: Path) -> None:
    """Read everything that a history holds."""
    with open_history(place) as opened:
        opened.sql("from verdicts")
        for batch in opened.record.batches():
            for table in sorted({name.split(".")[0] for name in batch.files}):
                batch.read(table)


def commit_files(place: Path) -> list[Path]:
    """The commit files of a record."""
    return sorted((place / "record").glob("*.json"))


def test_an_unchanged_history_is_read(changed: Path) -> None:
    read_all(changed)


def test_a_history_without_its_record_is_told_and_kept(cli: Cli, changed: Path, history: Path) -> None:
    shutil.copy(history / "history.duckdb", changed)
    shutil.rmtree(changed / "record")
    published = (changed / "history.duckdb").read_bytes()
    told = cli(changed.parent, "history", "rebuild", "--history-dir", str(changed))
    assert told.code == 2
    assert "record/ is missing: bring it back from a copy" in told.err
    assert not (changed / "record").exists()
    assert (changed / "history.duckdb").read_bytes() == published


def test_a_marker_that_is_a_pipe_keeps_no_command(changed: Path) -> None:
    (changed / "history.json").unlink()
    os.mkfifo(changed / "history.json")
    with pytest.raises(InputError, match="no regular file"):
        Record.open(changed)


@pytest.mark.parametrize("pattern", ["record/*.json", "record/*/*.parquet", "publish.lock", "history.duckdb"])
def test_a_pipe_in_the_place_of_a_file_keeps_no_command(changed: Path, pattern: str) -> None:
    read_all(changed)
    for path in sorted(changed.glob(pattern)):
        path.rename(changed / "aside")
        os.mkfifo(path)
        if path.parent == changed:
            (changed / "history.duckdb").unlink(missing_ok=True)
            read_all(changed)
        else:
            with pytest.raises(InputError, match="it is no regular file"):
                read_all(changed)
        path.unlink(missing_ok=True)
        (changed / "aside").rename(path)


def test_every_changed_bit_is_noticed(changed: Path) -> None:
    chance = random.Random(7)
    files = sorted((changed / "record").rglob("*.parquet"))
    assert len(files) > 20
    for path in files:
        whole = path.read_bytes()
        for damage in ("flipped", "cut", "longer"):
            content = bytearray(whole)
            at = chance.randrange(len(content))
            if damage == "flipped":
                content[at] ^= 1 << chance.randrange(8)
            content = content[:at] if damage == "cut" else content + b"\0" if damage == "longer" else content
            path.write_bytes(content)
            (batch,) = [one for one in Record.open(changed).batches() if one.directory == path.parent]
            with pytest.raises(InputError, match=r"damaged.*bring it back from a copy"):
                batch.require(path.name.split(".")[0])
        path.write_bytes(whole)
    read_all(changed)


def test_a_damaged_file_is_told_by_the_command(cli: Cli, changed: Path, tmp_path: Path) -> None:
    [path] = sorted((changed / "record").rglob("check_outcomes.*"))[:1]
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 4
    path.write_bytes(content)
    told = cli(tmp_path, "sql", "from verdicts", "--history-dir", str(changed))
    assert told.code == 2
    assert path.name in told.err
    assert "Traceback" not in told.err


def test_a_damaged_commit_file_is_told(changed: Path) -> None:
    chance = random.Random(3)
    for path in commit_files(changed):
        whole = path.read_bytes()
        for _ in range(20):
            content = bytearray(whole)
            at = chance.randrange(len(content))
            content[at] ^= 1 << chance.randrange(8)
            path.write_bytes(content)
            try:
                same = json.loads(content) == json.loads(whole)
            except ValueError:
                same = False
            if not same and b'"checksum":' in content:
                with pytest.raises(InputError, match=r"damaged|newer"):
                    Record.open(changed).batches()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(InputError, match="damaged"):
            Record.open(changed).batches()
        path.write_bytes(whole)


@pytest.mark.parametrize("name", ["../../outside", "..", ".", "", "/outside", "a/b"])
def test_a_commit_file_names_nothing_outside(cli: Cli, changed: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept.txt").write_text("kept")
    path = commit_files(changed)[0]
    content = {key: value for key, value in json.loads(path.read_text()).items() if key != "checksum"}
    wanted = str(outside) if name == "/outside" else name
    for member in ({"directory": wanted}, {"files": {wanted: 1}}):
        path.write_text(json.dumps(sealed({**content, **member})))
        for command in (("history", "compact"), ("history", "rebuild"), ("history", "info")):
            told = cli(tmp_path, *command, "--history-dir", str(changed))
            assert told.code == 2, told.out
            assert "damaged" in told.err
    assert (outside / "kept.txt").read_text() == "kept"


@pytest.mark.parametrize("name", ["9" * 30, "9" * 200, str(1 << 39), "0", "0" * 13, "92", "00092002119595"])
def test_a_commit_file_with_a_number_that_no_batch_has_is_told(changed: Path, name: str) -> None:
    path = commit_files(changed)[-1]
    path.rename(path.with_name(f"{name}.json"))
    for use in (Record.batches, lambda record: record.begin("ingest").commit()):
        with pytest.raises(InputError, match="no batch has this number"):
            use(Record.open(changed))


@pytest.mark.parametrize("name", ["\u00b2", "1\u00b23", "\u0663", "1 (copy)", "-1", "1e3", "notes"])
def test_a_file_that_is_no_commit_file_is_left_alone(changed: Path, name: str) -> None:
    (changed / "record" / f"{name}.json").write_text("[]")
    read_all(changed)


MADE_UP = {
    "replaces": ([2**38], ["x"], None, 5, [1.5e300], [-1], [2**70], [[1]]),
    "files": (None, "x", [], {"runs.00001.parquet": -1}, {"runs.00001.parquet": 2**70}, {"runs.00001.parquet": "x"}),
    "about": (None, [1], "x", 5, {"place": "x"}, {"place": 2**80}, {"end_of_runs": -1}, {"place": float("inf")}),
    "checksums": ("x", 5, None),
    "directory": (None, 5, [], {}),
}


@pytest.mark.parametrize(
    ("name", "value"), [(name, value) for name, values in MADE_UP.items() for value in values], ids=str
)
def test_a_commit_file_that_says_what_none_does_is_told(changed: Path, name: str, value: object) -> None:
    path = commit_files(changed)[0]
    content = {key: one for key, one in json.loads(path.read_text()).items() if key != "checksum"}
    path.write_text(json.dumps(sealed({**content, name: value})))
    with pytest.raises(InputError, match="the commit file is damaged"):
        Record.open(changed).batches()


def test_a_batch_without_checksums_is_read(changed: Path) -> None:
    """Older writers left none."""
    for path in commit_files(changed):
        content = json.loads(path.read_text())
        for member in ("checksum", "checksums"):
            content.pop(member)
        path.write_text(json.dumps(content))
    read_all(changed)


def test_the_checksum_is_that_of_the_file(history: Path) -> None:
    for batch in Record.open(history).batches():
        assert set(batch.checksums) == set(batch.files)
        for name, checksum in batch.checksums.items():
            assert zlib.crc32((batch.directory / name).read_bytes()) == checksum


@pytest.fixture
def published(history: Path, tmp_path: Path) -> Path:
    """A copy of the history, published."""
    return Path(shutil.copytree(history, tmp_path / "history"))


def change_database(place: Path, statements: str) -> None:
    """Run SQL on the published file, as somebody who may write it could."""
    with duckdb.connect(str(place / DATABASE)) as con:
        con.execute(statements)


@pytest.mark.parametrize("name", ["history_info", "published_batches"])
def test_a_published_file_whose_tables_are_views_reads_no_file(published: Path, tmp_path: Path, name: str) -> None:
    outside = tmp_path / "outside.csv"
    with duckdb.connect(str(published / DATABASE), read_only=True) as con:
        con.sql(f"from {name}").write_csv(str(outside))
    change_database(published, f"drop table {name}; create view {name} as from read_csv('{outside}')")
    assert published_numbers(published / DATABASE) is None
    with open_history(published) as opened:
        assert opened.sql(f"select count(*) from {name}").item() > 0


def test_a_macro_of_a_published_file_reads_no_file(cli: Cli, published: Path, history: Path, tmp_path: Path) -> None:
    """Publishing runs macros that lie in the file."""
    (tmp_path / "outside.txt").write_text("7")
    change_database(
        published,
        "create or replace macro superseded_among(of) as table "
        f"select content::bigint as judged_key from read_text('{tmp_path / 'outside.txt'}')",
    )
    shutil.copytree(history.parent / "registry", tmp_path / "registry")
    judge = tmp_path / "registry" / "cases" / "disk-hang" / "judge.yaml"
    judge.write_text(judge.read_text().replace("threshold: 0.95", "threshold: 2"))
    told = cli(tmp_path, "rejudge", "--history-dir", str(published))
    assert told.code == 2
    assert "could not be written" in told.err and "history rebuild" in told.err
    assert cli(tmp_path, "history", "rebuild", "--history-dir", str(published)).code == 0
    with open_history(published) as opened:
        assert opened.sql("select count(*) from superseded_case_runs where judged_key = 7").item() == 0
        assert opened.sql("select count(*) from judgments").item() == 2


@pytest.mark.parametrize("name", ["h[1]", "h*", "a'b", "{a,b}", "h\n", "\u00e4 \x1b[31m", "~", "~root", "-h"])
def test_a_history_may_have_any_name(cli: Cli, history: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(history, tmp_path / "h1")
    shutil.copytree(history, tmp_path / name)
    (tmp_path / name / DATABASE).unlink()
    shutil.rmtree(tmp_path / "h1" / "record")
    told = cli(tmp_path, "sql", "select count(*) from verdicts", "--format", "csv", f"--history-dir={name}")
    assert (told.code, told.out.split()[-1:]) == (0, ["8"]), told.err


def test_a_new_history_may_have_any_name(
    cli: Cli, history: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    shutil.copytree(history.parent / "registry", tmp_path / "registry")
    shutil.copytree(history.parent / "runs", tmp_path / "runs")
    for name in ("~", "h[1]"):
        assert cli(tmp_path, "judge", "runs", "-q", "--history-dir", name).code == 0
        told = cli(tmp_path, "rejudge", "--what-if", "--history-dir", name)
        assert told.code == 0 and "8 case runs judged" in told.out
    assert not any((tmp_path / "home").iterdir())
    told = cli(tmp_path, "judge", "runs", "-q", "--history-dir", "h?")
    assert (told.code, (tmp_path / "h?").exists()) == (2, False)
