"""Random baselines: what a suite remembers of an eval run, near to what today's runs give and far from it."""

from pathlib import Path
from random import Random

from tests.generate.registry import BUCKET_MAKERS, Outline, write
from tests.generate.vocabulary import Rule, chance

CODES = {"pass": None, "fail": "critical_evidence_partial", "invalid": "workflow_incomplete"}


def write_baseline(random: Random, registry: Path, outline: Outline) -> None:
    """Write the active baseline of `suite-a`; its cases are some of the registry's, and now and then one too many."""
    cases = [case_id for case_id in outline.clusters if chance(random, 0.85)]
    if chance(random, 0.2):
        cases.append("case-gone")
    baseline: Rule = {
        "schema_version": 1,
        "suite_id": "suite-a",
        "suite_version": random.choice([1, 1, 2]),
        "eval_run_id": random.choice(["r0", "r1"]),
        "judgment_id": "j0",
        "promoted_at": random.choice(["2025-03-01T06:00:00Z", "2025-03-02T06:00:00+08:00"]),
        "cases": {case_id: random_memory(random) for case_id in cases},
    }
    write(registry / "baselines" / "suite-a.yaml", baseline)


def random_memory(random: Random) -> Rule:
    """What is remembered of one case."""
    verdict = random.choice([*CODES])
    trials = random.choice([1, 2, 3, 5, 8])
    passed = {"pass": random.randint((trials + 1) // 2, trials), "fail": random.randint(0, trials // 2), "invalid": 0}
    memory: Rule = {
        "case_version": random.choice([1, 1, 1, 2]),
        "case_digest": "sha256:" + random.choice("0123456789abcdef") * 64,
        "verdict": verdict,
        "primary_failure_code": CODES[verdict],
        "trials": trials,
        "passed_trials": passed[verdict],
    }
    if verdict != "invalid" and chance(random, 0.8):
        most = random.choice([10, 30, 80])
        memory |= {"score": random.choice([0, most / 3, most / 2, most]), "max_score": most}
    if chance(random, 0.8):
        statuses = ["pass", "pass", "partial", "fail"]
        memory["buckets"] = {name: random.choice(statuses) for name in BUCKET_MAKERS if chance(random, 0.9)}
    return memory
