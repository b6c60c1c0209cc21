"""Globs of selectors and of series names, as regexes (specification 20, last paragraph; 40, "Numeric series").

The regexes mean the same to Rust's engine (found anywhere, so they are anchored) and to Python's `re` (`re.fullmatch`).
"""

from __future__ import annotations

import re
from typing import Final

_TOKENS: Final = re.compile(r"\*\*/|\*\*|\*|\?|[^*?]+")
_SPECIAL: Final = frozenset(r"\.+*?()|[]{}^$#&-~")


def is_plain(name: str) -> bool:
    """Whether a file name holds none of the characters that are special in a glob."""
    return "*" not in name and "?" not in name


def glob_regex(glob: str) -> str:
    """The regex of a document glob: `*` and `?` do not cross `/`, `**` does, `**/` also stands for no directory.

    `**/` can stand for no directory only where a part of the path begins; nothing else is special.
    """
    parts: list[str] = []
    for token in _TOKENS.finditer(glob):
        at_part = token.start() == 0 or glob[token.start() - 1] == "/"
        match token[0]:
            case "**/" if at_part:
                parts.append("(?:.*/)?")
            case "**/":
                parts.append(".*/")
            case "**":
                parts.append(".*")
            case "*":
                parts.append("[^/]*")
            case "?":
                parts.append("[^/]")
            case text:
                parts.append(_escaped(text))
    return f"(?s)^{''.join(parts)}$"


def series_regex(pattern: str) -> str:
    """The regex of a `series` parameter: a `/regex/` of any case, else a glob whose `*` and `?` cross everything."""
    if len(pattern) > 2 and pattern.startswith("/") and pattern.endswith("/"):
        return f"(?im){pattern[1:-1]}"
    wild = {"*": ".*", "?": "."}
    return f"(?s)^{''.join(wild.get(char) or _escaped(char) for char in pattern)}$"


def _escaped(text: str) -> str:
    """A literal text as a regex of both engines."""
    return "".join("\\" + char if char in _SPECIAL else char for char in text)
