"""JSON values and their compact texts (specification 20, "Documents")."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge_polars.bundles.json_text import NoJsonError, compact, holds_long_integer, parse_json, read_json


@pytest.mark.parametrize(
    ("data", "value", "text"),
    [
        (b'{"a": [1, 2.5, null, true]}', {"a": [1, 2.5, None, True]}, '{"a":[1,2.5,null,true]}'),
        (b" 7\r\n", 7, "7"),
        (b"\xef\xbb\xbf[1]", [1], "[1]"),
        (b'{"b": 1, "a": 2}', {"b": 1, "a": 2}, '{"b":1,"a":2}'),
        (b'{"a": 1, "a": 2}', {"a": 2}, '{"a":2}'),
        ('"\u78c1\u76d8"'.encode(), "\u78c1\u76d8", '"\u78c1\u76d8"'),
        (b'"\\u78c1\\/\\u0001\\n"', "\u78c1/\x01\n", '"\u78c1/\\u0001\\n"'),
        (b'"\\ud83d\\ude00"', "\U0001f600", '"\U0001f600"'),
        (b"[]", [], "[]"),
        (b"null", None, "null"),
    ],
)
def test_values_and_compact_texts(data: bytes, value: object, text: str) -> None:
    assert read_json(data) == (value, text.encode(), False)


@pytest.mark.parametrize(
    "digits",
    [
        "9223372036854775807",
        "9223372036854775808",
        "-9223372036854775808",
        "-9223372036854775809",
        "18446744073709551615",
        "18446744073709551616",
        "340282366920938463463374607431768211456",
        "1" + "0" * 308,
        "-1" + "0" * 308,
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "[{}]", '{{"a": {}}}', '["\\"", {}]', '["12345678901234567890", "x", {}]', "[\n{}]"]
)
def test_integers_keep_all_their_digits(digits: str, around: str) -> None:
    data = around.format(digits).encode()
    assert parse_json(data) == json.loads(data)
    assert digits.encode() in read_json(data)[1]
    assert type(parse_json(digits.encode())) is int


@pytest.mark.parametrize(
    ("number", "infinite"),
    [
        ("1e400", math.inf),
        ("-1e400", -math.inf),
        ("1" + "0" * 309, math.inf),
        ("-9" + "9" * 5000, -math.inf),
        ("1e308", 1e308),
    ],
)
def test_numbers_beyond_the_range_of_a_double_are_infinite(number: str, infinite: float) -> None:
    value, text, nonstandard = read_json(f"[{number}]".encode())
    assert value == [infinite]
    assert not nonstandard
    assert parse_json(text) == value


@pytest.mark.parametrize("token", ["NaN", "Infinity", "-Infinity"])
def test_bare_tokens_are_read_and_told(token: str) -> None:
    value, text, nonstandard = read_json(f'{{"a": {token}, "b": 1}}'.encode())
    assert nonstandard
    assert isinstance(value, dict)
    assert not math.isfinite(value["a"])
    assert text == f'{{"a":{token},"b":1}}'.encode()


@pytest.mark.parametrize("data", [b'{"a": "NaN"}', b'["Infinity", -1]', b"[1e2]"])
def test_quoted_tokens_are_nothing_special(data: bytes) -> None:
    assert read_json(data)[2] is False


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b" ",
        b"{",
        b"{'a': 1}",
        b"[1,]",
        b"[1] 2",
        b"01",
        b"+1",
        b"nan",
        b"inf",
        b"[NaN",
        b"-NaN",
        b'"\\ud800"',
        b'["\\ud800", NaN]',
        b'["\\udc00\\ud800"]',
        b'"\xff"',
        b'["\xff", NaN]',
        b'"\t"',
        b"\xef\xbb\xbf",
        b"\xef\xbb\xbf\xef\xbb\xbf1",
        "[1]".encode("utf-16"),
        b"\xc0\x80",
    ],
)
def test_what_is_no_json(data: bytes) -> None:
    with pytest.raises(NoJsonError):
        read_json(data)


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
@pytest.mark.parametrize("inside", [b"1", b'"x"', b"[]", b"{}", b"NaN", b"18446744073709551616"])
def test_values_nest_at_most_128_levels(opening: bytes, closing: bytes, inside: bytes) -> None:
    levels = 2 if opening == b'[{"a":' else 1
    whole, over = divmod(128 - (inside in (b"[]", b"{}")), levels)
    deepest = b"[" * over + opening * whole + inside + closing * whole + b"]" * over
    read_json(deepest)
    with pytest.raises(NoJsonError, match="deeper than 128 levels"):
        read_json(b"[" + deepest + b"]")


@pytest.mark.parametrize(
    "data",
    [
        b"[" * 100_000,
        b"[" * 100_000 + b"]" * 100_000,
        b'{"a":' * 100_000,
        b"[" * 100_000 + b"NaN" + b"]" * 100_000,
        b'{"a":' * 100_000 + b"NaN",
    ],
)
def test_no_nesting_crashes(data: bytes) -> None:
    with pytest.raises(NoJsonError):
        read_json(data)


def test_width_is_no_nesting() -> None:
    assert len(parse_json(b"[" + b",".join([b"[[]]"] * 5000) + b"]")) == 5000  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("data", "found"),
    [
        (b"1234567890123456789", True),
        (b"123456789012345678", False),
        (b'"12345678901234567890"', False),
        (b'"cluster 12345678901234567890 is slow"', False),
        (b'["12345678901234567890", 12345678901234567890]', True),
        (b'"\\\\" 12345678901234567890', True),
        (b'["\\"12345678901234567890"]', False),
        (b"[0.12345678901234567890]", False),
    ],
)
def test_long_integers_are_found_outside_strings(data: bytes, found: bool) -> None:
    assert holds_long_integer(data) is found


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"b": [1, None], "a": "\u70ed"}, '{"b":[1,null],"a":"\u70ed"}'),
        ([float("nan"), None], "[NaN,null]"),
        ({"a": [float("inf")]}, '{"a":[Infinity]}'),
        ([2**70], "[1180591620717411303424]"),
        ([None, "null", 1.5], '[null,"null",1.5]'),
    ],
)
def test_compact(value: object, text: str) -> None:
    assert compact(value) == text


JSON_VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=20,
)


@given(JSON_VALUES, st.sampled_from([None, 1, 3]), st.booleans())
def test_any_value_comes_back_as_it_was_written(value: Any, indent: int | None, ascii_only: bool) -> None:
    written = json.dumps(value, indent=indent, ensure_ascii=ascii_only).encode()
    read, text, _ = read_json(written)
    assert read == value
    assert json.loads(text) == value
    assert parse_json(compact(value).encode()) == value


@given(st.binary(max_size=60))
def test_any_bytes_are_json_or_no_json(data: bytes) -> None:
    try:
        _, text, _ = read_json(data)
    except NoJsonError:
        return
    assert read_json(text)[1] == text
