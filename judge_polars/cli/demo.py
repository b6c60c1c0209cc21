"""`demo`: the runs and the registry that ship, judged and compared with the baseline."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import rendered, show_bytes
from judge_polars.cli.evaluating import run_demo
from judge_polars.cli.judging import judged, verdicts_as
from judge_polars.cli.outputs import Outputs
from judge_polars.cli.places import DEMO_DIRECTORY, project_root
from judge_polars.cli.registries import as_typed, open_registry
from judge_polars.cli.selection import Selection
from judge_polars.errors import EXIT_FINE, MissingPieceError

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment


LIVE_RUNS: Final = ".judge_polars_demo_runs"


def demo(
    live: Annotated[
        bool,
        options.flag("--live", help="Run the demo's suite with the agent that ships, as a real process, and judge it."),
    ] = False,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Judge the runs that ship, compare them with the baseline, and say what to try next.

    The history of the demo lies in `.judge_polars_demo`, live runs in `.judge_polars_demo_runs`.
    """
    from judge_polars.gate import decide, parse_conditions

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    place = shipped_evaluation()
    registry, runs = place / "regression", place / "runs"
    talk.say(f"registry {as_typed(registry)}, runs {as_typed(runs)}: five nights of a made-up agent on three incidents")
    history = project_root() / DEMO_DIRECTORY
    opened = open_registry(registry, talk)
    if live:
        place = project_root() / LIVE_RUNS
        return run_demo(opened, place, Outputs("table"), talk, workers=options.workers_of(jobs), history=history)
    book = opened.compile()
    judgment = judged(
        [runs], book, Selection(), talk, workers=options.workers_of(jobs), purpose="demo", history=history
    )
    verdicts = judgment.verdicts
    gate = decide(judgment, verdicts, parse_conditions([]))

    def content(width: int, colored: bool) -> bytes:
        table = verdicts_as(
            "table", judgment, verdicts, gate.line, facts=False, issues=False, width=width, colored=colored
        )
        return table + b"\n" + next_steps(judgment, registry, runs, history, width=width, colored=colored)

    show_bytes(content, talk)
    return EXIT_FINE


def shipped_evaluation() -> Path:
    """`evaluation/` beside the package in a checkout, inside it in a wheel.

    Raises:
        MissingPieceError: neither is there.
    """
    package = Path(__file__).resolve().parent.parent
    for place in (package / "evaluation", package.parent / "evaluation"):
        if (place / "runs").is_dir() and (place / "regression").is_dir():
            return place
    raise MissingPieceError("the demo's runs are missing: reinstall judge-polars, or run it in a checkout")


def next_steps(judgment: Judgment, registry: Path, runs: Path, history: Path, *, width: int, colored: bool) -> bytes:
    """Commands to try next, on the same runs."""
    from rich.console import Group
    from rich.text import Text

    rubric = f"--registry {shlex.quote(str(as_typed(registry)))}"
    kept = f"--history-dir {shlex.quote(str(as_typed(history)))}"
    at = f"{shlex.quote(str(as_typed(runs)))} {rubric} {kept}"
    failed = next(
        iter(
            judgment.sql("select case_run_id from failures where verdict = 'fail' order by case_run_id desc limit 1")[
                "case_run_id"
            ]
        ),
        "",
    )
    database = shlex.quote(str(as_typed(history / "history.duckdb")))
    steps = [
        ("why did this run fail?", f"judge-polars explain {shlex.quote(failed)} {rubric} {kept}"),
        (
            "one file about the last eval run, to look at or to mail",
            f"judge-polars report {rubric} {kept} -o report.html",
        ),
        ("what there is to ask, in the plain shell", f'duckdb -readonly {database} -c "from help"'),
        ("or without it", f'judge-polars sql "from suite_trends" {kept}'),
        ("what would today's rubric make of the past?", f"judge-polars rejudge --what-if {rubric} {kept}"),
        ("trends as a page (pip install 'judge-polars[notebooks]')", f"judge-polars notebook run 01 {rubric} {kept}"),
        (
            "a gate for CI: exit code 1 when something regressed",
            f"judge-polars judge {at} --fail-on regression --fail-on incomplete",
        ),
        ("the same suite live, with an agent that ships", "judge-polars demo --live"),
        (
            "how a sentence is read",
            "judge-polars assert 'CPU hotspots were ruled out; the disk hung.' -p 'disk hung' -p 'cpu hot ?spots?'",
        ),
        ("is everything there?", "judge-polars doctor"),
    ]
    lines = [Text("Try next", style="bold")]
    for what, command in steps:
        lines += [Text(f"  {what}", style="dim"), Text(f"    {command}", no_wrap=True, overflow="ignore")]
    return rendered(Group(*lines), width=max(width, 400), colored=colored)


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("demo")(demo)
