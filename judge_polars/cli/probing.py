"""`probe`: made-up runs that test a rubric, not an agent."""

from __future__ import annotations

from collections.abc import Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.completion import case_ids
from judge_polars.cli.console import JudgingProgress, Talk, rendered
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.registries import as_typed, open_registry, registry_path
from judge_polars.cli.selection import nearest
from judge_polars.errors import EXIT_CONDITION_MET, EXIT_FINE, InputError, UsageError

if TYPE_CHECKING:
    from judge_polars.probe.probing import Report
    from judge_polars.rulebook import Case, RuleBook

RUNS_BESIDE: Final = "runs"
"""A directory beside the registry in which runs are looked for when none are named."""

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars probe
  judge-polars probe tail-latency-surge-during-incident-window runs/
  judge-polars probe 'tail-*' runs/ --most 1 --format json

Exit code 1: an empty, generic, stuffed or denying answer can pass, a reference*.md does not pass every diagnosis
check, or the reference_run is no pass.
"""


def probe_rubrics(
    case: Annotated[
        str,
        options.argument(metavar="[CASE]", help="A case's id or a glob; all without it.", autocompletion=case_ids),
    ] = "",
    runs: Annotated[
        list[Path] | None,
        options.argument(
            metavar="[RUNS]...", help="Where passing runs are looked for; else runs/ beside the registry."
        ),
    ] = None,
    most: Annotated[
        int | None,
        options.option("--most", min=1, metavar="N", help="Passing runs of a case that are spoilt; all without it."),
    ] = None,
    registry: options.RegistryDir = None,
    workspaces_root: options.WorkspacesRoot = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Test the rubrics with made-up runs: what must not pass, what must, and what no check notices."""
    from judge_polars.probe.probing import probe

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()))
    book = open_registry(registry, talk).compile()
    named = list(runs or ())
    if case and not _fitting(case, book) and Path(case).is_dir():
        named, case = [Path(case), *named], ""
    cases = chosen_cases(case, book)
    places = named or _runs_beside(registry, book, talk)
    with JudgingProgress(talk) as progress:
        report = probe(book, cases, places, most=most, workspaces_root=workspaces_root, progress=progress)
    _tell_passing(report, talk)

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "table":
            from judge_polars.cli.probe_table import probe_view

            return rendered(probe_view(report, width, whole=talk.verbose), width=width, colored=colored)
        from judge_polars.report.rows import rows_as

        rows = [outcome.as_row() for outcome in report.outcomes]
        return rows_as(wanted, rows, list(rows[0]))

    outputs.deliver(content, talk)
    return EXIT_FINE if report.is_sound else EXIT_CONDITION_MET


def _fitting(case: str, book: RuleBook) -> list[Case]:
    return [one for one in book.cases if one.id == case or fnmatchcase(one.id, case)]


def chosen_cases(case: str, book: RuleBook) -> Sequence[Case]:
    """The cases whose id is named or fits a glob; all for an empty name.

    Raises:
        UsageError: there is none.
    """
    cases = _fitting(case, book) if case else book.cases
    if not cases:
        name = f"probe {case}" if case else "probe"
        raise UsageError(f"{name}: the registry has no such case{nearest(case, (one.id for one in book.cases))}")
    return cases


def _runs_beside(registry: Path | None, book: RuleBook, talk: Talk) -> list[Path]:
    """`runs/` beside the registry, where it holds case runs; without runs only answers are probed."""
    from judge_polars.bundles import find_case_runs
    from judge_polars.judge import require_runs

    beside = as_typed(registry_path(registry).resolve().parent / RUNS_BESIDE)
    try:
        if beside.is_dir():
            require_runs([beside], find_case_runs([beside], book.limits))
            talk.detail(f"passing runs are looked for in {beside}")
            return [beside]
    except InputError:
        pass
    talk.say("no runs are named: only answers are probed, on bundles without evidence; judge-polars probe CASE RUNS...")
    return []


def _tell_passing(report: Report, talk: Talk) -> None:
    """Say of which cases no passing run is known, and where some were left out."""
    for case, (spoilt, passing) in report.passing.items():
        if not passing:
            talk.say(f"{case}: no passing run is known, so none is spoilt, and only its diagnosis bucket is probed")
        elif spoilt < passing:
            talk.detail(f"{case}: {spoilt} of {passing} passing runs are spoilt (--most)")


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("probe", epilog=EXAMPLES)(probe_rubrics)
