"""What would have to change for a pass (specification 70, `explain`)."""

from __future__ import annotations

from collections.abc import Iterator

from judge_polars.explain.model import CheckTold, Explanation, RuleTold
from judge_polars.vocabulary import (
    CONTRACT,
    CRITICAL_EVIDENCE,
    DIAGNOSIS,
    EVIDENCE_COLLECTION,
    EVIDENCE_ROUTING,
    EXECUTION_CONTRACT,
    SUPPORTING,
    WORKFLOW,
)

_PRECEDENCE = (
    CONTRACT,
    EXECUTION_CONTRACT,
    WORKFLOW,
    EVIDENCE_COLLECTION,
    CRITICAL_EVIDENCE,
    EVIDENCE_ROUTING,
    DIAGNOSIS,
)
_ONLY_REQUIRED = (CONTRACT, WORKFLOW)
"""Buckets in which an optional check that fails keeps no run from passing."""


def what_to_change(told: Explanation) -> tuple[str, ...]:
    """One sentence each, in the order of precedence; nothing for a pass."""
    if told.verdict == "pass":
        return ()
    if not told.checks:
        return tuple(_without_a_judged_bundle(told))
    failing = {bucket.bucket for bucket in told.buckets if bucket.configured and bucket.status != "pass"}
    return tuple(
        _sentence(check)
        for bucket in _PRECEDENCE
        if bucket in failing
        for check in told.checks_of(bucket)
        if _must_hold(check)
    )


def _without_a_judged_bundle(told: Explanation) -> Iterator[str]:
    if told.primary_failure_code == "environment_failed":
        ended = ", ".join(str(told.run[key]) for key in ("status", "stop_reason") if told.run[key])
        how = f"it ended with {ended or 'no status'}, which is the {told.cause}'s doing"
        yield f"the run must be repeated: {how}, and left no output"
    elif told.bundle_status == "ambiguous":
        valid = sum(not candidate.reasons for candidate in told.candidates)
        yield f"exactly one of the {valid} valid candidates must match the case's cluster and time window"
    elif told.candidates:
        for candidate in told.candidates:
            why = ", ".join(reason.replace("_", " ") for reason in candidate.reasons)
            yield f"{candidate.root} must be a valid bundle: {why}"
    else:
        yield "a directory below audit/ or workspace/ must hold manifest.json, a report (diagnosis_report.json), evidence/"


def _must_hold(check: CheckTold) -> bool:
    """Whether a failed check keeps its bucket from passing."""
    if check.passed or check.layer == SUPPORTING:
        return False
    return check.required or check.bucket not in _ONLY_REQUIRED


def _sentence(check: CheckTold) -> str:
    name = f"{check.bucket}: {check.id}"
    false = [rule for rule in check.rules if not rule.passed]
    true = len(check.rules) - len(false)
    lacking = check.need - true
    hint = _hint(false[0]) if false else ""
    if len(check.rules) > 1 and lacking < len(false):
        return f"{name} must hold: {lacking} more of its {len(false)} false rules must become true{hint}"
    return f"{name} must hold{hint}"


def _hint(rule: RuleTold) -> str:
    """The most telling words about a false rule: those of the definition behind its fact, where there is one."""
    if rule.notes:
        inner = next((one.notes[-1] for one in rule.because if one.notes), None)
        return f": {rule.notes[-1]}" + (f" ({inner})" if inner and not rule.passed else "")
    return f": {rule.reason.replace('_', ' ')}" if rule.reason else ""
