"""Which columns the tables of a batch have, by the batch's kind (specification 60, "the record")."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

import polars as pl

from judge_polars.intake_tables import INTAKE_TABLES, TEXTS
from judge_polars.kept import JUDGED_STATES, RULE_CODES, RULE_SETS, STATES
from judge_polars.tables import EVAL_RUNS, ISSUES, PUBLISHED_TABLES

INGESTED: Final = ("ingest", "compacted")
"""Kinds of batches that hold case runs as they were read."""

_KEPT: Final = {
    RULE_CODES.name: {name: dtype for name, dtype in RULE_CODES.schema.items() if name != "packed"},
    RULE_SETS.name: RULE_SETS.schema,
}
"""Results of rules of another form are as if they were not kept."""
_READ: Final = {
    "outside_issues": ISSUES.schema,
    **{table.name: table.schema for table in (*INTAKE_TABLES, TEXTS, STATES, EVAL_RUNS)},
    **_KEPT,
}
_JUDGED: Final = {**{table.name: table.schema for table in (*PUBLISHED_TABLES, JUDGED_STATES)}, **_KEPT}


def columns_of(kind: str, table: str) -> Mapping[str, pl.DataType]:
    """The columns that a table of a batch must have; it may have more.  Empty where the table is not known."""
    return (_READ if kind in INGESTED else _JUDGED).get(table, {})


def require_columns(path: Path, kind: str, table: str) -> None:
    """Look whether a Parquet file has the columns of its table.

    Raises:
        OSError, PolarsError: it is missing, cannot be read, or is no Parquet file.
        ValueError: a column is missing, or of another type.
    """
    with path.open("rb") as file:  # of a path Polars would expand `~`, `*` and `[`
        found = pl.read_parquet_schema(file)
    wrong = [name for name, dtype in columns_of(kind, table).items() if found.get(name) != dtype]
    if wrong:
        raise ValueError(f"it has not the columns of {table}: {', '.join(wrong[:3])}")
