"""What a visit of a document keeps: evidence tables, and nodes and series of the documents that selectors name."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import polars as pl
import pytest

from judge_polars import tables
from judge_polars.facts.extraction import BUNDLE_COUNTS, Extraction
from judge_polars.plan import CaseReading, NodeRequest, ReadingPlan
from judge_polars.rulebook import Selector
from judge_polars.vocabulary import DEFAULT_LAYOUT

NOTHING = ReadingPlan((), (), {})
ARTIFACTS = {
    "diagnosis_report.json": "report",
    "manifest.json": "manifest",
    "analysis_patch.json": "analysis_patch",
    "telemetry.jsonl": "telemetry",
    "output": "output_text",
}


def visited(
    documents: Mapping[str, object],
    plan: ReadingPlan = NOTHING,
    others: tuple[str, ...] = (),
    layout: Mapping[str, tuple[str, ...]] = DEFAULT_LAYOUT,
) -> dict[str, pl.DataFrame]:
    """The frames of one bundle, number 4; `others` are documents without a JSON value."""
    extraction = Extraction(plan, layout, lambda value: json.dumps(value, separators=(",", ":")))
    rows: list[dict[str, object]] = []
    for doc, (name, value) in enumerate(documents.items()):
        bundle = None if name == "output" else 4
        extraction.visit(2, bundle, doc, "case-a", name, ARTIFACTS.get(name), value)
        rows.append({"doc": doc, "run": 2, "bundle": bundle, "name": name})
    rows += [{"doc": len(documents), "run": 2, "bundle": 4, "name": name} for name in others]
    known = {name: tables.DOCUMENTS.schema[name] for name in ("doc", "run", "bundle", "name")}
    return extraction.frames(pl.DataFrame(rows, schema=known))


def ids(frame: pl.DataFrame, column: str) -> list[str]:
    return frame[column].to_list()


def test_frames_are_the_declared_tables() -> None:
    declared = {table.name: table for table in tables.SHARD_TABLES}
    for documents in ({}, {"evidence/metrics.json": {"cpu": [1]}, "analysis_patch.json": [{"id": "i"}]}):
        frames = visited(documents)
        assert frames.pop("bundle_counts").schema == BUNDLE_COUNTS
        for name, frame in frames.items():
            assert frame.schema == declared[name].schema, name


QUERIES: dict[str, tuple[Any, list[str]]] = {
    "list": ([{"digest": "a"}, {"id": 7}], ["a", "7"]),
    "queries": ({"queries": [{"digest": "a"}]}, ["a"]),
    "items": ({"items": [{"digest": "a"}]}, ["a"]),
    "first_list_counts": ({"items": [{"digest": "b"}], "queries": [{"digest": "a"}]}, ["a"]),
    "first_is_no_list": ({"queries": {}, "items": [{"digest": "b"}]}, ["b"]),
    "no_list": ({"queries": {"digest": "a"}}, []),
    "all_names": (
        [{"query_id": "6", "id": "5", "plan_digest": "4", "query_digest": "3", "sql_digest": "2", "digest": "1"}],
        ["1", "2", "3", "4", "5", "6"],
    ),
    "same_id_once": ([{"digest": "a", "id": "a"}], ["a"]),
    "same_digest_once": ([{"digest": "a", "sql_digest": "a", "plan_digest": "b"}], ["a", "b"]),
    "large_integer": ([{"id": 2**70}], [str(2**70)]),
    "no_ids": ([{"digest": None, "id": True, "query_id": 1.5, "sql_digest": "", "other": "x"}, "text", 5], []),
}


@pytest.mark.parametrize(("value", "expected"), QUERIES.values(), ids=QUERIES.keys())
def test_query_ids(value: object, expected: list[str]) -> None:
    assert ids(visited({"evidence/queries.json": value})["shard_queries"], "query_id") == expected


def test_query_rows_tell_digest_and_text() -> None:
    entries = [{"id": 1, "sql_digest": "d", "plan_digest": "p", "sql": "select 1"}, {"id": "x"}]
    assert visited({"evidence/queries.json": entries})["shard_queries"].rows() == [
        (4, "evidence/queries.json", "d", "d", "select 1"),
        (4, "evidence/queries.json", "p", "d", "select 1"),
        (4, "evidence/queries.json", "1", "d", "select 1"),
        (4, "evidence/queries.json", "x", None, None),
    ]


def test_event_ids() -> None:
    documents = {
        "events.json": {"events": [{"id": "a", "event_id": 2, "uid": "c"}, {"id": 2, "uid": "2"}, {"name": "d"}]}
    }
    assert visited(documents)["shard_events"].rows() == [(4, "events.json", event) for event in ("a", "2", "c", "2")]


def test_the_report_holds_queries_and_events_too() -> None:
    report = {"evidence": {"queries": [{"digest": "r"}], "events": [{"uid": "e"}]}}
    frames = visited({"diagnosis_report.json": report, "evidence/queries.json": [{"digest": "f"}]})
    assert ids(frames["shard_queries"], "query_id") == ["r", "f"]
    assert ids(frames["shard_events"], "event_id") == ["e"]
    odds: list[object] = [
        {"evidence": {"queries": {"items": [{"digest": "r"}]}}},
        {"evidence": []},
        {"evidence": 1},
        {},
    ]
    for odd in odds:
        assert visited({"diagnosis_report.json": odd})["shard_queries"].is_empty()


@pytest.mark.parametrize(
    "name", ["manifest.json", "logs/queries.json", "evidence/old/queries.json", "evidence/queries.jsonl"]
)
def test_other_documents_hold_no_queries(name: str) -> None:
    assert visited({name: {"evidence": {"queries": [{"digest": "a"}]}, "queries": [{"digest": "a"}]}})[
        "shard_queries"
    ].is_empty()


@pytest.mark.parametrize(
    "order", [("queries.json", "evidence/queries.json"), ("evidence/queries.json", "queries.json")]
)
def test_evidence_directory_counts_before_the_root(order: tuple[str, str]) -> None:
    found = visited({name: [{"digest": name}] for name in order})["shard_queries"]
    assert ids(found, "query_id") == ["evidence/queries.json"]


def test_a_broken_file_in_the_evidence_directory_counts_too() -> None:
    documents = {"queries.json": [{"digest": "a"}], "collection_errors.json": [1, 2]}
    assert ids(visited(documents)["shard_queries"], "query_id") == ["a"]
    broken = visited(documents, others=("evidence/queries.json", "evidence/collection_errors.json"))
    assert broken["shard_queries"].is_empty()
    assert broken["bundle_counts"].is_empty()


ERRORS: list[tuple[Any, int | None]] = [
    ([], 0),
    ([1, 2], 2),
    ({"errors": [1]}, 1),
    ({"items": []}, 0),
    ({}, None),
    ("x", None),
]


@pytest.mark.parametrize(("value", "count"), ERRORS, ids=[str(value) for value, _ in ERRORS])
def test_collection_errors(value: object, count: int | None) -> None:
    rows = visited({"evidence/collection_errors.json": value})["bundle_counts"].rows()
    assert rows == ([] if count is None else [(4, None, count)])


def test_counts_of_a_bundle_are_one_row() -> None:
    documents = {
        "evidence/collection_errors.json": [1],
        "analysis_patch.json": [{"id": "i", "key_evidence": ["query:a"]}],
    }
    frames = visited(documents)
    assert frames["bundle_counts"].rows() == [(4, True, 1)]
    assert frames["shard_refs"].rows() == [(4, 0, "i", "key", "query", "a", None)]


METRICS: dict[str, tuple[Any, list[tuple[int | None, str, list[str]]]]] = {
    "series": ({"cpu": [1, 2]}, [(0, "cpu", [])]),
    "texts_name_metrics": (["cpu", "mem"], [(None, "cpu", []), (None, "mem", [])]),
    "text": ("cpu", [(None, "cpu", [])]),
    "number_texts_are_a_series": (["5", "6"], [(0, "evidence", [])]),
    "objects_name_metrics": (
        [{"name": "cpu"}, {"metric": "mem", "labels": {"a": "b"}}, {"metric": {"__name__": "up", "job": "x"}}],
        [(None, "cpu", []), (None, "mem", ["a\0b"]), (None, "up", ["job\0x"])],
    ),
    "named_with_points": ([{"name": "cpu", "values": [1]}, {"name": "mem"}], [(0, "cpu", []), (None, "mem", [])]),
    "named_with_no_points": ([{"name": "cpu", "values": []}], [(None, "cpu", [])]),
    "named_values": ([{"name": "cpu", "value": 1}], [(0, "evidence", []), (None, "cpu", [])]),
    "without_name": ([{"x": "cpu"}, 5, None, {"name": 5}, ""], []),
    "prometheus": ({"data": {"result": [{"metric": {"__name__": "up"}, "value": [1741078800, "1"]}]}}, [(0, "up", [])]),
    "null": (None, []),
}


@pytest.mark.parametrize("wanted_whole", [False, True], ids=["alone", "with a rule on the report"])
@pytest.mark.parametrize(("value", "rows"), METRICS.values(), ids=METRICS.keys())
def test_metrics_of_the_report(
    value: object, rows: list[tuple[int | None, str, list[str]]], wanted_whole: bool
) -> None:
    reading = CaseReading((), ((Selector(artifact="report"), None),))
    plan = ReadingPlan((), (), {"case-a": reading}) if wanted_whole else NOTHING
    report = {"evidence": {"metrics": value}, "z": {"other": [1]}}
    frames = visited({"diagnosis_report.json": report}, plan)
    assert frames["evidence_series"].rows() == [(4, "diagnosis_report.json", *row) for row in rows]
    assert ("other" in ids(frames["series"], "name")) is wanted_whole


def test_which_documents_hold_evidence_series() -> None:
    names = [
        "evidence/a_metrics.json",
        "evidence/deep/metric",
        "evidence/Metrics.json",
        "evidence/metrics/x.json",
        "metrics.json",
    ]
    found = visited({name: {"cpu": [1]} for name in names})["evidence_series"]
    assert ids(found, "document") == names[:2]
    layout = {**DEFAULT_LAYOUT, "evidence_dir": ("proof",)}
    other = visited({"proof/metrics.json": {"cpu": [1]}, "evidence/metrics.json": {"cpu": [1]}}, layout=layout)
    assert ids(other["evidence_series"], "document") == ["proof/metrics.json"]


SELECTORS: list[tuple[Selector, list[str]]] = [
    (Selector(name="a.json"), ["evidence/a.json", "a.json"]),
    (Selector(name="*.json"), ["evidence/a.json", "evidence/b.json"]),
    (Selector(name="?.json"), ["evidence/a.json", "evidence/b.json"]),
    (Selector(name="evidence/*"), ["evidence/a.json", "evidence/b.json"]),
    (Selector(name="**"), ["evidence/a.json", "evidence/b.json", "evidence/x/a.json"]),
    (Selector(name="**/a.json"), ["evidence/a.json", "evidence/x/a.json", "a.json", "logs/a.json"]),
    (Selector(name="logs/a.json"), ["logs/a.json"]),
    (Selector(name="A.json"), []),
    (Selector(name="output"), []),
    (Selector(artifact="evidence_dir"), ["evidence/a.json", "evidence/b.json", "evidence/x/a.json"]),
    (Selector(artifact="logs_dir"), ["logs/a.json"]),
    (Selector(artifact="telemetry"), ["telemetry.jsonl"]),
    (Selector(artifact="output_text"), ["output"]),
    (Selector(artifact="summary_json"), []),
]


@pytest.mark.parametrize(("selector", "expected"), SELECTORS, ids=[str(selector) for selector, _ in SELECTORS])
def test_documents_of_a_selector(selector: Selector, expected: list[str]) -> None:
    names = [
        "evidence/a.json",
        "evidence/b.json",
        "evidence/x/a.json",
        "a.json",
        "logs/a.json",
        "telemetry.jsonl",
        "output",
    ]
    reading = CaseReading(((selector, 0),), ((selector, 0),))
    plan = ReadingPlan((NodeRequest("$.x"),), ("$.s",), {"case-a": reading, "case-b": CaseReading((), ())})
    frames = visited({name: {"x": 1, "s": [1, 2], "t": [3]} for name in names}, plan)
    for path in (0, 1):
        assert [names[doc] for doc in frames["nodes"].filter(pl.col("path") == path)["doc"]] == expected
    assert [names[doc] for doc in frames["series"].filter(pl.col("name") == "s")["doc"]] == expected
    at_path = frames["series"].join(frames["series_paths"], on="series", how="semi", maintain_order="left")
    assert [(names[doc], name) for doc, name in at_path.select("doc", "name").rows()] == [
        (name, "s") for name in expected
    ]


def test_another_case_wants_nothing() -> None:
    plan = ReadingPlan((NodeRequest("$"),), (), {"case-b": CaseReading(((Selector(name="a.json"), 0),), ())})
    assert visited({"a.json": 1}, plan)["nodes"].is_empty()


def test_nodes_chosen_twice_count_their_series_once() -> None:
    reading = CaseReading((), ((Selector(name="a.json"), 0), (Selector(name="*.json"), 1)))
    plan = ReadingPlan((), ("$..[*]", "$.b"), {"case-a": reading})
    frames = visited({"evidence/a.json": {"b": [[1, 2, 3], {"c": [4]}]}}, plan)
    assert sorted(frames["series_paths"].rows()) == [(0, 0), (0, 1), (1, 0), (1, 1)]


def test_text_at_the_root_is_kept_where_it_is_not_the_documents_own() -> None:
    selectors = [Selector(name="a.json"), Selector(artifact="telemetry"), Selector(artifact="output_text")]
    plan = ReadingPlan(
        (NodeRequest("$", text=True),), (), {"case-a": CaseReading(tuple((s, 0) for s in selectors), ())}
    )
    kept = visited({"a.json": [1], "evidence/a.json": "x", "telemetry.jsonl": [{"a": 1}], "output": [2]}, plan)["nodes"]
    assert kept.select("doc", "text").rows() == [(0, None), (1, "x"), (2, '[{"a":1}]'), (3, "[2]")]
