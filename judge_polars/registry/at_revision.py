"""A registry as it stood in a git commit, read without touching the work tree (specification 60, `--registry-rev`)."""

from __future__ import annotations

import io
import subprocess
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from judge_polars.errors import MissingPieceError, UsageError


@contextmanager
def registry_at(registry: Path, revision: str) -> Iterator[Path]:
    """A directory with the registry's files as they stood in a commit; it is there as long as the context.

    Args:
        registry: the registry's directory in the work tree (it need not be there any more).
        revision: whatever git takes for a commit: a hash, a branch, a tag, `HEAD~3`.

    Raises:
        UsageError: the directory lies in no git repository, git knows no such revision, or it has no registry there.
        MissingPieceError: git is not installed.
    """
    start = next(place for place in (registry, *registry.absolute().parents) if place.is_dir())
    top = Path(_git(start, revision, "rev-parse", "--show-toplevel").decode().strip())
    commit = _git(top, revision, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    below = registry.resolve().relative_to(top.resolve()).as_posix()
    archive = _git(top, revision, "archive", "--format=tar", commit.decode().strip(), "--", below, missing=below)
    with tempfile.TemporaryDirectory(prefix="judge-polars-") as folder:
        _unpack(archive, Path(folder))
        yield Path(folder) / below


def _unpack(archive: bytes, folder: Path) -> None:
    """Write the regular files of an archive below a folder."""
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        for member in files:
            content = files.extractfile(member) if member.isfile() else None
            place = folder / member.name
            if content is not None and place.resolve().is_relative_to(folder.resolve()):
                place.parent.mkdir(parents=True, exist_ok=True)
                place.write_bytes(content.read())


def _git(place: Path, revision: str, *arguments: str, missing: str | None = None) -> bytes:
    try:
        done = subprocess.run(["git", "-C", str(place), *arguments], capture_output=True, check=False)
    except FileNotFoundError:
        raise MissingPieceError("--registry-rev reads a commit with git, which is not installed: install git") from None
    if done.returncode == 0:
        return done.stdout
    if arguments[-1] == "--show-toplevel":
        raise UsageError(f"--registry-rev {revision}: {place} lies in no git repository")
    if missing is not None:
        raise UsageError(f"--registry-rev {revision}: there is no {missing} in that commit")
    raise UsageError(f"--registry-rev {revision}: git knows no such commit (`git log --oneline` lists them)")
