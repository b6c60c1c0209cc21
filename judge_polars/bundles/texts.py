"""The bytes of a file -> the text that rules read, and its JSON value (specification 20, "Documents")."""

from __future__ import annotations

import re
from typing import Final

from judge_polars.bundles.json_text import (
    BOM,
    JsonLimitError,
    JsonText,
    NoJsonError,
    holds_long_integer,
    read_json,
    read_short_json,
    read_short_lines,
    require_few_values,
)
from judge_polars.text_forms import nfkc

JSON: Final = "json"
JSONL: Final = "jsonl"
TEXT: Final = "text"

_KINDS: Final = {"json": JSON, "jsonl": JSONL, "ndjson": JSONL}
_WHITE_SPACE: Final = "\t\n\v\f\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(
    map(chr, range(0x2000, 0x200B))
)
"""Unicode's White_Space, as the engine that searches the texts has it."""

_TEXT_EXTENSION: Final = re.compile(r"\.(?:log|txt|md|out|ndjson|json[a-z0-9]*)(?:[._-]?[0-9][0-9tz:._+-]*)?", re.ASCII)
_MOST_GROWTH: Final = 11
"""What NFKC can make of a byte in UTF-8 at most (U+FDFA: 3 bytes become 33)."""
_PIECE: Final = 1 << 20
_STARTS_OF_JSON: Final = b'{["-0123456789tfnNI'
_LINE_BREAK: Final = re.compile(r"\r\n|\r|\n")
_FENCE: Final = re.compile(r"[ \t]*(`{3,}(?=[^`]*$)|~{3,})[ \t]*(.*)", re.DOTALL)


def kind_of(name: str) -> str:
    """`json`, `jsonl` or `text`, by a document's extension."""
    _, dot, extension = name.rpartition(".")
    return _KINDS.get(extension.lower(), TEXT) if dot else TEXT


def has_text_extension(name: str) -> bool:
    """Whether a name ends in an extension of text files, perhaps with a rotation number or a date behind it."""
    base = name.rpartition("/")[2].lower()
    return any(_TEXT_EXTENSION.fullmatch(base, found.start()) for found in re.finditer(r"\.", base))


Issue = tuple[str, str]
"""Code and detail."""

Text = tuple[bytes | None, bool, object, tuple[Issue, ...]]
"""A document's text in UTF-8 (None when only white space), whether it has a JSON value, that value, its issues."""

_NO_JSON: Final = "\u200b".encode()
"""Begins a line that is no JSON but would be one with its bad bytes replaced or a byte-order mark skipped: who reads the text
again finds the same good lines.  Text rules do not see it."""

_NONSTANDARD: Final = ("json_nonstandard", "NaN or Infinity as a bare token")


def read_json_document(data: bytes, nesting: int) -> Text:
    """A `.json` document: its compact text, or the text as it stands where it has no value."""
    try:
        return of_json(read_json(data, nesting))
    except NoJsonError as fault:
        text, _, _, issues = read_text(data)
        return text, False, None, (("json_invalid", str(fault)), *issues)


def of_json(read: JsonText) -> Text:
    """The document whose JSON was read."""
    value, text, nonstandard = read
    return text, True, value, (_NONSTANDARD,) if nonstandard else ()


def read_text(data: bytes) -> Text:
    """A text document: UTF-8, a byte-order mark skipped, undecodable bytes replaced."""
    if data.startswith(BOM):
        data = data[len(BOM) :]
    if data.isascii():
        return (None if not data or data.isspace() else data), False, None, ()
    issues: tuple[Issue, ...] = ()
    try:
        text = data.decode()
    except UnicodeDecodeError as fault:
        text = data.decode(errors="replace")
        data = text.encode()
        issues = (("text_undecodable", f"byte {fault.start} is no UTF-8; replaced"),)
    return (data if text.strip(_WHITE_SPACE) else None), False, None, issues


def grows_beyond(text: bytes, most: int) -> bool:
    """Whether a text takes more than so many bytes as it is, or in NFKC form, where one character may be 18.

    As it is it may be larger than its file: a byte that is no UTF-8 becomes three.
    """
    if len(text) > most:
        return True
    if text.isascii() or len(text) * _MOST_GROWTH <= most:
        return False
    whole, grown = text.decode(), 0
    for start in range(0, len(whole), _PIECE):
        grown += len(nfkc(whole[start : start + _PIECE]).encode())
        if grown > most:
            return True
    return False


def read_json_lines(data: bytes, nesting: int) -> Text:
    """A `.jsonl` document: the list of the good lines' values; one line of text per line that is not blank."""
    try:
        require_few_values(data, lines=True)
    except JsonLimitError as fault:
        as_it_stands, _, _, others = read_text(data)
        return as_it_stands, False, None, (("json_invalid", str(fault)), *others)
    lines = [line for line in data.split(b"\n") if line]
    whole = None if holds_long_integer(data) else read_short_lines(lines, nesting)
    if whole is not None:
        return whole[1] or None, bool(whole[0]), whole[0], ()
    values: list[object] = []
    texts = bytearray()
    bad: list[tuple[int, str]] = []
    issues: dict[str, str] = {}
    for number, line in enumerate(data.split(b"\n"), start=1):
        if not line or line.isspace():
            continue
        read = read_json if holds_long_integer(line) else read_short_json  # of a bad line the quotes may not pair
        try:
            value, text, nonstandard = read(line, nesting)
        except NoJsonError as fault:
            as_it_stands, _, _, others = read_text(line.removesuffix(b"\r"))
            if as_it_stands is not None:
                if _is_json(as_it_stands, nesting):
                    as_it_stands = _NO_JSON + as_it_stands
                bad.append((number, str(fault)))
                texts += as_it_stands + b"\n"
                issues.update(others)
            continue
        values.append(value)
        texts += text + b"\n"
        if nonstandard:
            issues.update((_NONSTANDARD,))
    if bad:
        count = "1 line does" if len(bad) == 1 else f"{len(bad)} lines do"
        issues["jsonl_bad_line"] = f"{count} not parse, the first is line {bad[0][0]}: {bad[0][1]}"
    return bytes(texts[:-1]) or None, bool(values), values, tuple(issues.items())


def _is_json(text: bytes, nesting: int) -> bool:
    try:
        read_json(text, nesting)
    except NoJsonError:
        return False
    return True


def read_output(data: bytes, nesting: int) -> Text:
    """The final output: its text as it stands; a value where the whole text, or else a fenced block, is JSON."""
    text, _, _, issues = read_text(data)
    if text is None:
        return None, False, None, issues
    refused: list[str] = []
    read = _whole(text, nesting, refused) or _last_block(text, nesting, refused)
    if read is None:
        over = [("limit_reached", f"JSON in it was not read: it {why}") for why in refused[:1]]
        return text, False, None, (*issues, *over)
    value, _, nonstandard = read
    return text, True, value, (*issues, _NONSTANDARD) if nonstandard else issues


def _whole(text: bytes, nesting: int, refused: list[str]) -> JsonText | None:
    """What a text that is JSON holds; where a limit forbids it, why is added to `refused`."""
    start = text[:256].lstrip()[:1]
    if start and start not in _STARTS_OF_JSON:
        return None
    try:
        return read_json(text, nesting)
    except JsonLimitError as fault:
        refused.append(str(fault))
    except NoJsonError:
        pass
    return None


def _last_block(text: bytes, nesting: int, refused: list[str]) -> JsonText | None:
    """The last fenced block marked `json`, or unmarked, that is a JSON object or list."""
    if b"```" not in text and b"~~~" not in text:
        return None
    for mark, block in reversed(fenced_blocks(text.decode())):
        if mark in ("", "json") and block.lstrip()[:1] in ("{", "["):
            read = _whole(block.encode(), nesting, refused)
            if read is not None:
                return read
    return None


def fenced_blocks(text: str) -> list[tuple[str, str]]:
    """(first word of the info string in lower case, content) of each fenced code block, as CommonMark has it.

    A fence is three or more backquotes or tildes, however far it is set in (list items); it is closed by one of the same character
    that is at least as long, or by the end of the text.
    """
    blocks: list[tuple[str, str]] = []
    fence, mark, lines = "", "", list[str]()
    for line in _LINE_BREAK.split(text):
        found = _FENCE.fullmatch(line)
        if fence:
            if found and found[1].startswith(fence) and not found[2].strip(" \t"):
                blocks.append((mark, "\n".join(lines)))
                fence = ""
            else:
                lines.append(line)
        elif found:
            fence, lines = found[1], []
            mark = (found[2].split() or [""])[0].lower()
    if fence:
        blocks.append((mark, "\n".join(lines)))
    return blocks
