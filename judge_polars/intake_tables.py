"""The tables of an intake: what is known of case runs whatever the cases of a registry say.

An intake is made once, when files are read (`intake.py`); it may be kept and judged again without them.

Keys (`run`, `bundle`, `doc`, `series`) are small integers within the intake, as in a shard; the record keeps these tables as they
stand, and case runs are judged again from them alone.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import polars as pl

from judge_polars.tables import (
    CANDIDATES,
    DOCUMENTS,
    EVIDENCE_SERIES,
    FOUND_RUNS,
    POINTS,
    RUN,
    SHARD_BUNDLES,
    SHARD_EVENTS,
    SHARD_ISSUES,
    SHARD_QUERIES,
    SHARD_REFS,
    Column,
    Table,
)
from judge_polars.vocabulary import ROUTING_CHANNELS


def _columns(*columns: tuple[str, pl.DataType | type[pl.DataType], str]) -> tuple[Column, ...]:
    return tuple(Column(name, dtype() if isinstance(dtype, type) else dtype, text) for name, dtype, text in columns)


_DIGESTS: Final = _columns(
    ("content_digest", pl.String, "sha256 over document names and digests and the output text"),
    ("bundle_digest", pl.String, "likewise, and over the case run's record"),
)

INTAKE_RUNS: Final = Table(
    "runs",
    "case run as it was read",
    (
        *_columns(RUN),
        *FOUND_RUNS.columns,
        *_columns(
            ("has_output", pl.Boolean, "the output text holds a character that is not white space"),
            ("revision", pl.String, "sha256 over all that was read of it: record, candidates, documents, oddities"),
        ),
        *(Column(column.name, column.dtype, f"{column.meaning}, as if it had no bundle") for column in _DIGESTS),
    ),
)

_ref_counts: tuple[tuple[str, type[pl.DataType], str], ...] = tuple(
    column
    for channel in ROUTING_CHANNELS
    for column in (
        (f"{channel}_refs", pl.UInt32, f"references of channel {channel}"),
        (f"{channel}_unfit", pl.UInt32, "of these, how many do not point at something that is there"),
    )
)

INTAKE_BUNDLES: Final = Table(
    "bundles",
    "distinct valid candidate of a case run, with every fact that no case has a part in",
    (
        *SHARD_BUNDLES.columns,
        *_columns(
            ("collection_error_count", pl.Int64, "`evidence.collection_error_count`"),
            ("artifacts", pl.List(pl.String), "logical artifacts of which a file is there, sorted"),
            ("key_refs", pl.Boolean, "a reference is of the role key"),
            ("supporting_refs", pl.Boolean, "a reference is of the role supporting"),
            *_ref_counts,
        ),
        *_DIGESTS,
    ),
)

INTAKE_DOCUMENTS: Final = Table(
    "documents",
    "document of a distinct bundle, or the output text of a case run, without its text",
    tuple(column for column in DOCUMENTS.columns if column.name != "text"),
)

INTAKE_REFS: Final = Table(
    "refs",
    "well-formed reference of an analysis patch",
    (
        *SHARD_REFS.columns,
        *_columns(
            ("fits", pl.Boolean, "whether it points at something that is there"),
            ("reason", pl.String, "why it does not, or null"),
        ),
    ),
)

INTAKE_TABLES: Final = (
    INTAKE_RUNS,
    INTAKE_BUNDLES,
    INTAKE_DOCUMENTS,
    INTAKE_REFS,
    Table("candidates", CANDIDATES.grain, CANDIDATES.columns),
    Table("issues", SHARD_ISSUES.grain, SHARD_ISSUES.columns),
    Table("series", EVIDENCE_SERIES.grain, EVIDENCE_SERIES.columns),
    Table("points", POINTS.grain, POINTS.columns),
    Table("queries", SHARD_QUERIES.grain, SHARD_QUERIES.columns),
    Table("events", SHARD_EVENTS.grain, SHARD_EVENTS.columns),
)
"""Fields of `intake.Intake`, by name."""


@dataclass(frozen=True)
class Intake:
    """What is known of case runs; frames of `INTAKE_TABLES`, named as they are there.  `run` counts from 0 without a gap."""

    runs: pl.DataFrame
    bundles: pl.DataFrame
    documents: pl.DataFrame
    refs: pl.DataFrame
    candidates: pl.DataFrame
    issues: pl.DataFrame
    series: pl.DataFrame
    points: pl.DataFrame
    queries: pl.DataFrame
    events: pl.DataFrame

    def __post_init__(self) -> None:
        for table in INTAKE_TABLES:
            table.check(getattr(self, table.name))

    def frames(self) -> dict[str, pl.DataFrame]:
        """Table name -> frame."""
        return {field.name: getattr(self, field.name) for field in fields(self)}


RUNS_PER_BLOCK: Final = 250

TEXTS: Final = Table(
    "texts",
    "distinct text of documents, sorted by block and name",
    _columns(
        ("block", pl.UInt32, "`run // RUNS_PER_BLOCK` of the first case run that has it"),
        ("name", pl.String, "name of the document there"),
        ("digest", pl.String, "sha256 hex of the bytes on disk"),
        ("form", pl.UInt8, "how the text was made of them: `text_form`"),
        ("text", pl.String, "text for matching; null when only white space"),
    ),
)
TEXTS_PER_ROW_GROUP: Final = 256


def texts_of(documents: pl.DataFrame) -> pl.DataFrame:
    """`TEXTS` of `tables.DOCUMENTS`: each text once."""
    told = documents.filter(~pl.col("unread") & pl.col("digest").is_not_null())
    blocks = (pl.col("run") // RUNS_PER_BLOCK).cast(pl.UInt32)
    return TEXTS.check(
        told.with_columns(block=blocks, form=text_form())
        .unique(["digest", "form"], keep="first", maintain_order=True)
        .select(list(TEXTS.schema))
        .sort("block", "name", maintain_order=True)
    )


def text_form() -> pl.Expr:
    """How a document's text was made of its bytes: 0 as text, 1 as JSON that is none, 2 as JSON, 3 as JSON lines, 4 as output.

    Bytes of the same digest and form have the same text.
    """
    kind = pl.col("kind")
    return (
        pl.when(pl.col("bundle").is_null())
        .then(4)
        .when((kind == "json") & pl.col("has_json"))
        .then(2)
        .when(kind == "json")
        .then(1)
        .when(kind == "jsonl")
        .then(3)
        .otherwise(0)
        .cast(pl.UInt8)
    )
