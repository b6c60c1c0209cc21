"""An eval run as the manifest of a baseline (specification 10, "Suites and baselines")."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final

from judge_polars.baselines.source import Row, rows_of
from judge_polars.errors import JudgePolarsError
from judge_polars.registry.baseline import BaselineFile
from judge_polars.report.records import timestamp_text
from judge_polars.rulebook import Baseline, BaselineCase, Suite
from judge_polars.sources import Rows
from judge_polars.vocabulary import BUCKETS

CASES: Final = f"""
    select
        case_id,
        case_digest,
        oldest_case_version,
        newest_case_version,
        verdict,
        primary_failure_code,
        mean_score as score,
        max_score,
        score_pct,
        trials,
        passed,
        comparable,
        latest_case_verdicts.judgment_id,
        judgments.judged_at,
        judgments.semantics_version,
        {", ".join(BUCKETS)}
    from latest_case_verdicts
    inner join judgments using (judgment_id)
    where eval_run_id = ?
    order by case_id
"""


def case_rows(source: Rows, eval_run_id: str) -> dict[str, Row]:
    """Case id -> its verdict over all trials of the eval run, by the latest judgments, with all bucket statuses."""
    return {row["case_id"]: row for row in rows_of(source, CASES, eval_run_id)}


def snapshot(
    rows: Mapping[str, Row], suite: Suite, eval_run_id: str, *, promoted_at: datetime, created_by: str, notes: str
) -> Baseline:
    """What is remembered of those cases of an eval run (`case_rows`) that the suite has."""
    kept = [rows[case_id] for case_id in sorted(suite.cases) if case_id in rows]
    latest = max(((row["judged_at"], row["judgment_id"]) for row in kept), default=(None, ""))
    return Baseline(
        suite_id=suite.id,
        suite_version=suite.version,
        eval_run_id=eval_run_id,
        judgment_id=latest[1],
        promoted_at=promoted_at.astimezone(UTC).replace(microsecond=0),
        created_by=created_by,
        notes=notes,
        cases=tuple(_case(row) for row in kept),
    )


def _case(row: Row) -> BaselineCase:
    return BaselineCase(
        case_id=row["case_id"],
        case_version=row["newest_case_version"],
        case_digest=row["case_digest"],
        verdict=row["verdict"],
        primary_failure_code=row["primary_failure_code"],
        score=row["score"],
        max_score=row["max_score"],
        trials=row["trials"],
        passed_trials=row["passed"],
        buckets=tuple((bucket, row[bucket]) for bucket in BUCKETS),
    )


def manifest_record(baseline: Baseline) -> dict[str, Any]:
    """The manifest as plain data, its keys in the order of the file."""
    return {
        "schema_version": 1,
        "suite_id": baseline.suite_id,
        "suite_version": baseline.suite_version,
        "eval_run_id": baseline.eval_run_id,
        "judgment_id": baseline.judgment_id,
        "promoted_at": timestamp_text(baseline.promoted_at),
        "created_by": baseline.created_by,
        "notes": baseline.notes,
        "cases": {
            case.case_id: {
                "case_version": case.case_version,
                "case_digest": case.case_digest,
                "verdict": case.verdict,
                "primary_failure_code": case.primary_failure_code,
                "score": case.score,
                "max_score": case.max_score,
                "trials": case.trials,
                "passed_trials": case.passed_trials,
                "buckets": dict(case.buckets),
            }
            for case in baseline.cases
        },
    }


def manifest_text(baseline: Baseline) -> str:
    """The manifest as YAML that `registry/baseline.py` reads.

    Raises:
        JudgePolarsError: it would not be read, which cannot be unless an id is of a form that no registry takes.
    """
    record = manifest_record(baseline)
    try:
        BaselineFile.model_validate(record)
    except ValueError as wrong:
        raise JudgePolarsError(f"the manifest of {baseline.eval_run_id} would not be valid: {wrong}") from wrong
    cases = record.pop("cases")
    lines = ["# Written by `judge-polars baseline promote`."]
    lines += [f"{key}: {_scalar(value)}" for key, value in record.items()]
    lines.append("cases:" if cases else "cases: {}")
    for case_id, members in cases.items():
        lines.append(f"  {_scalar(case_id)}:")
        for key, value in members.items():
            text = (
                f"{{{', '.join(f'{k}: {_scalar(v)}' for k, v in value.items())}}}"
                if key == "buckets"
                else _scalar(value)
            )
            lines.append(f"    {key}: {text}")
    return "\n".join(lines) + "\n"


_PLAIN: Final = re.compile(r"[A-Za-z][A-Za-z0-9_-]*")
_OTHERWISE: Final = frozenset(("null", "true", "false", "yes", "no", "on", "off", "y", "n"))


def _scalar(value: object) -> str:
    """A scalar as YAML; a text is quoted where it could be read as anything else."""
    if value is None:
        return "null"
    if isinstance(value, str):
        plain = _PLAIN.fullmatch(value) and value.lower() not in _OTHERWISE
        return value if plain else json.dumps(value, ensure_ascii=not value.isprintable())
    if isinstance(value, float):
        return str(int(value)) if math.isfinite(value) and value == int(value) else repr(value)
    return str(value)
