"""Made-up rows of views, where the demo has none or the truth is to be seen at a glance."""

from __future__ import annotations

from typing import Any

import polars as pl

CHANGED = pl.Struct(
    {"bucket": pl.String, "check_id": pl.String, "passed_before": pl.Boolean, "passed_after": pl.Boolean}
)


def flips(*rows: tuple[str, str, str | None, str | None, bool, bool, bool]) -> pl.DataFrame:
    """Rows of `verdict_flips`: both verdicts, both codes, whether rubric, bundle, engine changed."""
    names = (
        "from_verdict",
        "to_verdict",
        "from_primary_failure_code",
        "to_primary_failure_code",
        "rubric_changed",
        "bundle_changed",
        "engine_changed",
    )
    checks = [[{"bucket": "diagnosis", "check_id": "names_it", "passed_before": True, "passed_after": False}]]
    return pl.DataFrame(rows, schema=names, orient="row").with_columns(
        changed_checks=pl.Series(checks * len(rows), dtype=pl.List(CHANGED))
    )


FLIPS = flips(
    ("pass", "fail", None, "diagnosis_critical_gate_failed", True, False, False),
    ("pass", "fail", None, "diagnosis_critical_gate_failed", True, False, False),
    ("pass", "fail", None, "critical_evidence_missing", False, True, False),
    ("fail", "pass", "critical_evidence_missing", None, True, False, True),
    ("fail", "fail", "critical_evidence_missing", "critical_evidence_partial", None, None, None),  # type: ignore[arg-type]
)


def agreement(**changed: Any) -> pl.DataFrame:
    """A row of `semantic_agreement`."""
    row = {
        "case_id": "disk-hang",
        "case_digest": "sha256:0",
        "semantic_check_id": "is_it_the_disk",
        "layer": "hard",
        "check_id": "blames_disk",
        "compared": 10,
        "unanswered": 1,
        "both_passed": 6,
        "only_check_passed": 1,
        "only_shadow_passed": 1,
        "neither_passed": 2,
        "agreement": 0.8,
        "kappa": 0.52,
    }
    return pl.DataFrame([row | changed])


AGREEMENT = pl.concat(
    [agreement(), agreement(case_id="lock-wait", kappa=None, agreement=1.0, both_passed=10).cast({"kappa": pl.Float64})]
)


def trends(*rows: dict[str, Any]) -> pl.DataFrame:
    """Rows of `suite_trends`: one eval run each, named and placed in order; 3 of 4 comparable case runs pass unless said."""
    made = []
    for place, row in enumerate(rows, start=1):
        told: dict[str, Any] = {
            "suite_id": "core",
            "eval_run_id": f"night-{place}",
            "place": place,
            "segment": 1,
            "passed": 3,
            "failed": 1,
        }
        told |= {"invalid": 0, "planned": 4, "found": 4, "mixed_semantics": False} | row
        told["comparable"] = told["passed"] + told["failed"]
        told["pass_rate"] = told["passed"] / told["comparable"] if told["comparable"] else None
        told |= {"pass_rate_low": max(0.0, (told["pass_rate"] or 0) - 0.2), "pass_rate_high": 0.95} | row
        made.append(told | {f"invalid_by_{cause}": 0 for cause in CAUSES} | {"invalid_by_agent": told["invalid"]})
    return pl.DataFrame(made)


CAUSES = ("agent", "environment", "provider", "harness", "case", "unknown")
