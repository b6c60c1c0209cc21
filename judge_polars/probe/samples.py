"""Texts in which a regex is found, for the subset of regexes that rubrics are written in.

Literals, classes, alternations, groups, optional and repeated parts and anchors are sampled; look-around, references and what
only Rust's engine knows (`\\p{Han}`, `[[:alpha:]]`, `\\z`) are not.  Every text is tried in the engine before it is given out.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from typing import Any, Final

import polars as pl

MOST: Final = 24
"""Texts that are tried for one pattern; a group has no more variants."""
MOST_COPIES: Final = 64
_CARRIER: Final = ("the ", " there")
_ANYTHING: Final = " a7-.,"
"""What `.` and a negated class stand for: the first of these that fits."""
_OF_CATEGORY: Final = {"digit": "7", "word": "s", "space": " ", "not_digit": "a", "not_word": " ", "not_space": "a"}


class NotSampledError(Exception):
    """The pattern cannot be sampled; its text says why."""


@dataclass(frozen=True, slots=True)
class Sampled:
    """Texts in which a pattern is found, the most natural first; without any, `reason` says why."""

    texts: tuple[str, ...]
    reason: str | None = None


@lru_cache(maxsize=8192)
def sampled(pattern: str, *, case_sensitive: bool = False) -> Sampled:
    """Texts of one pattern; texts that are also found between other words come first."""
    try:
        found = tuple(dict.fromkeys(text.strip() for text in _variants(_parsed(pattern))))[:MOST]
    except NotSampledError as wrong:
        return Sampled((), str(wrong))
    form = f"{'(?m)' if case_sensitive else '(?im)'}{pattern}"
    alone = _holding(form, found)
    carried = _holding(form, [f"{_CARRIER[0]}{text}{_CARRIER[1]}" for text in found])
    if any(_holding(form, ["".join(_CARRIER)])):
        carried = alone  # the words around would be found without the text
    texts = [text for text, holds in zip(found, carried, strict=True) if holds]
    texts += [text for text, holds in zip(found, alone, strict=True) if holds and text not in texts]
    texts = [text for text in texts if text]
    return Sampled(tuple(texts)) if texts else Sampled((), "the texts that were tried do not fit it")


def _holding(form: str, texts: Iterable[str]) -> list[bool]:
    """Whether a pattern is found in texts, by the engine that judges; false where the engine does not take it."""
    try:
        return pl.Series(list(texts), dtype=pl.String).str.contains(form).to_list()
    except pl.exceptions.ComputeError as wrong:
        raise NotSampledError(f"the engine does not take it: {wrong}") from wrong


def _parsed(pattern: str) -> Any:
    """The syntax tree of a pattern, as Python's own compiler reads it."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module("re._parser").parse(pattern)
    except (re.error, OverflowError, RecursionError) as wrong:
        raise NotSampledError(f"its syntax is not in the subset that is sampled: {wrong}") from wrong


def _variants(sequence: Any) -> list[str]:
    """Texts of a sequence of parts: all parts at their first variant, then one part after another at its others."""
    parts = [_part(str(operator), argument) for operator, argument in sequence]
    first = [variants[0] for variants in parts]
    texts = ["".join(first)]
    for at, variants in enumerate(parts):
        texts += ["".join([*first[:at], other, *first[at + 1 :]]) for other in variants[1:]]
    return list(dict.fromkeys(texts))[:MOST]


def _part(operator: str, argument: Any) -> list[str]:
    match operator:
        case "LITERAL":
            return [chr(argument)]
        case "ANY":
            return ["a"]
        case "NOT_LITERAL":
            return [next(char for char in _ANYTHING if char != chr(argument))]
        case "IN":
            return [_of_class(argument)]
        case "AT":
            return [""]
        case "BRANCH":
            return _of_branches(argument[1])
        case "SUBPATTERN":
            return _variants(argument[3])
        case "ATOMIC_GROUP":
            return _variants(argument)
        case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
            return _repeated(*argument)
        case _:
            raise NotSampledError(f"{operator.lower()} is not in the subset that is sampled")


def _of_branches(branches: Iterable[Any]) -> list[str]:
    """Variants of alternatives: the first of each, then the others; an anchor, which takes no text, comes last."""
    every = [_variants(branch) for branch in branches]
    mixed = [variants[0] for variants in every] + [text for variants in every for text in variants[1:]]
    return sorted(dict.fromkeys(mixed), key=lambda text: text == "")[:MOST]


def _repeated(least: int, most: Any, sequence: Any) -> list[str]:
    """As often as needed; an optional part is there first and then is not, one that may repeat is left out first."""
    once = _variants(sequence)
    if least > MOST_COPIES:
        raise NotSampledError(f"a part of it is repeated {least} times")
    if least:
        return [text * least for text in once]
    return [*once, ""][:MOST] if most == 1 else ["", *once][:MOST]


def _of_class(members: list[Any]) -> str:
    """One character of a class, a space where it is in it."""
    negated = any(str(operator) == "NEGATE" for operator, _ in members)
    if negated:
        fitting = (char for char in _ANYTHING if not any(_is_member(char, *member) for member in members))
        char = next(fitting, None)
        if char is None:
            raise NotSampledError("a negated class leaves out every character that is tried")
        return char
    if any(_is_member(" ", *member) for member in members):
        return " "
    operator, argument = members[0]
    match str(operator):
        case "LITERAL":
            return chr(argument)
        case "RANGE":
            return chr(argument[0])
        case _:
            return _of_category(argument)


def _is_member(char: str, operator: object, argument: Any) -> bool:
    match str(operator):
        case "LITERAL":
            return chr(argument) == char
        case "RANGE":
            return bool(argument[0] <= ord(char) <= argument[1])
        case "CATEGORY":
            kind = str(argument).removeprefix("CATEGORY_").lower()
            plain = kind.removeprefix("not_")
            inside = {"digit": char.isdigit(), "space": char.isspace(), "word": char.isalnum() or char == "_"}[plain]
            return inside is not kind.startswith("not_")
        case _:
            return False


def _of_category(category: object) -> str:
    return _OF_CATEGORY[str(category).removeprefix("CATEGORY_").lower()]
