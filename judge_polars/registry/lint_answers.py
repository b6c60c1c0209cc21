"""Lint of answers that the agent is told beforehand: what a hard check needs, found in names and in what the agent sees.

What a check needs are the keywords and patterns that make one of its rules true, through facts and concepts.  What must
be avoided does not count (`_none` rules, `equals: false`), nor what must be ruled out (`denied_any`), nor the causes that
`output.claimed_causes` counts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

import polars as pl

from judge_polars.errors import Finding
from judge_polars.registry.lint_seen import NAME, Seen
from judge_polars.registry.lint_world import Hit, LintCase, World
from judge_polars.registry.regexes import CASE_FLAGS, TEXT_FLAGS
from judge_polars.registry.source import shown
from judge_polars.rulebook import Comparison, Definition, DocumentRule, FactRule, Formula
from judge_polars.text_forms import keyword_regex, normalise_keyword, regex_form
from judge_polars.vocabulary import CRITICAL_EVIDENCE, HARD, NONE_METHODS

_TEXT_METHODS: Final = (
    "keyword_any",
    "keyword_all",
    "keyword_none",
    "regex_any",
    "regex_none",
    "asserted_any",
    "asserted_none",
    "claimed_any",
    "claimed_none",
    "json_text_contains_any",
)
_SHORTEST_VALUE: Final = 3
"""Characters of a text in `equals` or `in` that is worth looking for."""


class Sought(NamedTuple):
    """A keyword or a pattern that a check needs; `regex` finds it in the regex form of a text."""

    regex: str
    written: str
    is_keyword: bool


def truth_wanted(comparison: Comparison) -> bool | None:
    """Which value of a boolean fact satisfies a comparison; None for both or neither, as for comparisons of other facts."""
    satisfied = [value for value in (True, False) if _satisfies(value, comparison)]
    return satisfied[0] if len(satisfied) == 1 else None


def _satisfies(value: bool, comparison: Comparison) -> bool:
    operand = comparison.operand
    if comparison.operator == "equals":
        return operand is value
    if comparison.operator == "not_equals":
        return isinstance(operand, bool) and operand is not value
    members = operand if isinstance(operand, tuple) else ()
    if comparison.operator == "in":
        return any(member is value for member in members)
    if comparison.operator == "not_in":
        return any(isinstance(member, bool) for member in members) and all(member is not value for member in members)
    return comparison.operator == "exists" and operand is True


def sought(formula: Formula, definitions: Mapping[str, Definition], *, wanted: bool = True) -> Iterator[Sought]:
    """What makes a formula true (or, not `wanted`, false), through facts."""
    for rule in formula.rules:
        if isinstance(rule, FactRule):
            definition = definitions.get(rule.fact)
            truth = truth_wanted(rule.comparison)
            if definition is not None and truth is not None:
                yield from sought(definition.formula, definitions, wanted=wanted is truth)
        elif wanted is not (rule.method in NONE_METHODS):
            yield from _of_document_rule(rule)


def _of_document_rule(rule: DocumentRule) -> Iterator[Sought]:
    if rule.method in _TEXT_METHODS:
        yield from (_keyword(keyword, whole_word=rule.whole_word) for keyword in rule.keywords)
        flags = CASE_FLAGS if rule.case_sensitive else TEXT_FLAGS
        yield from (Sought(f"{flags}(?:{pattern})", pattern, False) for pattern in rule.patterns)
    if rule.comparison is not None and rule.method == "json_value":
        yield from _of_comparison(rule.comparison)
    counted = rule.comparison is not None and rule.comparison.operator in ("gt", "ge")
    if rule.method == "json_record_any" or (rule.method == "json_count" and counted):
        for condition in rule.where:
            yield from _of_comparison(condition.comparison)


def _of_comparison(comparison: Comparison) -> Iterator[Sought]:
    """Texts and patterns that a JSON value is compared with."""
    operands = comparison.operand if isinstance(comparison.operand, tuple) else (comparison.operand,)
    texts = [one for one in operands if isinstance(one, str)]
    if comparison.operator == "contains_any":
        yield from (_keyword(text, whole_word=False) for text in texts)
    elif comparison.operator == "matches":
        yield from (Sought(f"{TEXT_FLAGS}(?:{text})", text, False) for text in texts)
    elif comparison.operator in ("equals", "in"):
        yield from (_keyword(text, whole_word=True) for text in texts if len(text.strip()) >= _SHORTEST_VALUE)


def _keyword(keyword: str, *, whole_word: bool) -> Sought:
    body = keyword_regex(normalise_keyword(keyword).strip(), whole_word=whole_word)
    return Sought(f"(?i)(?:{body})", keyword, True)


def passages(texts: pl.Series, wanted: Sequence[Sought]) -> Iterator[tuple[int, Sought, str]]:
    """(index of the text, what was sought, the passage) of each find, once per text and passage."""
    found: set[tuple[int, str]] = set()
    for one in wanted:
        flags, _, body = one.regex.partition(")")
        matches = texts.str.extract(f"{flags})({body})", 1)
        for index in matches.is_not_null().arg_true().to_list():
            passage = str(matches[index]).strip()
            if passage and (index, passage.casefold()) not in found:
                found.add((index, passage.casefold()))
                yield index, one, passage


def answer_in_name(world: World) -> Iterator[Hit]:
    """Case ids that hold what a hard check needs, or what critical evidence looks for."""
    for case in world.cases:
        if case.compiled is None:
            continue
        forms = pl.Series(_forms(case.compiled.id))
        seen: set[str] = set()
        for place, severity, wanted in (
            ("the hard check", "error", _needed(case, hard=True)),
            ("the critical evidence", "warning", _needed(case, hard=False)),
        ):
            for check, one in wanted.items():
                first = {item: passage for _, item, passage in reversed(list(passages(forms, one)))}
                for item, passage in first.items():
                    plain = passage.replace("_", "-").replace(" ", "-").strip("-").casefold()
                    if plain not in seen:
                        seen.add(plain)
                        message = (
                            f"the case id holds {shown(passage)}, which {place} `{check}` looks for "
                            f"({_told(item)}); name the case for what people saw"
                        )
                        yield case.hit(("id",), message, severity=severity)


def _forms(name: str) -> list[str]:
    """A name as it is, with spaces, and its words with underscores: all of them, and any that stand together."""
    words = name.split("-")
    together = sorted(combinations(range(len(words) + 1), 2), key=lambda ends: ends[0] - ends[1])
    joined = ["_".join(words[first:last]) for first, last in together if last - first > 1]
    return [name, name.replace("-", " "), *joined]


def answer_in_prompt(world: World) -> Iterator[Hit]:
    """What a hard check needs, in what the agent sees beside the case id."""
    for case in world.cases:
        if case.compiled is None:
            continue
        wanted = _needed(case, hard=True)
        texts = [one for one in case.seen if not (one.kind == NAME and one.loc == ("id",))]
        forms = pl.select(regex_form(pl.lit(pl.Series([one.text for one in texts])))).to_series()
        for check, one in wanted.items():
            for index, item, passage in passages(forms, one):
                yield Hit(case.name, _leak(texts[index], passage, check, item))


def _leak(seen: Seen, passage: str, check: str, item: Sought) -> Finding:
    message = (
        f"{seen.what} holds {shown(passage)}, which the hard check `{check}` needs ({_told(item)}); "
        "say what was seen, not what it was"
    )
    return seen.finding(passage, message)


def _told(item: Sought) -> str:
    return f"{'keyword' if item.is_keyword else 'pattern'} {shown(item.written)}"


def _needed(case: LintCase, *, hard: bool) -> dict[str, list[Sought]]:
    """Check id -> what it needs, each keyword and pattern at its first check only."""
    needed: dict[str, list[Sought]] = {}
    taken: set[str] = set()
    for check in case.compiled.checks if case.compiled else ():
        if check.layer == HARD if hard else check.bucket == CRITICAL_EVIDENCE:
            mine = [one for one in dict.fromkeys(sought(check.formula, case.definitions)) if one.regex not in taken]
            taken.update(one.regex for one in mine)
            needed[check.id] = mine
    return needed
