"""`list`: what a registry and a runs directory hold."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry, registry_path
from judge_polars.cli.registry_rows import (
    baseline_rows,
    case_rows,
    check_rows,
    run_rows,
    stored_run_rows,
    suite_rows,
)
from judge_polars.cli.selection import Selection
from judge_polars.errors import EXIT_FINE, NothingSelectedError, UsageError

if TYPE_CHECKING:
    from judge_polars.rulebook import RuleBook

Row = dict[str, Any]

KINDS: Final = ("suites", "cases", "runs", "baselines", "checks")

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars list
  judge-polars list cases --tag latency
  judge-polars list checks --case 'tail-*' --format csv
  judge-polars list runs runs/
  judge-polars list runs                # those of the history
"""


def list_things(
    what: Annotated[
        str,
        options.argument(
            metavar="[suites|cases|runs|baselines|checks]", help="What to list; all, counted, without it."
        ),
    ] = "",
    runs: Annotated[
        list[Path] | None,
        options.argument(metavar="[RUNS]", help="For runs: where to look; without it in the history."),
    ] = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    suite: options.SuiteIds = None,
    case: options.CaseGlobs = None,
    tag: options.Tags = None,
    eval_run: options.EvalRuns = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """List what there is: suites, cases, eval runs, baselines, checks, with status and versions."""
    if what and what not in KINDS:
        raise UsageError(f"list {what}: one of {', '.join(KINDS)}")
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    selection = Selection.of(suite, case, tag, eval_run)
    outputs = Outputs(output_format, tuple(output or ()))
    book = open_registry(registry, talk).compile()
    if what == "runs" and not runs:
        rows = stored_run_rows(selection, place_of_history(history_dir))
    elif what == "runs":
        rows = run_rows(book, selection, runs or [], talk)
    else:
        rows = _ROWS[what](book, selection)
    if not rows:
        raise NothingSelectedError(
            f"there are no {what or 'things'}"
            + (" that are selected" if selection != Selection() else f" in {registry_path(registry)}")
        )
    from judge_polars.cli.rows_table import rows_view

    outputs.deliver(lambda wanted, width, colored: rows_view(rows, wanted, width, colored=colored), talk)
    return EXIT_FINE


def _overview(book: RuleBook, selection: Selection) -> list[Row]:
    counts = {kind: len(_ROWS[kind](book, selection)) for kind in KINDS if kind != "runs"}
    return [
        {"what": kind, "count": count, "to_see_them": f"judge-polars list {kind}"} for kind, count in counts.items()
    ]


_ROWS: Final[dict[str, Callable[[RuleBook, Selection], list[Row]]]] = {
    "": _overview,
    "suites": suite_rows,
    "cases": case_rows,
    "baselines": baseline_rows,
    "checks": check_rows,
}


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("list", epilog=EXAMPLES)(list_things)
