"""What the `baseline` commands show: rows for every format, and views for terminals."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import orjson
from rich.console import Group, RenderableType
from rich.padding import Padding
from rich.text import Text

from judge_polars.baselines import BaselineUse, Plan, Promotion, Verified
from judge_polars.baselines.difference import COLUMNS
from judge_polars.baselines.export import LISTING
from judge_polars.baselines.snapshot import manifest_record
from judge_polars.cli.console import rendered
from judge_polars.cli.difference_table import case_blocks, counts_line
from judge_polars.cli.rows_table import rows_table
from judge_polars.cli.showing import record_view
from judge_polars.printable import printable
from judge_polars.registry import Registry
from judge_polars.report.rows import rows_as
from judge_polars.rulebook import Baseline

Row = dict[str, Any]


def listed_row(baseline: Baseline, use: BaselineUse) -> Row:
    """A baseline as a row of `baseline list`."""
    verdicts = [case.verdict for case in baseline.cases]
    return {
        "suite": baseline.suite_id,
        "eval_run": baseline.eval_run_id,
        "promoted_at": baseline.promoted_at,
        "age_days": use.age_days,
        "age_eval_runs": use.age_eval_runs,
        "cases": len(baseline.cases),
        **{verdict: verdicts.count(verdict) for verdict in ("pass", "fail", "invalid")},
        "created_by": baseline.created_by,
        "state": use.judged_text,
    }


def shown_as(wanted: str, baseline: Baseline, use: BaselineUse, width: int, *, colored: bool) -> bytes:
    """A baseline as `baseline show` tells it; `json` is its manifest."""
    if wanted == "json":
        return orjson.dumps(manifest_record(baseline), option=orjson.OPT_INDENT_2) + b"\n"
    record = {
        "suite": f"{baseline.suite_id} v{baseline.suite_version}",
        "eval_run": baseline.eval_run_id,
        "judgment": baseline.judgment_id,
        "promoted_at": baseline.promoted_at,
        "age": use.age_text,
        "state": use.judged_text,
        "created_by": baseline.created_by,
        "notes": baseline.notes or None,
        "cases": [
            {
                "case": case.case_id,
                "verdict": case.verdict,
                "passed": f"{case.passed_trials}/{case.trials}",
                "score": case.score,
                "of": case.max_score,
                "version": case.case_version,
                "code": case.primary_failure_code,
            }
            for case in baseline.cases
        ],
    }
    return rendered(record_view(record, width), width=width, colored=colored)


def plan_as(wanted: str, plan: Plan, use: BaselineUse | None, width: int, *, colored: bool) -> bytes:
    """What a promotion would change, in a format; `json` holds the refusals, too."""
    columns = [*COLUMNS, "case_version", "other_case_version", "comparable"]
    rows = [{name: row[name] for name in columns} for row in plan.changes]
    if wanted == "json":
        refused = [{"code": one.code, "message": one.message} for one in plan.refusals]
        before = None if plan.before is None else plan.before.eval_run_id
        record = {
            "suite_id": plan.baseline.suite_id,
            "eval_run_id": plan.baseline.eval_run_id,
            "other_eval_run_id": before,
            "baseline": None if use is None else use.as_record(),
            "refusals": refused,
            "cases": rows,
            "manifest": manifest_record(plan.baseline),
        }
        return orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n"
    if wanted != "table":
        return rows_as(wanted, rows, columns)
    return rendered(_plan_table(plan, use), width=width, colored=colored)


def _plan_table(plan: Plan, use: BaselineUse | None) -> RenderableType:
    new = plan.baseline
    title = f"{new.eval_run_id} as the baseline of {new.suite_id}"
    if use is not None:
        title += f", in the place of {use.eval_run_id} ({use.age_text})"
    counts = Counter(row["change"] for row in plan.changes)
    parts: list[RenderableType] = [Text(printable(title), style="bold", overflow="fold"), counts_line(counts), Text()]
    parts += case_blocks(plan.changes)
    if not plan.refusals:
        return Group(*parts, Text("✓ nothing speaks against it", style="green"))
    parts.append(Text("✗ promotion would be refused", style="bold red"))
    parts += [
        Padding(Text(printable(f"{one.message} [{one.code}]"), overflow="fold"), (0, 0, 0, 2)) for one in plan.refusals
    ]
    return Group(*parts)


def promoted_view(done: Promotion, opened: Registry, width: int) -> RenderableType:
    """What a promotion wrote."""
    size = sum(bytes_of for bytes_of, _ in done.export.files.values())
    record = {
        "promoted": f"✓ {done.plan.baseline.eval_run_id}, the baseline of {done.plan.baseline.suite_id}",
        "cases": len(done.plan.baseline.cases),
        "manifest": str(done.manifest),
        "export": f"{done.directory}: {len(done.export.files)} files, {size / 1024:,.0f} KiB",
        "left_out": _tally(one.reason for one in done.export.left_out),
        "masked": _tally(place.kind for place in done.export.masked),
        "listed_in": str(done.directory / LISTING),
        "next": f"look at both, then commit {opened.root / 'baselines'}",
    }
    return record_view(record, width)


def _tally(names: Iterable[str]) -> str:
    counted = sorted(Counter(names).items())
    return ", ".join(f"{name.replace('_', ' ')} {count}" for name, count in counted) or "nothing"


def verified_as(wanted: str, told: Sequence[Verified], width: int, *, colored: bool) -> bytes:
    """What was verified, in a format."""
    rows: list[Row] = [
        {"suite": one.suite_id, "what": one.what, "holds": one.holds, "found": one.found} for one in told
    ]
    if wanted != "table":
        return rows_as(wanted, rows, list(rows[0]))
    words = {True: "✓ holds", False: "✗ does not hold", None: "– not known"}
    return rendered(
        rows_table([row | {"holds": words[row["holds"]]} for row in rows], width), width=width, colored=colored
    )
