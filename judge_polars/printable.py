"""Text that came from a run, made harmless where it is shown (specification 90, "Security")."""

from __future__ import annotations

import re
from typing import Final

import polars as pl

_CONTROLS: Final = "\x00-\x1f\x7f-\x9f\ud800-\udfff"
_INVISIBLE: Final = "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""What turns the direction of text, or takes no room: soft hyphens, zero-width and bidirectional characters, tags."""
_UNPRINTABLE: Final = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")
_MARKUP: Final = re.compile(r"[\\`*\[\]<>|#&~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_FORMULA: Final = r"^[=+\-@\t\r]"
_NAMED: Final = {"\n": "⏎", "\t": "→", "\r": "␍"}
EXCERPT_LENGTH: Final = 200


def printable(text: str) -> str:
    """The text in one line with control, bidirectional and other unprintable characters made visible."""
    return _UNPRINTABLE.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    char = found[0]
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else f"\\u{code:04x}"


def excerpt(text: str, around: tuple[int, int] | None = None, length: int = EXCERPT_LENGTH) -> str:
    """At most `length` characters of a text, about `around` (start, end) when given, printable."""
    start, end = around or (0, 0)
    before = max(0, length - (end - start)) // 2
    first = max(0, min(start - before, len(text) - length))
    shown = ("…" if first else "") + printable(text[first + bool(first) : first + length])
    cut = first + length < len(text) or len(shown) > length
    return shown[: length - 1] + "…" if cut else shown


def csv_cell(value: pl.Expr) -> pl.Expr:
    """A column as text that no spreadsheet takes for a formula: `'` in front of `=`, `+`, `-`, `@`, but not of numbers."""
    text = value.cast(pl.String)
    number = text.str.contains(r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$")
    return pl.when(text.str.contains(_FORMULA) & ~number).then(pl.concat_str(pl.lit("'"), text)).otherwise(text)


def markdown_cell(text: str) -> str:
    """A text inside a Markdown table or list: one line, no markup, no cell border; `_` within words is none."""
    return _MARKUP.sub(r"\\\g<0>", printable(text))
