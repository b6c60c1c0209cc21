"""Make a world small that shows something: fewer runs, cases, checks, rules, files and lines.

A world is a dictionary of files.  Each pass offers smaller worlds; the first that still shows it is gone on with, until no pass
finds one, or the trials that were allowed are used up.
"""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, TypeVar

T = TypeVar("T")


@dataclass(frozen=True)
class Link:
    """A symbolic link."""

    target: str


@dataclass(frozen=True)
class Zeros:
    """A file of so many NUL bytes, which is not held in memory."""

    size: int


Content = bytes | Link | Zeros
Files = dict[str, Content]
Shows = Callable[[Path], bool]

LARGE: Final = 1 << 22
TRIALS: Final = 1500


def read_world(root: Path) -> Files:
    """All files and links below a directory, by their relative names."""
    files: Files = {}
    for path in sorted(root.rglob("*")):
        name = path.relative_to(root).as_posix()
        if path.is_symlink():
            files[name] = Link(path.readlink().as_posix())
        elif path.is_file():
            size = path.stat().st_size
            files[name] = Zeros(size) if size > LARGE else path.read_bytes()
    return files


def write_files(files: Files, root: Path) -> None:
    """Write a world into a directory that is not there yet."""
    root.mkdir(parents=True)
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
        elif isinstance(content, Zeros):
            with path.open("wb") as stream:
                stream.truncate(content.size)
        else:
            path.write_bytes(content)


def shrink(world: Path, shows: Shows, trials: int = TRIALS) -> Files:
    """The smallest world found in so many trials for which `shows` is still true."""
    with TemporaryDirectory() as place:
        return _Shrinker(Path(place), shows, trials).smallest(read_world(world))


class _Shrinker:
    """Tries worlds, and counts how many."""

    def __init__(self, place: Path, shows: Shows, trials: int) -> None:
        self._place = place
        self._shows = shows
        self._left = trials

    def smallest(self, files: Files) -> Files:
        """One pass after the other, from the coarsest, until none of them gets on."""
        before: Files = {}
        while files != before and self._left:
            before = files
            files = self._without_folders(files)
            files = self._without_cases(files)
            files = self._of_fewer_names(files)
            for name in sorted(files, key=lambda name: (not name.startswith("registry"), name)):
                files = self._of_less_content(files, name)
        return files

    def _try(self, files: Files) -> bool:
        """Whether a world shows it still."""
        if not self._left:
            return False
        self._left -= 1
        root = self._place / "world"
        shutil.rmtree(root, ignore_errors=True)
        write_files(files, root)
        return self._shows(root)

    def _fewest(self, things: Sequence[T], make: Callable[[list[T]], Files]) -> list[T]:
        """The fewest of the things with which the world that `make` makes shows it: ever smaller parts are left out."""
        kept, part = list(things), max(1, len(things))
        while kept and self._left:
            place, found = 0, False
            while place < len(kept):
                fewer = kept[:place] + kept[place + part :]
                if self._try(make(fewer)):
                    kept, found = fewer, True
                else:
                    place += part
            if part == 1 and not found:
                break
            part = max(1, min(part // 2, len(kept)))
        return kept

    def _without_folders(self, files: Files) -> Files:
        """Fewer eval runs, cases of them, trials of these, baselines and suites."""
        for depth in (2, 4, 5):
            files = self._without_folders_at(files, depth)
        return files

    def _without_folders_at(self, files: Files, depth: int) -> Files:
        """Fewer of the folders whose names have so many parts."""
        folders = sorted({part_of(name, depth) for name in files if name.startswith("runs/")} - {""})
        kept = self._fewest(folders, lambda fewer: only(files, set(fewer), depth))
        return only(files, set(kept), depth)

    def _without_cases(self, files: Files) -> Files:
        """Fewer cases of the registry, of its suites and baselines too."""
        cases = sorted({part_of(name, 3) for name in files if name.startswith("registry/cases/")})
        kept = self._fewest(cases, lambda fewer: without_cases(files, set(cases) - set(fewer)))
        return without_cases(files, set(cases) - set(kept))

    def _of_fewer_names(self, files: Files) -> Files:
        """Fewer files."""
        kept = self._fewest([*files], lambda fewer: {name: files[name] for name in fewer})
        return {name: files[name] for name in kept}

    def _of_less_content(self, files: Files, name: str) -> Files:
        """Fewer members and elements of a JSON value, fewer lines of anything else."""
        content = files[name]
        if not isinstance(content, bytes) or not content:
            return files
        try:
            value = json.loads(content)
        except ValueError:
            value = None
        if isinstance(value, dict | list):
            return self._of_fewer_nodes(files, name, value)
        lines = content.splitlines(keepends=True)
        kept = self._fewest(lines, lambda fewer: files | {name: b"".join(fewer)})
        return files | {name: b"".join(kept)}

    def _of_fewer_nodes(self, files: Files, name: str, value: Any) -> Files:
        """A JSON value without members and elements that nothing depends on, from the outermost on."""
        if not self._try(files | {name: json_text(value)}):
            return files
        done: set[tuple[str | int, ...]] = set()
        while (path := next((path for path in containers(value) if path not in done), None)) is not None:
            done.add(path)
            kept = self._fewest_nodes(files, name, value, path)
            if kept and isinstance(at(value, path), list):
                done = {other for other in done if other[: len(path)] != path or other == path}
            value = with_only(value, path, kept)
        return files | {name: json_text(value)}

    def _fewest_nodes(self, files: Files, name: str, value: Any, path: tuple[str | int, ...]) -> list[Any]:
        """The fewest members or elements of what lies at a path."""
        keys = keys_of(at(value, path))
        return self._fewest(keys, lambda fewer: files | {name: json_text(with_only(value, path, fewer))})


def part_of(name: str, depth: int) -> str:
    """The first parts of a name, empty where it has no more parts than that."""
    parts = name.split("/")
    return "/".join(parts[:depth]) if len(parts) > depth else ""


def only(files: Files, folders: set[str], depth: int) -> Files:
    """The files in these folders of that depth, and those that are in none."""
    return {
        name: content
        for name, content in files.items()
        if not name.startswith("runs/") or part_of(name, depth) in {*folders, ""}
    }


def without_cases(files: Files, gone: set[str]) -> Files:
    """The registry without these cases, which its suites and baselines name too."""
    ids = {folder.rsplit("/", 1)[-1] for folder in gone}
    kept: Files = {}
    for name, content in files.items():
        if part_of(name, 3) in gone:
            continue
        if ids and name.startswith(("registry/suites/", "registry/baselines/")) and isinstance(content, bytes):
            record = json.loads(content)
            cases = record["cases"]
            if isinstance(cases, dict):
                record["cases"] = {case: memory for case, memory in cases.items() if case not in ids}
            else:
                record["cases"] = [case for case in cases if case not in ids]
            content = json_text(record)
        kept[name] = content
    return kept


def json_text(value: Any) -> bytes:
    """A JSON text that people can read."""
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass")


def containers(value: Any, path: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    """The paths of all objects and lists, outermost first."""
    if isinstance(value, dict | list):
        yield path
        for key in keys_of(value):
            yield from containers(value[key], (*path, key))


def keys_of(value: Any) -> list[Any]:
    """Names of members, or indexes."""
    return [*value] if isinstance(value, dict) else [*range(len(value))]


def at(value: Any, path: tuple[str | int, ...]) -> Any:
    """What lies at a path."""
    for key in path:
        value = value[key]
    return value


def with_only(value: Any, path: tuple[str | int, ...], keys: Sequence[Any]) -> Any:
    """A copy with only these members or elements of what lies at a path."""
    if not path:
        return {key: value[key] for key in keys} if isinstance(value, dict) else [value[key] for key in keys]
    first: Any = path[0]
    rest = path[1:]
    below = with_only(value[first], rest, keys)
    if isinstance(value, dict):
        return value | {first: below}
    return [*value[:first], below, *value[first + 1 :]]
