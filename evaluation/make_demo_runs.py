"""Writes the demo runs and the recorded data of the live demo, byte for byte the same each time.

python evaluation/make_demo_runs.py            writes them
python evaluation/make_demo_runs.py --check    exits 1 and names the files that differ, are missing, or are too many
"""

from __future__ import annotations

import argparse
import shutil
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
if str(HERE) not in sys.path:
    sys.path.insert(0, str(HERE))

from demo_material.bundle import eval_run_files, recorded_files  # noqa: E402
from demo_material.incidents import INCIDENTS  # noqa: E402
from demo_material.plan import EVAL_RUNS  # noqa: E402

RUNS = Path("runs")
RECORDED = {
    short: Path("regression/cases") / incident.case_id / "workspace" / "recorded"
    for short, incident in INCIDENTS.items()
}


def demo_files() -> dict[str, bytes]:
    """Every generated file, path relative to this directory -> bytes."""
    files = {
        (RUNS / run.eval_run_id / name).as_posix(): body
        for run in EVAL_RUNS
        for name, body in eval_run_files(run).items()
    }
    for short, place in RECORDED.items():
        files.update({(place / name).as_posix(): body for name, body in recorded_files(INCIDENTS[short]).items()})
    return files


def present_files(root: Path) -> set[str]:
    """The files that lie under the generated directories, hidden ones left out, relative to `root`."""
    return {
        path.relative_to(root).as_posix()
        for place in (RUNS, *RECORDED.values())
        for path in (root / place).rglob("*")
        if path.is_file() and not any(part.startswith(".") for part in path.relative_to(root).parts)
    }


def differing(root: Path) -> list[str]:
    """What `--check` complains of, one line each."""
    wanted = demo_files()
    present = present_files(root)
    lines = [f"missing: {name}" for name in sorted(wanted.keys() - present)]
    lines += [f"too many: {name}" for name in sorted(present - wanted.keys())]
    both = sorted(present & wanted.keys())
    return lines + [f"differs: {name}" for name in both if (root / name).read_bytes() != wanted[name]]


def write(root: Path) -> int:
    """Writes everything anew under `root`; the number of files."""
    for place in (RUNS, *RECORDED.values()):
        shutil.rmtree(root / place, ignore_errors=True)
    files = demo_files()
    for name, body in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(body)
    return len(files)


def main(arguments: list[str] | None = None) -> int:
    """Entry of the command line; the exit code."""
    parser = argparse.ArgumentParser(description="Write the demo runs.")
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    parser.add_argument("--root", type=Path, default=HERE, help="the directory `evaluation`")
    options = parser.parse_args(arguments)
    if options.check:
        complaints = differing(options.root)
        print("\n".join(complaints) if complaints else "the demo runs are as they should be")
        return 1 if complaints else 0
    print(f"{write(options.root)} files written")
    return 0


if __name__ == "__main__":
    sys.exit(main())
