"""What `asserted_…`, `claimed_…` and `denied_any` rules found: the clause, and what denied or claimed it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import polars as pl

from judge_polars.explain.model import Findings, Sighting
from judge_polars.explain.run import CaseRunAgain
from judge_polars.masking import mask
from judge_polars.printable import excerpt
from judge_polars.rulebook import DocumentRule, WordLists
from judge_polars.rules.explain_assertions import explain_texts

MOST_SIGHTINGS: Final = 3
PATTERN_LENGTH: Final = 60
COUNTS: Final = {"asserted": "asserts", "claimed": "claims", "denied": "denied"}
"""First word of a method -> the column of `READ_CLAUSES` that it looks at."""


def assertion_findings(runs: Sequence[CaseRunAgain], rule: DocumentRule) -> Iterator[Findings]:
    """Of each case run the sightings of the clauses that count; without any, of those in which a pattern stands and why it
    does not count.  The texts of all are read together, so they must be of one case."""
    texts = [
        (at, name, text)
        for at, run in enumerate(runs)
        for name, text in run.selected(rule).select("name", "text").drop_nulls().iter_rows()
    ]
    read = explain_texts(
        [text for _, _, text in texts],
        rule.patterns,
        rule.words or WordLists(),
        unless=rule.unless,
        negated_finding=rule.negated_finding,
    )
    found: list[list[dict[str, Any]]] = [[] for _ in runs]
    for row in read.filter(pl.col("pattern").is_not_null()).iter_rows(named=True):
        at, name, _ = texts[row["text"]]
        found[at].append({"document": name, **row})
    return (_findings(rows, rule) for rows in found)


def _findings(found: list[dict[str, Any]], rule: DocumentRule) -> Findings:
    counts = COUNTS[rule.method.partition("_")[0]]
    counting = [row for row in found if row[counts]]
    if counting:
        return tuple(_sighting(row) for row in _one_a_clause(counting)[:MOST_SIGHTINGS]), _sections(rule)
    if not found:
        return (), (f"none of its {len(rule.patterns)} patterns is found in the text", *_sections(rule))
    missed = [_sighting(row) for row in _one_a_clause(found)[:MOST_SIGHTINGS]]
    return tuple(missed), (f"found, but not {rule.method.partition('_')[0]} there", *_sections(rule))


def _one_a_clause(rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The first pattern of each clause."""
    return list({(row["document"], row["line"], row["clause"]): row for row in reversed(rows)}.values())[::-1]


def _sections(rule: DocumentRule) -> tuple[str, ...]:
    return (f"only sections that fit {rule.section!r} count",) if rule.section else ()


def _sighting(row: dict[str, Any]) -> Sighting:
    pattern = excerpt(row["pattern"], length=PATTERN_LENGTH)
    return Sighting(
        row["document"], f"line {row['line']}", f"{pattern} {decision(row)}", excerpt(mask(row["clause"]).text)
    )


def decision(row: dict[str, Any]) -> str:
    """What decided about a pattern in a clause, in words (a row of `READ_CLAUSES`)."""
    words = f" “{excerpt(mask(row['words']).text, length=PATTERN_LENGTH)}”" if row["words"] else ""
    match row["decided_by"]:
        case "claim":
            return f"claimed by{words}"
        case "question":
            return "asked, not asserted"
        case "unless":
            return f"excused by{words}"
        case None:
            return "asserted, not claimed"
        case kind:
            return f"denied by the {kind.replace('_', ' ')}{words}"
