"""Formulas over the case runs of any number of cases at once, whatever their number of runs.

Nothing here joins by hash: each run's cells are laid out one behind the other, the values they need are gathered by position,
and how many rules of a formula are true is a difference of two cumulative sums.
"""

from __future__ import annotations

import polars as pl

from judge_polars.rules.matrices import OUTCOMES, FactMatrix, RuleCodes
from judge_polars.rules.program import DOCUMENT, KNOWN, MEMBERS, NEVER, RANGE, TEXT, UNKNOWN, Level
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

_FACT_UNKNOWN = REASON_CODES["fact_unknown"]
_NOT_SATISFIED = REASON_CODES["fact_not_satisfied"]


def evaluate_segmented(level: Level, runs: pl.DataFrame, facts: FactMatrix, codes: RuleCodes) -> pl.DataFrame:
    """Evaluate a level: facts are written, `matrices.OUTCOMES` returned, as `evaluate.evaluate_level` says."""
    extents = level.extents[runs["case"]]
    cells = _laid_out(runs["run"], extents["cell_start"], extents["cells"])
    code = _cell_codes(level.cells[cells["index"]], cells["run"], facts, codes)
    true = code == TRUE_CODE
    formulas = _formulas(level, runs, extents)
    before = pl.concat([pl.Series([0], dtype=pl.UInt32), true.cast(pl.UInt32).cum_sum()])
    first = formulas["position"]
    count = before.gather(first + formulas["length"]) - before.gather(first)
    formulas = formulas.with_columns(count_true=count, passed=count >= formulas["need"])
    _write_facts(formulas, facts)
    return _outcomes(formulas.filter(pl.col("check").is_not_null()), code, true)


def _laid_out(run: pl.Series, start: pl.Series, count: pl.Series) -> pl.DataFrame:
    """`run`, `index`: for each run the numbers start … start + count - 1, one run behind the other."""
    return (
        pl.DataFrame({"run": run, "start": start, "end": start + count})
        .filter(pl.col("end") > pl.col("start"))
        .select("run", index=pl.int_ranges("start", "end", dtype=pl.UInt32))
        .explode("index")
    )


def _formulas(level: Level, runs: pl.DataFrame, extents: pl.DataFrame) -> pl.DataFrame:
    """The formulas of all runs: `program.FORMULAS`, `run`, `position` of the first cell, `known` (the fact may be told)."""
    where = runs.select("has_bundle", "has_output", first=extents["cells"].cum_sum() - extents["cells"])
    row = pl.int_range(0, runs.height, dtype=pl.UInt32, eager=True)
    grid = _laid_out(row, extents["formula_start"], extents["formulas"])
    of_run = where[grid["run"]]
    return level.formulas[grid["index"]].with_columns(
        run=runs["run"].gather(grid["run"]),
        position=of_run["first"] + pl.col("offset"),
        known=pl.when("of_output").then(of_run["has_output"]).otherwise(of_run["has_bundle"]),
    )


def _cell_codes(cells: pl.DataFrame, run: pl.Series, facts: FactMatrix, codes: RuleCodes) -> pl.Series:
    """The code of each cell; not knowing never passes."""
    value = facts.get(run, cells["slot"])
    known, kind = pl.col("value"), pl.col("kind")
    code = (
        cells.with_columns(value=value)
        .select(
            pl.when(kind == RANGE)
            .then(known.is_between(pl.col("low"), pl.col("high")) != pl.col("negate"))
            .when(kind == KNOWN)
            .then(known.is_not_null())
            .when(kind == UNKNOWN)
            .then(known.is_null())
            .when(kind == NEVER)
            .then(pl.lit(value=False))
            .alias("true"),
            unknown=known.is_null() & (kind != UNKNOWN),
        )
        .select(
            pl.when(pl.col("true").fill_null(value=False))
            .then(TRUE_CODE)
            .when("unknown")
            .then(_FACT_UNKNOWN)
            .otherwise(_NOT_SATISFIED)
            .cast(pl.UInt8)
        )
    )
    out = code.to_series()
    at = (cells["kind"] == DOCUMENT).arg_true()
    if len(at):
        out = out.scatter(at, codes.documents.get(run.gather(at), cells["rule"].gather(at)))
    at = (cells["kind"] == TEXT).arg_true()
    if len(at):
        index = run.gather(at).cast(pl.UInt64) * codes.text_rules + cells["rule"].gather(at)
        out = out.scatter(at, codes.texts.gather(index))
    out = _members(cells, value, out)
    override = cells["override"]
    return pl.select(pl.when((out != TRUE_CODE) & (override != 0)).then(override).otherwise(out)).to_series()


def _members(cells: pl.DataFrame, value: pl.Series, code: pl.Series) -> pl.Series:
    """Codes of `in` and `not_in` over numbers, booleans and timestamps."""
    at = (cells["kind"] == MEMBERS).arg_true()
    if not len(at):
        return code
    frame = cells.select("members", "negate")[at].with_columns(value=value.gather(at))
    told = frame.select(
        pl.when(pl.col("value").is_null())
        .then(_FACT_UNKNOWN)
        .when(pl.col("members").list.contains(pl.col("value")) != pl.col("negate"))
        .then(TRUE_CODE)
        .otherwise(_NOT_SATISFIED)
        .cast(pl.UInt8)
    )
    return code.scatter(at, told.to_series())


def _write_facts(formulas: pl.DataFrame, facts: FactMatrix) -> None:
    """Results of definitions (and of checks that later checks read) become facts."""
    told = formulas.filter(pl.col("slot").is_not_null() & pl.col("known")).select(
        "run",
        "slot",
        value=pl.when("count").then(pl.col("count_true").cast(pl.Int64)).otherwise(pl.col("passed").cast(pl.Int64)),
    )
    facts.set(told["run"], told["slot"], told["value"])


def _outcomes(checks: pl.DataFrame, code: pl.Series, true: pl.Series) -> pl.DataFrame:
    """Per check: passed, the ordinal of the first true (else first false) rule, the reason of the first false one."""
    if checks.is_empty():
        return pl.DataFrame(schema=OUTCOMES)
    place = pl.int_range(0, len(code), dtype=pl.UInt32, eager=True)
    cells = pl.DataFrame({"place": place, "true": true}).select(
        next_true=pl.when("true").then("place").backward_fill(),
        next_false=pl.when(~pl.col("true")).then("place").backward_fill(),
    )
    start = pl.when(pl.col("length") > 0).then("position")
    placed = checks.select("run", "check", "passed", "position", "length", start=start)
    next_true, next_false = cells["next_true"].gather(placed["start"]), cells["next_false"].gather(placed["start"])
    placed = placed.with_columns(next_true=next_true, next_false=next_false)
    ordinal = pl.when("passed").then("next_true").otherwise("next_false") - pl.col("position")
    return placed.select(
        "run",
        "check",
        "passed",
        deciding_rule=pl.when(ordinal < pl.col("length")).then(ordinal),
        code=pl.when("passed")
        .then(TRUE_CODE)
        .otherwise(code.gather(next_false))
        .fill_null(_NOT_SATISFIED)
        .cast(pl.UInt8),
    )
