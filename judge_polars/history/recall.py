"""Case runs as the record has them: where each one lies, and its intake, texts and kept results of rules."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from judge_polars.history.forms import INGESTED
from judge_polars.history.record import Batch, Record
from judge_polars.history.together import read_together, repeated
from judge_polars.intake_tables import INTAKE_RUNS, INTAKE_TABLES, RUNS_PER_BLOCK, TEXTS, Intake, text_form
from judge_polars.kept import RULE_CODES, RULE_SETS, STATES
from judge_polars.sources import DOCUMENT_TEXTS
from judge_polars.tables import Table

RUNS_PER_CHUNK: Final = 20_000
_PART: Final = 4
"""Of a batch that has so many times as many runs as are wanted, only the rows of these are read."""
_KEYS: Final = {"bundle": "bundles", "doc": "documents", "series": "series"}
"""Key -> the table that has a row for each."""
_PLACES: Final = pl.Schema(
    {
        "case_run_id": pl.String,
        "eval_run_id": pl.String,
        "case_id": pl.String,
        "trial": pl.Int64,
        "revision": pl.String,
        "batch": pl.Int64,
        "batch_run": pl.UInt32,
        "layout_digest": pl.String,
    }
)


def current_states(record: Record) -> pl.DataFrame:
    """`kept.STATES`, the latest of each case run."""
    return STATES.check(latest(record, "states", STATES).unique("case_run_id", keep="last", maintain_order=True))


def latest(record: Record, name: str, table: Table, columns: Sequence[str] | None = None) -> pl.DataFrame:
    """The rows of a table of all batches (some of its columns), in the order in which they came into the record."""
    wanted = {column: table.schema[column] for column in columns or table.schema}
    batches = [batch for batch in record.batches() if batch.has(name)]
    every, heights = read_together(batches, name, pl.Schema({**wanted, "noted": pl.Int64()}))
    every = every.with_columns(pl.col("noted").fill_null(repeated([batch.number for batch in batches], heights)))
    ordered = every if every["noted"].is_sorted() else every.sort("noted", maintain_order=True)
    return ordered.drop("noted")


def places_of_runs(record: Record) -> pl.DataFrame:
    """Every case run in its latest revision, by id: `case_run_id`, `eval_run_id`, `case_id`, `trial`, `revision`, `batch` and
    `batch_run` (where its intake lies), `layout_digest` (what it was read with)."""
    batches = [batch for batch in record.batches(*INGESTED) if batch.has("runs")]
    if not batches:
        return pl.DataFrame(schema=_PLACES)
    names = ("case_run_id", "eval_run_id", "case_id", "trial", "revision", "run")
    every, heights = read_together(batches, "runs", pl.Schema({name: INTAKE_RUNS.schema[name] for name in names}))
    every = every.rename({"run": "batch_run"}).with_columns(
        batch=repeated([batch.number for batch in batches], heights)
    )
    states = latest(record, "states", STATES, ["case_run_id", "revision", "layout_digest"])
    states = states.unique("case_run_id", keep="last")
    read = every.join(states, on=["case_run_id", "revision"], how="inner", maintain_order="left")
    read = read.unique("case_run_id", keep="last", maintain_order=True)
    return read.select(list(_PLACES)).sort("eval_run_id", "case_id", "trial")


def chunks(places: pl.DataFrame, most: int = RUNS_PER_CHUNK) -> Iterator[pl.DataFrame]:
    """The places, batch by batch, so many at a time; the runs of a case lie together."""
    ordered = places.sort("batch", "batch_run")
    for first in range(0, ordered.height, most):
        yield ordered.slice(first, most).sort("case_id", "batch", "batch_run")


@dataclass(frozen=True)
class Recalled:
    """Some case runs of the record; `run` counts them from 0, in the order of `places`.

    Keys of bundles, documents and series are unique within this object, and mean the same in all of its tables.
    """

    record: Record
    places: pl.DataFrame

    @cached_property
    def _batches(self) -> list[Batch]:
        wanted = set(self.places["batch"])
        return [batch for batch in self.record.batches(*INGESTED) if batch.number in wanted]

    @cached_property
    def _first_keys(self) -> dict[int, dict[str, int]]:
        """Batch -> key -> what is added to it, so that no two batches share one."""
        firsts: dict[int, dict[str, int]] = {}
        next_key = dict.fromkeys(_KEYS, 0)
        for batch in self._batches:
            firsts[batch.number] = dict(next_key)
            for key, table in _KEYS.items():
                next_key[key] += batch.rows(table)
        return firsts

    @cached_property
    def _numbered(self) -> pl.DataFrame:
        return self.places.select("batch", "batch_run").with_row_index("new_run")

    @cached_property
    def runs(self) -> pl.DataFrame:
        """`intake_tables.INTAKE_RUNS`."""
        runs = self.table("runs")
        return runs if runs["run"].is_sorted() else runs.sort("run")

    @cached_property
    def bundles(self) -> pl.DataFrame:
        """`intake_tables.INTAKE_BUNDLES`."""
        return self.table("bundles")

    @cached_property
    def documents(self) -> pl.DataFrame:
        """`intake_tables.INTAKE_DOCUMENTS`."""
        return self.table("documents")

    def intake(self, runs: pl.Series) -> Intake:
        """The intake of some of the runs, but for the points of their series, which are most of it and are never published; `run`
        is still that of this object."""
        wanted = pl.DataFrame({"run": runs})
        frames = {
            table.name: table.empty() if table.name in _OF_SERIES else self.table(table.name) for table in INTAKE_TABLES
        }
        frames = {
            name: frame.join(wanted, on="run", how="semi", maintain_order="left") if "run" in frame.columns else frame
            for name, frame in frames.items()
        }
        bundles = frames["bundles"].select("bundle")
        for name in _OF_BUNDLE:
            frames[name] = frames[name].join(bundles, on="bundle", how="semi", maintain_order="left")
        return Intake(**frames)

    def table(self, name: str) -> pl.DataFrame:
        """A table of the intake, of these runs (of all runs of their batches where it has no `run`)."""
        declared = next(table for table in INTAKE_TABLES if table.name == name)
        whole = [batch for batch in self._batches if batch.has(name)]
        partly = [batch for batch in whole if "run" in declared.schema and batch.number in self._few]
        whole = [batch for batch in whole if batch not in partly]
        parts = [declared.empty()]
        for batches in [whole, *([batch] for batch in partly)]:
            where = self._few[batches[0].number] if batches is not whole else None
            frame, heights = read_together(batches, name, declared.schema, where)
            for key in _KEYS:
                if key in frame.columns:
                    first = [self._first_keys[batch.number][key] for batch in batches]
                    frame = frame.with_columns((pl.col(key) + repeated(first, heights)).cast(pl.UInt32))
            if "run" in declared.schema:
                frame = self._mine(frame, batches, heights)
            parts.append(frame)
        return declared.check(pl.concat(parts))

    @cached_property
    def _few(self) -> dict[int, pl.Expr]:
        """Batches of which these runs are a small part -> where in its tables they lie."""
        held = {batch.number: batch.rows("runs") for batch in self._batches}
        spans = self.places.group_by("batch").agg(
            first=pl.col("batch_run").min(), last=pl.col("batch_run").max(), count=pl.len()
        )
        return {
            number: pl.col("run").is_between(first, last)
            for number, first, last, count in spans.iter_rows()
            if count * _PART < held[number]
        }

    @cached_property
    def _spans(self) -> dict[int, tuple[int, int]]:
        """Batch -> where its runs begin and end in `_new_runs`."""
        ends = self.places.group_by("batch").agg(end=pl.col("batch_run").max().cast(pl.Int64) + 1).sort("batch")
        last = ends["end"].cum_sum()
        return {batch: (end - size, end) for batch, size, end in zip(ends["batch"], ends["end"], last, strict=True)}

    @cached_property
    def _new_runs(self) -> npt.NDArray[np.int64]:
        """The run of this object by batch and run of the batch, or -1; the last one is -1."""
        new_runs = np.full(max((end for _, end in self._spans.values()), default=0) + 1, -1, dtype=np.int64)
        first = {batch: begin for batch, (begin, _) in self._spans.items()}
        batches = self.places["batch"].replace_strict(first, return_dtype=pl.Int64).to_numpy()
        new_runs[batches + self.places["batch_run"].to_numpy()] = np.arange(self.places.height)
        return new_runs

    def _mine(self, frame: pl.DataFrame, batches: Sequence[Batch], heights: Sequence[int]) -> pl.DataFrame:
        """The rows of these runs, `run` that of this object."""
        begins, ends = (repeated([self._spans[batch.number][at] for batch in batches], heights) for at in (0, 1))
        at = frame["run"].to_numpy() + begins.to_numpy()
        run = self._new_runs[np.where(at < ends.to_numpy(), at, -1)]
        found = frame.with_columns(run=pl.Series(run))
        return (found if (run >= 0).all() else found.filter(pl.col("run") >= 0)).cast({"run": pl.UInt32})

    def texts(self, wanted: pl.DataFrame) -> pl.DataFrame:
        """`intake_tables.TEXTS` of `digest`, `form`, `name`; first where these runs lie, then everywhere."""
        keys = wanted.select("digest", "form").unique()
        found = [TEXTS.empty()]
        own = {batch.number for batch in self._batches}
        every = [batch for batch in self.record.batches(*INGESTED) if batch.has("texts")]
        near = [(batch, self._near(batch, wanted)) for batch in every if batch.number in own]
        for batch, where in [*near, *((batch, pl.lit(value=True)) for batch in every)]:
            if keys.is_empty():
                break
            rows = batch.scan("texts").filter(where).join(keys.lazy(), on=["digest", "form"], how="semi")
            found.append(TEXTS.check(rows.collect(engine="in-memory")))
            keys = keys.join(found[-1], on=["digest", "form"], how="anti")
        return pl.concat(found)

    def _near(self, batch: Batch, wanted: pl.DataFrame) -> pl.Expr:
        """Where in a batch the texts of these runs lie unless other runs have them, too."""
        mine = self._numbered.filter(pl.col("batch") == batch.number)["batch_run"] // RUNS_PER_BLOCK
        names = wanted["name"].unique().sort().to_list()
        return pl.col("block").is_between(mine.min(), mine.max()) & pl.col("name").is_in(names)

    def document_texts(self, roots: pl.DataFrame) -> pl.DataFrame:
        """`sources.DOCUMENT_TEXTS` of these runs, by case run and name.

        Args:
            roots: `case_run_id`, `root` of the chosen bundles; of others only the output is given.
        """
        documents = self.documents.with_columns(form=text_form())
        texts = self.texts(documents.filter(~pl.col("unread"))).select("digest", "form", "text")
        chosen = (
            self.bundles.select("run", "bundle", "root")
            .join(self.runs.select("run", "case_run_id"), on="run", how="inner")
            .join(roots, on=["case_run_id", "root"], how="semi")
        )
        mine = pl.col("bundle").is_null() | pl.col("bundle").is_in(chosen["bundle"].implode())
        return (
            documents.filter(mine)
            .join(texts, on=["digest", "form"], how="left", maintain_order="left")
            .join(self.runs.select("run", "case_run_id"), on="run", how="left", maintain_order="left")
            .rename({"name": "document"})
            .select(list(DOCUMENT_TEXTS))
            .sort("case_run_id", "document")
        )

    def own_codes(self) -> pl.DataFrame:
        """`kept.RULE_CODES` that were kept when these runs were read."""
        return read_codes(self._batches)


_OF_BUNDLE: Final = ("refs", "series", "queries", "events")
_OF_SERIES: Final = ("points",)


def read_codes(batches: Sequence[Batch]) -> pl.DataFrame:
    """`kept.RULE_CODES` of batches; those of another form are as if they were not kept."""
    return read_together(batches, "rule_codes", RULE_CODES.schema)[0].drop_nulls()


def read_rule_sets(batches: Sequence[Batch]) -> pl.DataFrame:
    """`kept.RULE_SETS` of batches."""
    every, _ = read_together(batches, "rule_sets", RULE_SETS.schema)
    return every.unique(["rule_set", "position"], maintain_order=True)
