"""Peak memory, each figure of a process of its own.

    python -m benchmarks.memory judging HISTORY REGISTRY
    python -m benchmarks.memory ingest RUNS REGISTRY

prints the peak in MiB of what it did.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.ingesting import bundles, ingest
from benchmarks.recorded import Recorded, recorded
from benchmarks.rows import Measured
from benchmarks.sizes import Sizes
from judge_polars.chronicle import known_cases, write_chunk
from judge_polars.engine import Engine
from judge_polars.history.record import Record
from judge_polars.ingest import stored_eval_runs
from judge_polars.registry import load_registry
from judge_polars.rejudge import judge_stored


def own_peak() -> float:
    """Peak memory of this process in MiB, that of the process which began it left out."""
    found = re.search(r"^VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text("ascii"), re.MULTILINE)
    assert found is not None
    return int(found[1]) / 1024


def judge_into_batch(made: Recorded, engine: Engine) -> None:
    """Judge every case run of a record and write verdict rows and check results as a judgment does; they are not published."""
    places, _ = known_cases(made.record, engine, None)
    with made.record.begin("judgment") as batch:
        first = 0
        for chunk in judge_stored(made.record, engine, places, stored_eval_runs(made.record), tell=False):
            write_chunk(batch, chunk, "bench", first)
            first += chunk.judged.height


def peak_of(*arguments: str) -> float:
    """Peak memory in MiB of this module, run with these arguments."""
    command = [sys.executable, "-m", "benchmarks.memory", *arguments]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=Path(__file__).parents[1])
    return float(done.stdout)


def measure_memory(sizes: Sizes) -> Iterator[Measured]:
    with recorded(sizes.read_runs, sizes.memory_runs) as made:
        peak = peak_of("judging", str(made.record.history), str(made.registry))
    yield Measured(
        "memory",
        f"judging {sizes.memory_runs:,} runs, GiB",
        peak / 1024,
        "≤ 1.5",
        1,
        "verdict rows and checks, written into the record",
    )
    for count in sizes.memory_ingest:
        with bundles(count) as (_, runs):
            peak = peak_of("ingest", str(runs), str(runs.parent / "registry"))
        yield Measured("memory", f"ingest of {count:,} runs, GiB", peak / 1024, "≤ 1", 1, "one job")


def main() -> None:
    what, place, registry = sys.argv[1:]
    engine = Engine(load_registry(registry).compile())
    if what == "judging":
        judge_into_batch(Recorded(Record.open(Path(place)), Path(registry), Path(place)), engine)
    else:
        with tempfile.TemporaryDirectory(prefix="judge-polars-bench-") as history:
            ingest(engine, Path(place), Path(history) / "history")
    print(own_peak())


if __name__ == "__main__":
    main()
