"""Cases of eval runs against the active baseline of their suite (50-verdicts, "Regressions against the baseline")."""

from fractions import Fraction
from math import comb
from pathlib import Path
from typing import Any

from tests.plain.loading import read_yaml
from tests.plain.trials import WORST_FIRST, Row, eval_run_records
from tests.plain.values import Json, is_integer
from tests.plain.verdicts import PRECEDENCE

TOLERANCE = 5
ORDER = ("invalid", "fail", "pass")
SIGNIFICANT = Fraction(1, 20) + Fraction(1, 10**12)


def baseline_regressions(cases: list[Row], runs: Path, registry: Path) -> list[Row]:
    """One row per case of the union of a run's and its baseline's cases, by eval run and case."""
    baselines = [read_yaml(path) for path in sorted((registry / "baselines").glob("*.yaml"))]
    of_suites = {baseline["suite_id"]: baseline for baseline in baselines}
    rows: list[Row] = []
    for eval_run, record in eval_run_records(runs).items():
        suite = record.get("suite_id")
        if isinstance(suite, str) and suite in of_suites:
            of_run = {case["case_id"]: case for case in cases if case["eval_run_id"] == eval_run}
            rows += with_q_values(compared(eval_run, record, of_run, of_suites[suite]))
    return sorted(rows, key=lambda row: (row["eval_run_id"], row["case_id"]))


def compared(eval_run: str, record: dict[str, Json], of_run: dict[str, Row], baseline: dict[str, Any]) -> list[Row]:
    """The rows of one eval run, without their q-values."""
    version = record.get("suite_version")
    head = {
        "eval_run_id": eval_run,
        "suite_id": baseline["suite_id"],
        "baseline_eval_run_id": baseline["eval_run_id"],
        "suite_version_changed": version != baseline["suite_version"] if is_integer(version) else None,
    }
    before = baseline["cases"] or {}
    return [
        {**head, "case_id": case_id, **sides(of_run.get(case_id), before.get(case_id))}
        for case_id in sorted(of_run.keys() | before.keys())
    ]


def sides(now: Row | None, before: dict[str, Any] | None) -> Row:
    """Both sides of a case, and what changed between them."""
    old: dict[str, Any] | None = {"trials": 1, "passed_trials": 0, "buckets": {}} | before if before else None
    old_pct = percent(old.get("score"), old.get("max_score")) if old else None
    now_pct = now["score_pct"] if now else None
    p = p_value(now, old) if now and old else None
    return {
        "change": change_of(now, old, now_pct, old_pct),
        "verdict": now and now["verdict"],
        "baseline_verdict": old and old["verdict"],
        "primary_failure_code": now and now["primary_failure_code"],
        "baseline_primary_failure_code": old and old.get("primary_failure_code"),
        "score": now and now["mean_score"],
        "baseline_score": old and as_float(old.get("score")),
        "score_pct": now_pct,
        "baseline_score_pct": old_pct,
        "score_change": now_pct - old_pct if now_pct is not None and old_pct is not None else None,
        "first_worse_bucket": first_worse_bucket(now, old["buckets"]) if now and old else None,
        "trials": now and now["trials"],
        "passed": now and now["passed"],
        "baseline_trials": old and old["trials"],
        "baseline_passed": old and old["passed_trials"],
        "p_value": None if p is None else float(p),
        "evidence": evidence_of(now["trials"], old["trials"], p) if now and old else None,
        "stability": stability(now["passed"], now["comparable"]) if now else None,
        "baseline_stability": stability(old["passed_trials"], 0 if old["verdict"] == "invalid" else old["trials"])
        if old
        else None,
    }


def as_float(score: float | None) -> float | None:
    """A score as a number with a fraction."""
    return None if score is None else float(score)


def percent(score: float | None, most: float | None) -> float | None:
    """A score in per cent of what was possible."""
    return 100 * score / most if score is not None and most else None


def change_of(now: Row | None, old: dict[str, Any] | None, now_pct: float | None, old_pct: float | None) -> str:
    """The first row of the table of changes that fits."""
    if old is None:
        return "new_case"
    if now is None:
        return "missing"
    if {now["oldest_case_version"], now["newest_case_version"]} != {old["case_version"]}:
        return "incomparable"
    moved = ORDER.index(now["verdict"]) - ORDER.index(old["verdict"])
    if moved:
        return "regressed" if moved < 0 else "improved"
    if now_pct is not None and old_pct is not None and abs(now_pct - old_pct) > TOLERANCE + 1e-9:
        return "score_dropped" if now_pct < old_pct else "score_raised"
    return "unchanged"


def first_worse_bucket(now: Row, before: dict[str, str | None]) -> str | None:
    """Of the buckets whose status went down the one whose row of the table of verdicts comes first."""
    for bucket, statuses, _, _ in PRECEDENCE:
        status, old = now[bucket], before.get(bucket)
        if status in statuses and old is not None and WORST_FIRST.index(status) < WORST_FIRST.index(old):
            return bucket
    return None


def p_value(now: Row, old: dict[str, Any]) -> Fraction | None:
    """Fisher's exact test, one-sided: as few trials that pass now, or fewer, the margins as they are."""
    if now["trials"] < 2 or old["trials"] < 2:
        return None
    passed, trials = now["passed"] + old["passed_trials"], now["trials"] + old["trials"]
    ways = [comb(passed, k) * comb(trials - passed, now["trials"] - k) for k in range(now["passed"] + 1)]
    return Fraction(sum(ways), comb(trials, now["trials"]))


def evidence_of(trials: int, before: int, p: Fraction | None) -> str:
    """What so many trials can say."""
    if p is None:
        return "single_trial"
    if Fraction(1, comb(trials + before, trials)) > SIGNIFICANT:
        return "underpowered"
    return "significant" if p <= SIGNIFICANT else "within_noise"


def stability(passed: int, comparable: int) -> str:
    """Whether the trials of a side agree."""
    if comparable == 0:
        return "not_comparable"
    return "always_pass" if passed == comparable else "always_fail" if passed == 0 else "mixed"


def with_q_values(rows: list[Row]) -> list[Row]:
    """The rows with the p-values of their eval run adjusted as Benjamini and Hochberg say."""
    ordered = sorted((row["p_value"] for row in rows if row["p_value"] is not None), reverse=True)
    adjusted: dict[float, float] = {}
    least = 1.0
    for place, p in enumerate(ordered):
        least = min(least, p * len(ordered) / (len(ordered) - place))
        adjusted[p] = least
    return [{**row, "q_value": None if row["p_value"] is None else adjusted[row["p_value"]]} for row in rows]
