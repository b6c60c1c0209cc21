"""What formulas read and write of all case runs at once: facts, codes of document rules, codes of text comparisons, outcomes.

Everything lies column by column, so that a case with many runs is evaluated by whole columns, and cells of many small cases are
gathered by position out of one flat column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import polars as pl

from judge_polars.vocabulary import REASON_CODES

OUTCOMES = pl.Schema(
    {"run": pl.UInt32, "check": pl.UInt32, "passed": pl.Boolean, "deciding_rule": pl.UInt32, "code": pl.UInt8}
)
"""Check outcome: `check` is an index of `Program.all_checks`; `deciding_rule` the ordinal of the rule that decided (null
without rules); `code` the reason of the first false rule, 0 when the check passed."""

UNASKED: Final = REASON_CODES["artifact_missing"]
"""The code of a document rule that was not evaluated: a run without documents."""
_FEW_SLOTS: Final = 4


class FactMatrix:
    """Facts of all runs of a shard: a column of 64-bit integers for each slot, null where unknown."""

    def __init__(self, columns: list[pl.Series], runs: int) -> None:
        self.columns = columns
        self.runs = runs
        self._flat: pl.Series | None = None

    @classmethod
    def unknown(cls, runs: int, width: int) -> FactMatrix:
        """A matrix in which nothing is known yet."""
        return cls([pl.repeat(None, runs, dtype=pl.Int64, eager=True)] * width, runs)

    def set(self, run: pl.Series, slot: pl.Series | int, values: pl.Series) -> None:
        """Write values (anything that casts to Int64) at (run, slot)."""
        if run.is_empty():
            return
        values = values.to_physical().cast(pl.Int64)
        if isinstance(slot, int):
            self.columns[slot] = self.columns[slot].clone().scatter(run, values)
        else:
            whole = self.flat.clone().scatter(self._index(run, slot), values)
            self.columns = [whole.slice(at * self.runs, self.runs) for at in range(len(self.columns))]
        self._flat = None

    def read(self, run: pl.Series, slots: Sequence[int]) -> list[pl.Series]:
        """Columns of some runs, in the order of `run`."""
        first, end = _stretch(run)
        if end is not None:
            return [self.columns[slot].slice(first, end - first) for slot in slots]
        return pl.DataFrame([self.columns[slot].alias(str(slot)) for slot in slots])[run].get_columns() if slots else []

    def get(self, run: pl.Series, slot: pl.Series | int) -> pl.Series:
        """The values at (run, slot); null where the slot is null."""
        if isinstance(slot, int):
            return self.columns[slot].gather(run)
        few = slot.drop_nulls().unique().sort()
        if len(few) > _FEW_SLOTS:
            return self.flat.gather(self._index(run, slot))
        value = pl.lit(None, pl.Int64)
        for one in few:
            value = pl.when(pl.lit(slot) == one).then(pl.lit(self.columns[one].gather(run))).otherwise(value)
        return pl.select(pl.lit(run).alias("run"), value.alias("value"))["value"]

    @property
    def flat(self) -> pl.Series:
        """All columns, one behind the other."""
        if self._flat is None:
            self._flat = pl.concat(self.columns, rechunk=True) if self.columns else pl.Series([], dtype=pl.Int64)
        return self._flat

    def _index(self, run: pl.Series, slot: pl.Series) -> pl.Series:
        return slot.cast(pl.UInt64) * self.runs + run


def _stretch(run: pl.Series) -> tuple[int, int | None]:
    """The first run, and one more than the last where they are in order and none lies between them that is not of them."""
    first, last = int(run[0]), int(run[-1])
    return first, last + 1 if last - first + 1 == len(run) and run.is_sorted() else None


@dataclass(frozen=True)
class Blocks:
    """Where the codes of document rules lie: a block for each case, in it a column for each of its rules.

    Attributes:
        case: the case of each run.
        places: document rules of each case.
    """

    case: pl.Series
    places: Sequence[int]

    @cached_property
    def _by_case(self) -> pl.DataFrame:
        """`case`, `runs` (a list, in order): the cases that have any."""
        runs = self.case.to_frame("case").with_row_index("run")
        return runs.group_by("case").agg(runs=pl.col("run")).sort("case")

    @cached_property
    def runs_of(self) -> dict[int, pl.Series]:
        """Case -> its runs, in order."""
        return dict(zip(self._by_case["case"], self._by_case["runs"], strict=True))

    @cached_property
    def first(self) -> dict[int, int]:
        """Case -> where its block begins."""
        firsts: dict[int, int] = {}
        at = 0
        for case, runs in self.runs_of.items():
            firsts[case] = at
            at += len(runs) * self.places[case]
        return firsts

    @cached_property
    def _of_run(self) -> pl.DataFrame:
        """`start`, `step`: a run's code of place 0, and how far it is from one place to the next."""
        laid = self._by_case.with_columns(
            first=pl.Series(list(self.first.values()), dtype=pl.UInt64), step=pl.col("runs").list.len().cast(pl.UInt64)
        )
        every = laid.explode("runs").with_columns(
            start=pl.col("first") + pl.int_range(pl.len(), dtype=pl.UInt64).over("case")
        )
        return every.sort("runs").select("start", "step")

    def rank(self, run: pl.Series, case: int) -> pl.Series:
        """Where runs of a case stand among all of its runs."""
        return self._of_run["start"].gather(run) - self.first[case]

    def index(self, run: pl.Series, place: pl.Series) -> pl.Series:
        """Where the code of (run, place) lies."""
        return self._of_run["start"].gather(run) + place.cast(pl.UInt64) * self._of_run["step"].gather(run)

    def at(self, index: pl.Series) -> pl.DataFrame:
        """`run`, `case`, `place` of codes by where they lie."""
        cases, sizes = self._by_case["case"], self._by_case["runs"].list.len()
        firsts = pl.Series(list(self.first.values()), dtype=pl.UInt64)
        block = (firsts.search_sorted(index.cast(pl.UInt64), side="right") - 1).cast(pl.UInt32)
        within, size = index.cast(pl.UInt64) - firsts.gather(block), sizes.gather(block)
        before = sizes.cum_sum() - sizes
        runs = self._by_case["runs"].explode()
        return pl.DataFrame(
            {
                "run": runs.gather(before.gather(block) + within % size),
                "case": cases.gather(block),
                "place": (within // size).cast(pl.UInt32),
            }
        )

    def size(self) -> int:
        """How many codes there are."""
        return sum(len(runs) * self.places[case] for case, runs in self.runs_of.items())


@dataclass(frozen=True)
class DocumentCodes:
    """Codes of document rules, laid out in `Blocks`."""

    blocks: Blocks
    values: pl.Series

    @classmethod
    def filled(cls, blocks: Blocks, code: int) -> DocumentCodes:
        """The same code everywhere."""
        return cls(blocks, pl.repeat(code, blocks.size(), dtype=pl.UInt8, eager=True))

    def with_codes(self, run: pl.Series, place: pl.Series, code: pl.Series) -> DocumentCodes:
        """The codes with others at (run, place)."""
        if run.is_empty():
            return self
        return DocumentCodes(self.blocks, self.values.clone().scatter(self.blocks.index(run, place), code))

    def get(self, run: pl.Series, place: pl.Series) -> pl.Series:
        """The codes at (run, place)."""
        return self.values.gather(self.blocks.index(run, place))

    def column(self, case: int, place: int) -> pl.Series:
        """The codes of a rule of a case, one for each of its runs in order."""
        count = len(self.blocks.runs_of[case])
        return self.values.slice(self.blocks.first[case] + place * count, count)


@dataclass(frozen=True)
class RuleCodes:
    """Codes of document rules and of text comparisons: `documents`, and `texts[run * text_rules + rule]`."""

    documents: DocumentCodes
    texts: pl.Series
    text_rules: int
