"""Opening, unpacking and listing without trust (specifications 20 and 90)."""

from __future__ import annotations

import gzip
import hashlib
import os
import random
import socket
from pathlib import Path

import pytest

from judge_polars.bundles.files import ArchiveError, Tree, list_directory, printable, read_content, unpack
from judge_polars.rulebook import Limits
from tests.bundles.trees import link, write

LIMITS = Limits(document_bytes=4000, archive_free_bytes=1000, archive_ratio=20)


def test_a_regular_file_is_read_with_its_digest(tmp_path: Path) -> None:
    write(tmp_path, {"a.txt": "text"})
    content = read_content(str(tmp_path / "a.txt"), packed=False, limits=LIMITS)
    assert content == (4, hashlib.sha256(b"text").hexdigest(), b"text", None, "")


def test_digest_and_size_of_an_archive_are_those_on_disk(tmp_path: Path) -> None:
    packed = gzip.compress(b"text", mtime=0)
    write(tmp_path, {"a.gz": packed})
    content = read_content(str(tmp_path / "a.gz"), packed=True, limits=LIMITS)
    assert content == (len(packed), hashlib.sha256(packed).hexdigest(), b"text", None, "")


@pytest.mark.parametrize(
    ("size", "code"), [(0, None), (4000, None), (4001, "document_too_large")], ids=["empty", "at the limit", "beyond"]
)
def test_size_limit(tmp_path: Path, size: int, code: str | None) -> None:
    write(tmp_path, {"a": b"x" * size})
    content = read_content(str(tmp_path / "a"), packed=False, limits=LIMITS)
    assert content.code == code
    assert (content.data is None, content.digest is None) == (code is not None, code is not None)
    assert content.size == size


@pytest.mark.parametrize(
    ("data", "code"),
    [(b"\0", "binary_skipped"), (b"x" * 3000 + b"\0", "binary_skipped"), (b"x", None)],
)
def test_binary_files(tmp_path: Path, data: bytes, code: str | None) -> None:
    write(tmp_path, {"a": data, "b.gz": gzip.compress(data, mtime=0)})
    for name in ("a", "b.gz"):
        content = read_content(str(tmp_path / name), packed=name == "b.gz", limits=Limits())
        assert content.code == code
        assert content.digest is not None


def test_a_nul_byte_behind_the_first_8_kib_is_none(tmp_path: Path) -> None:
    write(tmp_path, {"a": b"x" * 8191 + b"\0", "b": b"x" * 8192 + b"\0"})
    assert read_content(str(tmp_path / "a"), packed=False, limits=Limits()).code == "binary_skipped"
    assert read_content(str(tmp_path / "b"), packed=False, limits=Limits()).code is None


def test_nothing_but_regular_files_is_opened(tmp_path: Path) -> None:
    write(tmp_path, {"target": "x", "folder/": ""})
    os.mkfifo(tmp_path / "fifo")
    link(tmp_path / "link", "target")
    link(tmp_path / "loop", "loop")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(os.path.relpath(tmp_path / "socket"))
        odd = ["fifo", "link", "loop", "socket", "folder"]
        codes = [read_content(str(tmp_path / name), packed=False, limits=LIMITS).code for name in odd]
        assert codes == ["not_a_regular_file"] * 5
        assert list_directory(str(tmp_path)) == (["target"], ["folder"], ["fifo", "link", "loop", "socket"])
    assert read_content("/dev/zero", packed=False, limits=LIMITS).code == "not_a_regular_file"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    content = read_content(str(tmp_path / "gone"), packed=False, limits=LIMITS)
    assert (content.code, content.detail) == ("document_unreadable", "no such file or directory")
    assert read_content(str(tmp_path / ("x" * 300)), packed=False, limits=LIMITS).code == "document_unreadable"


NOISE = random.Random(1).randbytes(3000)


@pytest.mark.parametrize(
    ("data", "unpacked"),
    [
        (gzip.compress(b"", mtime=0), b""),
        (gzip.compress(b"abc", mtime=0), b"abc"),
        (gzip.compress(b"abc", mtime=0) + gzip.compress(b"def", mtime=0), b"abcdef"),
        (gzip.compress(b"abc", mtime=0) + b"\0" * 50, b"abc"),
        (gzip.compress(NOISE, mtime=0), NOISE),
        (gzip.compress(b"x" * 1000, mtime=0), b"x" * 1000),
    ],
    ids=["empty", "one member", "two members", "padded", "large but dense", "free size at any ratio"],
)
def test_unpack(data: bytes, unpacked: bytes) -> None:
    assert unpack(data, LIMITS) == unpacked


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "ends too early"),
        (b"abc", "corrupt"),
        (gzip.compress(b"abc" * 100, mtime=0)[:-4], "ends too early"),
        (gzip.compress(NOISE, mtime=0)[:-1000] + b"x" * 1000, "corrupt"),
        (gzip.compress(b"abc", mtime=0) + b"tail", "corrupt"),
        (gzip.compress(b"abc", mtime=0) + b"\0\0tail", "corrupt"),
        (gzip.compress(b"x" * 1001, mtime=0), "more than 1000 bytes"),
        (gzip.compress(NOISE, mtime=0) + gzip.compress(NOISE, mtime=0), "more than 4000 bytes"),
        (gzip.compress(b"x" * 600, mtime=0) + gzip.compress(b"x" * 600, mtime=0), "more than 1[0-9]{3} bytes"),
        (gzip.compress(b"", mtime=0) * 10_001, "more than 10000 members"),
    ],
    ids=[
        "nothing",
        "no archive",
        "cut",
        "damaged",
        "tail",
        "tail behind padding",
        "ratio",
        "size limit",
        "ratio of all members",
        "members",
    ],
)
def test_refused_archives(data: bytes, why: str) -> None:
    with pytest.raises(ArchiveError, match=why):
        unpack(data, LIMITS)


def test_a_bomb_is_refused_early() -> None:
    layers = gzip.compress(b"\0" * 200_000_000, mtime=0)
    with pytest.raises(ArchiveError, match="more than"):
        unpack(layers, Limits())


def test_a_tree_lists_each_directory_once_and_only_so_many(tmp_path: Path) -> None:
    write(tmp_path, {"a/x": "", "b/x": ""})
    tree = Tree(Limits(directories=2))
    assert tree.listing(str(tmp_path)).folders == ["a", "b"]
    assert tree.listing(str(tmp_path / "a")).files == ["x"]
    assert tree.listing(str(tmp_path)).folders == ["a", "b"]
    assert not tree.exhausted
    assert tree.listing(str(tmp_path / "b")).files == []
    assert tree.exhausted


def test_a_tree_finds_relative_names_without_following_links(tmp_path: Path) -> None:
    write(tmp_path, {"a/b/x": "", "y": ""})
    link(tmp_path / "link", "a")
    tree, root = Tree(Limits(directories=100)), str(tmp_path)
    assert tree.first_file(root, ["z", "a/b/x", "y"]) == "a/b/x"
    assert tree.first_file(root, ["link/b/x", "a/../y", "a/b"]) is None
    assert tree.has_folder(root, "a/b")
    assert not tree.has_folder(root, "link")
    assert not tree.has_folder(root, "a/b/x")


@pytest.mark.parametrize(
    ("name", "shown"), [("a b", "a b"), ("\u78c1\u76d8", "\u78c1\u76d8"), (os.fsdecode(b"a\xffb"), "a\\xffb")]
)
def test_names_are_texts(name: str, shown: str) -> None:
    assert printable(name) == shown
