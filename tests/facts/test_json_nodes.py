"""Node lists of paths, and the rows of `tables.NODES` that are kept of them."""

from __future__ import annotations

import json
import random
import time
from typing import Any

import pytest

from judge_polars.facts.json_nodes import NodeColumns, compile_path, compile_request, compile_requests
from judge_polars.json_path import Step, parse_path
from judge_polars.plan import NodeRequest

DOCUMENT = {"a": {"b": [1, {"b": 2}, [3]], "": 4}, "b": [{"b": {"b": 5}}, "x"], "c": None}

PATHS: list[tuple[str, list[Any]]] = [
    ("$", [DOCUMENT]),
    ("$.c", [None]),
    ("$.a.b[0]", [1]),
    ("$['a']['']", [4]),
    ('$["a"].b[1].b', [2]),
    ("$.d", []),
    ("$.c.d", []),
    ("$.a[0]", []),
    ("$.a.b[3]", []),
    ("$.a.b.b", []),
    ("$.a.b[*]", [1, {"b": 2}, [3]]),
    ("$.a.*", [[1, {"b": 2}, [3]], 4]),
    ("$.b[*].b.b", [5]),
    ("$.c[*]", []),
    ("$.b[1][*]", []),
    ("$..b", [[{"b": {"b": 5}}, "x"], [1, {"b": 2}, [3]], 2, {"b": 5}, 5]),
    ("$.a..b", [[1, {"b": 2}, [3]], 2]),
    ("$..['']", [4]),
    ("$.a.b..[*]", [1, {"b": 2}, [3], 2, 3]),
    ("$..b..b", [{"b": 5}, 5, 2, 5]),
    ("$..b[0]", [{"b": {"b": 5}}, 1]),
]


@pytest.mark.parametrize(("path", "nodes"), PATHS, ids=[path for path, _ in PATHS])
def test_path(path: str, nodes: list[Any]) -> None:
    assert list(compile_path(path)(DOCUMENT)) == nodes


def plainly(steps: tuple[Step, ...], node: Any) -> list[Any]:
    """RFC 9535, sections 2.3 and 2.5, step by step."""
    if not steps:
        return [node]
    (kind, key), rest = steps[0], steps[1:]
    found = []
    visited = [node] if not kind.startswith("descend") else list(descendants(node))
    for at in visited:
        children = at if isinstance(at, list) else list(at.values()) if isinstance(at, dict) else []
        if kind in ("member", "descend_member"):
            children = [at[key]] if isinstance(at, dict) and key in at else []
        elif kind == "element":
            children = [at[key]] if isinstance(at, list) and isinstance(key, int) and key < len(at) else []
        found += [below for child in children for below in plainly(rest, child)]
    return found


def descendants(node: Any) -> Any:
    yield node
    for child in node if isinstance(node, list) else node.values() if isinstance(node, dict) else ():
        yield from descendants(child)


def random_value(rng: random.Random, depth: int = 4) -> Any:
    kind = rng.random() if depth else 0
    if kind < 0.3:
        return rng.choice([None, True, 1, 2.5, "x"])
    if kind < 0.65:
        return [random_value(rng, depth - 1) for _ in range(rng.randint(0, 3))]
    return {rng.choice("abc"): random_value(rng, depth - 1) for _ in range(rng.randint(0, 3))}


@pytest.mark.parametrize("seed", range(200))
def test_random_path(seed: int) -> None:
    rng = random.Random(seed)
    value = random_value(rng)
    for _ in range(20):
        path = "$" + "".join(
            rng.choices([".a", ".b", "['c']", "[0]", "[1]", "[*]", "..a", "..[*]"], k=rng.randint(0, 3))
        )
        found, expected = list(compile_path(path)(value)), plainly(parse_path(path), value)
        assert [id(node) for node in found] == [id(node) for node in expected], path


def rows(request: NodeRequest, value: object, *, text: bool = False) -> list[dict[str, Any]]:
    """The rows that are kept of a value, without the empty columns."""
    columns = NodeColumns(lambda node: json.dumps(node, separators=(",", ":")))
    columns.add(7, compile_request(3, request), value, text=text)
    kept = columns.frame().to_dicts()
    assert all(row["doc"] == 7 and row["path"] == 3 for row in kept)
    return [{key: cell for key, cell in row.items() if key not in ("doc", "path") and cell is not None} for row in kept]


VALUES: list[tuple[Any, dict[str, Any]]] = [
    (None, {"kind": 0}),
    (True, {"kind": 1, "boolean": True}),
    (5, {"kind": 2, "integer": 5, "number": 5.0}),
    (2**64 + 1, {"kind": 2, "integer": 2**64 + 1, "number": float(2**64)}),
    (-(2**200), {"kind": 2, "integer": -(2**127), "number": -float(2**200), "string": str(-(2**200))}),
    (2**127 - 1, {"kind": 2, "integer": 2**127 - 1, "number": float(2**127)}),
    (10**309, {"kind": 2, "integer": 2**127 - 1, "number": float("inf"), "string": "1" + "0" * 309}),
    (2.5, {"kind": 3, "number": 2.5}),
    ("up", {"kind": 4, "string": "up"}),
    ([], {"kind": 5, "length": 0}),
    ([1, [2]], {"kind": 5, "length": 2}),
    ({"a": 1}, {"kind": 6}),
]


@pytest.mark.parametrize(("value", "row"), VALUES, ids=[str(value)[:20] for value, _ in VALUES])
def test_row_of_a_value(value: object, row: dict[str, Any]) -> None:
    assert rows(NodeRequest("$.x"), {"x": value}) == [{"record": 0, **row}]
    assert [kept["kind"] for kept in rows(NodeRequest("$[*]"), [value, None, 2**200])] == [row["kind"], 0, 2]


def test_records_count_within_a_document() -> None:
    assert [row["record"] for row in rows(NodeRequest("$[*]"), [5, "a", None])] == [0, 1, 2]
    assert rows(NodeRequest("$.x"), []) == []


def test_text_of_nodes() -> None:
    kept = rows(NodeRequest("$[*]", text=True), ["a\n", {"b": [1]}, 2], text=True)
    assert [row["text"] for row in kept] == ["a\n", '{"b":[1]}', "2"]
    assert "text" not in rows(NodeRequest("$", text=True), {"b": 1}, text=False)[0]


def test_records_that_may_satisfy_all_conditions() -> None:
    request = NodeRequest("$[*]", ("$.tool", "$.args.path", "$.tags[*]"))
    records = [
        {"tool": "no path", "tags": [1]},
        {"tool": "a", "args": {"path": "p"}, "tags": ["x", {}, "y"]},
        {"tool": [], "args": {"path": "p"}, "tags": ["x"]},
        {"tool": "no tags", "args": {"path": "p"}, "tags": []},
        "no object",
        {"tool": None, "args": {"path": "q"}, "tags": [1]},
    ]
    kept = [
        (row["record"], row.get("condition"), row.get("string", row.get("integer"))) for row in rows(request, records)
    ]
    assert sorted(kept, key=str) == sorted(
        [(0, None, None), (1, 0, "a"), (5, 0, None), (1, 1, "p"), (5, 1, "q"), (1, 2, "x"), (1, 2, "y"), (5, 2, 1)],
        key=str,
    )


def test_first_record_alone_tells_that_the_path_selects_something() -> None:
    assert rows(NodeRequest("$[*]", ("$.x",)), [1, 2]) == [{"record": 0, "kind": 2, "integer": 1, "number": 1.0}]
    assert rows(NodeRequest("$[*]", ("$.x",)), []) == []


def test_a_path_of_many_steps_is_compiled_in_linear_time() -> None:
    begun = time.process_time()
    wanted = compile_requests([(0, NodeRequest("$" + ".a" * 50_000)), (1, NodeRequest("$.a.b"))])
    assert len(wanted.steps) == 50_001
    assert wanted.steps[-1][0] == 1
    assert time.process_time() - begun < 20
