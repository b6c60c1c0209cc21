"""Compare the two judges on random worlds, and exports under other circumstances; a difference is made small and written down.

    python -m tests.differential --seeds 1000:1300
    python -m tests.differential --seeds 50 --circumstances 5
    python -m tests.differential --replay differential-findings/1042

Exit code 1 when something differs.
"""

from __future__ import annotations

import argparse
import random
import shutil
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from judge_polars.errors import JudgePolarsError
from tests.differential.circumstances import differing_circumstances
from tests.differential.comparing import difference_of, kind_of
from tests.differential.shrinking import TRIALS, read_world, shrink, write_files
from tests.generate import write_world

COMMAND: Final = "python -m tests.differential"
SHOWN: Final = 20
DECIDING: Final = ("case_runs.facts", "case_runs.checks")
"""Kinds of differences that others follow from."""


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seeds", default="100", help="FIRST:LAST, or how many from a random first one on (100)")
    parser.add_argument("--circumstances", type=int, default=0, help="in how many worlds exports are compared, too (0)")
    parser.add_argument("--out", type=Path, default=Path("differential-findings"), help="where findings are written")
    parser.add_argument("--replay", type=Path, help="compare a world that was written down")
    given = parser.parse_args()
    if given.replay is not None:
        return told(found_in(given.replay))
    seeds = seeds_of(given.seeds)
    print(f"seeds {seeds.start}:{seeds.stop}", flush=True)
    found, runs, start = 0, 0, time.monotonic()
    for seed in seeds:
        with TemporaryDirectory() as place:
            world = Path(place) / "world"
            write_world(seed, world)
            runs += len([*world.glob("runs/*/cases/*/trial-*")])
            found += judged(seed, world, given.out)
            if seed - seeds.start < given.circumstances:
                found += told(differing_circumstances(world, Path(place) / "exports"), f"seed {seed}: ")
    print(f"{len(seeds)} worlds, {runs} case runs, {found} findings, {time.monotonic() - start:.0f} s")
    return 1 if found else 0


def seeds_of(text: str) -> range:
    """The seeds that are asked for."""
    first, between, last = text.partition(":")
    if between:
        return range(int(first), int(last))
    start = random.SystemRandom().randrange(2**32)
    return range(start, start + int(first))


def found_in(world: Path) -> list[str]:
    """The differences on a world; where a judge gives up, what it raised."""
    try:
        return difference_of(world)
    except JudgePolarsError as refused:
        return [f"refused: {type(refused).__name__}: {refused}"]
    except Exception as wrong:
        return [f"raised: {type(wrong).__name__}: {wrong}"]


def told(found: list[str], before: str = "") -> int:
    """Print what was found; 1 where it is anything."""
    for text in found[:SHOWN]:
        print(before + text, flush=True)
    return 1 if found else 0


def judged(seed: int, world: Path, out: Path, trials: int = TRIALS) -> int:
    """Compare the judges on a world; a difference is made small and written down."""
    found = found_in(world)
    if not found:
        return 0
    told(found, f"seed {seed}: ")
    kinds = {kind_of(text) for text in found}
    kinds = {kind for kind in kinds if kind.startswith(DECIDING)} or kinds
    small = shrink(world, lambda root: any(kind_of(text) in kinds for text in found_in(root)), trials)
    folder = out / str(seed)
    shutil.rmtree(folder, ignore_errors=True)
    write_files(small, folder)
    differences = "\n".join(found_in(folder))
    (folder / "difference.txt").write_text(f"{COMMAND} --replay {folder}\n\n{differences}\n", "utf-8")
    print(f"seed {seed}: {len(read_world(world))} files became {len(small)}, see {folder}", flush=True)
    return 1


if __name__ == "__main__":
    sys.exit(main())
