"""Formulas evaluated column by column and cell by cell, over random registries, facts and codes: no field differs."""

from pathlib import Path
from random import Random

import polars as pl
import pytest
from polars.testing import assert_frame_equal

from judge_polars.registry import load_registry
from judge_polars.rules.evaluate import evaluate_level
from judge_polars.rules.matrices import Blocks, DocumentCodes, FactMatrix, RuleCodes
from judge_polars.rules.program import BUILT_IN_SLOTS, Program, compile_program
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE
from tests.generate import write_world

RUNS = 40
NEVER_WIDE = 2**31
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
    program: Program, runs: pl.DataFrame, values: list[list[int | None]], codes: RuleCodes, many: int
) -> tuple[pl.DataFrame, pl.Series]:
    """Outcomes by run and check, and all facts."""
    facts = FactMatrix.unknown(RUNS, program.width)
    for slot, column in zip(BUILT_IN_SLOTS.values(), values, strict=True):
        facts.set(runs["run"], slot, pl.Series(column, dtype=pl.Int64))
    for level in program.definitions:
        evaluate_level(level, runs, facts, codes, many=many)
    judged = runs.filter("judged")
    outcomes = [evaluate_level(level, judged, facts, codes, many=many) for level in program.checks]
    return pl.concat(outcomes).sort("run", "check"), facts.flat


@pytest.mark.parametrize("together", [pytest.param(True, id="sorted by case"), pytest.param(False, id="mixed")])
@pytest.mark.parametrize("seed", range(12))
def test_both_ways_agree(seed: int, together: bool, tmp_path: Path) -> None:
    write_world(seed, tmp_path, runs=0)
    program = compile_program(load_registry(tmp_path / "registry").compile())
    random = Random(seed)
    runs = random_runs(random, program, together=together)
    values = [[random.choice([None, 0, 1, 2, 5]) for _ in range(RUNS)] for _ in BUILT_IN_SLOTS]
    codes = random_codes(random, program, runs)
    wide, wide_facts = evaluated(program, runs, values, codes, 1)
    segmented, segmented_facts = evaluated(program, runs, values, codes, NEVER_WIDE)
    assert wide.height > 0
    assert_frame_equal(wide, segmented)
    assert wide_facts.equals(segmented_facts)


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
