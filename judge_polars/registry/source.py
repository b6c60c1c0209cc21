"""YAML files as plain data that knows where everything stands (specification 10, third paragraph).

Read is YAML with the scalar types of version 1.2's core schema: only `true` and `false` are booleans, dates and times
are text, `1e9` is a number, `017` is 17.  Refused are duplicate keys, keys that are no text, merge keys (`<<`, which
belongs to YAML 1.1), tags, several documents, nesting beyond `DEPTH`, and aliases that expand beyond `NODES`.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Final, cast

import yaml

from judge_polars.errors import Finding

DEPTH: Final = 64
"""Levels of lists and mappings in one file."""
NODES: Final = 100_000
"""Nodes that a file with aliases may expand to."""
SIZE: Final = 16 * 1024 * 1024
"""Bytes of one file."""
DIGITS: Final = 1_000
"""Digits of one number."""

Loc = tuple[str | int, ...]
_LOADER: Final = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

_NULL: Final = frozenset(("", "~", "null", "Null", "NULL"))
_BOOLEANS: Final = {"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False}
_INTEGER: Final = re.compile(r"[-+]?[0-9]+")
_OCTAL: Final = re.compile(r"0o[0-7]+")
_HEXADECIMAL: Final = re.compile(r"0x[0-9a-fA-F]+")
_FLOAT: Final = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_INFINITE: Final = re.compile(r"[-+]?\.(?:inf|Inf|INF)")
_NOT_A_NUMBER: Final = frozenset((".nan", ".NaN", ".NAN"))
_UNPRINTABLE: Final = re.compile("[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_KEY: Final = re.compile(r"[\w-]+")

_MENDING: Final = (
    ("tab", "indent with spaces, not with tabs"),
    ("mapping values are not allowed", "quote a text that holds `: `, and check the indentation of this line"),
    ("unknown escape", "in double quotes a backslash begins an escape: write a regex in single quotes"),
    ("cannot start any token", "quote a text that begins with `@`, a backquote, `%` or a tab"),
    ("',' or ']'", "close the list with `]`, and quote texts that hold `[`, `]`, `{` or `}`"),
    ("',' or '}'", "close the mapping with `}`, and quote texts that hold `[`, `]`, `{` or `}`"),
    ("end of stream", "close the quote that was opened"),
    ("nesting depth", f"lists and mappings nest deeper than {DEPTH} levels; flatten them"),
    ("expected ':'", "a key needs a `:` and a space behind it"),
    ("block collection", "entries of one list or mapping stand in one column; check the indentation"),
    ("block mapping", "keys of one mapping stand in one column; check the indentation"),
)


@dataclass(slots=True)
class Place:
    """Where a value stands (line and column from 1), and its keys, members and elements.

    Attributes:
        written: a plain scalar as it is written, None for everything else.
        keys: of a mapping: key -> position of the key.
        below: of a list or a mapping: key or index -> place of the value.
    """

    line: int
    column: int
    written: str | None = None
    keys: dict[str, tuple[int, int]] | None = None
    below: dict[str | int, Place] | None = None


@dataclass(frozen=True, slots=True)
class Spot:
    """A place found by a location: what findings are printed with."""

    line: int
    column: int
    key: str
    written: str | None


@dataclass
class Source:
    """One YAML file.

    Attributes:
        file: path as the user would type it.
        text: its content; empty for a file that exists in memory only.
        data: its value, None when it could not be read.
        findings: what is wrong with it as YAML; `readable` is false when the data is not worth validating.
        kept: lists of which elements were left out -> indexes of the elements that are left.
    """

    file: str
    text: str = ""
    data: object = None
    findings: list[Finding] = field(default_factory=list)
    readable: bool = True
    kept: Mapping[Loc, Sequence[int]] = field(default_factory=dict)

    def without(self, kept: Mapping[Loc, Sequence[int]]) -> Source:
        """The same source for data of which elements of some lists were left out."""
        return replace(self, kept=kept)

    @cached_property
    def top(self) -> Place:
        """The place of the whole value, worked out when somebody asks; a text without a value is one place."""
        try:
            return _Reader(self.file, self.text).read()[1]
        except _RefusedError:
            return Place(1, 1)

    def spot(self, loc: Sequence[str | int], *, key: bool = False) -> Spot:
        """The spot of a location; steps that the file does not have (names of union members, say) are passed over.

        With `key` it is the position of the last step's key rather than of its value.
        """
        place, names, position = self.top, "", None
        last = len(loc) - 1
        path: Loc = ()
        for index, step in enumerate(loc):
            kept = self.kept.get(path)
            written = kept[step] if kept is not None and isinstance(step, int) and step < len(kept) else step
            below = place.below.get(written) if place.below else None
            if below is None:
                continue
            position = place.keys.get(str(step)) if key and index == last and place.keys else None
            place, names, path = below, names + _key_step(written, names), (*path, step)
        line, column = position or (place.line, place.column)
        return Spot(line, column, names, place.written)

    def finding(
        self, loc: Sequence[str | int], code: str, message: str, *, key: bool = False, severity: str = "error"
    ) -> Finding:
        """A finding at a location."""
        spot = self.spot(loc, key=key)
        return Finding(self.file, spot.line, spot.column, spot.key, code, severity, message)

    def holds(self, loc: Sequence[str | int]) -> bool:
        """Whether the file itself has every step of the location."""
        place: Place | None = self.top
        for step in loc:
            place = place.below.get(step) if place and place.below else None
        return place is not None


def _key_step(step: str | int, before: str) -> str:
    if isinstance(step, int):
        return f"[{step}]"
    name = step if _KEY.fullmatch(step) else f'"{step}"'
    return f".{name}" if before else name


def read_source(path: Path, file: str) -> Source:
    """Reads a YAML file; whatever is wrong becomes findings of the source, never an exception."""
    try:
        content, size = _content(path)
    except OSError as error:
        return _unreadable(file, "unreadable_file", f"the file cannot be read: {error.strerror or error}")
    if size > SIZE:
        return _unreadable(file, "file_too_large", f"the file has {size} bytes; at most {SIZE} are read")
    if content.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _unreadable(file, "not_utf8", "the file is UTF-16; save it as UTF-8")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = content[: error.start].decode("utf-8-sig")
        message = f"byte 0x{content[error.start]:02x} is no UTF-8; save the file as UTF-8"
        return _unreadable(file, "not_utf8", message, *_position(before, len(before)))
    return parse_source(text, file)


def _content(path: Path) -> tuple[bytes, int]:
    """The bytes of a regular file, none of one that is too large, and its size; a pipe or a device is not waited for."""
    handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY | os.O_CLOEXEC)
    with open(handle, "rb") as file:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise OSError("it is no regular file")
        content = file.read(SIZE + 1) if status.st_size <= SIZE else b""
        return content, max(status.st_size, len(content))


def parse_source(text: str, file: str) -> Source:
    """Reads YAML from a text."""
    refused = _UNPRINTABLE.search(text)
    if refused:
        char = f"U+{ord(refused.group()):04X}"
        message = (
            f"the character {char} cannot stand in YAML as it is; remove it, or write it as an escape in double quotes"
        )
        return _unreadable(file, "control_character", message, *_position(text, refused.start()))
    reader = _Reader(file, text)
    try:
        data, _ = reader.read()
    except _RefusedError as error:
        return Source(file, text, None, [*reader.findings, error.finding], readable=False)
    return Source(file, text, data, reader.findings)


def _unreadable(file: str, code: str, message: str, line: int = 1, column: int = 1) -> Source:
    return Source(file, "", None, [Finding(file, line, column, "", code, "error", message)], readable=False)


def _position(text: str, index: int) -> tuple[int, int]:
    """Line and column, from 1, of a character; lines end at `\\n`, `\\r` or both."""
    lines = re.split(r"\r\n|\r|\n", text[:index])
    return len(lines), len(lines[-1]) + 1


class _RefusedError(Exception):
    """The file cannot be read any further."""

    def __init__(self, finding: Finding) -> None:
        super().__init__(str(finding))
        self.finding = finding


@dataclass(slots=True)
class _Anchored:
    """What an alias stands for, and how many nodes that is."""

    value: object
    place: Place
    nodes: int


class _Reader:
    """Builds data and places from the parser's events, without recursion deeper than `DEPTH`."""

    def __init__(self, file: str, text: str) -> None:
        self.file = file
        self.text = text
        self.findings: list[Finding] = []
        self.anchors: dict[str, _Anchored | None] = {}
        self.nodes = 0
        self.aliases = False
        self.loc: list[str | int] = []

    def read(self) -> tuple[object, Place]:
        """The file's value and its place; `_RefusedError` when it cannot be read."""
        events = self._events()
        event = next(events, None)
        while isinstance(event, yaml.StreamStartEvent | yaml.DocumentStartEvent):
            event = next(events, None)
        if event is None or isinstance(event, yaml.StreamEndEvent):
            raise self._refused(None, "empty_file", "the file is empty; it must hold a mapping")
        value, place = self._value(event, events)
        for later in events:
            if isinstance(later, yaml.DocumentStartEvent):
                raise self._refused(
                    later, "several_documents", "the file holds several documents; keep one, without `---`"
                )
        return value, place

    def _events(self) -> Iterator[yaml.Event]:
        try:
            yield from yaml.parse(self.text, Loader=_LOADER)
        except yaml.MarkedYAMLError as error:
            mark = error.problem_mark or error.context_mark
            line, column = (mark.line + 1, mark.column + 1) if mark else (1, 1)
            context = f" {error.context}" if error.context else ""
            problem = f"{error.problem}{context}"
            signs = f"tab: {problem}" if mark and self._is_tab(line, column) else problem
            mend = next(
                (mend for sign, mend in _MENDING if sign in signs), "check indentation, quotes and brackets here"
            )
            message = f"this is no YAML: {problem}; {mend}"
            raise _RefusedError(Finding(self.file, line, column, "", "yaml_syntax", "error", message)) from None
        except yaml.YAMLError as error:
            message = f"this is no YAML: {error}"
            raise _RefusedError(Finding(self.file, 1, 1, "", "yaml_syntax", "error", message)) from None

    def _is_tab(self, line: int, column: int) -> bool:
        """Whether a tab stands at a position."""
        lines = re.split(r"\r\n|\r|\n", self.text)
        return line <= len(lines) and lines[line - 1][column - 1 : column] == "\t"

    def _value(self, event: yaml.Event, events: Iterator[yaml.Event]) -> tuple[object, Place]:
        """The value that begins with an event."""
        if isinstance(event, yaml.AliasEvent):
            return self._alias(event)
        event = cast("yaml.ScalarEvent | yaml.CollectionStartEvent", event)
        self._count(1, event)
        place = Place(*_start(event))
        if event.tag is not None:
            self._found(event, "tag_refused", f"the tag `{_shown_tag(event.tag)}` is not read; quote a text instead")
        if event.anchor is None:
            return self._content(event, events, place), place
        before = self.nodes
        self.anchors[event.anchor] = None
        value = self._content(event, events, place)
        self.anchors[event.anchor] = _Anchored(value, place, self.nodes - before + 1)
        return value, place

    def _content(self, event: yaml.Event, events: Iterator[yaml.Event], place: Place) -> object:
        if isinstance(event, yaml.ScalarEvent):
            return self._scalar(event, place)
        if len(self.loc) >= DEPTH:
            raise self._refused(event, "too_deep", f"lists and mappings nest deeper than {DEPTH} levels; flatten them")
        if isinstance(event, yaml.SequenceStartEvent):
            return self._sequence(events, place)
        return self._mapping(events, place)

    def _alias(self, event: yaml.AliasEvent) -> tuple[object, Place]:
        self.aliases = True
        if event.anchor not in self.anchors:
            raise self._refused(event, "unknown_alias", f"`*{event.anchor}` has no anchor `&{event.anchor}` before it")
        anchored = self.anchors[event.anchor]
        if anchored is None:
            raise self._refused(event, "unknown_alias", f"`*{event.anchor}` stands within its own anchor")
        self._count(anchored.nodes, event)
        return anchored.value, anchored.place

    def _count(self, nodes: int, event: yaml.Event) -> None:
        self.nodes += nodes
        if self.aliases and self.nodes > NODES:
            message = f"the aliases expand to more than {NODES} nodes; write out what is needed"
            raise self._refused(event, "too_many_nodes", message)

    def _sequence(self, events: Iterator[yaml.Event], place: Place) -> list[object]:
        values: list[object] = []
        below: dict[str | int, Place] = {}
        for event in events:
            if isinstance(event, yaml.SequenceEndEvent):
                break
            self.loc.append(len(values))
            value, below[len(values)] = self._value(event, events)
            values.append(value)
            self.loc.pop()
        place.below = below
        return values

    def _mapping(self, events: Iterator[yaml.Event], place: Place) -> dict[str, object]:
        values: dict[str, object] = {}
        keys: dict[str, tuple[int, int]] = {}
        below: dict[str | int, Place] = {}
        for event in events:
            if isinstance(event, yaml.MappingEndEvent):
                break
            key = self._key(event, events)
            self.loc.append(key if key is not None else "?")
            if key in keys:
                message = f"this key is already there in line {keys[key][0]}; keep one of them"
                self._found(event, "duplicate_key", message)
            value, value_place = self._value(next(events), events)
            self.loc.pop()
            if key is not None and key not in keys:
                values[key], keys[key], below[key] = value, _start(event), value_place
        place.keys, place.below = keys, below
        return values

    def _key(self, event: yaml.Event, events: Iterator[yaml.Event]) -> str | None:
        """The text of a key; None for one that was refused."""
        if isinstance(event, yaml.CollectionStartEvent):
            raise self._refused(event, "key_not_text", "a list or a mapping cannot be a key; keys are texts")
        value, place = self._value(event, events)
        if isinstance(value, str) and place.written != "<<":
            return value
        if isinstance(value, str):
            self._found(event, "merge_key", "merge keys belong to YAML 1.1 and are not read; write the keys out")
        elif place.written is None:
            self._found(event, "key_not_text", "an alias of a list or a mapping cannot be a key; keys are texts")
        else:
            mend = f'quote it: "{place.written}"'
            self._found(event, "key_not_text", f"the key `{place.written}` is {kind_of(value)}; {mend}")
        return None

    def _scalar(self, event: yaml.ScalarEvent, place: Place) -> object:
        if not event.implicit[0] or event.tag is not None:
            return event.value
        place.written = event.value
        if _INTEGER.fullmatch(event.value) and len(event.value) > DIGITS:
            self._found(event, "number_too_long", f"a number of more than {DIGITS} digits; quote it if it is a text")
            return 0
        return core_scalar(event.value)

    def _found(self, event: yaml.Event, code: str, message: str) -> None:
        self.findings.append(self._finding(event, code, message))

    def _refused(self, event: yaml.Event | None, code: str, message: str) -> _RefusedError:
        return _RefusedError(self._finding(event, code, message))

    def _finding(self, event: yaml.Event | None, code: str, message: str) -> Finding:
        line, column = _start(event) if event else (1, 1)
        key = ""
        for step in self.loc:
            key += _key_step(step, key)
        return Finding(self.file, line, column, key, code, "error", message)


def _start(event: yaml.Event) -> tuple[int, int]:
    mark = event.start_mark
    return (mark.line + 1, mark.column + 1) if mark else (1, 1)


def _shown_tag(tag: str) -> str:
    return tag.replace("tag:yaml.org,2002:", "!!")


def core_scalar(written: str) -> object:
    """A plain scalar's value by YAML 1.2's core schema (section 10.3.2)."""
    if written in _NULL:
        return None
    if written in _BOOLEANS:
        return _BOOLEANS[written]
    if written[0] not in "+-.0123456789":
        return written
    if _INTEGER.fullmatch(written):
        return int(written)
    if _OCTAL.fullmatch(written):
        return int(written[2:], 8)
    if _HEXADECIMAL.fullmatch(written):
        return int(written[2:], 16)
    if _FLOAT.fullmatch(written):
        return float(written)
    if _INFINITE.fullmatch(written):
        return float("-inf" if written[0] == "-" else "inf")
    return float("nan") if written in _NOT_A_NUMBER else written


def kind_of(value: object) -> str:
    """What a value is, in the words of messages."""
    if value is None:
        return "empty (null)"
    if isinstance(value, bool):
        return "a boolean"
    if isinstance(value, int | float):
        return "a number"
    if isinstance(value, str):
        return "a text"
    return "a list" if isinstance(value, list | tuple) else "a mapping"


def shown(value: object) -> str:
    """A value as messages quote it."""
    if isinstance(value, str):
        return f"`{value}`" if len(value) <= 60 else f"`{value[:57]}…`"
    if isinstance(value, bool):
        return f"the boolean {str(value).lower()}"
    if isinstance(value, int | float):
        return f"the number {value:g}" if isinstance(value, float) and value.is_integer() else f"the number {value}"
    return "nothing (null)" if value is None else kind_of(value)
