"""Regexes in the form in which they run, and what the engine says of them (specification 40, "Text")."""

from __future__ import annotations

import polars as pl
import pytest

from judge_polars.registry.regexes import CASE_FLAGS, FULL_WIDTH_COMMA, escape, regex_fault, run_time_form


@pytest.mark.parametrize(
    ("pattern", "form"),
    [
        ("root cause", "root cause"),
        ("根因：", "根因:"),
        ("（x）", r"\(x\)"),
        (r"\（x\）", r"\(x\)"),
        (r"\\（", r"\\\("),
        ("[：:]", "[::]"),
        ("ＣＰＵ", "CPU"),
        ("ﬁle", "file"),
        ("…", r"\.\.\."),
        (r"\d：", r"\d:"),
        ("，", ","),
    ],
)
def test_characters_that_nfkc_changes_stand_in_their_own_form(pattern: str, form: str) -> None:
    assert run_time_form(pattern) == form


def test_the_full_width_comma_may_stay() -> None:
    assert run_time_form("，：", FULL_WIDTH_COMMA) == "，:"


@pytest.mark.parametrize("text", ["a.b", "(x)[y]{z}", r"c:\d", "a|b^c$", "x-y#z~&", "中文。"])
def test_an_escaped_text_finds_exactly_itself(text: str) -> None:
    texts = pl.Series([text, f"<{text}>", "", "abc"])
    assert texts.str.contains(f"^{escape(text)}$").to_list() == [True, False, False, False]


@pytest.mark.parametrize(
    ("pattern", "position"),
    [
        ("a(b", 2),
        ("中文(", 3),
        ("：（x（(", 5),
        ("a\nb(c", 4),
        ("a\n：\nb(c", 6),
        ("x[z-a]", 3),
        (r"(a)\1", 4),
        ("(?=x)y", 1),
        ("x{2,1}", 2),
        ("abc\\", 4),
    ],
)
def test_the_position_is_that_of_the_pattern_as_written(pattern: str, position: int) -> None:
    fault = regex_fault(pattern)
    assert fault is not None and fault.code == "invalid_regex"
    assert f"at character {position};" in fault.message


@pytest.mark.parametrize("pattern", ["", "a*", "a?", "(x|)", "^", "$", r"\A", "a{0,3}", "(?i)", "x|"])
def test_regexes_that_match_the_empty_text(pattern: str) -> None:
    fault = regex_fault(pattern)
    assert fault is not None and fault.code == "regex_matches_empty"


@pytest.mark.parametrize("pattern", ["a+", "^x", r"\S", r"\bno\b", "(?s).", "(?x) a b # c\n", r"\p{Han}"])
def test_regexes_that_are_taken(pattern: str) -> None:
    assert regex_fault(pattern) is None


def test_what_nfkc_changes_is_no_sign_of_a_regex() -> None:
    assert regex_fault("（x", CASE_FLAGS) is None
    assert regex_fault("（x)", CASE_FLAGS) is not None
