"""The registry's files as a `RuleBook` (rulebook.py), with every reference between them checked (specification 10)."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from judge_polars.errors import Finding
from judge_polars.registry.baseline import BaselineFile
from judge_polars.registry.case import CaseFile
from judge_polars.registry.compile_checks import CheckContext, Configured, compile_checks
from judge_polars.registry.compile_facts import Domain, case_definitions, compile_domain
from judge_polars.registry.compile_rules import Place
from judge_polars.registry.contents import CaseFiles, Contents, Read
from judge_polars.registry.fact_names import Facts
from judge_polars.registry.policy import DEFAULT_PROGRESSED, Judge, JudgeFile
from judge_polars.registry.registry_file import RegistryFile
from judge_polars.registry.source import Loc
from judge_polars.registry.suggestions import listed, nearest
from judge_polars.registry.suite import SuiteFile
from judge_polars.registry.values import Model, duration_us, timestamp
from judge_polars.rulebook import Baseline, BaselineCase, Case, Limits, RuleBook, Suite, Window
from judge_polars.vocabulary import ARTIFACT_SYNONYMS, ARTIFACTS, BUCKETS, DEFAULT_CAUSES, DEFAULT_LAYOUT, DIAGNOSIS

_FOLLOWS_FROM_LOST_NAMES: Final = frozenset(("unknown_fact", "unknown_check", "unknown_channel", "unknown_concept"))
"""Findings that say nothing while names are unknown because of other errors."""


def compile_registry(contents: Contents) -> tuple[RuleBook, list[Finding]]:
    """The rule book and what was found on the way; the book is whole only when no finding is an error."""
    findings: list[Finding] = []
    layout = _layout(contents.registry, findings)
    domain = compile_domain(contents.packs, layout["evidence_dir"][0], findings)
    cases = [
        case
        for name, files in contents.cases.items()
        if (case := _case(name, files, contents, domain, findings)) is not None
    ]
    suites = [_suite(name, suite, contents.cases, findings) for name, suite in contents.suites.items() if suite]
    baselines = [_baseline(name, one, contents.suites, findings) for name, one in contents.baselines.items() if one]
    _unused_defaults(contents, domain, findings)
    _distinct_cases(contents.cases, findings)
    if not contents.names_kept:
        findings = [finding for finding in findings if finding.code not in _FOLLOWS_FROM_LOST_NAMES]
    causes = DEFAULT_CAUSES | contents.registry.model.causes
    packs = tuple((pack.model.id, pack.model.version, digest(dumped(pack.model))) for pack in contents.packs)
    limits = Limits(**contents.registry.model.limits.model_dump())
    depends_on = {
        "cases": {case.id: case.digest for case in cases},
        "suites": {suite.id: suite.digest for suite in suites},
        "packs": packs,
        "layout": layout,
        "causes": causes,
        "document_bytes": limits.document_bytes,
        "case_run_bytes": limits.case_run_bytes,
        "output_bytes": limits.output_bytes,
    }
    book = RuleBook(
        contents.root,
        tuple(sorted(cases, key=lambda case: case.id)),
        tuple(suites),
        tuple(baselines),
        layout,
        causes,
        packs,
        digest(depends_on),
        limits,
    )
    return book, list(dict.fromkeys(findings))


def dumped(model: Model) -> dict[str, Any]:
    """A model as plain data, what has its default left out."""
    return model.model_dump(by_alias=True, exclude_defaults=True, warnings=False)


def digest(value: object) -> str:
    """`sha256:` over canonical JSON: sorted keys, no white space, UTF-8."""
    text = json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, default=str)
    return f"sha256:{hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest()}"


def _layout(registry: Read[RegistryFile], findings: list[Finding]) -> dict[str, tuple[str, ...]]:
    """Artifact -> names tried in order, defaults filled in."""
    place = Place(registry.source, findings)
    layout = dict(DEFAULT_LAYOUT)
    seen: set[str] = set()
    for key, names in registry.model.layout.items():
        artifact = ARTIFACT_SYNONYMS.get(key, key)
        loc: Loc = ("layout", key)
        if artifact not in ARTIFACTS:
            known = (*ARTIFACTS, *ARTIFACT_SYNONYMS)
            message = f"`{key}` is no artifact{nearest(key, known)}; artifacts are {listed(known)}"
            place.error(loc, "unknown_artifact", message, key=True)
        elif artifact in seen:
            place.error(loc, "duplicate_id", f"`{key}` is the artifact `{artifact}`, which is already there", key=True)
        elif not names:
            place.error(loc, "empty_list", "the list is empty; name a file, or leave the artifact out")
        elif artifact == "evidence_dir" and len(names) != 1:
            place.error(loc, "out_of_range", "the evidence directory has exactly one name; keep one")
        elif odd := next((name for name in names if "*" in name or "?" in name), None):
            place.error(loc, "invalid_file", f"`{odd}` is a glob; the layout has plain names")
        else:
            layout[artifact] = tuple(names)
        seen.add(artifact)
    return layout


def _case(name: str, files: CaseFiles, contents: Contents, domain: Domain, findings: list[Finding]) -> Case | None:
    """One case, or None when a file of it cannot be used at all."""
    if files.case:
        _same_id(files.case, "id", files.case.model.id, name, "directory", findings)
    if files.judge is None:
        return None
    policy = files.judge.model
    place = Place(files.judge.source, findings)
    _same_id(files.judge, "case_id", policy.case_id, name, "directory", findings)
    definitions, facts, words = case_definitions(domain, policy.facts, policy.words, place, name)
    buckets = configured_buckets(files.judge, contents.registry, findings)
    before = len(findings)
    checks = compile_checks(buckets, CheckContext(domain, facts, words))
    if files.judge.whole:
        _semantic_checks(buckets, findings)
    if not files.judge.names_kept:
        findings[before:] = [finding for finding in findings[before:] if finding.code not in _FOLLOWS_FROM_LOST_NAMES]
    if files.case is None:
        return None
    case = files.case.model
    window = Window(timestamp(case.time_window.start), timestamp(case.time_window.end))
    return Case(
        id=case.id,
        version=case.version,
        title=case.title,
        status=case.status,
        tags=tuple(case.tags),
        cluster_id=case.environment.cluster_id,
        window=window,
        allowed=_allowed(case, window),
        trials=case.execution.trials,
        timeout_us=duration_us(case.execution.timeout) or 0,
        definitions=definitions,
        progressed_any_of=_progressed(buckets, facts),
        buckets=tuple(bucket.bucket() for bucket in buckets.values()),
        checks=checks,
        digest=case_digest(case, policy, buckets),
        reference_run=policy.reference_run,
        semantic_checks=_semantic(buckets),
    )


def _allowed(case: CaseFile, window: Window) -> tuple[Window, ...]:
    if case.time_window.allowed is None:
        return (window,)
    return tuple(
        Window(timestamp(one.start), timestamp(one.end), one.match, duration_us(one.tolerance) or 0)
        for one in case.time_window.allowed
    )


def configured_buckets(
    judge: Read[JudgeFile], registry: Read[RegistryFile], findings: list[Finding]
) -> dict[str, Configured]:
    """The buckets of a case, in bucket order: its own, else the default of all cases unless it is removed."""
    buckets: dict[str, Configured] = {}
    for name in BUCKETS:
        own = getattr(judge.model.judge, name)
        default = getattr(registry.model.judge_defaults, name)
        if own is not None:
            buckets[name] = Configured(name, own, Place(judge.source, findings), ("judge", name))
        elif default is not None and not judge.model.judge.removes(name):
            buckets[name] = Configured(name, default, Place(registry.source, findings), ("judge_defaults", name))
    return buckets


def case_digest(case: CaseFile, policy: JudgeFile, buckets: Mapping[str, Configured]) -> str:
    """Over the merged, normalised case and judge files; `lint_ignore` means nothing to the judge and stays out."""
    own = dumped(case)
    own.pop("lint_ignore", None)
    merged = dumped(policy) | {"judge": {name: dumped(bucket.model) for name, bucket in buckets.items()}}
    return digest({"case": own, "judge": merged})


def _progressed(buckets: Mapping[str, Configured], facts: Facts) -> tuple[str, ...]:
    """Full names of `progressed_any_of`; one that nobody defines counts as false, which is told of unusual names."""
    workflow = buckets.get("workflow")
    if workflow is None:
        return ()
    names: list[str] = []
    known = [name for name in facts.types if name.startswith("workflow.")]
    for index, written in enumerate(workflow.model.progressed_any_of):
        name = written if "." in written else f"workflow.{written}"
        loc = (*workflow.loc, "progressed_any_of", index)
        if not name.startswith("workflow."):
            message = f"`{written}` is no workflow fact; known are {listed(sorted(known), 8)}"
            workflow.place.error(loc, "bucket_isolation", message)
        elif name not in facts.types and written not in DEFAULT_PROGRESSED:
            message = f"nobody defines `{name}`{nearest(name, known)}; it counts as false"
            workflow.place.warning(loc, "unknown_fact", message)
        names.append(name)
    return tuple(name for name in names if name in facts.types)


def _semantic(buckets: Mapping[str, Configured]) -> tuple[Mapping[str, object], ...]:
    diagnosis = buckets.get(DIAGNOSIS)
    return tuple(dumped(check) for check in diagnosis.model.semantic_checks) if diagnosis else ()


def _semantic_checks(buckets: Mapping[str, Configured], findings: list[Finding]) -> None:
    """Errors in `semantic_checks`: ids taken twice, `shadows` that names no check."""
    diagnosis = buckets.get(DIAGNOSIS)
    if diagnosis is None:
        return
    known = list(_check_ids(buckets))
    seen: set[str] = set()
    for index, check in enumerate(diagnosis.model.semantic_checks):
        loc = (*diagnosis.loc, "semantic_checks", index)
        if check.id in seen:
            message = f"the id `{check.id}` is already taken in this list; choose another one"
            diagnosis.place.error((*loc, "id"), "duplicate_id", message)
        seen.add(check.id)
        if check.shadows is not None and check.shadows not in known:
            message = f"there is no check `{check.shadows}`{nearest(check.shadows, known)}; known are {listed(known)}"
            diagnosis.place.error((*loc, "shadows"), "unknown_check", message)


def _check_ids(buckets: Mapping[str, Configured]) -> Iterator[str]:
    for bucket in buckets.values():
        for _, _, checks in bucket.lists():
            yield from (check.id for check in checks)


def _unused_defaults(contents: Contents, domain: Domain, findings: list[Finding]) -> None:
    """Default buckets that no case takes are checked too."""
    judges = [files.judge.model.judge for files in contents.cases.values() if files.judge]
    taken = {name for name in BUCKETS for judge in judges if getattr(judge, name) is None and not judge.removes(name)}
    nothing = Read(JudgeFile(schema_version=1, case_id="defaults", judge=Judge()), contents.registry.source)
    buckets = configured_buckets(nothing, contents.registry, findings)
    left = {name: bucket for name, bucket in buckets.items() if name not in taken}
    compile_checks(left, CheckContext(domain, domain.facts, domain.words))


def _distinct_cases(cases: Mapping[str, CaseFiles], findings: list[Finding]) -> None:
    """No two directories hold a case of the same id."""
    seen: dict[str, str] = {}
    for name, files in cases.items():
        if files.case is None:
            continue
        other = seen.setdefault(files.case.model.id, name)
        if other != name:
            message = f"the case in directory `{other}` has this id too; give one of them another id"
            findings.append(files.case.source.finding(("id",), "duplicate_id", message))


def _same_id(read: Read[Any], key: str, value: str, name: str, what: str, findings: list[Finding]) -> None:
    if value != name:
        message = f"found `{value}`, but the {what} is called `{name}`; they must be equal: rename one of them"
        findings.append(read.source.finding((key,), "id_mismatch", message))


def _suite(name: str, read: Read[SuiteFile], cases: Mapping[str, CaseFiles], findings: list[Finding]) -> Suite:
    suite = read.model
    _same_id(read, "id", suite.id, name, "file", findings)
    for index, case_id in enumerate(suite.cases):
        files = cases.get(case_id)
        if files is None:
            message = f"there is no case `{case_id}`{nearest(case_id, cases)}; known are {listed(cases)}"
            findings.append(read.source.finding(("cases", index), "unknown_case", message))
        elif files.case and files.case.model.status == "inactive":
            message = f"the case `{case_id}` is inactive; remove it here, or make it active"
            findings.append(read.source.finding(("cases", index), "inactive_case", message))
    policy = suite.execution_policy
    return Suite(
        suite.id,
        suite.version,
        suite.title,
        suite.status,
        suite.baseline_eligible,
        tuple(suite.cases),
        policy.trials,
        policy.concurrency,
        policy.aggregate,
        digest(dumped(suite)),
    )


def _baseline(
    name: str, read: Read[BaselineFile], suites: Mapping[str, Read[SuiteFile] | None], findings: list[Finding]
) -> Baseline:
    baseline = read.model
    _same_id(read, "suite_id", baseline.suite_id, name, "file", findings)
    if baseline.suite_id not in suites:
        message = (
            f"there is no suite `{baseline.suite_id}`{nearest(baseline.suite_id, suites)}; known are {listed(suites)}"
        )
        findings.append(read.source.finding(("suite_id",), "unknown_suite", message))
    return Baseline(
        baseline.suite_id,
        baseline.suite_version,
        baseline.eval_run_id,
        baseline.judgment_id,
        timestamp(baseline.promoted_at),
        baseline.created_by,
        baseline.notes,
        tuple(
            BaselineCase(
                case_id,
                entry.case_version,
                entry.case_digest,
                entry.verdict,
                entry.primary_failure_code,
                entry.score,
                entry.max_score,
                entry.trials,
                entry.passed_trials,
                tuple((bucket, entry.buckets[bucket]) for bucket in BUCKETS if bucket in entry.buckets),
            )
            for case_id, entry in baseline.cases.items()
        ),
    )
