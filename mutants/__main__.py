"""`python -m mutants`: try mutants, print those that no test notices, and leave with 1 when one has no explanation."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from collections import Counter
from fnmatch import fnmatchcase
from itertools import chain
from pathlib import Path

from mutants.every import EVERY
from mutants.mutant import ROOT, Mutant
from mutants.together import can_be_tried_together
from mutants.trial import KILLED, Trial, copy_of_project, import_what_is_needed, passes, try_all, try_views


def main() -> int:
    """Try the chosen mutants."""
    arguments = _arguments()
    chosen = [one for one in EVERY if any(fnmatchcase(one.name, wanted) for wanted in arguments.only)]
    if not chosen:
        print(f"no mutant is called {' or '.join(arguments.only)}; see --list", file=sys.stderr)
        return 2
    if arguments.list:
        print("\n".join(one.name for one in chosen))
        return 0
    import_what_is_needed()
    with tempfile.TemporaryDirectory(prefix="mutants-") as directory:
        trees = [copy_of_project(Path(directory) / str(number)) for number in range(arguments.jobs)]
        if arguments.check and not _tests_pass(trees[0], chosen):
            return 2
        trials = []
        views = [one for one in chosen if can_be_tried_together(one)]
        others = [one for one in chosen if not can_be_tried_together(one)]
        for trial in chain(try_views(views, trees[0]), try_all(others, trees)):
            trials.append(trial)
            _tell(trial, len(trials), len(chosen))
    arguments.json.write_text(json.dumps([one.as_dict() for one in trials], indent=1) + "\n", encoding="utf-8")
    return _sum_up(trials)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="mutants", description=__doc__)
    parser.add_argument("--only", nargs="+", default=["*"], metavar="NAME", help="names or globs of mutants")
    parser.add_argument("--jobs", type=int, default=1, help="mutants tried at once (default 1)")
    parser.add_argument("--json", type=Path, default=ROOT / "mutants.json", help="file of the results")
    parser.add_argument("--list", action="store_true", help="print names and try nothing")
    parser.add_argument(
        "--no-check", dest="check", action="store_false", help="do not run the tests on the unchanged project first"
    )
    return parser.parse_args()


def _tests_pass(tree: Path, chosen: list[Mutant]) -> bool:
    """Whether all tests pass that mutants must fail: those that fail anyway would notice everything."""
    tests = sorted({test for one in chosen for test in one.tests})
    if passes(tree, tests):
        return True
    print((tree / "said.txt").read_text(encoding="utf-8"), file=sys.stderr)
    print("these tests fail on the unchanged project", file=sys.stderr)
    return False


def _tell(trial: Trial, number: int, of: int) -> None:
    if trial.outcome == KILLED:
        what = f"noticed by {trial.noticed_by}"
    else:
        what = f"explained: {trial.equivalent}" if trial.equivalent else "NOT EXPLAINED"
    print(f"{number}/{of} {trial.name}: {trial.outcome} in {trial.seconds} s, {what}", file=sys.stderr, flush=True)


def _sum_up(trials: list[Trial]) -> int:
    """Print what was not noticed, and what is explained although it was noticed."""
    counts = Counter(one.outcome for one in trials)
    print(", ".join(f"{count} {outcome}" for outcome, count in sorted(counts.items())))
    unexplained = [one for one in trials if one.is_unexplained]
    for one in unexplained:
        print(f"{one.outcome}: {one.name}")
    wrong = [one for one in trials if one.outcome == KILLED and one.equivalent]
    for one in wrong:
        print(f"noticed, though it is said that no test can: {one.name}")
    return 1 if unexplained or wrong else 0


if __name__ == "__main__":
    sys.exit(main())
