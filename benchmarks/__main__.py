"""Every row of the table of specification 90, measured here and now.

    python -m benchmarks [--quick] [--only NAME …] [-o RESULT.json]

Each benchmark makes its own data; both sides run in this process in turns, CPU seconds, the best of the rounds (the
table says of how many).  `python -m benchmarks.compare A.json B.json` compares two results.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

from benchmarks import ingesting, judging, memory, recorded, texts, views
from benchmarks.misses import what_does_not_hold
from benchmarks.rows import TARGETS, Measured, as_data, table
from benchmarks.sizes import FULL, QUICK, Sizes

Measure = Callable[[Sizes], Iterator[Measured]]
MEASURES: Final[Mapping[str, Sequence[Measure]]] = {
    "ingest": [ingesting.measure_ingest],
    "jobs": [ingesting.measure_jobs],
    "keywords": [texts.measure_keywords],
    "heuristics": [texts.measure_heuristics],
    "checks": [judging.measure_checks],
    "verdicts": [judging.measure_verdicts],
    "cases": [judging.measure_cases],
    "rejudge": [recorded.measure_rejudge],
    "edited": [recorded.measure_edited],
    "growth": [ingesting.measure_growth, judging.measure_growth, recorded.measure_growth],
    "memory": [memory.measure_memory],
    "views": [views.measure_views],
    "disk": [ingesting.measure_disk],
}
"""`Target.name` -> what fills its row; `views` also tells the bytes of a check result."""


def measure(sizes: Sizes, only: Sequence[str] = ()) -> Iterator[Measured]:
    """The figures of the chosen rows, of all where none is chosen."""
    for target in TARGETS:
        if not only or target.name in only:
            for work in MEASURES[target.name]:
                yield from work(sizes)


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--only",
        action="append",
        choices=[target.name for target in TARGETS],
        default=[],
        help="a row; may be given again",
    )
    parser.add_argument("--quick", action="store_true", help="small sizes, within two minutes")
    parser.add_argument("-o", "--output", type=Path, help="write the figures as JSON, too")
    options = parser.parse_args()
    rows: list[Measured] = []
    begun = time.monotonic()
    for row in measure(QUICK if options.quick else FULL, options.only):
        rows.append(row)
        print(
            f"{time.monotonic() - begun:6.0f} s  {row.target}: {row.what}: {row.value:,.3g} {row.note}",
            file=sys.stderr,
            flush=True,
        )
        if options.output:
            options.output.write_text(json.dumps(as_data(rows), indent=1, ensure_ascii=False) + "\n", "utf-8")
    print(table(rows))
    if told := what_does_not_hold(rows):
        print(f"\n{told}")


if __name__ == "__main__":
    main()
