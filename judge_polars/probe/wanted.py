"""What a case's rules look for in an answer: keywords and sample texts of patterns, through facts too."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from judge_polars.book_tables import rule_text
from judge_polars.probe.samples import sampled
from judge_polars.rulebook import Case, Check, Comparison, Definition, DocumentRule, FactRule, Rule
from judge_polars.vocabulary import DIAGNOSIS, HARD, NONE_METHODS

CLAIMED_CAUSES: Final = "output.claimed_causes"
SAMPLES_OF_A_PATTERN: Final = 3
_WORDS: Final = ("keyword_any", "keyword_all", "keyword_none")
_TEXT_METHODS: Final = frozenset(
    (*_WORDS, "regex_any", "regex_none", "asserted_any", "asserted_none", "claimed_any", "claimed_none", "denied_any")
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """What one text rule looks for.

    Attributes:
        check: `diagnosis.<id>` of the check that reads it.
        layer: `hard` or `supporting`.
        method: the rule's method.
        said: true where the check needs the texts to be there, or denied; false where they are to be avoided.
        groups: a keyword's own text, or the texts in which one pattern is found, for each keyword and pattern.
        heading: title of a section in which the rule looks, None where it reads the whole answer.
    """

    check: str
    layer: str
    method: str
    said: bool
    groups: tuple[tuple[str, ...], ...]
    heading: str | None = None


@dataclass(frozen=True, slots=True)
class Unsampled:
    """A pattern, or a rule, of which no text could be made, and why."""

    check: str
    what: str
    reason: str


@dataclass(frozen=True, slots=True)
class Language:
    """What a case's diagnosis checks look for in an answer, and the causes that the registry knows.

    Attributes:
        wanted: in the order of checks and rules.
        causes: texts of each cause, for each of its patterns.
        unsampled: what made-up answers lack.
    """

    wanted: tuple[Wanted, ...]
    causes: tuple[tuple[tuple[str, ...], ...], ...]
    unsampled: tuple[Unsampled, ...]


def language_of(case: Case) -> Language:
    """What the answer of a case is looked through for."""
    definitions = {definition.name: definition for definition in case.definitions}
    unsampled: dict[Unsampled, None] = {}
    wanted: dict[Wanted, None] = {}
    for check in case.checks:
        if check.bucket == DIAGNOSIS:
            for rule, said in _text_rules(check.formula.rules, definitions, said=True):
                wanted.update(dict.fromkeys(_wanted(check, rule, unsampled, said=said)))
    counted = definitions.get(CLAIMED_CAUSES)
    rules = counted.formula.rules if counted is not None else ()
    causes = tuple(_pattern_texts(rule, "causes", unsampled) for rule in rules if isinstance(rule, DocumentRule))
    return Language(tuple(wanted), tuple(cause for cause in causes if cause), tuple(unsampled))


def _text_rules(
    rules: Iterable[Rule], definitions: Mapping[str, Definition], *, said: bool
) -> Iterator[tuple[DocumentRule, bool]]:
    """The document rules of a formula, through facts; whether each is to be true, which a fact's comparison may turn."""
    for rule in rules:
        if isinstance(rule, DocumentRule):
            yield rule, said is (rule.method not in NONE_METHODS)
            continue
        definition = definitions.get(rule.fact)
        if definition is None or (wants := _wants(rule)) is None:
            continue
        yield from _text_rules(definition.formula.rules, definitions, said=said is wants)


def _wants(rule: FactRule) -> bool | None:
    """Whether a comparison needs its fact to be true or large (true), to be false or small (false), or neither (None)."""
    match rule.comparison:
        case Comparison("equals", bool() as value):
            return value
        case Comparison("not_equals", bool() as value):
            return not value
        case Comparison("gt" | "ge", _):
            return True
        case Comparison("lt" | "le", _):
            return False
        case Comparison("in" | "not_in" as operator, tuple() as values):
            is_in = operator == "in"
            return (True in values) is is_in if (True in values) is not (False in values) else None
        case _:
            return None


def _wanted(check: Check, rule: DocumentRule, unsampled: dict[Unsampled, None], *, said: bool) -> Iterator[Wanted]:
    """What a rule looks for; nothing, and why, where no text can be made."""
    name = f"{check.bucket}.{check.id}"
    if rule.method not in _TEXT_METHODS:
        unsampled[Unsampled(name, rule_text(rule), "only text rules are sampled")] = None
        return
    groups = tuple((keyword,) for keyword in rule.keywords) + _pattern_texts(rule, name, unsampled)
    if groups:
        yield Wanted(name, check.layer or HARD, rule.method, said, groups, _heading(rule, name, unsampled))


def _heading(rule: DocumentRule, name: str, unsampled: dict[Unsampled, None]) -> str | None:
    """A title that the rule's `section` takes."""
    if rule.section is None:
        return None
    titles = sampled(rule.section)
    if titles.reason is not None:
        unsampled[Unsampled(name, rule.section, titles.reason)] = None
    return titles.texts[0] if titles.texts else None


def _pattern_texts(rule: DocumentRule, name: str, unsampled: dict[Unsampled, None]) -> tuple[tuple[str, ...], ...]:
    """Texts of each pattern of a rule that has any."""
    groups = []
    for pattern in rule.patterns:
        found = sampled(pattern, case_sensitive=rule.case_sensitive)
        if found.reason is not None:
            unsampled[Unsampled(name, pattern, found.reason)] = None
        if found.texts:
            groups.append(found.texts[:SAMPLES_OF_A_PATTERN])
    return tuple(groups)
