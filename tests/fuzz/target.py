"""What a target of the fuzzing is, and the bounds that each of its examples has to keep."""

from __future__ import annotations

import gc
import re
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from hypothesis.strategies import SearchStrategy

CPU_SECONDS: Final = 40.0
"""CPU that an example may take; a usual one takes less than a second."""
GROWTH_BYTES: Final = 1 << 30
"""Resident memory that an example may add at its peak."""

Example = Any
"""Texts, bytes, integers, booleans, None, and tuples and lists of them: `repr` writes an example, `literal_eval` reads it."""


class BrokenPropertyError(AssertionError):
    """A property that does not hold; the text says which, and for what."""


@dataclass(frozen=True)
class Target:
    """One target.

    Attributes:
        meaning: what is made up, and what has to hold.
        examples: the examples.
        check: raises where a property does not hold; gets an empty directory for its files.
        per_round: examples between two looks at the clock.
    """

    name: str
    meaning: str
    examples: SearchStrategy[Example]
    check: Callable[[Example, Path], None]
    per_round: int


class TooSlowError(Exception):
    """An example took more than `CPU_SECONDS`."""


@contextmanager
def bounded(cpu_seconds: float = CPU_SECONDS, growth: int = GROWTH_BYTES) -> Iterator[None]:
    """Raise where the block takes more CPU or adds more resident memory than it may (the latter where Linux tells)."""

    def ended(*_: object) -> None:
        raise TooSlowError(f"more than {cpu_seconds:.0f} CPU seconds")

    before = signal.signal(signal.SIGPROF, ended)
    signal.setitimer(signal.ITIMER_PROF, cpu_seconds)
    resident = _reset_peak()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, before)
    peak = _bytes_of("VmHWM")
    if resident is not None and peak is not None and peak - resident > growth:
        gc.collect()
        raise BrokenPropertyError(
            f"memory grew by {(peak - resident) >> 20} MiB, at most {growth >> 20} MiB may be added"
        )


def _reset_peak() -> int | None:
    """Make the peak of the resident memory what it is now; None where the system does not."""
    try:
        Path("/proc/self/clear_refs").write_text("5", "ascii")
    except OSError:
        return None
    return _bytes_of("VmRSS")


def _bytes_of(name: str) -> int | None:
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return None
    found = re.search(rf"{name}:\s+(\d+) kB", status)
    return int(found[1]) * 1024 if found else None
