"""From runs and a registry to the lines of `judge --format jsonl --facts --issues` (70-interface)."""

import sys
from pathlib import Path
from typing import Any

from tests.plain.assertions import clauses_of, find, words_of
from tests.plain.buckets import buckets_of, checks_of
from tests.plain.bundles import ARTIFACTS, Bundle, candidates_of, choose, issues_of_candidates, read_bundle
from tests.plain.comparisons import Value
from tests.plain.documents import Document, Issue
from tests.plain.evidence import channel_facts, core_facts, evidence_of
from tests.plain.loading import Case, Registry, load_registry
from tests.plain.routing import fact_names, routing_facts
from tests.plain.rules import why_false
from tests.plain.runs import CaseRun, case_runs_below, check_version, output_of
from tests.plain.scene import Rule, Scene
from tests.plain.times import Instant
from tests.plain.trace import artifact_facts, cluster_facts, matches_case, window_facts
from tests.plain.verdicts import Verdict, cause_of, invalid, verdict_of

READABLE = ("window", "cluster", "workflow", "artifacts", "evidence")


def judge(runs: Path, registry: Path) -> list[dict[str, Any]]:
    """One object per case run of a known case, in the order of eval run id, case id, trial number."""
    loaded = load_registry(registry)
    lines = []
    for case_run in case_runs_below(runs):
        if case_run.case_id in loaded.cases:
            lines.append(judge_case_run(case_run, loaded))
        else:
            sys.stderr.write(f"unknown_case: {case_run.case_run_id}\n")
    return lines


def judge_case_run(case_run: CaseRun, registry: Registry) -> dict[str, Any]:
    """The whole route of one case run."""
    scene, code, issues = look_at(case_run, registry)
    cause = cause_of(case_run, registry.causes)
    if cause in ("environment", "provider") and not (scene.output and scene.output.has_text):
        code = "environment_failed"
    checks = [] if code else checks_of(scene)
    buckets = {} if code else buckets_of(scene, checks)
    verdict = invalid(code) if code else verdict_of(buckets)
    return {
        **head_of(case_run, scene.case, verdict, cause),
        "buckets": {name: bucket.as_json() for name, bucket in buckets.items()},
        "checks": [check.as_json() for check in checks],
        "facts": {name: as_json(value) for name, value in sorted(scene.facts.items())},
        "issues": [issue.as_json() for issue in sorted(issues)],
    }


def look_at(case_run: CaseRun, registry: Registry) -> tuple[Scene, str, list[Issue]]:
    """Documents and facts of a case run, the failure code where it has no bundle, and its issues."""
    case = registry.cases[case_run.case_id]
    check_version(case_run, registry)
    output = output_of(case_run, registry)
    candidates = candidates_of(case_run, registry)
    chosen, code = choose(candidates, registry, lambda found: matches_case(found, case))
    bundle = read_bundle(chosen, candidates, case_run, registry, output) if chosen else None
    issues = [*case_run.issues, *issues_of_candidates(candidates), *(output.issues if output else [])]
    if bundle is not None:
        issues += [issue for document in bundle.documents.values() for issue in document.issues]
    scene = Scene(case, bundle, output, words_of(case.words))
    learn_facts(scene, issues)
    return scene, code, issues


def head_of(case_run: CaseRun, case: Case, verdict: Verdict, cause: str | None) -> dict[str, Any]:
    """The part of a line before the buckets."""
    return {
        "case_run_id": case_run.case_run_id,
        "eval_run_id": case_run.eval_run_id,
        "case_id": case_run.case_id,
        "trial": case_run.trial,
        "case_version": case.version,
        "verdict": verdict.verdict,
        "cause": None if verdict.verdict == "pass" else cause,
        "primary_failure_code": verdict.codes[0] if verdict.codes else None,
        "failure_codes": verdict.codes,
        "score": verdict.score,
        "max_score": verdict.max_score,
        "score_pct": verdict.score_pct,
    }


def as_json(value: Value) -> bool | int | float | str | None:
    """A fact as it is printed."""
    return str(value) if isinstance(value, Instant) else value


def learn_facts(scene: Scene, issues: list[Issue]) -> None:
    """All facts, built-in ones first, then the definitions in their order (30-facts)."""
    if scene.bundle is not None:
        learn_built_in_facts(scene, scene.bundle, issues)
    else:
        scene.facts |= dict.fromkeys(built_in_names(scene.case))
    has_output = scene.output is not None and scene.output.has_text
    scene.facts["output.claimed_causes"] = claimed_causes(scene, scene.output) if scene.output and has_output else None
    for name, definition in scene.case.facts.items():
        of_output = name.startswith("output.")
        known = has_output if of_output else scene.bundle is not None
        families = ("output",) if of_output else READABLE
        scene.facts[name] = holds(definition, scene, families) if known else None


def learn_built_in_facts(scene: Scene, bundle: Bundle, issues: list[Issue]) -> None:
    """The families `window`, `cluster`, `artifacts`, `routing`, and the built-in part of `evidence`."""
    scene.facts |= window_facts(bundle.manifest, bundle.report, scene.case, issues)
    scene.facts |= cluster_facts(bundle.manifest, bundle.report, scene.case, issues)
    scene.facts |= artifact_facts(bundle)
    channels = channel_facts(scene)
    scene.facts |= channels
    scene.facts |= core_facts(bundle, channels)
    scene.facts |= routing_facts(bundle, evidence_of(bundle), scene.facts)


def built_in_names(case: Case) -> list[str]:
    """The names of the built-in facts, which are all null without a bundle (30-facts)."""
    window = [f"window.{name}" for name in ("start", "end", "source", "present", "matched_allowed_window")]
    cluster = [f"cluster.{name}" for name in ("id", "source", "matched")]
    artifacts = [f"artifacts.{artifact}_present" for artifact in ARTIFACTS]
    suffixes = ("channel_observed", "collection_attempted", "output_file_present", "attempted_implies_artifact_present")
    channels = [f"evidence.{channel}_{suffix}" for channel in case.channels for suffix in suffixes]
    core = ("core_evidence_bundle_present", "query_or_metric_channel_observed", "collection_error_count")
    return [*window, *cluster, *artifacts, *channels, *(f"evidence.{name}" for name in core), *fact_names()]


def holds(definition: Rule, scene: Scene, families: tuple[str, ...]) -> bool:
    """Whether a definition's rules hold (30-facts)."""
    if "all_of" in definition:
        return all(why_false(rule, scene, families) is None for rule in definition["all_of"])
    return any(why_false(rule, scene, families) is None for rule in definition["any_of"])


def claimed_causes(scene: Scene, output: Document) -> int:
    """How many of the packs' causes the answer claims (30-facts, Output facts)."""
    clauses = clauses_of(output.text or "", scene.words)
    patterns = [scene.case.concepts[concept] for concept in scene.case.causes_of_answers]
    return sum(any(find(one, clauses, {}, scene.words).claimed for one in of_concept) for of_concept in patterns)
