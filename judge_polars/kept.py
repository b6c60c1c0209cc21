"""Tables of the record that are no intake: states of case runs, kept results of rules, states of judged case runs."""

from __future__ import annotations

from typing import Final

import polars as pl

from judge_polars.tables import CASE_RUN_ID, TIMESTAMP, Column, Table


def _table(name: str, grain: str, *columns: tuple[str, pl.DataType | type[pl.DataType], str]) -> Table:
    made = tuple(
        Column(name, dtype() if isinstance(dtype, type) else dtype, meaning) for name, dtype, meaning in columns
    )
    return Table(name, grain, made)


STATES: Final = _table(
    "states",
    "case run that was looked at, with what it was found to be",
    CASE_RUN_ID,
    ("revision", pl.String, "of what was read (`runs.revision`)"),
    (
        "signature",
        pl.String,
        "over names, sizes and times of its files; empty where they were moved while they were read",
    ),
    ("layout_digest", pl.String, "layout, limits and engine that it was read with"),
    ("read_at", TIMESTAMP, "when"),
)

RULE_SETS: Final = _table(
    "rule_sets",
    "rule of a list of rules whose results are kept together",
    ("rule_set", pl.String, "digest over the list"),
    ("position", pl.UInt32, "counted from 0"),
    ("rule_digest", pl.String, "`rule_digests.rule_digests`"),
)

RULE_CODES: Final = _table(
    "rule_codes",
    "documents of a case run (bundle and output), list of rules",
    ("content_digest", pl.String, "of the documents"),
    ("rule_set", pl.String, "the list of rules"),
    ("packed", pl.Binary, "code of each rule, by position, a byte each: 0 true, else a reason's"),
)

JUDGED_STATES: Final = _table(
    "judged_states",
    "case run that a judgment judged",
    CASE_RUN_ID,
    ("revision", pl.String, "of what was read"),
    ("ground", pl.String, "digest of the registry and the engine's meaning that it was judged with"),
    ("state", pl.UInt64, "hash of everything that is published of it beside verdict and checks"),
)
