"""The formulas of a level, sorted out by shape, so that all formulas of one shape can be evaluated together (`evaluate`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np

from judge_polars.rules.compare import Integers, Test, test_of
from judge_polars.rules.program import DOCUMENT, Level

NOTHING: Final = -1
"""In the place of a slot, a check or a row of comparisons that a formula does not have."""
_Key = tuple[int, int, bool, bool, tuple[int, ...]]


@dataclass(frozen=True)
class Shape:
    """Formulas with the same number of rules, of which the same number must be true; sorted by slot and case.

    Attributes:
        length: rules of each formula.
        need: how many of them must be true.
        counts: the value is the number of true rules.
        of_output: the value is a fact of the output.
        overrides: per ordinal, the code that takes the place of a document rule's, 0 for none.
        case, slot, check: of each formula; `NOTHING` for no slot, no check.
        place: per ordinal, the place of each formula's document rule.
        pair: per ordinal, each formula's row of `Shapes.comparisons`; `NOTHING` where the rule is a document rule.
    """

    length: int
    need: int
    counts: bool
    of_output: bool
    overrides: tuple[int, ...]
    case: Integers
    slot: Integers
    check: Integers
    place: tuple[Integers, ...]
    pair: tuple[Integers, ...]

    @property
    def is_usual(self) -> bool:
        """Whether a rule decides each formula: at least one must be true, and not more than there are."""
        return 0 < self.need <= self.length

    @cached_property
    def tells_facts(self) -> bool:
        """Whether a formula's value is a fact."""
        return bool((self.slot != NOTHING).any())


@dataclass(frozen=True)
class Shapes:
    """A level by shapes.

    Attributes:
        tests: distinct comparisons of facts.
        test, case: of each row of comparisons: which case has which of them.
    """

    shapes: tuple[Shape, ...]
    tests: tuple[Test, ...]
    test: Integers
    case: Integers


def shapes_of(level: Level) -> Shapes:
    """A level by shapes, made when first asked for."""
    if not level.shapes:
        level.shapes.append(_made(level))
    shapes: Shapes = level.shapes[0]
    return shapes


def _made(level: Level) -> Shapes:
    cells = level.cells.rows(named=True)
    cell_start = level.extents["cell_start"].to_list()
    tests: dict[str, tuple[int, dict[str, Any]]] = {}
    pairs: dict[tuple[int, int], int] = {}
    rows: dict[_Key, list[tuple[int, ...]]] = {}
    for formula in level.formulas.iter_rows(named=True):
        case, first = formula["case"], cell_start[formula["case"]] + formula["offset"]
        mine = cells[first : first + formula["length"]]
        places: list[int] = []
        overrides: list[int] = []
        for cell in mine:
            if cell["kind"] == DOCUMENT:
                places += (cell["rule"], NOTHING)
                overrides.append(cell["override"])
            else:
                test, _ = tests.setdefault(repr(cell), (len(tests), cell))
                places += (0, pairs.setdefault((test, case), len(pairs)))
                overrides.append(0)
        key = (len(mine), formula["need"], formula["count"], formula["of_output"], tuple(overrides))
        target = (NOTHING if at is None else at for at in (formula["slot"], formula["check"]))
        rows.setdefault(key, []).append((case, *target, *places))
    return Shapes(
        shapes=tuple(_shape(key, of_key) for key, of_key in rows.items()),
        tests=tuple(test_of(cell) for _, cell in tests.values()),
        test=np.array([test for test, _ in pairs], dtype=np.int64),
        case=np.array([case for _, case in pairs], dtype=np.int64),
    )


def _shape(key: _Key, rows: Sequence[tuple[int, ...]]) -> Shape:
    """Rows are case, slot, check, and per ordinal a place and a pair."""
    ordered = sorted(rows, key=lambda row: (row[1], row[0]))
    case, slot, check, *rest = np.array(ordered, dtype=np.int64).T.copy()
    return Shape(*key, case=case, slot=slot, check=check, place=tuple(rest[::2]), pair=tuple(rest[1::2]))
