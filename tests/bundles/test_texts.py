"""Bytes of files -> texts and values (specification 20, "Documents")."""

from __future__ import annotations

import pytest

from judge_polars.bundles.texts import (
    fenced_blocks,
    has_text_extension,
    kind_of,
    read_json_document,
    read_json_lines,
    read_output,
    read_text,
)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("a.json", "json"),
        ("b/A.JSON", "json"),
        ("a.jsonl", "jsonl"),
        ("a.NDJson", "jsonl"),
        ("a.json.txt", "text"),
        ("a.json/b", "text"),
        ("json", "text"),
        ("evidence/json", "text"),
        ("a.json5", "text"),
        ("a", "text"),
    ],
)
def test_kinds(name: str, kind: str) -> None:
    assert kind_of(name) == kind


@pytest.mark.parametrize(
    ("name", "is_text"),
    [
        ("logs/tikv.log", True),
        ("tikv.LOG", True),
        ("tikv.log.1", True),
        ("tikv.log2", True),
        ("tikv.log.2025-03-04", True),
        ("tikv.log-20250304T0900", True),
        ("tikv.log.2025-03-04T09:00:00.123Z", True),
        ("tikv-2025-03-04.log", True),
        ("a.txt", True),
        ("a.md", True),
        ("a.out", True),
        ("a.json", True),
        ("a.jsonl.3", True),
        ("core.dump", False),
        ("core.1", False),
        ("tikv.log.dump", False),
        ("tikvlog", False),
        ("a.log/core", False),
        ("a.logs", False),
    ],
)
def test_text_extensions(name: str, is_text: bool) -> None:
    assert has_text_extension(name) is is_text


@pytest.mark.parametrize(
    ("data", "text", "codes"),
    [
        (b"plain\r\n", b"plain\r\n", []),
        (b"\xef\xbb\xbfmarked", b"marked", []),
        (b"", None, []),
        (b"\xef\xbb\xbf", None, []),
        (b" \t\n\r\n", None, []),
        ("\u3000\u00a0\n".encode(), None, []),
        ("\u200b".encode(), "\u200b".encode(), []),
        (b"a\xffb", "a\ufffdb".encode(), ["text_undecodable"]),
        ("\u70ed\u70b9".encode(), "\u70ed\u70b9".encode(), []),
    ],
)
def test_texts(data: bytes, text: bytes | None, codes: list[str]) -> None:
    found, has_json, value, issues = read_text(data)
    assert (found, has_json, value, [code for code, _ in issues]) == (text, False, None, codes)


@pytest.mark.parametrize(
    ("data", "text", "has_json", "codes"),
    [
        (b'{"a" : 1}', b'{"a":1}', True, []),
        (b"[NaN]", b"[NaN]", True, ["json_nonstandard"]),
        (b'{"a": ', b'{"a": ', False, ["json_invalid"]),
        (b"\xef\xbb\xbf{", b"{", False, ["json_invalid"]),
        (b'"a\xff"', '"a\ufffd"'.encode(), False, ["json_invalid", "text_undecodable"]),
        (b"", None, False, ["json_invalid"]),
        (b'" "', b'" "', True, []),
    ],
)
def test_json_documents(data: bytes, text: bytes | None, has_json: bool, codes: list[str]) -> None:
    found, has, _, issues = read_json_document(data, 128)
    assert (found, has, [code for code, _ in issues]) == (text, has_json, codes)


@pytest.mark.parametrize(
    ("data", "values", "text", "codes"),
    [
        (b'{"a": 1}\n[2]\n', [{"a": 1}, [2]], b'{"a":1}\n[2]', []),
        (b'{"a": 1}\r\n\r\n \t\n"x"', [{"a": 1}, "x"], b'{"a":1}\n"x"', []),
        (b'1\n{"a": 1\n', [1], b'1\n{"a": 1', ["jsonl_bad_line"]),
        (b"bad line\r\n", [], b"bad line", ["jsonl_bad_line"]),
        (
            b'a":1}\n[-9223372036854775809]',
            [[-9223372036854775809]],
            b'a":1}\n[-9223372036854775809]',
            ["jsonl_bad_line"],
        ),
        (b"", [], None, []),
        (b"\n \n", [], None, []),
        (b"\xef\xbb\xbf1\n2", [1, 2], b"1\n2", []),
        (b"\xef\xbb\xbf\n2", [2], b"2", []),
        (b"NaN\n[NaN]\n", None, b"NaN\n[NaN]", ["json_nonstandard"]),
        (b"18446744073709551616\n1", [2**64, 1], b"18446744073709551616\n1", []),
        (b"1,2\n[3\n4]", [], b"1,2\n[3\n4]", ["jsonl_bad_line"]),
        (b"1\r2\n3", [3], b"1\r2\n3", ["jsonl_bad_line"]),
        (b"\xff\n1", [1], "\ufffd\n1".encode(), ["jsonl_bad_line", "text_undecodable"]),
        (b"null", [None], b"null", []),
        ("\u3000\n1".encode(), [1], b"1", []),
        (b"[" * 129 + b"]" * 129 + b"\n[[]]", [[[]]], b"[" * 129 + b"]" * 129 + b"\n[[]]", ["jsonl_bad_line"]),
    ],
)
def test_json_lines(data: bytes, values: list[object] | None, text: bytes | None, codes: list[str]) -> None:
    found, has_json, value, issues = read_json_lines(data, 128)
    assert found == text
    assert sorted(code for code, _ in issues) == codes
    if values is not None:
        assert (has_json, value) == (bool(values), values)


def test_bad_lines_are_counted_and_the_first_one_named() -> None:
    _, _, _, issues = read_json_lines(b'1\n\nx\n2\n{"a"\ny', 128)
    assert dict(issues)["jsonl_bad_line"].startswith("3 lines do not parse, the first is line 3: ")


@pytest.mark.parametrize(
    ("text", "has_json", "value"),
    [
        ('{"a": 1}', True, {"a": 1}),
        (" 42 \n", True, 42),
        ("the answer is 42", False, None),
        ("```json\n[1]\n```", True, [1]),
        ("x\n```\n[1]\n```\ny\n```json\n[2]\n```\nz", True, [2]),
        ("```json\n[1]\n```\n```json\n[2\n```", True, [1]),
        ("```json\n[1]\n```\n```bash\n[2]\n```", True, [1]),
        ("```json\n1\n```", False, None),
        ('```\n"x"\n```', False, None),
        ("~~~ JSON\n{}\n~~~", True, {}),
        ("```json title=x\n{}\n```", True, {}),
        ("```json5\n{}\n```", False, None),
        ("   ```json\n   [1]\n   ```", True, [1]),
        ("    ```json\n    [1]\n    ```", True, [1]),
        ("````json\n[1,\n```\n2]\n````", False, None),
        ("```json\n[1]", True, [1]),
        ("```json\n[1]\n~~~\n", False, None),
        ("```json\r\n[1,\r\n2]\r\n```\r\n", True, [1, 2]),
        ("``json\n[1]\n``", False, None),
        ("```json `x`\n[1]\n```", False, None),
        ("", False, None),
    ],
)
def test_json_of_the_output(text: str, has_json: bool, value: object) -> None:
    found, has, read, issues = read_output(text.encode(), 128)
    assert (has, read, issues) == (has_json, value, ())
    assert found == (text.encode() or None)


def test_a_bare_token_in_the_output_is_told() -> None:
    _, has_json, _, issues = read_output(b"```json\n[NaN]\n```", 128)
    assert has_json
    assert [code for code, _ in issues] == ["json_nonstandard"]


def test_fenced_blocks() -> None:
    text = "```py one\na\n  ```\n````\n```\n````   \n~~~\nb\n```\n~~~~\nrest"
    assert fenced_blocks(text) == [("py", "a"), ("", "```"), ("", "b\n```")]
