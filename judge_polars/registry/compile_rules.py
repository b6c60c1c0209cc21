"""Rules of the registry as rules of the rule book: names resolved, isolation checked, concepts put in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from judge_polars.errors import Finding
from judge_polars.registry.fact_names import Facts, Refusal, Scope
from judge_polars.registry.formula import Formula as FormulaModel
from judge_polars.registry.regexes import run_time_form
from judge_polars.registry.rule import FactRule as FactRuleModel
from judge_polars.registry.rule import given_comparisons
from judge_polars.registry.source import Loc, Source, kind_of
from judge_polars.registry.suggestions import listed, nearest, nearest_name
from judge_polars.registry.values import Model, duration_us, offset_minutes, timestamp, timestamp_or_none
from judge_polars.rulebook import (
    Comparison,
    Condition,
    DocumentRule,
    FactRule,
    Formula,
    Rule,
    Scalar,
    Selector,
    TimeWithin,
    WordLists,
)
from judge_polars.vocabulary import ARTIFACT_SYNONYMS, ARTIFACTS

OUTPUT: Final = Selector(artifact="output_text")
TRUE: Final = Comparison("equals", True)
_ASSERTION_PREFIXES: Final = ("asserted", "claimed", "denied")
_FITTING: Final[Mapping[str, tuple[str, type | tuple[type, ...], str]]] = {
    "boolean": ("a boolean", bool, "equals, not_equals, in, not_in, exists"),
    "number": ("a number", (int, float), "equals, not_equals, in, not_in, gt, ge, lt, le, exists"),
    "string": ("a text", str, "equals, not_equals, in, not_in, matches, exists"),
    "timestamp": ("a timestamp", str, "equals, not_equals, in, not_in, gt, ge, lt, le, exists"),
}
"""Type of a fact -> in words, its operands, its comparisons."""


@dataclass(frozen=True)
class Place:
    """Where the rules being compiled stand, and where findings about them go."""

    source: Source
    findings: list[Finding]

    def error(self, loc: Loc, code: str, message: str, *, key: bool = False) -> None:
        """Adds an error."""
        self.findings.append(self.source.finding(loc, code, message, key=key))

    def warning(self, loc: Loc, code: str, message: str, *, key: bool = False) -> None:
        """Adds a warning."""
        self.findings.append(self.source.finding(loc, code, message, key=key, severity="warning"))


@dataclass(frozen=True)
class Context:
    """What a rule is compiled against."""

    scope: Scope
    facts: Facts
    concepts: Mapping[str, tuple[str, ...]]
    words: WordLists
    place: Place


def compile_formula(formula: FormulaModel, loc: Loc, context: Context) -> Formula | None:
    """A formula, or None when it has no rules; rules with errors are left out, their findings reported."""
    given = formula.need_and_rules()
    if given is None:
        return None
    need, key, rules = given
    return Formula(need, compile_rules(rules, (*loc, *key.split(".")), context))


def compile_rules(rules: Sequence[Model], loc: Loc, context: Context) -> tuple[Rule, ...]:
    """Rules of one list, without those that have errors."""
    compiled = (compile_rule(rule, (*loc, index), context) for index, rule in enumerate(rules))
    return tuple(rule for rule in compiled if rule is not None)


def compile_rule(rule: Model, loc: Loc, context: Context) -> Rule | None:
    """One rule, or None when it has errors."""
    if isinstance(rule, FactRuleModel):
        return _fact_rule(rule, loc, context)
    return _document_rule(rule, loc, context)


def _fact_rule(rule: FactRuleModel, loc: Loc, context: Context) -> FactRule | None:
    if not context.scope.families:
        context.place.error((*loc, "fact"), "bucket_isolation", f"{context.scope.what} holds document rules only")
        return None
    name = context.facts.resolve(rule.fact, context.scope)
    if isinstance(name, Refusal):
        context.place.error((*loc, "fact"), name.code, name.message)
        return None
    comparison = _fact_comparison(rule, name, context.facts.types[name], loc, context.place)
    return FactRule(name, comparison) if comparison else None


def _fact_comparison(rule: FactRuleModel, name: str, kind: str, loc: Loc, place: Place) -> Comparison | None:
    """The comparison of a fact rule, when its operand fits the fact's type."""
    words, types, allowed = _FITTING[kind]
    given = given_comparisons(rule)
    if not given and kind != "boolean":
        place.error((*loc, "fact"), "operand_type", f"`{name}` is {words}, so a comparison is needed: one of {allowed}")
        return None
    operator = given[0] if given else "equals"
    operand = _operand(rule, operator) if given else True
    if operator not in allowed.split(", "):
        place.error(
            (*loc, operator), "operand_type", f"`{name}` is {words}, to which `{operator}` cannot fit; use {allowed}"
        )
        return None
    if operator == "exists":
        return Comparison(operator, operand)
    fits = all(_fits(value, kind, types) for value in (operand if isinstance(operand, tuple) else (operand,)))
    if not fits:
        place.error(
            (*loc, operator), "operand_type", f"`{name}` is {words}; this operand ({_kinds(operand)}) never fits it"
        )
        return None
    return Comparison(operator, _as_timestamps(operand) if kind == "timestamp" else operand)


def _fits(value: object, kind: str, types: type | tuple[type, ...]) -> bool:
    if kind == "timestamp":
        return isinstance(value, str) and timestamp_or_none(value) is not None
    return isinstance(value, types) and (kind == "boolean" or not isinstance(value, bool))


def _kinds(operand: object) -> str:
    values = operand if isinstance(operand, tuple) else (operand,)
    return ", ".join(dict.fromkeys(kind_of(value) for value in values))


def _as_timestamps(operand: Any) -> datetime | tuple[datetime, ...]:
    return tuple(timestamp(value) for value in operand) if isinstance(operand, tuple) else timestamp(operand)


def _operand(rule: Model, operator: str) -> Scalar | tuple[Scalar, ...] | TimeWithin:
    """The operand as the rule book has it."""
    value: Any = getattr(rule, "in_" if operator == "in" else operator)
    if operator == "time_within":
        tolerance = duration_us(value.tolerance) or 0
        return TimeWithin(timestamp(value.of), tolerance, offset_minutes(value.offset))
    if operator == "matches":
        return run_time_form(value)
    return tuple(value) if isinstance(value, list) else value


def _comparison(rule: Model) -> Comparison | None:
    """The comparison of a document rule or a condition, if it has one."""
    given = given_comparisons(rule)
    return Comparison(given[0], _operand(rule, given[0])) if given else None


def _document_rule(rule: Any, loc: Loc, context: Context) -> Rule | None:
    given = vars(rule)
    selector = rule_selector(rule, loc, context)
    concepts = concept_patterns(given.get("concepts", ()), (*loc, "concepts"), context)
    if selector is None or concepts is None:
        return None
    _warn_without_effect(given, loc, context.place)
    artifact = selector.artifact
    if rule.match == "artifact_present" and artifact and selector != OUTPUT:
        return FactRule(f"artifacts.{artifact}_present", TRUE, reason="artifact_missing")
    values: dict[str, Any] = {name: given[name] for name in _PLAIN if given.get(name) is not None}
    if "keywords" in given:
        values["keywords"] = tuple(rule.keywords)
        values["patterns"] = tuple(run_time_form(pattern) for pattern in concepts)
    if "patterns" in given:
        values["patterns"] = tuple(run_time_form(pattern) for pattern in (*rule.patterns, *concepts))
    if "unless" in given:
        values["unless"] = tuple(run_time_form(pattern) for pattern in rule.unless)
    if given.get("section") is not None:
        values["section"] = run_time_form(rule.section)
    if "where" in given:
        conditions = ((part.path, _comparison(part)) for part in rule.where)
        values["where"] = tuple(Condition(path, comparison) for path, comparison in conditions if comparison)
    if "labels" in given:
        values["labels"] = tuple(sorted(rule.labels.items()))
    if given.get("margin") is not None and rule.within is not None:
        values["margin_us"] = duration_us(rule.margin) or 0
    if rule.match.startswith(_ASSERTION_PREFIXES):
        values["words"] = context.words
    return DocumentRule(rule.match, selector, comparison=_comparison(rule), **values)


_PLAIN: Final = (
    "whole_word",
    "case_sensitive",
    "negated_finding",
    "section_or_all",
    "ignore_unread",
    "path",
    "series",
    "threshold",
    "min_points",
    "consecutive",
    "of",
    "by",
    "within",
)
"""Parameters that the rule book takes as they are written."""


def rule_selector(rule: Any, loc: Loc, context: Context) -> Selector | None:
    """The documents that a rule reads, when its place may read them."""
    scope, place = context.scope, context.place
    if scope.documents == "none":
        families = ", ".join(f"`{family}.*`" for family in scope.families)
        place.error((*loc, "match"), "bucket_isolation", f"{scope.what} reads no documents, only facts {families}")
        return None
    if scope.document_methods and not rule.match.startswith(scope.document_methods):
        message = f"{scope.what} takes no `{rule.match}`; it takes text rules and `json_…` rules on the output"
        place.error((*loc, "match"), "bucket_isolation", message)
        return None
    if rule.artifact is None and scope.documents != "output":
        place.error(
            loc, "missing_key", f"the key `artifact` is missing; in {scope.what} a rule says which documents it reads"
        )
        return None
    selector = OUTPUT if rule.artifact is None else compile_selector(rule.artifact, (*loc, "artifact"), place)
    if selector is None or (selector == OUTPUT) == (scope.documents == "output"):
        return selector
    wanted = "only `output`" if scope.documents == "output" else "any document but `output`"
    place.error(
        (*loc, "artifact"), "bucket_isolation", f"{scope.what} may not read `{rule.artifact}`; it reads {wanted}"
    )
    return None


def compile_selector(name: str, loc: Loc, place: Place) -> Selector | None:
    """A selector in canonical form; a bare word that is nearly an artifact's name is refused."""
    artifact = ARTIFACT_SYNONYMS.get(name, name)
    if artifact in ARTIFACTS:
        return Selector(artifact=artifact)
    if not any(char in name for char in "./*?"):
        known = (*ARTIFACTS, *ARTIFACT_SYNONYMS)
        near = nearest_name(name, known, 0.75)
        if near:
            message = f"`{name}` is no artifact (did you mean `{near}`?); artifacts are {listed(known)}"
            place.error(loc, "unknown_artifact", message)
            return None
    return Selector(name=name)


def concept_patterns(names: Sequence[str], loc: Loc, context: Context) -> tuple[str, ...] | None:
    """The entries of some concepts in order; None when one is unknown."""
    unknown = False
    for index, name in enumerate(names):
        if name not in context.concepts:
            known = context.concepts
            message = f"no pack names a concept `{name}`{nearest(name, known)}; known are {listed(known)}"
            context.place.error((*loc, index), "unknown_concept", message)
            unknown = True
    return None if unknown else tuple(entry for name in names for entry in context.concepts[name])


def _warn_without_effect(given: Mapping[str, Any], loc: Loc, place: Place) -> None:
    """Keys that do nothing without another one."""
    if given.get("margin") is not None and given["within"] is None:
        place.warning((*loc, "margin"), "no_effect", "`margin` does nothing without `within`; add it", key=True)
    if given.get("section_or_all") and given["section"] is None:
        message = "`section_or_all` does nothing without `section`; add it"
        place.warning((*loc, "section_or_all"), "no_effect", message, key=True)
    if given.get("consecutive") and given["of"] != "value":
        message = f"`consecutive` does nothing with `of: {given['of']}`; remove it"
        place.warning((*loc, "consecutive"), "no_effect", message, key=True)
