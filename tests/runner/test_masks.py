"""Values of declared variables are masked wherever a text is cut, and what is no value stays as it is."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_polars.runner.account import Account
from judge_polars.runner.limits import Limits
from judge_polars.runner.masks import Joined, Mask
from judge_polars.runner.telemetry import Telemetry
from tests.runner.test_wire import account_of, update

VALUE = "secret-value"
LONGER = "secret-value/and-more"
MASK = Mask({"KEY": VALUE, "LONG": LONGER, "SELF": "abcabca", "SHORT": "eu"})


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("nothing", "nothing"),
        ("a secret-value!", "a secret-value!"),
        ("a secret-val", "a "),
        ("a secret-value", "a "),
        ("a s", "a "),
        ("secret-value s", "secret-value "),
        ("xabcabca", "xabcabca"),
        ("", ""),
    ],
)
def test_what_may_go_on_as_a_value(text: str, known: str) -> None:
    assert text[: MASK.texts.open_from(text)] == known
    assert text.encode()[: MASK.contents.open_from(text.encode())] == known.encode()


@pytest.mark.parametrize(
    ("text", "masked"),
    [
        ("a secret-value", "a ${KEY}"),
        ("a secret-value/and-mo", "a ${LONG}"),
        ("secret-value secret", "${KEY} ${KEY}"),
        ("a secr", "a secr"),
        ("secret-valu e", "secret-valu e"),
    ],
)
def test_the_beginning_of_a_value_at_an_end(text: str, masked: str) -> None:
    assert MASK.text(text) == masked
    assert MASK.contents.ended(text.encode()) == masked.encode()
    assert MASK.text(f"{text}{VALUE}", len(text)) == masked


@given(
    st.lists(st.sampled_from([VALUE, LONGER, "abcabca", "abc", "secret", "-val", "ue", "s", " x "]), max_size=8),
    st.lists(st.integers(0, 80)),
)
def test_pieces_are_the_whole_text_without_values(words: list[str], cuts: list[int]) -> None:
    """Wherever a text is cut, its pieces together are what it is masked as a whole, and none is known too early."""
    text = "".join(words)
    places = sorted({0, len(text), *(cut for cut in cuts if cut < len(text))})
    joined = Joined(MASK)
    pieces = [joined.add(text[start:end]) for start, end in pairwise(places)]
    known = "".join(piece.text for piece in pieces)
    joined.end()
    whole = "".join(piece.text for piece in pieces)
    assert whole == MASK.text(text)
    assert whole.startswith(known)
    assert not [piece for piece in pieces if piece.left]


def chunk(text: str, kind: str = "agent_message_chunk") -> dict[str, Any]:
    return update(sessionUpdate=kind, content={"type": "text", "text": text})


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


def texts(path: Path) -> list[str]:
    """The texts of chunks, and the methods of other messages, in order."""
    messages = [line["message"] for line in lines(path)]
    return [
        one["params"]["update"]["content"]["text"] if one["method"] == "session/update" else one["method"]
        for one in messages
    ]


def test_a_value_in_several_chunks_is_masked_in_the_telemetry(tmp_path: Path) -> None:
    with Telemetry(tmp_path / "t", 10_000, MASK) as telemetry:
        for message in (
            chunk("A secret"),
            {"method": "x"},
            chunk("thought", "agent_thought_chunk"),
            chunk("-value ok"),
        ):
            telemetry.message("recv", message)
        assert texts(tmp_path / "t") == ["A ${KEY}", "x", "thought", " ok"]
        telemetry.message("recv", chunk("s"))
        assert len(lines(tmp_path / "t")) == 4
        telemetry.message("recv", {"method": "y"})
    assert texts(tmp_path / "t")[4:] == ["s", "y"]


def test_what_waits_is_bounded_by_what_may_be_written(tmp_path: Path) -> None:
    with Telemetry(tmp_path / "t", 1_000, MASK) as telemetry:
        telemetry.message("recv", chunk("a secret-v"))
        for _ in range(40):
            telemetry.message("recv", {"method": "x" * 100})
        assert telemetry.left_out > 30
    first, *_, last = lines(tmp_path / "t")
    assert first["message"]["params"]["update"]["content"]["text"] == "a ${KEY}"
    assert "cut here" in last["note"]


def test_a_value_that_an_excerpt_cuts_is_masked(tmp_path: Path) -> None:
    with Telemetry(tmp_path / "t", 10_000, MASK) as telemetry:
        telemetry.invalid(b"x" * 1_992 + LONGER.encode(), "no JSON")
    assert lines(tmp_path / "t")[0]["invalid"] == "x" * 1_992 + "${KEY}"


@pytest.mark.parametrize("place", ["name", "model", "refused", "title"])
def test_what_is_told_of_an_agent_is_masked(place: str) -> None:
    for text in (f"x {VALUE} y", "x" * 190 + LONGER):
        account = account_of(
            {"id": 0, "result": {"agentInfo": {"name": text}}},
            {"id": 1, "result": {"models": {"currentModelId": text}}},
            update(sessionUpdate="tool_call", toolCallId="a", title=text),
            mask=MASK,
        )
        account.refuse("fs/read_text_file", text, "outside the workspace")
        told = {
            "name": account.agent("a")["name"],
            "model": account.agent("a")["model"],
            "refused": account.refused[0]["what"],
            "title": account.last_seen,
        }
        assert "secret" not in str(told[place])
        assert "${" in str(told[place])


def test_an_answer_that_a_limit_cuts_ends_without_half_a_value() -> None:
    account: Account = account_of(chunk("It is secret-va"), chunk("lue" * 10), limits=Limits(answer=20), mask=MASK)
    assert account.over.done()
    assert account.answer == "It is ${KEY}"
