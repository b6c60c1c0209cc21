"""From a judgment to the explanation of one of its case runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any, Final

import polars as pl

from judge_polars.book_tables import rule_text
from judge_polars.bundles import CaseRunPlace
from judge_polars.errors import InputError, UsageError
from judge_polars.explain.documents import Findings, document_findings
from judge_polars.explain.model import (
    BucketTold,
    CandidateTold,
    CheckTold,
    Explanation,
    IssueTold,
    ReferenceTold,
    RuleTold,
)
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.on_facts import fact_notes
from judge_polars.explain.remedies import what_to_change
from judge_polars.explain.run import CaseRunAgain, read_again
from judge_polars.judgment import Judgment
from judge_polars.rulebook import Check, Definition, DocumentRule, Rule

MOST_BECAUSE: Final = 6
_RUN: Final = (
    "suite_id",
    "suite_version",
    "execution_mode",
    "agent_name",
    "agent_version",
    "agent_model",
    "status",
    "stop_reason",
    "started_at",
    "finished_at",
    "input_tokens",
    "output_tokens",
    "cost_usd",
    "tool_calls",
)


def explain(judgment: Judgment, case_run_id: str) -> Explanation:
    """The whole reasoning for one case run of a judgment; its bundle is read again.

    It shows itself in a notebook and as text.

    Raises:
        UsageError: the judgment has no such case run; the nearest ones are named.
        InputError: the judgment does not know where its runs lie.
    """
    if judgment.origin is None:
        raise InputError("this judgment does not know where its runs lie: judge the runs again")
    book = judgment.origin.book
    place = _place(judgment, case_run_id)
    case = book.case(place.case_id)
    assert case is not None
    run = read_again(book, case, place, judgment.origin.workspaces_root, judgment.origin.record)
    verdict = judgment.verdicts.row(by_predicate=pl.col("case_run_id") == case_run_id, named=True)
    bundle = judgment.frames["bundles"].row(by_predicate=pl.col("case_run_id") == case_run_id, named=True)
    judged = judgment.frames["judgments"].row(0, named=True)
    explanation = Explanation(
        **{
            key: verdict[key]
            for key in ("case_run_id", "eval_run_id", "case_id", "trial", "case_version", "verdict", "cause")
        },
        **{key: verdict[key] for key in ("primary_failure_code", "score", "max_score", "score_pct")},
        failure_codes=tuple(verdict["failure_codes"]),
        case_title=case.title,
        deciding=_deciding(judgment, verdict),
        run={key: verdict[key] for key in _RUN},
        bundle_status=bundle["status"],
        bundle=bundle["root"],
        candidates=tuple(
            CandidateTold(one["root"], one["root"] == bundle["root"], tuple(one["reasons"]))
            for one in json.loads(bundle["candidates"])
        ),
        buckets=tuple(_buckets(judgment, case_run_id)),
        checks=tuple(_Teller(run).checks(judgment.checks.filter(pl.col("case_run_id") == case_run_id))),
        references=tuple(_references(run)),
        issues=tuple(
            IssueTold(row["code"], row["document"], row["detail"])
            for row in judgment.issues.filter(pl.col("case_run_id") == case_run_id).iter_rows(named=True)
        ),
        to_pass=(),
        reproduce={
            key: judged[key] for key in ("judgment_id", "registry_digest", "engine_version", "semantics_version")
        }
        | {"case_digest": case.digest, "bundle_digest": verdict["bundle_digest"], "directory": place.path},
    )
    return replace(explanation, to_pass=what_to_change(explanation))


def _place(judgment: Judgment, case_run_id: str) -> CaseRunPlace:
    assert judgment.origin is not None
    if case_run_id in judgment.unknown:
        raise UsageError(f"{case_run_id} is not judged: the registry does not know its case")
    judged = set(judgment.frames["case_runs"]["case_run_id"])
    places = {place.case_run_id: place for place in judgment.origin.found.places if place.case_run_id in judged}
    if case_run_id not in places:
        raise unknown_case_run(case_run_id, places)
    return places[case_run_id]


def unknown_case_run(case_run_id: str, known: Mapping[str, object]) -> UsageError:
    """The error for a case run id that nothing has, with the nearest ones."""
    near = listed(nearest_first(case_run_id, known), 4)
    return UsageError(f"no case run {case_run_id!r}: wanted is <eval_run_id>/<case_id>/<trial>; nearest: {near}")


def _deciding(judgment: Judgment, verdict: Mapping[str, Any]) -> str:
    """The row of precedence that decided, in words."""
    rows = judgment.sql(
        "select precedence, bucket, statuses, verdict, meaning from verdict_precedence where code is not distinct from ?",
        [verdict["primary_failure_code"]],
    )
    row = rows.row(0, named=True)
    when = (
        ""
        if row["bucket"] in (None, "all_buckets")
        else f"{row['bucket'].replace('_', ' ')} is {' or '.join(row['statuses'])}: "
    )
    first = f"row {row['precedence']} of precedence, the first that fits"
    return f"{first}: {when}{row['meaning']}, so the verdict is {row['verdict']}"


def _buckets(judgment: Judgment, case_run_id: str) -> Iterator[BucketTold]:
    for row in judgment.buckets.filter(pl.col("case_run_id") == case_run_id).iter_rows(named=True):
        yield BucketTold(row["bucket"], bool(row["configured"]), row["status"], row["score"], row["max_score"])


class _Teller:
    """Tells checks with their rules; the results are the judgment's, what a rule found is worked out once."""

    def __init__(self, run: CaseRunAgain) -> None:
        self._run = run
        self._findings: dict[DocumentRule, Findings] = {}

    def checks(self, rows: pl.DataFrame) -> Iterator[CheckTold]:
        """The checks of the case that were judged; `rows` are those of `check_results`."""
        outcomes = {(row["bucket"], row["layer"], row["check_id"]): row for row in rows.iter_rows(named=True)}
        for check in self._run.case.checks:
            outcome = outcomes.get((check.bucket, check.layer, check.id))
            if outcome is not None:
                yield self._check(check, outcome)

    def _check(self, check: Check, outcome: Mapping[str, Any]) -> CheckTold:
        deciding, passed = outcome["deciding_rule"], outcome["passed"]
        rules = enumerate(check.formula.rules)
        return CheckTold(
            bucket=check.bucket,
            layer=check.layer,
            id=check.id,
            title=check.title,
            required=check.required,
            weight=check.weight,
            passed=passed,
            reason=outcome["reason"],
            need=check.formula.need,
            deciding_rule=deciding,
            rules=tuple(
                self._rule(rule, at, decided=at == deciding, whole=not passed or at == deciding) for at, rule in rules
            ),
        )

    def _rule(
        self, rule: Rule, ordinal: int, *, decided: bool, whole: bool, seen: frozenset[str] = frozenset()
    ) -> RuleTold:
        """One rule; only its result where its findings tell nothing about the check."""
        run = self._run
        passed, reason = run.results.get(rule, (False, None))
        told = RuleTold(ordinal, rule_text(rule), passed, reason, decided)
        if not whole:
            return told
        if isinstance(rule, DocumentRule):
            sightings, notes = self._found(rule, passed=passed, reason=reason)
            return replace(told, sightings=sightings, notes=notes)
        if rule.fact.startswith("check."):
            return replace(told, notes=self._workflow_notes(rule.fact))
        definition = run.definitions.get(rule.fact)
        because = () if definition is None or rule.fact in seen else self._because(definition, seen | {rule.fact})
        return replace(told, notes=fact_notes(run, rule), because=because)

    def _found(self, rule: DocumentRule, *, passed: bool, reason: str | None) -> Findings:
        if rule not in self._findings:
            self._findings[rule] = document_findings(self._run, rule, passed=passed, reason=reason)
        return self._findings[rule]

    def _because(self, definition: Definition, seen: frozenset[str]) -> tuple[RuleTold, ...]:
        """The rules that gave a defined fact its value: true ones where it holds, else those that are false."""
        value = self._run.facts.get(definition.name)
        if value is None:
            return ()
        rules = list(enumerate(definition.formula.rules))
        true = [one for one in rules if self._run.results.get(one[1], (False, None))[0]]
        if value and true:
            enough = len(true) if definition.count else definition.formula.need
            telling = true[: max(1, enough)]
        else:
            telling = [one for one in rules if one not in true]
        return tuple(self._rule(rule, at, decided=False, whole=True, seen=seen) for at, rule in telling[:MOST_BECAUSE])

    def _workflow_notes(self, fact: str) -> tuple[str, ...]:
        """Which check a hidden fact is the result of."""
        check = next((check for check in self._run.case.checks if check.fact == fact), None)
        return () if check is None else (f"the result of the check {check.bucket}.{check.id}",)


def _references(run: CaseRunAgain) -> Iterator[ReferenceTold]:
    """References that are not resolved, or not verified."""
    lacking = run.frames["routing_refs"].filter(~pl.col("resolved") | ~pl.col("verified").fill_null(value=True))
    for row in lacking.iter_rows(named=True):
        yield ReferenceTold(
            **{key: row[key] for key in ("item", "item_id", "role", "channel", "ref", "resolved", "verified", "reason")}
        )
