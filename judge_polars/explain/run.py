"""Case runs read again, with the result of every rule that their case holds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import polars as pl

from judge_polars.bundles import CaseRunPlace, ShardReading, compact, read_shard
from judge_polars.engine import Engine, Examined, examine_reading, judge_examined
from judge_polars.explain.clean import clean_value
from judge_polars.explain.microscope import Microscope
from judge_polars.facts.extraction import Extraction
from judge_polars.facts.trace import read_identity
from judge_polars.history.recall import Recalled
from judge_polars.rereading import read_from_record
from judge_polars.rulebook import Case, Check, Definition, DocumentRule, Formula, Rule, RuleBook
from judge_polars.rules.document_rules import as_prose, reads_prose
from judge_polars.rules.select import select_documents
from judge_polars.shard import Shard
from judge_polars.tables import ASKED
from judge_polars.vocabulary import DIAGNOSIS

TOLD: Final = ("routing_refs", "issues")
MOST_AT_ONCE: Final = 32
MOST_TEXT_BYTES: Final = 16 << 20
"""Case runs are read so many at a time, and no further one once their texts take up so much: JSON values are kept."""


@dataclass(frozen=True)
class CaseRunAgain:
    """What is known of a case run when its bundle is read and judged again.

    Attributes:
        case: as the registry has it.
        results: rule -> (passed, reason); empty where the run is not judged.
        facts: name -> value.
        frames: published tables of this run alone, those of `TOLD`.
        documents: `tables.DOCUMENTS` of its chosen bundle and its output.
        shard: it and the case runs that were read with it.
        values: document (`doc`) -> its JSON value, where it has one.
    """

    engine: Engine
    case: Case
    results: Mapping[Rule, tuple[bool, str | None]]
    facts: Mapping[str, Any]
    frames: Mapping[str, pl.DataFrame]
    documents: pl.DataFrame
    shard: Shard
    values: Mapping[int, Any]

    @cached_property
    def definitions(self) -> Mapping[str, Definition]:
        """Fact -> its definition."""
        return {definition.name: definition for definition in self.case.definitions}

    @cached_property
    def microscope(self) -> Microscope:
        """For trying rules on parts of the documents."""
        return Microscope(self.case, self.shard.series, self.shard.points)

    @cached_property
    def _clean(self) -> dict[int, object]:
        return {}

    def clean_value(self, doc: int) -> object:
        """A document's JSON value without secrets, of the same shape."""
        if doc not in self._clean:
            self._clean[doc] = clean_value(self.values[doc])
        return self._clean[doc]

    @cached_property
    def _selected(self) -> dict[DocumentRule, pl.DataFrame]:
        return {}

    def selected(self, rule: DocumentRule) -> pl.DataFrame:
        """The documents that a rule reads, by name."""
        if rule not in self._selected:
            self._selected[rule] = self._select(rule)
        return self._selected[rule]

    def _select(self, rule: DocumentRule) -> pl.DataFrame:
        asked = ASKED.frame({"run": [0], "rule": [0]})
        own = self.documents.with_columns(run=pl.lit(0, pl.UInt32))
        chosen = select_documents(asked, own, [rule], self.engine.evidence_dir)
        seen = as_prose(self.documents) if reads_prose(rule) else self.documents
        return seen.join(chosen.select("doc"), on="doc", how="semi", maintain_order="left").sort("name")


def read_again(
    book: RuleBook,
    case: Case,
    places: Sequence[CaseRunPlace],
    workspaces_root: Path | None,
    recorded: Recalled | None,
) -> Iterator[CaseRunAgain]:
    """Read and judge case runs of one case; every rule of the case is made a check of its own, so that its result is told.

    They are read some at a time, in their order.

    Args:
        recorded: all case runs of the record that they are read from; None reads their files.
    """
    rules = tuple(dict.fromkeys(rule for formula in _formulas(case) for rule in formula.rules))
    alone = tuple(
        Check(DIAGNOSIS, None, f"rule_{number}", None, required=False, weight=1.0, formula=Formula(1, (rule,)))
        for number, rule in enumerate(rules)
    )
    engine = Engine(replace(book, cases=(replace(case, checks=(*case.checks, *alone)),)), workspaces_root)
    left = list(places)
    while left:
        extraction = _Keeping(engine.plan, book.layout, compact)
        reading = _read(left[:MOST_AT_ONCE], book, extraction, workspaces_root, recorded)
        examined = examine_reading(engine, reading, extraction)
        yield from _each(engine, case, rules, examined, extraction.values)
        left = left[reading.runs.height :]


def _each(
    engine: Engine, case: Case, rules: Sequence[Rule], examined: Examined, values: Mapping[int, Any]
) -> Iterator[CaseRunAgain]:
    """The case runs of a shard one by one."""
    frames = judge_examined(engine, examined)
    first = len(case.checks)
    outcomes = frames["check_outcomes"].filter(pl.col("check_key") >= first)
    told = outcomes.join(frames["judged_case_runs"].select("judged_key", "case_run_id"), on="judged_key", how="inner")
    results = _by_case_run(told.select("case_run_id", "check_key", "passed", "reason"))
    facts = _by_case_run(frames["facts"])
    own = {name: _by_case_run(frames[name]) for name in TOLD}
    documents = {key: part for (key,), part in examined.documents.partition_by("run", as_dict=True).items()}
    for run, key in examined.intake.runs.select("run", "case_run_id").iter_rows():
        yield CaseRunAgain(
            engine=engine,
            case=case,
            results={
                rules[check - first]: (passed, reason)
                for _, check, passed, reason in results.get(key, outcomes.head(0)).iter_rows()
            },
            facts={
                row["fact"]: row[row["type"]] for row in facts.get(key, frames["facts"].head(0)).iter_rows(named=True)
            },
            frames={name: own[name].get(key, frames[name].head(0)) for name in TOLD},
            documents=documents.get(run, examined.documents.head(0)),
            shard=examined.shard,
            values=values,
        )


def _by_case_run(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    return {str(key): part for (key,), part in rows.partition_by("case_run_id", as_dict=True).items()}


def _read(
    places: Sequence[CaseRunPlace],
    book: RuleBook,
    visitor: Extraction,
    workspaces_root: Path | None,
    recorded: Recalled | None,
) -> ShardReading:
    """The first of the case runs, as many as have texts of `MOST_TEXT_BYTES`; at least one."""
    if recorded is not None:
        wanted = pl.DataFrame({"case_run_id": [place.case_run_id for place in places]})
        found = wanted.join(recorded.places, on="case_run_id", how="left", maintain_order="left")
        return read_from_record(
            _first(Recalled(recorded.record, found.select(recorded.places.columns))), book.limits, visitor
        )
    return read_shard(
        places,
        layout=book.layout,
        limits=book.limits,
        visitor=visitor,
        identity=read_identity,
        workspaces_root=workspaces_root,
        most_text_bytes=MOST_TEXT_BYTES,
    )


def _first(recalled: Recalled) -> Recalled:
    """Its first case runs, as many as have texts of `MOST_TEXT_BYTES`; at least one."""
    sizes = recalled.documents.group_by("run").agg(size=pl.col("size").fill_null(0).sum())
    runs = pl.DataFrame({"run": range(recalled.places.height)}, schema={"run": pl.UInt32})
    before = (
        runs.join(sizes, on="run", how="left", maintain_order="left")["size"]
        .fill_null(0)
        .cum_sum()
        .shift(1, fill_value=0)
    )
    count = int((before < MOST_TEXT_BYTES).sum())
    return recalled if count == recalled.places.height else Recalled(recalled.record, recalled.places.head(count))


class _Keeping(Extraction):
    """Takes out what rules want and keeps the values: of a few case runs they are few."""

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
