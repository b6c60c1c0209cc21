"""A compiled registry as tables that can be evaluated for any number of case runs at once.

Formulas become *cells*, one per rule, contiguous per case and level.  A fact has a *slot* per case: built-in facts share
the first slots, definitions follow.  All facts but texts are 64-bit integers (booleans 0 and 1, timestamps microseconds), so
that nearly every comparison is one closed range.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import polars as pl

from judge_polars.plan import document_rules
from judge_polars.rulebook import Case, Check, Comparison, Definition, DocumentRule, FactRule, Formula, RuleBook, Scalar
from judge_polars.vocabulary import BUILT_IN_FACTS, REASON_CODES

RANGE, DOCUMENT, TEXT, MEMBERS, KNOWN, UNKNOWN, NEVER = range(7)
"""What a cell does: compare a fact with a range; take a document rule's code; take a text comparison's code; look the fact
up in a list; be true when the fact is known; when it is unknown; never."""

_LOWEST, _HIGHEST = -(2**63), 2**63 - 1
_EPOCH: Final = datetime.fromisoformat("1970-01-01T00:00:00+00:00")

_Types = dict[str, pl.DataType | type[pl.DataType]]
_CELLS: _Types = {
    "kind": pl.UInt8,
    "slot": pl.UInt32,
    "low": pl.Int64,
    "high": pl.Int64,
    "negate": pl.Boolean,
    "rule": pl.UInt32,
    "members": pl.List(pl.Int64),
    "override": pl.UInt8,
}
CELLS = pl.Schema(_CELLS)
FORMULAS = pl.Schema(
    {
        "case": pl.UInt32,
        "offset": pl.UInt32,
        "length": pl.UInt32,
        "need": pl.UInt32,
        "slot": pl.UInt32,
        "count": pl.Boolean,
        "of_output": pl.Boolean,
        "check": pl.UInt32,
    }
)
ASKED_OF_CASE = pl.Schema({"case": pl.UInt32, "rule": pl.UInt32, "place": pl.UInt32})
EXTENTS = pl.Schema({"cell_start": pl.UInt32, "cells": pl.UInt32, "formula_start": pl.UInt32, "formulas": pl.UInt32})

BUILT_IN_SLOTS: Final = {
    name: slot for slot, name in enumerate(name for name, kind in BUILT_IN_FACTS.items() if kind != "string")
}
TEXT_FACTS: Final = tuple(name for name, kind in BUILT_IN_FACTS.items() if kind == "string")


@dataclass(frozen=True)
class Level:
    """Formulas that need only facts of earlier levels: of definitions, or of checks, never of both.

    Attributes:
        cells: `CELLS`, contiguous per case.
        formulas: `FORMULAS`, contiguous per case; `offset` counts from the case's first cell.
        extents: `EXTENTS`, row number = case.
        shapes: the formulas sorted out by shape (one `shapes.Shapes`), made when first asked for.
    """

    cells: pl.DataFrame
    formulas: pl.DataFrame
    extents: pl.DataFrame
    shapes: list[Any] = field(default_factory=list, repr=False, compare=False)


@dataclass(frozen=True)
class Program:
    """A registry, ready to be evaluated.

    Attributes:
        book: where it comes from; `case` columns are row numbers of `book.cases`.
        definitions, checks: levels in order; the routing facts are computed between the two.
        document_rules: distinct document rules.
        text_rules: distinct (text fact, comparison); `rule` columns of text cells are indexes into it.
        asked: `case`, `rule`, `place`: the document rules of each case; `rule` is an index of `document_rules`, `place` counts
            within the case and is what the cells of document rules refer to.
        places: document rules of each case.
        slots: per case, fact name -> (slot, type).
        width: number of slots of the widest case.
        all_checks: every check of every case in order; `check` columns are indexes into it.
    """

    book: RuleBook
    definitions: tuple[Level, ...]
    checks: tuple[Level, ...]
    document_rules: tuple[DocumentRule, ...]
    text_rules: tuple[tuple[str, Comparison], ...]
    asked: pl.DataFrame
    places: tuple[int, ...]
    slots: tuple[Mapping[str, tuple[int, str]], ...]
    width: int
    all_checks: tuple[tuple[int, Check], ...]


def compile_program(book: RuleBook) -> Program:
    """Lower a whole registry."""
    return _Lowering(book).program()


class _Lowering:
    """Collects distinct rules and rows while the cases are gone through."""

    def __init__(self, book: RuleBook) -> None:
        self.book = book
        self.rules: dict[DocumentRule, int] = {}
        self.places: list[dict[DocumentRule, int]] = []
        self.texts: dict[tuple[str, Comparison], int] = {}
        self.all_checks: list[tuple[int, Check]] = []

    def program(self) -> Program:
        slots = tuple(_slots(case) for case in self.book.cases)
        for case in self.book.cases:
            own: dict[DocumentRule, int] = {}
            for rule in document_rules(case):
                own.setdefault(rule, len(own))
                self.rules.setdefault(rule, len(self.rules))
            self.places.append(own)
        definitions: list[list[list[tuple[Formula, _Target]]]] = []
        checks: list[list[list[tuple[Formula, _Target]]]] = []
        for index, case in enumerate(self.book.cases):
            named = [(d.formula, d.name) for d in case.definitions]
            results = [(c.formula, c.fact) for c in case.checks]
            definitions.append(_by_level([_of_definition(d, slots[index]) for d in case.definitions], named))
            first = len(self.all_checks)
            self.all_checks += [(index, check) for check in case.checks]
            checks.append(
                _by_level([_of_check(c, first + at, slots[index]) for at, c in enumerate(case.checks)], results)
            )
        asked = [(case, self.rules[rule], place) for case, own in enumerate(self.places) for rule, place in own.items()]
        return Program(
            book=self.book,
            definitions=self._levels_of(definitions, slots),
            checks=self._levels_of(checks, slots),
            document_rules=tuple(self.rules),
            text_rules=tuple(self.texts),
            asked=pl.DataFrame(asked, schema=ASKED_OF_CASE, orient="row"),
            places=tuple(len(own) for own in self.places),
            slots=slots,
            width=max((len(of_case) for of_case in slots), default=len(BUILT_IN_SLOTS)),
            all_checks=tuple(self.all_checks),
        )

    def _levels_of(
        self, cases: list[list[list[tuple[Formula, _Target]]]], slots: tuple[dict[str, tuple[int, str]], ...]
    ) -> tuple[Level, ...]:
        depth = max((len(levels) for levels in cases), default=0)
        return tuple(
            self._level([levels[at] if at < len(levels) else [] for levels in cases], slots) for at in range(depth)
        )

    def _level(
        self, cases: list[list[tuple[Formula, _Target]]], slots: tuple[dict[str, tuple[int, str]], ...]
    ) -> Level:
        cells: list[tuple[object, ...]] = []
        formulas: list[tuple[object, ...]] = []
        extents: list[tuple[int, int, int, int]] = []
        for case, entries in enumerate(cases):
            first_cell, first_formula = len(cells), len(formulas)
            for formula, target in entries:
                offset = len(cells) - first_cell
                cells += [self._cell(rule, case, slots[case]) for rule in formula.rules]
                formulas.append((case, offset, len(formula.rules), formula.need, *target))
            extents.append((first_cell, len(cells) - first_cell, first_formula, len(formulas) - first_formula))
        return Level(
            pl.DataFrame(cells, schema=CELLS, orient="row"),
            pl.DataFrame(formulas, schema=FORMULAS, orient="row"),
            pl.DataFrame(extents, schema=EXTENTS, orient="row"),
        )

    def _cell(
        self, rule: FactRule | DocumentRule, case: int, slots: Mapping[str, tuple[int, str]]
    ) -> tuple[object, ...]:
        override = REASON_CODES[rule.reason] if rule.reason else 0
        if isinstance(rule, DocumentRule):
            return (DOCUMENT, 0, 0, 0, False, self.places[case][rule], None, override)
        if rule.fact in TEXT_FACTS:
            return (
                TEXT,
                0,
                0,
                0,
                False,
                self.texts.setdefault((rule.fact, rule.comparison), len(self.texts)),
                None,
                override,
            )
        slot, kind = slots[rule.fact]
        what, low, high, negate, members = compile_comparison(rule.comparison, kind)
        return (what, slot, low, high, negate, 0, members, override)


_Target = tuple[int | None, bool, bool, int | None]


def _of_definition(definition: Definition, slots: Mapping[str, tuple[int, str]]) -> _Target:
    return (slots[definition.name][0], definition.count, definition.name.startswith("output."), None)


def _of_check(check: Check, index: int, slots: Mapping[str, tuple[int, str]]) -> _Target:
    return (None if check.fact is None else slots[check.fact][0], False, False, index)


def _slots(case: Case) -> dict[str, tuple[int, str]]:
    """Fact name -> (slot, type): built-in facts first, then definitions, then the hidden results of checks."""
    slots = {name: (slot, BUILT_IN_FACTS[name]) for name, slot in BUILT_IN_SLOTS.items()}
    for definition in case.definitions:
        slots.setdefault(definition.name, (len(slots), "number" if definition.count else "boolean"))
    for check in case.checks:
        if check.fact is not None:
            slots.setdefault(check.fact, (len(slots), "boolean"))
    return slots


def _by_level(
    targets: Sequence[_Target], formulas: Sequence[tuple[Formula, str | None]]
) -> list[list[tuple[Formula, _Target]]]:
    """Formulas sorted out by level: one more than the highest level of the facts, of the same list, that they read."""
    of_fact: dict[str, int] = {}
    levels: list[list[tuple[Formula, _Target]]] = []
    for (formula, name), target in zip(formulas, targets, strict=True):
        read = (of_fact.get(rule.fact, -1) + 1 for rule in formula.rules if isinstance(rule, FactRule))
        level = max(read, default=0)
        if name is not None:
            of_fact[name] = level
        while len(levels) <= level:
            levels.append([])
        levels[level].append((formula, target))
    return levels


_Compiled = tuple[int, int, int, bool, list[int] | None]


def compile_comparison(comparison: Comparison, kind: str) -> _Compiled:
    """A comparison of a boolean, number or timestamp fact as (cell kind, low, high, negate, members).

    Integers compare exactly with any number; an operand of another kind than the fact's satisfies no comparison.
    """
    operator, operand = comparison.operator, comparison.operand
    if operator == "exists":
        return (KNOWN if operand else UNKNOWN, 0, 0, False, None)
    if operator in ("in", "not_in"):
        assert isinstance(operand, tuple)
        fitting = [value for value in operand if _fits(value, kind)]
        members = sorted({bounds[0] for value in fitting if (bounds := _bounds("equals", value)) is not None})
        if not fitting:
            return (NEVER, 0, 0, False, None)
        return (MEMBERS, 0, 0, operator == "not_in", members)
    if isinstance(operand, tuple) or not _fits(operand, kind):
        return (NEVER, 0, 0, False, None)
    if kind == "boolean" and operator not in ("equals", "not_equals"):
        return (NEVER, 0, 0, False, None)
    negate = operator == "not_equals"
    bounds = _bounds("equals" if negate else operator, operand)
    low, high = bounds if bounds is not None else (1, 0)
    return (RANGE, low, high, negate, None)


def _fits(value: object, kind: str) -> bool:
    """Whether an operand is of the fact's kind; booleans are no numbers."""
    if isinstance(value, bool):
        return kind == "boolean"
    if isinstance(value, int | float):
        return kind == "number"
    return isinstance(value, datetime) and kind == "timestamp"


def _bounds(operator: str, operand: Scalar | object) -> tuple[int, int] | None:
    """The closed range of 64-bit integers that satisfies the comparison, or None when none does."""
    if isinstance(operand, datetime):
        delta = operand - _EPOCH
        operand = (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds
    if not isinstance(operand, int | float):
        return None
    if isinstance(operand, float) and math.isinf(operand):
        below = operator in ("lt", "le") if operand > 0 else operator in ("gt", "ge")
        return (_LOWEST, _HIGHEST) if below else None
    floor, ceiling = math.floor(operand), math.ceil(operand)
    low, high = {
        "equals": (ceiling, floor),
        "gt": (floor + 1, _HIGHEST),
        "ge": (ceiling, _HIGHEST),
        "lt": (_LOWEST, ceiling - 1),
        "le": (_LOWEST, floor),
    }[operator]
    low, high = max(low, _LOWEST), min(high, _HIGHEST)
    return (low, high) if low <= high else None
