"""Targets that check one function after another against the slow, plain judge, without files."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import polars as pl
from hypothesis import strategies as st

from judge_polars.bundles.json_text import NESTING, NoJsonError, read_json
from judge_polars.bundles.stored import JSON_LINES, OUTPUT, value_of
from judge_polars.bundles.texts import Text, read_json_document, read_json_lines, read_output, read_text
from judge_polars.facts.json_nodes import compile_path
from judge_polars.facts.series import SeriesColumns
from judge_polars.globs import glob_regex, series_regex
from judge_polars.json_path import PathError, parse_path
from judge_polars.registry.finding_codes import FINDING_CODES
from judge_polars.registry.source import parse_source
from judge_polars.rulebook import Limits
from tests.fuzz import hostile_json, hostile_names, hostile_texts
from tests.fuzz.target import BrokenPropertyError, Example, Target
from tests.plain import documents as plain
from tests.plain.paths import select
from tests.plain.series import series_in
from tests.plain.text import glob, has_text
from tests.plain.values import BYTE_ORDER_MARK, parse_json


def require(held: bool, what: str, *shown: object) -> None:
    """Raise `BrokenPropertyError` where a property does not hold."""
    if not held:
        raise BrokenPropertyError(what + "".join(f"\n  {one!r}" for one in shown))


def alike(one: Any, other: Any) -> bool:
    """Equal, kinds of numbers included, NaN equal to itself."""
    if type(one) is not type(other):
        return False
    if isinstance(one, dict):
        return list(one) == list(other) and all(alike(one[name], other[name]) for name in one)
    if isinstance(one, list | tuple):
        return len(one) == len(other) and all(map(alike, one, other))
    if isinstance(one, float):
        return (math.isnan(one) and math.isnan(other)) or (
            one == other and math.copysign(1, one) == math.copysign(1, other)
        )
    return bool(one == other)


# Documents


def _as_rules_have_it(value: Any) -> Any:
    """Integers beyond the range of a double are infinite."""
    if isinstance(value, dict):
        return {name: _as_rules_have_it(member) for name, member in value.items()}
    if isinstance(value, list):
        return [_as_rules_have_it(element) for element in value]
    if type(value) is int and len(str(abs(value))) > 308:
        try:
            float(value)
        except OverflowError:
            return math.inf if value > 0 else -math.inf
    return value


def visible(text: str) -> str:
    """A text as text rules see it, as to the character that may begin a bad line."""
    return text.replace("\u200b", "")


READERS: Final[dict[str, Callable[[bytes], Text]]] = {
    "json": lambda data: read_json_document(data, NESTING),
    "jsonl": lambda data: read_json_lines(data, NESTING),
    "log": read_text,
    "output": lambda data: read_output(data, NESTING),
}


def _expect_output(document: plain.Document, content: bytes) -> None:
    """What the plain judge reads in a final output."""
    document.text = content.decode("utf-8", "replace")
    if not plain.is_utf8(content):
        document.add_issue("text_undecodable", "")
    parsed = parse_json(document.text) or plain.last_json_block(document.text)
    if parsed is not None and has_text(document.text):
        document.values = [parsed.value]
        if parsed.nonstandard:
            document.add_issue("json_nonstandard", "")


def check_document(example: Example, _: Path) -> None:
    """A document of each kind is read as the plain judge reads it, and its kept text gives the same value."""
    kind, data = example
    read, wanted = READERS[kind], plain.Document(f"a.{kind}")
    if kind == "output":
        _expect_output(wanted, data.removeprefix(BYTE_ORDER_MARK))
    else:
        plain.read_content(wanted, data, kind)
    text_read, has_json, value, issues = read(data)
    require(has_json == bool(wanted.values), "whether there is a JSON value", has_json, wanted.values)
    if has_json:
        require(alike(value, _as_rules_have_it(wanted.values[0])), "the JSON value", value, wanted.values[0])
    own = None if text_read is None else text_read.decode()
    if own is None or not has_json:
        require(own is None or visible(own) == visible(wanted.text or ""), "the text", own, wanted.text)
        require((own is None) == (not wanted.has_text), "whether there is text", own, wanted.text)
    codes = sorted({code for code, _ in issues if code != "limit_reached"})
    require(codes == sorted({issue.code for issue in wanted.issues}), "the issues", issues, wanted.issues)
    require(alike(read(data), (text_read, has_json, value, issues)), "the same again")
    if has_json and own is not None:
        form = {"json": 0, "jsonl": JSON_LINES, "output": OUTPUT}[kind]
        require(alike(value_of(form, own, Limits()), value), "the value of the kept text", own)
    if kind == "json" and has_json:
        require(read_json(text_read or b"")[1] == text_read, "the compact text of the compact text", text_read)


DOCUMENTS: Final = st.one_of(
    st.tuples(st.just("json"), hostile_json.JSON_BYTES),
    st.tuples(st.just("jsonl"), hostile_json.JSON_LINES),
    st.tuples(st.just("output"), st.one_of(hostile_texts.PROSE_BYTES, hostile_json.JSON_BYTES)),
    st.tuples(st.sampled_from(["json", "jsonl", "output", "log"]), hostile_json.ANY_BYTES),
)


# Paths and globs


def check_path(example: Example, _: Path) -> None:
    """A path is refused, or selects the nodes that RFC 9535 gives."""
    path, text = example
    try:
        parse_path(path)
    except PathError as fault:
        require(1 <= fault.position <= len(path) + 1, "the position of a fault", fault.position, path)
        return
    try:
        value: Any = read_json(text.encode())[0]
    except NoJsonError:
        return
    own = compile_path(path)(value)
    wanted = [node.value for node in select(path, value)]
    require(len(own) == len(wanted) and all(map(alike, own, wanted)), f"the nodes at {path}", own, wanted)


def check_glob(example: Example, _: Path) -> None:
    """A glob means the same for files in Python and in Polars, and what the plain judge takes it for."""
    pattern, name = example
    expected = glob(pattern).fullmatch(name) is not None
    regex = glob_regex(pattern)
    require((re.compile(regex).fullmatch(name) is not None) == expected, "in Python", pattern, name, regex)
    in_polars = pl.select(pl.lit(name).str.contains(regex)).item()
    require(in_polars == expected, "in Polars", pattern, name, regex)
    if not (len(pattern) > 1 and pattern[0] == pattern[-1] == "/"):
        everywhere = glob(pattern, crosses_slash=True).fullmatch(name) is not None
        found = pl.select(pl.lit(name).str.contains(series_regex(pattern))).item()
        require(found == everywhere, "of a series", pattern, name)


# Series


def check_series(example: Example, _: Path) -> None:
    """Names, labels, values and times of every series are those of the plain judge."""
    name, text = example
    try:
        value: Any = read_json(text.encode())[0]
    except NoJsonError:
        return
    columns = SeriesColumns()
    columns.add(0, value, name)
    series, points = columns.frames()
    own = []
    for number, series_name, labels in series.select("series", "name", "labels").iter_rows():
        mine = points.filter(pl.col("series") == number)
        if series["timed"][number]:
            mine = mine.sort("ts", maintain_order=True)
        own.append((series_name, sorted(labels), mine["value"].to_list()))
    wanted = [
        (one.name, sorted(f"{key}\0{text}" for key, text in one.labels.items()), [point.value for point in one.points])
        for one in series_in(value, name)
    ]
    require(len(own) == len(wanted) and all(map(alike, own, wanted)), "the series", own, wanted)


# YAML

YAML_PIECES: Final = (
    *(
        "a: ",
        "b: ",
        "- ",
        "? ",
        ": ",
        "&x ",
        "*x",
        "!!str ",
        "!!python/name:os.system ",
        "! ",
        "<<: ",
        "|\n",
        ">-\n",
        "|2\n",
        "'",
        '"',
        "#",
        " #c",
    ),
    *(
        "[",
        "]",
        "{",
        "}",
        ",",
        "\n",
        "\n  ",
        "\n    ",
        "\n\t",
        "\t",
        "\r\n",
        "\r",
        "---\n",
        "...\n",
        "%YAML 1.1\n",
        "%TAG ! tag:x,2000:\n",
        "~",
        "null",
    ),
    *(
        "yes",
        "no",
        "on",
        "true",
        "TRUE",
        "017",
        "0o17",
        "0x1F",
        "1_000",
        "1e9",
        "1:30",
        "2025-03-04",
        ".nan",
        "-.inf",
        "=",
        "@",
        "`",
        "%",
        "\\",
        '"\\x41"',
    ),
    *(
        '"\\ud800"',
        '"\\U0010FFFF"',
        '"\\UFFFFFFFF"',
        "\ufeff",
        "\u2028",
        "\x85",
        "\x00",
        "\x07",
        "中文",
        "😀",
        "\ud7ff",
        "[" * 70,
        "{a: " * 70,
        "- " * 70,
        "9" * 1001,
    ),
)
YAML_TEXTS: Final = st.lists(
    st.one_of(st.sampled_from(YAML_PIECES), st.text(hostile_texts.CHARACTERS, max_size=3)), max_size=14
).map("".join)


def check_yaml(example: Example, _: Path) -> None:
    """A YAML text is data or has findings with a place; it is read the same again, and with Windows line ends."""
    source = parse_source(example, "f.yaml")
    require(source.readable == (source.data is not None or not source.findings or source.readable), "readable")
    lines = len(re.split(r"\r\n|\r|\n|\x85|\u2028|\u2029", example))
    for found in source.findings:
        require(found.code in FINDING_CODES, "a code that is not documented", found)
        require(0 < found.line <= lines + 1 and found.column > 0 and bool(found.message), "a place", found)
    again = parse_source(example, "f.yaml")
    require(again.findings == source.findings and repr(again.data) == repr(source.data), "the same again")
    spot = source.spot(("a", 0, "b"))
    require(spot.line > 0 and spot.column > 0, "a spot", spot)


TARGETS: Final = (
    Target("documents", "documents of all kinds, read as the plain judge reads them", DOCUMENTS, check_document, 300),
    Target(
        "paths",
        "JSON paths: refused with a place, or RFC 9535's nodes",
        st.tuples(hostile_names.PATHS, hostile_json.JSON_VALUES),
        check_path,
        300,
    ),
    Target(
        "globs",
        "globs mean the same in Python, Polars and the plain judge",
        st.tuples(hostile_names.GLOBS, hostile_names.FILE_NAMES),
        check_glob,
        300,
    ),
    Target(
        "series",
        "numeric series in JSON values are those of the plain judge",
        st.tuples(st.sampled_from(["evidence/metrics.json", "m", "a.b.json", "logs/x.y/z"]), hostile_json.JSON_VALUES),
        check_series,
        200,
    ),
    Target("yaml", "YAML texts are data, or findings with a place", YAML_TEXTS, check_yaml, 300),
)
