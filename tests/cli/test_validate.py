"""`validate`: formats, exit codes, and a message with line and mend for every broken file, never a traceback."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judge_polars.cli.app import run
from judge_polars.errors import Finding
from judge_polars.registry import examine
from judge_polars.report.findings import findings_as_annotations, findings_as_text
from tests.cli.conftest import Result
from tests.registry import test_errors
from tests.registry.lint_small import PROMPT, bucket, case, findings_in
from tests.registry.small import FILES, MARK, SHORT, changed, write_registry

CASE = FILES[SHORT["case"]]
JUDGE = FILES[SHORT["judge"]]
BOMB = "a: &a [1,1,1,1,1,1,1,1,1,1]\n" + "".join(
    f"{new}: &{new} [{','.join([f'*{old}'] * 10)}]\n" for old, new in zip("abcdef", "bcdefg", strict=True)
)

BROKEN_BYTES: dict[str, tuple[bytes, int, str]] = {
    # encodings
    "UTF-16 little-endian": (CASE.encode("utf-16"), 1, "UTF-8"),
    "UTF-16 big-endian": (b"\xfe\xff" + CASE.encode("utf-16-be"), 1, "UTF-8"),
    "UTF-32": (CASE.encode("utf-32"), 1, "UTF-8"),
    "UTF-16 without a mark": (CASE.encode("utf-16-le"), 1, "remove it"),
    "Latin-1": (CASE.replace("A case", "Ein Fäll").encode("latin-1"), 4, "UTF-8"),
    "GB 18030": (CASE.replace("A case", "案例").encode("gb18030"), 4, "UTF-8"),
    "binary": (b"\x00\x01\x02\xff", 1, "UTF-8"),
    "NUL": (CASE.replace("A case", "A\0case").encode(), 4, "remove it"),
    "surrogate": (b"a: \xed\xa0\x80\n", 1, "UTF-8"),
    "mark in the middle": (CASE.replace("A case", "A\ufeffcase").encode() + b"x: \x07\n", 15, "remove it"),
    # empty
    "empty": (b"", 1, "mapping"),
    "blank": (b"\n\n  \n", 1, "mapping"),
    "comment": (b"# nothing yet\n", 1, "mapping"),
    "mark alone": (b"\xef\xbb\xbf", 1, "mapping"),
    "document start alone": (b"---\n", 2, "mapping"),
    "null": (b"null\n", 1, "mapping"),
    "text": (b"case\n", 1, "mapping"),
    "number": (b"12\n", 1, "mapping"),
    "list": (b"- a\n- b\n", 1, "mapping"),
    "other language": (b'{"schema_version": 1,, }', 1, "quote"),
    # tabs and indentation
    "tab as indentation": (CASE.replace("  text:", "\ttext:").encode(), 8, "spaces"),
    "tab in a list": (b"a:\n- b\n\t- c\n", 3, "spaces"),
    "too little indentation": (CASE.replace("  cluster_id", "cluster_id").encode(), 9, "environment"),
    "too much indentation": (CASE.replace("version: 2", "  version: 2").encode(), 3, "indentation"),
    "uneven indentation": (CASE.replace("  end:", "   end:").encode(), 13, "indentation"),
    "list out of line": (b"a:\n  - b\n - c\n", 3, "indentation"),
    "no space behind the colon": (CASE.replace("title: A", "title:A").encode(), 5, "space"),
    "no colon": (CASE.replace("title: A case", "title").encode(), 5, "`:`"),
    # quotes and brackets
    "open quote": (CASE.replace('"1001"', '"1001').encode(), 15, "quote"),
    "open single quote": (CASE.replace('"1001"', "'1001").encode(), 15, "quote"),
    "open list": (CASE.replace("[x]", "[x").encode(), 7, "]"),
    "open mapping": (CASE.replace("trials: 1}", "trials: 1").encode(), 15, "}"),
    "escape in double quotes": (CASE.replace('"1001"', '"10\\d"').encode(), 10, "single quotes"),
    "colon in a plain text": (CASE.replace("A case", "A case: slow").encode(), 4, "quote"),
    "percent sign": (CASE.replace("A case", "%case").encode(), 4, "quote"),
    "at sign": (CASE.replace("A case", "@case").encode(), 4, "quote"),
    "backquote": (CASE.replace("A case", "`case`").encode(), 4, "quote"),
    "asterisk": (CASE.replace("A case", "*case").encode(), 4, "before it"),
    "ampersand": (CASE.replace("A case", "&a").encode(), 4, "quote"),
    "exclamation mark": (CASE.replace("A case", "!important x").encode(), 4, "quote"),
    "hash in a plain text": (CASE.replace("A case", "#1 case").encode(), 4, "quote"),
    "bracket in a glob": (CASE.replace("A case", "[a-z]* case").encode(), 4, "quote"),
    # keys
    "key twice": (CASE.replace("tags: [x]", "title: B").encode(), 6, "keep one"),
    "key twice in a flow": (CASE.replace("trials: 1}", "trials: 1, trials: 2}").encode(), 14, "keep one"),
    "merge key": (CASE.replace("tags: [x]", "<<: {a: 1}").encode(), 6, "write the keys out"),
    "number as a key": (CASE.replace("tags:", "1:").encode(), 6, 'quote it: "1"'),
    "boolean as a key": (CASE.replace("tags:", "true:").encode(), 6, 'quote it: "true"'),
    "list as a key": (CASE.replace("tags: [x]", "? [x]\n: y").encode(), 6, "texts"),
    "capital in a key": (CASE.replace("title:", "Title:").encode(), 4, "title"),
    "hyphen in a key": (CASE.replace("time_window:", "time-window:").encode(), 11, "time_window"),
    # anchors, tags, documents
    "alias bomb": (BOMB.encode(), 5, "write out"),
    "alias without an anchor": (CASE.replace("[x]", "*tags").encode(), 6, "before it"),
    "alias in itself": (CASE.replace("[x]", "&t [*t]").encode(), 6, "anchor"),
    "Python tag": (CASE.replace("[x]", "!!python/object/apply:os.system [ls]").encode(), 6, "quote"),
    "binary tag": (CASE.replace("A case", "!!binary aGk=").encode(), 4, "quote"),
    "two documents": (CASE.encode() + b"---\n" + CASE.encode(), 15, "keep one"),
    "deep nesting": (b"a: " + b"[" * 5000, 1, "flatten"),
    "deep block nesting": (b"a: " + b"- " * 5000 + b"x", 1, "here"),
    # YAML 1.1
    "yes as a boolean": (CASE.replace("status: active", "status: yes").encode(), 5, "active"),
    "sexagesimal duration": (CASE.replace("timeout: 30m", "timeout: 0:30").encode(), 14, "30m"),
    "date as a time": (CASE.replace("2025-03-04T09:45:00Z", "2025-03-04").encode(), 13, "offset"),
    "time with a space": (CASE.replace("2025-03-04T09:45:00Z", "2025-03-04 09:45:00").encode(), 13, "offset"),
    "octal version": (CASE.replace("version: 2", "version: 0").encode(), 3, "at least 1"),
    "number with underscores": (CASE.replace("version: 2", "version: 1_000").encode(), 3, "whole number"),
    "cluster id as a number": (CASE.replace('"1001"', "1001").encode(), 10, 'quote it: "1001"'),
    "cluster id as a power": (CASE.replace('"1001"', "1e3").encode(), 10, 'quote it: "1e3"'),
    "null as a text": (CASE.replace("A case", "~").encode(), 4, "text"),
    "nothing behind a key": (CASE.replace("A case", "").encode(), 4, "text"),
}


def validate(*arguments: str, capture: pytest.CaptureFixture[bytes]) -> Result:
    """`validate` with some arguments."""
    code = run(["validate", *arguments])
    out, err = capture.readouterr()
    return Result(code, out.decode(), err.decode())


@pytest.mark.parametrize(("content", "line", "mend"), BROKEN_BYTES.values(), ids=BROKEN_BYTES)
def test_broken_bytes(
    tmp_path: Path, content: bytes, line: int, mend: str, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    write_registry(tmp_path)
    path = tmp_path / SHORT["case"]
    path.write_bytes(content)
    result = validate("--registry", str(tmp_path), capture=capsysbinary)
    assert result.code == 2
    assert "Traceback" not in result.err and "internal error" not in result.err
    mine = [one for one in result.out.splitlines() if one.startswith(f"{path}:{line}:") and mend in one]
    assert mine, result.out


ROWS = {**test_errors.SCHEMA, **test_errors.VALUES}


@pytest.mark.parametrize("row", ROWS.values(), ids=ROWS)
def test_broken_values(tmp_path: Path, row: tuple[str, ...], capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    file, *passage, code = row
    marked = changed(file, *passage) if len(passage) == 2 else passage[0]
    line = marked[: marked.index(MARK)].count("\n") + 1
    write_registry(tmp_path, {SHORT[file]: marked.replace(MARK, "")})
    result = validate("--registry", str(tmp_path), capture=capsysbinary)
    assert result.code == 2
    assert "Traceback" not in result.err and "internal error" not in result.err
    place = f"{tmp_path / SHORT[file]}:{line}:"
    assert any(one.startswith(place) and one.endswith(f"[{code}]") for one in result.out.splitlines()), result.out


def test_a_valid_registry(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    findings_in(tmp_path, {})
    result = validate("--registry", str(tmp_path), capture=capsysbinary)
    assert (result.code, result.out) == (0, "")
    assert result.err == f"✓ valid: 0 errors, 0 warnings in {tmp_path} (1 case)\n"


def test_warnings_count_with_strict_alone(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    findings_in(tmp_path, {"suites/daily.yaml": None})
    place = f"{tmp_path}/cases/slow-writes/case.yaml:2:5"
    lenient = validate("--registry", str(tmp_path), capture=capsysbinary)
    strict = validate("--registry", str(tmp_path), "--strict", capture=capsysbinary)
    assert lenient.out == strict.out
    assert lenient.out.startswith(f"{place}: warning: id: ") and lenient.out.endswith("[case_in_no_suite]\n")
    assert (lenient.code, strict.code) == (0, 2)
    assert "with --strict warnings count" in strict.err


def test_errors_of_lint_count_always(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    findings_in(tmp_path, {"case": case(PROMPT + " See ABC-1234.")})
    assert validate("--registry", str(tmp_path), "-q", capture=capsysbinary).code == 2


def test_json(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    findings_in(tmp_path, {"suites/daily.yaml": None, "case": case(PROMPT + " See ABC-1234.")})
    told = json.loads(validate("--registry", str(tmp_path), "--format", "json", capture=capsysbinary).out)
    assert {key: told[key] for key in ("registry", "errors", "warnings")} == {
        "registry": str(tmp_path),
        "errors": 1,
        "warnings": 1,
    }
    assert [one["code"] for one in told["findings"]] == ["case_in_no_suite", "ticket_id_in_prompt"]
    assert set(told["findings"][0]) == {"file", "line", "column", "key", "code", "severity", "message"}


def test_annotations_of_github(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    checks = [f"{{id: c{n}, match: keyword_any, keywords: ['']}}" for n in range(13)]
    findings_in(tmp_path, {"judge": bucket("diagnosis", *checks), "suites/daily.yaml": None})
    lines = validate("--registry", str(tmp_path), "--format", "github", capture=capsysbinary).out.splitlines()
    assert [line.partition(" ")[0] for line in lines] == ["::error"] * 10 + ["3", "::warning"]
    assert lines[10] == "3 more errors of 13; `validate` lists all"
    assert f"file={tmp_path}/cases/slow-writes/judge.yaml,line=6,col=" in lines[0]


def test_annotations_are_escaped() -> None:
    odd = Finding("a,b:c%\n::error ::x", 1, 2, "k", "code", "error", "50% of\n::warning::lines\r\x1b[31m\u202e")
    assert findings_as_annotations([odd]).decode() == (
        "::error file=a%2Cb%3Ac%25%0A%3A%3Aerror %3A%3Ax,line=1,col=2,title=code::"
        "k: 50%25 of%0A: :warning: :lines%0D␛[31m\\u202e\n"
    )


def test_text_is_one_harmless_line_per_finding() -> None:
    odd = Finding("a\nb.yaml", 1, 2, "k", "code", "warning", "x\x1b[31m\ny")
    assert findings_as_text([odd]).decode() == "a⏎b.yaml:1:2: warning: k: x␛[31m⏎y [code]\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--registry", "nowhere"], "nowhere is no directory"),
        (["--format", "xml"], "one of text, json, github"),
        ([], "no registry"),
    ],
)
def test_wrong_usage(
    arguments: list[str],
    told: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsysbinary: pytest.CaptureFixture[bytes],
) -> None:
    monkeypatch.chdir(tmp_path)
    result = validate(*arguments, capture=capsysbinary)
    assert result.code == 2 and told in result.err


def test_an_empty_directory_is_no_registry(tmp_path: Path) -> None:
    assert [finding.code for finding in examine(tmp_path).findings] == ["no_registry"]
