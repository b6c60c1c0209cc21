"""Formulas of one shape decided at once: the codes of their rules laid out as columns, and what follows from them.

NumPy, since a column of codes is bytes without nulls: stretches are put one behind another, and whole columns are combined, several
times as fast as by expressions over lists of row numbers.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from judge_polars.rules.compare import Booleans, Codes, Integers
from judge_polars.rules.shapes import Shape
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

NO_RULE: Final = 2**23 - 1
"""In the place of a deciding rule where no rule decided."""
_NOT_SATISFIED: Final = REASON_CODES["fact_not_satisfied"]
_LONG: Final = 100
"""Cells of a stretch, on average, from which stretches are copied one by one; shorter ones are gathered cell by cell."""


@dataclass(frozen=True)
class Rows:
    """A row for each formula and run: `count` rows of the first formula, then those of the second, and so on."""

    count: Integers

    @cached_property
    def height(self) -> int:
        """How many there are."""
        return int(self.count.sum())

    @cached_property
    def begins(self) -> Integers:
        """Where the rows of each formula begin."""
        return np.cumsum(self.count) - self.count

    @cached_property
    def _even(self) -> int:
        """How many rows each formula has where all have as many, as where each case ran as often; else 0."""
        first = int(self.count[0]) if len(self.count) else 0
        return first if (self.count == first).all() else 0

    @cached_property
    def _within(self) -> Integers:
        """Which row of its formula each one is."""
        return np.arange(self.height) - np.repeat(self.begins, self.count)

    def _cells(self, begins: Integers) -> Integers:
        """`begin` … `begin + count - 1` of each formula."""
        if self._even:
            return (begins[:, np.newaxis] + np.arange(self._even)).ravel()
        return np.repeat(begins, self.count) + self._within

    def cells(self, values: npt.NDArray[Any], begins: Integers) -> npt.NDArray[Any]:
        """Of each formula the `count` values from `begins` on."""
        if self.height >= _LONG * len(self.count):
            places = zip(begins.tolist(), self.count.tolist(), strict=True)
            return np.concatenate([values[begin : begin + count] for begin, count in places])
        return values.take(self._cells(begins))

    def repeated(self, values: Integers, dtype: type[np.generic]) -> npt.NDArray[Any]:
        """Each formula's value, `count` times."""
        return np.repeat(values.astype(dtype), self._even or self.count)


@dataclass(frozen=True)
class Decided:
    """What a formula says of a run.

    Attributes:
        passed: whether enough rules are true.
        deciding_rule: ordinal of the first true rule where it passed, else of the first false one; `NO_RULE` where there is none.
        code: of the deciding rule; without one, why a formula without such rules does not pass.
    """

    passed: Booleans
    deciding_rule: npt.NDArray[np.uint32]
    code: Codes


def number_of_true(codes: Sequence[Codes], height: int) -> Integers:
    """How many rules are true; `codes`: a column for each rule."""
    found = np.zeros(height, dtype=np.int64)
    for column in codes:
        found += column == TRUE_CODE
    return found


def enough(shape: Shape, codes: Sequence[Codes], height: int) -> Booleans:
    """Whether enough rules are true, as `Decided.passed` says, where it does not matter which ones; `codes` as in `decided`."""
    if shape.is_usual and shape.need == shape.length:
        return np.equal(_combined(codes), TRUE_CODE)
    if shape.is_usual and shape.need == 1:
        return np.equal(_least(codes), TRUE_CODE)
    return number_of_true(codes, height) >= shape.need


def decided(shape: Shape, codes: Sequence[Codes], height: int) -> Decided:
    """What formulas of a shape say; `codes`: a column for each rule.

    Nearly all rows are decided by their first rules, all of which are true; only the others are looked at rule by rule.
    """
    usual = shape.is_usual
    deciding_rule = np.full(height, 0 if usual else NO_RULE, dtype=np.uint32)
    passed = np.full(height, shape.need <= 0 or usual)
    code = np.full(height, TRUE_CODE if shape.need <= 0 or usual else _NOT_SATISFIED, dtype=np.uint8)
    if not codes:
        return Decided(passed, deciding_rule, code)
    if shape.need == shape.length == 1:
        return Decided(codes[0] == TRUE_CODE, deciding_rule, codes[0])
    first = codes[0] if shape.need == 1 else _combined(codes)
    others = np.flatnonzero(first != TRUE_CODE) if usual else np.arange(height)
    found = np.stack([column[others] for column in codes])
    true = found == TRUE_CODE
    enough = true.sum(axis=0) >= shape.need
    fits = np.where(enough, true, ~true)
    rule = fits.argmax(axis=0)
    row = np.arange(len(others))
    there = fits[rule, row]
    passed[others] = enough
    deciding_rule[others] = np.where(there, rule, NO_RULE)
    code[others] = np.where(there, found[rule, row], code[others])
    return Decided(passed, deciding_rule, code)


def _combined(codes: Sequence[Codes]) -> Codes:
    """`TRUE_CODE` where all rules are true."""
    return functools.reduce(lambda one, other: one | other, codes)


def _least(codes: Sequence[Codes]) -> Codes:
    """`TRUE_CODE` where a rule is true."""
    return functools.reduce(lambda one, other: np.minimum(one, other), codes)
