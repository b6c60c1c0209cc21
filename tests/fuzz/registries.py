"""Targets on registries: real ones with edits as hands make them."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st

from judge_polars.errors import JudgePolarsError, RegistryError
from judge_polars.judge import judge_runs
from judge_polars.registry import examine, load_registry
from judge_polars.registry.finding_codes import FINDING_CODES
from judge_polars.registry.lint import LINT_CODES
from judge_polars.registry.source import parse_source
from judge_polars.report.findings import findings_as
from tests.fuzz import hostile_texts
from tests.fuzz.judged import EVALUATION, world
from tests.fuzz.small import require
from tests.fuzz.target import Example, Target
from tests.registry.small import FILES

SHIPPED_PACK: Final = EVALUATION.parent / "judge_polars" / "packs" / "tidb.yaml"
CODES: Final = frozenset((*FINDING_CODES, *LINT_CODES))
WORLDS: Final = 8
ODD_VALUES: Final = (
    *(
        "null",
        "true",
        "0",
        "-1",
        "1.5",
        "1e400",
        ".nan",
        ".inf",
        "0x1F",
        "1_000",
        "''",
        "' '",
        "x",
        "output",
        "logs",
        "evidence",
        "$.a",
        "'$['",
    ),
    *(
        "'$..*'",
        "'('",
        "'a*'",
        "'(?i)'",
        "'\\b'",
        "'(a+)+$'",
        "'\\p{Han}'",
        "'(?=a)'",
        "'a{1000}{1000}'",
        "'[[:alpha:]&&[^b]]'",
        "2025-01-01",
        "2025-01-01T00:00:00Z",
    ),
    *(
        "2025-03-04T09:00:00",
        "9999-12-31T23:59:59Z",
        "0001-01-01T00:00:00+14:00",
        "5m",
        "1h99m",
        "99999999999h",
        "-5m",
        "'\\u200b'",
        "../x",
        "/etc/passwd",
        "[]",
    ),
    *(
        "{}",
        "[null]",
        "[[]]",
        "[x, x]",
        "[[1, 2], [3]]",
        "{match: keyword_any}",
        "{match: 1}",
        "{fact: hot}",
        "{fact: []}",
        "[{}]",
        "{match: json_value, path: $, equals: null}",
    ),
    *(
        "{match: json_value, path: $, in: []}",
        "{match: json_value, path: $, in: [1, a, true, 1.5]}",
        "{match: json_value, path: $, equals: 123456789012345678901234567890}",
    ),
    *(
        "{match: numeric_series_any_gt, artifact: report, threshold: .inf}",
        "{match: numeric_series_any_gt, artifact: report, series: '/[/', threshold: 1}",
        "1e-320",
    ),
    *(
        "{match: regex_any, artifact: logs, patterns: ['x*']}",
        "{match: json_count, artifact: logs, path: '$[*]', ge: 0, where: [{path: $, equals: 1}]}",
        "99999999999999999999",
    ),
    *(
        "{match: keyword_any, artifact: '**', keywords: ['\\u00ad']}",
        "{match: json_value, artifact: logs, path: $.t, time_within: {of: 2025-03-04T09:00:00Z, tolerance: 5m, offset: '+25:00'}}",
    ),
    *(
        "&a [*a]",
        "*a",
        "!!binary aGk=",
        "|\n  text",
        "'中文'",
        '"\\ud800"',
        '"\\x00"',
        '"\\e[31m"',
        "{at_least: {n: 2, of: []}}",
        "{<<: {a: 1}}",
        "?",
    ),
)
ODD_KEYS: Final = (
    *(
        "match",
        "fact",
        "all_of",
        "any_of",
        "at_least",
        "where",
        "equals",
        "in",
        "required",
        "section",
        "words",
        "concepts",
        "within",
        "margin",
        "x",
        "<<",
        "1",
        "~",
    ),
    *(
        "patterns",
        "keywords",
        "path",
        "artifact",
        "series",
        "labels",
        "threshold",
        "unless",
        "weight",
        "id",
        "match ",
        "Match",
        "checks",
        "judge",
        "facts",
        "causes",
    ),
)


def lines_of(text: str) -> list[str]:
    """The lines of a file."""
    return text.split("\n")


def _line_removed(text: str, where: int, piece: str) -> str:
    lines = lines_of(text)
    del lines[where % len(lines)]
    return "\n".join(lines)


def _line_doubled(text: str, where: int, piece: str) -> str:
    lines = lines_of(text)
    at = where % len(lines)
    return "\n".join([*lines[: at + 1], *lines[at:]])


def _lines_swapped(text: str, where: int, piece: str) -> str:
    lines = lines_of(text)
    at, other = where % len(lines), where // 31 % len(lines)
    lines[at], lines[other] = lines[other], lines[at]
    return "\n".join(lines)


def _indented(text: str, where: int, piece: str) -> str:
    lines = lines_of(text)
    at = where % len(lines)
    lines[at] = lines[at][1:] if where % 3 == 0 else ("\t" if where % 3 == 1 else "  ") + lines[at]
    return "\n".join(lines)


def _value_replaced(text: str, where: int, piece: str) -> str:
    """The value behind a colon."""
    found = list(re.finditer(r"(?<=: )[^\n,}\]]+", text))
    if not found:
        return text + piece
    at = found[where % len(found)]
    return text[: at.start()] + piece + text[at.end() :]


def _token_replaced(text: str, where: int, piece: str) -> str:
    found = list(re.finditer(r"[\w.$-]+", text))
    if not found:
        return piece
    at, other = found[where % len(found)], found[where // 37 % len(found)]
    return text[: at.start()] + (other.group() if where % 2 else piece) + text[at.end() :]


def _key_misspelt(text: str, where: int, piece: str) -> str:
    found = list(re.finditer(r"\w+(?=:)", text))
    if not found:
        return text
    at = found[where % len(found)]
    key = at.group()
    odd = (key[:-1], key + "s", key.upper(), key.replace("_", "-"), f"'{key}'", ODD_KEYS[where // 7 % len(ODD_KEYS)])[
        where % 6
    ]
    return text[: at.start()] + odd + text[at.end() :]


def _inserted(text: str, where: int, piece: str) -> str:
    at = where % (len(text) + 1)
    return text[:at] + piece + text[at:]


def _truncated(text: str, where: int, piece: str) -> str:
    return text[: where % (len(text) + 1)]


def _wrapped(text: str, where: int, piece: str) -> str:
    deep = where % 90
    return "[" * deep + text + "]" * deep if where % 2 else "\n".join("  " + line for line in lines_of(text))


def _node_replaced(text: str, where: int, piece: str) -> str:
    """A node of the data is another one, or one of elsewhere in the file; the file is written as JSON."""
    data: Any = parse_source(text, "f").data
    if data is None:
        return piece
    places = list(_places(data))
    path, other = places[where % len(places)], places[where // 41 % len(places)]
    odd = parse_source(f"a: {piece}\n", "f").data
    new = odd["a"] if isinstance(odd, dict) and "a" in odd and where % 4 else _at(data, other)
    new = json.loads(json.dumps(new))
    if not path:
        data = new
    else:
        holder = _at(data, path[:-1])
        if where % 5 == 0:
            holder.pop(path[-1])
        elif where % 5 == 1 and isinstance(holder, dict):
            holder[ODD_KEYS[where // 5 % len(ODD_KEYS)]] = new
        elif where % 5 == 2 and isinstance(holder, list):
            holder.insert(path[-1], new)
        else:
            holder[path[-1]] = new
    return json.dumps(data, ensure_ascii=False)


def _places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from _places(value[step], (*path, step))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        value = value[step]
    return value


EDITS: Final[dict[str, Callable[[str, int, str], str]]] = {
    "remove": _line_removed,
    "double": _line_doubled,
    "swap": _lines_swapped,
    "indent": _indented,
    "value": _value_replaced,
    "token": _token_replaced,
    "key": _key_misspelt,
    "insert": _inserted,
    "truncate": _truncated,
    "wrap": _wrapped,
    "node": _node_replaced,
    "end": lambda text, where, piece: text.replace("\n", ("\r\n", "\r", "\n\n", "\x85")[where % 4]),
    "file": lambda text, where, piece: piece,
}


@cache
def ground(number: int) -> dict[str, str]:
    """The YAML files of a registry by name: the small one, the demo's with the shipped pack, those of random worlds."""
    if number == 0:
        return dict(FILES)
    root = EVALUATION / "regression" if number == 1 else world(number - 2).registry
    files = {path.relative_to(root).as_posix(): path.read_text("utf-8") for path in sorted(root.rglob("*.yaml"))}
    if number == 1:
        files["registry.yaml"] = "packs: [packs/own.yaml]\n"
        files["packs/own.yaml"] = SHIPPED_PACK.read_text("utf-8")
    return files


def check_registry(example: Example, folder: Path) -> None:
    """A registry with edits loads, or has findings, each with a documented code and a place; the same again; it judges or not."""
    number, edits = example
    files = dict(ground(number))
    names = sorted(files)
    for kind, which, where, piece in edits:
        name = names[which % len(names)]
        files[name] = EDITS[kind](files[name], where, piece)[: 1 << 20]
    root = folder / "registry"
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, "utf-8", "surrogatepass", newline="")
    found = examine(root).findings
    for finding in found:
        require(finding.code in CODES, "a code that is not documented", finding)
        require(finding.line > 0 and finding.column > 0 and bool(finding.message), "a place", finding)
    for form in ("text", "json", "github"):
        findings_as(form, found, str(root)).decode()
    require(list(examine(root).findings) == list(found), "the same findings again")
    errors = [finding for finding in found if finding.severity == "error"]
    try:
        book = load_registry(root).compile()
    except RegistryError as fault:
        require(bool(errors) and all(one.code in CODES for one in fault.findings), "findings of an error", fault)
        return
    runs = world(number - 2 if number > 1 else 0).runs if number != 1 else EVALUATION / "runs" / "2025-03-05-nightly"
    try:
        verdicts = judge_runs([runs], book).verdicts
    except JudgePolarsError:
        return
    require(verdicts["verdict"].is_in(["pass", "fail", "invalid"]).all(), "verdicts", verdicts["verdict"].to_list())


_EDIT: Final = st.tuples(
    st.sampled_from([*EDITS, *["value", "node", "key"] * 3]),
    st.integers(0, 40),
    st.integers(0, 60_000),
    st.one_of(
        st.sampled_from(ODD_VALUES),
        st.sampled_from(ODD_VALUES),
        hostile_texts.ANY_TEXT,
        hostile_texts.PROSE.map(lambda text: text[:40]),
    ),
)
TARGETS: Final = (
    Target(
        "registries",
        "registries with edits as hands make them: findings with a place, or a registry that judges",
        st.tuples(st.integers(0, 1 + WORLDS), st.lists(_EDIT, min_size=1, max_size=4)),
        check_registry,
        20,
    ),
)
