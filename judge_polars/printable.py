"""Text that came from a run, made harmless where it is shown (specification 90, "Security")."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import polars as pl

_CONTROLS: Final = "\x00-\x1f\x7f-\x9f\ud800-\udfff"
_INVISIBLE: Final = "\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f"
"""What turns the direction of text, or takes no room: soft hyphens, zero-width and bidirectional characters, tags."""
_UNPRINTABLE: Final = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")
_MARKUP: Final = re.compile(r"[\\`*\[\]<>|#&~]|(?<![0-9A-Za-z])_|_(?![0-9A-Za-z])")
_FORMULA: Final = r"^[=+\-@＝＋－＠]"
_NUMBER: Final = r"^-?\d+(\.\d+)?([eE][+-]?\d+)?$"
_LINE_OF_ITS_OWN: Final = re.compile(r"^[ ]*::")
_NAMED: Final = {"\n": "⏎", "\t": "→", "\r": "␍"}
_RANGES: Final = re.compile(r"(.)(?:-(.))?", re.DOTALL)
EXCERPT_LENGTH: Final = 200
_WORDS: Final = re.compile(r"[^\s/]*[\s/]+")
"""Words with what parts them; what is behind the last one is none."""
_ON_A_TERMINAL: Final = re.compile(rf"(?!\x1b\[[0-9;]*m|[\n\t])[{_CONTROLS}{_INVISIBLE}]")
"""What a terminal could obey, or would not show; colours, line breaks and tabs are ours."""


def printable(text: str) -> str:
    """The text in one line with control, bidirectional and other unprintable characters made visible."""
    return _UNPRINTABLE.sub(_visible, text)


def _visible(found: re.Match[str]) -> str:
    char = found[0]
    if char in _NAMED:
        return _NAMED[char]
    code = ord(char)
    return chr(0x2400 + code) if code < 0x20 else "␡" if code == 0x7F else f"\\u{code:04x}"


@cache
def _shown() -> dict[str, str]:
    """Every unprintable character that a column can hold -> what is shown instead."""
    ranges = [(ord(first), ord(last or first)) for first, last in _RANGES.findall(_CONTROLS + _INVISIBLE)]
    every = (chr(code) for first, last in ranges for code in range(first, last + 1) if not 0xD800 <= code < 0xE000)
    return {char: printable(char) for char in every}


def message_line(text: str) -> str:
    """A message in one line: printable, and no workflow command of GitHub Actions (`::error::…`)."""
    return _LINE_OF_ITS_OWN.sub(lambda found: found[0].replace("::", ": :"), printable(text))


def for_terminal(text: str) -> str:
    """A text of many lines and colours, of which a terminal obeys nothing else.

    C1 and invisible characters stand as JSON has them (`\\u009b`), so that JSON stays what it is.
    """
    return _ON_A_TERMINAL.sub(_visible, text)


def beginning(text: str, most: int = EXCERPT_LENGTH) -> str:
    """At most `most` characters of a text as it is; one that is cut ends before a word that may be half of a secret.

    What is masked where it is shown must be whole: so this is how texts are cut where they are kept before that.
    """
    if len(text) <= most:
        return text
    return "".join(_WORDS.findall(text[: most - 1])) + "…"


def excerpt(text: str, around: tuple[int, int] | None = None, length: int = EXCERPT_LENGTH) -> str:
    """At most `length` characters of a text, about `around` (start, end) when given, printable."""
    start, end = around or (0, 0)
    before = max(0, length - (end - start)) // 2
    first = max(0, min(start - before, len(text) - length))
    shown = ("…" if first else "") + printable(text[first + bool(first) : first + length])
    cut = first + length < len(text) or len(shown) > length
    return shown[: length - 1] + "…" if cut else shown


def csv_cell(value: pl.Expr) -> pl.Expr:
    """A column as text in one line, printable, that no spreadsheet takes for a formula: `'` in front of `=`, `+`, `-`, `@`
    (full width, too), but not of numbers."""
    import polars as pl

    text = value.cast(pl.String).str.replace_many(_shown())
    number = text.str.contains(_NUMBER)
    return pl.when(text.str.contains(_FORMULA) & ~number).then(pl.concat_str(pl.lit("'"), text)).otherwise(text)


def csv_text(text: str) -> str:
    """What `csv_cell` makes of one text."""
    shown = printable(text)
    return f"'{shown}" if re.match(_FORMULA, shown) and not re.fullmatch(_NUMBER, shown) else shown


def markdown_cell(text: str) -> str:
    """A text inside a Markdown table or list: one line, no markup, no cell border; `_` within words is none."""
    return _MARKUP.sub(r"\\\g<0>", printable(text))
