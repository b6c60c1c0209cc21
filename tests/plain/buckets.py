"""Checks and bucket statuses (10-registry "judge.yaml", 50-verdicts "Bucket status")."""

from dataclasses import dataclass
from typing import Any

from tests.plain.bundles import artifact_of, selected
from tests.plain.rules import why_false
from tests.plain.scene import Rule, Scene

FAMILIES = {
    "contract": ("window", "cluster"),
    "workflow": ("workflow",),
    "execution_contract": ("workflow", "artifacts", "evidence"),
    "evidence_collection": ("artifacts", "evidence"),
    "critical_evidence": ("evidence",),
    "evidence_routing": ("routing",),
    "diagnosis": ("output",),
}
OF_PARAMETERS = {
    *("required_workflow_present", "required_artifacts_present"),
    *("preferred_channels_minimum_observed", "preferred_channels_all_observed"),
}
OPTIONAL = {
    "execution_contract": {"preferred_channels_all_observed"},
    "evidence_collection": {"preferred_channels_all_observed", "attempted_events_collection_persisted"},
}
CONTRACT_FACTS = {"time_window_match": "window.matched_allowed_window", "cluster_scope_match": "cluster.matched"}
PROGRESSED = ["evidence_collection_completed", "architecture_context_loaded", "summary_read_completed"]
LAYERS = (("hard_checks", "hard"), ("supporting_checks", "supporting"))


@dataclass(frozen=True)
class CheckResult:
    """What became of one check."""

    bucket: str
    layer: str | None
    check_id: str
    required: bool
    weight: float
    reason: str | None

    @property
    def passed(self) -> bool:
        """A check without a reason passed (40-rules, Document rules)."""
        return self.reason is None

    def as_json(self) -> dict[str, Any]:
        """The check as `judge --format jsonl` prints it."""
        return {
            "bucket": self.bucket,
            "layer": self.layer,
            "id": self.check_id,
            "required": self.required,
            "weight": self.weight,
            "passed": self.passed,
            "reason": self.reason,
        }


@dataclass(frozen=True)
class BucketResult:
    """Status and score of one bucket."""

    status: str
    configured: bool
    score: float | None
    max_score: float | None

    def as_json(self) -> dict[str, Any]:
        """The bucket as `judge --format jsonl` prints it."""
        return {
            "status": self.status,
            "configured": self.configured,
            "score": self.score,
            "max_score": self.max_score,
        }


def checks_of(scene: Scene) -> list[CheckResult]:
    """All checks in the order of buckets and files, hard before supporting (50-verdicts)."""
    results: list[CheckResult] = []
    for bucket, settings in scene.case.buckets.items():
        lists = LAYERS if bucket == "diagnosis" else (("checks", None),)
        for key, layer in lists:
            for check in settings.get(key) or []:
                reason = why_check_is_false(check, bucket, settings, scene, results)
                required = is_required(check, bucket)
                weight = float(check.get("weight", 1))
                results.append(CheckResult(bucket, layer, check["id"], required, weight, reason))
    return results


def is_required(check: Rule, bucket: str) -> bool:
    """Whether a check is required; two well-known ones are optional by default (10-registry, judge.yaml)."""
    return bool(check.get("required", check["id"] not in OPTIONAL.get(bucket, ())))


def why_check_is_false(
    check: Rule, bucket: str, settings: dict[str, Any], scene: Scene, before: list[CheckResult]
) -> str | None:
    """The reason of a check, that of its first false rule, None when it passed (40-rules, Document rules)."""
    families = FAMILIES[bucket]
    if "all_of" in check:
        rules, least = check["all_of"], len(check["all_of"])
    elif "any_of" in check:
        rules, least = check["any_of"], 1
    elif "at_least" in check:
        rules, least = check["at_least"]["of"], check["at_least"]["n"]
    elif "match" in check or "fact" in check:
        rules, least = [check], 1
    elif check["id"] in OF_PARAMETERS:
        return why_parameter_check_is_false(check["id"], settings, scene, before)
    else:
        rules, least = [{"fact": fact_of_well_known(check["id"], bucket)}], 1
    reasons = [why_false(rule, scene, families) for rule in rules]
    true_rules = reasons.count(None)
    return None if true_rules >= least else next(reason for reason in reasons if reason is not None)


def fact_of_well_known(check_id: str, bucket: str) -> str:
    """The fact that a well-known check reads (10-registry, judge.yaml)."""
    if bucket == "contract":
        return CONTRACT_FACTS[check_id]
    if bucket == "workflow":
        return f"workflow.{check_id.removeprefix('workflow.')}"
    if bucket == "evidence_routing":
        return f"routing.analysis_{check_id}"
    return "evidence.events_attempted_implies_artifact_present"


def why_parameter_check_is_false(
    check_id: str, settings: dict[str, Any], scene: Scene, before: list[CheckResult]
) -> str | None:
    """The well-known checks that read parameters of their bucket (10-registry, judge.yaml)."""
    if check_id == "required_workflow_present":
        required = [check for check in before if check.bucket == "workflow" and check.required]
        return None if all(check.passed for check in required) else "workflow_check_failed"
    if check_id == "required_artifacts_present":
        present = all(is_present(entry, scene) for entry in settings.get("required_artifacts") or [])
        return None if present else "artifact_missing"
    channels = settings.get("preferred_channels") or []
    observed = sum(scene.facts[f"evidence.{channel}_channel_observed"] is True for channel in channels)
    least = min(settings.get("minimum_channels", 1), len(channels))
    needed = len(channels) if check_id == "preferred_channels_all_observed" else least
    return None if observed >= needed else "channel_not_observed"


def is_present(entry: str, scene: Scene) -> bool:
    """Whether an artifact, file name or glob is there (10-registry, judge.yaml)."""
    artifact = artifact_of(entry)
    if artifact is not None and scene.bundle is not None:
        return artifact in scene.bundle.artifacts
    return bool(selected(entry, scene.bundle, scene.output))


def buckets_of(scene: Scene, checks: list[CheckResult]) -> dict[str, BucketResult]:
    """Status and score of every bucket; one that is left out is `pass` and not configured."""
    return {
        bucket: bucket_result(bucket, scene, [check for check in checks if check.bucket == bucket])
        if bucket in scene.case.buckets
        else BucketResult("pass", False, None, None)
        for bucket in FAMILIES
    }


def bucket_result(bucket: str, scene: Scene, checks: list[CheckResult]) -> BucketResult:
    """One row of the table of statuses in 50-verdicts."""
    settings = scene.case.buckets[bucket]
    status = status_of(bucket, settings, scene, checks)
    required = [check for check in checks if check.required]
    most = float(settings.get("max_score", 10))
    if bucket in ("contract", "execution_contract"):
        return BucketResult(status, True, None, None)
    if bucket in ("workflow", "evidence_routing"):
        return BucketResult(status, True, most * ratio(required), most)
    if bucket in ("evidence_collection", "critical_evidence"):
        return BucketResult(status, True, most * ratio(checks), most)
    return BucketResult(status, True, *diagnosis_score(settings, checks))


def ratio(checks: list[CheckResult]) -> float:
    """The passed part of the weights, full where there are none (50-verdicts, Bucket status)."""
    if not checks:
        return 1.0
    return sum(check.weight for check in checks if check.passed) / sum(check.weight for check in checks)


def diagnosis_score(settings: dict[str, Any], checks: list[CheckResult]) -> tuple[float, float]:
    """Score and maximum of the layers that have checks (50-verdicts, Bucket status)."""
    score = most = 0.0
    parts = (("hard", "hard_max_score", 18), ("supporting", "supporting_weight", 12))
    for layer, key, default in parts:
        of_layer = [check for check in checks if check.layer == layer]
        if of_layer:
            part = float(settings.get(key, default))
            score, most = score + part * ratio(of_layer), most + part
    return score, most


def status_of(bucket: str, settings: dict[str, Any], scene: Scene, checks: list[CheckResult]) -> str:
    """The status of a configured bucket."""
    required_failed = any(check.required and not check.passed for check in checks)
    optional_failed = any(not check.required and not check.passed for check in checks)
    if bucket == "contract":
        return "fail" if required_failed else "pass"
    if bucket == "workflow":
        if not required_failed:
            return "pass"
        return "partial" if progressed(settings, scene) else "fail"
    if bucket == "critical_evidence":
        passed = [check for check in checks if check.passed]
        return "pass" if len(passed) == len(checks) else "partial" if passed else "fail"
    if bucket == "diagnosis":
        return "pass" if all(check.passed for check in checks if check.layer == "hard") else "fail"
    return "fail" if required_failed else "partial" if optional_failed else "pass"


def progressed(settings: dict[str, Any], scene: Scene) -> bool:
    """Whether one of the facts that mean progress is true (50-verdicts, Bucket status)."""
    names = settings.get("progressed_any_of", PROGRESSED)
    return any(scene.facts.get(f"workflow.{name.removeprefix('workflow.')}") is True for name in names)
