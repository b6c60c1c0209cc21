"""Running targets for a time: rounds of examples, and what is kept of a finding.

A round is reproducible: its examples depend on the target and on the round's seed alone.  The smallest example that
Hypothesis finds for a fault is kept as a directory: `example.txt`, `what.txt`, `command.txt`, and the files that were judged.
"""

from __future__ import annotations

import ast
import hashlib
import re
import shutil
import tempfile
import time
import traceback
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from hypothesis import HealthCheck, Phase, given, seed, settings

from tests.fuzz.target import Example, Target, bounded

SHRINK_SECONDS: Final = 90.0
"""How long smaller examples of one fault are looked for."""


@dataclass
class Finding:
    """A fault and the smallest example of it so far."""

    signature: str
    example: Example
    what: str


@dataclass
class Campaign:
    """Rounds of a target; `current` is where the example at work is written, so that it outlives the process."""

    target: Target
    current: Path | None = None
    scratch: Path | None = None
    known: set[str] = field(default_factory=set)
    examples: int = 0

    def rounds(self, first_seed: int, deadline: float) -> Iterator[tuple[int, Finding]]:
        """Round after round until `time.monotonic()` passes the deadline; yields the seed of a round and what it found."""
        number = 0
        while time.monotonic() < deadline:
            seed_of_round = round_seed(self.target, first_seed, number)
            finding = self.round(seed_of_round, deadline)
            if finding is not None:
                self.known.add(finding.signature)
                yield seed_of_round, finding
            number += 1

    def round(self, round_seed: int, deadline: float) -> Finding | None:
        """One round; the first new fault that it meets, made small."""
        found: list[Finding] = []
        since = 0.0

        @settings(
            max_examples=self.target.per_round,
            database=None,
            deadline=None,
            derandomize=False,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @seed(round_seed)
        @given(self.target.examples)
        def look(example: Example) -> None:
            nonlocal since
            late = time.monotonic() > (since + SHRINK_SECONDS if found else deadline)
            if late:
                return
            self.examples += 1
            finding = self.fault_of(example)
            if finding is None or finding.signature in self.known:
                return
            if not found:
                since = time.monotonic()
            elif finding.signature != found[-1].signature:
                return
            found.append(finding)
            raise AssertionError(finding.signature)

        try:
            look()
        except Exception:  # what Hypothesis raises is told by `found`, flaky faults included
            if not found:
                raise
        return found[-1] if found else None

    def fault_of(self, example: Example) -> Finding | None:
        """What is wrong with an example, if anything is."""
        if self.current is not None:
            self.current.write_text(repr(example), "utf-8")
        folder = Path(tempfile.mkdtemp(prefix="fuzz-", dir=self.scratch))
        try:
            with bounded():
                self.target.check(example, folder)
        except Exception as fault:  # whatever it is, it is a finding
            return Finding(_signature(fault), example, "".join(traceback.format_exception(fault)))
        finally:
            remove(folder)
        return None


def round_seed(target: Target, first_seed: int, number: int) -> int:
    """The seed of a round, another one for each target."""
    return zlib.crc32(f"{target.name}/{first_seed}/{number}".encode())


def remove(folder: Path) -> None:
    """Remove a directory whatever its files are."""
    shutil.rmtree(folder, ignore_errors=True)


def _signature(fault: Exception) -> str:
    """Kind of the fault, the last line of ours that it passed, and the beginning of its text without numbers."""
    frames = traceback.extract_tb(fault.__traceback__)
    ours = [f"{Path(frame.filename).name}:{frame.name}" for frame in frames if "judge_polars/" in frame.filename]
    place = ours[-1] if ours else "property"
    words = re.sub(r"\d+|'[^']*'|\"[^\"]*\"", "…", str(fault).partition("\n")[0])[:80]
    return f"{type(fault).__name__} at {place}: {words}"


def keep(target: Target, finding: Finding, out: Path, command: str, seed_of_round: int | None) -> Path:
    """Write a finding as a directory; `command` is what runs it again, with the directory's name put in."""
    digest = hashlib.sha256(finding.signature.encode()).hexdigest()[:10]
    directory = out / f"{target.name}-{digest}"
    remove(directory)
    directory.mkdir(parents=True)
    (directory / "example.txt").write_text(f"{target.name}\n{finding.example!r}\n", "utf-8")
    of_round = "" if seed_of_round is None else f"seed of its round: {seed_of_round}\n"
    (directory / "what.txt").write_text(f"{finding.signature}\n{of_round}\n{finding.what}", "utf-8")
    (directory / "command.txt").write_text(f"{command} --replay {directory}\n", "utf-8")
    return directory


def example_of(directory: Path) -> tuple[str, Example]:
    """Target and example of a finding's directory."""
    name, _, text = (directory / "example.txt").read_text("utf-8").partition("\n")
    return name, ast.literal_eval(text.strip())
