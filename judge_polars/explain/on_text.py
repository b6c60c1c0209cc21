"""What `keyword_…` and `regex_…` rules found, and where: document, line or JSON path, excerpt."""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import islice
from typing import Any, Final

import polars as pl

from judge_polars.bundles import compact
from judge_polars.explain.clean import clean_line, clean_node, clean_part, is_too_large
from judge_polars.explain.json_places import Node, every_node
from judge_polars.explain.microscope import Microscope
from judge_polars.explain.model import Findings, Sighting
from judge_polars.explain.run import CaseRunAgain
from judge_polars.printable import EXCERPT_LENGTH, excerpt
from judge_polars.rulebook import DocumentRule
from judge_polars.text_forms import json_keyword, keyword_regex, normalise_keyword, regex_form
from judge_polars.vocabulary import TRUE_CODE

MOST_SIGHTINGS: Final = 4
MOST_NODES: Final = 2_000
_LONGEST_NODE: Final = 100_000
_LARGE_TEXT: Final = 1_000_000
_ANY: Final = ("keyword_any", "regex_any")
"""Where these are false, nothing that they look for is there."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One keyword or pattern of a rule, as a rule of its own that holds where it is found."""

    what: str
    alone: DocumentRule


def wanted_of(rule: DocumentRule) -> list[Wanted]:
    """What a text rule looks for, piece by piece."""
    found = "keyword_any" if rule.method.startswith("keyword") else "regex_any"
    if rule.method == "json_text_contains_any":
        found = rule.method
    bare = replace(rule, method=found, keywords=(), patterns=(), ignore_unread=True)
    return [
        *(Wanted(keyword, replace(bare, keywords=(keyword,))) for keyword in dict.fromkeys(rule.keywords)),
        *(Wanted(pattern, replace(bare, patterns=(pattern,))) for pattern in dict.fromkeys(rule.patterns)),
    ]


def text_findings(run: CaseRunAgain, rule: DocumentRule, *, passed: bool) -> Findings:
    """Sightings of what was found, and of a false rule what was looked for in vain."""
    read = [row for row in run.selected(rule).iter_rows(named=True) if row["text"] is not None]
    wanted = wanted_of(rule)
    nothing = not passed and rule.method in _ANY
    trials = [] if nothing else [(piece, row) for piece in wanted for row in read]
    codes = run.microscope.on_texts([(piece.alone, row["text"], _is_json(row)) for piece, row in trials])
    hits = [trial for trial, code in zip(trials, codes, strict=True) if code == TRUE_CODE]
    first_of_each = list({piece.what: (piece, row) for piece, row in reversed(hits)}.values())[::-1]
    sightings = tuple(_sighting(run, piece, row) for piece, row in first_of_each[:MOST_SIGHTINGS])
    met = {piece.what for piece, _ in hits}
    vain = [piece.what for piece in wanted if piece.what not in met]
    notes = []
    if vain and not rule.method.endswith("_none"):
        names = ", ".join(row["name"] for row in read[:MOST_SIGHTINGS]) + (
            f" and {len(read) - MOST_SIGHTINGS} more" if len(read) > MOST_SIGHTINGS else ""
        )
        notes.append(
            f"not found in {names or 'any document'}: {', '.join(map(repr, vain[:8]))}{' …' if len(vain) > 8 else ''}"
        )
    return sightings, tuple(notes)


def _sighting(run: CaseRunAgain, piece: Wanted, row: dict[str, Any]) -> Sighting:
    """Where a document holds what is wanted: a JSON document by path, any other by line."""
    microscope = run.microscope
    if not _is_json(row):
        lines = row["text"].replace("\r\n", "\n").replace("\r", "\n").split("\n")
        line = _line(microscope, piece.alone, lines)
        text = clean_line(lines, line)
        return Sighting(row["name"], f"line {line}", piece.what, around(text, piece.alone, is_json=False))
    node = _node(microscope, piece.alone, run.values[row["doc"]])
    if node is None:
        whole = compact(run.clean_value(row["doc"]))
        found = _around_masked if is_too_large(whole) else around
        return Sighting(row["name"], None, piece.what, found(whole, piece.alone, is_json=True))
    shown = clean_node(run.clean_value(row["doc"]), node).value
    return Sighting(
        row["name"],
        node.path,
        piece.what,
        around(node_text(shown), piece.alone, is_json=not isinstance(node.value, str)),
    )


def _is_json(row: dict[str, Any]) -> bool:
    """Whether a document's text is the compact form of its JSON value."""
    return bool(row["has_json"] and row["kind"] != "text")


def _line(microscope: Microscope, rule: DocumentRule, lines: list[str]) -> int:
    """The line on which the first match ends, from 1: the rule holds in the lines up to it, not before."""
    below, holds = 0, len(lines)
    parts = 9 if sum(map(len, lines)) < _LARGE_TEXT else 2
    while holds - below > 1:
        steps = sorted({below + max(1, (holds - below) * part // parts) for part in range(1, parts)} - {holds})
        codes = microscope.on_texts([(rule, "\n".join(lines[:step]), False) for step in steps])
        true = [step for step, code in zip(steps, codes, strict=True) if code == TRUE_CODE]
        false = [step for step in steps if step < min(true, default=holds)]
        below, holds = max(false, default=below), min(true, default=holds)
    return holds


def _node(microscope: Microscope, rule: DocumentRule, value: object) -> Node | None:
    """The smallest JSON node whose text alone makes the rule true; None where it takes more than one, or a section."""
    if rule.section is not None or rule.within is not None:
        return None
    nodes = [(node, node_text(node.value)) for node in islice(every_node(value), MOST_NODES)]
    nodes = [(node, text) for node, text in nodes if len(text) <= _LONGEST_NODE]
    codes = microscope.on_texts([(rule, text, not isinstance(node.value, str)) for node, text in nodes])
    fitting = [
        (len(text), at) for at, ((_, text), code) in enumerate(zip(nodes, codes, strict=True)) if code == TRUE_CODE
    ]
    return nodes[min(fitting)[1]][0] if fitting else None


def node_text(value: object) -> str:
    """A node's text for matching: a text's own, else the compact serialisation."""
    return value if isinstance(value, str) else compact(value)


def around(text: str, rule: DocumentRule, *, is_json: bool) -> str:
    """An excerpt about the first match of the rule's keyword or pattern, in the form in which texts are searched."""
    return excerpt(text) if len(text) <= EXCERPT_LENGTH else excerpt(*_first_match(text, rule, is_json=is_json))


def _around_masked(text: str, rule: DocumentRule, *, is_json: bool) -> str:
    """As `around`, of a text that is too large to be masked as a whole."""
    form, place = _first_match(text, rule, is_json=is_json)
    near, there = _first_match(clean_part(form, place or (0, 0)), rule, is_json=is_json)
    return excerpt(near, there) if there or not place else "…"


def _first_match(text: str, rule: DocumentRule, *, is_json: bool) -> tuple[str, tuple[int, int] | None]:
    """The form in which a text is searched, and in it start and end of the first match of the rule's keyword or pattern."""
    form = pl.select(regex_form(pl.lit(text))).item()
    if rule.keywords:
        keyword = normalise_keyword(rule.keywords[0])
        pattern = keyword_regex(json_keyword(keyword) if is_json else keyword, whole_word=rule.whole_word)
        searched = form.lower() if len(form.lower()) == len(form) else form
    else:
        pattern = ("(?m)" if rule.case_sensitive else "(?im)") + (rule.patterns[0] if rule.patterns else r"\A")
        searched = form
    found = pl.Series([searched]).str.extract(f"({pattern})", 1).item()
    if found is None:
        return form, None
    start = searched.find(found)
    return form, (start, start + len(found))
