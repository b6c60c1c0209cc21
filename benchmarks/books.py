"""Registries and facts made in memory: any number of cases with 30 checks each, and what judging reads of any number of runs.

Each case has its own document rules; a third of the rules compare facts, the others take the result of a document rule, which is
known (text and JSON are not looked at).  Some 3 % of the rules are false, so that there are runs of every verdict.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cached_property
from typing import Any, Final

import polars as pl

from benchmarks.generated_judge import GeneratedJudge, generated_judge
from benchmarks.python_judge import PythonCase, python_case
from judge_polars.digests import digest_of
from judge_polars.rulebook import (
    Bucket,
    Case,
    Check,
    Comparison,
    DocumentRule,
    FactRule,
    Formula,
    Rule,
    RuleBook,
    Selector,
    Window,
)
from judge_polars.rules.matrices import Blocks, DocumentCodes, FactMatrix, RuleCodes
from judge_polars.rules.program import BUILT_IN_SLOTS, Program, compile_program
from judge_polars.vocabulary import BUILT_IN_FACTS, DEFAULT_CAUSES, DEFAULT_LAYOUT, REASON_CODES

RUNS_AT_ONCE: Final = 20_000
"""Runs that the engine judges at once, as when it judges from a history."""
_TRUE: Final = Comparison("equals", True)
_WINDOW: Final = Window(datetime(2025, 3, 4, 9, tzinfo=UTC), datetime(2025, 3, 4, 9, 45, tzinfo=UTC))
_SHAPE: Final = (
    ("contract", None, 2, "window cluster"),
    ("workflow", None, 4, ""),
    ("execution_contract", None, 4, "artifacts"),
    ("evidence_collection", None, 4, "artifacts evidence"),
    ("critical_evidence", None, 5, ""),
    ("evidence_routing", None, 5, "routing"),
    ("diagnosis", "hard", 4, ""),
    ("diagnosis", "supporting", 2, ""),
)
"""Bucket, layer, checks, and the families of the facts that they compare; the others read documents."""


def book_of(cases: int, seed: int = 7) -> RuleBook:
    """A registry of so many cases, 30 checks each."""
    made = tuple(_case(f"case-{index:04d}", random.Random(seed * 100_003 + index)) for index in range(cases))
    digest = digest_of(*(case.digest for case in made))
    return RuleBook("benchmark", made, (), (), DEFAULT_LAYOUT, DEFAULT_CAUSES, (), digest)


def _case(name: str, draw: random.Random) -> Case:
    checks: list[Check] = []
    for bucket, layer, count, families in _SHAPE:
        facts = [fact for fact, kind in BUILT_IN_FACTS.items() if kind == "boolean" and fact.split(".")[0] in families]
        for number in range(count):
            if bucket == "contract":
                rules: list[Rule] = [FactRule(("window.matched_allowed_window", "cluster.matched")[number], _TRUE)]
            else:
                rules = [_rule(f"{name}-{len(checks)}-{place}", facts, draw) for place in range(draw.randint(1, 4))]
            need = draw.choice((1, len(rules), len(rules)))
            required = number < count - 1 or bucket in ("contract", "critical_evidence", "diagnosis")
            formula = Formula(need, tuple(rules))
            checks.append(Check(bucket, layer, f"check-{number}", None, required, float(draw.randint(1, 3)), formula))
    buckets = (
        Bucket("contract"),
        Bucket("workflow", 10.0),
        Bucket("execution_contract"),
        Bucket("evidence_collection", 20.0),
        Bucket("critical_evidence", 20.0),
        Bucket("evidence_routing", 20.0),
        Bucket("diagnosis", None, 18.0, 12.0),
    )
    return Case(
        name,
        1,
        name,
        "active",
        (),
        "1",
        _WINDOW,
        (_WINDOW,),
        1,
        0,
        (),
        (),
        buckets,
        tuple(checks),
        digest_of(name, repr(checks)),
    )


def _rule(word: str, facts: list[str], draw: random.Random) -> Rule:
    if facts and draw.random() < 0.5:
        if draw.random() < 0.2:
            return FactRule("routing.refs_unresolved", Comparison("le", draw.randint(2, 4)))
        return FactRule(draw.choice(facts), _TRUE)
    return DocumentRule("keyword_any", Selector("output_text"), keywords=(word,))


@dataclass(frozen=True)
class Memory:
    """Facts of some runs: columns for the engine, and the same as dicts for Python.

    Attributes:
        runs: `run`, `case`, `has_bundle`, `has_output`.
        columns: a column of integers per slot.
        documents: codes of the document rules.
    """

    program: Program
    runs: pl.DataFrame
    columns: list[pl.Series]
    documents: DocumentCodes

    @cached_property
    def facts(self) -> FactMatrix:
        """The matrix that formulas read and write (each time the same)."""
        facts = FactMatrix.unknown(self.runs.height, self.program.width)
        for slot, column in enumerate(self.columns):
            facts.set(self.runs["run"], slot, column)
        return facts

    def codes(self) -> RuleCodes:
        """The codes that formulas read."""
        return RuleCodes(self.documents, pl.Series([], dtype=pl.UInt8), 0)

    @cached_property
    def dicts(self) -> list[tuple[int, dict[str, Any]]]:
        """(case, facts) of each run."""
        booleans = [BUILT_IN_FACTS[name] == "boolean" for name in BUILT_IN_SLOTS]
        values = [column.to_list() for column in self.columns[: len(BUILT_IN_SLOTS)]]
        found: list[tuple[int, dict[str, Any]]] = []
        at = dict.fromkeys(self.documents.blocks.runs_of, 0)
        of_case = {
            case: [self.documents.column(case, place).to_list() for place in range(self.program.places[case])]
            for case in self.documents.blocks.runs_of
        }
        for run, case in enumerate(self.runs["case"]):
            facts: dict[str, Any] = {
                name: bool(value[run]) if boolean and value[run] is not None else value[run]
                for name, value, boolean in zip(BUILT_IN_SLOTS, values, booleans, strict=True)
            }
            rank = at[case]
            at[case] += 1
            facts |= {f"d{place}": codes[rank] == 0 for place, codes in enumerate(of_case[case])}
            found.append((case, facts))
        return found


def memories(program: Program, runs: int, seed: int = 11) -> Iterator[Memory]:
    """Facts of so many runs, evenly spread over the cases, `RUNS_AT_ONCE` at a time; the runs of a case lie together."""
    cases = len(program.book.cases)
    for first in range(0, runs, RUNS_AT_ONCE):
        count = min(RUNS_AT_ONCE, runs - first)
        yield memory_of(program, count, cases, seed + first)


def memory_of(program: Program, runs: int, cases: int, seed: int) -> Memory:
    """Facts of some runs."""
    case = (pl.int_range(runs, dtype=pl.UInt64, eager=True) * cases // runs).cast(pl.UInt32).alias("case")
    frame = pl.DataFrame(
        {
            "run": pl.int_range(runs, dtype=pl.UInt32, eager=True),
            "case": case,
            "has_bundle": pl.repeat(value=True, n=runs, eager=True),
            "has_output": pl.repeat(value=True, n=runs, eager=True),
        }
    )
    columns = [_column(name, slot, runs, seed) for name, slot in BUILT_IN_SLOTS.items()]
    columns += [pl.repeat(None, runs, dtype=pl.Int64, eager=True)] * (program.width - len(columns))
    blocks = Blocks(case, program.places)
    size = blocks.size()
    noise = pl.int_range(size, dtype=pl.UInt64, eager=True).hash(seed=seed)
    false = pl.lit(REASON_CODES["not_matched"], pl.UInt8)
    codes = pl.select(pl.when(pl.lit(noise) % 100 < 3).then(false).otherwise(pl.lit(0, pl.UInt8)).alias("code"))["code"]
    return Memory(program, frame, columns, DocumentCodes(blocks, codes))


def _column(name: str, slot: int, runs: int, seed: int) -> pl.Series:
    """Booleans that are seldom false or unknown, numbers from 0 to 4, and times."""
    noise = pl.lit(pl.int_range(runs, dtype=pl.UInt64, eager=True).hash(seed=seed * 31 + slot)) % 200
    kind = BUILT_IN_FACTS[name]
    value = (noise > 3).cast(pl.Int64) if kind == "boolean" else (noise % 5).cast(pl.Int64)
    return pl.select(pl.when(noise > 0).then(value).alias("value"))["value"]


def program_of(cases: int) -> Program:
    """A compiled registry of so many cases."""
    return compile_program(book_of(cases))


def python_cases(program: Program) -> list[PythonCase]:
    """Each case for the tuned Python judge."""
    return [python_case(case) for case in program.book.cases]


def generated_judges(program: Program) -> list[GeneratedJudge]:
    """The generated judge of each case."""
    return [generated_judge(case) for case in program.book.cases]


def rules_of(book: RuleBook) -> float:
    """Rules per case, on average."""
    return sum(len(check.formula.rules) for case in book.cases for check in case.checks) / len(book.cases)
