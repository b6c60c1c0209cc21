"""Small batches of the record put together into large ones, as safely as any batch is written (specification 60)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import polars as pl

from judge_polars.history.forms import INGESTED
from judge_polars.history.recall import read_codes, read_rule_sets
from judge_polars.history.record import Batch, PendingBatch, Record
from judge_polars.intake_tables import INTAKE_TABLES, RUNS_PER_BLOCK, TEXTS, TEXTS_PER_ROW_GROUP
from judge_polars.kept import RULE_CODES, RULE_SETS

LARGE: Final = 20_000
"""Case runs from which a batch is large enough to stay as it is."""
GRACE_SECONDS: Final = 3600
FILE_BYTES: Final = 64 * 1024 * 1024
"""Rows that are held in memory before they are written as a file."""
_KEYS: Final = {"bundle": "bundles", "doc": "documents", "series": "series"}
_OTHERS: Final = ("states", "eval_runs", "outside_issues")


@dataclass(frozen=True)
class Compacted:
    """What was done.

    Attributes:
        before, after: batches that were put together, and into how many.
        abandoned: directories of dead writers that were removed.
        waiting: replaced batches that are kept for readers who may still use them.
    """

    before: int = 0
    after: int = 0
    abandoned: int = 0
    waiting: int = 0


def compact(record: Record, *, at_once: bool = False) -> Compacted:
    """Put small batches of case runs together; what a crash leaves is cleared away by the next call.

    Batches that are replaced stay for an hour, for readers that began with them; a later call removes them.

    Args:
        at_once: remove them now; nobody else may be reading the record.
    """
    abandoned = record.clean()
    groups = [group for group in _groups(record.batches(*INGESTED)) if len(group) > 1]
    groups = [group for group in groups if _merge(record, group)]
    waiting = 0
    for batch, replaced_at in record.superseded():
        if at_once or record.age(replaced_at) > GRACE_SECONDS:
            record.remove(batch)
        else:
            waiting += 1
    return Compacted(sum(map(len, groups)), len(groups), abandoned, waiting)


def _groups(batches: Sequence[Batch]) -> list[list[Batch]]:
    """Small batches in the order in which they were read, as many together as make a large one, with no other between them."""
    groups: list[list[Batch]] = [[]]
    size = 0
    for batch in sorted(batches, key=lambda batch: batch.place):
        small = batch.rows("runs") < LARGE
        if small:
            groups[-1].append(batch)
            size += batch.rows("runs")
        if size >= LARGE or not small:
            groups.append([])
            size = 0
    return groups


def _merge(record: Record, group: Sequence[Batch]) -> bool:
    """One batch in the place of several; False where somebody else put one of them in another meanwhile."""
    with record.begin("compacted") as pending:
        firsts = _first_keys(group)
        for table in INTAKE_TABLES:
            rows = _Rows(pending, table.name)
            for batch in group:
                if batch.has(table.name):
                    rows.add(_shifted(batch.read(table.name), firsts[batch.number]))
            rows.write()
        _merge_texts(pending, group, firsts)
        for name in _OTHERS:
            rows = _Rows(pending, name)
            for batch in group:
                if batch.has(name):
                    rows.add(_noted(batch, name))
            rows.write()
        pending.write("rule_codes", RULE_CODES.check(read_codes(group).unique(maintain_order=True)))
        pending.write("rule_sets", RULE_SETS.check(read_rule_sets(group)))
        replaced = [number for batch in group for number in (batch.number, *batch.replaces)]
        last = group[-1]
        about = {"end_of_runs": firsts[last.number]["run"] + _end_of_runs(last), "place": last.place}
        if not record.holds_all({batch.number for batch in group}):
            return False
        pending.commit(replaces=replaced, about=about)
    return True


class _Rows:
    """Rows of a table on their way into a batch: in as few files as memory allows."""

    def __init__(self, pending: PendingBatch, name: str, **options: int) -> None:
        self._pending, self._name, self._options = pending, name, options
        self._parts: list[pl.DataFrame] = []
        self._bytes = 0.0

    def add(self, frame: pl.DataFrame) -> None:
        """Add rows, which are written once there are enough of them for a file."""
        self._parts.append(frame)
        self._bytes += frame.estimated_size()
        if self._bytes >= FILE_BYTES:
            self.write()

    def write(self) -> None:
        """Write what has been added."""
        if self._parts:
            self._pending.write(self._name, pl.concat(self._parts), **self._options)
        self._parts, self._bytes = [], 0.0


def _noted(batch: Batch, name: str) -> pl.DataFrame:
    """Rows with the number of the batch that they came with: the latest counts, not the one that was put together last."""
    rows = batch.read(name)
    return rows if "noted" in rows.columns else rows.with_columns(noted=pl.lit(batch.number, pl.Int64))


def _first_keys(group: Sequence[Batch]) -> dict[int, dict[str, int]]:
    """Batch -> key -> what is added to it; runs begin a new block of texts in each batch."""
    firsts: dict[int, dict[str, int]] = {}
    next_key = {"run": 0, **dict.fromkeys(_KEYS, 0)}
    for batch in group:
        firsts[batch.number] = dict(next_key)
        blocks = -(-_end_of_runs(batch) // RUNS_PER_BLOCK)
        next_key["run"] += blocks * RUNS_PER_BLOCK
        for key, table in _KEYS.items():
            next_key[key] += batch.rows(table)
    return firsts


def _end_of_runs(batch: Batch) -> int:
    """One more than the last `run` of a batch; batches that were put together have gaps."""
    return int(batch.about.get("end_of_runs", batch.rows("runs")))


def _shifted(frame: pl.DataFrame, first: dict[str, int]) -> pl.DataFrame:
    return frame.with_columns(
        (pl.col(key) + number).cast(pl.UInt32) for key, number in first.items() if key in frame.columns
    )


def _merge_texts(pending: PendingBatch, group: Sequence[Batch], firsts: dict[int, dict[str, int]]) -> None:
    """Texts batch by batch, those left out that an earlier batch of the group has."""
    seen = TEXTS.empty().select("digest", "form")
    rows = _Rows(pending, "texts", row_group=TEXTS_PER_ROW_GROUP)
    for batch in group:
        if not batch.has("texts"):
            continue
        block = firsts[batch.number]["run"] // RUNS_PER_BLOCK
        texts = batch.read("texts").join(seen, on=["digest", "form"], how="anti", maintain_order="left")
        rows.add(TEXTS.check(texts.with_columns((pl.col("block") + block).cast(pl.UInt32))))
        seen = pl.concat([seen, texts.select("digest", "form")])
    rows.write()
