"""A text without its secrets; JSON stays JSON, and no line moves (specification 90, "Security")."""

from __future__ import annotations

import json
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final, Literal

from judge_polars.masking.patterns import Span, kind_of_member, own_spans
from judge_polars.masking.scanner import scanned_spans
from judge_polars.masking.values import MASK

Kind = Literal["json", "jsonl", "text"]

EDGE: Final = 20_000
"""Characters behind a cut that are looked at, too, so that no secret is cut in two: a private key has no more."""
_MASKED: Final = re.compile(r"\[masked:(\w+)")
_SEPARATOR: Final = "\n\0\n"
_TOKEN: Final = re.compile(r'"((?:[^"\\\n]|\\.)*)"(\s*:\s*)?|(?<=[:\s])-?\d{4,}(?![\d.eE])')


@dataclass(frozen=True, slots=True, order=True)
class MaskedSecret:
    """A secret that was masked: its kind, and its line in the text, from 1.  Its value is nowhere."""

    line: int
    kind: str


@dataclass(frozen=True, slots=True)
class Masked:
    """A text without its secrets, and what was masked in it, by line."""

    text: str
    secrets: tuple[MaskedSecret, ...] = ()


def mask(text: str, kind: str = "text") -> Masked:
    """The text with `[masked:<kind>]` for each secret; a secret of several lines leaves as many.

    Args:
        text: any text.
        kind: `json`, `jsonl` or `text`; what is no JSON is taken as text.
    """
    if kind == "jsonl" and not _all_json(text.split("\n")):
        return _joined([mask(line, "json") for line in text.split("\n")])
    if kind in ("json", "jsonl") and (kind == "jsonl" or _is_json(text)):
        return _replaced(text, _json_replacements(text))
    return _replaced(text, ((start, end, _mask(text[start:end], name), name) for start, end, name in _spans(text)))


def mask_beginning(text: str, most: int) -> str:
    """The first `most` characters of a text without secrets; one that goes on behind them is masked whole."""
    if len(text) <= most:
        return mask(text).text
    parts: list[str] = []
    done = 0
    for start, end, kind in _spans(text[: most + EDGE]):
        if start >= most:
            break
        parts += [text[done:start], _mask(text[start:end], kind)]
        done = end
    return "".join([*parts, text[done:most]])


def masked_kinds(text: str) -> list[str]:
    """The kinds of the masks that stand in a text, in order."""
    return _MASKED.findall(text)


def told_masks(found: Mapping[tuple[str, str], int]) -> Iterator[str]:
    """What was masked, from (place, kind) -> how often: `url password in r1/case-a/1, check disk_busy (2 times)`."""
    for (place, kind), times in found.items():
        yield f"{kind.replace('_', ' ')} in {place}" + (f" ({times} times)" if times > 1 else "")


def _mask(secret: str, kind: str) -> str:
    return f"{MASK}{kind}]" + "\n" * secret.count("\n")


def _is_json(text: str) -> bool:
    try:
        json.loads(text, parse_int=len, parse_float=len, parse_constant=len)
    except (ValueError, RecursionError):
        return False
    return True


def _all_json(lines: Iterable[str]) -> bool:
    return all(not line or line.isspace() or _is_json(line) for line in lines)


def _joined(lines: list[Masked]) -> Masked:
    """Lines, each masked on its own, as one text."""
    secrets = [MaskedSecret(at, one.kind) for at, line in enumerate(lines, start=1) for one in line.secrets]
    return Masked("\n".join(line.text for line in lines), tuple(secrets))


def _spans(text: str) -> Iterator[Span]:
    """Every secret once, in order: what overlaps is one secret, of the kind that begins first."""
    merged: list[Span] = []
    for start, end, kind in sorted((*own_spans(text), *scanned_spans(text)), key=lambda span: (span[0], -span[1])):
        if merged and start < merged[-1][1]:
            first, last, name = merged[-1]
            merged[-1] = first, max(last, end), name
        else:
            merged.append((start, end, kind))
    yield from merged


Replacement = tuple[int, int, str, str]
"""Start, end, what stands there instead, kind."""


def _replaced(text: str, replacements: Iterable[Replacement]) -> Masked:
    parts: list[str] = []
    secrets: list[MaskedSecret] = []
    done, line = 0, 1
    for start, end, instead, kind in replacements:
        line += text.count("\n", done, start)
        secrets.append(MaskedSecret(line, kind))
        line += text.count("\n", start, end)
        parts += [text[done:start], instead]
        done = end
    return Masked("".join([*parts, text[done:]]), tuple(secrets)) if parts else Masked(text)


def _json_replacements(text: str) -> Iterator[Replacement]:
    """What to put for strings (and numbers that are passwords) of a JSON text, in order."""
    starts: list[int] = []
    tokens: list[tuple[int, int, str]] = []
    members: dict[int, tuple[int, int, str]] = {}
    for (start, end, string), kind in _members(text):
        if kind is not None:
            members[start] = (start, end, kind)
        elif string is not None:
            tokens.append((start, end, string))
    place = 0
    for _, _, string in tokens:
        starts.append(place)
        place += len(string) + len(_SEPARATOR)
    changed = dict(members)
    found: dict[int, list[Span]] = {}
    for span in _spans(_SEPARATOR.join(string for _, _, string in tokens)):
        found.setdefault(bisect_right(starts, span[0]) - 1, []).append(span)
    instead: dict[int, str] = {start: json.dumps(f"{MASK}{kind}]") for start, _, kind in members.values()}
    for index, spans in found.items():
        start, end, string = tokens[index]
        base = starts[index]
        inside = [(first - base, min(last - base, len(string)), kind) for first, last, kind in spans]
        masked = _replaced(string, ((a, b, _mask(string[a:b], kind), kind) for a, b, kind in inside))
        changed[start] = start, end, inside[0][2]
        instead[start] = json.dumps(masked.text, ensure_ascii=False)
    for start, end, kind in sorted(changed.values()):
        yield start, end, instead[start], kind


def _members(text: str) -> Iterator[tuple[tuple[int, int, str | None], str | None]]:
    """Each string as (start, end, decoded), and each number behind a name; with the kind of secret that its name makes it."""
    name: str | None = None
    behind = -1
    entry: str | None = None
    for found in _TOKEN.finditer(text):
        start = found.start()
        named = name if start == behind else None
        if found[1] is None:
            if named is not None:
                kind = kind_of_member(named, found[0])
                yield (start, found.end(), None), kind if kind == "password" else None
            continue
        string = found[1] if "\\" not in found[1] else json.loads(f'"{found[1]}"', strict=False)
        end = start + len(found[1]) + 2
        if found[2] is not None:
            name, behind = string, found.end()
            yield (start, end, string), None
            continue
        kind = None if named is None else kind_of_member(named, string)
        if kind is None and named is not None and named.lower() == "value" and entry is not None:
            kind = kind_of_member(entry, string)
        entry = string if named is not None and named.lower() in ("name", "key") else None
        yield (start, end, string), kind
