"""JSON values: strict reading, compact text, kinds of scalars (20-bundles, "Documents")."""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias, TypeGuard

Json: TypeAlias = "bool | int | float | str | list[Json] | dict[str, Json] | None"

DEEPEST = 128
BYTE_ORDER_MARK = b"\xef\xbb\xbf"

sys.set_int_max_str_digits(0)  # integers keep all their digits


@dataclass(frozen=True)
class Parsed:
    """A JSON value and whether it needed the bare tokens NaN, Infinity or -Infinity."""

    value: Json
    nonstandard: bool


def parse_json(text: str) -> Parsed | None:
    """The value of a JSON text with or without bare tokens, or None where it is no JSON (20-bundles, Documents).

    Too deep nesting and half surrogate pairs count as no JSON.  A repeated member keeps the place of its first
    occurrence and the value of its last one.
    """
    if deepest_level(text) > DEEPEST:
        return None
    tokens: list[str] = []

    def bare_token(token: str) -> float:
        tokens.append(token)
        return float(token.replace("Infinity", "inf"))

    try:
        value: Json = json.loads(text, parse_constant=bare_token)
    except ValueError:
        return None
    if any(is_lone_surrogate(letter) for text_of in texts_in(value) for letter in text_of):
        return None
    return Parsed(value, bool(tokens))


def deepest_level(text: str) -> int:
    """How many brackets are open at most, not counting those inside of strings."""
    deepest = level = 0
    in_string = escaped = False
    for letter in text:
        if in_string:
            if escaped:
                escaped = False
            elif letter == "\\":
                escaped = True
            elif letter == '"':
                in_string = False
        elif letter == '"':
            in_string = True
        elif letter in "[{":
            level += 1
            deepest = max(deepest, level)
        elif letter in "]}":
            level -= 1
    return deepest


def texts_in(value: Json) -> Iterator[str]:
    """All texts and member names of a value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, list):
        for element in value:
            yield from texts_in(element)
    elif isinstance(value, dict):
        for name, member in value.items():
            yield name
            yield from texts_in(member)


def is_lone_surrogate(letter: str) -> bool:
    """Half a surrogate pair (a whole pair has become one character while parsing)."""
    return "\ud800" <= letter <= "\udfff"


def compact(value: Json) -> str:
    """A value on one line without white space, letters beyond ASCII unescaped (20-bundles, Documents)."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def text_of_node(value: Json) -> str:
    """The text of a selected node: a string itself, anything else in compact form (20-bundles, Documents)."""
    return value if isinstance(value, str) else compact(value)


def is_number(value: object) -> bool:
    """A number that is no boolean (40-rules, Numeric series)."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_integer(value: object) -> TypeGuard[int]:
    """An integer; booleans are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def as_double(value: int | float) -> float:
    """A number as a double, too large ones as an infinity (20-bundles, Documents)."""
    try:
        return float(value)
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")
