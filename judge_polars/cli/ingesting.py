"""`ingest`: case runs into the history, without judging them."""

from __future__ import annotations

from typing import Annotated

import typer

from judge_polars.cli import options
from judge_polars.cli.console import JudgingProgress
from judge_polars.cli.judging import ingested_line, tell_left_out
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry
from judge_polars.errors import EXIT_FINE
from judge_polars.workers import LOCAL

EXAMPLES = """
Examples:\n
\b
  judge-polars ingest runs/
  judge-polars ingest runs/ --check-content --jobs 4
  judge-polars ingest /shared/runs --history-dir /shared/history --engine ray --ray-address head:6379
"""


def ingest(
    runs: options.Runs,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    check_content: Annotated[
        bool, options.flag("--check-content", help="Read all files again, whatever their times say.")
    ] = False,
    jobs: options.Jobs = None,
    engine: options.EngineName = LOCAL,
    ray_address: options.RayAddress = None,
    workspaces_root: options.WorkspacesRoot = None,
    no_publish: Annotated[
        bool,
        options.flag(
            "--no-publish",
            help="Only add to the record: for many machines side by side; the next command publishes all.",
        ),
    ] = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Read case runs into the history; afterwards their files may be deleted.

    What the history has as it is is not read again: a call that was interrupted is completed by the next one.
    """
    from judge_polars.bundles import find_case_runs
    from judge_polars.engine import Engine
    from judge_polars.history.publish import publish
    from judge_polars.history.record import Record
    from judge_polars.ingest import ingest_places
    from judge_polars.judge import require_runs

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    workers = options.workers_of(jobs, engine, ray_address)
    book = open_registry(registry, talk).compile()
    found = find_case_runs(runs, book.limits)
    require_runs(runs, found)
    tell_left_out(found, talk)
    place = place_of_history(history_dir)
    with JudgingProgress(talk, doing="reading", done="read") as progress:
        done = ingest_places(
            place,
            Engine(book, workspaces_root),
            found,
            found.places,
            workers=workers,
            check_content=check_content,
            progress=progress,
        )
    if not no_publish:
        publish(Record.open(place))
    talk.say(ingested_line(done))
    return EXIT_FINE


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("ingest", epilog=EXAMPLES)(ingest)
