"""Documents of the record read again: for rules whose results are not kept, and for looking at a case run closely."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from judge_polars.bundles import ShardReading, Visitor, compact, value_of
from judge_polars.engine import SHARD_TEXT_BYTES, Engine, Prepared, chosen_documents, shard_of
from judge_polars.facts.extraction import Extraction
from judge_polars.history.recall import Recalled
from judge_polars.intake_tables import text_form
from judge_polars.plan import JSON_METHODS, SERIES_PREFIX, ReadingPlan, plan_of
from judge_polars.rulebook import Limits
from judge_polars.rules.document_rules import evaluate_documents
from judge_polars.rules.select import select_documents
from judge_polars.tables import DOCUMENTS, FOUND_RUNS, ISSUES, SHARD_BUNDLES

FOUND: Final = pl.Schema({"run": pl.UInt32, "case": pl.UInt32, "place": pl.UInt32, "code": pl.UInt8})


def evaluate_missing(
    engine: Engine, recalled: Recalled, ready: Prepared, missing: pl.DataFrame
) -> tuple[pl.DataFrame, pl.DataFrame]:
    """Results of rules, from the texts of the documents that they read.

    Args:
        missing: `run`, `case`, `rule`, `place`.

    Returns:
        `FOUND`, and `tables.ISSUES` of the documents whose text the record should have and does not: they count as unread.
    """
    documents = chosen_documents(ready, recalled.documents)
    wanted = missing.select("run", "rule").sort("run", "rule")
    selected = select_documents(wanted, documents, engine.program.document_rules, engine.evidence_dir)
    found = [pl.DataFrame(schema=FOUND)]
    issues = [ISSUES.empty()]
    for runs in _runs_by_size(missing, documents.join(selected.select("doc").unique(), on="doc", how="semi")):
        part = _Part.of(engine, recalled, ready, missing, documents, selected, runs)
        found.append(part.results())
        issues.append(part.lost)
    return pl.concat(found), pl.concat(issues)


def _runs_by_size(missing: pl.DataFrame, needed: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Runs in order (`run`), as many at a time as need texts of `SHARD_TEXT_BYTES`."""
    sizes = needed.group_by("run").agg(size=pl.col("size").fill_null(0).sum())
    runs = missing.select("run").unique().join(sizes, on="run", how="left").sort("run")
    part = pl.col("size").fill_null(0).cum_sum() // SHARD_TEXT_BYTES
    for _, rows in runs.with_columns(part=part).group_by("part", maintain_order=True):
        yield rows.select("run")


@dataclass(frozen=True)
class _Part:
    """Some runs of a chunk, counted from 0, with the texts that their missing rules read.

    Attributes:
        asked: `run`, `case`, `rule`, `place`, and `whole_run`, the run in the chunk.
        documents: `tables.DOCUMENTS`, with `form` and `of_json`: a rule reads its JSON value.
        lost: `tables.ISSUES` of documents whose text is not in the record.
    """

    engine: Engine
    ready: Prepared
    asked: pl.DataFrame
    documents: pl.DataFrame
    lost: pl.DataFrame

    @classmethod
    def of(
        cls,
        engine: Engine,
        recalled: Recalled,
        ready: Prepared,
        missing: pl.DataFrame,
        documents: pl.DataFrame,
        selected: pl.DataFrame,
        runs: pl.DataFrame,
    ) -> _Part:
        """The runs `runs` of a chunk."""
        numbered = runs.rename({"run": "whole_run"}).with_row_index("run")

        def of_part(frame: pl.DataFrame) -> pl.DataFrame:
            renamed = frame.rename({"run": "whole_run"})
            return renamed.join(numbered, on="whole_run", how="inner", maintain_order="left")

        mine = of_part(documents).with_columns(form=text_form())
        read = mine.join(selected.select("doc").unique(), on="doc", how="semi").filter(~pl.col("unread"))
        texts = Recalled(recalled.record, recalled.places[runs["run"]]).texts(read)
        shown = _with_texts(mine, texts, read).join(
            _json_documents(engine, selected), on="doc", how="left", maintain_order="left"
        )
        part_runs = of_part(ready.runs).drop("whole_run")
        return cls(
            engine=engine,
            ready=Prepared(part_runs, ready.bundles),
            asked=of_part(missing),
            documents=shown.drop("doc").with_row_index("doc"),
            lost=_lost(shown, part_runs),
        )

    def results(self) -> pl.DataFrame:
        """`FOUND`."""
        engine, rules = self.engine, self.engine.program.document_rules
        plan = self._plan()
        documents = DOCUMENTS.check(self.documents.select(list(DOCUMENTS.schema)))
        extraction = Extraction(plan, engine.book.layout, compact)
        _visit(self.documents.filter("of_json"), self.ready.runs["case_id"].to_list(), engine.book.limits, extraction)
        shard = shard_of(engine, self.ready, documents, extraction.frames(documents), plan)
        wanted = self.asked.select("run", "rule").sort("run", "rule")
        results = evaluate_documents(wanted, rules, shard, documents, engine.evidence_dir)
        codes = self.asked.join(results, on=["run", "rule"], how="left")
        return codes.select("case", "place", "code", run="whole_run").select(list(FOUND))

    def _plan(self) -> ReadingPlan:
        """What the missing rules want of JSON values."""
        rules, cases = self.engine.program.document_rules, self.engine.book.cases
        of_case = self.asked.select("case", "rule").unique().sort("case", "rule").group_by("case").agg("rule")
        return plan_of(
            {cases[case].id: tuple(rules[rule] for rule in numbers) for case, numbers in of_case.iter_rows()}
        )


def _with_texts(documents: pl.DataFrame, texts: pl.DataFrame, read: pl.DataFrame) -> pl.DataFrame:
    """Documents in order with `text`; those of `read` without a text in the record are `lost`, and count as unread."""
    known = texts.select("digest", "form", "text", there=pl.lit(value=True))
    wanted = read.select("doc", wanted=pl.lit(value=True))
    lost = pl.col("wanted").fill_null(value=False) & pl.col("there").is_null()
    return (
        documents.join(known, on=["digest", "form"], how="left", maintain_order="left")
        .join(wanted, on="doc", how="left", maintain_order="left")
        .sort("doc")
        .with_columns(lost=lost)
        .with_columns(unread=pl.col("unread") | pl.col("lost"), has_json=pl.col("has_json") & ~pl.col("lost"))
        .drop("there", "wanted")
    )


def _lost(documents: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """`tables.ISSUES` of documents without their text."""
    named = documents.filter("lost").join(runs.select("run", "case_run_id"), on="run", how="left")
    return named.select(
        "case_run_id",
        code=pl.lit("text_not_in_record"),
        document="name",
        detail=pl.lit("the record does not hold its text, and a rule asks for it: it counts as unread"),
    )


def _json_documents(engine: Engine, selected: pl.DataFrame) -> pl.DataFrame:
    """`doc`, `of_json` of the documents whose JSON value a rule reads."""
    rules = engine.program.document_rules
    numbers = [
        index
        for index, rule in enumerate(rules)
        if rule.method in JSON_METHODS or rule.method.startswith(SERIES_PREFIX)
    ]
    of_json = selected.filter(pl.col("rule").is_in(pl.Series(numbers, dtype=pl.UInt32).implode()))
    return of_json.select("doc").unique().with_columns(of_json=pl.lit(value=True))


def _visit(documents: pl.DataFrame, cases: list[str], limits: Limits, visitor: Visitor) -> None:
    """Hand the JSON value of each document that has one to a visitor; `form` says how its text was made."""
    valued = documents.filter(pl.col("has_json") & pl.col("text").is_not_null())
    columns = ("run", "bundle", "doc", "name", "artifact", "form", "text")
    for run, bundle, doc, name, artifact, form, text in valued.select(columns).iter_rows():
        visitor.visit(run, bundle, doc, cases[run], name, artifact, value_of(form, text, limits))


def read_from_record(recalled: Recalled, limits: Limits, visitor: Visitor) -> ShardReading:
    """What `bundles.read_shard` gives for these case runs, from the record; JSON values are visited as they are there.

    Documents whose text the record lacks count as unread.
    """
    bundles = recalled.bundles.sort("bundle").with_row_index("new_bundle")
    number = bundles.select("bundle", "new_bundle")

    def renumbered(frame: pl.DataFrame) -> pl.DataFrame:
        joined = frame.join(number, on="bundle", how="left", maintain_order="left")
        return joined.with_columns(bundle="new_bundle").drop("new_bundle")

    documents = recalled.documents.with_columns(form=text_form())
    read = documents.filter(~pl.col("unread"))
    shown = renumbered(_with_texts(documents, recalled.texts(read), read)).drop("doc").with_row_index("doc")
    _visit(shown, recalled.runs["case_id"].to_list(), limits, visitor)
    return ShardReading(
        runs=recalled.runs.select(list(FOUND_RUNS.schema)),
        candidates=renumbered(recalled.table("candidates")),
        bundles=renumbered(bundles.drop("new_bundle"))
        .with_columns(patch_shape_valid=pl.lit(None, pl.Boolean))
        .select(list(SHARD_BUNDLES.schema)),
        documents=DOCUMENTS.check(shown.select(list(DOCUMENTS.schema))),
        issues=renumbered(recalled.table("issues")),
    )
