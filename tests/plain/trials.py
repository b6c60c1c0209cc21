"""From the trials of a case to its verdict (50-verdicts, "Trials" and "Evidence against diagnosis")."""

import math
from collections import Counter
from pathlib import Path
from typing import Any

from tests.plain.loading import BUCKETS, read_yaml
from tests.plain.runs import CaseRun, case_runs_below, read_record
from tests.plain.values import Json, is_integer
from tests.plain.verdicts import PRECEDENCE

Z = 1.959963984540054
WORST_FIRST = ("fail", "partial", "pass")
WITHOUT_BUNDLE = ("environment_failed", "bundle_unresolved", "bundle_ambiguous")
CODES = (*WITHOUT_BUNDLE, *(row[3] for row in PRECEDENCE))

Line = dict[str, Any]
Row = dict[str, Any]


def recorded_versions(runs: Path) -> dict[str, int]:
    """Case run id -> the case version that its record tells."""
    told: dict[str, int] = {}
    for run in case_runs_below(runs):
        version = run.record.get("case_version") if run.record else None
        if is_integer(version):
            told[run.case_run_id] = version
    return told


def eval_run_records(runs: Path) -> dict[str, dict[str, Json]]:
    """Eval run id -> its record, {} where there is none."""
    names = {run.eval_run_id: run for run in case_runs_below(runs)}
    return {
        name: read_record(runs / name / "eval_run.json", CaseRun(name, run.case_id, run.trial, run.folder)) or {}
        for name, run in names.items()
    }


def aggregate_of(record: dict[str, Json], registry: Path) -> str:
    """How the suite that an eval run recorded puts trials together, `majority` where it is unknown."""
    suites = {suite["id"]: suite for suite in map(read_yaml, sorted((registry / "suites").glob("*.yaml")))}
    named = record.get("suite_id")
    suite = suites.get(named, {}) if isinstance(named, str) else {}
    return str(suite.get("execution_policy", {}).get("aggregate", "majority"))


def case_verdicts(lines: list[Line], runs: Path, registry: Path) -> list[Row]:
    """One row per eval run and case of the lines of `judge`, in their order."""
    versions, records = recorded_versions(runs), eval_run_records(runs)
    trials: dict[tuple[str, str], list[Line]] = {}
    for line in lines:
        trials.setdefault((line["eval_run_id"], line["case_id"]), []).append(line)
    return [
        case_verdict(of_case, aggregate_of(records[eval_run], registry), versions)
        for (eval_run, _), of_case in trials.items()
    ]


def case_verdict(trials: list[Line], aggregate: str, versions: dict[str, int]) -> Row:
    """The verdict of one case of one eval run."""
    counts = Counter(line["verdict"] for line in trials)
    comparable = [line for line in trials if line["verdict"] != "invalid"]
    verdict = verdict_of_trials(counts, aggregate)
    deciding = [line for line in trials if line["verdict"] == verdict]
    deciding = deciding or [line for line in trials if line["verdict"] != "pass"]
    score = mean([line["score"] for line in comparable if line["score"] is not None])
    most = mean([line["max_score"] for line in comparable if line["max_score"] is not None])
    low, high = wilson(counts["pass"], len(comparable))
    told: list[int] = [
        versions[line["case_run_id"]] if line["case_run_id"] in versions else line["case_version"] for line in trials
    ]
    return {
        "eval_run_id": trials[0]["eval_run_id"],
        "case_id": trials[0]["case_id"],
        "case_version": trials[0]["case_version"],
        "oldest_case_version": min(told),
        "newest_case_version": max(told),
        "aggregate": aggregate,
        "trials": len(trials),
        "passed": counts["pass"],
        "failed": counts["fail"],
        "invalid": counts["invalid"],
        "comparable": len(comparable),
        "pass_rate": counts["pass"] / len(comparable) if comparable else None,
        "pass_rate_low": low,
        "pass_rate_high": high,
        "mean_score": score,
        "max_score": most,
        "score_pct": 100 * score / most if score is not None and most else None,
        "verdict": verdict,
        "primary_failure_code": most_frequent_code(deciding),
        **{bucket: worst_status(deciding, bucket) for bucket in BUCKETS},
    }


def verdict_of_trials(counts: Counter[str], aggregate: str) -> str:
    """`invalid` without a comparable trial, else what the aggregate says."""
    passed, failed, invalid = counts["pass"], counts["fail"], counts["invalid"]
    if passed + failed == 0:
        return "invalid"
    agreed = {"majority": 2 * passed > passed + failed, "all": failed + invalid == 0, "any": passed > 0}[aggregate]
    return "pass" if agreed else "fail"


def most_frequent_code(deciding: list[Line]) -> str | None:
    """The code that most of the deciding trials have; of several the first by precedence."""
    counts = Counter(line["primary_failure_code"] for line in deciding if line["primary_failure_code"] is not None)
    return max(counts, key=lambda code: (counts[code], -CODES.index(code))) if counts else None


def worst_status(deciding: list[Line], bucket: str) -> str | None:
    """The worst status that a bucket has in the deciding trials, None where none has one."""
    found = [line["buckets"][bucket]["status"] for line in deciding if bucket in line["buckets"]]
    return min(found, key=WORST_FIRST.index) if found else None


def mean(numbers: list[float]) -> float | None:
    """The mean, None of nothing."""
    return math.fsum(numbers) / len(numbers) if numbers else None


def wilson(passed: int, trials: int) -> tuple[float | None, float | None]:
    """The 95 % Wilson interval of a rate, clamped to [0, 1]."""
    if trials == 0:
        return None, None
    rate, square = passed / trials, Z * Z
    middle = rate + square / (2 * trials)
    spread = Z * math.sqrt(rate * (1 - rate) / trials + square / (4 * trials * trials))
    low, high = (middle - spread) / (1 + square / trials), (middle + spread) / (1 + square / trials)
    return max(0.0, low), min(1.0, high)


def case_pass_k(cases: list[Row]) -> list[Row]:
    """How likely one of k, and all of k trials pass, for k from 1 to the comparable trials of each case."""
    rows: list[Row] = []
    for case in cases:
        passed, comparable = case["passed"], case["comparable"]
        for k in range(1, comparable + 1):
            ways = math.comb(comparable, k)
            one = 1 - math.comb(comparable - passed, k) / ways
            ids = {name: case[name] for name in ("eval_run_id", "case_id")}
            rows.append(ids | {"k": k, "pass_at_k": one, "pass_hat_k": math.comb(passed, k) / ways})
    return rows


def evidence_diagnosis(lines: list[Line]) -> list[Row]:
    """What the collector lacked and what the reasoning missed, per case run that is not invalid."""
    names = {
        (True, True): "grounded",
        (True, False): "missed_signal",
        (False, True): "unsupported_claim",
        (False, False): "neither",
    }
    rows = []
    for line in lines:
        if line["verdict"] != "invalid":
            passed = [line["buckets"][bucket]["status"] == "pass" for bucket in ("critical_evidence", "diagnosis")]
            rows.append({"case_run_id": line["case_run_id"], "class": names[(passed[0], passed[1])]})
    return rows
