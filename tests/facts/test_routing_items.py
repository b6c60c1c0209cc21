"""Analysis patches: the shape of items, and which references are well formed (specification 30, "Routing facts")."""

from __future__ import annotations

from typing import Any

import pytest

from judge_polars.facts.routing_items import PatchColumns, Reference, has_valid_shape, read_reference

REFERENCES: dict[str, tuple[Any, Reference | None]] = {
    "text": ("query:abc", Reference("query", "abc")),
    "white_space": (" QUERIES : abc ", Reference("query", "abc")),
    "every_channel": ("Metric:a", Reference("metric", "a")),
    "first_colon_divides": ("log:tikv.log:2", Reference("log", "tikv.log:2")),
    "no_colon": ("tikv_thread_cpu", None),
    "unknown_channel": ("trace:abc", None),
    "empty_ref": ("metric:", None),
    "blank_ref": ("metric:  ", None),
    "number": (42, None),
    "null": (None, None),
    "list": (["query:abc"], None),
    "object": ({"channel": "Events", "ref": " ev-1 "}, Reference("event", "ev-1")),
    "type": ({"type": "query", "ref": "a"}, Reference("query", "a")),
    "channel_counts": ({"channel": "trace", "type": "query", "ref": "a"}, None),
    "null_channel_counts": ({"channel": None, "type": "query", "ref": "a"}, None),
    "no_channel": ({"ref": "a"}, None),
    "no_ref": ({"channel": "metric"}, None),
    "ref_is_number": ({"channel": "query", "ref": 7}, None),
    "quote": ({"channel": "log", "ref": "a.log", "quote": " q "}, Reference("log", "a.log", " q ")),
    "null_quote": ({"channel": "log", "ref": "a.log", "quote": None}, Reference("log", "a.log")),
    "quote_is_number": ({"channel": "log", "ref": "a.log", "quote": 5}, None),
    "quote_of_another_channel": ({"channel": "query", "ref": "a", "quote": 5}, Reference("query", "a")),
}


@pytest.mark.parametrize(("entry", "reference"), REFERENCES.values(), ids=REFERENCES.keys())
def test_reference(entry: object, reference: Reference | None) -> None:
    assert read_reference(entry) == reference


ITEMS: dict[str, tuple[Any, bool]] = {
    "id": ({"id": "i", "key_evidence": ["query:a"]}, True),
    "title": ({"title": "t", "supporting_evidence": ["query:a"]}, True),
    "empty_list": ({"id": "i", "key_evidence": []}, True),
    "other_members": ({"id": "i", "key_evidence": [], "note": 1}, True),
    "empty_id_and_title": ({"id": "", "title": "t", "key_evidence": []}, True),
    "number_id": ({"id": 5, "key_evidence": []}, False),
    "empty_id": ({"id": "", "key_evidence": []}, False),
    "no_id": ({"key_evidence": []}, False),
    "no_list": ({"id": "i"}, False),
    "null_list": ({"id": "i", "key_evidence": None}, False),
    "one_of_two_is_none": ({"id": "i", "key_evidence": [], "supporting_evidence": {}}, False),
    "bad_reference": ({"id": "i", "key_evidence": ["query:a", "b"]}, False),
    "text": ("i", False),
}


@pytest.mark.parametrize(("item", "valid"), ITEMS.values(), ids=ITEMS.keys())
def test_shape_of_an_item(item: object, valid: bool) -> None:
    assert has_valid_shape(item) is valid


GOOD, BAD = {"id": "i", "key_evidence": ["query:a"]}, {"key_evidence": ["query:b", 5]}
PATCHES: dict[str, tuple[Any, bool, list[tuple[object, ...]]]] = {
    "items": ({"items": [GOOD]}, True, [(0, "i", "key", "query", "a", None)]),
    "bare_list": ([GOOD], True, [(0, "i", "key", "query", "a", None)]),
    "good_references_of_bad_items_count": (
        [BAD, GOOD],
        False,
        [(0, None, "key", "query", "b", None), (1, "i", "key", "query", "a", None)],
    ),
    "both_roles": (
        [
            {
                "title": "t",
                "supporting_evidence": [{"type": "log", "ref": "l", "quote": "q"}],
                "key_evidence": ["event:e"],
            }
        ],
        True,
        [(0, "t", "key", "event", "e", None), (0, "t", "supporting", "log", "l", "q")],
    ),
    "id_before_title": (
        [{"title": "t", "id": "i", "key_evidence": ["query:a"]}, {"title": "t", "id": "", "key_evidence": ["query:b"]}],
        True,
        [(0, "i", "key", "query", "a", None), (1, "t", "key", "query", "b", None)],
    ),
    "no_items": ({"items": []}, False, []),
    "empty_list": ([], False, []),
    "items_is_object": ({"items": {}}, False, []),
    "neither_form": ({"notes": []}, False, []),
    "number": (5, False, []),
    "null": (None, False, []),
}


@pytest.mark.parametrize(("patch", "valid", "rows"), PATCHES.values(), ids=PATCHES.keys())
def test_patch(patch: object, valid: bool, rows: list[tuple[object, ...]]) -> None:
    columns = PatchColumns()
    columns.add(3, patch)
    assert columns.shape_valid == {3: valid}
    assert columns.frame().rows() == [(3, *row) for row in rows]
