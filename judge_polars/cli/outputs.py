"""Where results go: `--format` to standard output, `-o FILE` to files, each in the format of its suffix."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from judge_polars.cli.console import WIDTH_WITHOUT_TERMINAL, Talk, show_bytes
from judge_polars.errors import UsageError

FORMATS = ("table", "json", "jsonl", "csv", "markdown")

Writer = Callable[[str, int, bool], bytes]
"""(format, width, colored) -> content; width and colours matter to `table` alone."""


@dataclass(frozen=True, slots=True)
class Outputs:
    """One format for standard output, and files.

    Raises:
        UsageError: an unknown format or suffix, or a file that cannot be written; told before the work begins.
    """

    output_format: str
    files: tuple[Path, ...] = ()
    formats: Sequence[str] = FORMATS

    def __post_init__(self) -> None:
        if self.output_format not in self.formats:
            raise UsageError(f"--format {self.output_format}: one of {', '.join(self.formats)}")
        for path in self.files:
            if _format_of(path) not in self.formats:
                raise UsageError(f"-o {path}: this command writes no {_format_of(path)}, but {', '.join(self.formats)}")
            require_writable(path)

    def deliver(self, writer: Writer, talk: Talk) -> None:
        """Write the files, then standard output."""
        for path in self.files:
            write_file(path, writer(_format_of(path), WIDTH_WITHOUT_TERMINAL, False))
            talk.say(f"written: {path}")
        show_bytes(lambda width, colored: writer(self.output_format, width, colored), talk)


def _format_of(path: Path) -> str:
    from judge_polars.report.formats import format_of

    return format_of(path)


def require_writable(path: Path, option: str = "-o") -> None:
    """Raise `UsageError` where a file cannot be written; `option` named it."""
    folder = path.parent
    if path.is_dir():
        raise UsageError(f"{option} {path}: it is a directory; name a file in it")
    if not folder.is_dir():
        raise UsageError(f"{option} {path}: there is no directory {folder}; make it first")
    if not os.access(path if path.exists() else folder, os.W_OK):
        raise UsageError(f"{option} {path}: it may not be written; name another place")


def write_file(path: Path, content: bytes) -> None:
    """Write a file whole or not at all.

    Raises:
        UsageError: it cannot be written.
    """
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        if path.exists() and not path.is_file():  # a pipe or a device
            path.write_bytes(content)
            return
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as wrong:
        with suppress(OSError):
            beside.unlink(missing_ok=True)
        raise UsageError(f"-o {path}: {wrong.strerror or wrong}") from wrong
