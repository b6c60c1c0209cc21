"""Fuzz for a time, or run a finding again.

    python -m tests.fuzz --seconds 600 --seed 1 --targets json,demo-runs
    python -m tests.fuzz --replay fuzz-findings/json-0123456789

Each target works in a process of its own, which is ended when an example takes too long whatever it is doing: the example that
was at work is then the finding.  Exit code 1 when something was found.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Final

from hypothesis.errors import HypothesisWarning

from tests.fuzz.campaign import Campaign, Finding, example_of, keep
from tests.fuzz.target import Target
from tests.fuzz.targets import TARGETS

COMMAND: Final = "python -m tests.fuzz"
SLICE_SECONDS: Final = 120.0
"""How long one process works at a target."""
SECONDS_WITHOUT_A_SIGN: Final = 180.0
"""Wall-clock time after which an example hangs."""


def main() -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog=COMMAND, description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60.0, help="for how long (60)")
    parser.add_argument("--seed", type=int, help="a seed; a random one is printed")
    parser.add_argument("--targets", help="names with commas between them; all of them by default")
    parser.add_argument("--out", type=Path, default=Path("fuzz-findings"), help="where findings are written")
    parser.add_argument("--replay", type=Path, help="run the example of a finding again")
    parser.add_argument("--keep", type=Path, help="with --replay: leave the files of the example in this directory")
    parser.add_argument("--list", action="store_true", help="say what the targets are")
    parser.add_argument("--work", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.list:
        for target in TARGETS.values():
            print(f"{target.name:<12} {target.meaning}")
        return 0
    if given.replay is not None:
        return replay(given.replay, given.keep)
    names = given.targets.split(",") if given.targets else list(TARGETS)
    if unknown := [name for name in names if name not in TARGETS]:
        parser.error(f"no target {', '.join(unknown)}; there are {', '.join(TARGETS)}")
    first_seed = random.SystemRandom().randrange(2**32) if given.seed is None else given.seed
    if given.work is not None:
        return work(TARGETS[names[0]], first_seed, given.seconds, given.out, given.work)
    return campaign([TARGETS[name] for name in names], first_seed, given.seconds, given.out)


def replay(directory: Path, kept: Path | None) -> int:
    """Check the example of a finding again, in this process."""
    name, example = example_of(directory)
    if kept is not None:
        kept.mkdir(parents=True)
        TARGETS[name].check(example, kept)
        return 0
    finding = Campaign(TARGETS[name]).fault_of(example)
    print(finding.what if finding else "this example is fine now")
    return 1 if finding else 0


def campaign(targets: list[Target], first_seed: int, seconds: float, out: Path) -> int:
    """Targets in turn, each in slices, until the time is over."""
    print(f"seed {first_seed}: {COMMAND} --seed {first_seed} --seconds {seconds:g}", flush=True)
    out.mkdir(parents=True, exist_ok=True)
    before = set(out.iterdir())
    deadline = time.monotonic() + seconds
    length = min(SLICE_SECONDS, max(5.0, seconds / len(targets)))
    turn = 0
    while (left := deadline - time.monotonic()) > 1:
        target = targets[turn % len(targets)]
        work_apart(target, first_seed + turn // len(targets), min(length, left), out)
        turn += 1
    found = sorted(set(out.iterdir()) - before)
    print(f"{len(found)} findings" if found else "nothing was found")
    for directory in found:
        print(f"  {(directory / 'command.txt').read_text('utf-8').strip()}")
    return 1 if found else 0


def work_apart(target: Target, first_seed: int, seconds: float, out: Path) -> None:
    """A slice of a target in another process; when that ends badly or gives no sign, its example is kept."""
    with tempfile.TemporaryDirectory(prefix="fuzzing-") as scratch:
        current = Path(scratch) / "current.txt"
        command = [sys.executable, "-m", "tests.fuzz", "--targets", target.name, "--seed", str(first_seed)]
        command += ["--seconds", str(seconds), "--out", str(out), "--work", scratch]
        process = subprocess.Popen(command, start_new_session=True)
        started, why = time.time(), ""
        try:
            while process.poll() is None:
                time.sleep(0.2)
                sign = current.stat().st_mtime if current.exists() else started
                if time.time() - sign > SECONDS_WITHOUT_A_SIGN:
                    why = f"no sign for {SECONDS_WITHOUT_A_SIGN:.0f} seconds"
                    break
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
        if process.returncode not in (0, 1) and current.exists():
            why = why or f"the process ended with {process.returncode}"
            example = ast.literal_eval(current.read_text("utf-8"))
            directory = keep(target, Finding(f"{target.name}: {why}", example, why), out, COMMAND, None)
            print(f"{target.name}: {why}: {directory}", flush=True)


def work(target: Target, first_seed: int, seconds: float, out: Path, scratch: Path) -> int:
    """A slice of a target in this process."""
    warnings.simplefilter("ignore", HypothesisWarning)
    doing = Campaign(target, scratch / "current.txt", scratch)
    doing.known = {
        (directory / "what.txt").read_text("utf-8").partition("\n")[0]
        for directory in out.glob(f"{target.name}-*")
        if (directory / "what.txt").is_file()
    }
    found = 0
    for seed_of_round, finding in doing.rounds(first_seed, time.monotonic() + seconds):
        directory = keep(target, finding, out, COMMAND, seed_of_round)
        print(f"{target.name}: {finding.signature}: {directory}", flush=True)
        found += 1
    print(f"{target.name}: {doing.examples} examples", flush=True)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
