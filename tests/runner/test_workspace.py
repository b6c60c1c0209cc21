"""Copying a case's files: what is copied, what is refused, what can be removed again."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_polars.runner.workspace import Amount, WorkspaceError, amount, copy_files, remove


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """Two files and an empty folder."""
    folder = tmp_path / "source"
    (folder / "deep/empty").mkdir(parents=True)
    (folder / "a.txt").write_text("text")
    (folder / "deep/b.txt").write_text("more")
    return folder


def test_copy(source: Path, tmp_path: Path) -> None:
    (source / "deep/up").symlink_to("../a.txt")
    (source / "a.txt").chmod(0o400)
    target = tmp_path / "target"
    target.mkdir()
    copy_files(source, target)
    assert (target / "a.txt").read_text() == "text"
    assert (target / "a.txt").stat().st_mode & 0o777 == 0o600
    assert (target / "deep/empty").is_dir()
    assert (target / "deep/up").readlink() == Path("../a.txt")
    assert amount(source).files == 3


def test_amount(source: Path) -> None:
    assert amount(source) == Amount(2, 8)


ODD: dict[str, tuple[Callable[[Path], None], str]] = {
    "absolute-link": (lambda path: path.symlink_to("/etc/passwd"), "the link leads to /etc/passwd"),
    "absolute-link-inside": (lambda path: path.symlink_to(path.parent / "a.txt"), "the link leads to"),
    "link-out": (lambda path: path.symlink_to("../../x"), "the link leads to ../../x"),
    "link-out-by-a-link": (lambda path: path.symlink_to("a/../../.."), "the link leads to"),
    "fifo": (lambda path: os.mkfifo(path), "neither a file nor a folder"),
}


@pytest.mark.parametrize(("make", "message"), ODD.values(), ids=list(ODD))
def test_what_is_not_copied(source: Path, tmp_path: Path, make: Callable[[Path], None], message: str) -> None:
    make(source / "odd")
    target = tmp_path / "target"
    target.mkdir()
    for call in (lambda: copy_files(source, target), lambda: amount(source)):
        with pytest.raises(WorkspaceError, match=f"odd: .*{message}|odd: {message}"):
            call()
    assert not (target / "odd").exists()


def test_remove_what_an_agent_locked(source: Path) -> None:
    (source / "deep").chmod(0)
    remove(source)
    assert not source.exists()
    remove(source)


def test_remove_follows_no_link(source: Path, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(source)
    with pytest.raises(WorkspaceError, match="is no directory"):
        remove(tmp_path / "link")
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder/link").symlink_to(source)
    remove(tmp_path / "folder")
    assert (source / "a.txt").exists()
