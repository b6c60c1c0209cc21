"""From a judgment to the explanation of its case runs."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

import polars as pl

from judge_polars.book_tables import rule_text
from judge_polars.bundles import CaseRunPlace
from judge_polars.errors import InputError, UsageError
from judge_polars.explain.clean import without_secrets
from judge_polars.explain.documents import Asked, document_findings
from judge_polars.explain.model import (
    BucketTold,
    CandidateTold,
    CheckTold,
    Explanation,
    Findings,
    IssueTold,
    ReferenceTold,
    RuleTold,
)
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.on_facts import fact_notes
from judge_polars.explain.remedies import what_to_change
from judge_polars.explain.run import CaseRunAgain, read_again
from judge_polars.history.recall import Recalled, places_of_runs
from judge_polars.judgment import Judgment
from judge_polars.precedence import deciding_words, precedence_by_code
from judge_polars.rulebook import Case, Check, Definition, DocumentRule, Rule

MOST_BECAUSE: Final = 6
MOST_TOGETHER: Final = 16
"""Case runs that are looked at together."""
Row = Mapping[str, Any]
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
    return next(explain_each(judgment, [case_run_id]))


def explain_each(
    judgment: Judgment, case_run_ids: Sequence[str], *, only_failed: bool = False
) -> Iterator[Explanation]:
    """Case runs of a judgment explained, case by case; those of a case are read and looked at together.

    Args:
        only_failed: leave out checks that passed.

    Raises:
        UsageError: the judgment has no such case run; the nearest ones are named.
        InputError: the judgment does not know where its runs lie.
    """
    origin = judgment.origin
    if origin is None:
        raise InputError("this judgment does not know where its runs lie: judge the runs again")
    wanted = pl.DataFrame({"case_run_id": list(case_run_ids)}, schema={"case_run_id": pl.String})
    known = _Judged(judgment, wanted, only_failed=only_failed)
    recorded = None if origin.record is None else Recalled(origin.record, places_of_runs(origin.record))
    by_case: dict[str, list[CaseRunPlace]] = {}
    for key in case_run_ids:
        place = known.place(key)
        by_case.setdefault(place.case_id, []).append(place)
    for case_id, places in by_case.items():
        case = origin.book.case(case_id)
        assert case is not None
        runs = zip(read_again(origin.book, case, places, origin.workspaces_root, recorded), places, strict=True)
        while some := list(islice(runs, MOST_TOGETHER)):
            yield from known.explained(case, some)


class _Judged:
    """What a judgment says of some of its case runs, `wanted` (`case_run_id`)."""

    def __init__(self, judgment: Judgment, wanted: pl.DataFrame, *, only_failed: bool) -> None:
        assert judgment.origin is not None
        self._judgment = judgment
        judged = set(judgment.frames["case_runs"]["case_run_id"])
        self._places = {
            place.case_run_id: place for place in judgment.origin.found.places if place.case_run_id in judged
        }
        checks = judgment.checks.filter(~pl.col("passed")) if only_failed else judgment.checks
        self._verdicts = _by_case_run(judgment.verdicts, wanted)
        self._bundles = _by_case_run(judgment.frames["bundles"], wanted)
        self._checks = _by_case_run(checks, wanted)
        self._buckets = _by_case_run(judgment.buckets, wanted)
        self._issues = _by_case_run(judgment.issues, wanted)
        self._precedence = precedence_by_code(judgment)

    def place(self, case_run_id: str) -> CaseRunPlace:
        """Where a case run lies."""
        if case_run_id in self._judgment.unknown:
            raise UsageError(f"{case_run_id} is not judged: the registry does not know its case")
        if case_run_id not in self._places:
            raise unknown_case_run(case_run_id, self._places)
        return self._places[case_run_id]

    def explained(self, case: Case, runs: Sequence[tuple[CaseRunAgain, CaseRunPlace]]) -> Iterator[Explanation]:
        """Case runs of a case."""
        checks = [self._checks.get(place.case_run_id, ()) for _, place in runs]
        tellers = [_Teller(run) for run, _ in runs]
        wanted: dict[DocumentRule, list[_Teller]] = {}
        for teller, rows in zip(tellers, checks, strict=True):
            for rule in teller.wanted(rows):
                wanted.setdefault(rule, []).append(teller)
        for rule, askers in wanted.items():
            findings = document_findings(rule, [teller.asked(rule) for teller in askers])
            for teller, found in zip(askers, findings, strict=True):
                teller.learn(rule, found)
        for (run, place), teller, rows in zip(runs, tellers, checks, strict=True):
            yield self._explanation(case, run, place, tuple(teller.checks(rows)))

    def _explanation(
        self, case: Case, run: CaseRunAgain, place: CaseRunPlace, checks: tuple[CheckTold, ...]
    ) -> Explanation:
        key = place.case_run_id
        [verdict], [bundle] = self._verdicts[key], self._bundles[key]
        judged = self._judgment.frames["judgments"].row(0, named=True)
        explanation = Explanation(
            **{
                name: verdict[name]
                for name in ("case_run_id", "eval_run_id", "case_id", "trial", "case_version", "verdict", "cause")
            },
            **{name: verdict[name] for name in ("primary_failure_code", "score", "max_score", "score_pct")},
            failure_codes=tuple(verdict["failure_codes"]),
            case_title=case.title,
            deciding=deciding_words(self._precedence[verdict["primary_failure_code"]]),
            run={name: verdict[name] for name in _RUN},
            bundle_status=bundle["status"],
            bundle=bundle["root"],
            candidates=tuple(
                CandidateTold(one["root"], one["root"] == bundle["root"], tuple(one["reasons"]))
                for one in json.loads(bundle["candidates"])
            ),
            buckets=tuple(
                BucketTold(row["bucket"], bool(row["configured"]), row["status"], row["score"], row["max_score"])
                for row in self._buckets.get(key, ())
            ),
            checks=checks,
            references=tuple(_references(run)),
            issues=tuple(IssueTold(row["code"], row["document"], row["detail"]) for row in self._issues.get(key, ())),
            to_pass=(),
            reproduce={
                name: judged[name] for name in ("judgment_id", "registry_digest", "engine_version", "semantics_version")
            }
            | {"case_digest": case.digest, "bundle_digest": verdict["bundle_digest"], "directory": place.path},
        )
        clean = without_secrets(explanation)
        return replace(clean, to_pass=what_to_change(clean))


def _by_case_run(rows: pl.DataFrame, wanted: pl.DataFrame) -> dict[str, list[Row]]:
    found: dict[str, list[Row]] = {}
    for row in rows.join(wanted, on="case_run_id", how="semi", maintain_order="left").iter_rows(named=True):
        found.setdefault(row["case_run_id"], []).append(row)
    return found


def unknown_case_run(case_run_id: str, known: Mapping[str, object]) -> UsageError:
    """The error for a case run id that nothing has, with the nearest ones."""
    near = listed(nearest_first(case_run_id, known), 4)
    return UsageError(f"no case run {case_run_id!r}: wanted is <eval_run_id>/<case_id>/<trial>; nearest: {near}")


class _Teller:
    """Tells checks with their rules; the results are the judgment's, what a rule found has to be learnt."""

    def __init__(self, run: CaseRunAgain) -> None:
        self._run = run
        self._findings: dict[DocumentRule, Findings] = {}
        self._lacking: dict[DocumentRule, None] = {}

    def wanted(self, rows: Sequence[Row]) -> tuple[DocumentRule, ...]:
        """The rules of which it must be known what they found, to tell the checks."""
        self._lacking.clear()
        for _ in self.checks(rows):
            pass
        return tuple(self._lacking)

    def asked(self, rule: DocumentRule) -> Asked:
        """What a rule gave."""
        return Asked(self._run, *self._run.results.get(rule, (False, None)))

    def learn(self, rule: DocumentRule, findings: Findings) -> None:
        """What a rule found."""
        self._findings[rule] = findings

    def checks(self, rows: Sequence[Row]) -> Iterator[CheckTold]:
        """The checks of the case that were judged; `rows` are those of `check_results`."""
        outcomes = {(row["bucket"], row["layer"], row["check_id"]): row for row in rows}
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
            sightings, notes = self._found(rule)
            return replace(told, sightings=sightings, notes=notes)
        if rule.fact.startswith("check."):
            return replace(told, notes=self._workflow_notes(rule.fact))
        definition = run.definitions.get(rule.fact)
        because = () if definition is None or rule.fact in seen else self._because(definition, seen | {rule.fact})
        return replace(told, notes=fact_notes(run, rule), because=because)

    def _found(self, rule: DocumentRule) -> Findings:
        if rule not in self._findings:
            self._lacking[rule] = None
        return self._findings.get(rule, ((), ()))

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
