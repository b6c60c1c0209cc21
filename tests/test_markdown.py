"""How texts are read: lines, sections, sentences and what they stand under."""

from __future__ import annotations

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_polars.markdown import CONTEXTS, SECTIONS, SENTENCES, read_text, read_texts, section_texts


def texts_of(text: str) -> list[str]:
    """The sentences of a text."""
    return [sentence.text for sentence in read_text(text).sentences]


@pytest.mark.parametrize(
    ("text", "sentences"),
    [
        pytest.param("A is hot. B is not.", ["A is hot.", "B is not."], id="stop before white space"),
        pytest.param("On v8.5.2 at 10.0.0.1:80", ["On v8.5.2 at 10.0.0.1:80"], id="stop inside a word"),
        pytest.param("A; b! C? D", ["A;", "b!", "C?", "D"], id="all four ASCII marks"),
        pytest.param(
            "甲。乙！丙？丁；戊", ["甲。", "乙!", "丙?", "丁;", "戊"], id="full-width marks need no white space"
        ),
        pytest.param("甲，乙,丙", ["甲，乙,丙"], id="the full-width comma stays"),
        pytest.param("ＣＰＵ　热点", ["CPU 热点"], id="NFKC"),
        pytest.param("(No A.) *B.* `C.` D", ["(No A.)", "*B.*", "`C.`", "D"], id="closing marks before white space"),
        pytest.param(
            "甲。」乙。**丙** 丁", ["甲。」", "乙。", "**丙** 丁"], id="behind a full-width mark only what closes"
        ),
        pytest.param("a.) b", ["a.)", "b"], id="bracket behind the stop"),
        pytest.param("one\ntwo", ["one two"], id="wrapped line"),
        pytest.param("one\n\ntwo", ["one", "two"], id="blank line"),
        pytest.param("one\n \t\ntwo", ["one", "two"], id="line of white space"),
        pytest.param("one\r\ntwo\r\rthree", ["one two", "three"], id="other line breaks"),
        pytest.param("one\n- two\n  three\n- four", ["one", "two three", "four"], id="items"),
        pytest.param("one\n> two\nthree", ["one", "three"], id="quote"),
        pytest.param("  > quoted", [], id="quote set in"),
        pytest.param("one\n| a | b |\n|---|---|\ntwo", ["one", "| a | b |", "two"], id="table rows"),
        pytest.param("one\n## two ##\nthree", ["one", "two", "three"], id="heading"),
        pytest.param("one\n    ## two\nthree", ["one two three"], id="four spaces are no heading"),
        pytest.param("#one\n####### two", ["#one ####### two"], id="no heading without a space or with seven marks"),
        pytest.param("one\n**two**\nthree", ["one", "two", "three"], id="bold heading"),
        pytest.param("**one** two\n**three** and **four**", ["**one** two **three** and **four**"], id="bold inside"),
        pytest.param("```\ncode. x\n```\none", ["one"], id="fenced code"),
        pytest.param("~~~ json\n```\ncode\n~~~\none", ["one"], id="a fence ends with its own mark"),
        pytest.param("````\n```\ncode\n````\none", ["one"], id="a fence ends with one as long"),
        pytest.param("one\n```\ncode", ["one"], id="a fence that nothing ends"),
        pytest.param("- ```\n  code\n  ```\n- one", ["one"], id="fence in an item"),
        pytest.param("```a``` one", ["```a``` one"], id="three backquotes in a line are no fence"),
        pytest.param("al\u200bpha \x1b[31mred\x1b[0m \ufeff", ["alpha red"], id="invisible characters"),
        pytest.param(" \u3000 ", [], id="white space alone"),
    ],
)
def test_sentences(text: str, sentences: list[str]) -> None:
    assert texts_of(text) == sentences


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        *((f"{marker} alpha", "alpha") for marker in ("-", "*", "+", "•", "·", "1.", "12)", "(3)", "4、", "（5）")),
        ("·alpha", "alpha"),
        ("1、alpha", "alpha"),
        ("（1）alpha", "alpha"),
        ("1.根因", "根因"),
        ("- **alpha**", "alpha"),
        ("- **alpha:**", "alpha:"),
        ("1. ## **alpha**：", "alpha:"),
        ("- 2) alpha", "alpha"),
        ("## 1. alpha", "alpha"),
        ("**2. alpha**", "alpha"),
        ("-alpha", "-alpha"),
        ("*alpha*", "*alpha*"),
        ("1.5 alpha", "1.5 alpha"),
        ("2025. alpha", "2025. alpha"),
        ("- __alpha__", "alpha"),
        ("--- alpha", "--- alpha"),
    ],
)
def test_marks_are_dropped(line: str, sentence: str) -> None:
    assert " ".join(texts_of(line)) == sentence


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("Is it alpha?", True),
        ("是阿尔法吗？", True),
        ('"Is it *alpha?*"', True),
        ("Is it alpha?!", False),
        ("It is alpha", False),
        ("a?b", False),
    ],
)
def test_questions(text: str, question: bool) -> None:
    assert [sentence.question for sentence in read_text(text).sentences] == [question]


def test_lines_of_sentences() -> None:
    text = "# T\n\nOne is. Two\nwraps. Three\n- four\n  is long."
    found = [(sentence.text, sentence.line, sentence.last_line) for sentence in read_text(text).sentences]
    assert found == [
        ("T", 1, 1),
        ("One is.", 3, 3),
        ("Two wraps.", 3, 4),
        ("Three", 4, 4),
        ("four is long.", 5, 6),
    ]


def above(text: str) -> dict[str, list[str]]:
    """Sentence -> the texts that it stands under."""
    reading = read_text(text)
    return {found.text: [reading.contexts[index].text for index in found.contexts] for found in reading.sentences}


@pytest.mark.parametrize(
    ("text", "sentence", "contexts"),
    [
        pytest.param("# A\n## B\nx", "x", ["A", "B"], id="headings"),
        pytest.param("# A\n## B\nx\n## C\ny", "y", ["A", "C"], id="a heading of the same level ends a section"),
        pytest.param("## A\nx\n# B\ny", "y", ["B"], id="a higher one too"),
        pytest.param("# A\n**B**\nx", "x", ["A", "B"], id="bold inside"),
        pytest.param("# A\n**B**\nx\n**C**\ny", "y", ["A", "C"], id="bold ends bold"),
        pytest.param("# A\n**B**\nx\n### C\ny", "y", ["A", "C"], id="any heading ends bold"),
        pytest.param("# A\n## B\n", "B", ["A"], id="a heading does not stand under itself"),
        pytest.param("Lead:\n- x\n- y", "y", ["Lead:"], id="list"),
        pytest.param("Lead：\n\n- x\n\n- y", "y", ["Lead:"], id="blank lines around items"),
        pytest.param("Lead:\n- x\n  - y", "y", ["Lead:"], id="nested items"),
        pytest.param("Lead:\n- x\n\n  more\n\n- y", "more", ["Lead:"], id="paragraph of an item"),
        pytest.param("Lead:\n- x\n\nnext", "next", [], id="a paragraph ends the list"),
        pytest.param("Lead:\n\nx\n- y", "y", [], id="no list directly behind"),
        pytest.param("Lead:\n> q\n- y", "y", [], id="quote between"),
        pytest.param("Lead:\n```\nc\n```\n- y", "y", [], id="code between"),
        pytest.param("Lead:\n- x\n```\nc\n```\n- y", "y", ["Lead:"], id="code inside the list"),
        pytest.param("Lead:\n- x\n## H\n- y", "y", ["H"], id="a heading ends the list"),
        pytest.param("Long\nlead:\n- x", "x", ["Long lead:"], id="wrapped lead-in"),
        pytest.param("Not this. But these:\n- x", "x", ["But these:"], id="last sentence of the line"),
        pytest.param("*Lead:*\n- x", "x", ["*Lead:*"], id="emphasis behind the colon"),
        pytest.param("Lead\n- x", "x", [], id="no colon"),
        pytest.param("- Lead:\n  - x\n- y", "x", ["Lead:"], id="item that leads in"),
        pytest.param("- Lead:\n  - x\n- y", "y", [], id="its sibling is not led in"),
        pytest.param("- Lead:\n- y", "y", [], id="siblings of one marker"),
        pytest.param("1. Lead:\n- x\n- y\n2. z", "y", ["Lead:"], id="other marker at one indentation"),
        pytest.param("1. Lead:\n- x\n- y\n2. z", "z", [], id="until the own marker"),
        pytest.param("- L: a. b", "b", ["L"], id="behind a label"),
        pytest.param("- **L:** a\n  - b", "b", ["L"], id="nested in a labelled item"),
        pytest.param("- L: a\n- b", "b", [], id="the next item"),
        pytest.param("L: a. b\n\nc", "c", [], id="the next paragraph"),
        pytest.param("L: a. b\nM: c. d", "d", ["M"], id="the nearest label of a paragraph"),
        pytest.param("| L: | a |", "| L: | a |", [], id="no label in a row"),
    ],
)
def test_contexts(text: str, sentence: str, contexts: list[str]) -> None:
    assert above(text)[sentence] == contexts


def sections(text: str) -> list[tuple[str, str, int, int]]:
    return [
        (section.title, section.kind, section.first_line, section.last_line) for section in read_text(text).sections
    ]


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ("**Root cause:** x", "Root cause"),
        ("**Root cause**: x", "Root cause"),
        ("**Root cause**：x", "Root cause"),
        ("Root cause: x", "Root cause"),
        ("根因：x", "根因"),
        ("- *Impact*: x", "Impact"),
        ("one two three four five six: x", "one two three four five six"),
        ("一二三四五六七八九十百千：x", "一二三四五六七八九十百千"),
        ("one two three four five six seven: x", None),
        ("一二三四五六七八九十百千万：x", None),
        ("12:30 x", None),
        ("host:port x", None),
        ("Root cause:x", None),
        ("Root cause:", None),
        (": : x", None),
        ("**`:`** : x", None),
        ("It is. So: x", None),
        ("| Root cause: x |", None),
        ("> Root cause: x", None),
    ],
)
def test_labels(line: str, title: str | None) -> None:
    assert [name for name, kind, *_ in sections(line) if kind == "label"] == ([title] if title else [])


@pytest.mark.parametrize(
    ("text", "found"),
    [
        pytest.param(
            "# **A:** `b`\nx\n## C ##\ny",
            [("A: b", "heading", 1, 4), ("C", "heading", 3, 4)],
            id="titles without marks",
        ),
        pytest.param("**A**：\nx\n\n**B:**", [("A", "bold", 1, 3), ("B", "bold", 4, 4)], id="colon in or behind bold"),
        pytest.param("L: a\nb\n\nc", [("L", "label", 1, 2)], id="a label's paragraph"),
        pytest.param("L: a\nM: b", [("L", "label", 1, 1), ("M", "label", 2, 2)], id="the next label of a paragraph"),
        pytest.param("- L: a\n  b\n  - c\n- d", [("L", "label", 1, 3)], id="a label's item with what is in it"),
        pytest.param("```\n# A\n```\n> # B", [], id="neither code nor quotes"),
    ],
)
def test_sections(text: str, found: list[tuple[str, str, int, int]]) -> None:
    assert sections(text) == found


@pytest.mark.parametrize(
    ("section", "or_all", "content"),
    [
        ("root", False, "## Root cause\nfoo\n### Deep\nbar"),
        ("ROOT CAUSE$", False, "## Root cause\nfoo\n### Deep\nbar"),
        ("deep|root", False, "## Root cause\nfoo\n### Deep\nbar"),
        ("^deep", False, "### Deep\nbar"),
        ("next|deep", False, "### Deep\nbar\n## Next\n**L:** baz"),
        ("^l$", False, "**L:** baz"),
        ("none", False, None),
        ("none", True, "## Root cause\nfoo\n### Deep\nbar\n## Next\n**L:** baz"),
    ],
)
def test_section_texts(section: str, or_all: bool, content: str | None) -> None:
    texts = pl.Series(["other", "## Root cause\r\nfoo\r\n### Deep\nbar\n## Next\n**L:** baz", None])
    wanted = pl.DataFrame(
        {"text": [1], "section": [section], "or_all": [or_all]},
        schema={"text": pl.UInt32, "section": pl.String, "or_all": pl.Boolean},
    )
    assert section_texts(texts, wanted)["content"].to_list() == [content]


def test_a_text_that_is_missing_has_no_section() -> None:
    wanted = pl.DataFrame(
        {"text": [0], "section": ["x"], "or_all": [True]},
        schema={"text": pl.UInt32, "section": pl.String, "or_all": pl.Boolean},
    )
    assert section_texts(pl.Series([None], dtype=pl.String), wanted)["content"].to_list() == [None]


def test_frames_of_several_texts() -> None:
    texts = ["# A\nL: x. y", None, "z?", "# B\n- w"]
    sentences, contexts, found = read_texts(pl.Series(texts))
    assert sentences.schema == SENTENCES.schema
    assert contexts.schema == CONTEXTS.schema
    assert found.schema == SECTIONS.schema
    assert sentences.select("text", "content", "question", "contexts").rows() == [
        (0, "A", False, []),
        (0, "L: x.", False, [0, 1]),
        (0, "y", False, [0, 1]),
        (2, "z?", True, []),
        (3, "B", False, []),
        (3, "w", False, [2]),
    ]
    assert contexts.select("text", "kind", "content").rows() == [
        (0, "heading", "A"),
        (0, "label", "L"),
        (3, "heading", "B"),
    ]
    assert found["title"].to_list() == ["A", "L", "B"]


def test_frames_of_no_text() -> None:
    assert [frame.height for frame in read_texts(pl.Series([], dtype=pl.String))] == [0, 0, 0]


PIECES = (
    "# H\n",
    "**B**\n",
    "- i\n",
    "  - j:\n",
    "1. k\n",
    "L: m. n\n",
    "\n",
    "> q\n",
    "```\n",
    "| r |\n",
    "甲。乙，丙？",
    " x ",
)


@given(st.lists(st.sampled_from(PIECES) | st.text(max_size=8), max_size=20).map("".join))
def test_any_text_can_be_read(text: str) -> None:
    reading = read_text(text)
    lines = len(reading.lines)
    for sentence in reading.sentences:
        assert sentence.text == sentence.text.strip() != ""
        assert 1 <= sentence.line <= sentence.last_line <= lines
        assert all(0 <= context < len(reading.contexts) for context in sentence.contexts)
        assert len(set(sentence.contexts)) == len(sentence.contexts)
    assert [sentence.line for sentence in reading.sentences] == sorted(sentence.line for sentence in reading.sentences)
    for section in reading.sections:
        assert 1 <= section.first_line <= section.last_line <= lines


@pytest.mark.parametrize(
    "text",
    [
        "# a" + " " * 100_000 + "x",
        "- " * 50_000,
        "**a" * 50_000,
        "`" * 100_000,
        "." * 100_000,
        ": " * 50_000,
        "L: a. b\n" * 10_000,
        "\n".join(" " * depth + "- a:" for depth in range(500)),
    ],
    ids=["spaces", "markers", "bold", "backquotes", "stops", "colons", "labels", "nesting"],
)
def test_hostile_texts_are_read_in_one_go(text: str) -> None:
    assert len(read_text(text).lines) == text.count("\n") + 1
