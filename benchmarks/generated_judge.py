"""A Python judge that is generated: what an author would write by hand for one case alone, a bound below the tuned Python judge.

One function is generated per case, with every check inlined as one boolean expression over a dict of facts, so that
nothing is looked up that does not decide.  `verdict(facts)` looks at the buckets in the order of precedence and
returns at the first that makes the run invalid; `results(facts)` gives every check's result.

Facts are a dict: full name -> value (None where unknown), and `d<place>` -> whether the document rule of that place
is true.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from judge_polars.plan import document_rules
from judge_polars.rulebook import Case, Check, Comparison, DocumentRule, FactRule, Formula, Rule
from judge_polars.vocabulary import HARD, SUPPORTING

Facts = Mapping[str, Any]
Verdict = tuple[str, str | None, float | None]
"""Verdict, primary failure code, score."""

_SIGNS = {"gt": ">", "ge": ">=", "lt": "<", "le": "<="}


@dataclass(frozen=True)
class GeneratedJudge:
    """The generated functions of a case.

    Attributes:
        verdict: facts -> verdict, primary failure code, score.
        results: facts -> the result of each check, in order.
        definitions: name of a defined fact -> facts -> its value.
        places: document rule -> its place.
    """

    verdict: Callable[[Facts], Verdict]
    results: Callable[[Facts], Sequence[bool]]
    definitions: Mapping[str, Callable[[Facts], object]]
    places: Mapping[DocumentRule, int]


def generated_judge(case: Case) -> GeneratedJudge:
    """Generate the functions of a case; only the methods that are compared with the engine are supported."""
    places: dict[DocumentRule, int] = {}
    for rule in document_rules(case):
        places.setdefault(rule, len(places))
    writer = _Writer(case, places)
    scope: dict[str, Any] = {"operands": writer.operands}
    source = "\n".join([*writer.verdict(), *writer.results(), *writer.definitions()])
    exec(compile(source, f"<{case.id}>", "exec"), scope)  # the source is made of the registry of the benchmark alone
    named = {one.name: scope[f"definition_{index}"] for index, one in enumerate(case.definitions)}
    return GeneratedJudge(scope["verdict"], scope["results"], named, places)


class _Writer:
    """Writes the source of a case's functions."""

    def __init__(self, case: Case, places: Mapping[DocumentRule, int]) -> None:
        self.case = case
        self.places = places
        self.operands: list[object] = []
        self.of_fact = {check.fact: index for index, check in enumerate(case.checks) if check.fact is not None}
        self.scores = {bucket.name: bucket for bucket in case.buckets}

    def definitions(self) -> list[str]:
        lines: list[str] = []
        for index, one in enumerate(self.case.definitions):
            value = (
                " + ".join(self._rule(rule) for rule in one.formula.rules) if one.count else self._formula(one.formula)
            )
            lines += [f"def definition_{index}(f):", f"    return {value or 0}"]
        return lines

    def results(self) -> list[str]:
        lines = ["def results(f):"]
        for index, check in enumerate(self.case.checks):
            lines.append(f"    c{index} = {self._formula(check.formula)}")
        return [*lines, f"    return [{', '.join(f'c{index}' for index in range(len(self.case.checks)))}]"]

    def verdict(self) -> list[str]:
        """Invalid runs first, each return as early as it is known; then everything that scores."""
        lines = ["def verdict(f):", "    code = None"]
        lines += self._unless_all(self._of("contract", required=True), "contract_failed")
        workflow = self._of("workflow", required=True)
        lines += self._assign(workflow)
        lines += self._unless_all(self._of("execution_contract", required=True), "execution_contract_failed")
        lines += self._unless_assigned([index for index, _ in workflow], "workflow_incomplete")
        collection = self._of("evidence_collection", required=True)
        lines += self._assign(collection)
        lines += self._unless_assigned([index for index, _ in collection], "evidence_collection_incomplete")
        optional = self._of("evidence_collection", required=False)
        critical, routing = self._of("critical_evidence"), self._of("evidence_routing", required=True)
        maps, hard, supporting = self._of("evidence_routing", required=False), *map(self._layer, (HARD, SUPPORTING))
        lines += self._assign([*optional, *critical, *routing, *hard, *supporting])
        execution = self._of("execution_contract", required=False)
        rows = [
            (_all(optional), "evidence_collection_partial"),
            (_any(critical), "critical_evidence_missing"),
            (_all(critical), "critical_evidence_partial"),
            (_all(routing), "evidence_routing_failed"),
            (" and ".join(self._formula(check.formula) for _, check in maps) or "True", "evidence_routing_partial"),
            (_all(hard), "diagnosis_critical_gate_failed"),
            (
                " and ".join(self._formula(check.formula) for _, check in execution) or "True",
                "execution_contract_partial",
            ),
        ]
        for number, (condition, code) in enumerate(rows):
            lines += [f"    {'elif' if number else 'if'} not ({condition}):", f"        code = {code!r}"]
        score = " + ".join(self._scores([*collection, *optional], critical, routing, hard, supporting)) or "0.0"
        return [*lines, f"    score = {score}", "    return ('fail' if code else 'pass', code, score)"]

    def _scores(self, *parts: Sequence[tuple[int, Check]]) -> list[str]:
        diagnosis = self.scores.get("diagnosis")
        most = [
            *(
                self.scores[name].max_score if name in self.scores else None
                for name in ("evidence_collection", "critical_evidence", "evidence_routing")
            ),
            None if diagnosis is None else diagnosis.hard_max_score,
            None if diagnosis is None else diagnosis.supporting_weight,
        ]
        terms = [
            f"{maximum / sum(check.weight for _, check in checks)!r} * "
            f"({' + '.join(f'c{index} * {check.weight!r}' for index, check in checks)})"
            for maximum, checks in zip(most, parts, strict=True)
            if maximum is not None and checks
        ]
        workflow = self.scores["workflow"].max_score if "workflow" in self.scores else None
        return [*terms, *([repr(workflow)] if workflow is not None else [])]

    def _of(self, bucket: str, *, required: bool | None = None) -> list[tuple[int, Check]]:
        return [
            (index, check)
            for index, check in enumerate(self.case.checks)
            if check.bucket == bucket and required in (None, check.required)
        ]

    def _layer(self, layer: str) -> list[tuple[int, Check]]:
        return [(index, check) for index, check in self._of("diagnosis") if check.layer == layer]

    def _assign(self, checks: Sequence[tuple[int, Check]]) -> list[str]:
        return [f"    c{index} = {self._formula(check.formula)}" for index, check in checks]

    def _unless_all(self, checks: Sequence[tuple[int, Check]], code: str) -> list[str]:
        if not checks:
            return []
        condition = " and ".join(f"({self._formula(check.formula)})" for _, check in checks)
        return [f"    if not ({condition}):", f"        return ('invalid', {code!r}, None)"]

    def _unless_assigned(self, indexes: Sequence[int], code: str) -> list[str]:
        if not indexes:
            return []
        condition = " and ".join(f"c{index}" for index in indexes)
        return [f"    if not ({condition}):", f"        return ('invalid', {code!r}, None)"]

    def _formula(self, formula: Formula) -> str:
        rules = [self._rule(rule) for rule in formula.rules]
        if formula.need <= 0 or formula.need > len(rules):
            return str(formula.need <= 0)
        if formula.need == len(rules):
            return " and ".join(rules)
        return f"({' or '.join(rules)})" if formula.need == 1 else f"({' + '.join(rules)}) >= {formula.need}"

    def _rule(self, rule: Rule) -> str:
        if isinstance(rule, DocumentRule):
            return f'f["d{self.places[rule]}"]'
        if rule.fact in self.of_fact:
            return f"c{self.of_fact[rule.fact]}"
        return self._comparison(rule, f"f[{rule.fact!r}]")

    def _comparison(self, rule: FactRule, value: str) -> str:
        comparison: Comparison = rule.comparison
        operand = comparison.operand
        if comparison.operator == "exists":
            return f"({value} is {'not ' if operand else ''}None)"
        if isinstance(operand, bool) and comparison.operator == "equals":
            return f"({value} is {operand})"
        if comparison.operator in _SIGNS and isinstance(operand, int | float) and not isinstance(operand, bool):
            return f"((v := {value}) is not None and v {_SIGNS[comparison.operator]} {operand!r})"
        if comparison.operator == "equals" and isinstance(operand, int | str):
            return f"({value} == {operand!r})"
        if comparison.operator in _SIGNS and isinstance(operand, datetime):
            self.operands.append(operand)
            place = f"operands[{len(self.operands) - 1}]"
            return f"((v := {value}) is not None and v {_SIGNS[comparison.operator]} {place})"
        raise NotImplementedError(f"the benchmark has no {comparison.operator} with {operand!r}")


def _all(checks: Sequence[tuple[int, Check]]) -> str:
    return " and ".join(f"c{index}" for index, _ in checks) or "True"


def _any(checks: Sequence[tuple[int, Check]]) -> str:
    return " or ".join(f"c{index}" for index, _ in checks) or "True"
