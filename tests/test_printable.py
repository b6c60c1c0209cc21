"""Text of runs is made harmless where it is shown."""

from __future__ import annotations

import polars as pl
import pytest

from judge_polars.printable import beginning, csv_cell, excerpt, markdown_cell, printable


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("plain 中文 ✓", "plain 中文 ✓", id="plain"),
        pytest.param("\x1b[31mred", "␛[31mred", id="colour-code"),
        pytest.param("a\x9b31m", "a\\u009b31m", id="eight-bit-code"),
        pytest.param("a\nb\tc\r", "a⏎b→c␍", id="white-space"),
        pytest.param("\x00\x07\x7f", "␀␇␡", id="controls"),
        pytest.param("\u202egnp.exe", "\\u202egnp.exe", id="right-to-left"),
        pytest.param("pay\u200bpal\u00ad", "pay\\u200bpal\\u00ad", id="invisible"),
        pytest.param("\ud800", "\\ud800", id="surrogate"),
        pytest.param("a\u2028b", "a\\u2028b", id="line-separator"),
    ],
)
def test_printable(text: str, shown: str) -> None:
    assert printable(text) == shown


@pytest.mark.parametrize(
    ("text", "around", "shown"),
    [
        pytest.param("short", None, "short", id="short"),
        pytest.param("x" * 12, None, "x" * 9 + "…", id="cut-at-the-end"),
        pytest.param("a" * 10 + "HIT" + "b" * 10, (10, 13), "…aaHITbbb…", id="in-the-middle"),
        pytest.param("a" * 20 + "HIT", (20, 23), "…aaaaaaHIT", id="at-the-end"),
        pytest.param("\x9b" * 5, None, "\\u009b\\u0…", id="longer-when-printable"),
        pytest.param("", None, "", id="empty"),
    ],
)
def test_excerpt(text: str, around: tuple[int, int] | None, shown: str) -> None:
    assert excerpt(text, around, length=10) == shown


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        pytest.param("a short", "a short", id="short"),
        pytest.param("ten chars.", "ten chars.", id="just-so"),
        pytest.param("one word cut", "one word …", id="between-words"),
        pytest.param("one two-three", "one …", id="within-a-word"),
        pytest.param("to/the/secret", "to/the/…", id="path"),
        pytest.param("x" * 12, "…", id="one-word"),
    ],
)
def test_a_beginning_ends_with_a_whole_word(text: str, shown: str) -> None:
    assert beginning(text, 10) == shown


@pytest.mark.parametrize("at", range(0, 300, 7))
def test_excerpts_are_never_longer_than_asked(at: int) -> None:
    text = "".join(chr(32 + number % 90) if number % 5 else "\u202e" for number in range(300))
    assert len(excerpt(text, (at, at + 9), length=50)) <= 50


@pytest.mark.parametrize(
    ("value", "cell"),
    [
        pytest.param("=1+1", "'=1+1", id="formula"),
        pytest.param("@SUM(A1)", "'@SUM(A1)", id="at"),
        pytest.param("-2+3", "'-2+3", id="minus"),
        pytest.param("+49", "'+49", id="plus"),
        pytest.param("\tx", "→x", id="tab"),
        pytest.param("\n=1+1\x1b[2J", "⏎=1+1␛[2J", id="one-line"),
        pytest.param("＝1+1", "'＝1+1", id="full-width"),
        pytest.param("-2.5", "-2.5", id="number"),
        pytest.param("a=b", "a=b", id="inside"),
        pytest.param(None, None, id="null"),
    ],
)
def test_csv_cell(value: str | None, cell: str | None) -> None:
    frame = pl.DataFrame({"value": [value]}, schema={"value": pl.String})
    assert frame.select(csv_cell(pl.col("value"))).item() == cell


@pytest.mark.parametrize(
    ("text", "cell"),
    [
        pytest.param("a|b", r"a\|b", id="cell-border"),
        pytest.param("[x](javascript:y)", r"\[x\](javascript:y)", id="link"),
        pytest.param("<script>", r"\<script\>", id="html"),
        pytest.param("**bold** `code`", r"\*\*bold\*\* \`code\`", id="marks"),
        pytest.param("_emphasis_", r"\_emphasis\_", id="underscores"),
        pytest.param("blames_disk", "blames_disk", id="underscore-within-a-word"),
        pytest.param("one\ntwo", "one⏎two", id="line-break"),
    ],
)
def test_markdown_cell(text: str, cell: str) -> None:
    assert markdown_cell(text) == cell
