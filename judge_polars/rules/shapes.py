"""The formulas of a level, sorted out by shape, so that all formulas of one shape can be evaluated together (`evaluate`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import polars as pl

from judge_polars.rules.program import CELLS, DOCUMENT, KNOWN, MEMBERS, NEVER, TEXT, UNKNOWN, Level
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

_FACT_UNKNOWN: Final = REASON_CODES["fact_unknown"]
_NOT_SATISFIED: Final = REASON_CODES["fact_not_satisfied"]
_PACK: Final = 256
"""An ordinal and a code in one number: `ordinal * _PACK + code`."""
_NONE: Final = 65_535
_Key = tuple[int, int, bool, bool, tuple[int, ...]]


@dataclass(frozen=True)
class Shape:
    """Formulas with the same number of rules, of which the same number must be true.

    Attributes:
        length: rules of each formula.
        need: how many of them must be true.
        counts: the value is the number of true rules.
        of_output: the value is a fact of the output.
        overrides: per ordinal, the code that takes the place of a document rule's, 0 for none.
        formulas: `case`, `slot`, `check`; per ordinal `compared<n>`, `place<n>` of its document rule, or else `pair<n>`, a row of
            `Shapes.comparisons`; sorted by slot and case.
    """

    length: int
    need: int
    counts: bool
    of_output: bool
    overrides: tuple[int, ...]
    formulas: pl.DataFrame

    @cached_property
    def rows(self) -> list[pl.Expr]:
        """Over `check`, `count`, `start` and `c<n>`, where the codes of a rule begin: `check`, `position`, `c<n>` of each run."""
        return _row_expressions(self.length)

    @cached_property
    def results(self) -> list[pl.Expr]:
        """Over `position`, `run`, `check` and the codes `c<n>`: these three, `value`, `passed`, `deciding_rule`, `code`."""
        told = _result_expressions(self.need, self.overrides, counts=self.counts)
        return [pl.col("position", "run", "check"), *(told if self.tells_facts else told[1:])]

    @cached_property
    def tells_facts(self) -> bool:
        """Whether a formula's value is a fact."""
        return self.formulas["slot"].null_count() < self.formulas.height

    @cached_property
    def has_checks(self) -> bool:
        """Whether a formula is a check's."""
        return self.formulas["check"].null_count() < self.formulas.height

    @cached_property
    def all_checks(self) -> bool:
        """Whether every formula is a check's."""
        return self.formulas["check"].null_count() == 0


@dataclass(frozen=True)
class Shapes:
    """A level by shapes.

    Attributes:
        tests: distinct comparisons of facts: rows of `program.CELLS`, and `code`, an expression over `f<slot>` or `t<rule>`.
        test_rows: the same rows as a frame.
        comparisons: `pair` (row number), `test`, `case`: which case has which of them.
    """

    shapes: tuple[Shape, ...]
    tests: tuple[Mapping[str, Any], ...]
    test_rows: pl.DataFrame
    comparisons: pl.DataFrame


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
    rows: dict[_Key, list[tuple[int | None, ...]]] = {}
    for formula in level.formulas.iter_rows(named=True):
        case, first = formula["case"], cell_start[formula["case"]] + formula["offset"]
        mine = cells[first : first + formula["length"]]
        places: list[int | None] = []
        overrides: list[int] = []
        for cell in mine:
            if cell["kind"] == DOCUMENT:
                places += (cell["rule"], None)
                overrides.append(cell["override"])
            else:
                test, _ = tests.setdefault(repr(cell), (len(tests), cell))
                places += (None, pairs.setdefault((test, case), len(pairs)))
                overrides.append(0)
        key = (len(mine), formula["need"], formula["count"], formula["of_output"], tuple(overrides))
        rows.setdefault(key, []).append((case, formula["slot"], formula["check"], *places))
    found = [test for _, test in tests.values()]
    coded = tuple({**test, "code": _test_code(test)} for test in found)
    return Shapes(
        shapes=tuple(Shape(*key, _formulas(key[0], of_key)) for key, of_key in rows.items()),
        tests=coded,
        test_rows=pl.DataFrame(found, schema=CELLS, orient="row"),
        comparisons=pl.DataFrame(
            {"pair": list(pairs.values()), "test": [key[0] for key in pairs], "case": [key[1] for key in pairs]},
            schema={"pair": pl.UInt32, "test": pl.UInt32, "case": pl.UInt32},
        ),
    )


def _formulas(length: int, rows: Sequence[tuple[int | None, ...]]) -> pl.DataFrame:
    names = ["case", "slot", "check", *(f"{name}{rule}" for rule in range(length) for name in ("place", "pair"))]
    frame = pl.DataFrame(rows, schema=dict.fromkeys(names, pl.UInt32), orient="row")
    return frame.sort("slot", "case", maintain_order=True).with_columns(
        *(pl.col(f"place{rule}", f"pair{rule}").fill_null(0) for rule in range(length)),
        *(pl.col(f"pair{rule}").is_not_null().alias(f"compared{rule}") for rule in range(length)),
    )


def _test_code(test: Mapping[str, Any]) -> pl.Expr:
    """The code of a comparison, over a column `f<slot>` of a fact or `t<rule>` of codes of a text comparison."""
    if test["kind"] == TEXT:
        code = pl.col(f"t{test['rule']}")
    else:
        value = pl.col(f"f{test['slot']}")
        in_range = value.is_between(pl.lit(test["low"]), pl.lit(test["high"]))
        inside = value.is_in(test["members"] or []) if test["kind"] == MEMBERS else in_range
        code = compared(test["kind"], value, inside, pl.lit(test["negate"]))
    return _overridden(code, test["override"])


def compared(kind: int, value: pl.Expr, inside: pl.Expr, negate: pl.Expr) -> pl.Expr:
    """The code of a comparison of a fact; not knowing never passes.

    Args:
        inside: whether the value is one of the members, or in the range, that a comparison of these kinds is about.
        negate: whether it must not be.
    """
    if kind == KNOWN:
        return code_of(value.is_not_null(), pl.lit(_FACT_UNKNOWN, pl.UInt8))
    if kind == UNKNOWN:
        return code_of(value.is_null(), pl.lit(_NOT_SATISFIED, pl.UInt8))
    true = value.is_null() & value.is_not_null() if kind == NEVER else inside != negate
    unknown = pl.when(value.is_null()).then(pl.lit(_FACT_UNKNOWN, pl.UInt8)).otherwise(pl.lit(_NOT_SATISFIED, pl.UInt8))
    return code_of(true & value.is_not_null(), unknown)


def code_of(true: pl.Expr, otherwise: pl.Expr) -> pl.Expr:
    """The code of a rule that is true or not; null is not (`when` takes null for false)."""
    return pl.when(true).then(pl.lit(TRUE_CODE, pl.UInt8)).otherwise(otherwise)


def _overridden(code: pl.Expr, override: int) -> pl.Expr:
    return code if not override else pl.when(code == TRUE_CODE).then(code).otherwise(pl.lit(override, pl.UInt8))


def _row_expressions(length: int) -> list[pl.Expr]:
    """Over `check`, `count`, `start` and per rule `c<n>`, where its codes begin: a row for each formula and run."""
    count = pl.col("count")
    names = {"position": "start"} | {f"c{rule}": f"c{rule}" for rule in range(length)}
    return [
        pl.col("check").repeat_by(count).explode(),
        *(
            pl.int_ranges(begin, pl.col(begin) + count, dtype=pl.UInt32).explode().alias(name)
            for name, begin in names.items()
        ),
    ]


def _result_expressions(need: int, overrides: Sequence[int], *, counts: bool) -> list[pl.Expr]:
    """Over `c<n>`, the codes of a formula's rules: `value`, `passed`, `deciding_rule`, `code`."""
    codes = [_overridden(pl.col(f"c{rule}"), override) for rule, override in enumerate(overrides)]
    true = [code == TRUE_CODE for code in codes]
    value = pl.sum_horizontal(true) if counts and true else pl.lit(0) if counts else _passed(true, need)
    return [value.cast(pl.Int64).alias("value"), *_outcome(codes, need)]


def _passed(true: Sequence[pl.Expr], need: int) -> pl.Expr:
    """Whether so many rules are true."""
    if need <= 0 or need > len(true):
        return pl.lit(need <= 0)
    if len(true) == 1:
        return true[0]
    if need == len(true):
        return pl.all_horizontal(true)
    return pl.any_horizontal(true) if need == 1 else pl.sum_horizontal(true) >= need


def _outcome(codes: Sequence[pl.Expr], need: int) -> list[pl.Expr]:
    """`passed`; `deciding_rule`, the ordinal of the first true rule where it passed, else of the first false one; its `code`."""
    if not codes:
        code = pl.lit(TRUE_CODE if need <= 0 else _NOT_SATISFIED, pl.UInt8)
        return [pl.lit(need <= 0).alias("passed"), pl.lit(None, pl.UInt32).alias("deciding_rule"), code.alias("code")]
    passed = _passed([code == TRUE_CODE for code in codes], need)
    if len(codes) == need == 1:
        return [passed.alias("passed"), pl.lit(0, pl.UInt32).alias("deciding_rule"), codes[0].alias("code")]
    first_true = pl.lit(0, pl.UInt16) if need == len(codes) else _first(codes, true=True)
    first_false = codes[0].cast(pl.UInt16) if need == 1 else _first(codes, true=False)
    found = pl.when(passed).then(first_true).otherwise(first_false)
    known = pl.when(found != _NONE)
    code = known.then(found % _PACK).otherwise(TRUE_CODE if need <= 0 else _NOT_SATISFIED)
    return [
        passed.alias("passed"),
        known.then(found // _PACK).cast(pl.UInt32).alias("deciding_rule"),
        code.cast(pl.UInt8).alias("code"),
    ]


def _first(codes: Sequence[pl.Expr], *, true: bool) -> pl.Expr:
    """`ordinal * _PACK + code` of the first true, or of the first false rule; `_NONE` where there is none."""
    found = pl.lit(_NONE, pl.UInt16)
    for number, code in reversed(list(enumerate(codes))):
        fits = (code == TRUE_CODE) if true else (code != TRUE_CODE)
        found = pl.when(fits).then(code.cast(pl.UInt16) + pl.lit(number * _PACK, pl.UInt16)).otherwise(found)
    return found
