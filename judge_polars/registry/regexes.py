"""Regexes of a registry: the form in which they run, and what the engine says of them (specification 40, "Text").

They are tried at load in the engine that will run them (Polars, Rust's `regex` crate), with the flags of run time.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Final, NamedTuple

import polars as pl
from polars.exceptions import PolarsError

TEXT_FLAGS: Final = "(?im)"
"""Case-insensitive, `^` and `$` at lines: every regex of a registry but those of text rules with `case_sensitive`."""
CASE_FLAGS: Final = "(?m)"
"""Text rules with `case_sensitive`."""

FULL_WIDTH_COMMA: Final = "，"
"""Stays as it is in `terminators` and `pseudo_negators` (specification 40, assertions, step 4)."""

_META: Final = frozenset("\\.+*?()|[]{}^$#&-~")
_EMPTY: Final = pl.Series([""])


class Fault(NamedTuple):
    """Why a regex is refused: `invalid_regex` or `regex_matches_empty`."""

    code: str
    message: str


@lru_cache(maxsize=65536)
def run_time_form(pattern: str, keep: str = "") -> str:
    """A pattern with every character that NFKC changes replaced by its NFKC form, escaped; those in `keep` stay."""
    return pattern if pattern.isascii() else "".join(part for part, _ in _parts(pattern, keep))


def _parts(pattern: str, keep: str) -> list[tuple[str, int]]:
    """The pieces of the run-time form, each with the index of the character in the pattern that it comes from.

    A backslash before a character that NFKC changes goes with it: the escape of `（` is the escape of `(`.
    """
    parts: list[tuple[str, int]] = []
    at = 0
    while at < len(pattern):
        char = pattern[at]
        escaped = char == "\\" and at + 1 < len(pattern)
        wanted = pattern[at + 1] if escaped else char
        normal = wanted if wanted in keep else unicodedata.normalize("NFKC", wanted)
        if normal != wanted:
            parts.append((escape(normal), at))
        else:
            parts.append((char + wanted if escaped else char, at))
        at += 2 if escaped else 1
    return parts


def escape(text: str) -> str:
    """A text as a regex that finds exactly it."""
    return "".join("\\" + char if char in _META else char for char in text)


def regex_fault(pattern: str, flags: str = TEXT_FLAGS, *, normalised: bool = True, keep: str = "") -> Fault | None:
    """What is wrong with a pattern as written, or None.

    `normalised`: the pattern runs in its NFKC form.  It is also tried as a group, as it stands in alternations.
    """
    plain = not normalised or pattern.isascii()
    return _fault(pattern, flags, not plain, "" if plain else "".join(char for char in keep if char in pattern))


@lru_cache(maxsize=65536)
def _fault(pattern: str, flags: str, normalised: bool, keep: str) -> Fault | None:
    form = run_time_form(pattern, keep) if normalised else pattern
    tries = ((flags, ""), (flags + "(?:", ")"))
    for before, after in tries if "(?" in form else tries[:1]:  # without flags of its own, a group changes nothing
        try:
            empty = bool(_EMPTY.str.contains(before + form + after)[0])
        except PolarsError as error:
            if after:
                return Fault(
                    "invalid_regex", "the regex cannot stand in a group; end its `(?x)` comment with a line break"
                )
            return Fault("invalid_regex", _explained(str(error), before, form, pattern, keep))
        if empty:
            return Fault(
                "regex_matches_empty", "the regex matches the empty text, so it is found everywhere; add what it needs"
            )
    return None


def _explained(error: str, before: str, form: str, pattern: str, keep: str) -> str:
    """The engine's message with the position in the pattern as written."""
    text = error.removeprefix("regex error: ").split("\n\nThis error occurred")[0]
    found = re.search(r"^error: (.+)", text, re.MULTILINE | re.DOTALL)
    if found is None:
        return f"the engine does not take this regex: {text.rstrip('.')}; write it shorter, with smaller repetitions"
    reason = f"the engine does not take this regex: {found[1].strip()}"
    position = _caret(text)
    where = ""
    if position is not None:
        line, column = position
        index = column - (len(before) if line == 1 else 0)
        index += sum(len(earlier) + 1 for earlier in form.split("\n")[: line - 1])
        written = index if form == pattern else _index_as_written(pattern, keep, index)
        where = f" at character {written + 1}"
    return f"{reason}{where}; wanted is the syntax of Rust's `regex`"


def _caret(text: str) -> tuple[int, int] | None:
    """Line (from 1) and column (from 0) of the first `^` mark in the engine's picture of a pattern."""
    lines = text.split("\n")
    for at, line in enumerate(lines):
        if at == 0 or not re.fullmatch(r" *\^[\^ ]*", line):
            continue
        numbered = re.match(r"(\d+): ", lines[at - 1])
        margin = len(numbered[0]) if numbered else 4
        return (int(numbered[1]) if numbered else 1), line.index("^") - margin
    return None


def _index_as_written(pattern: str, keep: str, index: int) -> int:
    """Index in the pattern of the character that stands at `index` of its run-time form."""
    seen = 0
    for part, at in _parts(pattern, keep):
        if index < seen + len(part):
            return at + (index - seen if pattern[at] == part[0] else 0)
        seen += len(part)
    return len(pattern)
