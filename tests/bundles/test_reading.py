"""Shards: keys, order, limits, and that no case run touches another (specifications 20 and 90)."""

from __future__ import annotations

import gc
import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from polars.testing import assert_frame_equal

from judge_polars.bundles import find_case_runs, read_shard, shards
from judge_polars.facts.trace import read_identity
from judge_polars.rulebook import Limits
from judge_polars.vocabulary import DEFAULT_LAYOUT
from tests.bundles.trees import BUNDLE, Read, Visits, audit, case_run, read_one, read_runs, under


def three_runs(root: Path) -> None:
    """A bundle, nothing at all, and two bundles; all with an output."""
    case_run(root, {**audit({"bad.json": "{"}), "output.md": "one"}, trial=1)
    case_run(root, {"output.md": "two", "audit/manifest.json": "x"}, trial=2)
    two = {**under("audit/a", BUNDLE), **under("audit/b", {**BUNDLE, "manifest.json": '{"n": 1}', "bad.json": "{"})}
    case_run(root, {**two, "output.md": "three"}, trial=3)


def test_keys_count_from_0_within_the_shard(tmp_path: Path) -> None:
    three_runs(tmp_path)
    reading = read_runs(tmp_path / "runs").reading
    assert reading.runs["trial"].to_list() == [1, 2, 3]
    assert reading.bundles.select("bundle", "run", "root").rows() == [
        (0, 0, "audit"),
        (1, 2, "audit/a"),
        (2, 2, "audit/b"),
    ]
    assert reading.candidates.select("run", "root", "bundle").rows() == [
        (0, "audit", 0),
        (1, "audit", None),
        (2, "audit/a", 1),
        (2, "audit/b", 2),
    ]
    outputs = reading.documents.filter(name="output").select("run", "bundle", "text").rows()
    assert outputs == [(0, None, "one"), (1, None, "two"), (2, None, "three")]
    assert reading.issues.select("run", "bundle", "document").unique(maintain_order=True).rows() == [
        (0, 0, "bad.json"),
        (1, None, "audit"),
        (2, 2, "bad.json"),
    ]


def test_visits_are_made_once_per_value_with_the_keys_of_the_tables(tmp_path: Path) -> None:
    three_runs(tmp_path)
    read = read_runs(tmp_path / "runs")
    assert [key[:3] for key in read.visits.values] == [
        (0, 0, 1),
        (0, 0, 2),
        (0, 0, 3),
        (2, 1, 6),
        (2, 1, 7),
        (2, 1, 8),
        (2, 2, 10),
        (2, 2, 11),
        (2, 2, 12),
    ]
    assert {key[3] for key in read.visits.values} == {"case-a"}


def test_a_case_run_reads_alike_alone_and_among_others(tmp_path: Path) -> None:
    three_runs(tmp_path)
    together = read_runs(tmp_path / "runs").reading
    for run in range(3):
        alone = read_runs(tmp_path / f"runs/r1/cases/case-a/trial-{run + 1}").reading
        mine = together.documents.filter(run=run)
        assert_frame_equal(mine.drop("doc", "run", "bundle"), alone.documents.drop("doc", "run", "bundle"))
        assert_frame_equal(together.issues.filter(run=run).drop("run", "bundle"), alone.issues.drop("run", "bundle"))
        assert_frame_equal(together.runs[run], alone.runs)


def test_no_place_gives_empty_tables(tmp_path: Path) -> None:
    reading = read_shard([], DEFAULT_LAYOUT, Limits(), Visits(), read_identity)
    frames = (reading.runs, reading.candidates, reading.bundles, reading.documents, reading.issues)
    assert [frame.height for frame in frames] == [0] * 5
    assert Read(reading, Visits()).documents == {}


def test_shards_keep_the_order(tmp_path: Path) -> None:
    for trial in range(1, 8):
        case_run(tmp_path, {}, trial=trial)
    places = find_case_runs([tmp_path / "runs"], Limits()).places
    assert [len(shard) for shard in shards(places, 3)] == [3, 3, 1]
    assert [place for shard in shards(places, 3) for place in shard] == places
    assert list(shards([])) == []


@pytest.mark.parametrize(("most", "read"), [(None, 3), (1, 1), (4, 2), (100_000, 3)])
def test_a_shard_ends_where_its_texts_are_too_many(tmp_path: Path, most: int | None, read: int) -> None:
    for trial in range(1, 4):
        case_run(tmp_path, {"output.md": "xxx"}, trial=trial)
    places = find_case_runs([tmp_path / "runs"], Limits()).places
    reading = read_shard(places, DEFAULT_LAYOUT, Limits(), Visits(), read_identity, most_text_bytes=most)
    assert reading.runs.height == read
    assert reading.documents["run"].to_list() == list(range(read))


def test_texts_keep_their_rows_when_they_are_many(tmp_path: Path) -> None:
    for trial in range(1, 6):
        case_run(
            tmp_path,
            {**audit({"big.txt": f"{trial}" * 2_000_000, "blank.txt": " "}), "output.md": f"{trial}"},
            trial=trial,
        )
    documents = read_runs(tmp_path / "runs").reading.documents
    big = documents.filter(name="big.txt")
    assert (big["text"].str.len_bytes() == big["size"]).all()
    assert big["text"].str.head(1).to_list() == ["1", "2", "3", "4", "5"]
    assert documents.filter(name="output")["text"].to_list() == ["1", "2", "3", "4", "5"]
    assert documents.filter(name="blank.txt")["text"].null_count() == 5


@pytest.mark.parametrize("enabled", [True, False])
def test_the_garbage_collector_is_left_as_it_was(tmp_path: Path, enabled: bool) -> None:
    states: list[bool] = []

    def then() -> None:
        states.append(gc.isenabled())
        raise ZeroDivisionError

    (gc.enable if enabled else gc.disable)()
    try:
        with pytest.raises(ZeroDivisionError):
            read_one(tmp_path, audit(), then=then)
        assert (states, gc.isenabled()) == ([False], enabled)
    finally:
        gc.enable()


def test_a_directory_that_vanished_is_told(tmp_path: Path) -> None:
    case_run(tmp_path, audit(), trial=1)
    gone = case_run(tmp_path, audit(), trial=2)
    places = find_case_runs([tmp_path / "runs"], Limits()).places
    shutil.rmtree(gone)
    read = Read(*_read(places))
    assert read.reading.issues.select("run", "document", "code").rows() == [(1, ".", "document_unreadable")]
    assert read.reading.runs.height == 2
    assert read.roots == ["audit"]


def _read(places: Any) -> tuple[Any, Visits]:
    visits = Visits()
    return read_shard(places, DEFAULT_LAYOUT, Limits(), visits, read_identity), visits


@pytest.mark.parametrize("code", ["document_unreadable", "not_a_regular_file"])
def test_a_file_that_changes_while_the_run_is_read(tmp_path: Path, code: str) -> None:
    directory = case_run(tmp_path, audit({"z.txt": "z"}))
    file = directory / "audit/z.txt"

    def then() -> None:
        file.unlink(missing_ok=True)
        if code == "not_a_regular_file":
            file.symlink_to("/etc/passwd")

    read = read_runs(tmp_path / "runs", then=then)
    assert read.issues == [("z.txt", code)]
    document = read.documents["z.txt"]
    assert (document["unread"], document["text"], document["size"], document["digest"]) == (True, None, None, None)


def test_names_too_long_for_the_system_are_told(tmp_path: Path) -> None:
    directory = case_run(tmp_path, audit())
    deep = os.open(directory / "audit/evidence", os.O_RDONLY)
    for _ in range(25):
        os.mkdir("x" * 200, dir_fd=deep)
        below = os.open("x" * 200, os.O_RDONLY, dir_fd=deep)
        os.close(deep)
        deep = below
    os.close(deep)
    read = read_runs(tmp_path / "runs")
    assert read.codes == ["document_unreadable"]
    assert "evidence/a.json" in read.documents
    shutil.rmtree(directory / "audit")


def test_issues_of_one_document_are_bounded_and_counted(tmp_path: Path) -> None:
    files: dict[str, str | bytes] = audit({"a.json": b"\xff", "b.json": b"\xff"})
    read = read_one(tmp_path, files, limits=Limits(issues_per_document=1))
    expected = [
        ("a.json", "json_invalid"),
        ("a.json", "limit_reached"),
        ("b.json", "json_invalid"),
        ("b.json", "limit_reached"),
    ]
    assert read.issues == expected
    details = read.reading.issues.filter(code="limit_reached")["detail"].to_list()
    assert details == ["1 more issues are not listed"] * 2


NAMES = st.sampled_from(
    [
        "manifest.json",
        "diagnosis_report.json",
        "evidence/metrics.json",
        "analysis_patch.json",
        "summary.md",
        "telemetry.jsonl",
        "logs/a.log",
        "logs/a.log.gz",
        "x.json.gz",
        "../case_run.json",
        "../output.md",
    ]
)
PIECES = st.lists(
    st.sampled_from(
        [
            b"{",
            b"}",
            b"[",
            b"]",
            b'"',
            b":",
            b",",
            b"1",
            b"e",
            b"9" * 25,
            b"NaN",
            b"\\u",
            b"d800",
            b"\xff",
            b"\0",
            b"\n",
        ]
    )
    | st.sampled_from(
        [b"\xef\xbb\xbf", b"```json\n", b"null", b"\x1f\x8b\x08", b'{"audit_dir":"../.."}', b'{"output_file":"/"}']
    )
    | st.binary(max_size=8),
    max_size=12,
).map(b"".join)


@settings(max_examples=100)
@given(st.dictionaries(NAMES, PIECES, max_size=6))
def test_any_bytes_give_rows_and_leave_the_neighbour_alone(files: dict[str, bytes]) -> None:
    with tempfile.TemporaryDirectory() as place:
        root = Path(place)
        case_run(root, audit(files), trial=1)
        case_run(root, {**audit({"a.json": '{"n":1}'}), "output.md": "fine"}, trial=2)
        read = read_runs(root / "runs")
        second = read.reading.documents.filter(run=1)
        assert second.select("name", "text").rows() == [
            ("a.json", '{"n":1}'),
            ("diagnosis_report.json", "{}"),
            ("evidence/a.json", "[1]"),
            ("manifest.json", "{}"),
            ("output", "fine"),
        ]
        assert read.reading.issues.filter(run=1).height == 0
        unread = read.reading.documents.filter(pl.col("unread"))
        assert unread["text"].null_count() == unread.height


def test_a_copied_record_changes_nothing_but_its_issue(tmp_path: Path) -> None:
    record = json.dumps({"eval_run_id": "r1", "case_id": "case-a", "trial": 1, "status": "completed"})
    case_run(tmp_path, {"case_run.json": record, "output.md": "x"}, trial=1)
    case_run(tmp_path, {"case_run.json": record, "output.md": "x"}, trial=2)
    read = read_runs(tmp_path / "runs")
    assert read.reading.runs["trial"].to_list() == [1, 2]
    assert read.reading.issues.select("run", "code").rows() == [(1, "record_path_mismatch")]
