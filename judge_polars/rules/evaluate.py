"""Formulas over all case runs at once: facts that definitions give, and the results of checks.

Nothing here joins by hash, and nothing is done case by case.  All codes that rules have lie in one column, a *stretch* for each
rule of a case: the codes of a document rule as they are, those of a comparison worked out for all runs at once, however many cases
share it.  Formulas of one shape (`shapes.Shape`) are decided together (`decide`): the codes of their first rules are one column,
those of their second rules the next, and so on, a row for each formula and run.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from judge_polars.rules.compare import Booleans, Codes, Integers, Test, compared, inside, overridden
from judge_polars.rules.decide import NO_RULE, Decided, Rows, decided, enough, number_of_true
from judge_polars.rules.matrices import OUTCOMES, FactMatrix, RuleCodes
from judge_polars.rules.program import Level
from judge_polars.rules.shapes import NOTHING, Shape, Shapes, shapes_of

_SHARED_BY: Final = 4
"""A comparison that at least one run of so many needs is worked out for all of them."""

_CODE_BITS, _RULE_BITS = 8, 9


def evaluate_definitions(levels: Sequence[Level], runs: pl.DataFrame, facts: FactMatrix, codes: RuleCodes) -> None:
    """Write the facts of definitions, level by level, for `runs` (`run`, `case`, `has_bundle`, `has_output`).

    A fact of the family `output` stays unknown where the output has no text, any other one where there is no bundle.
    """
    if runs.is_empty():
        return
    ordered = _Ordered.of(runs, len(codes.documents.blocks.places))
    for level in levels:
        for formulas, columns in _columns_of(level, ordered, facts, codes):
            shape, height = formulas.shape, formulas.rows.height
            value = number_of_true(columns, height) if shape.counts else enough(shape, columns, height)
            _write_facts(formulas, value, ordered.runs, facts)


def evaluate_checks(levels: Sequence[Level], runs: pl.DataFrame, facts: FactMatrix, codes: RuleCodes) -> pl.DataFrame:
    """`matrices.OUTCOMES` of `runs` (as above), in the order of run and check.

    The results of checks that later checks read are written as facts.
    """
    if runs.is_empty():
        return pl.DataFrame(schema=OUTCOMES)
    ordered = _Ordered.of(runs, len(codes.documents.blocks.places))
    outcomes = _Outcomes.of(levels, ordered)
    for level in levels:
        for formulas, columns in _columns_of(level, ordered, facts, codes):
            found = decided(formulas.shape, columns, formulas.rows.height)
            outcomes.put(formulas, found)
            if formulas.shape.tells_facts:
                _write_facts(formulas, found.passed, ordered.runs, facts)
    return outcomes.frame()


def _columns_of(
    level: Level, ordered: _Ordered, facts: FactMatrix, codes: RuleCodes
) -> Iterator[tuple[_Formulas, Sequence[Codes]]]:
    """The formulas of each shape, and the codes of their rules, a column for each."""
    shapes = shapes_of(level)
    stretches = _stretches(shapes, ordered, facts, codes)
    for shape in shapes.shapes:
        formulas = _Formulas.of(shape, ordered, stretches)
        if not formulas.rows.height:
            continue
        columns = [
            overridden(formulas.rows.cells(stretches.codes, begins), override)
            for begins, override in zip(formulas.begins, shape.overrides, strict=True)
        ]
        yield formulas, columns


@dataclass(frozen=True)
class _Ordered:
    """Runs in the order of their cases.

    Attributes:
        runs: `run`, `case`, `has_bundle`, `has_output`.
        count, start: by case, how many runs it has and where they begin.
    """

    runs: pl.DataFrame
    count: Integers
    start: Integers

    @property
    def height(self) -> int:
        """How many runs there are."""
        return self.runs.height

    @classmethod
    def of(cls, runs: pl.DataFrame, cases: int) -> _Ordered:
        chosen = pl.DataFrame([runs[name] for name in ("run", "case", "has_bundle", "has_output")])
        ordered = chosen if chosen["case"].is_sorted() else chosen.sort("case", maintain_order=True)
        count = np.bincount(ordered["case"].to_numpy(), minlength=cases)
        return cls(ordered, count, np.cumsum(count) - count)


@dataclass(frozen=True)
class _Stretches:
    """The codes of rules.

    Attributes:
        codes: all of them.
        documents: by case, where the stretch of its first document rule begins; each is as long as the case has runs.
        comparisons: where the stretch of each of `Shapes.comparisons` begins.
    """

    codes: Codes
    documents: Integers
    comparisons: Integers


def _stretches(shapes: Shapes, ordered: _Ordered, facts: FactMatrix, codes: RuleCodes) -> _Stretches:
    documents, first = _document_codes(ordered, codes)
    count, height = ordered.count[shapes.case], ordered.height
    runs_of_test = np.bincount(shapes.test, weights=count, minlength=len(shapes.tests))
    shared = (runs_of_test > 0) & (runs_of_test * _SHARED_BY >= height)
    values = _Values.of(shapes, ordered, facts, codes)
    columns = [values.codes_of(shapes.tests[test]) for test in np.flatnonzero(shared)]
    place: Integers = np.cumsum(shared) - shared
    starts = len(documents) + place[shapes.test] * height + ordered.start[shapes.case]
    rare = np.flatnonzero(~shared[shapes.test] & (count > 0))
    rows = Rows(count[rare])
    starts[rare] = len(documents) + len(columns) * height + rows.begins
    columns.append(_rare_codes(rows, rare, shapes, ordered, values))
    return _Stretches(np.concatenate([documents, *columns]), first, starts)


def _document_codes(ordered: _Ordered, codes: RuleCodes) -> tuple[Codes, Integers]:
    """The codes of document rules of these runs, and by case where they begin."""
    blocks, values = codes.documents.blocks, codes.documents.values.to_numpy()
    whole, first = blocks.counts_and_firsts
    places = np.array(blocks.places, dtype=np.int64)
    present = ordered.count > 0
    if (whole[present] == ordered.count[present]).all():
        return values, first
    case = np.repeat(np.arange(len(places)), places * present)
    rules = Rows(places * present)
    place = np.arange(rules.height) - np.repeat(rules.begins, rules.count)
    rows = Rows(ordered.count[case])
    at = blocks.starts.to_numpy().astype(np.int64)[ordered.runs["run"].to_numpy()]
    index = rows.cells(at, ordered.start[case]) + rows.repeated(place * whole[case], np.int64)
    return values.take(index), np.cumsum(places * ordered.count) - places * ordered.count


@dataclass(frozen=True)
class _Values:
    """What comparisons read of the ordered runs.

    Attributes:
        rows: by slot, its row in the other two.
        value, known: facts by row and run (`FactMatrix`).
        texts: codes of text comparisons, by rule and run.
    """

    rows: Integers
    value: Integers
    known: Booleans
    texts: Codes

    @classmethod
    def of(cls, shapes: Shapes, ordered: _Ordered, facts: FactMatrix, codes: RuleCodes) -> _Values:
        run = ordered.runs["run"].to_numpy()
        width, every = facts.value.shape
        texts = codes.texts.to_numpy().reshape(every, codes.text_rules).T
        if len(run) == every and ordered.runs["run"].is_sorted():
            return cls(np.arange(width), facts.value, facts.known, texts)
        read = np.unique(np.array([test.slot for test in shapes.tests], dtype=np.int64))
        rows = np.searchsorted(read, np.arange(width))
        return cls(rows, facts.value[np.ix_(read, run)], facts.known[np.ix_(read, run)], texts[:, run])

    def codes_of(self, test: Test, runs: slice = slice(None)) -> Codes:
        """The codes of a comparison for some of the runs."""
        if test.text_rule is not None:
            codes = self.texts[test.text_rule, runs]
        else:
            row = self.rows[test.slot]
            codes = compared(self.known[row, runs], inside(test, self.value[row, runs]), test.negate, test.absent)
        return overridden(codes, test.override)


def _rare_codes(rows: Rows, rare: Integers, shapes: Shapes, ordered: _Ordered, values: _Values) -> Codes:
    """The codes of comparisons that few runs need, each for the runs of a case, one behind the other."""
    if not rows.height:
        return np.zeros(0, dtype=np.uint8)
    tests, start = [shapes.tests[test] for test in shapes.test[rare]], ordered.start[shapes.case[rare]]
    begins = values.rows[[test.slot for test in tests]] * ordered.height + start
    value, known = rows.cells(values.value.ravel(), begins), rows.cells(values.known.ravel(), begins)
    low, high = (rows.repeated(np.array([getattr(test, end) for test in tests]), np.int64) for end in ("low", "high"))
    flags = ("negate", "absent")
    negate, absent = (rows.repeated(np.array([getattr(test, flag) for test in tests]), np.bool_) for flag in flags)
    override = rows.repeated(np.array([test.override for test in tests]), np.uint8)
    codes = overridden(compared(known, (value >= low) & (value <= high), negate, absent), override)
    for test, first, begin, count in zip(tests, start, rows.begins, rows.count, strict=True):
        if not test.is_range:
            codes[begin : begin + count] = values.codes_of(test, slice(first, first + count))
    return codes


@dataclass(frozen=True)
class _Formulas:
    """The formulas of a shape whose case has runs.

    Attributes:
        rows: a row for each formula and run.
        case, slot, check: of each formula.
        start: where the runs of its case begin among the ordered ones.
        begins: per ordinal, where the codes of its rule begin.
    """

    shape: Shape
    rows: Rows
    case: Integers
    slot: Integers
    check: Integers
    start: Integers
    begins: Sequence[Integers]

    @classmethod
    def of(cls, shape: Shape, ordered: _Ordered, stretches: _Stretches) -> _Formulas:
        count = ordered.count[shape.case]
        there = count > 0
        count, case = count[there], shape.case[there]
        documents, comparisons = stretches.documents[case], stretches.comparisons
        begins = []
        for place, pair in zip(shape.place, shape.pair, strict=True):
            begin, row = documents + place[there] * count, pair[there]
            begins.append(np.where(row == NOTHING, begin, comparisons[row]) if len(comparisons) else begin)
        return cls(shape, Rows(count), case, shape.slot[there], shape.check[there], ordered.start[case], begins)


@dataclass(frozen=True)
class _Outcomes:
    """`matrices.OUTCOMES` while they are found, in the order of run and check.

    Attributes:
        by_run: the ordered runs in the order of `run`.
        checks: of each ordered run, how many it has.
        first_check: by case.
        place: where the outcomes of each ordered run begin.
        packed: of each outcome `deciding_rule << 9 | passed << 8 | code`, so that it is put in its place at once.
    """

    shapes: Sequence[Shape]
    ordered: _Ordered
    by_run: Integers
    checks: Integers
    first_check: Integers
    place: Integers
    packed: npt.NDArray[np.uint32]

    @classmethod
    def of(cls, levels: Sequence[Level], ordered: _Ordered) -> _Outcomes:
        shapes = [shape for level in levels for shape in shapes_of(level).shapes]
        case = np.concatenate([np.zeros(0, np.int64), *(shape.case for shape in shapes)])
        checks = np.bincount(case, minlength=len(ordered.count))
        first = np.full(len(checks), 2**62, dtype=np.int64)
        for shape in shapes:
            np.minimum.at(first, shape.case, shape.check)
        of_run = checks[ordered.runs["case"].to_numpy()]
        by_run = np.argsort(ordered.runs["run"].to_numpy(), kind="stable")
        place = np.empty(ordered.height, dtype=np.int64)
        place[by_run] = np.cumsum(of_run[by_run]) - of_run[by_run]
        return cls(shapes, ordered, by_run, of_run, first, place, np.zeros(of_run.sum(), np.uint32))

    def put(self, formulas: _Formulas, found: Decided) -> None:
        """Add what the checks of a shape found."""
        rows, nth = formulas.rows, formulas.check - self.first_check[formulas.case]
        at = rows.cells(self.place, formulas.start)
        at += rows.repeated(nth, np.int64)
        packed = found.deciding_rule << np.uint32(_RULE_BITS)
        packed |= found.passed.view(np.uint8).astype(np.uint32) << np.uint32(_CODE_BITS)
        packed |= found.code
        self.packed[at] = packed

    def frame(self) -> pl.DataFrame:
        """`matrices.OUTCOMES`, in the order of run and check."""
        runs, by_run = self.ordered.runs, self.by_run
        rows = Rows(self.checks[by_run])
        first = self.first_check[runs["case"].to_numpy()[by_run]]
        check = np.arange(rows.height, dtype=np.uint32)
        check += rows.repeated(first - rows.begins, np.uint32)
        columns = {
            "run": rows.repeated(runs["run"].to_numpy()[by_run], np.uint32),
            "check": check,
            "passed": (self.packed & np.uint32(1 << _CODE_BITS)) != 0,
            "deciding_rule": self.packed >> np.uint32(_RULE_BITS),
            "code": self.packed.astype(np.uint8),
        }
        frame = pl.DataFrame(columns, schema=OUTCOMES)
        if any(not shape.is_usual for shape in self.shapes):
            frame = frame.with_columns(deciding_rule=pl.when(pl.col("deciding_rule") != NO_RULE).then("deciding_rule"))
        return frame


def _write_facts(formulas: _Formulas, value: Integers | Booleans, runs: pl.DataFrame, facts: FactMatrix) -> None:
    """Values of definitions (and of checks that later checks read) become facts where they may be told."""
    run = runs["run"].to_numpy()
    known = runs["has_output" if formulas.shape.of_output else "has_bundle"].to_numpy()
    every = bool(known.all())
    slots, firsts = np.unique(formulas.slot, return_index=True)
    for slot, first, last in zip(slots.tolist(), firsts.tolist(), [*firsts[1:].tolist(), None], strict=True):
        if slot == NOTHING:
            continue
        mine = Rows(formulas.rows.count[first:last])
        begin = int(formulas.rows.count[:first].sum())
        at, told = mine.cells(run, formulas.start[first:last]), value[begin : begin + mine.height]
        if not every:
            may = mine.cells(known, formulas.start[first:last])
            at, told = at[may], told[may]
        facts.write(at, slot, told)
