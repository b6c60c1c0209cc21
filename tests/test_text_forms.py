"""The forms in which texts are matched (specification 40, "Text")."""

import polars as pl
import pytest

from judge_polars.text_forms import json_keyword, keyword_form, keyword_regex, normalise_keyword, regex_form


def one(expression: pl.Expr, text: str) -> str:
    return str(pl.DataFrame({"text": [text]}).select(expression).item())


@pytest.mark.parametrize(
    ("text", "form"),
    [
        ("Ａ：ｂ", "A:b"),
        ("soft\u00adhyphen zero\u200bwidth\ufeff", "softhyphen zerowidth"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_regex_form(text: str, form: str) -> None:
    assert one(regex_form(pl.col("text")), text) == form


@pytest.mark.parametrize("text", ["  Two\t\nWORDS ", "ﬁne\u3000line", "É\u200b\u200b e", "İstanbul ẞ", "Σίσυφος"])
def test_keywords_and_texts_get_one_form(text: str) -> None:
    assert normalise_keyword(text) == one(keyword_form(pl.col("text")), text)


def test_a_space_behind_a_json_separator_does_not_count() -> None:
    assert json_keyword('"status": "down", "a b"') == '"status":"down","a b"'


@pytest.mark.parametrize(
    ("keyword", "whole_word", "text", "found"),
    [
        pytest.param("server is busy", False, "server\n  is busy", True, id="any white space"),
        pytest.param("a.b", False, "axb", False, id="literal"),
        pytest.param(" oom", False, "an oom", True, id="leading space"),
        pytest.param(" oom", False, "oom", False, id="leading space must occur"),
        pytest.param("oom", True, "the oom!", True, id="word"),
        pytest.param("oom", True, "room", False, id="inside a word"),
        pytest.param("oom", True, "发生oom了", True, id="only ASCII counts for an ASCII keyword"),
        pytest.param("热点", True, "有热点了", False, id="any letter counts for another keyword"),
        pytest.param("oom", True, "oom_kill", False, id="underscore"),
        pytest.param(" oom", True, "the  oom", False, id="a run of white space is one space before the word"),
        pytest.param("a-b", True, "x a-b.", True, id="punctuation inside"),
    ],
)
def test_keyword_regex(keyword: str, whole_word: bool, text: str, found: bool) -> None:
    pattern = keyword_regex(keyword, whole_word=whole_word)
    assert pl.Series([text]).str.contains(pattern).item() is found
