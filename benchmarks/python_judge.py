"""The tuned Python judge: the yardstick for judging (specification 90).

A registry becomes nested tuples, one per case; a run is judged by one function that goes through them, with the
comparison of a rule inlined in the loops over rules, each of which ends at the rule that decides, and which returns
at the first bucket that makes the run invalid.  Facts are a dict: full name -> value (None where unknown), and
`d<place>` -> whether the document rule of that place is true.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judge_polars.plan import document_rules
from judge_polars.rulebook import Case, Check, DocumentRule, FactRule, Rule
from judge_polars.rules.program import compile_comparison
from judge_polars.vocabulary import BUILT_IN_FACTS, HARD, SUPPORTING

Facts = Mapping[str, Any]
Verdict = tuple[str, str | None, float | None]
"""Verdict, primary failure code, score."""

_RANGE, _KNOWN, _UNKNOWN = 0, 4, 5
_TRUE: Final = (1, 1)
_Rule = tuple[str, int, int]
_Check = tuple[int, int, tuple[_Rule, ...], float, str | None]
"""Rules that must be true, rules, each with the fact and the range that it must lie in, weight, name of the hidden fact."""


@dataclass(frozen=True)
class PythonCase:
    """A case as nested tuples; the fields are the groups of its checks in the order in which they decide."""

    places: Mapping[DocumentRule, int]
    every: tuple[_Check, ...]
    contract: tuple[_Check, ...]
    workflow: tuple[_Check, ...]
    execution: tuple[_Check, ...]
    collection: tuple[_Check, ...]
    collection_optional: tuple[_Check, ...]
    critical: tuple[_Check, ...]
    routing: tuple[_Check, ...]
    routing_optional: tuple[_Check, ...]
    hard: tuple[_Check, ...]
    supporting: tuple[_Check, ...]
    execution_optional: tuple[_Check, ...]
    workflow_score: float
    unit_scores: tuple[float, ...]
    """Score per unit of weight: collection, critical, routing, hard, supporting."""


def python_case(case: Case) -> PythonCase:
    """A case for `verdict_of` and `results_of`; comparisons that are no range of numbers are not supported."""
    places: dict[DocumentRule, int] = {}
    for rule in document_rules(case):
        places.setdefault(rule, len(places))
    kinds = {one.name: "number" if one.count else "boolean" for one in case.definitions}
    kinds |= {check.fact: "boolean" for check in case.checks if check.fact is not None}
    checks = [(check, _check(check, places, {**BUILT_IN_FACTS, **kinds})) for check in case.checks]

    def of(bucket: str, layer: str | None = None, *, required: bool | None = None) -> tuple[_Check, ...]:
        return tuple(
            made
            for check, made in checks
            if check.bucket == bucket and check.layer == layer and required in (None, check.required)
        )

    scores = {bucket.name: bucket for bucket in case.buckets}
    collection, optional = of("evidence_collection", required=True), of("evidence_collection", required=False)
    critical, routing = of("critical_evidence"), of("evidence_routing", required=True)
    hard, supporting = of("diagnosis", HARD), of("diagnosis", SUPPORTING)
    most = [
        *(
            scores[name].max_score if name in scores else None
            for name in ("evidence_collection", "critical_evidence", "evidence_routing")
        ),
        scores["diagnosis"].hard_max_score if "diagnosis" in scores else None,
        scores["diagnosis"].supporting_weight if "diagnosis" in scores else None,
    ]
    parts = [(*collection, *optional), critical, routing, hard, supporting]
    units = [(m or 0.0) / sum(one[3] for one in part) if part else 0.0 for m, part in zip(most, parts, strict=True)]
    return PythonCase(
        places=places,
        every=tuple(made for _, made in checks),
        contract=of("contract", required=True),
        workflow=of("workflow", required=True),
        execution=of("execution_contract", required=True),
        collection=collection,
        collection_optional=optional,
        critical=critical,
        routing=routing,
        routing_optional=of("evidence_routing", required=False),
        hard=hard,
        supporting=supporting,
        execution_optional=of("execution_contract", required=False),
        workflow_score=(scores["workflow"].max_score or 0.0) if "workflow" in scores else 0.0,
        unit_scores=tuple(units),
    )


def _check(check: Check, places: Mapping[DocumentRule, int], kinds: Mapping[str, str]) -> _Check:
    rules = tuple(_rule(rule, places, kinds) for rule in check.formula.rules)
    return (check.formula.need, len(rules), rules, check.weight, check.fact)


def _rule(rule: Rule, places: Mapping[DocumentRule, int], kinds: Mapping[str, str]) -> _Rule:
    if isinstance(rule, DocumentRule):
        return (f"d{places[rule]}", *_TRUE)
    assert isinstance(rule, FactRule)
    kind, low, high, negate, _ = compile_comparison(rule.comparison, kinds[rule.fact])
    if kind != _RANGE or negate:
        raise NotImplementedError(f"the benchmark has no {rule.comparison}")
    return (rule.fact, low, high)


def _failed(checks: Sequence[_Check], facts: Facts) -> bool:
    """Whether one of the checks fails; the others are not looked at any more."""
    for need, count, rules, _, _ in checks:
        if need == count:
            for name, low, high in rules:
                value = facts[name]
                if value is None or not low <= value <= high:
                    return True
        else:
            left = need
            for name, low, high in rules:
                value = facts[name]
                if value is not None and low <= value <= high:
                    left -= 1
                    if left <= 0:
                        break
            if left > 0:
                return True
    return False


def _results(checks: Sequence[_Check], facts: Facts) -> list[bool]:
    """Whether each check passes."""
    results = []
    for need, count, rules, _, _ in checks:
        if need == count:
            for name, low, high in rules:
                value = facts[name]
                if value is None or not low <= value <= high:
                    results.append(False)
                    break
            else:
                results.append(True)
        else:
            left = need
            for name, low, high in rules:
                value = facts[name]
                if value is not None and low <= value <= high:
                    left -= 1
                    if left <= 0:
                        break
            results.append(left <= 0)
    return results


def results_of(case: PythonCase, facts: dict[str, Any]) -> list[bool]:
    """Whether each check passes, in the order of the case."""
    if case.workflow and case.workflow[0][4] is not None:
        _tell_workflow(case, facts)
    return _results(case.every, facts)


def _tell_workflow(case: PythonCase, facts: dict[str, Any]) -> bool:
    """Write the results of the workflow checks, which later checks read; whether one failed."""
    results = _results(case.workflow, facts)
    for check, passed in zip(case.workflow, results, strict=True):
        if check[4] is not None:
            facts[check[4]] = passed
    return not all(results)


def verdict_of(case: PythonCase, facts: dict[str, Any]) -> Verdict:
    """Verdict, primary failure code and score of a run with a bundle."""
    if _failed(case.contract, facts):
        return ("invalid", "contract_failed", None)
    incomplete = _tell_workflow(case, facts)
    if _failed(case.execution, facts):
        return ("invalid", "execution_contract_failed", None)
    if incomplete:
        return ("invalid", "workflow_incomplete", None)
    if _failed(case.collection, facts):
        return ("invalid", "evidence_collection_incomplete", None)
    optional = _results(case.collection_optional, facts)
    critical = _results(case.critical, facts)
    routing = _results(case.routing, facts)
    hard = _results(case.hard, facts)
    supporting = _results(case.supporting, facts)
    code = None
    if not all(optional):
        code = "evidence_collection_partial"
    elif critical and not any(critical):
        code = "critical_evidence_missing"
    elif not all(critical):
        code = "critical_evidence_partial"
    elif not all(routing):
        code = "evidence_routing_failed"
    elif _failed(case.routing_optional, facts):
        code = "evidence_routing_partial"
    elif not all(hard):
        code = "diagnosis_critical_gate_failed"
    elif _failed(case.execution_optional, facts):
        code = "execution_contract_partial"
    units = case.unit_scores
    score = case.workflow_score + units[0] * sum(check[3] for check in case.collection)
    for unit, checks, results in (
        (units[0], case.collection_optional, optional),
        (units[1], case.critical, critical),
        (units[2], case.routing, routing),
        (units[3], case.hard, hard),
        (units[4], case.supporting, supporting),
    ):
        for check, passed in zip(checks, results, strict=True):
            if passed:
                score += unit * check[3]
    return ("fail" if code else "pass", code, score)
