"""A process that ingests, judges and publishes the eval runs of a world, one after another: `python -m tests.history.writer`."""

import sys
from pathlib import Path

from judge_polars.bundles import find_case_runs
from judge_polars.chronicle import judge_files
from judge_polars.history.publish import publish
from judge_polars.history.record import Record
from judge_polars.registry import load_registry


def main(world: Path, history: Path, backward: bool) -> None:
    book = load_registry(world / "registry").compile()
    eval_runs = sorted({place.eval_run_id for place in find_case_runs([world / "runs"], book.limits).places})
    print("ready", flush=True)
    for eval_run in eval_runs[::-1] if backward else eval_runs:
        judge_files([world / "runs" / eval_run], book, history)
    publish(Record.open(history))
    print("done", flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), Path(sys.argv[2]), "backward" in sys.argv)
