"""Random edits of a rubric: thresholds, keywords, weights, required flags, checks that come and go."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from random import Random

from judge_polars.digests import digest_of
from judge_polars.rulebook import Case, Check, DocumentRule, FactRule, Formula, Rule, RuleBook


def edited(random: Random, book: RuleBook) -> RuleBook:
    """The registry with one to three edits, each of some check of some case."""
    cases = list(book.cases)
    for _ in range(random.randint(1, 3)):
        at = random.randrange(len(cases))
        case = random.choice(EDITS)(random, cases[at])
        cases[at] = replace(case, digest=digest_of(repr(case)))
    return replace(book, cases=tuple(cases), digest=digest_of(*(case.digest for case in cases)))


def _with_check(case: Case, at: int, check: Check) -> Case:
    return replace(case, checks=(*case.checks[:at], check, *case.checks[at + 1 :]))


def _weight(random: Random, case: Case) -> Case:
    at = random.randrange(len(case.checks))
    return _with_check(case, at, replace(case.checks[at], weight=random.choice([0.5, 2.0, 7.25])))


def _required(random: Random, case: Case) -> Case:
    at = random.randrange(len(case.checks))
    check = case.checks[at]
    return case if check.bucket == "diagnosis" else _with_check(case, at, replace(check, required=not check.required))


def _remove(random: Random, case: Case) -> Case:
    at = random.randrange(len(case.checks))
    gone = case.checks[at]
    same = [check for check in case.checks if (check.bucket, check.layer) == (gone.bucket, gone.layer)]
    if len(same) < 2 or gone.fact is not None:
        return case
    return replace(case, checks=(*case.checks[:at], *case.checks[at + 1 :]))


def _add(random: Random, case: Case) -> Case:
    """A copy of a check whose formula asks for something else."""
    at = random.randrange(len(case.checks))
    check = case.checks[at]
    formula = Formula(check.formula.need, tuple(_other_rule(random, rule) for rule in check.formula.rules))
    fresh = replace(check, id=f"{check.id}_again_{random.randrange(1_000_000)}", formula=formula, fact=None)
    return replace(case, checks=(*case.checks[: at + 1], fresh, *case.checks[at + 1 :]))


def _rule(random: Random, case: Case) -> Case:
    at = random.randrange(len(case.checks))
    check = case.checks[at]
    rules = tuple(_other_rule(random, rule) for rule in check.formula.rules)
    return _with_check(case, at, replace(check, formula=Formula(check.formula.need, rules)))


def _need(random: Random, case: Case) -> Case:
    at = random.randrange(len(case.checks))
    check = case.checks[at]
    need = random.randint(1, max(1, len(check.formula.rules)))
    return _with_check(case, at, replace(check, formula=replace(check.formula, need=need)))


def _other_rule(random: Random, rule: Rule) -> Rule:
    """The rule with another threshold, other keywords or patterns, or the opposite comparison."""
    if isinstance(rule, FactRule):
        operand = rule.comparison.operand
        if isinstance(operand, bool):
            return replace(rule, comparison=replace(rule.comparison, operand=not operand))
        return rule
    return _other_document_rule(random, rule)


def _other_document_rule(random: Random, rule: DocumentRule) -> DocumentRule:
    if rule.threshold is not None:
        return replace(rule, threshold=rule.threshold * random.choice([0.1, 0.9, 1.5, 20]))
    if len(rule.keywords) > 1:
        return replace(rule, keywords=rule.keywords[1:])
    if rule.keywords:
        return replace(rule, keywords=(*rule.keywords, random.choice(["error", "the", "zzz", "io"])))
    if rule.patterns:
        return replace(rule, patterns=(*rule.patterns[1:], random.choice(["err(or)?", "zzz", "[a-z]+ing", "io"])))
    return rule


EDITS: tuple[Callable[[Random, Case], Case], ...] = (_weight, _required, _remove, _add, _rule, _rule, _need)
