"""The value of a kept text is the value that its file had (specification 60: judging needs nothing but the record)."""

from __future__ import annotations

import pytest

from judge_polars.bundles.stored import JSON_LINES, OUTPUT, value_of
from judge_polars.bundles.texts import Text, read_json_document, read_json_lines, read_output
from judge_polars.rulebook import Limits

NESTING = Limits().nesting


def kept(read: Text, form: int) -> object:
    """The value of the text that was kept of a document."""
    text = read[0]
    assert text is not None
    return value_of(form, text.decode(), Limits())


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(b'1\n"\xff"\n2\n', id="a line whose bad bytes are replaced"),
        pytest.param(b"1\n\xef\xbb\xbf\xef\xbb\xbf2\n", id="a line with two byte-order marks"),
        pytest.param(b'1\n{"a\xc3": 1}\n', id="a member name with bad bytes"),
        pytest.param(b"1\n[\xff]\n", id="a line that stays bad"),
        pytest.param(b'1\n"\\ud800"\n', id="half a surrogate pair"),
        pytest.param(b"1\n\xef\xbb\xbf2\n", id="a line with one byte-order mark"),
        pytest.param(b"1\n" + b"[" * 129 + b"]" * 129, id="a line that nests too deep"),
        pytest.param(b"NaN\n1e400\n18446744073709551616\n-0.0\n\r\n \n1 \r\n", id="odd numbers and blank lines"),
    ],
)
def test_json_lines(data: bytes) -> None:
    read = read_json_lines(data, NESTING)
    assert repr(kept(read, JSON_LINES)) == repr(read[2])


def test_a_bad_line_begins_with_a_mark_only_where_it_would_be_read_as_json() -> None:
    assert read_json_lines(b'1\n"\xff"\n[\xff]\n', NESTING)[0] == '1\n\u200b"\ufffd"\n[\ufffd]'.encode()


@pytest.mark.parametrize(
    "data", [b'"\xff"', b"```json\n[1]\n```", b"\xef\xbb\xbf[NaN]", b"```\n[1]\n```\n```json\n{]\n```"]
)
def test_outputs(data: bytes) -> None:
    read = read_output(data, NESTING)
    assert repr(kept(read, OUTPUT)) == repr(read[2])


@pytest.mark.parametrize("data", [b'{"a": [1e400, -0.0, 100000000000000000000]}', b"\xef\xbb\xbf[Infinity]"])
def test_json_documents(data: bytes) -> None:
    read = read_json_document(data, NESTING)
    assert repr(kept(read, 0)) == repr(read[2])
