"""Every limit of reading at the limit, which is fine, and one beyond, which is told (specification 90, "Bounded")."""

from __future__ import annotations

import gzip
import os
import subprocess
import sys
from pathlib import Path

import pytest

from judge_polars.bundles import json_text
from judge_polars.bundles.files import BINARY_WITHIN, ArchiveError, unpack
from judge_polars.bundles.issues import Issues
from judge_polars.bundles.json_text import JsonLimitError, read_json, require_few_values
from judge_polars.bundles.texts import read_json_lines, read_output
from judge_polars.printable import EXCERPT_LENGTH, excerpt
from judge_polars.rulebook import Limits
from tests.bundles.trees import audit, case_run, read_one, read_runs

MEBIBYTE = 1024 * 1024


def test_bytes_of_a_document(tmp_path: Path) -> None:
    at, beyond = (case_run(tmp_path, audit({"logs/a.log": ""}), trial=trial) for trial in (1, 2))
    os.truncate(at / "audit/logs/a.log", 64 * MEBIBYTE)
    os.truncate(beyond / "audit/logs/a.log", 64 * MEBIBYTE + 1)
    issues = read_runs(tmp_path / "runs").reading.issues.select("run", "code").rows()
    assert issues == [(0, "binary_skipped"), (1, "document_too_large")]


class TestBytesOfACaseRun:
    def issues(self, path: Path, most: int) -> list[tuple[str, str, str]]:
        reading = read_runs(path / "runs", limits=Limits(case_run_bytes=most)).reading
        return reading.issues.select("document", "code", "detail").rows()

    def test_of_all_its_files(self, tmp_path: Path) -> None:
        case_run(tmp_path, audit({"a.log": "a" * 1000, "b.log": "b" * 1000, "c.log": "c" * 10}))
        [size] = [self.size_of(tmp_path / "runs")]
        assert self.issues(tmp_path, size) == []
        told = f"with it more than {size - 1} bytes of the case run would be read"
        assert self.issues(tmp_path, size - 1) == [("evidence/a.json", "limit_reached", told)]

    def test_what_still_fits_is_read(self, tmp_path: Path) -> None:
        case_run(tmp_path, audit({"a.log": "a" * 1000, "b.log": "b" * 1000, "c.log": "c" * 10}))
        found = self.issues(tmp_path, self.size_of(tmp_path / "runs") - 1000)
        assert [(name, code) for name, code, _ in found] == [("b.log", "limit_reached")]

    def test_what_archives_unpack_to_counts(self, tmp_path: Path) -> None:
        case_run(
            tmp_path, audit({"a.log.gz": gzip.compress(b"a" * 100_000), "b.log.gz": gzip.compress(b"b" * 100_000)})
        )
        found = self.issues(tmp_path, 150_000)
        assert [(name, code) for name, code, _ in found] == [("b.log", "limit_reached")]

    def test_one_file_under_many_names_counts_each_time(self, tmp_path: Path) -> None:
        run = case_run(tmp_path, audit({"logs/0.log": "a" * 1000}))
        for number in range(1, 50):
            os.link(run / "audit/logs/0.log", run / f"audit/logs/{number}.log")
        assert len(self.issues(tmp_path, 20_000)) >= 30

    def test_each_case_run_has_its_own(self, tmp_path: Path) -> None:
        for trial in (1, 2, 3):
            case_run(tmp_path, audit({"a.log": "a" * 1000}), trial=trial)
        assert self.issues(tmp_path, 3_000) == []

    def size_of(self, runs: Path) -> int:
        """Bytes of the files that are read of its only case run."""
        return sum(path.stat().st_size for path in (runs).rglob("*") if path.is_file() and path.name != "case_run.json")


@pytest.mark.parametrize(
    ("packed", "size", "fine"),
    [
        pytest.param(10, 16 * MEBIBYTE, True, id="free at any ratio"),
        pytest.param(10, 16 * MEBIBYTE + 1, False, id="beyond that"),
        pytest.param(16 * MEBIBYTE // 200 + 1000, 16 * MEBIBYTE + 1, True, id="at a ratio below 200"),
    ],
)
def test_what_an_archive_unpacks_to(packed: int, size: int, fine: bool) -> None:
    """`packed`: how large the archive is at least, made so by a comment in its head."""
    archive = gzip.compress(b"x" * size, mtime=0)
    comment = b"c" * max(0, packed - len(archive))
    archive = archive[:3] + bytes([archive[3] | 16]) + archive[4:10] + comment + b"\0" + archive[10:]
    if fine:
        assert len(unpack(archive, Limits())) == size
    else:
        with pytest.raises(ArchiveError, match=f"more than {16 * MEBIBYTE} bytes"):
            unpack(archive, Limits())


def test_members_of_an_archive() -> None:
    member = gzip.compress(b"", mtime=0)
    assert unpack(member * 10_000, Limits()) == b""
    with pytest.raises(ArchiveError, match="more than 10000 members"):
        unpack(member * 10_001, Limits())


def test_bytes_in_which_a_nul_makes_a_file_binary(tmp_path: Path) -> None:
    read = read_one(
        tmp_path, audit({"a.log": b"x" * (BINARY_WITHIN - 1) + b"\0", "b.log": b"x" * BINARY_WITHIN + b"\0"})
    )
    assert read.issues == [("a.log", "binary_skipped")]
    assert BINARY_WITHIN == 8 * 1024


def test_nesting_of_json(tmp_path: Path) -> None:
    read = read_one(tmp_path, audit({"a.json": "[" * 128 + "]" * 128, "b.json": "[" * 129 + "]" * 129}))
    assert read.issues == [("b.json", "json_invalid")]
    assert read.reading.issues["detail"].to_list() == ["nests deeper than 128 levels"]


FEW = 1000


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents hold few values, so that the corners are quick to reach."""
    monkeypatch.setattr(json_text, "VALUES", FEW)
    monkeypatch.setattr(json_text, "_BLOCK", 64)


def values(count: int, value: str = "0", between: str = ",") -> str:
    """A list that is one value and holds the others."""
    return "[" + between.join([value] * (count - 1)) + "]"


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize(
    ("written", "more"),
    [
        pytest.param(values(FEW + 1), values(FEW + 2), id="numbers"),
        pytest.param(values(FEW // 2 + 1, "[]"), values(FEW // 2 + 2, "[]"), id="empty lists count twice"),
        pytest.param(values(FEW // 2 + 1, '{"a":1}'), values(FEW // 2 + 2, '{"a":1}'), id="objects"),
        pytest.param(values(FEW + 1, '",[{"'), values(FEW + 2, '",[{"'), id="marks in strings do not count"),
        pytest.param(values(FEW + 1, '"\\\\\\","'), values(FEW + 2, '"\\\\\\","'), id="nor behind escapes"),
        pytest.param(values(FEW + 1, '"\\\\"'), values(FEW + 2, '"\\\\"'), id="an escape at the end of a string"),
        pytest.param(values(FEW + 1, "0", ",\n  "), values(FEW + 2, "0", ",\n  "), id="line breaks do not count"),
    ],
)
def test_values_of_a_document(written: str, more: str) -> None:
    read_json(written.encode())
    with pytest.raises(JsonLimitError, match=r"holds more than 1,000 values"):
        read_json(more.encode())


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("text", ["," * 5000, '",' * 1000, "\\" * 5000, '\\",' * 1000])
def test_one_long_string_is_one_value(text: str) -> None:
    written = '["' + text.replace("\\", "\\\\").replace('"', '\\"') + '"]'
    assert read_json(written.encode())[0] == [text]


@pytest.mark.usefixtures("few")
def test_values_of_json_lines() -> None:
    at, beyond = b"0\n" * FEW, b"0\n" * (FEW + 1)
    assert read_json_lines(at, 128)[1:] == (True, [0] * FEW, ())
    text, has_json, value, issues = read_json_lines(beyond, 128)
    assert (text, has_json, value) == (beyond, False, None)
    assert issues == (("json_invalid", "holds more than 1,000 values"),)
    assert read_json_lines(b'"' + b"\n[]" * FEW, 128)[1] is False, "an open string reaches to the end of its line"


@pytest.mark.usefixtures("few")
@pytest.mark.parametrize("around", ["{}", "It is so:\n```json\n{}\n```\n"])
def test_json_in_the_output_that_is_not_read_is_told(around: str) -> None:
    assert read_output(around.format(values(FEW + 1)).encode(), 128)[1] is True
    for written, why in (
        (values(FEW + 2), "holds more than 1,000 values"),
        ("[" * 129 + "]" * 129, "nests deeper than 128 levels"),
    ):
        _, has_json, _, issues = read_output(around.format(written).encode(), 128)
        assert (has_json, issues) == (False, (("limit_reached", f"JSON in it was not read: it {why}"),))


def test_a_document_holds_four_million_values() -> None:
    require_few_values(b"[" + b"0," * 3_999_999 + b"0]")
    with pytest.raises(JsonLimitError, match="holds more than 4,000,000 values"):
        require_few_values(b"[" + b"0," * 4_000_000 + b"0]")


PEAK = """
import resource, sys
from judge_polars.bundles.texts import read_json_lines
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
read_json_lines({line!r} * 100_000, 128)
grown = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before
print(grown * (1 if sys.platform == "darwin" else 1024))
"""


@pytest.mark.parametrize(
    "line", [b"0\n", b"0\n" * 3 + b"x\n", b'{"a":' + b" " * 300 + b"1}\n"], ids=["good", "bad", "long"]
)
def test_short_json_lines_take_little_memory(line: bytes) -> None:
    """A text of a few bytes that orjson writes takes 4 KiB for as long as it is held."""
    told = subprocess.run([sys.executable, "-c", PEAK.format(line=line)], capture_output=True, text=True, check=True)
    assert int(told.stdout) < 150 * MEBIBYTE


@pytest.mark.parametrize(("levels", "codes"), [(8, []), (9, ["limit_reached"])])
def test_levels_below_a_root(tmp_path: Path, levels: int, codes: list[str]) -> None:
    """Bundles are looked for down to the eighth level; what is only deeper is told."""
    read = read_one(tmp_path, {f"audit/{'/'.join(map(str, range(levels)))}/a.txt": ""})
    assert read.codes == codes


def test_directories_of_a_case_run(tmp_path: Path) -> None:
    """The case run's own directory, `audit` and `evidence` are three of them."""
    for trial, more in ((1, 9_997), (2, 9_998)):
        folder = case_run(tmp_path, audit(), trial=trial)
        for number in range(more):
            (folder / "audit" / f"d{number}").mkdir()
    read = read_runs(tmp_path / "runs")
    assert read.reading.issues.select("run", "code").rows() == [(1, "limit_reached")]


def test_issues_of_a_document() -> None:
    for most, told in ((100, 100), (101, 101)):
        issues = Issues(Limits().issues_per_document)
        for number in range(most):
            issues.add(0, None, "a.json", "json_invalid", str(number))
        frame = issues.frame()
        assert frame.height == told
        assert frame["detail"][-1] == ("99" if most == 100 else "1 more issues are not listed")


def test_characters_of_an_excerpt() -> None:
    assert excerpt("x" * EXCERPT_LENGTH) == "x" * 200
    assert excerpt("x" * (EXCERPT_LENGTH + 1)) == "x" * 199 + "…"
