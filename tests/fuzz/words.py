"""A target on texts: text rules in two languages, judged as the plain judge judges them."""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Final

from hypothesis import strategies as st

from judge_polars.registry import load_registry
from judge_polars.rulebook import DocumentRule, Selector, WordLists
from judge_polars.rules import on_assertions, on_text
from tests.fuzz import hostile_texts
from tests.fuzz.judged import EVALUATION
from tests.fuzz.small import require
from tests.fuzz.target import Example, Target
from tests.plain.assertions import Words, clauses_of, find, words_of
from tests.plain.loading import load_packs
from tests.plain.markdown import section_text
from tests.plain.text import has_text, keyword_occurs, regex_found
from tests.rules.shard_builder import Text, reasons

PATTERNS: Final = (
    "cpu.{0,3}hot ?spot",
    "slow disk",
    "热点",
    r"\bis\b",
    "^the",
    "卡住$",
    "lock|io",
    "(?:not )?confirmed",
    ",",
)
SECTIONS: Final = (None, "root cause", "根因|结论", "^ruled out", "^$|a")
KEYWORDS: Final = ("cpu hotspot", "热点", " is ", "ﬁ", "a", "don't", "e\u0301", "\u3000", "İ", "ß", '": "', "1", "_")
ASSERTIONS: Final = ("asserted_any", "claimed_any", "denied_any")


@cache
def word_lists() -> tuple[WordLists, Words]:
    """The lists of the shipped pack, compiled and as the plain judge has them."""
    book = load_registry(EVALUATION / "regression").compile()
    lists = next(
        rule.words
        for case in book.cases
        for definition in case.definitions
        for rule in definition.formula.rules
        if isinstance(rule, DocumentRule) and rule.words is not None
    )
    return lists, words_of(load_packs(["tidb"], EVALUATION).words)


def check_texts(example: Example, _: Path) -> None:
    """Every kind of text rule on every text, with one pattern or keyword and one section."""
    texts, pattern, keyword, section, or_all, negated, unless = example
    lists, words = word_lists()
    ground = DocumentRule(
        "", Selector(artifact="output_text"), patterns=(pattern,), section=section, section_or_all=or_all, words=lists
    )
    assertions = [
        replace(
            ground,
            method=method,
            negated_finding=negated,
            unless=(unless,) if unless and method != "denied_any" else (),
        )
        for method in ASSERTIONS
    ]
    searches = [replace(ground, method="regex_any")] + [
        replace(ground, method="keyword_any", patterns=(), keywords=(keyword,), whole_word=whole)
        for whole in (False, True)
    ]
    runs: list[dict[str, object]] = [{"output": Text(text)} for text in texts]
    told_assertions = reasons(on_assertions.evaluate, assertions, runs)
    told_searches = reasons(on_text.evaluate, searches, runs)
    for text, asserted, searched in zip(texts, told_assertions, told_searches, strict=True):
        part = text if section is None else section_text(text, section, or_all=or_all)
        wanted = _wanted(part if has_text(part) else "", pattern, keyword, words, negated=negated, unless=unless)
        found = [reason == "true" for reason in (*asserted, *searched)]
        require(found == wanted, "asserted, claimed, denied, regex, keyword, word", found, wanted, text, example[1:])


def _wanted(part: str, pattern: str, keyword: str, words: Words, *, negated: bool, unless: str) -> list[bool]:
    rule: dict[str, Any] = {"negated_finding": negated}
    clauses = clauses_of(part, words) if part else []
    if_unless = find(pattern, clauses, {**rule, "unless": [unless]} if unless else rule, words)
    denied = find(pattern, clauses, rule, words).denied
    searched = [
        regex_found(pattern, part),
        keyword_occurs(keyword, part),
        keyword_occurs(keyword, part, whole_word=True),
    ]
    return [if_unless.asserted, if_unless.claimed, denied, *(bool(part) and one for one in searched)]


TEXTS: Final = st.tuples(
    st.lists(hostile_texts.PROSE, min_size=1, max_size=12),
    st.sampled_from(PATTERNS),
    st.sampled_from(KEYWORDS),
    st.sampled_from(SECTIONS),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["", "", "contributing", "的"]),
)
TARGETS: Final = (Target("texts", "text rules in two languages say what the plain judge says", TEXTS, check_texts, 40),)
