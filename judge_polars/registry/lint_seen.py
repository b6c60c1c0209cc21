"""What the agent can see of a case: its id, its paths, the prompt, `env`, names and texts of `workspace_files`.

Reading is bounded and follows no links; what is not read is told (`not_looked_at`).
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judge_polars.errors import Finding
from judge_polars.registry.case import CaseFile
from judge_polars.registry.contents import Read
from judge_polars.registry.source import Loc, Source

FILES: Final = 2_000
"""Files of one workspace whose names are looked at."""
FILE_BYTES: Final = 1024 * 1024
"""Bytes of one file that are looked at."""
TOTAL_BYTES: Final = 16 * 1024 * 1024
"""Bytes of one workspace that are looked at."""
LEVELS: Final = 16
"""Levels of directories in one workspace that are looked at; of a deeper one its name is."""
DIRECTORIES: Final = 10_000
"""Directories of one workspace that are looked into; of the others their names are looked at, as if they were files."""

NAME, PROMPT, ENV, FILE_NAME, FILE_TEXT = "name", "prompt", "env", "file name", "file text"


@dataclass(frozen=True)
class Seen:
    """One thing that the agent sees.

    Attributes:
        kind: `name` (an id or a path), `prompt`, `env`, `file name` or `file text`.
        what: in words, for messages.
        source, loc: where it stands in YAML; the place of files is in `file`.
    """

    kind: str
    what: str
    text: str
    source: Source
    loc: Loc
    file: str | None = None

    def finding(self, passage: str, message: str, start: int | None = None) -> Finding:
        """A finding at a passage of the text; without `start` at its first occurrence, else where the text begins."""
        if self.kind == FILE_NAME and self.file:
            return Finding(self.file, 1, 1, "", "", "", message)
        if self.kind == FILE_TEXT and self.file:
            at = start if start is not None else max(self.text.casefold().find(passage.casefold()), 0)
            before = self.text[:at].split("\n")
            return Finding(self.file, len(before), len(before[-1]) + 1, "", "", "", message)
        found = self.source.finding(self.loc, "", message)
        line, column = _in_yaml(self.source.text, found.line, found.column, passage, self._nth(passage, start))
        return Finding(found.file, line, column, found.key, "", "", message)

    def _nth(self, passage: str, start: int | None) -> int:
        """How many occurrences of the passage stand before the one that is meant."""
        return self.text.count(passage, 0, start) if start else 0


def _in_yaml(text: str, line: int, column: int, passage: str, nth: int) -> tuple[int, int]:
    """Line and column of a passage of a value that begins at a position; that position where the passage is folded."""
    lines = text.split("\n")
    offset = sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
    head = passage.strip().split("\n")[0]
    at = offset - 1
    for _ in range(nth + 1):
        at = text.find(head, at + 1) if head else -1
        if at < 0:
            break
    if at < 0:
        at = text.casefold().find(head.casefold(), offset) if head and text.isascii() else -1
    if at < 0:
        return line, column
    before = text[:at].split("\n")
    return len(before), len(before[-1]) + 1


def seen_by_agent(case: Read[CaseFile], directory: Path) -> Iterator[Seen]:
    """Everything that the agent sees, ids and paths first."""
    model, source = case.model, case.source
    yield Seen(NAME, "the case id", model.id, source, ("id",))
    named = model.environment.workspace_files
    if named is not None:
        yield Seen(NAME, "the path of the workspace files", named, source, ("environment", "workspace_files"))
    yield Seen(PROMPT, "the prompt", model.prompt.text, source, ("prompt", "text"))
    for name, value in model.environment.env.items():
        yield Seen(ENV, f"the variable `{name}`", f"{name}={value}", source, ("environment", "env", name))
    if named is not None:
        yield from _workspace(directory / named, source)


def not_looked_at(case: Read[CaseFile], directory: Path) -> str | None:
    """What of the workspace files is too much to be looked at, in words; None when everything is."""
    named = case.model.environment.workspace_files
    if named is None:
        return None
    files = list(_files(directory / named))
    sizes = [_size(path) for path in files]
    if len(files) > FILES or sum(min(size, FILE_BYTES) for size in sizes) > TOTAL_BYTES:
        return (
            f"only the first {FILES} files and {TOTAL_BYTES >> 20} MiB of the workspace files are looked at for leaks"
        )
    if any(path.is_dir() and not path.is_symlink() for path in files):
        return (
            f"what lies more than {LEVELS} levels deep in the workspace files, or in more than {DIRECTORIES} directories, "
            "is not looked at for leaks"
        )
    large = [path.name for path, size in zip(files, sizes, strict=True) if size > FILE_BYTES]
    return f"only the first {FILE_BYTES >> 20} MiB of `{large[0]}` is looked at for leaks" if large else None


def _workspace(root: Path, source: Source) -> Iterator[Seen]:
    left = TOTAL_BYTES
    loc: Loc = ("environment", "workspace_files")
    for path in _files(root):
        shown = path.relative_to(root).as_posix()
        yield Seen(FILE_NAME, f"the name of the workspace file `{shown}`", shown, source, loc, str(path))
        content = _content(path, min(left, FILE_BYTES))
        left -= len(content)
        if content and b"\0" not in content[:8192]:
            text = re.sub(r"\r\n?", "\n", content.decode("utf-8", "replace"))
            yield Seen(FILE_TEXT, f"the workspace file `{shown}`", text, source, loc, str(path))


def _files(root: Path) -> Iterator[Path]:
    """Names of at most `FILES` + 1 files, without following any.

    Links are among them, and directories that are too deep or too many.
    """
    waiting = [(root, 0)]
    count, folders = 0, 1
    while waiting and count <= FILES:
        folder, level = waiting.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError:
            continue
        for entry in entries:
            if entry.is_dir(follow_symlinks=False) and level < LEVELS and folders < DIRECTORIES:
                folders += 1
                waiting.append((Path(entry.path), level + 1))
            elif count <= FILES:
                count += 1
                yield Path(entry.path)


def _size(path: Path) -> int:
    try:
        return path.lstat().st_size if path.is_file() and not path.is_symlink() else 0
    except OSError:
        return 0


def _content(path: Path, limit: int) -> bytes:
    """The first bytes of a regular file; nothing of anything else."""
    if path.is_symlink() or not path.is_file() or limit <= 0:
        return b""
    try:
        with path.open("rb") as file:
            return file.read(limit)
    except OSError:
        return b""
