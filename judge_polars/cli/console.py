"""The terminal: results go to standard output, talk goes to standard error; nobody else writes to either.

Results are bytes that are made elsewhere and written whole, so that a format is the same in a pipe, a file and a test.
"""

from __future__ import annotations

import io
import os
import shutil
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from types import TracebackType
from typing import TYPE_CHECKING, Final, TextIO

from judge_polars.errors import UsageError
from judge_polars.printable import for_terminal, message_line

if TYPE_CHECKING:
    from rich.console import Console, RenderableType
    from rich.progress import Progress, TaskID

COLORS: Final = ("auto", "always", "never")
WIDTH_WITHOUT_TERMINAL: Final = 120
NARROWEST: Final = 40
WIDEST: Final = 10_000
SECONDS_BETWEEN_LINES: Final = 10.0


class ClosedPipeError(Exception):
    """Whoever reads standard output has gone: the command ends quietly."""


@dataclass(frozen=True, slots=True)
class Talk:
    """How much is said on standard error, and in which colours: `-q`, `-v`, `--color`."""

    quiet: bool = False
    verbose: bool = False
    color: str = "auto"

    def say(self, *lines: str) -> None:
        """A message for people; nothing with `-q`."""
        if not self.quiet:
            tell(*lines)

    def detail(self, *lines: str) -> None:
        """A message for those who asked for more with `-v`."""
        if self.verbose:
            tell(*lines)


def open_streams() -> None:
    """Let standard streams that are closed lead nowhere, and no file that is opened later take their place."""
    for number, (name, mode) in enumerate((("stdin", "r"), ("stdout", "w"), ("stderr", "w"))):
        if getattr(sys, name) is None:
            try:
                os.fstat(number)
            except OSError:
                os.open(os.devnull, os.O_RDWR)  # the lowest number that is free
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 (for as long as the process lives)


def give_up(stream: TextIO) -> None:
    """Let a standard stream that takes nothing any more lead nowhere; what is still buffered goes there, too."""
    try:
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, stream.fileno())
        os.close(nowhere)
    except (OSError, ValueError):
        return


def tell(*lines: str) -> None:
    """A message for people, on standard error; each line is one, whatever a run or a user has put into it.

    Where nobody takes it, it is lost.
    """
    try:
        print(*map(message_line, lines), sep="\n", file=sys.stderr, flush=True)
    except OSError:
        give_up(sys.stderr)


def write(content: bytes) -> None:
    """Write a result to standard output; a terminal gets nothing that it would obey but colours.

    Raises:
        ClosedPipeError: nobody reads it any more.
        UsageError: it cannot be written.
    """
    try:
        sys.stdout.flush()
        if sys.stdout.isatty():
            content = for_terminal(content.decode(errors="replace")).encode(errors="replace")
        stream = getattr(sys.stdout, "buffer", None)
        if stream is None:
            sys.stdout.write(content.decode())
        else:
            stream.write(content)
            stream.flush()
        sys.stdout.flush()
    except BrokenPipeError as gone:
        raise ClosedPipeError from gone
    except OSError as wrong:
        raise UsageError(f"standard output: {wrong.strerror or wrong}") from wrong


def show_bytes(content: Callable[[int, bool], bytes], talk: Talk) -> None:
    """Write to standard output what is made for (its width, whether it has colours)."""
    write(content(terminal_width(), is_colored(talk.color, sys.stdout)))


def rendered(renderable: RenderableType, *, width: int = WIDTH_WITHOUT_TERMINAL, colored: bool = False) -> bytes:
    """What rich makes of something, without spaces at the ends of lines."""
    console = _console(io.StringIO(), width=width, colored=colored)
    with console.capture() as capture:
        console.print(renderable)
    return "\n".join(line.rstrip() for line in capture.get().split("\n")).encode()


def _console(file: TextIO, *, width: int, colored: bool) -> Console:
    from rich.console import Console

    return Console(
        file=file,
        width=width,
        force_terminal=colored,
        color_system="auto" if colored else None,
        no_color=False,
        highlight=False,
        markup=False,
        emoji=False,
        legacy_windows=False,
    )


def is_colored(color: str, stream: TextIO) -> bool:
    """Whether a stream gets colours: the option, then `NO_COLOR`, then `FORCE_COLOR`, then whether it is a terminal."""
    if color != "auto":
        return color == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return stream.isatty() and os.environ.get("TERM") != "dumb"


def terminal_width() -> int:
    """Columns of the terminal: `COLUMNS`, else the terminal's own, else 120 where there is none."""
    return min(WIDEST, max(NARROWEST, shutil.get_terminal_size((WIDTH_WITHOUT_TERMINAL, 24)).columns))


class JudgingProgress:
    """How far judging is (or whatever `doing` and `done` call it): a bar on a terminal, a line every ten seconds elsewhere,
    nothing with `-q`."""

    def __init__(
        self, talk: Talk, clock: Callable[[], float] = time.monotonic, doing: str = "judging", done: str = "judged"
    ) -> None:
        self._talk = talk
        self._doing = doing
        self._done = done
        self._clock = clock
        self._begin = self._last = clock()
        self._bar: Progress | None = None
        self._task: TaskID | None = None

    def __enter__(self) -> JudgingProgress:
        if sys.stderr.isatty() and not self._talk.quiet:
            self._bar = self._make_bar()
            self._bar.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, done: int, total: int) -> None:
        """So many case runs of all are judged."""
        if self._bar is not None:
            if self._task is None:
                self._task = self._bar.add_task(self._doing, total=total)
            self._bar.update(self._task, completed=done, total=total)
        elif self._clock() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = self._clock()
            self._talk.say(self._line(done, total))

    def _line(self, done: int, total: int) -> str:
        rate = done / max(self._clock() - self._begin, 1e-9)
        left = (total - done) / rate if rate else 0.0
        return f"{self._done} {done:,} of {total:,} case runs, {rate:,.0f} a second, about {left:.0f} s left"

    def _make_bar(self) -> Progress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        color = is_colored(self._talk.color, sys.stderr)
        console = Console(stderr=True, color_system="auto" if color else None)
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        return Progress(*columns, console=console, transient=True)
