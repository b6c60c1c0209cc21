"""JSON paths: the few forms of RFC 9535 that the rule language takes (specification 40, "JSON paths").

    $   .name   ['name']   ["name"]   [n]   [*]   .*   ..name   ..['name']   ..[*]

`parse_path` turns a text into steps; `facts/` evaluates them while a file is parsed.
"""

from __future__ import annotations

import unicodedata
from functools import lru_cache
from typing import Final, Literal, NamedTuple

MEMBER: Final = "member"
ELEMENT: Final = "element"
EVERY: Final = "every"
DESCEND_MEMBER: Final = "descend_member"
DESCEND_EVERY: Final = "descend_every"

LARGEST_INDEX: Final = 2**53 - 1
_ESCAPES: Final = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t", "/": "/", "\\": "\\"}
_NOT_TAKEN: Final = {
    "-": "negative indexes are not taken",
    "?": "filters are not taken",
    ":": "slices are not taken",
    ",": "lists of selectors are not taken",
    " ": "white space is not taken",
}
_HEX: Final = frozenset("0123456789abcdefABCDEF")
_DIGITS: Final = frozenset("0123456789")
_QUOTES: Final = ("'", '"')


class Step(NamedTuple):
    """One step of a path.

    `("member", name)`, `("element", n)`, `("every", None)` go to children; `("descend_member", name)` and
    `("descend_every", None)` go to children of the node itself and of everything below it.
    """

    kind: Literal["member", "element", "every", "descend_member", "descend_every"]
    key: str | int | None = None


class PathError(ValueError):
    """A text that is no path; `position` is the offending character's, counted from 1."""

    def __init__(self, message: str, position: int) -> None:
        super().__init__(f"{message} at character {position}")
        self.reason = message
        self.position = position


@lru_cache(maxsize=4096)
def parse_path(text: str) -> tuple[Step, ...]:
    """The steps behind the `$`; PathError with the position for anything that the specification does not list."""
    if not text.startswith("$"):
        raise PathError("a path begins with `$`", 1)
    steps: list[Step] = []
    at = 1
    while at < len(text):
        step, at = _step(text, at)
        steps.append(step)
    return tuple(steps)


def _step(text: str, at: int) -> tuple[Step, int]:
    """The step that begins at `at`, and where the next one begins."""
    if text.startswith("..", at):
        return _descent(text, at + 2)
    if text.startswith(".*", at):
        return Step(EVERY), at + 2
    if text[at] == ".":
        name, end = _plain_name(text, at + 1)
        return Step(MEMBER, name), end
    if text[at] == "[":
        return _bracket(text, at)
    raise PathError(f"found {_shown(text[at])} where `.` or `[` is wanted", at + 1)


def _descent(text: str, at: int) -> tuple[Step, int]:
    """The step behind `..`."""
    if text.startswith("[", at):
        step, end = _bracket(text, at)
        if step.kind == ELEMENT:
            raise PathError("an index cannot follow `..`; only a name or `[*]` can", at + 1)
        return Step(DESCEND_EVERY if step.kind == EVERY else DESCEND_MEMBER, step.key), end
    if text.startswith("*", at):
        raise PathError("`..*` is written `..[*]`", at + 1)
    name, end = _plain_name(text, at)
    return Step(DESCEND_MEMBER, name), end


def _plain_name(text: str, at: int) -> tuple[str, int]:
    """A name of letters, digits, `_` and `-`."""
    end = at
    while end < len(text) and _in_plain_name(text[end]):
        end += 1
    if end == at:
        found = f"found {_shown(text[at])}" if at < len(text) else "the path ends"
        raise PathError(f"{found} where a name is wanted; a name with other characters is written `['name']`", at + 1)
    return text[at:end], end


def _in_plain_name(char: str) -> bool:
    return char in "_-" or unicodedata.category(char)[0] in "LM" or unicodedata.category(char) == "Nd"


def _bracket(text: str, at: int) -> tuple[Step, int]:
    """`[*]`, `[n]` or a quoted name; `at` is the bracket's."""
    inside = at + 1
    if inside >= len(text):
        raise PathError("the path ends within `[`", inside + 1)
    step: Step
    if text[inside] == "*":
        step, end = Step(EVERY), inside + 1
    elif text[inside] in _QUOTES:
        name, end = _quoted_name(text, inside)
        step = Step(MEMBER, name)
    else:
        index, end = _index(text, inside)
        step = Step(ELEMENT, index)
    if text[end : end + 1] != "]":
        raise _no_closing_bracket(text, end)
    return step, end + 1


def _no_closing_bracket(text: str, at: int) -> PathError:
    """What stands where `]` is wanted: one index, name or `*` is all that a bracket takes."""
    if at >= len(text):
        return PathError("the path ends where `]` is wanted", at + 1)
    return PathError(_NOT_TAKEN.get(text[at], f"found {_shown(text[at])} where `]` is wanted"), at + 1)


def _index(text: str, at: int) -> tuple[int, int]:
    """A whole number from 0 without leading zeros."""
    end = at
    while end < len(text) and text[end] in _DIGITS:
        end += 1
    if end == at:
        wanted = f"found {_shown(text[at])} where an index, `*` or a quoted name is wanted"
        raise PathError(_NOT_TAKEN.get(text[at], wanted), at + 1)
    digits = text[at:end]
    if len(digits) > 1 and digits[0] == "0":
        raise PathError("an index has no leading zeros", at + 1)
    if len(digits) > 16 or int(digits) > LARGEST_INDEX:
        raise PathError(f"an index is at most {LARGEST_INDEX}", at + 1)
    return int(digits), end


def _quoted_name(text: str, at: int) -> tuple[str, int]:
    """A name in quotes with RFC 9535's escapes (section 2.3.1); `at` is the opening quote's."""
    quote = text[at]
    parts: list[str] = []
    here = at + 1
    while here < len(text) and text[here] != quote:
        if text[here] == "\\":
            part, here = _escape(text, here, quote)
            parts.append(part)
        elif text[here] < " ":
            raise PathError(f"{_shown(text[here])} is written as an escape in a name", here + 1)
        else:
            parts.append(text[here])
            here += 1
    if here >= len(text):
        raise PathError(f"the name that begins here has no closing {quote}", at + 1)
    return "".join(parts), here + 1


def _escape(text: str, at: int, quote: str) -> tuple[str, int]:
    """The character that an escape stands for; `at` is the backslash's."""
    char = text[at + 1 : at + 2]
    if char == quote or char in _ESCAPES:
        return _ESCAPES.get(char, char), at + 2
    if char != "u":
        allowed = rf"\b, \f, \n, \r, \t, \/, \\, \{quote} or \uXXXX"
        raise PathError(f"no escape is written {_shown(text[at : at + 2])}; allowed are {allowed}", at + 1)
    unit = _code_unit(text, at)
    if 0xDC00 <= unit <= 0xDFFF:
        raise PathError("a low surrogate without a high one before it", at + 1)
    if not 0xD800 <= unit <= 0xDBFF:
        return chr(unit), at + 6
    low = _code_unit(text, at + 6) if text.startswith("\\u", at + 6) else 0
    if not 0xDC00 <= low <= 0xDFFF:
        raise PathError("a high surrogate without a low one behind it", at + 1)
    return chr(0x10000 + ((unit - 0xD800) << 10) + (low - 0xDC00)), at + 12


def _code_unit(text: str, at: int) -> int:
    r"""The number of `\uXXXX` at `at`."""
    digits = text[at + 2 : at + 6]
    if len(digits) != 4 or not _HEX.issuperset(digits):
        raise PathError(r"four hexadecimal digits are wanted behind `\u`", at + 1)
    return int(digits, 16)


def _shown(text: str) -> str:
    return f"`{text}`" if text.isprintable() else f"U+{ord(text[-1]):04X}"
