"""Whether the files of a case run may have changed since they were read (specification 60, "Ingest")."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Sequence
from typing import NamedTuple

from judge_polars.bundles.discover import CaseRunPlace
from judge_polars.bundles.files import Tree, reason_of
from judge_polars.bundles.layout import RECORD_OF_CASE_RUN, WRITTEN_BY_THE_JUDGE
from judge_polars.bundles.records import CaseRunRecord, case_run_record, read_record
from judge_polars.bundles.resolve import find_roots
from judge_polars.rulebook import Limits


class Signature(NamedTuple):
    """How the files of a case run stand.

    Attributes:
        text: digest over names, sizes and modification times.
        folders: the directories that they lie in, those above them up to the runs root included.
        moments: inode and time of the last change of each: another one once something in it, or it, was moved or replaced.
    """

    text: str
    folders: tuple[str, ...]
    moments: tuple[tuple[int, int], ...]

    @property
    def stands(self) -> bool:
        """Whether nothing was moved or replaced since."""
        return _moments(self.folders) == self.moments


def signature(place: CaseRunPlace, limits: Limits, workspaces_root: str | None = None, ground: str = "") -> Signature:
    """Over everything below a case run's directory, and below its workspace where that lies elsewhere; `ground` is whatever else
    reading depends on.  Files are not opened, but for the record.
    """
    digest = hashlib.sha256(repr((ground, place.eval_agent, place.eval_issues)).encode("utf-8", "surrogatepass"))
    record = CaseRunRecord()
    path = f"{place.path}/{RECORD_OF_CASE_RUN}"
    if os.path.lexists(path):
        found, _ = read_record(path, limits)
        if found is not None:
            record = case_run_record(found)
    with Tree(limits) as tree:
        roots = find_roots(tree, place.path, record, workspaces_root)
    own = os.path.normpath(place.path)
    others = {os.path.normpath(root.path) for root in (roots.workspace, roots.audit) if root is not None}
    places = [own, *sorted(other for other in others if not f"{other}/".startswith(f"{own}/"))]
    folders = [place.path]
    for _ in place.directory.split("/"):
        folders.append(os.path.dirname(folders[-1]))
    lines: list[str] = []
    for top in places:
        lines += _below(top, limits.directories, folders)
    moments = _moments(folders)
    digest.update("".join(lines).encode("utf-8", "surrogatepass"))
    return Signature(digest.hexdigest(), tuple(folders), moments)


def _moments(folders: Sequence[str]) -> tuple[tuple[int, int], ...]:
    """Inode and time of the last change of directories; zeros where there is none."""
    found = []
    for folder in folders:
        try:
            status = os.stat(folder)
            found.append((status.st_ino, status.st_ctime_ns))
        except OSError:
            found.append((0, 0))
    return tuple(found)


def _below(top: str, most: int, folders: list[str]) -> list[str]:
    """One line for each thing below a directory, sorted; links are told, not followed; what the judge itself writes into a case
    run's directory is left out.  The directories are added to `folders`."""
    lines: list[str] = []
    waiting = [""]
    while waiting and most > 0:
        most -= 1
        folder = waiting.pop()
        folders.append(os.path.join(top, folder))
        try:
            with os.scandir(os.path.join(top, folder)) as entries:
                for entry in entries:
                    name = f"{folder}/{entry.name}" if folder else entry.name
                    if name in WRITTEN_BY_THE_JUDGE:
                        continue
                    try:
                        status = entry.stat(follow_symlinks=False)
                    except OSError as fault:
                        lines.append(f"{name}\0{reason_of(fault)}\n")
                        continue
                    if stat.S_ISDIR(status.st_mode):
                        waiting.append(name)
                        lines.append(f"{name}/\n")
                    elif stat.S_ISLNK(status.st_mode):
                        lines.append(f"{name}\0{_target(entry.path)}\n")
                    else:
                        lines.append(f"{name}\0{status.st_mode}\0{status.st_size}\0{status.st_mtime_ns}\n")
        except OSError as fault:
            lines.append(f"{folder}\0{reason_of(fault)}\n")
    return sorted(lines)


def _target(path: str) -> str:
    """Where a link leads, and the file's size and time there, for an output that is read through a link."""
    try:
        status = os.stat(path)
        return f"{os.readlink(path)}\0{status.st_size}\0{status.st_mtime_ns}"
    except OSError as fault:
        return reason_of(fault)
