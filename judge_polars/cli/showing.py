"""`show`: one case, suite, baseline or eval run."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import rendered
from judge_polars.cli.outputs import Outputs
from judge_polars.cli.registries import open_registry
from judge_polars.cli.registry_rows import case_rows, suite_rows
from judge_polars.cli.selection import Selection, nearest
from judge_polars.errors import EXIT_FINE, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from judge_polars.rulebook import Case, RuleBook

Row = dict[str, Any]

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars show tail-latency-surge-during-incident-window
  judge-polars show core-daily-demo
  judge-polars show 2025-03-05-nightly runs/
"""


def show(
    name: Annotated[
        str, options.argument(metavar="X", help="A case, a suite, a baseline's suite or eval run, an eval run.")
    ],
    runs: Annotated[
        list[Path] | None, options.argument(metavar="[RUNS]", help="For an eval run: where to look.")
    ] = None,
    registry: options.RegistryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="table|json", help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Show one thing: a case with its checks and rules, a suite with its cases and baseline, an eval run with its case runs."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()), ("table", "json"))
    book = open_registry(registry, talk).compile()
    record = shown_record(name, book, runs or [])

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "json":
            from judge_polars.report.rows import rows_as

            return rows_as("json", [record], list(record))
        return rendered(record_view(record, width), width=width, colored=colored)

    outputs.deliver(content, talk)
    return EXIT_FINE


def shown_record(name: str, book: RuleBook, roots: list[Path]) -> Row:
    """What there is to know of the thing of that name; lists of rows are shown as tables.

    Raises:
        UsageError: there is nothing of that name; the nearest ones are told.
    """
    case = book.case(name)
    if case is not None:
        return _case_record(case, book)
    for suite in book.suites:
        if suite.id == name:
            return {
                **suite_rows(book, Selection(suites=(name,)))[0],
                **_baseline_record(name, book),
                "cases": _cases_in_order(book, suite.cases),
            }
    for baseline in book.baselines:
        if baseline.eval_run_id == name and not roots:
            return {"suite": baseline.suite_id, **_baseline_record(baseline.suite_id, book)}
    known = [case.id for case in book.cases] + [suite.id for suite in book.suites]
    if roots:
        from judge_polars.bundles import find_case_runs
        from judge_polars.report.records import without_secrets

        found = find_case_runs(roots, book.limits)
        for row in found.eval_runs.iter_rows(named=True):
            if row["eval_run_id"] == name:
                mine = [place for place in found.places if place.eval_run_id == name]
                return {
                    **{
                        name: without_secrets(value) if isinstance(value, str) else value for name, value in row.items()
                    },
                    "case_runs": [
                        {"case": place.case_id, "trial": place.trial, "directory": place.directory} for place in mine
                    ],
                }
        known += found.eval_runs["eval_run_id"].to_list()
    raise UsageError(f"show {name}: no case, suite or eval run has that name{nearest(name, known)}")


def _cases_in_order(book: RuleBook, ids: tuple[str, ...]) -> list[Row]:
    rows = {row["case"]: row for row in case_rows(book, Selection())}
    return [rows[case_id] for case_id in ids if case_id in rows]


def _baseline_record(suite_id: str, book: RuleBook) -> Row:
    baseline = next((one for one in book.baselines if one.suite_id == suite_id), None)
    if baseline is None:
        return {"baseline": None}
    cases = [
        {
            "case": case.case_id,
            "version": case.case_version,
            "verdict": case.verdict,
            "passed": f"{case.passed_trials}/{case.trials}",
            "score": case.score,
            "code": case.primary_failure_code,
        }
        for case in baseline.cases
    ]
    return {
        "baseline": baseline.eval_run_id,
        "promoted_at": baseline.promoted_at,
        "created_by": baseline.created_by,
        "notes": baseline.notes,
        "baseline_cases": cases,
    }


def _case_record(case: Case, book: RuleBook) -> Row:
    from judge_polars.book_tables import duration_text, rule_text

    buckets = {bucket.name: bucket for bucket in case.buckets}
    return {
        "case": case.id,
        "version": case.version,
        "title": case.title,
        "status": case.status,
        "tags": list(case.tags),
        "suites": [suite.id for suite in book.suites if case.id in suite.cases],
        "cluster_id": case.cluster_id,
        "window": [case.window.start, case.window.end],
        "trials": case.trials,
        "timeout": duration_text(case.timeout_us),
        "digest": case.digest,
        "buckets": [
            {
                "bucket": name,
                "max_score": bucket.max_score
                if bucket.hard_max_score is None
                else bucket.hard_max_score + (bucket.supporting_weight or 0),
                "checks": sum(check.bucket == name for check in case.checks),
            }
            for name, bucket in buckets.items()
        ],
        "checks": [
            {
                "bucket": check.bucket,
                "check": check.id,
                "kind": check.layer or ("required" if check.required else "optional"),
                "weight": check.weight,
                "need": check.formula.need,
                "rules": list(map(rule_text, check.formula.rules)),
            }
            for check in case.checks
        ],
    }


def record_view(record: Row, width: int) -> RenderableType:
    """A record: its plain values as lines, its lists of rows as tables below, checks with their rules one below the other."""
    from rich.console import Group
    from rich.padding import Padding
    from rich.text import Text

    from judge_polars.cli.rows_table import plain_table, rows_table
    from judge_polars.printable import printable
    from judge_polars.report.rows import cell_text

    table = plain_table("what", "value", header=False)
    parts: list[RenderableType] = [table]
    for key, value in record.items():
        label = key.replace("_", " ")
        if isinstance(value, list) and value and isinstance(value[0], dict):
            body = (
                Group(*_rule_lines(value)) if "rules" in value[0] and key == "checks" else rows_table(value, width - 2)
            )
            parts += [Text(), Text(label, style="bold"), Padding(body, (0, 0, 0, 2))]
        elif value is not None and value != []:
            table.add_row(Text(label, style="dim"), Text(printable(cell_text(value))))
    return Group(*parts)


def _rule_lines(checks: list[Row]) -> Iterator[RenderableType]:
    """Checks, each with its rules below it, by bucket."""
    from rich.padding import Padding
    from rich.text import Text

    from judge_polars.printable import printable

    bucket = None
    for check in checks:
        if check["bucket"] != bucket:
            bucket = check["bucket"]
            yield Text(bucket.replace("_", " "), style="bold")
        kind = f"{check['kind']}, weight {check['weight']:g}"
        need = f", {check['need']} of {len(check['rules'])} rules" if len(check["rules"]) > 1 else ""
        yield Padding(Text(f"{check['check']} ({kind}{need})"), (0, 0, 0, 2))
        for rule in check["rules"]:
            yield Padding(Text(printable(rule), style="dim", overflow="fold"), (0, 0, 0, 4))


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("show", epilog=EXAMPLES)(show)
