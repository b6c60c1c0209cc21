"""Formulas over all case runs at once: facts that definitions give, and the results of checks.

Nothing here joins by hash, and nothing is done case by case.  All codes that rules have lie in one column, a *stretch* for each
rule of a case: the codes of a document rule as they are, those of a comparison worked out for all runs at once, however many cases
share it.  Formulas of one shape (`shapes.Shape`) are evaluated together: the codes of their first rules are one column, those of
their second rules the next, and so on, a row for each formula and run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from judge_polars.rules.matrices import OUTCOMES, FactMatrix, RuleCodes
from judge_polars.rules.program import MEMBERS, TEXT, Level
from judge_polars.rules.shapes import Shape, Shapes, compared, shapes_of
from judge_polars.vocabulary import TRUE_CODE

_SHARED_BY: Final = 4
"""A comparison that at least one run of so many needs is worked out for all of them."""


def evaluate_level(level: Level, runs: pl.DataFrame, facts: FactMatrix, codes: RuleCodes) -> pl.DataFrame:
    """Evaluate a level for `runs` (`run`, `case`, `has_bundle`, `has_output`): facts are written, `matrices.OUTCOMES` returned.

    A fact of the family `output` stays unknown where the output has no text, any other one where there is no bundle.
    """
    if runs.is_empty():
        return pl.DataFrame(schema=OUTCOMES)
    shapes = shapes_of(level)
    ordered = _Ordered.of(runs, len(codes.documents.blocks.places))
    stretches = _stretches(shapes, ordered, facts, codes)
    outcomes = [pl.DataFrame(schema=OUTCOMES)]
    for shape in shapes.shapes:
        formulas = _present(shape, ordered)
        if formulas.is_empty():
            continue
        results = _results_of(shape, formulas, ordered, stretches)
        if shape.tells_facts:
            _write_facts(shape, formulas, ordered.runs, results, facts)
        if shape.has_checks:
            rows = results.select(list(OUTCOMES))
            outcomes.append(rows if shape.all_checks else rows.filter(pl.col("check").is_not_null()))
    return pl.concat(outcomes)


@dataclass(frozen=True)
class _Ordered:
    """Runs in the order of their cases.

    Attributes:
        runs: `run`, `case`, `has_bundle`, `has_output`.
        count, start: by case, how many runs it has and where they begin.
    """

    runs: pl.DataFrame
    count: pl.Series
    start: pl.Series

    @classmethod
    def of(cls, runs: pl.DataFrame, cases: int) -> _Ordered:
        chosen = runs.select("run", "case", "has_bundle", "has_output")
        ordered = chosen if chosen["case"].is_sorted() else chosen.sort("case", maintain_order=True)
        sizes = ordered["case"].rle().struct.unnest()
        nothing = pl.zeros(cases, dtype=pl.UInt32, eager=True)
        count = nothing.scatter(sizes["value"], sizes["len"])
        return cls(ordered, count, count.cum_sum() - count)


@dataclass(frozen=True)
class _Stretches:
    """The codes of rules.

    Attributes:
        codes: all of them.
        documents: by case, where the stretch of its first document rule begins; each is as long as the case has runs.
        comparisons: where the stretch of each of `Shapes.comparisons` begins.
    """

    codes: pl.Series
    documents: pl.Series
    comparisons: pl.Series


def _stretches(shapes: Shapes, ordered: _Ordered, facts: FactMatrix, codes: RuleCodes) -> _Stretches:
    documents, first = _document_codes(ordered, codes)
    used = shapes.comparisons.with_columns(count=ordered.count.gather(shapes.comparisons["case"]))
    runs_of_test = used.group_by("test").agg(pl.col("count").sum()).sort("test")["count"]
    height = ordered.runs.height
    shared = (runs_of_test > 0) & (runs_of_test * _SHARED_BY >= height)
    numbers = shared.arg_true()
    columns = _shared_codes([shapes.tests[test] for test in numbers], ordered.runs["run"], facts, codes)
    place = pl.zeros(len(shapes.tests), dtype=pl.UInt32, eager=True).scatter(
        numbers, pl.int_range(len(numbers), dtype=pl.UInt32, eager=True)
    )
    rare = used.filter(~shared.gather(used["test"]))
    begin = len(documents) + len(numbers) * height
    rare_begin = rare["count"].cum_sum() - rare["count"] + begin
    starts = len(documents) + place.gather(used["test"]) * height + ordered.start.gather(used["case"])
    starts = starts.scatter(rare["pair"], rare_begin.cast(starts.dtype)) if rare.height else starts
    every = [documents, *columns, *_rare_codes(rare, shapes, ordered, facts, codes)]
    return _Stretches(pl.concat(every, rechunk=True), first, starts.cast(pl.UInt32))


def _document_codes(ordered: _Ordered, codes: RuleCodes) -> tuple[pl.Series, pl.Series]:
    """The codes of document rules of these runs, and by case where they begin."""
    blocks = codes.documents.blocks
    cases = list(blocks.first)
    nothing = pl.zeros(len(blocks.places), dtype=pl.UInt32, eager=True)
    first = nothing.clone().scatter(cases, pl.Series([blocks.first[case] for case in cases], dtype=pl.UInt32))
    whole = nothing.clone().scatter(cases, pl.Series([len(blocks.runs_of[case]) for case in cases], dtype=pl.UInt32))
    present = ordered.count > 0
    if (whole.filter(present) == ordered.count.filter(present)).all():
        return codes.documents.values, first
    places = pl.Series(blocks.places, dtype=pl.UInt32)
    rules = pl.DataFrame({"case": pl.int_range(len(places), dtype=pl.UInt32, eager=True), "place": places}).filter(
        present
    )
    rules = rules.with_columns(place=pl.int_ranges("place", dtype=pl.UInt32)).explode("place").drop_nulls()
    count = ordered.count.gather(rules["case"])
    position = _laid_out(ordered.start.gather(rules["case"]), count)
    place = rules["place"].gather(_repeated(count))
    sizes = places * ordered.count
    return codes.documents.get(ordered.runs["run"].gather(position), place), sizes.cum_sum() - sizes


def _shared_codes(
    tests: Sequence[Mapping[str, Any]], run: pl.Series, facts: FactMatrix, codes: RuleCodes
) -> list[pl.Series]:
    """The codes of comparisons for all runs, a column for each."""
    slots = sorted({test["slot"] for test in tests if test["kind"] != TEXT})
    texts = sorted({test["rule"] for test in tests if test["kind"] == TEXT})
    read = [column.alias(f"f{slot}") for slot, column in zip(slots, facts.read(run, slots), strict=True)]
    read += [codes.texts.gather_every(codes.text_rules, rule).gather(run).alias(f"t{rule}") for rule in texts]
    made = [test["code"].alias(str(number)) for number, test in enumerate(tests)]
    return pl.DataFrame(read).select(made).get_columns() if made else []


def _rare_codes(
    rare: pl.DataFrame, shapes: Shapes, ordered: _Ordered, facts: FactMatrix, codes: RuleCodes
) -> list[pl.Series]:
    """The codes of comparisons that few runs need, each for the runs of a case, one behind the other."""
    if rare.is_empty():
        return []
    count = rare["count"]
    run = ordered.runs["run"].gather(_laid_out(ordered.start.gather(rare["case"]), count))
    row = _repeated(count)
    asked = shapes.test_rows[rare["test"].gather(row)]
    parts = asked.with_columns(value=facts.get(run, asked["slot"]), at=pl.int_range(pl.len(), dtype=pl.UInt32))
    found = pl.zeros(len(run), dtype=pl.UInt8, eager=True)
    for kind in parts["kind"].unique():
        mine = parts.filter(pl.col("kind") == kind)
        if kind == TEXT:
            index = run.gather(mine["at"]).cast(pl.UInt64) * codes.text_rules + mine["rule"]
            code = codes.texts.gather(index)
        else:
            value = pl.col("value")
            inside = pl.col("members").list.contains(value) if kind == MEMBERS else value.is_between("low", "high")
            code = mine.select(compared(kind, value, inside, pl.col("negate")).alias("code")).to_series()
        found = found.scatter(mine["at"], code)
    override = asked["override"]
    return [pl.select(pl.when((found != TRUE_CODE) & (override != 0)).then(override).otherwise(found)).to_series()]


def _laid_out(start: pl.Series, count: pl.Series) -> pl.Series:
    """start … start + count - 1, one stretch behind the other."""
    ranges = pl.select(pl.int_ranges(start, start + count, dtype=pl.UInt32)).to_series()
    return ranges.explode() if (count > 0).all() else ranges.filter(count > 0).explode()


def _repeated(count: pl.Series) -> pl.Series:
    """Row numbers, each as often as `count` says."""
    rows = pl.int_range(len(count), dtype=pl.UInt32, eager=True)
    repeated = pl.select(pl.lit(rows).repeat_by(pl.lit(count))).to_series()
    return repeated.explode() if (count > 0).all() else repeated.filter(count > 0).explode()


def _present(shape: Shape, ordered: _Ordered) -> pl.DataFrame:
    """The formulas of a shape whose case has runs, with `count`, how many it has, and `start`, where they begin."""
    case = shape.formulas["case"]
    count, start = ordered.count[case].alias("count"), ordered.start[case].alias("start")
    formulas = shape.formulas.hstack([count, start])
    return formulas if count.min() else formulas.filter(pl.col("count") > 0)


def _results_of(shape: Shape, formulas: pl.DataFrame, ordered: _Ordered, stretches: _Stretches) -> pl.DataFrame:
    """A row for each formula and run: `matrices.OUTCOMES`, `position` (row of the ordered runs), `value` where facts are told."""
    begins = [begin.alias(f"c{rule}") for rule, begin in enumerate(_begins(shape.length, formulas, stretches))]
    rows = pl.DataFrame([formulas["check"], formulas["count"], formulas["start"], *begins]).select(shape.rows)
    position = rows["position"]
    codes = [stretches.codes[rows[f"c{rule}"]].alias(f"c{rule}") for rule in range(shape.length)]
    run = ordered.runs["run"][position].alias("run")
    return pl.DataFrame([position, run, rows["check"], *codes]).select(shape.results)


def _begins(length: int, formulas: pl.DataFrame, stretches: _Stretches) -> Iterator[pl.Series]:
    """Where the codes of each rule begin, per formula."""
    count, documents = formulas["count"], stretches.documents[formulas["case"]]
    for rule in range(length):
        compared = formulas[f"compared{rule}"]
        if compared.all():
            yield stretches.comparisons[formulas[f"pair{rule}"]]
        elif not compared.any():
            yield documents + formulas[f"place{rule}"] * count
        else:
            begins = stretches.comparisons[formulas[f"pair{rule}"]]
            yield begins.zip_with(compared, documents + formulas[f"place{rule}"] * count)


def _write_facts(
    shape: Shape, formulas: pl.DataFrame, runs: pl.DataFrame, results: pl.DataFrame, facts: FactMatrix
) -> None:
    """Results of definitions (and of checks that later checks read) become facts where they may be told; formulas lie by slot."""
    known = runs["has_output" if shape.of_output else "has_bundle"]
    position, run, value = results["position"], results["run"], results["value"]
    every = bool(known.all())
    begin = 0
    for slot, size in formulas.group_by("slot", maintain_order=True).agg(pl.col("count").sum()).iter_rows():
        if slot is not None:
            at, told = run.slice(begin, size), value.slice(begin, size)
            if not every:
                may = known.gather(position.slice(begin, size))
                at, told = at.filter(may), told.filter(may)
            facts.set(at, slot, told)
        begin += size
