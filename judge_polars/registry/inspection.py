"""What a suite would do, as plain data for `inspect` (specification 10, last paragraph of "Validation and lint")."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC
from typing import Any, Final

from judge_polars.errors import Finding, RegistryError
from judge_polars.registry.examination import Examined
from judge_polars.registry.lint import LINT_CODES
from judge_polars.registry.lint_world import LintCase, World
from judge_polars.rulebook import Baseline, Case, Check, Definition, DocumentRule, FactRule, Formula, Suite, Window
from judge_polars.vocabulary import BUCKETS, CRITICAL_EVIDENCE, WORD_LISTS

Record = dict[str, Any]

_NAMED: Final = ("facts", "channels", "concepts", "words")
"""What a later pack or a case replaces by naming it again."""


def inspection(examined: Examined, suite_id: str | None = None) -> Record:
    """One suite, or the whole registry: `registry`, `packs`, `replaced`, `suites`, `cases`, `findings` (of no shown case).

    Raises:
        RegistryError: the registry is invalid; findings of lint alone do not make it so.
    """
    errors = [one for one in examined.findings if one.severity == "error" and one.code not in LINT_CODES]
    if errors:
        raise RegistryError(examined.findings)
    world = examined.world
    suites = [suite for suite in world.book.suites if suite_id in (None, suite.id)]
    chosen = {case for suite in suites for case in suite.cases}
    cases = [case for case in world.cases if suite_id is None or case.name in chosen]
    records = [record for case in cases if (record := _case(case, world, examined.findings)) is not None]
    told = {str(finding) for record in records for finding in record["findings"]}
    return {
        "registry": world.book.root,
        "packs": [{"id": name, "version": version} for name, version, _ in world.book.packs],
        "replaced": list(_replaced_by_packs(world)),
        "suites": [_suite(suite, world) for suite in suites],
        "cases": [{**one, "findings": [_finding(finding) for finding in one["findings"]]} for one in records],
        "findings": [
            _finding(finding) for finding in examined.findings if suite_id is None and str(finding) not in told
        ],
    }


def _finding(finding: Finding) -> Record:
    names = ("file", "line", "column", "key", "code", "severity", "message")
    return {name: getattr(finding, name) for name in names}


def _suite(suite: Suite, world: World) -> Record:
    baseline = next((one for one in world.book.baselines if one.suite_id == suite.id), None)
    return {
        "id": suite.id,
        "version": suite.version,
        "title": suite.title,
        "status": suite.status,
        "trials": suite.trials,
        "concurrency": suite.concurrency,
        "aggregate": suite.aggregate,
        "baseline_eligible": suite.baseline_eligible,
        "cases": list(suite.cases),
        "baseline": None if baseline is None else _suite_baseline(suite, baseline),
    }


def _suite_baseline(suite: Suite, baseline: Baseline) -> Record:
    """`state`: `current`, or `other suite version`."""
    same = baseline.suite_version == suite.version
    return {
        "eval_run_id": baseline.eval_run_id,
        "promoted_at": baseline.promoted_at.astimezone(UTC),
        "suite_version": baseline.suite_version,
        "state": "current" if same else "other suite version",
        "cases_missing": sorted(set(suite.cases) - {one.case_id for one in baseline.cases}),
    }


def _case(one: LintCase, world: World, findings: Sequence[Finding]) -> Record | None:
    case = one.compiled
    if case is None:
        return None
    return {
        "id": case.id,
        "version": case.version,
        "title": case.title,
        "status": case.status,
        "tags": list(case.tags),
        "suites": [suite.id for suite in world.book.suites if case.id in suite.cases],
        "cluster_id": case.cluster_id,
        "window": {"start": case.window.start.astimezone(UTC), "end": case.window.end.astimezone(UTC)},
        "allowed": [_window(window) for window in case.allowed],
        "trials": case.trials,
        "timeout_seconds": case.timeout_us / 1e6,
        "digest": case.digest,
        "baselines": list(_case_baselines(case, world)),
        "buckets": list(_buckets(one, case)),
        "replaced": list(_replaced_by_case(one, world)),
        "ignored": dict(one.case.model.lint_ignore),
        "findings": [finding for finding in findings if finding.file.startswith(f"{one.directory}{os.sep}")],
    }


def _window(window: Window) -> Record:
    return {
        "start": window.start.astimezone(UTC),
        "end": window.end.astimezone(UTC),
        "match": window.match,
        "tolerance_seconds": window.tolerance_us / 1e6,
    }


def _case_baselines(case: Case, world: World) -> Iterator[Record]:
    """What each baseline remembers; `state`: `current`, `other version`, or `changed` under the same version."""
    for baseline in world.book.baselines:
        for entry in baseline.cases:
            if entry.case_id == case.id:
                changed = "current" if entry.case_digest == case.digest else "changed"
                yield {
                    "suite": baseline.suite_id,
                    "case_version": entry.case_version,
                    "verdict": entry.verdict,
                    "score": entry.score,
                    "max_score": entry.max_score,
                    "trials": entry.trials,
                    "passed_trials": entry.passed_trials,
                    "state": changed if entry.case_version == case.version else "other version",
                }


def _buckets(one: LintCase, case: Case) -> Iterator[Record]:
    """All buckets in order; one that is not configured comes from nowhere and has no checks."""
    scores = {bucket.name: bucket for bucket in case.buckets}
    for name in BUCKETS:
        bucket = scores.get(name)
        configured = one.buckets.get(name)
        yield {
            "bucket": name,
            "from": None
            if configured is None
            else "judge_defaults"
            if configured.loc[0] == "judge_defaults"
            else "case",
            "removed": one.judge is not None and one.judge.model.judge.removes(name),
            "max_score": bucket.max_score if bucket else None,
            "hard_max_score": bucket.hard_max_score if bucket else None,
            "supporting_weight": bucket.supporting_weight if bucket else None,
            "checks": [_check(check, one.definitions) for check in case.checks if check.bucket == name],
        }


def _check(check: Check, definitions: Mapping[str, Definition]) -> Record:
    """`required` is null where it has no meaning.

    `facts` are those that its rules name, `through` those that they are built on; `documents` are of its own rules.
    """
    facts = _facts(check.formula)
    return {
        "id": check.id,
        "layer": check.layer,
        "required": None if check.layer or check.bucket == CRITICAL_EVIDENCE else check.required,
        "weight": check.weight,
        "need": check.formula.need,
        "rules": len(check.formula.rules),
        "facts": facts,
        "through": list(_through(facts, definitions, {})),
        "documents": list(dict.fromkeys(_documents(check.formula))),
    }


def _facts(formula: Formula) -> list[str]:
    return list(dict.fromkeys(rule.fact for rule in formula.rules if isinstance(rule, FactRule)))


def _through(facts: Sequence[str], definitions: Mapping[str, Definition], found: dict[str, None]) -> dict[str, None]:
    """Facts that facts are built on, at any depth, added to those that are found already."""
    for fact in facts:
        below = _facts(definitions[fact].formula) if fact in definitions else []
        new = [name for name in below if name not in found]
        found.update(dict.fromkeys(new))
        _through(new, definitions, found)
    return found


def _documents(formula: Formula) -> Iterator[str]:
    """`selector: method` of the document rules."""
    for rule in formula.rules:
        if isinstance(rule, DocumentRule):
            yield f"{rule.selector.artifact or rule.selector.name}: {rule.method}"


def _replaced_by_packs(world: World) -> Iterator[Record]:
    """What a later pack names again: `kind`, `name`, `of`, `by`."""
    holders: dict[tuple[str, str], str] = {}
    for pack in world.contents.packs:
        by = f"pack {pack.model.id}"
        for kind in _NAMED:
            for name in _names(pack.model, kind):
                if (kind, name) in holders:
                    yield {"kind": kind, "name": name, "of": holders[kind, name], "by": by}
                holders[kind, name] = by


def _replaced_by_case(one: LintCase, world: World) -> Iterator[Record]:
    """What a case names again of its packs."""
    if one.judge is None:
        return
    for kind in ("facts", "words"):
        for name in _names(one.judge.model, kind):
            packs = [pack.model.id for pack in world.contents.packs if name in _names(pack.model, kind)]
            if packs:
                yield {"kind": kind, "name": name, "of": f"pack {packs[-1]}", "by": f"case {one.name}"}


def _names(model: Any, kind: str) -> list[str]:
    if kind == "words":
        return [name for name in WORD_LISTS if getattr(model.words, name) is not None]
    held = getattr(model, kind)
    return [fact.name for fact in held] if kind == "facts" else list(held)
