"""The digest of a document rule: the name under which its results are kept (specification 60, "Judging and re-judging").

It covers the rule with everything that its result can depend on beside the bundle: word lists and concepts (they stand in the
compiled rule), the case's window where the rule reads it, the layout, the limits, and the version of the rules' meaning.
Formulas, facts and definitions are evaluated anew each time from these results, so that nothing of them is kept.
"""

from __future__ import annotations

import hashlib
from dataclasses import replace
from functools import lru_cache

import polars as pl

from judge_polars.rulebook import Case, DocumentRule, RuleBook, WordLists
from judge_polars.rules.program import Program
from judge_polars.vocabulary import SEMANTICS_VERSION


def layout_digest(book: RuleBook, semantics_version: int = SEMANTICS_VERSION) -> str:
    """A digest of how bundles are read: layout, limits, and the version of the engine's meaning."""
    return _digest(repr((sorted(book.layout.items()), book.limits, semantics_version)))


def rule_digests(program: Program, semantics_version: int = SEMANTICS_VERSION) -> pl.DataFrame:
    """`case`, `place`, `rule_digest`: one row per row of `program.asked`, in its order."""
    ground = layout_digest(program.book, semantics_version)
    digests: dict[tuple[int, str], str] = {}
    found: list[str] = []
    for case, rule, _ in program.asked.iter_rows():
        window = _window(program.book.cases[case], program.document_rules[rule])
        key = (rule, window)
        if key not in digests:
            digests[key] = _rule_digest(program.document_rules[rule], ground, window)
        found.append(digests[key])
    return program.asked.select("case", "place").with_columns(rule_digest=pl.Series(found, dtype=pl.String))


def _window(case: Case, rule: DocumentRule) -> str:
    """The case's window, where the rule reads it."""
    return "" if rule.within is None else f"{case.window.start.isoformat()}/{case.window.end.isoformat()}"


def _rule_digest(rule: DocumentRule, ground: str, window: str) -> str:
    words = "" if rule.words is None else _words_digest(rule.words)
    return _digest("\0".join((ground, window, words, repr(replace(rule, words=None, reason=None)))))


@lru_cache(maxsize=256)
def _words_digest(words: WordLists) -> str:
    return _digest(repr(words))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:32]
