"""Packs as definitions: channels, built-in formulas, defined facts, concepts and word lists (specification 30, 40)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from judge_polars.errors import Finding
from judge_polars.registry.compile_rules import OUTPUT, TRUE, Context, Place, compile_formula, compile_rules
from judge_polars.registry.contents import Read
from judge_polars.registry.fact_names import (
    CLAIMED_CAUSES,
    CORE_BUNDLE,
    QUERY_OR_METRIC,
    Facts,
    Scope,
    built_in_types,
    channel_facts,
)
from judge_polars.registry.pack import Channel, FactDefinition, Pack, Words
from judge_polars.registry.regexes import FULL_WIDTH_COMMA, run_time_form
from judge_polars.registry.source import Loc
from judge_polars.registry.suggestions import listed, nearest
from judge_polars.rulebook import Comparison, Definition, DocumentRule, FactRule, Formula, Rule, Selector, WordLists
from judge_polars.vocabulary import CORE_EVIDENCE_FILES, WORD_LISTS

BUILT_IN: Final = "built in"
_NOTHING_READY: Final[Mapping[str, Definition]] = {}
FALSE: Final = Comparison("equals", False)
_COMMA_LISTS: Final = ("pseudo_negators", "terminators")
_CHANNEL_SCOPE: Final = Scope("a channel", (), documents="evidence", short_names=False)
_OUTPUT_FACT_SCOPE: Final = Scope("an output fact", ("output",), documents="output", short_names=False)
_OTHER_FACT_SCOPE: Final = Scope(
    "a workflow or evidence fact",
    ("window", "cluster", "artifacts", "evidence", "workflow"),
    documents="evidence",
    short_names=False,
)


@dataclass(frozen=True)
class _Origin:
    """A definition as it stands in a file."""

    definition: FactDefinition
    place: Place
    loc: Loc
    name: str
    short_names: bool


@dataclass(frozen=True)
class Domain:
    """What all packs together give.

    Attributes:
        definitions: in the order of evaluation, with the packs' own word lists.
        facts: everything that is known after them.
        channels: names, in order.
        origins: name -> definition, in the order of evaluation.
        before: what is known before the first of them.
    """

    definitions: tuple[Definition, ...]
    facts: Facts
    channels: tuple[str, ...]
    concepts: Mapping[str, tuple[str, ...]]
    words: WordLists
    origins: Mapping[str, _Origin]
    before: Facts


def compile_domain(packs: Sequence[Read[Pack]], evidence_dir: str, findings: list[Finding]) -> Domain:
    """All packs, later ones replacing what they name again in its place."""
    concepts: dict[str, tuple[str, ...]] = {}
    words = WordLists()
    channels: dict[str, tuple[Channel, Read[Pack]]] = {}
    origins: dict[str, _Origin] = {}
    for pack in packs:
        concepts.update({name: tuple(entries) for name, entries in pack.model.concepts.items()})
        words = with_words(words, pack.model.words)
        channels.update({name: (channel, pack) for name, channel in pack.model.channels.items()})
        place = Place(pack.source, findings)
        origins.update(_origins(pack.model.facts, place, f"pack {pack.model.id}", short_names=False))
    facts = Facts(built_in_types(channels))
    refuse_built_in(origins, facts)
    definitions = [
        *_channel_definitions(channels, facts, concepts, words, findings),
        _query_or_metric(channels),
        _core_bundle(evidence_dir),
        _claimed_causes(packs, concepts, words, findings),
    ]
    before = facts.copy()
    definitions += compile_definitions(origins, facts, concepts, words)
    return Domain(tuple(definitions), facts, tuple(channels), concepts, words, origins, before)


def _origins(facts: Sequence[FactDefinition], place: Place, name: str, *, short_names: bool) -> dict[str, _Origin]:
    return {fact.name: _Origin(fact, place, ("facts", index), name, short_names) for index, fact in enumerate(facts)}


def refuse_built_in(origins: Mapping[str, _Origin], facts: Facts) -> None:
    """Built-in names cannot be defined."""
    for name, origin in origins.items():
        if name in facts.types:
            message = f"`{name}` is built in and cannot be defined; choose another name"
            origin.place.error((*origin.loc, "name"), "built_in_fact", message)


def compile_definitions(
    origins: Mapping[str, _Origin],
    facts: Facts,
    concepts: Mapping[str, tuple[str, ...]],
    words: WordLists,
    ready: Mapping[str, Definition] = _NOTHING_READY,
) -> list[Definition]:
    """Definitions in order, each known to the ones behind it; those that are `ready` are taken as they are."""
    facts.later.update(name for name in origins if name not in facts.types)
    definitions: list[Definition] = []
    for name, origin in origins.items():
        definition = ready.get(name) or _definition(name, origin, facts, concepts, words)
        if name not in facts.types and definition is not None:
            definitions.append(definition)
            facts.define(name)
    return definitions


def _definition(
    name: str, origin: _Origin, facts: Facts, concepts: Mapping[str, tuple[str, ...]], words: WordLists
) -> Definition | None:
    scope = _OUTPUT_FACT_SCOPE if name.startswith("output.") else _OTHER_FACT_SCOPE
    scope = replace(scope, short_names=origin.short_names)
    formula = compile_formula(origin.definition, origin.loc, Context(scope, facts, concepts, words, origin.place))
    return None if formula is None else Definition(name, formula, origin=origin.name)


def case_definitions(
    domain: Domain, own: Sequence[FactDefinition], words: Words, place: Place, case_id: str
) -> tuple[tuple[Definition, ...], Facts, WordLists]:
    """Definitions, known facts and word lists in force for a case."""
    lists = with_words(domain.words, words)
    definitions = domain.definitions
    if lists != domain.words:
        definitions = tuple(replace(one, formula=_with_lists(one.formula, lists)) for one in definitions)
    if not own:
        return definitions, domain.facts, lists
    mine = _origins(own, place, f"case {case_id}", short_names=True)
    refuse_built_in(mine, domain.before)
    facts = domain.before.copy()
    ready = {one.name: one for one in definitions if one.name in domain.facts.defined and one.name not in mine}
    built_in = tuple(one for one in definitions if one.name not in domain.facts.defined)
    defined = compile_definitions({**domain.origins, **mine}, facts, domain.concepts, lists, ready)
    return (*built_in, *defined), facts, lists


def _with_lists(formula: Formula, lists: WordLists) -> Formula:
    """A formula whose assertion rules read by other word lists."""
    return replace(formula, rules=tuple(_rule_with_lists(rule, lists) for rule in formula.rules))


def _rule_with_lists(rule: Rule, lists: WordLists) -> Rule:
    return replace(rule, words=lists) if isinstance(rule, DocumentRule) and rule.words is not None else rule


def with_words(lists: WordLists, words: Words) -> WordLists:
    """Word lists, those that `words` names replaced."""
    named = {name: entries for name in WORD_LISTS if (entries := getattr(words, name)) is not None}
    if not named:
        return lists
    forms = {
        name: tuple(run_time_form(entry, FULL_WIDTH_COMMA if name in _COMMA_LISTS else "") for entry in entries)
        for name, entries in named.items()
    }
    return replace(lists, **forms)


def _channel_definitions(
    channels: Mapping[str, tuple[Channel, Read[Pack]]],
    facts: Facts,
    concepts: Mapping[str, tuple[str, ...]],
    words: WordLists,
    findings: list[Finding],
) -> list[Definition]:
    """The four facts of each channel."""
    definitions: list[Definition] = []
    for name, (channel, pack) in channels.items():
        context = Context(_CHANNEL_SCOPE, facts, concepts, words, Place(pack.source, findings))
        observed, attempted, present, implies = channel_facts(name)
        for fact, key in ((observed, "observed_any_of"), (attempted, "attempted_any_of"), (present, "present_any_of")):
            rules = compile_rules(getattr(channel, key), ("channels", name, key), context)
            definitions.append(Definition(fact, Formula(1, rules), origin=f"pack {pack.model.id}"))
        either = Formula(1, (FactRule(attempted, FALSE), FactRule(present, TRUE)))
        definitions.append(Definition(implies, either, origin=f"pack {pack.model.id}"))
    return definitions


def _query_or_metric(channels: Mapping[str, object]) -> Definition:
    observed = (channel_facts(channel)[0] for channel in ("queries", "metrics") if channel in channels)
    return Definition(QUERY_OR_METRIC, Formula(1, tuple(FactRule(fact, TRUE) for fact in observed)), origin=BUILT_IN)


def _core_bundle(evidence_dir: str) -> Definition:
    rules = tuple(DocumentRule("json_valid", Selector(name=f"{evidence_dir}/{file}")) for file in CORE_EVIDENCE_FILES)
    return Definition(CORE_BUNDLE, Formula(len(rules), rules), origin=BUILT_IN)


def _claimed_causes(
    packs: Sequence[Read[Pack]], concepts: Mapping[str, tuple[str, ...]], words: WordLists, findings: list[Finding]
) -> Definition:
    """The number of causes that are claimed: one rule per cause."""
    causes: dict[str, None] = {}
    for pack in packs:
        for index, cause in enumerate(pack.model.causes):
            if cause in concepts:
                causes[cause] = None
                continue
            message = f"no pack names a concept `{cause}`{nearest(cause, concepts)}; known are {listed(concepts)}"
            Place(pack.source, findings).error(("causes", index), "unknown_concept", message)
    rules = tuple(
        DocumentRule(
            "claimed_any", OUTPUT, patterns=tuple(run_time_form(entry) for entry in concepts[cause]), words=words
        )
        for cause in causes
    )
    return Definition(CLAIMED_CAUSES, Formula(1, rules), count=True, origin=BUILT_IN)
