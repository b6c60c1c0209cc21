"""Judging again from the record, against the per-run judge from bundles; after an edit of one rule; and growth.

A few thousand case runs are really read; the others of the record are copies of theirs under other names and digests, with the same
documents, so that a record of any size is made in seconds.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import polars as pl

from benchmarks.data import write_runs
from benchmarks.ingesting import ingest
from benchmarks.per_run_judge import judge_each
from benchmarks.rows import Measured
from benchmarks.sizes import Sizes
from benchmarks.timing import cpu, exponent, in_turns
from judge_polars.chronicle import among, judge_record, known_cases
from judge_polars.compact import compact
from judge_polars.engine import Engine
from judge_polars.history.forms import INGESTED
from judge_polars.history.publish import publish
from judge_polars.history.recall import places_of_runs
from judge_polars.history.record import Record
from judge_polars.ingest import stored_eval_runs
from judge_polars.intake_tables import TEXTS_PER_ROW_GROUP
from judge_polars.registry import load_registry
from judge_polars.rejudge import judge_stored

_COPIED = ("runs", "bundles", "documents", "candidates", "refs", "issues", "states", "rule_codes")
"""Tables of a batch that judging reads and that hold the names of runs, or keys that go with them."""
_ALTERED = ("content_digest", "bundle_digest")


@dataclass(frozen=True)
class Recorded:
    """A record and the bundles that were really read into it."""

    record: Record
    registry: Path
    runs: Path

    def engine(self) -> Engine:
        """The registry as it stands now."""
        engine = Engine(load_registry(self.registry).compile())
        _ = engine.program, engine.plan
        return engine


@contextmanager
def recorded(read: int, count: int, *, codes: bool = True, compacted: bool = True) -> Iterator[Recorded]:
    """A record of `count` case runs, `read` of which are read from bundles.

    Args:
        codes: keep the results of rules; without, every judging reads the texts again.
        compacted: put its batches of 500 runs together, as `judge-polars history compact` does.
    """
    with tempfile.TemporaryDirectory(prefix="judge-polars-bench-") as place:
        registry, runs = write_runs(Path(place), min(read, count))
        made = Recorded(Record.create(Path(place) / "history"), registry, runs)
        ingest(made.engine(), runs, made.record.history)
        for number in range(1, -(-count // read)):
            _copy(made.record, number, codes=codes)
        if compacted:
            compact(made.record, at_once=True)
        yield made


def _copy(record: Record, number: int, *, codes: bool) -> None:
    """Add the runs that were really read once more, under other names."""
    originals = [batch for batch in record.batches(*INGESTED) if batch.has("runs") and "copy" not in batch.about]
    for batch in originals:
        with record.begin("ingest") as copy:
            for table in _COPIED:
                if batch.has(table) and (codes or table != "rule_codes"):
                    copy.write(table, _renamed(batch.read(table), number))
            copy.commit(about={"copy": number})


def _forget_codes(record: Record) -> None:
    """Put batches without the results of rules in the place of those that have them."""
    for batch in record.batches(*INGESTED):
        with record.begin(batch.kind) as copy:
            for table in sorted({name.split(".")[0] for name in batch.files} - {"rule_codes", "rule_sets"}):
                copy.write(table, batch.read(table), row_group=TEXTS_PER_ROW_GROUP if table == "texts" else 65_536)
            copy.commit(replaces=[batch.number], about=batch.about)


def _renamed(frame: pl.DataFrame, number: int) -> pl.DataFrame:
    names = [
        pl.concat_str(pl.lit(f"{number}-"), name) for name in ("case_run_id", "eval_run_id") if name in frame.columns
    ]
    digests = [pl.concat_str(name, pl.lit(f"-{number}")) for name in _ALTERED if name in frame.columns]
    columns = [name for name in ("case_run_id", "eval_run_id", *_ALTERED) if name in frame.columns]
    return frame.with_columns(made.alias(name) for made, name in zip([*names, *digests], columns, strict=True))


def judge_all(made: Recorded, engine: Engine, most: int | None = None) -> int:
    """Judge the case runs of a record (the first `most`), as a re-judging that keeps nothing does; how many were judged."""
    places, _ = known_cases(made.record, engine, None)
    places = places if most is None else places.head(most)
    chunks = judge_stored(made.record, engine, places, stored_eval_runs(made.record), tell=False)
    return sum(chunk.judged.height for chunk in chunks)


def edit_rule(registry: Path, cases: int) -> Callable[[int], None]:
    """Returns a function that gives the first supporting check of so many cases another keyword, each time another one."""
    files = sorted(registry.glob("cases/*/judge.yaml"))[:cases]

    def edit(number: int) -> None:
        for file in files:
            policy = json.loads(file.read_text("utf-8"))
            rule = policy["judge"]["diagnosis"]["supporting_checks"][0]["any_of"][0]
            rule["keywords"][0] = f"edited {number}"
            file.write_text(json.dumps(policy, ensure_ascii=False), "utf-8")

    return edit


def measure_rejudge(sizes: Sizes) -> Iterator[Measured]:
    rounds, runs = min(3, sizes.rounds), sizes.record_runs
    with recorded(sizes.read_runs, runs, compacted=False) as made, tempfile.TemporaryDirectory() as place:
        engine = made.engine()
        _, few = write_runs(Path(place), sizes.per_run)
        judge_each(few, engine.book)
        small = cpu(lambda: judge_all(made, engine)) / runs
        compact(made.record, at_once=True)
        first = cpu(lambda: judge_record(made.record, engine)) / runs
        published = cpu(lambda: publish(made.record)) / runs
        sides = {
            "record": lambda: judge_record(made.record, engine),
            "what if": lambda: judge_all(made, engine),
            "per run": lambda: judge_each(few, engine.book),
        }
        best = in_turns(sides, rounds)
        again = cpu(lambda: publish(made.record)) / runs / rounds
    per_run = best["per run"] / sizes.per_run
    asked = "≥ 500"
    note = f"{1e6 * best['record'] / runs:.1f} µs a run, per-run judge {1e3 * per_run:.2f} ms; {runs:,} runs"
    yield Measured(
        "rejudge", "judged again, kept in the record", per_run / (best["record"] / runs), asked, rounds, note
    )
    note = f"{1e6 * best['what if'] / runs:.1f} µs a run"
    yield Measured("rejudge", "judged, nothing kept", per_run / (best["what if"] / runs), asked, rounds, note)
    note = f"batches of 500 runs each: {1e6 * small:.1f} µs a run"
    yield Measured("rejudge", "judged, nothing kept, record not compacted", per_run / small, "", 1, note)
    note = f"{1e6 * first:.0f} µs a run: documents, facts and references are told; published {1e6 * published:.0f} µs a run"
    yield Measured("rejudge", "judged for the first time", per_run / first, "", 1, note)
    note = f"rows of a later judgment into history.duckdb: {1e6 * again:.1f} µs a run"
    yield Measured("rejudge", "a later judgment published", per_run / again, "", 1, note)


def measure_edited(sizes: Sizes) -> Iterator[Measured]:
    rounds = min(3, sizes.rounds)
    few = min(sizes.read_runs, sizes.record_runs)
    with recorded(sizes.read_runs, few) as bare:
        _forget_codes(bare.record)
        engine = bare.engine()
        full = cpu(lambda: judge_all(bare, engine)) / few
    with recorded(sizes.read_runs, sizes.record_runs) as made:
        for cases, what in ((1, "of one case of 20"), (20, "of every case")):
            edit, seconds = edit_rule(made.registry, cases), []
            for number in range(rounds):
                edit(number)
                engine = made.engine()
                seconds.append(cpu(lambda: judge_all(made, engine)) / sizes.record_runs)  # noqa: B023
            best = min(seconds)
            yield Measured(
                "edited",
                f"a keyword rule {what}, {sizes.record_runs:,} runs",
                best / full,
                "≤ 0.1" if cases == 1 else "",
                rounds,
                f"{1e6 * best:.1f} µs a run; all rules from their texts {1e6 * full:,.0f} µs a run, over {few:,} runs",
            )


def measure_growth(sizes: Sizes) -> Iterator[Measured]:
    counts = [sizes.record_runs // part for part in sizes.growth]
    rounds = min(3, sizes.rounds)
    with recorded(sizes.read_runs, sizes.record_runs) as made:
        engine = made.engine()
        ids = places_of_runs(made.record)
        seconds = []
        for count in counts:
            some = among(ids.head(count))
            places, _ = known_cases(made.record, engine, some)
            work = lambda: list(judge_stored(made.record, engine, places, stored_eval_runs(made.record), tell=False))  # noqa: B023, E731
            seconds.append(in_turns({"judge": work}, rounds)["judge"])
    note = f"{', '.join(f'{count:,}' for count in counts)} runs of one record"
    yield Measured("growth", "judging from the record", exponent(counts, seconds), "≤ 1.1", rounds, note)
