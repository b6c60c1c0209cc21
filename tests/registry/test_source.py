"""YAML 1.2's core schema, what is refused, and where everything stands."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from judge_polars.registry.source import DEPTH, NODES, Source, core_scalar, parse_source, read_source
from tests.registry.small import MARK, place_of_mark


@pytest.mark.parametrize(
    ("written", "value"),
    [
        ("true", True),
        ("True", True),
        ("FALSE", False),
        ("tRue", "tRue"),
        ("yes", "yes"),
        ("no", "no"),
        ("on", "on"),
        ("Off", "Off"),
        ("y", "y"),
        ("null", None),
        ("Null", None),
        ("~", None),
        ("", None),
        ("nil", "nil"),
        ("0", 0),
        ("017", 17),
        ("08", 8),
        ("0o17", 15),
        ("0O17", "0O17"),
        ("0x1F", 31),
        ("0b1", "0b1"),
        ("+12", 12),
        ("-12", -12),
        ("1_000", "1_000"),
        ("18446744073709551617", 18446744073709551617),
        ("1e9", 1e9),
        ("1e-3", 0.001),
        ("1.", 1.0),
        (".5", 0.5),
        ("-.5", -0.5),
        ("8.10", 8.1),
        ("8.5.2", "8.5.2"),
        (".", "."),
        ("1e", "1e"),
        (".inf", math.inf),
        ("-.INF", -math.inf),
        ("inf", "inf"),
        ("12:30:45", "12:30:45"),
        ("1:30", "1:30"),
        ("2025-03-04", "2025-03-04"),
        ("2025-03-04T09:00:00Z", "2025-03-04T09:00:00Z"),
        ("=", "="),
    ],
)
def test_plain_scalars_follow_the_core_schema(written: str, value: object) -> None:
    found = parse_source(f"a: {written}\n", "f").data
    assert found == {"a": value}
    assert isinstance(found, dict) and type(found["a"]) is type(value)


def test_nan_is_a_number() -> None:
    value = core_scalar(".nan")
    assert isinstance(value, float) and math.isnan(value)


@pytest.mark.parametrize("written", ["'12'", '"true"', "|\n  12", ">-\n  null"])
def test_quoted_and_block_scalars_are_texts(written: str) -> None:
    assert isinstance(parse_source(f"a: {written}\n", "f").data["a"], str)  # type: ignore[index]


BOMB = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param("a: 1\nb: 2\n«a: 3\n", "duplicate_key", id="duplicate key"),
        pytest.param("a:\n  - {b: 1, «b: 2}\n", "duplicate_key", id="duplicate key deep down"),
        pytest.param("'a': 1\n«\"a\": 2\n", "duplicate_key", id="the same key in other quotes"),
        pytest.param("«<<: {a: 1}\n", "merge_key", id="merge key"),
        pytest.param("a: «!!str 4\n", "tag_refused", id="tag"),
        pytest.param("a: «!!python/object/apply:os.system [ls]\n", "tag_refused", id="Python tag"),
        pytest.param("a: «! x\n", "tag_refused", id="bare tag"),
        pytest.param("«1: a\n", "key_not_text", id="number as a key"),
        pytest.param("«true: a\n", "key_not_text", id="boolean as a key"),
        pytest.param("«~: a\n", "key_not_text", id="null as a key"),
        pytest.param("? «[a]\n: b\n", "key_not_text", id="list as a key"),
        pytest.param("a: 1\n«---\nb: 2\n", "several_documents", id="second document"),
        pytest.param("«", "empty_file", id="empty"),
        pytest.param("«# only a comment\n", "empty_file", id="only a comment"),
        pytest.param("a: «*b\n", "unknown_alias", id="alias without an anchor"),
        pytest.param("a: &a [«*a]\n", "unknown_alias", id="alias within its anchor"),
        pytest.param("a: «\x01\n", "control_character", id="control character"),
        pytest.param("a: 中«\u2028\n", "control_character", id="line separator of YAML 1.1"),
        pytest.param("a:\n«\tb: 1\n", "yaml_syntax", id="tab as indentation"),
        pytest.param("a: b«: c\n", "yaml_syntax", id="colon in a plain text"),
        pytest.param("a: «@b\n", "yaml_syntax", id="reserved sign"),
        pytest.param("a: [1, 2\n«", "yaml_syntax", id="open list"),
        pytest.param("a: " + "[" * (DEPTH - 1) + "«[", "too_deep", id="deep lists"),
        pytest.param("? «" + "? " * 1000 + "a", "key_not_text", id="keys of keys of keys"),
        pytest.param("a: &x [1]\n«*x : b\n", "key_not_text", id="alias of a list as a key"),
        pytest.param(f"a: «{'9' * 2000}\n", "number_too_long", id="endless number"),
    ],
)
def test_what_is_refused_and_where(text: str, code: str) -> None:
    source = parse_source(text.replace(MARK, ""), "f.yaml")
    assert [(found.code, found.line, found.column) for found in source.findings] == [(code, *place_of_mark(text))]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("'1': a\n'true': b\n'<<': c\n", id="quoted keys"),
        pytest.param("no: a\non: b\n", id="keys that YAML 1.1 reads as booleans"),
        pytest.param("---\na: 1\n...\n", id="one document with marks"),
        pytest.param("a: &x [1]\nb: *x\n", id="alias"),
        pytest.param('a: "\\u0001"\n', id="escaped control character"),
        pytest.param("a: " + "[" * (DEPTH - 1) + "]" * (DEPTH - 1), id="as deep as allowed"),
        pytest.param("%YAML 1.1\n---\na: no\n", id="another version's directive"),
    ],
)
def test_what_is_nearly_refused(text: str) -> None:
    assert parse_source(text, "f.yaml").findings == []


def test_an_alias_bomb_is_refused_before_it_expands() -> None:
    (found,) = parse_source(BOMB, "f.yaml").findings
    assert found.code == "too_many_nodes"
    assert str(NODES) in found.message


def test_many_nodes_without_aliases_are_read() -> None:
    assert parse_source("a: [" + "1," * (NODES + 1) + "]", "f.yaml").findings == []


def test_all_oddities_of_a_file_are_told_and_the_rest_is_read() -> None:
    source = parse_source("a: 1\na: 2\n1: x\nb: !!str c\n", "f.yaml")
    assert [found.code for found in source.findings] == ["duplicate_key", "key_not_text", "tag_refused"]
    assert source.data == {"a": 1, "b": "c"}
    assert [found.key for found in source.findings] == ["a", "", "b"]


@pytest.mark.parametrize(
    ("content", "code", "line", "column"),
    [
        pytest.param("a: 1\n".encode("utf-16"), "not_utf8", 1, 1, id="UTF-16"),
        pytest.param(b"a: 1\nb: \xe9\n", "not_utf8", 2, 4, id="Latin-1"),
        pytest.param(b"a: 1\r\nb: '\xff'\r\n", "not_utf8", 2, 5, id="Windows line ends"),
    ],
)
def test_encodings(tmp_path: Path, content: bytes, code: str, line: int, column: int) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(content)
    (found,) = read_source(path, "f.yaml").findings
    assert (found.code, found.line, found.column) == (code, line, column)


def test_a_byte_order_mark_is_skipped(tmp_path: Path) -> None:
    path = tmp_path / "f.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: 1\r\nb: 2\r\n")
    source = read_source(path, "f.yaml")
    assert source.data == {"a": 1, "b": 2}
    assert source.spot(("b",)).line == 2


def test_a_file_that_is_not_there_is_a_finding(tmp_path: Path) -> None:
    source = read_source(tmp_path / "none.yaml", "none.yaml")
    assert [found.code for found in source.findings] == ["unreadable_file"]


def test_spots_pass_over_what_the_file_does_not_have() -> None:
    source = parse_source("中文: [{x: 1},\n  {x: 2}]\n", "f.yaml")
    spot = source.spot(("中文", "AnyModel", 1, "all_of", 0, "x"))
    assert (spot.line, spot.column, spot.key, spot.written) == (2, 7, "中文[1].x", "2")
    assert source.spot(("中文", 0, "x"), key=True).column == 7


def test_spots_count_elements_as_they_are_written() -> None:
    source = parse_source("a: [x, y, z]\n", "f.yaml").without({("a",): [0, 2]})
    assert source.spot(("a", 1)).key == "a[2]"


def test_a_source_without_text_has_one_spot() -> None:
    assert Source("new.yaml").spot(("a", 0)).line == 1
