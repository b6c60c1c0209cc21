"""The corridor into the record: case runs are read once, in shards, and kept (specification 60, "Ingest")."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import Final

import polars as pl

from judge_polars.bundles import CaseRunPlace, Found, ShardReading, Signature, shards, signature
from judge_polars.engine import Engine, examine_reading, read_places
from judge_polars.errors import InputError
from judge_polars.facts.extraction import Extraction
from judge_polars.history.recall import current_states, latest
from judge_polars.history.record import MARKER, Record
from judge_polars.intake import take_in
from judge_polars.intake_tables import INTAKE_TABLES, TEXTS, TEXTS_PER_ROW_GROUP, Intake, texts_of
from judge_polars.judge import Progress, duplicate_issues
from judge_polars.kept import STATES
from judge_polars.rule_digests import layout_digest
from judge_polars.rule_memory import RuleMemory
from judge_polars.tables import EVAL_RUNS, ISSUES
from judge_polars.workers import ALONE, Workers


@dataclass(frozen=True)
class Ingested:
    """What an ingest did with the case runs that it was shown: how many were new, changed, or as the record has them."""

    new: int = 0
    changed: int = 0
    unchanged: int = 0


MOVED: Final = ""
"""Signature of a case run whose files were moved while they were read: it is read again."""


@dataclass(frozen=True)
class Reader:
    """Reads case runs into batches of a record; pickles, so that workers read side by side."""

    history: Path
    engine: Engine

    @cached_property
    def _record(self) -> Record:
        return Record.open(self.history)

    @cached_property
    def _memory(self) -> RuleMemory:
        return RuleMemory(self._record, self.engine.program)

    @cached_property
    def _texts(self) -> HeldTexts:
        return HeldTexts(self._record)

    def __call__(self, shard: Sequence[CaseRunPlace]) -> list[int]:
        """Read case runs and publish batches of them, whose numbers are returned."""
        known = {case.id for case in self.engine.book.cases}
        signed = [(place, self.signature(place)) for place in shard]
        numbers = []
        for of_known in (True, False):
            group = [pair for pair in signed if (pair[0].case_id in known) == of_known]
            while group:
                number, read = self._keep(
                    [place for place, _ in group], [signed for _, signed in group], of_known=of_known
                )
                group = group[read:]
                numbers.append(number)
        return numbers

    def reads(self, shard: Sequence[CaseRunPlace]) -> Iterable[str]:
        """The history, and the directories of the case runs."""
        return [str(self.history / MARKER), *(place.path for place in shard)]

    def signature(self, place: CaseRunPlace) -> Signature:
        """Over the files of a case run and all that reading depends on."""
        root = self.engine.workspaces_root
        return signature(place, self.engine.book.limits, None if root is None else str(root), self._ground)

    @cached_property
    def _ground(self) -> str:
        return layout_digest(self.engine.book)

    def _keep(self, places: Sequence[CaseRunPlace], before: Sequence[Signature], *, of_known: bool) -> tuple[int, int]:
        """Read as many case runs as fit in memory, publish them, and return the batch's number and how many they were.

        Args:
            before: the signature of each, before it is read.
        """
        read_at = datetime.now(UTC)
        reading, extraction = read_places(self.engine, places)
        if of_known:
            examined = examine_reading(self.engine, reading, extraction)
            intake = examined.intake
        else:
            intake = self._unknown(reading, extraction)
        signatures = [one.text if one.stands else MOVED for one in before[: intake.runs.height]]
        with self._record.begin("ingest") as batch:
            for table in INTAKE_TABLES:
                batch.write(table.name, getattr(intake, table.name))
            batch.write("texts", self._texts.new(reading.documents), row_group=TEXTS_PER_ROW_GROUP)
            if of_known:
                placed = self._memory.placed(examined.ready, examined.results)
                codes, sets = self._memory.to_keep(examined.ready, placed)
                batch.write("rule_codes", codes)
                batch.write("rule_sets", sets)
            batch.write("states", self._states(intake, signatures, read_at))
            published = batch.commit()
        return published.number, reading.runs.height

    def _unknown(self, reading: ShardReading, extraction: Extraction) -> Intake:
        return take_in(reading, extraction.frames(reading.documents), self.engine.logs_dirs)

    def _states(self, intake: Intake, signatures: Sequence[str], read_at: datetime) -> pl.DataFrame:
        return STATES.check(
            intake.runs.select(
                "case_run_id",
                "revision",
                signature=pl.Series(signatures, dtype=pl.String),
                layout_digest=pl.lit(self._ground),
                read_at=pl.lit(read_at).cast(STATES.schema["read_at"]),
            )
        )


def _half_of_digest(start: int) -> pl.Expr:
    """16 of the digits of a text's digest, as a number."""
    return pl.col("digest").str.slice(start, 16).str.to_integer(base=16, dtype=pl.UInt64)


_TEXT_KEY: Final = (
    _half_of_digest(0).alias("first"),
    (_half_of_digest(16) ^ pl.col("form").hash(seed=3)).alias("second"),
)
"""128 bits of a text's digest, the second half mixed with its form: 16 bytes, as millions are held."""


class HeldTexts:
    """Which texts a record holds.  What is known is kept: of each batch the keys are read once in a process.

    The keys alone: a text that is damaged is told by whoever reads it.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self._seen: set[int] = set()
        self._keys = [TEXTS.empty().select(_TEXT_KEY)]

    def new(self, documents: pl.DataFrame) -> pl.DataFrame:
        """`intake_tables.TEXTS` of documents that the record does not hold yet."""
        for batch in self._record.batches():
            if batch.number not in self._seen:
                self._seen.add(batch.number)
                if batch.has("texts"):
                    self._keys.append(batch.read("texts", _TEXT_KEY, checked=False))
        texts = texts_of(documents)
        keys = texts.select(_TEXT_KEY)
        held = pl.concat(self._keys).filter(pl.col("first").is_in(keys["first"].implode()))
        known = keys.with_row_index("at").join(held, on=keys.columns, how="semi")["at"]
        return texts.filter(~pl.int_range(pl.len(), dtype=pl.UInt32).is_in(known.implode()))


def ingest_places(
    history: Path,
    engine: Engine,
    found: Found,
    places: Sequence[CaseRunPlace],
    *,
    workers: Workers = ALONE,
    check_content: bool = False,
    progress: Progress | None = None,
) -> Ingested:
    """Read the case runs that the record does not have as they are, and publish them batch by batch.

    Args:
        found: where the places come from; its eval runs are kept, too.
        workers: who reads; each adds batches of its own.
        check_content: read everything again, whatever the files' times say.

    Raises:
        InputError: the record cannot be written, or workers do not see the files or it.
        MissingPieceError: what `workers` need is not there.
    """
    record = Record.create(history)
    reader = Reader(history, engine)
    states = dict(current_states(record).select("case_run_id", "signature").iter_rows())
    unread = []
    for place in places:
        held = states.get(place.case_run_id)
        if held is None or check_content or reader.signature(place).text != held:
            unread.append(place)
    new = sum(place.case_run_id not in states for place in unread)
    _keep_eval_runs(record, found, places)
    total, done = len(places), len(places) - len(unread)
    if progress is not None:
        progress(done, total)
    for count in _keep_all(record, reader, unread, workers):
        done += count
        if progress is not None:
            progress(done, total)
    return Ingested(new, len(unread) - new, len(places) - len(unread))


def _keep_all(record: Record, reader: Reader, unread: Sequence[CaseRunPlace], workers: Workers) -> Iterator[int]:
    """How many case runs are kept, shard by shard."""
    parts = list(shards(unread))
    for part, numbers in zip(parts, workers.run(reader, parts, len(unread)), strict=True):
        if not all(record.holds(number) for number in numbers):
            raise InputError(
                f"{record.history}: a worker kept its case runs in a directory of the same name on its own machine; the "
                "history must lie on a file system that all machines see under the same path"
            )
        yield len(part)


def _keep_eval_runs(record: Record, found: Found, places: Sequence[CaseRunPlace]) -> None:
    """Publish what the records of the eval runs say, where the history has it otherwise or not at all."""
    wanted = {place.eval_run_id for place in places}
    mine = found.eval_runs.filter(pl.col("eval_run_id").is_in(list(wanted)))
    held = stored_eval_runs(record)
    outside = pl.concat([found.issues, duplicate_issues(found)])
    fresh = mine.join(held, on=mine.columns, how="anti", nulls_equal=True, maintain_order="left")
    odd = outside.join(latest(record, "outside_issues", ISSUES), on=outside.columns, how="anti", nulls_equal=True)
    if fresh.is_empty() and odd.is_empty():
        return
    with record.begin("ingest") as batch:
        batch.write("eval_runs", fresh)
        batch.write("outside_issues", odd)
        batch.commit()


def stored_eval_runs(record: Record) -> pl.DataFrame:
    """`tables.EVAL_RUNS`, the latest of each eval run."""
    return (
        latest(record, "eval_runs", EVAL_RUNS)
        .unique("eval_run_id", keep="last", maintain_order=True)
        .sort("eval_run_id")
    )
