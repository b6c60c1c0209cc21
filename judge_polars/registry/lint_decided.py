"""Lint of checks that are decided before a run is looked at: they cannot fail, or cannot pass (specification 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from judge_polars.registry.fact_names import CLAIMED_CAUSES
from judge_polars.registry.lint_world import Hit, LintCase, World, WrittenCheck, hit
from judge_polars.rulebook import Comparison, Definition, DocumentRule, FactRule, Formula, Rule
from judge_polars.vocabulary import NONE_METHODS, WORKFLOW

_ALWAYS_TRUE: Final = frozenset(
    ("artifacts.manifest_present", "artifacts.report_present", "artifacts.evidence_dir_present")
)
"""A bundle without these is none, and without a bundle no check is looked at."""
_KNOWN_BOOLEANS: Final = ("window.present", "window.matched_allowed_window", "cluster.matched")
_SOURCES: Final = ("report", "manifest")
_VALUES: Final[Mapping[str, tuple[str, ...]]] = {"window.source": _SOURCES, "cluster.source": _SOURCES}
"""Text facts of few values."""
_COUNTS: Final = ("routing.refs_total", "routing.refs_unresolved", "evidence.collection_error_count", CLAIMED_CAUSES)
"""Number facts that are whole and not negative."""

Known = dict[str, bool | None]
"""Fact -> its value where it is decided, None where a run decides."""
Values = tuple[bool | None, ...]


class Decider:
    """What is decided of one case's facts and rules; None means that a run decides."""

    def __init__(self, case: LintCase) -> None:
        self._definitions = case.definitions
        self._known: Known = dict.fromkeys(_ALWAYS_TRUE, True)
        self._causes = len(self._rules_of(CLAIMED_CAUSES))
        for check in case.compiled.checks if case.compiled else ():
            if check.fact is not None:
                self._known[check.fact] = self.formula(check.formula)

    def _rules_of(self, fact: str) -> Sequence[Rule]:
        definition = self._definitions.get(fact)
        return definition.formula.rules if definition else ()

    def formula(self, formula: Formula) -> bool | None:
        """Whether a formula is always true or always false."""
        decided = [self.rule(rule) for rule in formula.rules]
        true, false = decided.count(True), decided.count(False)
        if true >= formula.need:
            return True
        if len(decided) - false < formula.need:
            return False
        if formula.need == len(decided) and self._contradict(formula.rules):
            return False
        return True if formula.need == 1 and self._exhaust(formula.rules) else None

    def rule(self, rule: Rule) -> bool | None:
        """Whether a rule is always true or always false."""
        if isinstance(rule, DocumentRule):
            return False if _never(rule) else None
        values = self._values(rule.fact)
        if values is not None:
            results = {_holds(value, rule.comparison) for value in values}
            return results.pop() if len(results) == 1 else None
        return False if self._misses(rule) else None

    def _values(self, fact: str) -> Values | None:
        """The values that a boolean fact can have; None for a fact of another type."""
        definition = self._definitions.get(fact)
        decided = self._known.get(fact)
        if decided is not None:
            return (decided,)
        if fact in _KNOWN_BOOLEANS or fact.startswith(("artifacts.", "check.workflow.")):
            return (True, False)
        if definition is not None and not definition.count:
            decided = self._defined(fact, definition)
            known = (True, False) if decided is None else (decided,)
            return (*known, None) if fact.startswith("output.") else known
        return (True, False, None) if fact.startswith("routing.analysis_") else None

    def _defined(self, fact: str, definition: Definition) -> bool | None:
        """The decided value of a definition, worked out once."""
        if fact not in self._known:
            self._known[fact] = None
            self._known[fact] = self.formula(definition.formula)
        return self._known[fact]

    def _misses(self, rule: FactRule) -> bool:
        """Whether no value of a number or text fact can satisfy a comparison."""
        operator, operand = rule.comparison.operator, rule.comparison.operand
        if operator in ("in", "not_in") and operand == ():
            return True
        members = operand if isinstance(operand, tuple) else (operand,)
        if rule.fact in _VALUES and operator in ("equals", "in"):
            return not any(member in _VALUES[rule.fact] for member in members)
        if rule.fact not in _COUNTS:
            return False
        most = self._causes if rule.fact == CLAIMED_CAUSES else None
        return _no_count(rule.comparison, most)

    def _contradict(self, rules: Sequence[Rule]) -> bool:
        """Whether rules cannot all be true: opposite demands on one fact, or a keyword both wanted and avoided."""
        for fact, comparisons in _by_fact(rules).items():
            values = self._values(fact)
            if values is not None and not any(all(_holds(value, one) for one in comparisons) for value in values):
                return True
        documents = {rule for rule in rules if isinstance(rule, DocumentRule)}
        opposites = (
            replace(rule, method=f"{rule.method.removesuffix('_none')}_any", ignore_unread=False)
            for rule in documents
            if rule.method in NONE_METHODS
        )
        return any(opposite in documents for opposite in opposites)

    def _exhaust(self, rules: Sequence[Rule]) -> bool:
        """Whether one of the rules is true whatever value a fact has."""
        for fact, comparisons in _by_fact(rules).items():
            values = self._values(fact)
            if values is not None and all(any(_holds(value, one) for one in comparisons) for value in values):
                return True
        return False


def _by_fact(rules: Sequence[Rule]) -> Mapping[str, list[Comparison]]:
    grouped: dict[str, list[Comparison]] = {}
    for rule in rules:
        if isinstance(rule, FactRule):
            grouped.setdefault(rule.fact, []).append(rule.comparison)
    return grouped


def _holds(value: bool | None, comparison: Comparison) -> bool:
    """Whether a boolean fact's value satisfies a comparison; a null one satisfies `exists: false` alone."""
    operator, operand = comparison.operator, comparison.operand
    if operator == "exists":
        return (value is not None) is operand
    members = [one for one in (operand if isinstance(operand, tuple) else (operand,)) if isinstance(one, bool)]
    if value is None or not members:
        return False
    return (value in members) is (operator in ("equals", "in"))


def _no_count(comparison: Comparison, most: int | None) -> bool:
    """Whether no whole number from 0 to `most` satisfies a comparison."""
    operator, operand = comparison.operator, comparison.operand
    numbers = [one for one in (operand if isinstance(operand, tuple) else (operand,)) if isinstance(one, int | float)]
    possible = [
        number for number in numbers if number >= 0 and number == number // 1 and (most is None or number <= most)
    ]
    if operator in ("equals", "in"):
        return not possible
    if operator == "not_in":
        return not numbers
    if not numbers:
        return False
    bound = numbers[0]
    if operator in ("lt", "le"):
        return bound < 0 or (operator == "lt" and bound == 0)
    return most is not None and ((operator == "gt" and bound >= most) or (operator == "ge" and bound > most))


def _never(rule: DocumentRule) -> bool:
    """Whether a document rule is false whatever the documents hold."""
    comparisons = [condition.comparison for condition in rule.where]
    if rule.comparison is not None and rule.method != "json_count":
        comparisons.append(rule.comparison)
    if rule.method == "json_count" and rule.comparison is not None and _no_count(rule.comparison, None):
        return True
    nothing = any(one.operator in ("in", "not_in") and one.operand == () for one in comparisons)
    if nothing:
        return rule.method != "json_count" or _more_than_none(rule.comparison)
    below = rule.method.endswith(("_lt", "_le")) and rule.of in ("increase", "changes")
    if below and rule.threshold is not None:
        return rule.threshold < 0 or (rule.threshold == 0 and rule.method.endswith("_lt"))
    return False


def _more_than_none(comparison: Comparison | None) -> bool:
    """Whether a count of 0 does not satisfy a comparison of counts."""
    if comparison is None or not isinstance(comparison.operand, int | float):
        return False
    bound = comparison.operand
    return {
        "gt": bound >= 0,
        "ge": bound > 0,
        "equals": bound != 0,
        "not_equals": bound == 0,
        "lt": bound <= 0,
        "le": bound < 0,
    }.get(comparison.operator, False)


def _decided(world: World, wanted: bool) -> Iterator[tuple[LintCase, WrittenCheck]]:
    for case in world.cases:
        decider = Decider(case)
        for written in case.checks():
            if not _is_milestone(written) and decider.formula(written.check.formula) is wanted:
                yield case, written


def _is_milestone(written: WrittenCheck) -> bool:
    """A workflow check that is a fact of a pack: what that fact falls back to is the pack's business, not the case's."""
    return written.check.bucket == WORKFLOW and written.model.need_and_rules() is None


def check_cannot_fail(world: World) -> Iterator[Hit]:
    """Checks that every run passes."""
    for case, written in _decided(world, True):
        rules = written.check.formula.rules
        why = "it has nothing to look at" if not rules else "its rules hold for every run that is judged"
        message = (
            f"the check `{written.check.id}` cannot fail: {why}; give it something that a run can lack, or remove it"
        )
        yield hit(case.name, written.source, (*written.loc, "id"), message)


def check_cannot_pass(world: World) -> Iterator[Hit]:
    """Checks that no run passes."""
    for case, written in _decided(world, False):
        message = f"the check `{written.check.id}` cannot pass: no run can satisfy its rules; mend them, or remove it"
        yield hit(case.name, written.source, (*written.loc, "id"), message)
