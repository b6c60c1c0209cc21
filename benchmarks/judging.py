"""Judging with facts in memory: checks, verdict rows, the number of cases, and growth, against the tuned Python judge."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import polars as pl

from benchmarks.books import RUNS_AT_ONCE, Memory, generated_judges, memories, program_of, python_cases, rules_of
from benchmarks.python_judge import Verdict, results_of, verdict_of
from benchmarks.rows import Measured
from benchmarks.sizes import Sizes
from benchmarks.timing import exponent, in_turns
from judge_polars import tables
from judge_polars.book_tables import registry_tables
from judge_polars.engine import outcome_rows
from judge_polars.history.views import borrow_database, give_back_database
from judge_polars.rules.evaluate import evaluate_checks
from judge_polars.rules.program import Program

PYTHON_RUNS = 40_000
"""Dicts of more runs do not fit in memory beside each other: above, the Python judge's time is that of these, in proportion."""
VERDICTS = "select case_run_id, verdict, primary_failure_code, score, failure_codes from all_verdicts"


@dataclass(frozen=True)
class World:
    """So many runs of so many cases, for both sides."""

    program: Program
    runs: int

    @classmethod
    def of(cls, runs: int, cases: int) -> World:
        return cls(program_of(cases), runs)

    @cached_property
    def memories(self) -> list[Memory]:
        return list(memories(self.program, self.runs))

    @cached_property
    def dicts(self) -> list[tuple[int, dict[str, Any]]]:
        return [one for memory in self.memories[: max(1, PYTHON_RUNS // RUNS_AT_ONCE)] for one in memory.dicts]

    @property
    def scale(self) -> float:
        """What the time for `dicts` is multiplied by."""
        return self.runs / len(self.dicts)

    @cached_property
    def python(self) -> list[Any]:
        return python_cases(self.program)

    @cached_property
    def generated(self) -> list[Any]:
        return generated_judges(self.program)

    def engine_outcomes(self) -> list[pl.DataFrame]:
        """`matrices.OUTCOMES` of each chunk."""
        return [outcomes_of(memory) for memory in self.memories]

    def python_results(self) -> list[list[bool]]:
        """Every check of every run."""
        cases = self.python
        return [results_of(cases[case], facts) for case, facts in self.dicts]

    def python_verdicts(self) -> list[Verdict]:
        """The verdict of every run."""
        cases = self.python
        return [verdict_of(cases[case], facts) for case, facts in self.dicts]

    def generated_verdicts(self) -> list[Verdict]:
        """Likewise, by the generated judge."""
        judges = [judge.verdict for judge in self.generated]
        return [judges[case](facts) for case, facts in self.dicts]

    def engine_verdicts(self) -> pl.DataFrame:
        """Verdict rows in DuckDB, out of facts in memory."""
        frames = [self._rows(memory, number * RUNS_AT_ONCE) for number, memory in enumerate(self.memories)]
        database = borrow_database(
            {
                **self._registry,
                "judged_case_runs": pl.concat([judged for judged, _ in frames]),
                "check_outcomes": pl.concat([outcomes for _, outcomes in frames]),
            }
        )
        try:
            return database.sql(VERDICTS)
        finally:
            give_back_database(database)

    @cached_property
    def _registry(self) -> dict[str, pl.DataFrame]:
        return registry_tables(self.program.book, self.program.all_checks)

    def _rows(self, memory: Memory, first: int) -> tuple[pl.DataFrame, pl.DataFrame]:
        """`tables.JUDGED_CASE_RUNS` and `tables.CHECK_OUTCOMES` of a chunk."""
        outcomes = outcome_rows(outcomes_of(memory))
        key = pl.col("judged_key") + first
        return judged_rows_of(memory, first), outcomes.with_columns(key)


def outcomes_of(memory: Memory) -> pl.DataFrame:
    """The results of all checks of a chunk."""
    return evaluate_checks(memory.program.checks, memory.runs, memory.facts, memory.codes())


def judged_rows_of(memory: Memory, first: int) -> pl.DataFrame:
    """`tables.JUDGED_CASE_RUNS` of a chunk; 500 runs make an eval run."""
    cases = memory.program.book.cases
    key = pl.col("run").cast(pl.Int64) + first
    case = memory.runs["case"]
    eval_run = pl.format("bench-{}", key // 500)
    case_id = pl.Series([one.id for one in cases]).gather(case)
    return tables.JUDGED_CASE_RUNS.check(
        memory.runs.select(
            judged_key=key,
            judgment_id=pl.lit("j"),
            case_run_id=pl.concat_str(eval_run, pl.lit("/"), case_id, pl.lit("/"), key.cast(pl.String)),
            eval_run_id=eval_run,
            case_id=case_id,
            trial=key,
            case_digest=pl.Series([one.digest for one in cases]).gather(case),
            case_version=pl.lit(1, pl.Int64),
            suite_digest=pl.lit(None, pl.String),
            bundle_digest=pl.lit("sha256:0"),
            bundle_status=pl.lit("resolved"),
            has_output=pl.lit(value=True),
            cause=pl.lit("agent"),
            progressed=pl.lit(value=False),
        )
    )


def differences(world: World) -> list[str]:
    """Where the engine and the Python judges give other verdicts; empty where they agree."""
    told = world.engine_verdicts()
    found = told.select("verdict", "primary_failure_code", "score").rows()
    order = told["case_run_id"].str.split("/").list.last().cast(pl.Int64).to_list()
    engine = dict(zip(order, found, strict=True))
    wrong = []
    for run, (python, generated) in enumerate(zip(world.python_verdicts(), world.generated_verdicts(), strict=True)):
        for name, verdict in (("tuned", python), ("generated", generated)):
            if not same(engine[run], verdict):
                wrong.append(f"run {run}: engine {engine[run]}, {name} {verdict}")
    return wrong


def same(engine: Sequence[Any], python: Sequence[Any]) -> bool:
    """Whether two verdicts are the same, their scores within rounding."""
    if tuple(engine[:2]) != tuple(python[:2]) or (engine[2] is None) != (python[2] is None):
        return False
    return engine[2] is None or abs(engine[2] - python[2]) < 1e-9


def _rounds(sizes: Sizes, runs: int) -> int:
    return sizes.rounds if runs <= 100_000 else min(3, sizes.rounds)


def measure_checks(sizes: Sizes) -> Iterator[Measured]:
    for runs, cases in sizes.shapes:
        world = World.of(runs, cases)
        best = in_turns(
            {
                "engine": world.engine_outcomes,
                "python": world.python_results,
                "generated": world.generated_verdicts,
            },
            _rounds(sizes, runs),
        )
        per_run = {name: best[name] * (1 if name == "engine" else world.scale) / runs for name in best}
        yield Measured(
            "checks",
            f"{runs:,} × {cases} runs × cases",
            per_run["python"] / per_run["engine"],
            "≥ 5",
            _rounds(sizes, runs),
            f"30 checks and {rules_of(world.program.book):.0f} rules a case; engine {1e6 * per_run['engine']:.2f}, Python "
            f"{1e6 * per_run['python']:.2f} µs a run; ÷ code generated for each case ({1e6 * per_run['generated']:.2f} µs): "
            f"{per_run['generated'] / per_run['engine']:.2f}",
        )


def measure_verdicts(sizes: Sizes) -> Iterator[Measured]:
    for runs, bound in sizes.verdict_runs:
        world = World.of(runs, 20)
        best = in_turns({"engine": world.engine_verdicts, "python": world.python_verdicts}, _rounds(sizes, runs))
        python = best["python"] * world.scale
        yield Measured(
            "verdicts",
            f"{runs:,} runs, 20 cases",
            python / best["engine"],
            bound,
            _rounds(sizes, runs),
            f"engine {1e6 * best['engine'] / runs:.2f}, Python {1e6 * python / runs:.2f} µs a run",
        )


def measure_cases(sizes: Sizes) -> Iterator[Measured]:
    many, few = World.of(sizes.case_runs, 500), World.of(sizes.case_runs, 20)
    best = in_turns({"many": many.engine_outcomes, "few": few.engine_outcomes}, sizes.rounds)
    yield Measured(
        "cases",
        f"{sizes.case_runs:,} runs",
        best["many"] / best["few"],
        "≤ 1.3",
        sizes.rounds,
        f"500 cases {1e6 * best['many'] / sizes.case_runs:.2f}, 20 cases {1e6 * best['few'] / sizes.case_runs:.2f} µs a run",
    )


def measure_growth(sizes: Sizes) -> Iterator[Measured]:
    counts = [sizes.record_runs // part for part in sizes.growth]
    worlds = {str(count): World.of(count, 20) for count in counts}
    best = in_turns({name: world.engine_outcomes for name, world in worlds.items()}, sizes.rounds)
    yield Measured(
        "growth",
        "rules -> check results, facts in memory",
        exponent(counts, list(best.values())),
        "≤ 1.1",
        sizes.rounds,
        f"{', '.join(f'{count:,}' for count in counts)} runs of 20 cases",
    )
