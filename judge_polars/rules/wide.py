"""Formulas of one case over many case runs: a column for each rule, an expression for each formula."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from judge_polars.rules.matrices import OUTCOMES, FactMatrix, RuleCodes
from judge_polars.rules.program import DOCUMENT, KNOWN, MEMBERS, NEVER, RANGE, TEXT, UNKNOWN, Level
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

_FACT_UNKNOWN: Final = REASON_CODES["fact_unknown"]
_NOT_SATISFIED: Final = REASON_CODES["fact_not_satisfied"]
_PACK: Final = 256
"""An ordinal and a code in one number: `ordinal * _PACK + code`."""


@dataclass(frozen=True)
class Result:
    """A formula's place in the frame of results; the fields are those of `program.FORMULAS`."""

    name: str
    slot: int | None
    of_output: bool
    check: int | None


@dataclass(frozen=True)
class WideCase:
    """The formulas of a case, as expressions over columns of its runs.

    Attributes:
        slots, places, texts: what is read: facts, codes of document rules, codes of text comparisons.
        cells: the code of each distinct rule, by name.
        formulas: `run`; per formula its value (`v0`, …), and for a check `d…`, its deciding rule, and `c…`, its code.
        results: where the values go.
    """

    slots: tuple[int, ...]
    places: tuple[int, ...]
    texts: tuple[int, ...]
    cells: tuple[pl.Expr, ...]
    formulas: tuple[pl.Expr, ...]
    results: tuple[Result, ...]


def evaluate_wide(level: Level, case: int, runs: pl.DataFrame, facts: FactMatrix, codes: RuleCodes) -> pl.DataFrame:
    """Evaluate a level for runs of one case: facts are written, `matrices.OUTCOMES` returned, as `evaluate.evaluate_level` says."""
    if case not in level.wide:
        level.wide[case] = _wide_case(level, case)
    wide = level.wide[case]
    if not wide.results:
        return pl.DataFrame(schema=OUTCOMES)
    values = _columns(wide, case, runs["run"], facts, codes).with_columns(wide.cells).select(wide.formulas)
    _write_facts(wide, runs, values, facts)
    return _outcomes([result for result in wide.results if result.check is not None], runs["run"], values)


def _columns(wide: WideCase, case: int, run: pl.Series, facts: FactMatrix, codes: RuleCodes) -> pl.DataFrame:
    """What the rules read: `f<slot>`, `d<place>`, `t<text rule>`, and the run."""
    documents = [codes.documents.column(case, place).alias(f"d{place}") for place in wide.places]
    if documents and len(documents[0]) != len(run):
        rank = codes.documents.blocks.rank(run, case)
        documents = [column.gather(rank) for column in documents]
    read = [column.alias(f"f{slot}") for slot, column in zip(wide.slots, facts.read(run, wide.slots), strict=True)]
    texts = [codes.texts.gather_every(codes.text_rules, rule).gather(run).alias(f"t{rule}") for rule in wide.texts]
    return pl.DataFrame([run.alias("run"), *documents, *read, *texts])


def _write_facts(wide: WideCase, runs: pl.DataFrame, values: pl.DataFrame, facts: FactMatrix) -> None:
    """Results of definitions (and of checks that later checks read) become facts where they may be told."""
    for of_output, known in ((True, runs["has_output"]), (False, runs["has_bundle"])):
        told = [result for result in wide.results if result.slot is not None and result.of_output == of_output]
        if not told:
            continue
        run, frame = runs["run"], values.select(pl.col(result.name).cast(pl.Int64) for result in told)
        if not known.all():
            run, frame = run.filter(known), frame.filter(known)
        if not run.is_empty():
            facts.write(run, {result.slot: frame[result.name] for result in told if result.slot is not None})


def _outcomes(checks: Sequence[Result], run: pl.Series, values: pl.DataFrame) -> pl.DataFrame:
    """`matrices.OUTCOMES` of checks, one check behind the other."""
    if not checks:
        return pl.DataFrame(schema=OUTCOMES)
    numbers = [result.name[1:] for result in checks]
    count = len(run)
    check = pl.Series([result.check for result in checks], dtype=pl.UInt32)
    return pl.DataFrame(
        {
            "run": pl.concat([run] * len(checks)),
            "check": check.gather(pl.int_range(len(checks) * count, dtype=pl.UInt32, eager=True) // count),
            "passed": pl.concat([values[f"v{number}"] for number in numbers]),
            "deciding_rule": pl.concat([values[f"d{number}"] for number in numbers]),
            "code": pl.concat([values[f"c{number}"] for number in numbers]),
        },
        schema=OUTCOMES,
    )


def _wide_case(level: Level, case: int) -> WideCase:
    """The formulas of a case as expressions."""
    extent = level.extents.row(case, named=True)
    cells = level.cells.slice(extent["cell_start"], extent["cells"]).rows(named=True)
    formulas = level.formulas.slice(extent["formula_start"], extent["formulas"]).rows(named=True)
    names, made = _named_cells(cells)
    expressions = [pl.col("run")]
    results = []
    for number, formula in enumerate(formulas):
        of_formula = [pl.col(name) for name in names[formula["offset"] : formula["offset"] + formula["length"]]]
        expressions += _formula(
            number, of_formula, formula["need"], count=formula["count"], check=formula["check"] is not None
        )
        results.append(Result(f"v{number}", formula["slot"], formula["of_output"], formula["check"]))
    facts = [cell["slot"] for cell in cells if cell["kind"] not in (DOCUMENT, TEXT)]
    return WideCase(
        slots=tuple(sorted(set(facts))),
        places=tuple(sorted({cell["rule"] for cell in cells if cell["kind"] == DOCUMENT})),
        texts=tuple(sorted({cell["rule"] for cell in cells if cell["kind"] == TEXT})),
        cells=tuple(made),
        formulas=tuple(expressions),
        results=tuple(results),
    )


def _named_cells(cells: Sequence[dict[str, Any]]) -> tuple[list[str], list[pl.Expr]]:
    """The column that has each cell's code, and the expressions of those columns that have to be made."""
    names: list[str] = []
    made: dict[str, tuple[str, pl.Expr]] = {}
    for cell in cells:
        kind, override = cell["kind"], cell["override"]
        if kind in (DOCUMENT, TEXT) and not override:
            names.append(f"{'d' if kind == DOCUMENT else 't'}{cell['rule']}")
            continue
        key = repr(cell)
        if key not in made:
            name = f"x{len(made)}"
            made[key] = (name, _cell(cell).alias(name))
        names.append(made[key][0])
    return names, [expression for _, expression in made.values()]


def _cell(cell: dict[str, Any]) -> pl.Expr:
    """The code of a cell; not knowing never passes."""
    kind, value = cell["kind"], pl.col(f"f{cell['slot']}")
    if kind == DOCUMENT:
        code = pl.col(f"d{cell['rule']}")
    elif kind == TEXT:
        code = pl.col(f"t{cell['rule']}")
    elif kind == KNOWN:
        code = _code(value.is_not_null(), pl.lit(_FACT_UNKNOWN, pl.UInt8))
    elif kind == UNKNOWN:
        code = _code(value.is_null(), pl.lit(_NOT_SATISFIED, pl.UInt8))
    else:
        false = (
            pl.when(value.is_null()).then(pl.lit(_FACT_UNKNOWN, pl.UInt8)).otherwise(pl.lit(_NOT_SATISFIED, pl.UInt8))
        )
        code = _code(_compared(cell, value), false)
    if not cell["override"]:
        return code
    return pl.when(code == TRUE_CODE).then(code).otherwise(pl.lit(cell["override"], pl.UInt8))


def _compared(cell: dict[str, Any], value: pl.Expr) -> pl.Expr:
    """Whether a fact compares as a cell asks; null where it is unknown."""
    if cell["kind"] == NEVER or (cell["kind"] == MEMBERS and not cell["members"] and not cell["negate"]):
        return pl.lit(value=False)
    if cell["kind"] == MEMBERS and not cell["members"]:
        return value.is_not_null()
    inside = value.is_between(cell["low"], cell["high"]) if cell["kind"] == RANGE else value.is_in(cell["members"])
    return ~inside if cell["negate"] else inside


def _code(true: pl.Expr, otherwise: pl.Expr) -> pl.Expr:
    """The code of a rule that is true or not; null is not (`when` takes null for false)."""
    return pl.when(true).then(pl.lit(TRUE_CODE, pl.UInt8)).otherwise(otherwise)


def _formula(number: int, codes: Sequence[pl.Expr], need: int, *, count: bool, check: bool) -> list[pl.Expr]:
    """A formula's value, and for a check the ordinal of the rule that decides and the code of the first false rule."""
    true = [code == TRUE_CODE for code in codes]
    passed = _passed(true, need)
    value = pl.sum_horizontal(true).cast(pl.Int64) if count and true else passed
    told = [value.alias(f"v{number}")]
    if not check:
        return told
    deciding, code = _deciding(codes, passed, need)
    return [*told, deciding.alias(f"d{number}"), code.alias(f"c{number}")]


def _passed(true: Sequence[pl.Expr], need: int) -> pl.Expr:
    """Whether so many rules are true."""
    if need <= 0 or need > len(true):
        return pl.lit(need <= 0)
    if len(true) == 1:
        return true[0]
    if need == len(true):
        return pl.all_horizontal(true)
    return pl.any_horizontal(true) if need == 1 else pl.sum_horizontal(true) >= need


def _deciding(codes: Sequence[pl.Expr], passed: pl.Expr, need: int) -> tuple[pl.Expr, pl.Expr]:
    """The ordinal of the first true rule where the formula is true, else of the first false one; the code of that one."""
    if not codes:
        return pl.lit(None, pl.UInt32), pl.lit(TRUE_CODE if need <= 0 else _NOT_SATISFIED, pl.UInt8)
    if len(codes) == need == 1:
        return pl.lit(0, pl.UInt32), codes[0]
    true = pl.min_horizontal(
        pl.when(code == TRUE_CODE).then(pl.lit(number, pl.UInt32)) for number, code in enumerate(codes)
    )
    false = pl.min_horizontal(
        pl.when(code != TRUE_CODE).then(code.cast(pl.UInt32) + number * _PACK) for number, code in enumerate(codes)
    )
    reason = pl.when(passed).then(pl.lit(TRUE_CODE, pl.UInt32)).otherwise(false % _PACK)
    return (
        pl.when(passed).then(true).otherwise(false // _PACK),
        reason.fill_null(_NOT_SATISFIED).cast(pl.UInt8),
    )
