"""Opening, unpacking and listing what lies in a case run, without trust (specifications 20 and 90, "Security").

Nothing but regular files is opened, no symbolic link is followed, and everything is bounded.
"""

from __future__ import annotations

import errno
import hashlib
import os
import stat
import zlib
from collections.abc import Iterable
from types import TracebackType
from typing import Final, NamedTuple, Self

from judge_polars.bundles.layout import is_left_out
from judge_polars.rulebook import Limits

READ_FLAGS: Final = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC
_ROOT_FLAGS: Final = os.O_RDONLY | os.O_DIRECTORY | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER_FLAGS: Final = _ROOT_FLAGS | os.O_NOFOLLOW
_MOST_OPEN: Final = 64
"""Directories of a case run that are open at once."""
_LONGEST_PATH: Final = 4_000

BINARY_WITHIN: Final = 8192
_GZIP: Final = 31
_CHUNK: Final = 1 << 16
_MEMBERS: Final = 10_000
"""Members that one archive may have; a block-wise packed log of the largest size has about a thousand."""


class Content(NamedTuple):
    """What was read of a file.

    Attributes:
        size: bytes on disk; None when not even that is known.
        digest: sha256 of the bytes on disk; None when they were not read.
        data: the bytes, unpacked; None when the file is unread.
        code: issue that made it unread, or None.
        detail: what was found, for people.
    """

    size: int | None
    digest: str | None
    data: bytes | None
    code: str | None = None
    detail: str = ""


class ArchiveError(ValueError):
    """An archive that is corrupt or unpacks beyond its limits; the text says which."""


def read_content(path: str, packed: bool, limits: Limits, tree: Tree | None = None) -> Content:
    """A regular file's bytes; never raises for what a file may hold or be.

    With a `tree` the directories above it within the case run are no links either, even where one took a directory's place
    after it was listed.
    """
    try:
        handle = os.open(path, READ_FLAGS) if tree is None else tree.open_file(path)
    except (OSError, ValueError) as fault:
        return _unopened(fault)
    try:
        status = os.fstat(handle)
        size = status.st_size
        if not stat.S_ISREG(status.st_mode):
            return Content(None, None, None, "not_a_regular_file", "no regular file")
        if size > limits.document_bytes:
            return Content(
                size, None, None, "document_too_large", f"{size} bytes, at most {limits.document_bytes} are read"
            )
        if tree is not None and not tree.takes(size):
            return Content(size, None, None, "limit_reached", _too_much(limits))
        data = os.read(handle, size)
        while len(data) < size and (more := os.read(handle, size - len(data))):
            data += more
    except OSError as fault:
        return _unopened(fault)
    finally:
        os.close(handle)
    digest = hashlib.sha256(data).hexdigest()
    size = len(data)
    if packed:
        try:
            data = unpack(data, limits)
        except ArchiveError as fault:
            return Content(size, digest, None, "archive_refused", str(fault))
        if tree is not None and not tree.takes(len(data)):
            return Content(size, digest, None, "limit_reached", _too_much(limits))
    at = data.find(b"\0", 0, BINARY_WITHIN)
    if at >= 0:
        return Content(size, digest, None, "binary_skipped", f"a NUL byte at byte {at}")
    return Content(size, digest, data)


def _too_much(limits: Limits) -> str:
    return f"with it more than {limits.case_run_bytes} bytes of the case run would be read"


def _unopened(fault: OSError | ValueError) -> Content:
    if isinstance(fault, OSError) and fault.errno in (errno.ELOOP, errno.ENXIO):
        return Content(None, None, None, "not_a_regular_file", "no regular file")
    return Content(None, None, None, "document_unreadable", reason_of(fault))


def reason_of(fault: OSError | ValueError) -> str:
    """Why something could not be opened, without its path."""
    return (os.strerror(fault.errno) if isinstance(fault, OSError) and fault.errno else str(fault)).lower()


def unpack(data: bytes, limits: Limits) -> bytes:
    """A gzip archive's content, all members; ArchiveError when it is corrupt or too much comes out of it."""
    most = min(limits.document_bytes, max(limits.archive_free_bytes, limits.archive_ratio * len(data)))
    pieces: list[bytes] = []
    at, left, members = 0, most, 0
    while at < len(data) or not members:
        if members and data[at] == 0 and not data[at:].strip(b"\0"):
            break
        if members == _MEMBERS:
            raise ArchiveError(f"more than {_MEMBERS} members")
        members += 1
        unpacker = zlib.decompressobj(_GZIP)
        while not unpacker.eof:
            chunk = data[at : at + _CHUNK]
            if not chunk:
                raise ArchiveError("the archive ends too early")
            try:
                piece = unpacker.decompress(chunk, left + 1)
            except zlib.error:
                raise ArchiveError("the archive is corrupt") from None
            at += len(chunk) - len(unpacker.unused_data)
            left -= len(piece)
            if left < 0:
                raise ArchiveError(f"unpacks to more than {most} bytes")
            pieces.append(piece)
    return b"".join(pieces)


class Listing(NamedTuple):
    """Names in one directory, sorted, none hidden and no `node_modules`; `odd` are links, pipes, devices, sockets."""

    files: list[str]
    folders: list[str]
    odd: list[str]


def list_directory(path: str | int) -> Listing:
    """What lies directly in a directory (its path, or an open one); OSError when it cannot be read."""
    files: list[str] = []
    folders: list[str] = []
    odd: list[str] = []
    with os.scandir(path) as entries:
        for entry in entries:
            name = entry.name
            if is_left_out(name):
                continue
            if entry.is_file(follow_symlinks=False):
                files.append(name)
            elif entry.is_dir(follow_symlinks=False):
                folders.append(name)
            else:
                odd.append(name)
    files.sort()
    folders.sort()
    odd.sort()
    return Listing(files, folders, odd)


NOTHING: Final = Listing([], [], [])


class Tree:
    """The directories of one case run, each listed once; a context manager, which closes them.

    No more directories are listed, and no more bytes of files read, than the limits allow.
    Below a root that was named with `add_root` each directory is opened within the one above it, and never through a link: what
    is read lies where it was listed, whatever is moved meanwhile.

    Attributes:
        unlisted: (path, why) of each directory that could not be read.
        exhausted: whether a directory was left out because there are too many.
    """

    def __init__(self, limits: Limits) -> None:
        self._left = limits.directories
        self._bytes_left = limits.case_run_bytes
        self._listings: dict[str, Listing] = {}
        self._roots: set[str] = set()
        self._open: dict[str, int] = {}
        self.unlisted: list[tuple[str, str]] = []
        self.exhausted = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        for handle in self._open.values():
            os.close(handle)
        self._open.clear()

    def add_root(self, path: str) -> None:
        """A directory that is trusted to lie where it lies, and may be reached through links."""
        self._roots.add(path)

    def takes(self, size: int) -> bool:
        """Whether so many bytes more may be read of the case run; they are counted if they may."""
        if size > self._bytes_left:
            return False
        self._bytes_left -= size
        return True

    def open_file(self, path: str) -> int:
        """Open a file for reading; OSError where it, or a directory above it within the root, is a link."""
        folder, _, name = path.rpartition("/")
        return os.open(name, READ_FLAGS, dir_fd=self._folder(folder))

    def _folder(self, path: str) -> int:
        """An open directory; OSError where it cannot be opened or its path is longer than a system's longest."""
        if len(path) > _LONGEST_PATH:
            raise OSError(errno.ENAMETOOLONG, os.strerror(errno.ENAMETOOLONG))
        handle = self._open.pop(path, None)
        if handle is not None:
            self._open[path] = handle  # the latest one is the last to be closed
            return handle
        below: list[str] = []
        at = path
        while at not in self._open and at not in self._roots:
            at, slash, name = at.rpartition("/")
            if not slash:
                return self._keep(path, os.open(path, _FOLDER_FLAGS))
            below.append(name)
        handle = self._folder(at) if at in self._open else self._keep(at, os.open(at, _ROOT_FLAGS))
        for name in reversed(below):
            at = f"{at}/{name}"
            handle = self._keep(at, os.open(name, _FOLDER_FLAGS, dir_fd=handle))
        return handle

    def _keep(self, path: str, handle: int) -> int:
        if len(self._open) == _MOST_OPEN:
            os.close(self._open.pop(next(iter(self._open))))
        self._open[path] = handle
        return handle

    def listing(self, path: str) -> Listing:
        """What lies directly in a directory; nothing when it cannot be read or the limit is reached."""
        known = self._listings.get(path)
        if known is not None:
            return known
        if self._left == 0:
            self.exhausted = True
            return NOTHING
        self._left -= 1
        try:
            listing = list_directory(self._folder(path))
        except OSError as fault:
            self.unlisted.append((path, reason_of(fault)))
            listing = NOTHING
        self._listings[path] = listing
        return listing

    def folder_of(self, path: str, name: str) -> tuple[str, Listing, str]:
        """The directory in which the last part of a relative name is to be looked for, its listing, and that part.

        No symbolic link is followed; the listing is empty where the directory is not there.
        """
        if "/" not in name:
            return path, self.listing(path), name
        *parents, last = name.split("/")
        for parent in parents:
            if parent not in self.listing(path).folders:
                return path, NOTHING, last
            path = f"{path}/{parent}"
        return path, self.listing(path), last

    def first_file(self, path: str, names: Iterable[str]) -> str | None:
        """The first of several relative names of which there is a regular file in a directory."""
        for name in names:
            _, listing, last = self.folder_of(path, name)
            if last in listing.files:
                return name
        return None

    def has_folder(self, path: str, name: str) -> bool:
        """Whether a directory of that relative name lies in a directory."""
        _, listing, last = self.folder_of(path, name)
        return last in listing.folders


def printable(name: str) -> str:
    r"""A file name as text: bytes that are no UTF-8 stand as `\xNN`."""
    return name if name.isascii() else name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
