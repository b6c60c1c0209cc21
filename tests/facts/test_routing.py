"""References of analysis patches and what they point at (specification 30, "Routing facts")."""

from __future__ import annotations

import polars as pl
import pytest

from judge_polars.facts.routing import count_refs, fit_refs, settle_refs
from judge_polars.tables import DOCUMENTS, EVIDENCE_SERIES, SHARD_EVENTS, SHARD_QUERIES, SHARD_REFS

OTHER = 1
"""A bundle whose evidence is not that of bundle 0."""
SERIES = [
    (0, "cpu", ["instance\0tikv-0", "job\0tikv"]),
    (0, "cpu", ["instance\0tikv-1"]),
    (0, "disk", ['path\0C:\\a "b"']),
    (OTHER, "memory", []),
]
QUERIES = [(0, "q1"), (OTHER, "q2")]
EVENTS = [(0, "e1"), (OTHER, "e2")]
FILES = [
    (0, "logs/tikv.log", "one\nServer  is\tBUSY\nthree", 3, False),
    (0, "tikv.log", "another", 1, False),
    (0, "root.log", "at the root", 1, False),
    (0, "logs/odd.log:9", "named like a line", 1, False),
    (0, "logs/odd.log", "one", 1, False),
    (0, "evidence/a.json", '{"status":"down"}', 1, True),
    (0, "logs/unread.log", None, None, False),
    (OTHER, "logs/other.log", "other", 1, False),
]


def documents() -> pl.DataFrame:
    """`tables.DOCUMENTS` of the files."""
    rows = [
        (
            *(doc, bundle, bundle, name, None, name.startswith("logs/"), False, "json" if is_json else "text"),
            *(text is None, is_json, text, True, 1, lines, ""),
        )
        for doc, (bundle, name, text, lines, is_json) in enumerate(FILES)
    ]
    return pl.DataFrame(rows, schema=DOCUMENTS.schema, orient="row")


def references(*written: tuple[str, str, str | None], bundle: int = 0, role: str = "key") -> pl.DataFrame:
    """`tables.SHARD_REFS` of (channel, ref, quote)."""
    rows = [(bundle, 0, "item", role, *one) for one in written]
    return pl.DataFrame(rows, schema=SHARD_REFS.schema, orient="row")


def fitted(refs: pl.DataFrame) -> pl.DataFrame:
    """References against the evidence above."""
    series = [(bundle, "m.json", at, name, labels) for at, (bundle, name, labels) in enumerate(SERIES)]
    return fit_refs(
        refs,
        series=pl.DataFrame(series, schema=EVIDENCE_SERIES.schema, orient="row"),
        queries=pl.DataFrame(
            [(bundle, "q.json", id, None, None) for bundle, id in QUERIES], schema=SHARD_QUERIES.schema, orient="row"
        ),
        events=pl.DataFrame(
            [(bundle, "e.json", id) for bundle, id in EVENTS], schema=SHARD_EVENTS.schema, orient="row"
        ),
        documents=documents(),
        logs_dirs=["logs"],
    )


REFERENCES: dict[str, tuple[str, str, str | None, str | None]] = {
    "metric": ("metric", "cpu", None, None),
    "labels of one series": ("metric", 'cpu{instance="tikv-0", job="tikv"}', None, None),
    "a label of the second series": ("metric", 'cpu { instance = "tikv-1" }', None, None),
    "labels of two series": ("metric", 'cpu{instance="tikv-1", job="tikv"}', None, "labels_not_on_one_series"),
    "label of another value": ("metric", 'cpu{job="pd"}', None, "labels_not_on_one_series"),
    "no labels": ("metric", "cpu{}", None, None),
    "escapes in a label": ("metric", r'disk{path="C:\\a \"b\""}', None, None),
    "metric in another case": ("metric", "CPU", None, "no_such_metric"),
    "metric of another bundle": ("metric", "memory", None, "no_such_metric"),
    "regex selector": ("metric", 'cpu{job=~"tikv"}', None, "selector_not_understood"),
    "text behind the selector": ("metric", 'cpu{job="tikv"}[5m]', None, "selector_not_understood"),
    "query": ("query", "q1", None, None),
    "query of another bundle": ("query", "q2", None, "no_such_query"),
    "event": ("event", "e1", None, None),
    "event of another bundle": ("event", "e2", None, "no_such_event"),
    "query that is an event": ("query", "e1", None, "no_such_query"),
    "log": ("log", "tikv.log", None, None),
    "log from the root": ("log", "logs/tikv.log", None, None),
    "log in the root": ("log", "root.log", None, None),
    "document that is no log": ("log", "evidence/a.json", None, None),
    "no such log": ("log", "pd.log", None, "no_such_document"),
    "log of another bundle": ("log", "other.log", None, "no_such_document"),
    "first line": ("log", "tikv.log:1", None, None),
    "last line": ("log", "tikv.log:3", None, None),
    "line of a link": ("log", "tikv.log#L3", None, None),
    "line 0": ("log", "tikv.log:0", None, "no_such_line"),
    "line behind the last": ("log", "tikv.log:4", None, "no_such_line"),
    "line of a file that is not read": ("log", "unread.log:1", None, "no_such_line"),
    "line of no log": ("log", "pd.log:1", None, "no_such_document"),
    "the whole as a path first": ("log", "odd.log:9", None, None),
    "quote": ("log", "tikv.log", "server is busy", None),
    "quote written otherwise": ("log", "tikv.log", "SERVER\nis  Busy", None),
    "quote beside a line": ("log", "tikv.log:3", "server is busy", None),
    "quote beside a line that is not there": ("log", "tikv.log:4", "server is busy", "no_such_line"),
    "quote of the file in the root": ("log", "tikv.log", "another", "quote_not_found"),
    "quote that is not there": ("log", "tikv.log:1", "server is idle", "quote_not_found"),
    "quote of JSON": ("log", "evidence/a.json", '"status": "down"', None),
    "quote of what is not read": ("log", "unread.log", "x", "quote_not_found"),
}


@pytest.mark.parametrize(("channel", "ref", "quote", "reason"), REFERENCES.values(), ids=REFERENCES)
def test_what_a_reference_points_at(channel: str, ref: str, quote: str | None, reason: str | None) -> None:
    found = fitted(references((channel, ref, quote)))
    assert found.select("ref", "fits", "reason").rows() == [(ref, reason is None, reason)]


def test_references_at_once_are_what_each_is_alone() -> None:
    found = fitted(references(*(one[:3] for one in REFERENCES.values())))
    assert found["reason"].to_list() == [one[3] for one in REFERENCES.values()]
    assert found["fits"].to_list() == [one[3] is None for one in REFERENCES.values()]


@pytest.mark.parametrize(
    ("observed", "resolved"),
    [((True, False), ["log"]), ((False, True), ["event"]), ((False, False), []), ((None, None), [])],
)
def test_of_observed_channels_logs_and_events_resolve(
    observed: tuple[bool | None, bool | None], resolved: list[str]
) -> None:
    nowhere = fitted(references(*((channel, "nowhere", None) for channel in ("metric", "query", "log", "event"))))
    schema = {"bundle": pl.UInt32, "logs": pl.Boolean, "events": pl.Boolean}
    settled = settle_refs(nowhere, pl.DataFrame([(0, *observed)], schema=schema, orient="row"))
    assert settled.filter("resolved")["channel"].to_list() == resolved
    assert settled["verified"].to_list() == [None, None, False, False]


def test_what_is_verified_resolves_without_its_channel() -> None:
    there = fitted(references(("metric", "cpu", None), ("query", "q1", None), ("log", "tikv.log", None)))
    settled = settle_refs(there, pl.DataFrame(schema={"bundle": pl.UInt32, "logs": pl.Boolean, "events": pl.Boolean}))
    assert settled.select("resolved", "verified").rows() == [(True, None), (True, None), (True, True)]


def test_references_are_counted_by_role_and_channel() -> None:
    refs = pl.concat(
        [
            references(("query", "q1", None), ("query", "q2", None), ("log", "pd.log", None)),
            references(("event", "e2", None), bundle=OTHER, role="supporting"),
        ]
    )
    counts = count_refs(fitted(refs)).sort("bundle")
    assert counts.select("key_refs", "supporting_refs").rows() == [(True, False), (False, True)]
    assert counts.select("query_refs", "log_refs", "event_refs", "metric_refs").rows() == [(2, 1, 0, 0), (0, 0, 1, 0)]
    assert counts.select("query_unfit", "log_unfit", "event_unfit").rows() == [(1, 1, 0), (0, 0, 0)]
