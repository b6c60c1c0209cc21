"""Why an eval run may not become a baseline: all reasons at once (specification 10, "Suites and baselines")."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from judge_polars.baselines.source import Row, rows_of
from judge_polars.printable import excerpt
from judge_polars.rulebook import Suite
from judge_polars.sources import Rows

FEWEST_TRIALS: Final = 3
"""Comparable trials on which a case may be lowered."""
FINISHED: Final = ("completed",)
"""Statuses of a case run that came to its end; a case run without a record tells none and is taken."""
LOWERED: Final = ("regressed", "score_dropped")
_MOST_TOLD: Final = 5
LONGEST_STATUS: Final = 40
"""Characters of a status, which an agent's record says."""


@dataclass(frozen=True, slots=True)
class Refusal:
    """One reason against a promotion: a stable code, and words that tell the way out."""

    code: str
    message: str


def refusals(
    source: Rows,
    eval_run: Row,
    suite: Suite,
    cases: Mapping[str, Row],
    changes: Sequence[Row],
    *,
    allow_lower: bool = False,
) -> tuple[Refusal, ...]:
    """Every reason why an eval run may not be promoted.

    Args:
        eval_run: its row of `eval_runs`.
        cases: `snapshot.case_rows` of it.
        changes: `promotion.changes` of it.
    """
    lowered = () if allow_lower else _lowered(suite, cases, changes)
    return (
        *_of_suite(suite, eval_run),
        *_incomplete(suite, cases),
        *_unfinished(source, eval_run["eval_run_id"], suite),
        *_mixed(suite, cases),
        *lowered,
    )


def _of_suite(suite: Suite, eval_run: Row) -> Iterator[Refusal]:
    file = f"suites/{suite.id}.yaml"
    if suite.status != "active":
        yield Refusal("suite_inactive", f"the suite {suite.id} is {suite.status}; set `status: active` in {file} first")
    if not suite.baseline_eligible:
        yield Refusal(
            "suite_not_eligible",
            f"the suite {suite.id} has no baselines; set `baseline_eligible: true` in {file} first",
        )
    recorded = eval_run["suite_version"]
    if recorded is not None and recorded != suite.version:
        yield Refusal(
            "suite_version",
            f"{eval_run['eval_run_id']} ran version {recorded} of the suite {suite.id}, which is at version "
            f"{suite.version}; run the suite again",
        )


def _incomplete(suite: Suite, cases: Mapping[str, Row]) -> Iterator[Refusal]:
    missing = [case_id for case_id in suite.cases if case_id not in cases]
    if missing:
        yield Refusal("case_missing", f"there is no judged case run of {_listed(missing)}; run them")
    for case_id in suite.cases:
        trials = cases[case_id]["trials"] if case_id in cases else suite.trials
        if trials < suite.trials:
            yield Refusal(
                "case_incomplete",
                f"{case_id} has {trials} of the {suite.trials} case runs that the suite plans; run the rest",
            )


def _unfinished(source: Rows, eval_run_id: str, suite: Suite) -> Iterator[Refusal]:
    rows = rows_of(
        source,
        "select case_id, trial, status from case_runs where eval_run_id = ? order by case_id, trial",
        eval_run_id,
    )
    ended = [
        f"{row['case_id']}/{row['trial']} ({excerpt(row['status'], length=LONGEST_STATUS)})"
        for row in rows
        if row["case_id"] in suite.cases and row["status"] is not None and row["status"] not in FINISHED
    ]
    if ended:
        yield Refusal(
            "case_run_unfinished", f"these case runs did not come to their end: {_listed(ended)}; run them again"
        )


def _mixed(suite: Suite, cases: Mapping[str, Row]) -> Iterator[Refusal]:
    for case_id in suite.cases:
        row = cases.get(case_id)
        if row is not None and row["oldest_case_version"] != row["newest_case_version"]:
            yield Refusal(
                "case_versions",
                f"the trials of {case_id} ran versions {row['oldest_case_version']} to {row['newest_case_version']} of the "
                "case; run them all at one version",
            )


def _lowered(suite: Suite, cases: Mapping[str, Row], changes: Sequence[Row]) -> Iterator[Refusal]:
    for row in changes:
        now = cases.get(row["case_id"])
        if now is None or row["case_id"] not in suite.cases or row["change"] not in LOWERED:
            continue
        if now["comparable"] < FEWEST_TRIALS:
            was = f"{row['other_verdict']} → {row['verdict']}"
            if row["change"] == "score_dropped":
                was = f"score {row['other_score_pct']:.0f} → {row['score_pct']:.0f} %"
            trials = f"{now['comparable']} comparable trial{'' if now['comparable'] == 1 else 's'}"
            yield Refusal(
                "case_lowered",
                f"{row['case_id']} would be lowered ({was}) on {trials}, fewer than {FEWEST_TRIALS}; "
                "run more, or say --allow-lower",
            )


def overwritten(manifest: Path, export: Path) -> Iterator[Refusal]:
    """A reason for each thing that a promotion would overwrite."""
    for path, what in ((manifest, "the manifest"), (export, "the export")):
        if path.exists():
            yield Refusal("would_overwrite", f"{what} {path} is there already; --force replaces it")


def _listed(names: Sequence[str]) -> str:
    more = f" … ({len(names)} in all)" if len(names) > _MOST_TOLD else ""
    return ", ".join(names[:_MOST_TOLD]) + more
