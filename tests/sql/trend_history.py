"""Eval runs of one suite over time, for the tests of the trends."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any

from scipy.stats import binomtest

from tests.sql.history_builder import DAY_1, History


def started(number: int) -> datetime:
    """When eval run `r<number>` started."""
    return DAY_1 + timedelta(days=number)


def suite_of(history: History, *case_ids: str, trials: int = 1) -> None:
    """The suite suite-a with cases of `History.case_of_verdicts`, of which there are two revisions, and a judgment."""
    history.add("suites", {"suite_id": "suite-a", "suite_digest": "s", "trials": trials})
    for case_id in case_ids:
        history.add("suite_cases", {"suite_digest": "s", "suite_id": "suite-a", "case_id": case_id})
        history.case_of_verdicts(f"{case_id}@1")
        history.case_of_verdicts(f"{case_id}@2")
    history.add("judgments", {"judgment_id": "j1"})


def eval_run(
    history: History,
    number: int,
    cases: Mapping[str, Sequence[str]],
    record: Mapping[str, Any] | None = None,
    **columns: Any,
) -> None:
    """Eval run `r<number>` with the verdicts of the trials of each case (`case`, or `case@revision`)."""
    history.add("eval_runs", {"eval_run_id": f"r{number}", "started_at": started(number), **(record or {})})
    for case, verdicts in cases.items():
        case_id, _, revision = case.partition("@")
        for trial, verdict in enumerate(verdicts, start=1):
            digest = f"{case_id}@{revision or 1}"
            history.trial(f"r{number}/{case_id}/{trial}", verdict, case_digest=digest, **columns)


def interval(successes: int, trials: int) -> tuple[float, float]:
    """The 95 % Wilson interval."""
    found = binomtest(successes, trials).proportion_ci(method="wilson")
    return found.low, found.high
