"""Circumstances that change no byte of an export (specification 60, end of "Judging and re-judging"; 90, "Robustness")."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

from tests.differential.exporting import Settings, exports

PROJECT: Final = Path(__file__).parents[2]
BETWEEN: Final = 60


@dataclass(frozen=True)
class Circumstance:
    """Settings, variables of the process, and whether its directory is another one than the project's."""

    settings: Settings = field(default_factory=Settings)
    variables: dict[str, str] = field(default_factory=dict)
    elsewhere: bool = False


USUAL: Final = Circumstance(variables={"PYTHONHASHSEED": "0", "TZ": "UTC", "LC_ALL": "C.UTF-8"})
CIRCUMSTANCES: Final = {
    "order of files and roots": Circumstance(Settings(backward=True)),
    "eval runs one by one": Circumstance(Settings(one_by_one=True)),
    "eval runs one by one, backward": Circumstance(Settings(one_by_one=True, backward=True)),
    "compaction": Circumstance(Settings(one_by_one=True, compact=True)),
    "two jobs": Circumstance(Settings(jobs=2, shard=2)),
    "small shards": Circumstance(Settings(shard=1)),
    "one thread": Circumstance(variables={"POLARS_MAX_THREADS": "1"}),
    "many threads": Circumstance(variables={"POLARS_MAX_THREADS": "7"}),
    "hashes": Circumstance(variables={"PYTHONHASHSEED": "4711"}),
    "time zone": Circumstance(variables={"TZ": "Asia/Kathmandu"}),
    "locale": Circumstance(variables={"LC_ALL": "C", "LANG": "C"}),
    "umask": Circumstance(Settings(umask=0o077)),
    "current directory": Circumstance(elsewhere=True),
}
ALL_AT_ONCE: Final = Circumstance(
    Settings(backward=True, one_by_one=True, jobs=2, shard=2, compact=True, umask=0o077),
    {"POLARS_MAX_THREADS": "7", "PYTHONHASHSEED": "4711", "TZ": "Asia/Kathmandu", "LC_ALL": "C", "LANG": "C"},
    elsewhere=True,
)


def differing_circumstances(world: Path, place: Path, others: dict[str, Circumstance] | None = None) -> list[str]:
    """Each export that other circumstances change, as `circumstance: file: where`; `place` is a directory for them."""
    usual = exported(world, place, USUAL)
    return [
        f"{name}: {text}"
        for name, circumstance in (others or CIRCUMSTANCES).items()
        for text in differing_files(usual, exported(world, place, circumstance))
    ]


def exported(world: Path, place: Path, circumstance: Circumstance) -> dict[str, bytes]:
    """All exports of a world that a process of its own writes under the circumstances.

    They are written to the same directory each time, as a report tells where its history lies.
    """
    variables = {name: value for name, value in os.environ.items() if not name.startswith("JUDGE_POLARS_")}
    variables |= {"PYTHONPATH": str(PROJECT)} | USUAL.variables | circumstance.variables
    elsewhere, out = place / "elsewhere", place / "out"
    elsewhere.mkdir(parents=True, exist_ok=True)
    shutil.rmtree(out, ignore_errors=True)
    command = [sys.executable, "-m", "tests.differential.exporting"]
    arguments = [str(world.resolve()), str(out.resolve()), json.dumps(asdict(circumstance.settings))]
    done = subprocess.run(
        [*command, *arguments],
        cwd=elsewhere if circumstance.elsewhere else PROJECT,
        env=variables,
        capture_output=True,
        text=True,
        check=False,
    )
    if done.returncode:
        raise RuntimeError(f"{circumstance}: {done.stderr[-2000:]}")
    return exports(out)


def differing_files(one: dict[str, bytes], other: dict[str, bytes]) -> list[str]:
    """The names of files that differ, with what they hold where they begin to."""
    return [
        f"{name}: {beginning_of_difference(one.get(name, b''), other.get(name, b''))}"
        for name in sorted(one.keys() | other.keys())
        if one.get(name) != other.get(name)
    ]


def beginning_of_difference(one: bytes, other: bytes) -> str:
    """What both sides hold from a little before the first byte that differs."""
    pairs = enumerate(zip(one, other, strict=False))
    place = next((place for place, pair in pairs if pair[0] != pair[1]), min(len(one), len(other)))
    start = max(0, place - BETWEEN)
    return f"at {place}: {one[start : place + BETWEEN]!r} and {other[start : place + BETWEEN]!r}"
