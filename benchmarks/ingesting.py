"""Cold ingest: bundles into a new record, against the limit probe; two jobs; growth; what a record takes on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from benchmarks.data import write_runs
from benchmarks.probe import limit_probe
from benchmarks.rows import Measured
from benchmarks.sizes import Sizes
from benchmarks.timing import exponent, in_turns, wall
from judge_polars.bundles import find_case_runs
from judge_polars.engine import Engine
from judge_polars.history.record import Record
from judge_polars.ingest import ingest_places
from judge_polars.registry import load_registry
from judge_polars.workers import Workers


@contextmanager
def bundles(count: int) -> Iterator[tuple[Engine, Path]]:
    """An engine, and a directory with so many case runs of its registry."""
    with tempfile.TemporaryDirectory(prefix="judge-polars-bench-") as place:
        registry, runs = write_runs(Path(place), count)
        engine = Engine(load_registry(registry).compile())
        _ = engine.program, engine.plan
        yield engine, runs


def ingest(engine: Engine, runs: Path, history: Path, jobs: int = 1) -> None:
    """Read every case run below a directory into a record."""
    found = find_case_runs([runs], engine.book.limits)
    ingest_places(history, engine, found, found.places, workers=Workers(jobs))


def ingest_anew(engine: Engine, runs: Path, jobs: int = 1) -> None:
    """Read every case run into a record that is thrown away."""
    with tempfile.TemporaryDirectory(prefix="judge-polars-bench-") as place:
        ingest(engine, runs, Path(place) / "history", jobs)


def size_of(directory: Path) -> int:
    """Bytes of the files below a directory."""
    return sum(path.stat().st_size for path in directory.rglob("*") if path.is_file())


def measure_ingest(sizes: Sizes) -> Iterator[Measured]:
    with bundles(sizes.cold_runs) as (engine, runs):
        best = in_turns({"ingest": lambda: ingest_anew(engine, runs), "probe": lambda: limit_probe(runs)}, sizes.rounds)
        mean = size_of(runs) / sizes.cold_runs
    yield Measured(
        "ingest",
        f"{sizes.cold_runs:,} runs of {mean / 1000:,.0f} KB",
        best["ingest"] / best["probe"],
        "≤ 4",
        sizes.rounds,
        f"probe {1000 * best['probe'] / sizes.cold_runs:.3f}, ingest {1000 * best['ingest'] / sizes.cold_runs:.3f} ms a run; "
        "with all document rules evaluated and the record written",
    )


def measure_jobs(sizes: Sizes) -> Iterator[Measured]:
    rounds = min(2, sizes.rounds)
    with bundles(sizes.job_runs) as (engine, runs):
        sides = {"one": lambda: ingest_anew(engine, runs), "two": lambda: ingest_anew(engine, runs, jobs=2)}
        best = in_turns(sides, rounds, wall)
    yield Measured(
        "jobs",
        f"{sizes.job_runs:,} runs",
        best["one"] / best["two"],
        "≥ 1.6",
        rounds,
        f"1 job {best['one']:.1f} s, 2 jobs {best['two']:.1f} s on the clock; a round takes long, so {rounds} rounds",
    )


def measure_growth(sizes: Sizes) -> Iterator[Measured]:
    counts = [sizes.cold_runs // part for part in sizes.growth]
    seconds = []
    for count in counts:
        with bundles(count) as (engine, runs):
            best = in_turns({"ingest": lambda: ingest_anew(engine, runs)}, sizes.rounds)
            seconds.append(best["ingest"])
    yield Measured(
        "growth",
        "cold ingest",
        exponent(counts, seconds),
        "≤ 1.1",
        sizes.rounds,
        f"{', '.join(f'{count:,}' for count in counts)} runs",
    )


def measure_disk(sizes: Sizes) -> Iterator[Measured]:
    with bundles(sizes.cold_runs) as (engine, runs), tempfile.TemporaryDirectory() as place:
        history = Path(place) / "history"
        ingest(engine, runs, history)
        raw = size_of(runs)
        documents = sum(path.stat().st_size for path in history.rglob("texts.*.parquet"))
        whole = sum(
            path.stat().st_size for batch in Record.open(history).batches() for path in batch.directory.iterdir()
        )
    yield Measured(
        "disk",
        "documents ÷ raw bundle",
        documents / raw,
        "≤ 0.2",
        1,
        f"{raw / sizes.cold_runs:,.0f} B raw, {documents / sizes.cold_runs:,.0f} B of documents, "
        f"{(whole - documents) / sizes.cold_runs:,.0f} B of everything else a run",
    )
