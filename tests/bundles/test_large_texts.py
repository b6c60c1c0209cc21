"""Texts that would take many times their bytes (docs/limits.md)."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars.bundles.texts import grows_beyond
from judge_polars.rulebook import Limits
from tests.bundles.trees import audit, read_one

TOO_LARGE = "document_too_large"


@pytest.mark.parametrize(
    ("text", "most", "beyond"),
    [
        pytest.param("a" * 100, 100, False, id="ASCII"),
        pytest.param("a" * 101, 100, True, id="ASCII beyond"),
        pytest.param("é" * 50, 100, False, id="what stays as it is"),
        pytest.param("e\u0301" * 33, 100, False, id="what shrinks"),
        pytest.param("ﷺ" * 3, 99, False, id="what grows"),
        pytest.param("ﷺ" * 3, 98, True, id="what grows beyond"),
        pytest.param("ﷺ" * 400_000, 13_200_000, False, id="what grows in pieces"),
        pytest.param("ﷺ" * 1_200_000, 39_599_999, True, id="what grows beyond in the last piece"),
    ],
)
def test_what_a_text_grows_to(text: str, most: int, beyond: bool) -> None:
    assert grows_beyond(text.encode(), most) is beyond


@pytest.mark.parametrize(
    ("content", "fits"),
    [(b"\xff" * 333, True), (b"\xff" * 334, False), ("ﷺ" * 30, True), ("ﷺ" * 31, False), ("x" * 1000, True)],
)
@pytest.mark.parametrize("name", ["a.txt", "b.jsonl"])
def test_a_text_that_grows_beyond_the_limit_is_unread(
    tmp_path: Path, name: str, content: str | bytes, fits: bool
) -> None:
    read = read_one(tmp_path, audit({name: content}), limits=Limits(document_bytes=1000))
    row = read.documents[name]
    assert (row["unread"], row["text"] is None) == (not fits, not fits)
    assert ((name, TOO_LARGE) in read.issues) is not fits


def test_the_final_output_has_a_limit_of_its_own(tmp_path: Path) -> None:
    limits = Limits(output_bytes=100)
    for size, unread in ((100, False), (101, True)):
        tree = {**audit({"a.txt": "x" * 200}), "output.md": "x" * size}
        read = read_one(tmp_path / str(size), tree, limits=limits)
        assert read.documents["output"]["unread"] is unread
        assert read.documents["a.txt"]["unread"] is False
        assert read.issues == ([("output", TOO_LARGE)] if unread else [])


def test_the_limit_of_documents_holds_for_the_output_too(tmp_path: Path) -> None:
    read = read_one(tmp_path, {**audit(), "output.md": "x" * 151}, limits=Limits(document_bytes=150))
    assert read.issues == [("output", TOO_LARGE)]
