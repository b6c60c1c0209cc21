"""Sample texts of regexes: each is found by the engine, and what cannot be sampled says so."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

import judge_polars
from judge_polars.probe.samples import sampled
from judge_polars.registry import load_registry

EVALUATION = Path(judge_polars.__file__).resolve().parents[1] / "evaluation"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        pytest.param("disk hung", "disk hung", id="literal"),
        pytest.param("disk (?:hung|hang)", "disk hung", id="alternation"),
        pytest.param("cpu[ -]?hot ?spots?", "cpu hot spots", id="optional_parts_are_there"),
        pytest.param(r"hot(?: \w+){0,3} region", "hot region", id="repeated_parts_are_not"),
        pytest.param(r"\d{4}-\d{2}", "7777-77", id="counted"),
        pytest.param(r"a+b*", "a", id="plus_once_star_never"),
        pytest.param("磁盘[^，。]{0,8}(?:卡住|变慢)", "磁盘卡住", id="chinese"),
        pytest.param("(?:^|[^a-z])oom$", "oom", id="anchors"),
        pytest.param(r"\bpd\b", "pd", id="word_boundaries"),
        pytest.param("(?i:Root) cause", "Root cause", id="flags_of_a_group"),
        pytest.param(r"panic\(0x", "panic(0x", id="escapes"),
        pytest.param("(?P<store>tikv|tidb)-2", "tikv-2", id="named_group"),
        pytest.param("[^ ]b", "ab", id="negated_class"),
        pytest.param("x[0-9]", "x0", id="range"),
    ],
)
def test_first_text(pattern: str, text: str) -> None:
    assert sampled(pattern).texts[0] == text


@pytest.mark.parametrize(
    "pattern",
    [
        pytest.param(r"\p{Han}+", id="unicode_class"),
        pytest.param("[[:alpha:]]+", id="posix_class"),
        pytest.param(r"end\z", id="end_of_text"),
        pytest.param("(?=a)a", id="look_ahead"),
        pytest.param(r"(a)\1", id="back_reference"),
        pytest.param("a{100}", id="many_copies"),
        pytest.param("(", id="no_regex"),
        pytest.param("^$", id="nothing_to_show"),
    ],
)
def test_not_sampled(pattern: str) -> None:
    found = sampled(pattern)
    assert found.texts == ()
    assert found.reason


def test_every_branch_has_a_text() -> None:
    assert set(sampled("disk (?:hung|stalled|froze)").texts) == {"disk hung", "disk stalled", "disk froze"}


def test_case_sensitive() -> None:
    assert sampled("OOMKilled", case_sensitive=True).texts == ("OOMKilled",)


def test_a_text_that_is_also_found_among_words_comes_first() -> None:
    assert sampled("(?:^oom$|oom kill)").texts == ("oom kill", "oom")


WORDS = st.sampled_from(["disk", "hot", "磁盘", "a", "oom", "9"])
PARTS = st.recursive(
    WORDS | st.sampled_from([r"\w+", r"\d", "[ -]", "[^，]", "."]),
    lambda inner: (
        st.lists(inner, min_size=1, max_size=3).map("".join)
        | st.lists(inner, min_size=2, max_size=3).map(lambda some: f"(?:{'|'.join(some)})")
        | inner.map(lambda one: f"(?:{one})?")
        | inner.map(lambda one: f"(?:{one}){{0,3}}")
    ),
    max_leaves=6,
)


@given(PARTS)
def test_texts_are_found_by_the_engine(pattern: str) -> None:
    texts = sampled(pattern).texts
    assert pl.Series(list(texts), dtype=pl.String).str.contains(f"(?im){pattern}").all()


def test_every_pattern_of_the_pack_is_sampled() -> None:
    registry = load_registry(EVALUATION / "regression")
    concepts = {name: list(entries) for pack in registry.packs.values() for name, entries in pack.concepts.items()}
    assert len(concepts) > 20
    assert [(name, entry) for name, entries in concepts.items() for entry in entries if not sampled(entry).texts] == []
