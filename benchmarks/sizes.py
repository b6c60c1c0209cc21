"""How much is measured: the sizes of the specification, and small ones that show within two minutes whether everything runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Sizes:
    """Numbers of case runs and the like.

    Attributes:
        rounds: of which the best counts.
        cold_runs: bundles that cold ingest reads.
        job_runs: bundles for two jobs.
        growth: parts of `cold_runs` and of `record_runs` over which growth is measured.
        text_runs: output texts for keywords and heuristics.
        shapes: (runs, cases) with facts in memory.
        verdict_runs: (runs, asked at least).
        case_runs: runs over which 20 and 500 cases are compared.
        read_runs: case runs that are really read into the record; the others are copies under other names.
        record_runs: case runs of the record.
        per_run: bundles that the per-run judge judges.
        memory_runs: case runs of the record whose judging is watched.
        memory_ingest: bundles of the two ingests that are watched.
        verdicts: of the database that the views are measured on.
    """

    rounds: int = 5
    cold_runs: int = 1_000
    job_runs: int = 10_000
    growth: tuple[int, ...] = (4, 2, 1)
    text_runs: int = 1_000
    shapes: tuple[tuple[int, int], ...] = (
        *((1_000, 20), (10_000, 20), (10_000, 500), (100_000, 20), (100_000, 500)),
        *((1_000_000, 20), (1_000_000, 1)),
    )
    verdict_runs: tuple[tuple[int, str], ...] = ((1_000, "≥ 1.2"), (100_000, "≥ 4"), (1_000_000, "≥ 8"))
    case_runs: int = 10_000
    read_runs: int = 2_000
    record_runs: int = 100_000
    per_run: int = 300
    memory_runs: int = 1_000_000
    memory_ingest: tuple[int, ...] = (500, 2_000)
    verdicts: int = 1_000_000


FULL: Final = Sizes()
QUICK: Final = Sizes(
    rounds=1,
    cold_runs=60,
    job_runs=1_000,
    growth=(4, 1),
    text_runs=60,
    shapes=((500, 20), (5_000, 1)),
    verdict_runs=((500, ""), (2_000, "")),
    case_runs=1_000,
    read_runs=100,
    record_runs=1_000,
    per_run=40,
    memory_runs=2_000,
    memory_ingest=(60,),
    verdicts=10_000,
)
