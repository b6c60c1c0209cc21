"""Which shapes of JSON are a value, and which are none: the corners in which parsers differ (specification 20, "Documents").

What RFC 8259 leaves to a parser is answered here: numbers beyond a double are infinite, integers keep their digits, of repeated
members the last counts, a byte-order mark is skipped, bare `NaN` and `Infinity` are read, half a surrogate pair is refused.
"""

from __future__ import annotations

import math

import pytest

from judge_polars.bundles.json_text import NoJsonError, read_json

VALUES: list[tuple[str | bytes, object]] = [
    # structures
    ("[]", []),
    (" [ ] ", []),
    ("[[]   ]", [[]]),
    ('[""]', [""]),
    ("[1\n]", [1]),
    ("\t\r\n [1]", [1]),
    ("[1,null,null,2]", [1, None, None, 2]),
    ("null", None),
    ("true", True),
    ("-0.1", -0.1),
    ('"a"', "a"),
    ('{"":0}', {"": 0}),
    ('{"a":"b","a":"c"}', {"a": "c"}),
    ('{"a":1,"b":2,"a":3}', {"a": 3, "b": 2}),
    ('{"a\\u0000b":1}', {"a\0b": 1}),
    ('{"a":[],"b":{}}', {"a": [], "b": {}}),
    # numbers
    ("[-0]", [0]),
    ("[0e+1]", [0.0]),
    ("[1E22]", [1e22]),
    ("[1e-2]", [0.01]),
    ("[123.456e78]", [123.456e78]),
    ("[0.000000000000000000000000000000000000000000000000000000000000000000000000000001]", [1e-78]),
    ("[-1e-9999]", [-0.0]),
    ("[9007199254740993]", [9007199254740993]),
    ("[100000000000000000000]", [10**20]),
    ("[-123123123123123123123123123123]", [-123123123123123123123123123123]),
    ("[1.5e+9999]", [math.inf]),
    ("[-1.5e+9999]", [-math.inf]),
    ("[0.4e006699999]", [math.inf]),
    ("[0e999999]", [0.0]),
    # strings
    ('["\\u0060\\u012a\\u12AB"]', ["\u0060\u012a\u12ab"]),
    ('["\\uD801\\udc37"]', ["\U00010437"]),
    ('["\\ud83d\\ude39\\ud83d\\udc8d"]', ["\U0001f639\U0001f48d"]),
    ('["\\"\\\\\\/\\b\\f\\n\\r\\t"]', ['"\\/\b\f\n\r\t']),
    ('["\\\\u0000"]', ["\\u0000"]),
    ('["\\uFFFF\\uFFFE\\uFDD0"]', ["\uffff\ufffe\ufdd0"]),
    ('["a/*b*/c//d#e"]', ["a/*b*/c//d#e"]),
    ('["\u2028\u2029\u007f\u00a0\u200b"]', ["\u2028\u2029\u007f\u00a0\u200b"]),
    ('["\U0010ffff"]', ["\U0010ffff"]),
    ('["e\u0301"]', ["e\u0301"]),
    # what is read though RFC 8259 does not ask for it
    (b"\xef\xbb\xbf{}", {}),
    ("[Infinity]", [math.inf]),
    ("[-Infinity]", [-math.inf]),
]
NO_VALUES: list[str | bytes] = [
    # structures
    *("", " ", "\ufeff", "[", "]", "{", "}", "[1", "[1,", '[""', "[1,]", "[,1]", "[1,,2]", "[,]", "[1]]"),
    *("[1}", '{"a":1]', "[3[4]]"),
    *('[""],', '["a",\n4\n,1,', "[1:2]", '["x", truth]', "[a", "[-", "[]1", "[] x", "[]{}", "{}}"),
    *('{"a":1}#', '{"a":1}//', '{"a":/*b*/1}'),
    *('{"a"}', '{"a":}', '{:"b"}', '{"a" "b"}', '{"a"::"b"}', '{"a":"b",}', '{,"a":1}', '{"a":"b",,"c":1}'),
    *("{'a':0}", "{a: 1}", "{1:1}"),
    *('{"a":null', '{"a', '{[: "x"}\n', "{null:null}", '{"x": 0,, "y": 1}', "*", "<.>", "<null>"),
    *("a\u00e5", "\u00e5", "[\u2060]", "[\x0c]", "[\x0b1]"),
    *("[\u00a01]", "/**/", "# x\n1", "{{}}", '{"a":1,"b"}', "[\x00]", "\x00", "[1\x00]"),
    # words and numbers
    *("nul", "nulls", "tru", "fals", "True", "TRUE", "Null", "none", "undefined", "nan", "[NaN", "[-NaN]"),
    *("[+NaN]", "[+Inf]", "[Inf]", "[infinity]"),
    *("[+1]", "[-01]", "[01]", "[012]", "[-]", "[- 1]", "[--2.]", "[-1.0.]", "[0.1.2]", "[.1]", "[-.1]"),
    *("[0.]", "[-2.]", "[1.]", "[2.e3]", "[0.e1]"),
    *("[0e]", "[0e+]", "[0E]", "[1.0e]", "[1.0e-]", "[1eE2]", "[1e1.5]", "[9.3e+]", "[1 000]", "[1_000]"),
    *("[0x1]", "[0x42]", "[1+2]", "[1a]", "[1ea]"),
    *("[\uff11]", "[1\u0665]", "[1.5f]", "[0b1]", "[0o7]", "[1,000.5.5]", "[-foo]", "[++1]", "[1e\u0661]"),
    # strings
    *('"', '["a]', "['a']", '["\\"]', '["\\x00"]', '["\\a"]', '["\\\U0001f300"]', '["\\u"]', '["\\u00A"]'),
    *('["\\u00g0"]', '["\\U00000041"]', '["\\\\\\"]'),
    *('["a\nb"]', '["\t"]', '["\x00"]', '["\x1f"]', '[\\u000A""]', '["new\r\nline"]', "[\u201ca\u201d]"),
    *('["\\\n"]', '["""]', '[""a""]'),
    *('["\\uD834"]', '["\\uDd1e"]', '["\\uD834\\uDd"]', '["\\ud800\\n"]', '["\\uDd1ea"]'),
    *('["\\uD800\\uD800"]', '{"\\uDFAA":0}', '["\\uDC00\\uD800"]'),
    *(b'["\xff"]', b'["\xc0\xaf"]', b'["\xed\xa0\x80"]', b'["\xf4\xbf\xbf\xbf"]', b'["\xe0\xff"]'),
    *(b'["\x81"]', b"[\xff]", b'{"\xb9":"0"}', b'["\xe2\x82"]'),
    *("[1]".encode(codec) for codec in ("utf-16", "utf-16-le", "utf-16-be", "utf-32")),
    b"\xef\xbb\xbf",
    b"\xef\xbb",
    b"\xef\xbb\xbf\xef\xbb\xbf[]",
    b"[]\xef\xbb\xbf",
]  # fmt: skip


def as_bytes(written: str | bytes) -> bytes:
    return written if isinstance(written, bytes) else written.encode()


@pytest.mark.parametrize(("written", "value"), VALUES, ids=[repr(written)[:40] for written, _ in VALUES])
def test_what_is_a_value(written: str | bytes, value: object) -> None:
    read = read_json(as_bytes(written))[0]
    assert repr(read) == repr(value)


@pytest.mark.parametrize("written", NO_VALUES, ids=lambda written: repr(written)[:40])
def test_what_is_no_value(written: str | bytes) -> None:
    with pytest.raises(NoJsonError):
        read_json(as_bytes(written))


@pytest.mark.parametrize("written", ["[NaN]", '{"a":NaN,"b":[Infinity]}', "-Infinity"])
def test_bare_tokens_are_told(written: str) -> None:
    assert read_json(written.encode())[2]


@pytest.mark.parametrize("written", [written for written, _ in VALUES], ids=lambda written: repr(written)[:40])
def test_the_compact_text_is_the_same_value(written: str | bytes) -> None:
    value, text, _ = read_json(as_bytes(written))
    again, same, _ = read_json(text)
    assert (repr(again), same) == (repr(value), text)
