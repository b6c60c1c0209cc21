"""`judge`: verdicts of case runs, kept in the history or in memory alone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.announcing import Announcing
from judge_polars.cli.console import JudgingProgress, Talk, rendered
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry
from judge_polars.cli.selection import Selection, nearest, suites_of_eval_runs
from judge_polars.errors import EXIT_CONDITION_MET, EXIT_FINE, NothingSelectedError
from judge_polars.workers import ALONE, LOCAL, Workers

if TYPE_CHECKING:
    import polars as pl

    from judge_polars.bundles import Found
    from judge_polars.ingest import Ingested
    from judge_polars.judgment import Judgment
    from judge_polars.rulebook import RuleBook

MOST_TOLD: Final = 5

EXAMPLES = """
Examples:\n
\b
  judge-polars judge runs/
  judge-polars judge runs/2025-03-05-nightly --case 'tail-*' --verdict fail
  judge-polars judge runs/ -o verdicts.csv -o verdicts.jsonl --facts --issues
  judge-polars judge runs/ --fail-on regression --fail-on incomplete
"""


def judge(
    runs: options.Runs,
    registry: options.RegistryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    facts: Annotated[bool, options.flag("--facts", help="In JSON: every fact of every case run.")] = False,
    issues: Annotated[bool, options.flag("--issues", help="In JSON: what was odd about every case run.")] = False,
    suite: options.SuiteIds = None,
    case: options.CaseGlobs = None,
    tag: options.Tags = None,
    eval_run: options.EvalRuns = None,
    verdict: options.Verdicts = None,
    where: options.Where = None,
    fail_on: options.FailOn = None,
    junit_xml: options.JunitXml = None,
    github: options.Github = False,
    jobs: options.Jobs = None,
    engine: options.EngineName = LOCAL,
    ray_address: options.RayAddress = None,
    workspaces_root: options.WorkspacesRoot = None,
    no_history: Annotated[bool, options.flag("--no-history", help="Judge in memory and keep nothing.")] = False,
    history_dir: options.HistoryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Judge case runs, keep the verdicts in the history, and show them."""
    from judge_polars.gate import decide, parse_conditions

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    conditions = parse_conditions(fail_on or [])
    selection = Selection.of(suite, case, tag, eval_run, verdict, where)
    outputs = Outputs(output_format, tuple(output or ()))
    announcing = Announcing(junit_xml, github)
    book = open_registry(registry, talk).compile()
    judgment = judged(
        runs,
        book,
        selection,
        talk,
        workers=options.workers_of(jobs, engine, ray_address),
        workspaces_root=workspaces_root,
        facts=facts,
        history=None if no_history else place_of_history(history_dir),
    )
    verdicts = selection.rows(judgment)
    gate = decide(judgment, verdicts, conditions)
    announcing.tell(judgment, gate, talk, case_runs=verdicts["case_run_id"].to_list())

    def content(wanted: str, width: int, colored: bool) -> bytes:
        return verdicts_as(
            wanted, judgment, verdicts, gate.line, facts=facts, issues=issues, width=width, colored=colored
        )

    outputs.deliver(content, talk)
    if output_format != "table":
        talk.say(gate.line)
    return EXIT_CONDITION_MET if gate.met else EXIT_FINE


def judged(
    runs: list[Path],
    book: RuleBook,
    selection: Selection,
    talk: Talk,
    *,
    workers: Workers = ALONE,
    workspaces_root: Path | None = None,
    facts: bool = False,
    purpose: str = "judge",
    history: Path | None = None,
) -> Judgment:
    """Judge the case runs that are meant, with progress; what is odd about the runs as a whole is told.

    With `history` they are kept in the history in that directory, and case runs that it has as they are are not read again.

    Raises:
        InputError, NothingSelectedError, UsageError: as `judge_runs` and `Selection` say.
        NothingSelectedError: no case run is of a case that the registry knows.
    """
    from judge_polars.judge import Options, judge_runs

    suites = suites_of_eval_runs(runs, book) if selection.suites else {}
    with JudgingProgress(talk) as progress:
        wanted = Options(
            workers=workers,
            facts=facts,
            workspaces_root=workspaces_root,
            select=selection.places(book, suites),
            progress=progress,
            purpose=purpose,
        )
        if history is None:
            judgment = judge_runs(runs, book, wanted)
        else:
            from judge_polars.chronicle import judge_files

            judgment = judge_files(runs, book, history, wanted, ingested=lambda done: talk.detail(ingested_line(done)))
    tell_oddities(judgment, book, talk)
    return narrowed(judgment, book, selection)


def ingested_line(done: Ingested) -> str:
    """What an ingest did, in words."""
    return (
        f"read into the history: {done.new:,} new, {done.changed:,} changed; {done.unchanged:,} were there as they are"
    )


def tell_left_out(found: Found, talk: Talk) -> None:
    """Say which roots have no case runs, which directories are none, and which hold a case run that another one holds, too."""
    for root in found.empty_roots:
        talk.say(f"{root.root}: no case run: {root.reason}")
    odd = found.issues.select("case_run_id", "document", "detail")
    for place, document, detail in odd.head(MOST_TOLD).iter_rows():
        talk.say(f"{'/'.join(filter(None, (place, document)))}: {detail}")
    if odd.height > MOST_TOLD:
        talk.say(f"… and {odd.height - MOST_TOLD} more that are left out")
    for double in found.duplicates[:MOST_TOLD]:
        talk.say(f"{double.case_run_id}: left out {double.left_out}, {double.kept} is read")
    if len(found.duplicates) > MOST_TOLD:
        talk.say(f"… and {len(found.duplicates) - MOST_TOLD} more case runs that are there twice")


def tell_oddities(judgment: Judgment, book: RuleBook, talk: Talk) -> None:
    """Say what was left out: roots without case runs, directories that are none, those of the same case run, unknown cases.

    Raises:
        NothingSelectedError: the registry knows none of the cases.
    """
    assert judgment.origin is not None
    tell_left_out(judgment.origin.found, talk)
    if not judgment.unknown:
        return
    cases = sorted({key.rsplit("/", 2)[1] for key in judgment.unknown})
    near = nearest(cases[0], (case.id for case in book.cases)) if len(cases) == 1 else ""
    more = f" … ({len(cases)} cases)" if len(cases) > MOST_TOLD else ""
    listed = ", ".join(cases[:MOST_TOLD]) + more
    message = f"{len(judgment.unknown):,} case runs are not judged: the registry does not know {listed}{near}"
    if judgment.frames["judged_case_runs"].is_empty():
        raise NothingSelectedError(message)
    talk.say(message)


def narrowed(judgment: Judgment, book: RuleBook, selection: Selection) -> Judgment:
    """The judgment without what the selection leaves out of suites, baselines and eval runs."""
    cases = [case.id for case in book.cases if selection.fits_case(case.id, case.tags)] if selection.of_cases else None
    eval_runs = None
    if selection.suites or selection.eval_runs:
        rows = judgment.frames["eval_runs"].select("eval_run_id", "suite_id").iter_rows()
        judged = set(judgment.frames["case_runs"]["eval_run_id"])
        eval_runs = [key for key, suite in rows if key in judged or selection.fits_eval_run(key, suite)]
    return judgment.narrowed(cases=cases, eval_runs=eval_runs)


def verdicts_as(
    wanted: str,
    judgment: Judgment,
    verdicts: pl.DataFrame,
    gate_line: str,
    *,
    facts: bool,
    issues: bool,
    width: int,
    colored: bool,
) -> bytes:
    """The verdicts in a format."""
    if wanted == "table":
        from judge_polars.cli.verdict_table import verdict_table

        return rendered(verdict_table(judgment, verdicts, gate_line, width=width), width=width, colored=colored)
    from judge_polars.report.formats import WRITERS

    return WRITERS[wanted](judgment, verdicts, facts=facts, issues=issues)


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("judge", epilog=EXAMPLES)(judge)
