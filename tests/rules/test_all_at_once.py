"""Formulas of all runs at once and rule by rule in Python, over random registries, facts and codes: no field differs."""

from pathlib import Path
from random import Random
from typing import Any

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from judge_polars.registry import load_registry
from judge_polars.rules.evaluate import evaluate_checks, evaluate_definitions
from judge_polars.rules.matrices import Blocks, DocumentCodes, FactMatrix, RuleCodes
from judge_polars.rules.program import (
    BUILT_IN_SLOTS,
    DOCUMENT,
    KNOWN,
    MEMBERS,
    NEVER,
    TEXT,
    UNKNOWN,
    Level,
    Program,
    compile_program,
)
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE
from tests.generate import write_world

RUNS = 40
CODES = [TRUE_CODE, *REASON_CODES.values()]


def random_runs(random: Random, program: Program, *, together: bool) -> pl.DataFrame:
    """Runs of all cases, mixed or one case behind the other, some without a bundle, an output, or a judgment."""
    cases = [random.randrange(len(program.book.cases)) for _ in range(RUNS)]
    flags = {name: [random.random() < 0.8 for _ in range(RUNS)] for name in ("has_bundle", "has_output", "judged")}
    runs = pl.DataFrame({"case": sorted(cases) if together else cases, **flags})
    return runs.with_columns(pl.col("case").cast(pl.UInt32)).with_row_index("run")


def random_codes(random: Random, program: Program, runs: pl.DataFrame) -> RuleCodes:
    """Codes of all rules, half of them true."""
    blocks = Blocks(runs["case"], program.places)
    texts = RUNS * len(program.text_rules)
    drawn = [random.choice(CODES) if random.random() < 0.5 else TRUE_CODE for _ in range(blocks.size() + texts)]
    codes = pl.Series(drawn, dtype=pl.UInt8)
    documents = DocumentCodes(blocks, codes.head(blocks.size()))
    return RuleCodes(documents, codes.slice(blocks.size()), len(program.text_rules))


def evaluated(
    program: Program, runs: pl.DataFrame, values: list[list[int | None]], codes: RuleCodes
) -> tuple[pl.DataFrame, FactMatrix]:
    """Outcomes by run and check, and all facts."""
    facts = FactMatrix.unknown(RUNS, program.width)
    for slot, column in zip(BUILT_IN_SLOTS.values(), values, strict=True):
        facts.set(runs["run"], slot, pl.Series(column, dtype=pl.Int64))
    evaluate_definitions(program.definitions, runs, facts, codes)
    return evaluate_checks(program.checks, runs.filter("judged"), facts, codes), facts


def plainly(
    program: Program, runs: pl.DataFrame, values: list[list[int | None]], codes: RuleCodes
) -> tuple[list[tuple[Any, ...]], dict[tuple[int, int], int]]:
    """The same, run by run and rule by rule: rows of outcomes, and the facts that are known by (slot, run)."""
    facts = {
        (slot, run): value
        for slot, column in zip(BUILT_IN_SLOTS.values(), values, strict=True)
        for run, value in enumerate(column)
        if value is not None
    }
    outcomes: list[tuple[Any, ...]] = []
    for levels, judged_only in ((program.definitions, False), (program.checks, True)):
        for level in levels:
            for row in runs.filter("judged" if judged_only else pl.lit(value=True)).iter_rows(named=True):
                outcomes += plain_level(level, row, facts, codes)
    return sorted(outcomes), facts


def plain_level(
    level: Level, row: dict[str, Any], facts: dict[tuple[int, int], int], codes: RuleCodes
) -> list[tuple[Any, ...]]:
    """The outcomes of a level's checks for one run; its facts are written."""
    extent = level.extents.row(row["case"], named=True)
    cells = level.cells.slice(extent["cell_start"], extent["cells"]).rows(named=True)
    outcomes: list[tuple[Any, ...]] = []
    for formula in level.formulas.slice(extent["formula_start"], extent["formulas"]).iter_rows(named=True):
        mine = cells[formula["offset"] : formula["offset"] + formula["length"]]
        found = [plain_code(cell, row["run"], facts, codes) for cell in mine]
        true = [number for number, code in enumerate(found) if code == TRUE_CODE]
        false = [number for number, code in enumerate(found) if code != TRUE_CODE]
        passed = len(true) >= formula["need"]
        if formula["slot"] is not None and row["has_output" if formula["of_output"] else "has_bundle"]:
            facts[formula["slot"], row["run"]] = len(true) if formula["count"] else int(passed)
        if formula["check"] is not None:
            deciding = next(iter(true if passed else false), None)
            failed = REASON_CODES["fact_not_satisfied"] if deciding is None else found[deciding]
            outcomes.append((row["run"], formula["check"], passed, deciding, TRUE_CODE if passed else failed))
    return outcomes


def plain_code(cell: dict[str, Any], run: int, facts: dict[tuple[int, int], int], codes: RuleCodes) -> int:
    """The code of one rule for one run."""
    value = facts.get((cell["slot"], run))
    code = TRUE_CODE
    if cell["kind"] == DOCUMENT:
        at = pl.Series([run], dtype=pl.UInt32), pl.Series([cell["rule"]], dtype=pl.UInt32)
        code = codes.documents.get(*at)[0]
    elif cell["kind"] == TEXT:
        code = codes.texts[run * codes.text_rules + cell["rule"]]
    elif cell["kind"] == UNKNOWN:
        code = TRUE_CODE if value is None else REASON_CODES["fact_not_satisfied"]
    elif value is None:
        code = REASON_CODES["fact_unknown"]
    elif cell["kind"] == NEVER:
        code = REASON_CODES["fact_not_satisfied"]
    elif cell["kind"] != KNOWN:
        inside = value in cell["members"] if cell["kind"] == MEMBERS else cell["low"] <= value <= cell["high"]
        code = TRUE_CODE if inside != cell["negate"] else REASON_CODES["fact_not_satisfied"]
    return cell["override"] if code != TRUE_CODE and cell["override"] else code


@pytest.mark.parametrize(
    ("together", "long"),
    [
        pytest.param(True, 1_000_000, id="sorted by case"),
        pytest.param(False, 1_000_000, id="mixed"),
        pytest.param(True, 0, id="stretches are copied"),
    ],
)
@pytest.mark.parametrize("seed", range(6))
def test_all_at_once_is_as_one_by_one(
    seed: int, together: bool, long: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("judge_polars.rules.decide._LONG", long)
    write_world(seed, tmp_path, runs=0)
    program = compile_program(load_registry(tmp_path / "registry").compile())
    random = Random(seed)
    runs = random_runs(random, program, together=together)
    values = [[random.choice([None, 0, 1, 2, 5]) for _ in range(RUNS)] for _ in BUILT_IN_SLOTS]
    codes = random_codes(random, program, runs)
    outcomes, facts = evaluated(program, runs, values, codes)
    rows, known = plainly(program, runs, values, codes)
    assert rows
    assert outcomes.rows() == rows
    assert {(slot, run): facts.value[slot, run] for slot, run in zip(*facts.known.nonzero(), strict=True)} == known


def test_facts_are_read_in_the_order_that_is_asked_for() -> None:
    facts = FactMatrix.unknown(4, 2)
    facts.set(pl.Series([3, 1, 0], dtype=pl.UInt32), 1, pl.Series([13, None, 10]))
    asked = pl.Series([1, 3, 0, 2, 3], dtype=pl.UInt32)
    assert facts.get(asked, 1).to_list() == [None, 13, 10, None, 13]
    slots = pl.Series([1, 1, 1, 0, None], dtype=pl.UInt32)
    assert facts.get(asked, slots).to_list() == [None, 13, 10, None, None]


def test_a_hash_of_facts_changes_with_each_fact() -> None:
    def hashed(*rows: tuple[int, int, int | None]) -> int:
        facts = FactMatrix.unknown(2, 3)
        for run, slot, value in rows:
            facts.set(pl.Series([run], dtype=pl.UInt32), slot, pl.Series([value], dtype=pl.Int64))
        return int(facts.hashed()[1])

    all_of_them = [
        hashed(),
        hashed((1, 0, 0)),
        hashed((1, 1, 0)),
        hashed((1, 1, 1)),
        hashed((1, 1, -1)),
        hashed((1, 1, 1 << 40)),
        hashed((1, 0, 1), (1, 1, 2)),
        hashed((1, 0, 2), (1, 1, 1)),
    ]
    assert len(set(all_of_them)) == len(all_of_them)
    assert hashed((0, 1, 7)) == hashed((1, 2, None)) == hashed()


@pytest.mark.parametrize("seed", range(4))
def test_a_code_is_found_again_where_it_was_put(seed: int) -> None:
    random = Random(seed)
    places = (3, 0, 5)
    runs = pl.Series([random.randrange(3) for _ in range(RUNS)], dtype=pl.UInt32)
    asked = pl.DataFrame(
        [(run, case, place) for run, case in enumerate(runs) for place in range(places[case])],
        schema={"run": pl.UInt32, "case": pl.UInt32, "place": pl.UInt32},
        orient="row",
    )
    blocks = Blocks(runs, places)
    index = blocks.index(asked["run"], asked["place"])
    assert sorted(index) == list(range(blocks.size()))
    assert_frame_equal(blocks.at(index), asked)
    codes = DocumentCodes.filled(blocks, 9).with_codes(
        asked["run"][:1], asked["place"][:1], pl.Series([4], dtype=pl.UInt8)
    )
    assert codes.get(asked["run"], asked["place"]).to_list() == [4] + [9] * (asked.height - 1)
    assert codes.column(2, 4).to_list() == [9] * int((runs == 2).sum())
