"""Evidence excerpts: the places that a case's critical evidence checks look for, as the evaluator is shown them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import polars as pl

from judge_polars.printable import excerpt
from judge_polars.rulebook import Case, DocumentRule, FactRule, Rule
from judge_polars.semantic.model import Excerpt, Mask, MaskedPlace
from judge_polars.semantic.source import OUTPUT
from judge_polars.vocabulary import CRITICAL_EVIDENCE, NONE_METHODS

MOST: Final = 12
MOST_OF_A_CHECK: Final = 2
CHARACTERS: Final = 300
NO_EVIDENCE: Final = (
    "analysis_patch",
    "manifest",
    "report",
    "summary_json",
    "summary_text",
    "telemetry",
)
"""Documents in which the agent speaks about the evidence."""

_AROUND_BYTES: Final = 4_000
"""What is looked at for secrets around a place, so that none is cut in two before it is seen."""


@dataclass(frozen=True, slots=True)
class Needle:
    """A regex that a check's rule looks for in the evidence."""

    check: str
    pattern: str


def needles(case: Case) -> tuple[Needle, ...]:
    """What the critical evidence of a case looks for, in the order of its checks, through definitions too."""
    found: dict[Needle, None] = {}
    for check in case.checks:
        if check.bucket == CRITICAL_EVIDENCE:
            for rule in check.formula.rules:
                found |= dict.fromkeys(Needle(check.id, pattern) for pattern in _patterns(case, rule))
    return tuple(found)


def _patterns(case: Case, rule: Rule) -> Iterator[str]:
    """Regexes of one rule; what a `_none` rule must not find is no evidence."""
    if isinstance(rule, FactRule):
        for definition in case.definitions:
            if definition.name == rule.fact:
                for inner in definition.formula.rules:
                    yield from _patterns(case, inner)
    elif rule.method not in NONE_METHODS:
        yield from _of_document_rule(rule)


def _of_document_rule(rule: DocumentRule) -> Iterator[str]:
    yield from map(re.escape, rule.keywords)
    yield from rule.patterns
    if rule.series is not None:
        is_regex = len(rule.series) > 2 and rule.series[0] == rule.series[-1] == "/"
        yield rule.series[1:-1].strip("^$") if is_regex else _of_glob(rule.series)
    for condition in rule.where:
        if condition.comparison.operator == "equals" and isinstance(condition.comparison.operand, str):
            yield re.escape(condition.comparison.operand)


def _of_glob(glob: str) -> str:
    """A series' name within a JSON text."""
    return re.escape(glob).replace(r"\*", r"[^\s\"]*").replace(r"\?", r"[^\s\"]")


def evidence_excerpts(
    wanted: tuple[Needle, ...], documents: pl.DataFrame, mask: Mask
) -> tuple[list[Excerpt], list[MaskedPlace]]:
    """At most `MOST` excerpts of a case run's documents, and what was masked in them.

    `documents` are rows of `sources.DOCUMENT_TEXTS`; the first place of each needle is taken, documents by name.
    """
    spoken = pl.col("artifact").is_in(NO_EVIDENCE).fill_null(value=False) | (pl.col("document") == OUTPUT)
    texts = documents.filter(~spoken & pl.col("text").is_not_null()).sort("document")
    excerpts: list[Excerpt] = []
    masked: list[MaskedPlace] = []
    taken: dict[str, int] = {}
    for needle in wanted:
        if len(excerpts) == MOST or taken.get(needle.check, 0) == MOST_OF_A_CHECK:
            continue
        found = _first(texts, needle.pattern)
        if found is None:
            continue
        document, around = found
        clean, secrets = mask(around)
        shown = _shown(clean, needle.pattern)
        if shown is None or any(one.document == document and one.text == shown for one in excerpts):
            continue
        excerpts.append(Excerpt(check=needle.check, document=document, text=shown))
        masked += [MaskedPlace(kind=kind, place=f"excerpt of {document}") for kind, _ in secrets]
        taken[needle.check] = taken.get(needle.check, 0) + 1
    return excerpts, masked


def _at(pattern: str) -> pl.Expr:
    """Byte offset of a regex in `text`, null where it is not found or no regex."""
    return pl.col("text").str.find(f"(?im){pattern}", strict=False)


def _first(texts: pl.DataFrame, pattern: str) -> tuple[str, str] | None:
    """The first document that holds a regex, and the text around the place."""
    hits = texts.select("document", "text", at=_at(pattern)).filter(pl.col("at").is_not_null()).head(1)
    if hits.is_empty():
        return None
    document, text, at = hits.row(0)
    data = text.encode()
    return document, data[max(0, at - _AROUND_BYTES) : at + _AROUND_BYTES].decode(errors="ignore")


def _shown(around: str, pattern: str) -> str | None:
    """The line of the place, cut to what is shown; None where the place was masked."""
    at = pl.DataFrame({"text": [around]}).select(_at(pattern)).item()
    if at is None:
        return None
    start = len(around.encode()[:at].decode(errors="ignore"))
    first = around.rfind("\n", 0, start) + 1
    end = around.find("\n", start)
    line = around[first : len(around) if end < 0 else end]
    return excerpt(line, (start - first, start - first), CHARACTERS)
