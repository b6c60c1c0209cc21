"""Edits of the files of a case run: each one is plain data, so that a list of them can be made smaller and kept.

An edit is `(kind, which, where, piece)`: `which` and `where` choose among what is there, `piece` is text or bytes.
"""

from __future__ import annotations

import gzip
import json
import os
import shutil
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st
from hypothesis.strategies import SearchStrategy

from tests.fuzz import hostile_json, hostile_texts
from tests.fuzz.target import Example

MOST_BYTES: Final = 1 << 21
"""What an edit repeats grows to at most."""

Edit = tuple[str, int, int, Any]
NEW_NAMES: Final = (
    *(
        "manifest.json",
        "report.json",
        "diagnosis_report.json",
        "manifest.json.gz",
        "evidence",
        "logs",
        "output.md",
        "output.txt",
    ),
    *(
        "evidence/metrics.json",
        "evidence/queries.json",
        "evidence/events.json",
        "evidence/tickets.json",
        "evidence/log_stats.json",
    ),
    *(
        "evidence/metrics.json.gz",
        "evidence/collection_errors.json",
        "logs/a.log",
        "logs/a.log.gz",
        "logs/core",
        "logs/x.JSONL",
    ),
    *(
        "analysis_patch.json",
        "summary.md",
        "summary.json",
        "telemetry.jsonl",
        "telemetry.log",
        "deep/manifest.json",
        "node_modules/a",
    ),
    *(
        ".hidden",
        "中文.log",
        "a\nb.log",
        "a\x1b[31m.log",
        " ",
        "x" * 200 + ".log",
        "judgment.json",
        "case_run.json",
        "audit",
        "workspace",
    ),
)
TARGETS_OF_LINKS: Final = (
    "..",
    "/",
    "/etc/hosts",
    "/dev/zero",
    "loop",
    "manifest.json",
    "../output.md",
    "../../..",
    "evidence",
    "/proc/self/mem",
)


def paths_below(folder: Path, *, files: bool) -> list[Path]:
    """Regular files, or directories, by name."""
    found = []
    for root, folders, names in os.walk(folder):
        folders.sort()
        found += [Path(root, name) for name in (names if files else folders)]
    return sorted(path for path in found if not path.is_symlink() and path.is_dir() != files)


def chosen(paths: list[Path], which: int) -> Path | None:
    """One of them, if any."""
    return paths[which % len(paths)] if paths else None


def rewrite(change: Callable[[bytes, int, Any], bytes]) -> Callable[[Path, Edit], None]:
    """An edit of the bytes of one file."""

    def edit(folder: Path, given: Edit) -> None:
        path = chosen(paths_below(folder, files=True), given[1])
        if path is not None and path.is_file() and path.stat().st_size <= MOST_BYTES:
            path.write_bytes(change(path.read_bytes(), given[2], given[3])[: 4 * MOST_BYTES])

    return edit


def _place(data: bytes, where: int) -> int:
    return where % (len(data) + 1)


def _as_bytes(piece: Any) -> bytes:
    return piece if isinstance(piece, bytes) else str(piece).encode("utf-8", "replace")


def _flipped(data: bytes, where: int, _: Any) -> bytes:
    if not data:
        return b"\xff"
    at = where % len(data)
    return data[:at] + bytes([data[at] ^ (1 << where % 8)]) + data[at + 1 :]


def _nested(data: bytes, where: int, _: Any) -> bytes:
    deep = where % 600
    return b"[" * deep + data + b"]" * deep


def _repeated(data: bytes, where: int, _: Any) -> bytes:
    return data * min(1 + where % 3000, 1 + MOST_BYTES // (len(data) + 1))


def _recoded(data: bytes, where: int, _: Any) -> bytes:
    codec = ("utf-16", "utf-8-sig", "utf-16-be", "gb18030", "latin-1", "utf-32")[where % 6]
    return data.decode("utf-8", "replace").encode(codec, "replace")


def _cut_lines(data: bytes, where: int, piece: Any) -> bytes:
    lines = data.split(b"\n")
    at = where % len(lines)
    return b"\n".join([*lines[:at], *([_as_bytes(piece)] if where % 3 else []), *lines[at + 1 :]])


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _places(value[step], (*path, step))


def _json_edited(data: bytes, where: int, piece: Any) -> bytes:
    """A JSON value of which one node is the piece instead; JSON lines are edited in one line."""
    lines = data.split(b"\n") if data[:1] == b"{" and data.count(b"\n{") else [data]
    line = where % len(lines)
    try:
        value = json.loads(lines[line])
    except (ValueError, RecursionError):
        return _as_bytes(piece)
    places = list(_places(value))
    path = places[where // 7 % len(places)]
    mark = "@@the place of the piece@@"
    if not path:
        value = mark
    else:
        holder = value
        for step in path[:-1]:
            holder = holder[step]
        holder[path[-1]] = mark
    lines[line] = json.dumps(value, ensure_ascii=False).encode().replace(f'"{mark}"'.encode(), _as_bytes(piece))
    return b"\n".join(lines)


def spliced(folder: Path, given: Edit) -> None:
    """A piece of another file is put in."""
    paths = paths_below(folder, files=True)
    path, other = chosen(paths, given[1]), chosen(paths, given[1] // 17 + given[2])
    if path is not None and other is not None and max(path.stat().st_size, other.stat().st_size) <= MOST_BYTES:
        data, piece = path.read_bytes(), other.read_bytes()
        at = _place(data, given[2])
        path.write_bytes(data[:at] + piece[given[2] % (len(piece) + 1) :][:2000] + data[at:])


def removed(folder: Path, given: Edit) -> None:
    """A file or a directory is gone."""
    path = chosen(paths_below(folder, files=bool(given[2] % 4)), given[1])
    if path is not None:
        _clear(path)


def _clear(path: Path) -> None:
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    elif os.path.lexists(path):
        path.unlink()


def _new_path(folder: Path, given: Edit) -> Path:
    """A place for something new, the way to it made free."""
    below = [folder, *paths_below(folder, files=False)]
    path = below[given[1] % len(below)] / NEW_NAMES[given[2] % len(NEW_NAMES)]
    for parent in reversed(path.parents):
        if folder in parent.parents and not parent.is_dir():
            _clear(parent)
    path.parent.mkdir(parents=True, exist_ok=True)
    _clear(path)
    return path


def added(folder: Path, given: Edit) -> None:
    """A new file."""
    _new_path(folder, given).write_bytes(_as_bytes(given[3]))


def renamed(folder: Path, given: Edit) -> None:
    """A file has another name."""
    path = chosen(paths_below(folder, files=True), given[1])
    if path is not None:
        data = path.read_bytes() if path.stat().st_size <= MOST_BYTES else b""
        path.unlink()
        _new_path(folder, given).write_bytes(data)


def swapped(folder: Path, given: Edit) -> None:
    """Two files have each other's names, or a file is a directory now."""
    paths = paths_below(folder, files=True)
    path, other = chosen(paths, given[1]), chosen(paths, given[2])
    if path is None or other is None:
        return
    if path == other:
        path.unlink()
        path.mkdir()
    elif max(path.stat().st_size, other.stat().st_size) <= MOST_BYTES:
        one, two = path.read_bytes(), other.read_bytes()
        path.write_bytes(two)
        other.write_bytes(one)


def flattened(folder: Path, given: Edit) -> None:
    """A directory is a file now."""
    path = chosen(paths_below(folder, files=False), given[1])
    if path is not None:
        _clear(path)
        path.write_bytes(_as_bytes(given[3]))


def copied(folder: Path, given: Edit) -> None:
    """A directory is there twice, perhaps within itself."""
    folders = paths_below(folder, files=False)
    path, home = chosen(folders, given[1]), chosen([folder, *folders], given[2])
    if (
        path is not None
        and home is not None
        and len(paths_below(path, files=True)) < 100
        and not (home / "copy").exists()
    ):
        copy = folder.parent / f"{folder.name}-copy"
        shutil.copytree(
            path,
            copy,
            symlinks=True,
            ignore=lambda root, names: [name for name in names if not _is_plain(Path(root, name))],
        )
        shutil.move(copy, home / "copy")


def _is_plain(path: Path) -> bool:
    return path.is_symlink() or path.is_file() or path.is_dir()


def linked(folder: Path, given: Edit) -> None:
    """A symbolic link, new or in a file's place."""
    path = _new_path(folder, given)
    os.symlink(TARGETS_OF_LINKS[given[1] % len(TARGETS_OF_LINKS)], path)


def piped(folder: Path, given: Edit) -> None:
    """A FIFO or a socket, new or in a file's place."""
    path = _new_path(folder, given)
    if given[1] % 3:
        os.mkfifo(path)
        return
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.open(path.parent, os.O_RDONLY)
        try:
            if len(path.name) < 60:
                listening.bind(f"/proc/self/fd/{here}/{path.name}")
        except OSError:
            os.mkfifo(path)
        finally:
            os.close(here)


def huge(folder: Path, given: Edit) -> None:
    """A file over the size limit, of which nothing is written."""
    with _new_path(folder, given).open("wb") as stream:
        stream.truncate((64 << 20) + 1 + given[1] * 1_000_000)


def packed(folder: Path, given: Edit) -> None:
    """A file is an archive now, with or without the plain one beside it; or an archive that grows without end."""
    path = chosen(paths_below(folder, files=True), given[1])
    if path is None or path.stat().st_size > MOST_BYTES:
        return
    data = b"[" + b"0," * (20 << 20) + b"0]" if given[2] % 9 == 0 else path.read_bytes()
    for _ in range(1 + (given[2] % 5 == 0)):
        data = gzip.compress(data, 1, mtime=0)
    if given[2] % 2:
        path.unlink()
    archive = path.with_name(f"{path.name}.gz"[-250:])
    if not archive.is_dir():
        archive.write_bytes(data)


def crowded(folder: Path, given: Edit) -> None:
    """Many directories, below or beside each other, perhaps each with a manifest."""
    place = _new_path(folder, given)
    for number in range(given[2] % 40):
        place = place / "d" if given[1] % 2 else place.parent / f"d{number}"
        place.mkdir(parents=True, exist_ok=True)
        if given[1] % 3 == 0:
            (place / "manifest.json").write_bytes(_as_bytes(given[3]))


def barred(folder: Path, given: Edit) -> None:
    """A file or a directory that nobody may read (which keeps out everybody but the administrator)."""
    path = chosen(paths_below(folder, files=bool(given[2] % 3)), given[1])
    if path is not None:
        path.chmod(0)


OF_BYTES: Final[dict[str, Callable[[bytes, int, Any], bytes]]] = {
    "truncate": lambda data, where, piece: data[: _place(data, where)],
    "behead": lambda data, where, piece: data[_place(data, where) :],
    "flip": _flipped,
    "insert": lambda data, where, piece: data[: _place(data, where)] + _as_bytes(piece) + data[_place(data, where) :],
    "replace": lambda data, where, piece: _as_bytes(piece),
    "empty": lambda data, where, piece: b"",
    "nest": _nested,
    "repeat": _repeated,
    "recode": _recoded,
    "lines": _cut_lines,
    "json": _json_edited,
}
OF_TREES: Final[dict[str, Callable[[Path, Edit], None]]] = {
    "splice": spliced,
    "remove": removed,
    "add": added,
    "rename": renamed,
    "swap": swapped,
    "flatten": flattened,
    "copy": copied,
    "link": linked,
    "pipe": piped,
    "huge": huge,
    "pack": packed,
    "crowd": crowded,
    "bar": barred,
}
EDITS: Final = {**{name: rewrite(change) for name, change in OF_BYTES.items()}, **OF_TREES}

_PIECES: Final = st.one_of(hostile_json.JSON_TEXTS, hostile_json.ANY_BYTES, hostile_texts.PROSE)
_KINDS: Final = [*EDITS, *["json"] * 10, *["insert", "replace", "truncate", "add", "lines"] * 2]
EDIT_LISTS: Final[SearchStrategy[Example]] = st.lists(
    st.one_of(
        st.tuples(st.sampled_from(_KINDS), st.integers(0, 400), st.integers(0, 40_000), _PIECES),
        st.tuples(
            st.just("json"),
            st.integers(0, 400),
            st.integers(0, 4_000),
            st.one_of(hostile_json.JSON_VALUES, hostile_texts.ANY_TEXT.map(hostile_json.quoted)),
        ),
    ),
    min_size=1,
    max_size=5,
)


def spoil(folder: Path, edits: list[Edit]) -> None:
    """Apply edits to the files of a case run, one after another."""
    for edit in edits:
        EDITS[edit[0]](folder, edit)
