"""Judging from files against the limit probe: CPU ratio, growth and memory.

    python -m benchmarks.cold [--runs 1000] [--rounds 5] [-o RESULT.json]

Both sides run in one process in turns; the best of the rounds counts.
"""

from __future__ import annotations

import argparse
import json
import math
import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from benchmarks.data import write_runs
from benchmarks.probe import limit_probe
from judge_polars.judge import Options, judge_runs
from judge_polars.registry import load_registry


def cpu(work: Callable[[], object]) -> float:
    """CPU seconds of this process, all threads, that a piece of work takes."""
    before = time.process_time()
    work()
    return time.process_time() - before


def measure(count: int, rounds: int) -> dict[str, float]:
    """CPU milliseconds per case run of both sides, best of the rounds."""
    with tempfile.TemporaryDirectory() as place:
        registry, runs = write_runs(Path(place), count)
        book = load_registry(registry).compile()
        probe = judging = math.inf
        for _ in range(rounds):
            probe = min(probe, cpu(lambda: limit_probe(runs)))
            judging = min(judging, cpu(lambda: judge_runs([runs], book, Options(facts=False)).verdicts))
    return {
        "runs": count,
        "probe_ms": 1000 * probe / count,
        "judge_ms": 1000 * judging / count,
        "ratio": judging / probe,
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=1000, help="case runs of the largest size")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON")
    options = parser.parse_args()
    rows = [measure(max(1, options.runs // part), options.rounds) for part in (4, 2, 1)]
    print(f"{'runs':>7}  {'probe ms/run':>12}  {'judge ms/run':>12}  {'judge / probe':>13}")
    for row in rows:
        print(f"{row['runs']:>7.0f}  {row['probe_ms']:>12.3f}  {row['judge_ms']:>12.3f}  {row['ratio']:>13.2f}")
    first, last = rows[0], rows[-1]
    growth = math.log((last["judge_ms"] * last["runs"]) / (first["judge_ms"] * first["runs"])) / math.log(
        last["runs"] / first["runs"]
    )
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(f"growth exponent {growth:.2f}, peak memory {peak:.0f} MiB")
    if options.output:
        options.output.write_text(
            json.dumps({"rows": rows, "growth": growth, "peak_mib": peak}, indent=2) + "\n", "utf-8"
        )


if __name__ == "__main__":
    main()
