"""Buckets and checks: what each bucket may read, and the rules of the well-known checks (specification 10)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from judge_polars.registry.compile_facts import Domain
from judge_polars.registry.compile_rules import TRUE, Context, Place, compile_formula, compile_selector
from judge_polars.registry.fact_names import Facts, Scope, channel_facts
from judge_polars.registry.policy import Check as CheckModel
from judge_polars.registry.policy import HardCheck
from judge_polars.registry.source import Loc
from judge_polars.registry.suggestions import listed, nearest
from judge_polars.rulebook import Bucket, Check, DocumentRule, FactRule, Formula, Rule, WordLists
from judge_polars.vocabulary import (
    BUCKETS,
    CONTRACT,
    CRITICAL_EVIDENCE,
    DIAGNOSIS,
    EVIDENCE_COLLECTION,
    EVIDENCE_ROUTING,
    EXECUTION_CONTRACT,
    HARD,
    SUPPORTING,
    WORKFLOW,
)

_TEXT_AND_JSON: Final = ("keyword_", "regex_", "asserted_", "claimed_", "denied_", "json_")
BUCKET_SCOPES: Final[Mapping[str, Scope]] = {
    CONTRACT: Scope("the contract bucket", ("window", "cluster")),
    WORKFLOW: Scope("the workflow bucket", ("workflow",)),
    EXECUTION_CONTRACT: Scope("the execution_contract bucket", ("workflow", "artifacts", "evidence")),
    EVIDENCE_COLLECTION: Scope("the evidence_collection bucket", ("artifacts", "evidence")),
    CRITICAL_EVIDENCE: Scope("the critical_evidence bucket", ("evidence",), documents="evidence", defined_only=True),
    EVIDENCE_ROUTING: Scope("the evidence_routing bucket", ("routing",)),
    DIAGNOSIS: Scope("the diagnosis bucket", ("output",), documents="output", document_methods=_TEXT_AND_JSON),
}
"""Bucket -> what its rules may read."""

WORKFLOW_PRESENT: Final = "required_workflow_present"
ARTIFACTS_PRESENT: Final = "required_artifacts_present"
MINIMUM_OBSERVED: Final = "preferred_channels_minimum_observed"
ALL_OBSERVED: Final = "preferred_channels_all_observed"
EVENTS_PERSISTED: Final = "attempted_events_collection_persisted"
_EVENTS_FACT: Final = "evidence.events_attempted_implies_artifact_present"

WELL_KNOWN_FACTS: Final[Mapping[str, Mapping[str, str]]] = {
    CONTRACT: {"time_window_match": "window.matched_allowed_window", "cluster_scope_match": "cluster.matched"},
    EVIDENCE_COLLECTION: {EVENTS_PERSISTED: _EVENTS_FACT},
    EVIDENCE_ROUTING: {
        name: f"routing.analysis_{name}"
        for name in (
            "patch_present",
            "patch_json_valid",
            "items_shape_valid",
            "key_evidence_present",
            "supporting_evidence_present",
            "metric_refs_resolvable",
            "query_refs_resolvable",
            "log_refs_resolvable",
            "event_refs_resolvable",
        )
    },
}
"""Bucket -> check -> the fact that it is."""
WELL_KNOWN_PARAMETERS: Final[Mapping[str, tuple[str, ...]]] = {
    EXECUTION_CONTRACT: (WORKFLOW_PRESENT, ARTIFACTS_PRESENT, MINIMUM_OBSERVED, ALL_OBSERVED),
    EVIDENCE_COLLECTION: (ARTIFACTS_PRESENT, MINIMUM_OBSERVED, ALL_OBSERVED),
}
"""Bucket -> checks that read the bucket's parameters."""
OPTIONAL_CHECKS: Final = {
    EXECUTION_CONTRACT: (ALL_OBSERVED,),
    EVIDENCE_COLLECTION: (ALL_OBSERVED, EVENTS_PERSISTED),
}
"""Bucket -> well-known checks whose `required` is false by default."""


def well_known(bucket: str, facts: Facts) -> tuple[str, ...]:
    """The checks of a bucket that need no rules of their own."""
    workflow = (name.removeprefix("workflow.") for name in sorted(facts.types) if name.startswith("workflow."))
    milestones = tuple(workflow) if bucket == WORKFLOW else ()
    return (*WELL_KNOWN_PARAMETERS.get(bucket, ()), *WELL_KNOWN_FACTS.get(bucket, {}), *milestones)


@dataclass(frozen=True)
class Configured:
    """A configured bucket of a case, and where it stands (its own file or `judge_defaults`)."""

    name: str
    model: Any
    place: Place
    loc: Loc

    def lists(self) -> Iterator[tuple[str | None, str, Sequence[HardCheck]]]:
        """(layer, key, checks) of its lists."""
        if self.name == DIAGNOSIS:
            yield HARD, "hard_checks", self.model.hard_checks
            yield SUPPORTING, "supporting_checks", self.model.supporting_checks
        else:
            yield None, "checks", self.model.checks

    def bucket(self) -> Bucket:
        """The bucket with its scores."""
        scores = (getattr(self.model, name, None) for name in ("max_score", "hard_max_score", "supporting_weight"))
        return Bucket(self.name, *scores)


@dataclass(frozen=True)
class CheckContext:
    """What the checks of a case are compiled against."""

    domain: Domain
    facts: Facts
    words: WordLists


def compile_checks(buckets: Mapping[str, Configured], context: CheckContext) -> tuple[Check, ...]:
    """All checks of a case in bucket order, hard before supporting, then file order."""
    checks: list[Check] = []
    for name in BUCKETS:
        if name in buckets:
            checks += _bucket_checks(buckets[name], buckets, context)
    return tuple(checks)


def _bucket_checks(bucket: Configured, buckets: Mapping[str, Configured], context: CheckContext) -> Iterator[Check]:
    domain = context.domain
    reading = Context(BUCKET_SCOPES[bucket.name], context.facts, domain.concepts, context.words, bucket.place)
    check_parameters(bucket, domain.channels)
    for layer, key, models in bucket.lists():
        for index, model in enumerate(models):
            loc = (*bucket.loc, key, index)
            formula = compile_formula(model, loc, reading)
            if formula is None:
                formula = _well_known_formula(model.id, bucket, buckets, context, loc)
            if formula is None:
                continue
            fact = workflow_check_fact(model.id) if bucket.name == WORKFLOW else None
            required = is_required(model, bucket.name)
            yield Check(bucket.name, layer, model.id, model.title, required, float(model.weight), formula, fact)


def is_required(check: HardCheck, bucket: str) -> bool:
    """Whether a check is required; true where `required` has no meaning."""
    if isinstance(check, CheckModel) and check.required is not None:
        return check.required
    return check.id not in OPTIONAL_CHECKS.get(bucket, ())


def workflow_check_fact(check_id: str) -> str:
    """The hidden fact that takes the result of a workflow check."""
    return f"check.workflow.{check_id}"


def _well_known_formula(
    check_id: str, bucket: Configured, buckets: Mapping[str, Configured], context: CheckContext, loc: Loc
) -> Formula | None:
    """The formula of a well-known check without rules, or None with an error."""
    if check_id in WELL_KNOWN_PARAMETERS.get(bucket.name, ()):
        return _parameter_formula(check_id, bucket, buckets, context)
    fact = WELL_KNOWN_FACTS.get(bucket.name, {}).get(check_id)
    if bucket.name == WORKFLOW:
        fact = f"workflow.{check_id}"
    if fact in context.facts.types:
        return Formula(1, (FactRule(fact, TRUE),))
    if fact == _EVENTS_FACT:
        bucket.place.error(
            (*loc, "id"), "unknown_channel", f"`{check_id}` needs a channel `events`, which no pack has; add it"
        )
        return None
    known = well_known(bucket.name, context.facts)
    message = (
        f"`{check_id}` is no well-known check of this bucket{nearest(check_id, known)}; "
        f"give it rules, or take one of: {listed(known)}"
    )
    bucket.place.error((*loc, "id"), "unknown_check", message)
    return None


def _parameter_formula(
    check_id: str, bucket: Configured, buckets: Mapping[str, Configured], context: CheckContext
) -> Formula:
    """The formula of a well-known check that reads its bucket's parameters."""
    if check_id == WORKFLOW_PRESENT:
        return _all(_required_workflow(buckets.get(WORKFLOW)))
    if check_id == ARTIFACTS_PRESENT:
        return _all(_required_artifacts(bucket))
    observed = _observed(bucket, context)
    need = min(bucket.model.minimum_channels, len(observed)) if check_id == MINIMUM_OBSERVED else len(observed)
    return Formula(need, observed)


def _all(rules: Sequence[Rule]) -> Formula:
    return Formula(len(rules), tuple(rules))


def _required_workflow(workflow: Configured | None) -> list[Rule]:
    if workflow is None:
        return []
    required = (check for check in workflow.model.checks if is_required(check, WORKFLOW))
    return [FactRule(workflow_check_fact(check.id), TRUE, reason="workflow_check_failed") for check in required]


def _required_artifacts(bucket: Configured) -> list[Rule]:
    rules: list[Rule] = []
    quiet = Place(bucket.place.source, [])
    for name in bucket.model.required_artifacts:
        selector = compile_selector(name, (), quiet)
        if selector is not None and selector.artifact is not None:
            rules.append(FactRule(f"artifacts.{selector.artifact}_present", TRUE, reason="artifact_missing"))
        elif selector is not None:
            rules.append(DocumentRule("artifact_present", selector))
    return rules


def _observed(bucket: Configured, context: CheckContext) -> tuple[Rule, ...]:
    channels = (name for name in bucket.model.preferred_channels if name in context.domain.channels)
    return tuple(FactRule(channel_facts(name)[0], TRUE, reason="channel_not_observed") for name in channels)


def check_parameters(bucket: Configured, channels: Sequence[str]) -> None:
    """Errors in `required_artifacts` and `preferred_channels`."""
    for index, name in enumerate(getattr(bucket.model, "required_artifacts", ())):
        compile_selector(name, (*bucket.loc, "required_artifacts", index), bucket.place)
    for index, name in enumerate(getattr(bucket.model, "preferred_channels", ())):
        if name not in channels:
            message = f"no pack has a channel `{name}`{nearest(name, channels)}; known are {listed(channels)}"
            bucket.place.error((*bucket.loc, "preferred_channels", index), "unknown_channel", message)
