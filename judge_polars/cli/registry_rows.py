"""What a registry and a runs directory hold, as rows for `list` and `show`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from judge_polars.cli.console import Talk
from judge_polars.cli.selection import Selection

if TYPE_CHECKING:
    from judge_polars.rulebook import RuleBook

Row = dict[str, Any]


def suite_rows(book: RuleBook, selection: Selection) -> list[Row]:
    """A row per suite."""
    baselines = {baseline.suite_id: baseline.eval_run_id for baseline in book.baselines}
    return [
        {
            "suite": suite.id,
            "version": suite.version,
            "status": suite.status,
            "cases": len(suite.cases),
            "trials": suite.trials,
            "aggregate": suite.aggregate,
            "baseline_eligible": suite.baseline_eligible,
            "baseline": baselines.get(suite.id),
            "title": suite.title,
        }
        for suite in book.suites
        if not selection.suites or suite.id in selection.suites
    ]


def case_rows(book: RuleBook, selection: Selection) -> list[Row]:
    """A row per case."""
    return [
        {
            "case": case.id,
            "version": case.version,
            "status": case.status,
            "checks": len(case.checks),
            "trials": case.trials,
            "tags": list(case.tags),
            "suites": [suite.id for suite in book.suites if case.id in suite.cases],
            "title": case.title,
        }
        for case in selection.chosen_cases(book)
    ]


def baseline_rows(book: RuleBook, selection: Selection) -> list[Row]:
    """A row per baseline, with the verdicts that it remembers."""
    rows = []
    for baseline in book.baselines:
        if selection.suites and baseline.suite_id not in selection.suites:
            continue
        verdicts = [case.verdict for case in baseline.cases]
        counts = {verdict: verdicts.count(verdict) for verdict in ("pass", "fail", "invalid")}
        rows.append(
            {
                "suite": baseline.suite_id,
                "eval_run": baseline.eval_run_id,
                "promoted_at": baseline.promoted_at,
                "created_by": baseline.created_by,
                "cases": len(baseline.cases),
                **counts,
                "notes": baseline.notes,
            }
        )
    return rows


def check_rows(book: RuleBook, selection: Selection) -> list[Row]:
    """A row per check."""
    return [
        {
            "case": case.id,
            "bucket": check.bucket,
            "kind": check.layer or ("required" if check.required else "optional"),
            "weight": check.weight,
            "need": check.formula.need,
            "rules": len(check.formula.rules),
            "check": check.id,
        }
        for case in selection.chosen_cases(book)
        for check in case.checks
    ]


def run_rows(book: RuleBook, selection: Selection, roots: list[Path], talk: Talk) -> list[Row]:
    """Eval runs on disk; nothing is judged."""
    from judge_polars.bundles import find_case_runs
    from judge_polars.judge import require_runs
    from judge_polars.report.records import without_secrets

    found = find_case_runs(roots, book.limits)
    require_runs(roots, found)
    for root in found.empty_roots:
        talk.say(f"{root.root}: no case run: {root.reason}")
    records = {row["eval_run_id"]: row for row in found.eval_runs.iter_rows(named=True)}
    suites = {key: row["suite_id"] for key, row in records.items()}
    meant = selection.places(book, suites)
    places = [place for place in found.places if meant is None or meant(place)]
    known = {case.id for case in book.cases}
    rows = []
    for key, record in records.items():
        mine = [place for place in places if place.eval_run_id == key]
        if not mine and (meant is not None):
            continue
        said = {name: text and without_secrets(text) for name, text in record.items() if name.startswith("agent_")}
        rows.append(
            {
                "eval_run": key,
                "suite": record["suite_id"],
                "agent": " ".join(part for part in (said["agent_name"], said["agent_version"]) if part) or None,
                "model": said["agent_model"],
                "started_at": record["started_at"],
                "cases": len({place.case_id for place in mine}),
                "case_runs": len(mine),
                "unknown_cases": sorted({place.case_id for place in mine} - known),
            }
        )
    return rows


def stored_run_rows(selection: Selection, history: Path) -> list[Row]:
    """Eval runs of a history, with how their case runs were judged last.

    Raises:
        InputError: there is no history.
    """
    from judge_polars.history.store import open_history
    from judge_polars.report.records import without_secrets

    with open_history(history) as opened:
        rows = opened.sql(
            """
            select
                eval_run_counts.eval_run_id as eval_run,
                any_value(eval_runs.suite_id) as suite,
                any_value(eval_runs.agent_name || coalesce(' ' || eval_runs.agent_version, '')) as agent,
                any_value(eval_runs.agent_model) as model,
                any_value(eval_runs.started_at) as started_at,
                count(distinct case_runs.case_id) as cases,
                any_value(eval_run_counts.found) as case_runs,
                any_value(eval_run_counts.passed) as pass,
                any_value(eval_run_counts.failed) as fail,
                any_value(eval_run_counts.invalid) as invalid
            from eval_run_counts
            left join eval_runs using (eval_run_id)
            left join case_runs using (eval_run_id)
            group by eval_run_counts.eval_run_id
            order by started_at nulls last, eval_run
            """
        )
    chosen = [row for row in rows.iter_rows(named=True) if selection.fits_eval_run(row["eval_run"], row["suite"])]
    return [
        {**row, **{name: row[name] and without_secrets(row[name]) for name in ("agent", "model")}} for row in chosen
    ]
