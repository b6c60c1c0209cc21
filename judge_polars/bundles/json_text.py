"""JSON as bundles hold it: values with all their digits, compact texts (specification 20, "Documents").

orjson does the work.  What it refuses or would change goes to the standard library: the bare tokens `NaN`, `Infinity`
and `-Infinity`, a byte-order mark, numbers beyond the range of a double, integers of more than 64 bits.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Final

import orjson

BOM: Final = b"\xef\xbb\xbf"
NESTING: Final = 128
"""Levels of lists and objects that a value may have."""
VALUES: Final = 4_000_000
"""Values that a document may hold: each takes up to some 200 bytes of memory, whatever little it takes in the file."""

_AT_ONCE: Final = 1_000
_LONG_RUN: Final = b"0" * 19
"""As many digits as the shortest integer has that does not fit into 64 bits."""
_DIGITS_AS_0: Final = bytes(ord("0") if chr(byte).isdigit() and byte < 128 else ord(" ") for byte in range(256))
_MAYBE_INFINITE: Final = re.compile(rb"[0-9][eE][+-]?[0-9]|[0-9]{309}")
_DIGITS_OF_LARGEST_DOUBLE: Final = 309


_BLOCK: Final = 1 << 20
_ESCAPE: Final = re.compile(rb"\\.", re.DOTALL)
_STRING: Final = re.compile(rb'"[^"\n]*"')
_ALL_BUT_MARKS: Final = bytes(byte for byte in range(256) if byte not in b'"[{,\n')


class NoJsonError(ValueError):
    """Bytes that have no JSON value; the text says why."""


class JsonLimitError(NoJsonError):
    """Bytes whose JSON value is not read because a limit is reached."""


JsonText = tuple[object, bytes, bool]
"""A JSON value, its compact text in UTF-8, and whether it needed a bare `NaN`, `Infinity` or `-Infinity`."""


def parse_json(data: bytes, nesting: int = NESTING) -> object:
    """The JSON value of a file's bytes; NoJsonError when it has none."""
    return read_json(data, nesting)[0]


def read_json(data: bytes, nesting: int = NESTING) -> JsonText:
    """The JSON value of a file's bytes and its compact text; NoJsonError when it has none.

    Integers keep all their digits, numbers beyond the range of a double are infinite, of repeated members the last
    counts, a byte-order mark is skipped.  No value have lone surrogates, bytes that are no UTF-8, what nests deeper
    than `nesting` levels (JsonLimitError) and what holds more than `VALUES` values (likewise).
    """
    require_few_values(data)
    return _read_slowly(data, nesting) if holds_long_integer(data) else read_short_json(data, nesting)


def require_few_values(data: bytes, *, lines: bool = False) -> None:
    """JsonLimitError for JSON with more than `VALUES` values; nothing is parsed for that.

    Each value but the first comes behind a bracket or a comma outside of strings, or, of JSON `lines`, begins a line.
    """
    marks = (b"[", b"{", b",", b"\n") if lines else (b"[", b"{", b",")
    if len(data) <= VALUES or sum(map(data.count, marks)) <= VALUES:
        return
    found = 0
    for outside in _outside_of_strings(data):
        found += sum(map(outside.count, marks))
        if found > VALUES:
            raise JsonLimitError(f"holds more than {VALUES:,} values")


def _outside_of_strings(data: bytes) -> Iterator[bytes]:
    """What of brackets, commas and line breaks stands outside of strings, block by block."""
    at, rest = 0, b""
    while at < len(data):
        end = at + _BLOCK
        while data[end - 1 : end] == b"\\":
            end += 1  # an escape stays whole
        marks = _ESCAPE.sub(b"", data[at:end]).translate(None, _ALL_BUT_MARKS)
        found = _STRING.sub(b"", rest + marks)
        open_at = found.rfind(b'"')
        rest = found[open_at:] if open_at > found.rfind(b"\n") else b""
        yield found[: len(found) - len(rest)]
        at = end
    yield rest


def read_short_json(data: bytes, nesting: int) -> JsonText:
    """As `read_json`, for bytes in which `holds_long_integer` finds nothing."""
    try:
        value = orjson.loads(data)
    except orjson.JSONDecodeError as fault:
        if data.startswith(BOM) or b"NaN" in data or b"Infinity" in data or _MAYBE_INFINITE.search(data):
            return _read_slowly(data, nesting)
        raise NoJsonError(f"{fault.msg}: line {fault.lineno} column {fault.colno}") from None
    return value, _compact_within(value, len(data), nesting), False


def read_short_lines(lines: list[bytes], nesting: int) -> tuple[list[object], bytes] | None:
    """Values of lines as `read_short_json` reads them, and their compact texts, a line each; None where one of them needs a
    closer look."""
    try:
        values = list(map(orjson.loads, lines))
        if max(map(len, lines), default=0) <= 2 * nesting:
            return values, _joined(map(orjson.dumps, values))
        texts = (_compact_within(value, len(line), nesting) for value, line in zip(values, lines, strict=True))
        return values, _joined(texts)
    except (orjson.JSONDecodeError, NoJsonError):
        return None


def _joined(texts: Iterator[bytes]) -> bytes:
    """Lines of texts that orjson wrote: it leaves some 4 KiB to each of them, however short, so that few are held at once."""
    return b"\n".join(iter(lambda: b"\n".join(islice(texts, _AT_ONCE)), b""))


def _compact_within(value: object, size: int, nesting: int) -> bytes:
    """The compact text of what orjson parsed from `size` bytes; NoJsonError where it nests deeper than `nesting`.

    A large value is written inside so many lists that orjson's own bound says no at the right depth, and their brackets
    are cut off: that spares a walk over the value.
    """
    if size <= 2 * nesting:
        return orjson.dumps(value)
    idle = _idle_nests(nesting)
    try:
        nest = idle.pop()
    except IndexError:
        nest = _Nest(nesting)
    nest.inmost[0] = value
    try:
        return orjson.dumps(nest.outmost)[nest.brackets : -nest.brackets]
    except orjson.JSONEncodeError:
        raise JsonLimitError(_too_deep(nesting)) from None
    finally:
        nest.inmost[0] = None
        idle.append(nest)


def holds_long_integer(data: bytes) -> bool:
    """Whether an integer may have 19 digits in a row: such a run is no fraction and not known to lie within a string.

    Where no backslash comes before it, an odd number of quotes before a run says that it lies within a string.
    """
    runs = data.translate(_DIGITS_AS_0)
    at = runs.find(_LONG_RUN)
    if at < 0:
        return False
    escape = data.find(b"\\")
    quotes = counted = 0
    while at >= 0:
        quotes += data.count(b'"', counted, at)
        counted = at
        within = quotes % 2 == 1 if not 0 <= escape < at else data[at - 1 : at] == b'"'
        if not within and data[at - 1 : at] != b".":
            return True
        end = runs.find(b" ", at)
        at = runs.find(_LONG_RUN, end) if end >= 0 else -1
    return False


def compact(value: object) -> str:
    """A JSON value without white space: members in order, non-ASCII as it is, the escapes that JSON needs.

    What JSON cannot write stands as the bare tokens `NaN`, `Infinity` and `-Infinity`, for numbers beyond the range of
    a double too: no other parser takes them for data, and `parse_json` gives the same value again.
    """
    try:
        text = orjson.dumps(value)
    except orjson.JSONEncodeError:
        return _compact_slowly(value)
    if b"null" in text and _holds_odd_number(value):
        return _compact_slowly(value)
    return text.decode()


def _read_slowly(data: bytes, nesting: int) -> JsonText:
    """As `read_json`, with the standard library."""
    bare: list[str] = []

    def constant(token: str) -> float:
        bare.append(token)
        return float(token.replace("Infinity", "inf"))

    try:
        text = data.removeprefix(BOM).decode()
        value = json.loads(text, parse_int=_integer, parse_constant=constant)
    except json.JSONDecodeError as fault:
        raise NoJsonError(f"{fault.msg}: line {fault.lineno} column {fault.colno}") from None
    except UnicodeDecodeError as fault:
        raise NoJsonError(f"byte {fault.start} is no UTF-8") from None
    except RecursionError:
        raise JsonLimitError(_too_deep(nesting)) from None
    if _nests_deeper(value, nesting):
        raise JsonLimitError(_too_deep(nesting))
    try:
        return value, _compact_slowly(value).encode(), bool(bare)
    except UnicodeEncodeError:
        raise NoJsonError("a lone surrogate") from None


def _integer(digits: str) -> int | float:
    """The integer that is written; infinite when it is beyond the range of a double."""
    if len(digits) < _DIGITS_OF_LARGEST_DOUBLE:
        return int(digits)
    if len(digits) > _DIGITS_OF_LARGEST_DOUBLE + 1 or float(digits) in (float("inf"), float("-inf")):
        return float("-inf") if digits[0] == "-" else float("inf")
    return int(digits)


def _compact_slowly(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def _holds_odd_number(value: object) -> bool:
    """Whether a NaN or an infinity, which orjson writes as null, stands anywhere in a value."""
    rest = [value]
    while rest:
        node = rest.pop()
        if isinstance(node, float):
            if not math.isfinite(node):
                return True
        elif isinstance(node, dict):
            rest.extend(node.values())
        elif isinstance(node, list):
            rest.extend(node)
    return False


def _too_deep(nesting: int) -> str:
    return f"nests deeper than {nesting} levels"


def _nests_deeper(value: object, nesting: int) -> bool:
    """Whether lists and objects nest deeper than `nesting` levels."""
    level = [value] if isinstance(value, dict | list) else []
    for _ in range(nesting):
        if not level:
            return False
        level = [
            child
            for container in level
            for child in (container.values() if isinstance(container, dict) else container)
            if isinstance(child, dict | list)
        ]
    return bool(level)


@lru_cache(maxsize=1)
def _levels_of_orjson() -> int:
    """How deep orjson writes lists."""
    nest: object = []
    for levels in range(1, 4 * NESTING):
        try:
            orjson.dumps(nest)
        except orjson.JSONEncodeError:
            return levels - 1
        nest = [nest]
    return 4 * NESTING - 1


class _Nest:
    """Lists within lists; in the innermost one orjson writes a value of at most `nesting` levels, and no deeper one."""

    __slots__ = ("brackets", "inmost", "outmost")

    def __init__(self, nesting: int) -> None:
        self.brackets = _levels_of_orjson() - nesting
        if self.brackets < 1:
            raise ValueError(f"nesting {nesting} is more than the JSON writer takes ({_levels_of_orjson() - 1})")
        self.inmost: list[object] = [None]
        self.outmost = self.inmost
        for _ in range(self.brackets - 1):
            self.outmost = [self.outmost]


@lru_cache(maxsize=8)
def _idle_nests(nesting: int) -> list[_Nest]:
    """Nests that nobody uses at the moment; two threads never share one."""
    return [_Nest(nesting)]
