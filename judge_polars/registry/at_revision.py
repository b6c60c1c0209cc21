"""A registry as it stood in a git commit, read without touching the work tree (specification 60, `--registry-rev`).

The repository is not trusted (specification 90, "Security"): its objects are read as they are, so that no filter, attribute, hook
or remote of its configuration has a say, and nothing that it names is run.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from judge_polars.errors import MissingPieceError, UsageError

_OBJECT: Final = re.compile(rb"[0-9a-f]{40,64}")
_FILE: Final = b"100"
"""How the modes of regular files begin; links and submodules have others."""
_OTHER_REPOSITORY: Final = (
    "GIT_DIR",
    "GIT_WORK_TREE",
    "GIT_COMMON_DIR",
    "GIT_INDEX_FILE",
    "GIT_PREFIX",
    "GIT_NAMESPACE",
    "GIT_OBJECT_DIRECTORY",
    "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_CONFIG_PARAMETERS",
)
"""Variables that hooks of git run with, and that would name another repository than the directory does."""
_NOTHING_ELSE: Final = {
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_OPTIONAL_LOCKS": "0",
    "LC_ALL": "C",
}
"""What a commit lacks is not fetched, and what stands for it is not taken."""


@contextmanager
def registry_at(registry: Path, revision: str) -> Iterator[Path]:
    """A directory with the registry's files as they stood in a commit; it is there as long as the context.

    Args:
        registry: the registry's directory in the work tree (it need not be there any more).
        revision: whatever git takes for a commit: a hash, a branch, a tag, `HEAD~3`.

    Raises:
        UsageError: the directory lies in no git repository, git knows no such revision, it has no registry there, or not all of
            it is in this repository.
        MissingPieceError: git is not installed.
    """
    start = next(place for place in (registry, *registry.absolute().parents) if place.is_dir())
    commit, top = _commit(start, revision)
    below = registry.resolve().relative_to(top).as_posix()
    files = _files(top, revision, commit, "" if below == "." else below)
    with tempfile.TemporaryDirectory(prefix="judge-polars-") as folder:
        place = Path(folder) / below
        _write(files, place, revision)
        yield place


def _commit(start: Path, revision: str) -> tuple[str, Path]:
    """The commit that is meant, and the directory of the work tree that it lies in."""
    code, printed, wrong = _git(start, "rev-parse", "--show-toplevel")
    top = Path(os.fsdecode(printed).removesuffix("\n")).resolve()
    if code or not start.resolve().is_relative_to(top):
        why = f" ({os.fsdecode(wrong).strip()})" if wrong and b"not a git repository" not in wrong else ""
        raise UsageError(f"--registry-rev {revision}: {start} lies in no git repository{why}")
    try:
        code, printed, _ = _git(top, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    except (OSError, ValueError):  # no argument of a command: too long, or with a NUL
        code, printed = 1, b""
    commit = printed.removesuffix(b"\n")
    if code or not _OBJECT.fullmatch(commit):
        raise UsageError(f"--registry-rev {revision[:200]}: git knows no such commit (`git log --oneline` lists them)")
    return commit.decode(), top


def _files(top: Path, revision: str, commit: str, below: str) -> list[tuple[str, bytes]]:
    """The regular files below a directory of a commit: path relative to it, content."""
    code, listed, _ = _git(top, "ls-tree", "-r", "-z", "--full-tree", f"{commit}:{below}")
    if code:
        raise UsageError(f"--registry-rev {revision}: there is no {below or 'directory'} in that commit")
    entries = [entry.partition(b"\t") for entry in listed.split(b"\0") if entry.startswith(_FILE)]
    blobs = [described.split(b" ")[2] for described, _, _ in entries]
    code, content, _ = _git(top, "cat-file", "--batch", given=b"".join(blob + b"\n" for blob in blobs))
    files, at = [], 0
    for blob, (_, _, name) in zip(blobs, entries, strict=True):
        header, _, _ = content[at : at + 200].partition(b"\n")
        kind = header.split(b" ")
        if code or kind[:2] != [blob, b"blob"]:
            raise UsageError(
                f"--registry-rev {revision}: {os.fsdecode(name)} cannot be read, not all of it is here: nothing is fetched; "
                "`git fsck` tells what is missing"
            )
        at += len(header) + 1
        files.append((os.fsdecode(name), content[at : at + int(kind[2])]))
        at += int(kind[2]) + 1
    return files


def _write(files: list[tuple[str, bytes]], folder: Path, revision: str) -> None:
    """Write files below a folder; a name that leads out of it, which no commit of git's own has, is left out."""
    inside = folder.resolve()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name, content in files:
            place = folder / name
            if place.resolve().is_relative_to(inside):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content)
    except OSError as wrong:
        raise UsageError(
            f"--registry-rev {revision}: its files cannot be written to {folder}: {wrong.strerror or wrong}"
        ) from wrong


def _git(place: Path, *arguments: str, given: bytes = b"") -> tuple[int, bytes, bytes]:
    """Exit code, standard output and standard error of git in a directory."""
    environment = {name: value for name, value in os.environ.items() if name not in _OTHER_REPOSITORY}
    command = ["git", "-c", "core.fsmonitor=false", "-C", os.fspath(place), *arguments]
    try:
        done = subprocess.run(
            command, capture_output=True, check=False, input=given, env={**environment, **_NOTHING_ELSE}
        )
    except FileNotFoundError:
        raise MissingPieceError("--registry-rev reads a commit with git, which is not installed: install git") from None
    return done.returncode, done.stdout, done.stderr
