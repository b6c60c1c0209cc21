"""Works that pickle, and a process that gives them to a pool: `python -m tests.workers.works FOLDER`."""

from __future__ import annotations

import os
import signal
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from judge_polars.errors import InputError


@dataclass(frozen=True)
class Doubling:
    """Doubles numbers; the early ones take longest.  A negative one is refused, and with `lost` the worker dies of the number 7."""

    path: str = os.sep
    lost: bool = False

    def __call__(self, number: int) -> int:
        if number < 0:
            raise InputError(f"{number} is negative")
        if number == 7 and self.lost:
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(0.1 / (number + 1))
        return 2 * number

    def reads(self, number: int) -> Iterable[str]:
        return [self.path]


@dataclass(frozen=True)
class DyingOnce:
    """The first worker that is given the number 3 is lost with it."""

    folder: str

    def __call__(self, number: int) -> int:
        been = Path(self.folder) / "been"
        if number == 3 and not been.exists():
            been.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return number

    def reads(self, number: int) -> Iterable[str]:
        return [self.folder]


@dataclass(frozen=True)
class Telling:
    """What a worker finds itself in."""

    def __call__(self, shard: int) -> tuple[int, str | None, bool]:
        return os.getpid(), os.environ.get("POLARS_MAX_THREADS"), signal.getsignal(signal.SIGINT) == signal.SIG_IGN

    def reads(self, shard: int) -> Iterable[str]:
        return ()


@dataclass(frozen=True)
class Reversing:
    """Turns a text around."""

    def __call__(self, text: str) -> str:
        return text[::-1]

    def reads(self, text: str) -> Iterable[str]:
        return ()


@dataclass(frozen=True)
class Endless:
    """Says by a file who works, and goes on for ten minutes."""

    folder: str

    def __call__(self, shard: int) -> None:
        (Path(self.folder) / str(os.getpid())).touch()
        time.sleep(600)

    def reads(self, shard: int) -> Iterable[str]:
        return ()


def main(folder: str) -> None:
    from judge_polars.workers.pool import run_in_pool

    try:
        list(run_in_pool(Endless(folder), range(20), 2))
    except KeyboardInterrupt:
        sys.exit(130)


if __name__ == "__main__":
    main(sys.argv[1])
