"""A fresh workspace for each case run, with a case's files copied in (specification 80, "Runner")."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple


class WorkspaceError(Exception):
    """A workspace cannot be made; the text says why."""


class Entry(NamedTuple):
    """One thing to copy: its path relative to the source, and its state without following links."""

    path: Path
    state: os.stat_result


class Amount(NamedTuple):
    """How many files there are to copy, and their bytes."""

    files: int
    size: int


def amount(source: Path) -> Amount:
    """What `copy_files` would copy.

    Raises:
        WorkspaceError: as there.
    """
    entries = [entry for entry in entries_of(source) if not stat.S_ISDIR(entry.state.st_mode)]
    return Amount(len(entries), sum(entry.state.st_size for entry in entries))


def entries_of(source: Path) -> Iterator[Entry]:
    """Everything below a directory, folders before what is in them; links are not followed.

    Raises:
        WorkspaceError: a link leads out of the directory, or something is neither file, folder nor link.
    """
    root = source.resolve()
    waiting = [Path()]
    while waiting:
        folder = waiting.pop()
        try:
            names = sorted(os.listdir(root / folder))
        except OSError as wrong:
            raise WorkspaceError(f"{folder}: {wrong.strerror}") from wrong
        for name in names:
            path = folder / name
            state = (root / path).lstat()
            if stat.S_ISDIR(state.st_mode):
                waiting.append(path)
            elif stat.S_ISLNK(state.st_mode):
                _check_link(root, path)
            elif not stat.S_ISREG(state.st_mode):
                raise WorkspaceError(f"{path}: neither a file nor a folder; take it out of the workspace files")
            yield Entry(path, state)


def _check_link(root: Path, path: Path) -> None:
    target = Path(os.readlink(root / path))
    inside = not target.is_absolute() and (root / path).resolve().is_relative_to(root)
    if not inside:
        raise WorkspaceError(
            f"{path}: the link leads to {target}, out of the workspace files; put the file itself there"
        )


def copy_files(source: Path, target: Path) -> None:
    """Copy a case's `workspace_files` into an empty workspace; links stay links, and lead nowhere else.

    Raises:
        WorkspaceError: see `entries_of`, or it cannot be read or written.
    """
    root = source.resolve()
    try:
        for path, state in entries_of(source):
            place = target / path
            if stat.S_ISDIR(state.st_mode):
                place.mkdir()
            elif stat.S_ISLNK(state.st_mode):
                place.symlink_to(os.readlink(root / path))
            else:
                shutil.copyfile(root / path, place, follow_symlinks=False)
                place.chmod(stat.S_IMODE(state.st_mode) | stat.S_IRUSR | stat.S_IWUSR)
    except OSError as wrong:
        raise WorkspaceError(f"{wrong.filename}: {wrong.strerror}") from wrong


def remove(directory: Path) -> None:
    """Remove a directory and all in it, whatever rights an agent took away from it.

    Raises:
        WorkspaceError: it cannot be removed.
    """
    if directory.is_symlink() or (directory.exists() and not directory.is_dir()):
        raise WorkspaceError(f"{directory} is no directory; move it away")

    try:
        if directory.exists():
            _unlock(directory)
            shutil.rmtree(directory)
    except OSError as wrong:
        raise WorkspaceError(f"{directory} cannot be removed: {wrong.strerror}") from wrong


def _unlock(directory: Path) -> None:
    """Give the owner all rights on a directory and the directories below it; links are left alone."""
    directory.chmod(stat.S_IRWXU)
    for folder, names, _ in os.walk(directory):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path):
                os.chmod(path, stat.S_IRWXU)
