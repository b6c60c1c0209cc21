"""Where nodes stand: the same node lists as the judge's, with their normalised paths."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_polars.explain.json_places import every_node, select
from judge_polars.facts.json_nodes import compile_path
from judge_polars.json_path import parse_path

VALUE = {"a": [{"b": 1}, {"b": [2, {"b": 3}]}], "it's": {"x y": None}, "": 0}


@pytest.mark.parametrize(
    ("path", "places"),
    [
        pytest.param("$", ["$"], id="root"),
        pytest.param("$.a[1].b[0]", ["$.a[1].b[0]"], id="chain"),
        pytest.param("$.a[*].b", ["$.a[0].b", "$.a[1].b"], id="every-element"),
        pytest.param("$..b", ["$.a[0].b", "$.a[1].b", "$.a[1].b[1].b"], id="descent"),
        pytest.param('$["it\'s"].*', ["$['it\\'s']['x y']"], id="quoted-names"),
        pytest.param("$.nothing", [], id="not-there"),
        pytest.param("$.a[2]", [], id="beyond-the-end"),
        pytest.param("$.a.b", [], id="member-of-a-list"),
    ],
)
def test_places(path: str, places: list[str]) -> None:
    assert [node.path for node in select(VALUE, parse_path(path))] == places


def test_leaves_come_before_what_holds_them() -> None:
    assert [node.path for node in every_node({"a": [1, 2], "b": "x"})] == ["$.a[0]", "$.a[1]", "$.a", "$.b", "$"]


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from("abc"), inner, max_size=3),
    max_leaves=12,
)
steps = st.sampled_from([".a", ".b", "[0]", "[1]", "[*]", ".*", "..a", "..[*]", "['c']"])


@given(value=values, path=st.lists(steps, max_size=4).map(lambda parts: "$" + "".join(parts)))
def test_node_lists_are_those_of_the_judge(value: Any, path: str) -> None:
    assert [node.value for node in select(value, parse_path(path))] == list(compile_path(path)(value))


@given(value=values)
def test_every_place_leads_to_its_node(value: Any) -> None:
    for node in every_node(value):
        [found] = select(value, parse_path(node.path))
        assert found == node
