"""Evidence that references and notebooks point at: queries, events, metrics (specification 30, "Evidence facts").

`queries.json` and its like are found as a bare selector is: directly in the evidence directory, else in the bundle's
root.  Which of two counts is known only when all documents are, so both are kept until then.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any, Final

import polars as pl

from judge_polars.facts.series import label_lists, own_level
from judge_polars.tables import EVIDENCE_SERIES, SHARD_EVENTS, SHARD_QUERIES

DIGEST_NAMES: Final = ("digest", "sql_digest", "query_digest", "plan_digest")
OTHER_QUERY_ID_NAMES: Final = ("id", "query_id")
QUERY_TEXT_NAMES: Final = ("text", "sql", "sql_text", "query", "query_text", "statement", "digest_text", "sample_sql")
EVENT_ID_NAMES: Final = ("id", "event_id", "uid")

QUERIES_FILE: Final = "queries.json"
EVENTS_FILE: Final = "events.json"
ERRORS_FILE: Final = "collection_errors.json"
LIST_PLACES: Final = {
    QUERIES_FILE: ("queries", "items"),
    EVENTS_FILE: ("events", "items"),
    ERRORS_FILE: ("errors", "items"),
}
"""File -> members that may hold its list where the value itself is none."""


_ERRORS: Final = pl.Schema({"bundle": pl.UInt32, "document": pl.String, "collection_error_count": pl.Int64})


def list_in(value: object, members: Sequence[str]) -> list[Any] | None:
    """Of a value and its members of these names the first that is a list."""
    holders = [value, *(value.get(name) for name in members)] if isinstance(value, dict) else [value]
    return next((holder for holder in holders if isinstance(holder, list)), None)


def ids(entry: Mapping[str, object], names: Sequence[str]) -> list[str]:
    """Distinct ids of an entry, in the order of names: texts that are not empty, and integers as their digits."""
    found: list[str] = []
    for name in names:
        value = entry.get(name)
        if type(value) is int:
            value = str(value)
        if type(value) is str and value and value not in found:
            found.append(value)
    return found


def query_text(entry: Mapping[str, object], names: Sequence[str] = QUERY_TEXT_NAMES) -> str | None:
    """The SQL text of a query entry, or None."""
    for name in names:
        text = entry.get(name)
        if type(text) is str:
            return text
    return None


def named_metrics(value: object) -> Iterator[tuple[object, str, list[str]]]:
    """Element, name and labels of what may only name a metric: texts, and objects with a `name` or `metric`."""
    for element in value if isinstance(value, list) else (value,):
        if isinstance(element, str) and element:
            yield element, element, []
        elif isinstance(element, dict):
            level = own_level(element)
            if level is not None:
                yield element, *level


class EvidenceColumns:
    """Evidence tables, filled document by document."""

    def __init__(self, evidence_dir: str) -> None:
        self._evidence_dir = evidence_dir
        self._queries = _columns(SHARD_QUERIES.schema)
        self._events = _columns(SHARD_EVENTS.schema)
        self._errors = _columns(_ERRORS)
        self._series = _columns(EVIDENCE_SERIES.schema)

    def add_queries(self, bundle: int, document: str, entries: Iterable[object]) -> None:
        """One row per id of each query entry."""
        objects = [entry for entry in entries if type(entry) is dict]
        there = set[str]().union(*objects)
        digest_names, other_names, text_names = (
            [name for name in names if name in there]
            for names in (DIGEST_NAMES, OTHER_QUERY_ID_NAMES, QUERY_TEXT_NAMES)
        )
        queries, digests, texts = (self._queries[name] for name in ("query_id", "digest", "query_text"))
        before = len(queries)
        for entry in objects:
            of_digests = ids(entry, digest_names)
            found = of_digests + [query_id for query_id in ids(entry, other_names) if query_id not in of_digests]
            if found:
                queries += found
                digests += repeat(of_digests[0] if of_digests else None, len(found))
                texts += repeat(query_text(entry, text_names), len(found))
        self._place(self._queries, bundle, document, len(queries) - before)

    def add_events(self, bundle: int, document: str, entries: Iterable[object]) -> None:
        """One row per id of each event entry."""
        objects = [entry for entry in entries if type(entry) is dict]
        there = set[str]().union(*objects)
        names = [name for name in EVENT_ID_NAMES if name in there]
        found = [event_id for entry in objects for event_id in ids(entry, names)]
        self._events["event_id"] += found
        self._place(self._events, bundle, document, len(found))

    def add_errors(self, bundle: int, document: str, entries: Sequence[object]) -> None:
        """The number of collection errors."""
        self._errors["collection_error_count"].append(len(entries))
        self._place(self._errors, bundle, document, 1)

    def add_series(
        self,
        bundle: int,
        document: str,
        series: Sequence[int | None],
        names: Sequence[str],
        labels: Sequence[list[str]],
    ) -> None:
        """Metric series, or (None) metrics that the report only names."""
        self._series["series"] += series
        self._series["name"] += names
        self._series["labels"] += labels
        self._place(self._series, bundle, document, len(series))

    @staticmethod
    def _place(columns: dict[str, list[Any]], bundle: int, document: str, rows: int) -> None:
        """Say where the last rows come from."""
        columns["bundle"] += repeat(bundle, rows)
        columns["document"] += repeat(document, rows)

    def queries(self, documents: pl.DataFrame) -> pl.DataFrame:
        """`tables.SHARD_QUERIES`."""
        return self._that_count(pl.DataFrame(self._queries, schema=SHARD_QUERIES.schema), QUERIES_FILE, documents)

    def events(self, documents: pl.DataFrame) -> pl.DataFrame:
        """`tables.SHARD_EVENTS`."""
        return self._that_count(pl.DataFrame(self._events, schema=SHARD_EVENTS.schema), EVENTS_FILE, documents)

    def error_counts(self, documents: pl.DataFrame) -> pl.DataFrame:
        """`bundle`, `collection_error_count` of bundles that have such a list."""
        counts = pl.DataFrame(self._errors, schema=_ERRORS)
        return self._that_count(counts, ERRORS_FILE, documents).drop("document")

    def series(self) -> pl.DataFrame:
        """`tables.EVIDENCE_SERIES`."""
        labels = label_lists(self._series["labels"])
        return pl.DataFrame({**self._series, "labels": labels}, schema=EVIDENCE_SERIES.schema)

    def _that_count(self, rows: pl.DataFrame, file: str, documents: pl.DataFrame) -> pl.DataFrame:
        """Rows without those of a file in the root where the bundle has one of that name in the evidence directory."""
        first = documents.filter(pl.col("name") == f"{self._evidence_dir}/{file}").select(
            "bundle", document=pl.lit(file)
        )
        return rows.join(first, on=["bundle", "document"], how="anti", maintain_order="left")


def _columns(schema: pl.Schema) -> dict[str, list[Any]]:
    return {name: [] for name in schema}
