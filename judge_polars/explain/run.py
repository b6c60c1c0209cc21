"""One case run read again, with the result of every rule that its case holds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import polars as pl

from judge_polars.bundles import CaseRunPlace, ShardReading, compact, read_shard
from judge_polars.engine import Engine, Examined, examine_reading, judge_examined
from judge_polars.explain.microscope import Microscope
from judge_polars.facts.extraction import Extraction
from judge_polars.facts.trace import read_identity
from judge_polars.history.recall import Recalled, places_of_runs
from judge_polars.history.record import Record
from judge_polars.rereading import read_from_record
from judge_polars.rulebook import Case, Check, Definition, DocumentRule, Formula, Rule, RuleBook
from judge_polars.rules.select import select_documents
from judge_polars.tables import ASKED
from judge_polars.vocabulary import DIAGNOSIS


@dataclass(frozen=True)
class CaseRunAgain:
    """What is known of a case run when its bundle is read and judged again.

    Attributes:
        case: as the registry has it.
        results: rule -> (passed, reason); empty where the run is not judged.
        facts: name -> value.
        frames: published tables of this run alone.
        examined: its documents and series.
        values: document (`doc`) -> its JSON value, where it has one.
    """

    engine: Engine
    case: Case
    results: Mapping[Rule, tuple[bool, str | None]]
    facts: Mapping[str, Any]
    frames: Mapping[str, pl.DataFrame]
    examined: Examined
    values: Mapping[int, Any]

    @property
    def documents(self) -> pl.DataFrame:
        """`tables.DOCUMENTS` of the chosen bundle and the output."""
        return self.examined.documents

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """Fact -> its definition."""
        return {definition.name: definition for definition in self.case.definitions}

    @cached_property
    def microscope(self) -> Microscope:
        """For trying rules on parts of the documents."""
        return Microscope(self.case, self.examined.shard.series, self.examined.shard.points)

    def selected(self, rule: DocumentRule) -> pl.DataFrame:
        """The documents that a rule reads, by name."""
        asked = ASKED.frame({"run": [0], "rule": [0]})
        chosen = select_documents(asked, self.documents, [rule], self.engine.evidence_dir)
        return self.documents.join(chosen.select("doc"), on="doc", how="semi", maintain_order="left").sort("name")


def read_again(
    book: RuleBook, case: Case, place: CaseRunPlace, workspaces_root: Path | None, record: Record | None = None
) -> CaseRunAgain:
    """Read and judge one case run; every rule of the case is made a check of its own, so that its result is told.

    It is read from the record where there is one, else from its files.
    """
    rules = tuple(dict.fromkeys(rule for formula in _formulas(case) for rule in formula.rules))
    alone = tuple(
        Check(DIAGNOSIS, None, f"rule_{number}", None, required=False, weight=1.0, formula=Formula(1, (rule,)))
        for number, rule in enumerate(rules)
    )
    engine = Engine(replace(book, cases=(replace(case, checks=(*case.checks, *alone)),)), workspaces_root)
    extraction = _Keeping(engine.plan, book.layout, compact)
    reading = _read(place, book, extraction, workspaces_root, record)
    examined = examine_reading(engine, reading, extraction)
    frames = judge_examined(engine, examined)
    first = len(case.checks)
    told = frames["check_outcomes"].filter(pl.col("check_key") >= first).select("check_key", "passed", "reason")
    return CaseRunAgain(
        engine=engine,
        case=case,
        results={rules[key - first]: (passed, reason) for key, passed, reason in told.iter_rows()},
        facts={row["fact"]: row[row["type"]] for row in frames["facts"].iter_rows(named=True)},
        frames=frames,
        examined=examined,
        values=extraction.values,
    )


def _read(
    place: CaseRunPlace, book: RuleBook, visitor: Extraction, workspaces_root: Path | None, record: Record | None
) -> ShardReading:
    if record is not None:
        places = places_of_runs(record).filter(pl.col("case_run_id") == place.case_run_id)
        return read_from_record(Recalled(record, places), book.limits, visitor)
    return read_shard(
        [place],
        layout=book.layout,
        limits=book.limits,
        visitor=visitor,
        identity=read_identity,
        workspaces_root=workspaces_root,
    )


class _Keeping(Extraction):
    """Takes out what rules want and keeps the values: of one case run they are few."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.values: dict[int, object] = {}

    def visit(
        self, run: int, bundle: int | None, doc: int, case_id: str, name: str, artifact: str | None, value: object
    ) -> None:
        """Keep the value, then take out what is wanted."""
        self.values[doc] = value
        super().visit(run, bundle, doc, case_id, name, artifact, value)


def _formulas(case: Case) -> list[Formula]:
    return [*(check.formula for check in case.checks), *(definition.formula for definition in case.definitions)]
