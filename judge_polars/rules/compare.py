"""Comparisons of facts with operands: the code of each, for many runs at once."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from judge_polars.rules.program import KNOWN, MEMBERS, NEVER, TEXT, UNKNOWN
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

Codes = npt.NDArray[np.uint8]
Booleans = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]
_FACT_UNKNOWN: Final = REASON_CODES["fact_unknown"]
_NOT_SATISFIED: Final = REASON_CODES["fact_not_satisfied"]
_LOWEST, _HIGHEST = -(2**63), 2**63 - 1


@dataclass(frozen=True)
class Test:
    """A comparison of a fact.

    Attributes:
        slot: of the fact.
        low, high: the closed range in which a known value satisfies it; empty where none does.
        negate: whether it must lie outside of it.
        absent: whether not knowing the value satisfies it.
        members: the values of which it must be one (or none: `negate`), in the place of a range.
        text_rule: which text comparison it is, in the place of all this; its codes are worked out beforehand.
        override: the code of a result that is false, 0 for the usual ones.
    """

    slot: int
    low: int
    high: int
    negate: bool
    absent: bool
    members: tuple[int, ...] | None
    text_rule: int | None
    override: int

    @property
    def is_range(self) -> bool:
        """Whether it is neither about members nor about a text."""
        return self.members is None and self.text_rule is None


def test_of(cell: Mapping[str, Any]) -> Test:
    """A row of `program.CELLS` that is no document rule."""
    kind = cell["kind"]
    low, high = cell["low"], cell["high"]
    if kind == KNOWN:
        low, high = _LOWEST, _HIGHEST
    elif kind in (UNKNOWN, NEVER):
        low, high = 1, 0
    return Test(
        slot=cell["slot"],
        low=low,
        high=high,
        negate=cell["negate"],
        absent=kind == UNKNOWN,
        members=tuple(cell["members"] or ()) if kind == MEMBERS else None,
        text_rule=cell["rule"] if kind == TEXT else None,
        override=cell["override"],
    )


def inside(test: Test, value: Integers) -> Booleans:
    """Whether values are members, or lie in the range."""
    if test.members is not None:
        return np.isin(value, np.array(test.members, dtype=np.int64))
    return (value >= test.low) & (value <= test.high)


def compared(known: Booleans, inside: Booleans, negate: Booleans | bool, absent: Booleans | bool) -> Codes:
    """The codes of comparisons, not overridden: not knowing a value satisfies only the question whether it is unknown."""
    true = np.where(known, inside != negate, absent)
    false = np.where(known, np.uint8(_NOT_SATISFIED), np.uint8(_FACT_UNKNOWN))
    return np.where(true, np.uint8(TRUE_CODE), false)


def overridden(codes: Codes, override: Codes | int) -> Codes:
    """Codes with those of false results replaced by another one (0: by none)."""
    if isinstance(override, int):
        return (codes != TRUE_CODE) * np.uint8(override) if override else codes
    return np.where((codes != TRUE_CODE) & (override != 0), override, codes)
