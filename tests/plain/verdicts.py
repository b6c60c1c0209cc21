"""The verdict of one case run (50-verdicts, "Verdict")."""

from dataclasses import dataclass

from tests.plain.buckets import BucketResult
from tests.plain.runs import CaseRun

PRECEDENCE = (
    ("contract", ("fail",), "invalid", "contract_failed"),
    ("execution_contract", ("fail",), "invalid", "execution_contract_failed"),
    ("workflow", ("partial", "fail"), "invalid", "workflow_incomplete"),
    ("evidence_collection", ("fail",), "invalid", "evidence_collection_incomplete"),
    ("evidence_collection", ("partial",), "fail", "evidence_collection_partial"),
    ("critical_evidence", ("fail",), "fail", "critical_evidence_missing"),
    ("critical_evidence", ("partial",), "fail", "critical_evidence_partial"),
    ("evidence_routing", ("fail",), "fail", "evidence_routing_failed"),
    ("evidence_routing", ("partial",), "fail", "evidence_routing_partial"),
    ("diagnosis", ("fail",), "fail", "diagnosis_critical_gate_failed"),
    ("execution_contract", ("partial",), "fail", "execution_contract_partial"),
)


@dataclass(frozen=True)
class Verdict:
    """Verdict, all codes that fit in order, and the sums of the scores."""

    verdict: str
    codes: list[str]
    score: float | None
    max_score: float | None
    score_pct: float | None


def cause_of(case_run: CaseRun, causes: dict[str, str]) -> str | None:
    """Whose doing it was, by status, else by stop reason; None without a record (50-verdicts, Verdict)."""
    if case_run.record is None:
        return None
    told = [case_run.record.get(key) for key in ("status", "stop_reason")]
    return next((causes[word] for word in told if isinstance(word, str) and word in causes), "agent")


def verdict_of(buckets: dict[str, BucketResult]) -> Verdict:
    """The first row that fits, and the codes of all that fit (50-verdicts, Verdict)."""
    rows = [row for row in PRECEDENCE if buckets[row[0]].status in row[1]]
    verdict = rows[0][2] if rows else "pass"
    codes = [code for *_, code in rows]
    scores = [bucket.score for bucket in buckets.values() if bucket.score is not None]
    if verdict == "invalid":
        return Verdict(verdict, codes, None, None, None)
    score, most = sum(scores, 0.0), sum((bucket.max_score or 0.0 for bucket in buckets.values()), 0.0)
    return Verdict(verdict, codes, score, most, 100 * score / most if most else None)


def invalid(code: str) -> Verdict:
    """A verdict without buckets, of a row of precedence 0 (50-verdicts, Verdict)."""
    return Verdict("invalid", [code], None, None, None)
