"""What formulas read and write of all case runs at once: facts, codes of document rules, codes of text comparisons, outcomes.

Everything lies column by column, so that a case with many runs is evaluated by whole columns, and cells of many small cases are
gathered by position out of one flat column.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from judge_polars.rules.compare import Booleans, Integers
from judge_polars.vocabulary import REASON_CODES

OUTCOMES = pl.Schema(
    {"run": pl.UInt32, "check": pl.UInt32, "passed": pl.Boolean, "deciding_rule": pl.UInt32, "code": pl.UInt8}
)
"""Check outcome: `check` is an index of `Program.all_checks`; `deciding_rule` the ordinal of the rule that decided (null
without rules); `code` the reason of the first false rule, 0 when the check passed."""

_GOLDEN, _ODD, _ALL = 0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 2**64 - 1
UNASKED: Final = REASON_CODES["artifact_missing"]
"""The code of a document rule that was not evaluated: a run without documents."""


@dataclass(frozen=True)
class FactMatrix:
    """Facts of all runs of a shard as 64-bit integers.

    Attributes:
        value: by slot and run; 0 where unknown.
        known: by slot and run.
    """

    value: Integers
    known: Booleans

    @classmethod
    def unknown(cls, runs: int, width: int) -> FactMatrix:
        """A matrix of so many slots in which nothing is known yet."""
        return cls(np.zeros((width, runs), dtype=np.int64), np.zeros((width, runs), dtype=np.bool_))

    def set(self, run: pl.Series, slot: int, values: pl.Series) -> None:
        """Write values (anything that casts to Int64; null is unknown) at (run, slot)."""
        found, at = values.to_physical().cast(pl.Int64), run.to_numpy()
        self.value[slot, at] = found.fill_null(0).to_numpy() if found.null_count() else found.to_numpy()
        self.known[slot, at] = found.is_not_null().to_numpy() if found.null_count() else True

    def write(self, run: npt.NDArray[np.uint32], slot: int, values: Integers | Booleans) -> None:
        """Write known values at (run, slot)."""
        every = len(run) == self.value.shape[1] and bool((run[1:] > run[:-1]).all())
        self.value[slot, slice(None) if every else run] = values
        self.known[slot, slice(None) if every else run] = True

    def get(self, run: pl.Series, slot: pl.Series | int) -> pl.Series:
        """The values at (run, slot); null where they are unknown, and where the slot is null."""
        if isinstance(slot, int):
            return nullable(self.value[slot, run.to_numpy()], self.known[slot, run.to_numpy()])
        at = (slot.fill_null(0).to_numpy(), run.to_numpy())
        return nullable(self.value[at], self.known[at] & slot.is_not_null().to_numpy())

    def hashed(self) -> pl.Series:
        """A hash over all that is known of each run (unsigned), the same on every machine."""
        found = np.zeros(self.value.shape[1], dtype=np.uint64)
        for slot in range(self.value.shape[0]):
            mixed = (self.value[slot].view(np.uint64) ^ np.uint64((slot + 1) * _GOLDEN & _ALL)) * np.uint64(_ODD)
            mixed ^= mixed >> np.uint64(32)
            found += np.where(self.known[slot], mixed * np.uint64(_GOLDEN), np.uint64(0))
        return pl.Series("facts", found)


def nullable(value: Integers, known: Booleans) -> pl.Series:
    """A column of values, null where they are unknown."""
    column = pl.Series("value", value)
    return column if known.all() else pl.select(pl.when(pl.Series(known)).then(column).alias("value")).to_series()


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
    def counts_and_firsts(self) -> tuple[Integers, Integers]:
        """By case, how many runs it has, and where its block begins; 0 for a case that has none."""
        counts, firsts = (np.zeros(len(self.places), dtype=np.int64) for _ in range(2))
        cases = self._by_case["case"].to_numpy()
        counts[cases] = self._by_case["runs"].list.len().to_numpy()
        firsts[cases] = list(self.first.values())
        return counts, firsts

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

    @property
    def starts(self) -> pl.Series:
        """Where the code of each run's rule of place 0 lies."""
        return self._of_run["start"]

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
