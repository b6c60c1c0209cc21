"""`baseline list|show|diff|promote|verify`: the promoted snapshots of suites."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.completion import eval_run_ids, suite_ids
from judge_polars.cli.console import Talk, rendered, show_bytes
from judge_polars.cli.differing import MaxAgeDays, tell_age
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry
from judge_polars.cli.selection import nearest
from judge_polars.cli.sources import SomeRuns, open_source, open_source_if_any
from judge_polars.errors import EXIT_CONDITION_MET, EXIT_FINE, NothingSelectedError, UsageError

if TYPE_CHECKING:
    from judge_polars.baselines import BaselineUse, Plan, Verified
    from judge_polars.rulebook import Baseline, RuleBook
    from judge_polars.sources import Source

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars baseline list
  judge-polars baseline show core-daily-demo
  judge-polars baseline diff 2025-03-04-nightly runs/
  judge-polars baseline promote 2025-03-04-nightly runs/ --force --notes 'agent 1.1'
  judge-polars baseline verify runs/

Exit codes: 1 verify found something that does not hold; 2 a promotion was refused; 4 the scanner for secrets is missing.
"""

commands: Final = typer.Typer(
    no_args_is_help=True, help="Baselines: list, show, compare, promote, verify.", epilog=EXAMPLES
)
Format = Annotated[
    str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
]
EvalRun = Annotated[
    str, options.argument(metavar="EVAL_RUN", help="The eval run to promote.", autocompletion=eval_run_ids)
]
AllowLower = Annotated[
    bool, options.flag("--allow-lower", help="Let cases be lowered on fewer than 3 comparable trials.")
]


@commands.command("list")
def list_baselines(
    runs: SomeRuns = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    suite: options.SuiteIds = None,
    output_format: Format = "table",
    output: options.Outputs = None,
    max_age_days: MaxAgeDays = 14,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """List the baselines: how old they are, what they remember, and whether they were judged as one would judge today."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()))
    opened = open_registry(registry, talk)
    book = opened.compile()
    from judge_polars.cli.baseline_views import listed_row
    from judge_polars.cli.rows_table import rows_view

    rows = []
    with open_source_if_any(history_dir, runs, opened, talk) as source:
        for baseline in chosen_baselines(book, suite):
            use = _use(baseline, book, source)
            tell_age(use, max_age_days, talk)
            rows.append(listed_row(baseline, use))
    outputs.deliver(lambda wanted, width, colored: rows_view(rows, wanted, width, colored=colored), talk)
    return EXIT_FINE


@commands.command("show")
def show(
    suite: Annotated[str, options.argument(metavar="SUITE", help="The suite.", autocompletion=suite_ids)],
    runs: SomeRuns = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="table|json", help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    max_age_days: MaxAgeDays = 14,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Show the baseline of a suite: case by case, what it remembers."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()), ("table", "json"))
    opened = open_registry(registry, talk)
    book = opened.compile()
    [baseline] = chosen_baselines(book, [suite])
    with open_source_if_any(history_dir, runs, opened, talk) as source:
        use = _use(baseline, book, source)
    tell_age(use, max_age_days, talk)

    from judge_polars.cli.baseline_views import shown_as

    outputs.deliver(lambda wanted, width, colored: shown_as(wanted, baseline, use, width, colored=colored), talk)
    return EXIT_FINE


@commands.command("diff")
def diff(
    eval_run: EvalRun,
    runs: SomeRuns = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    allow_lower: AllowLower = False,
    output_format: Format = "table",
    output: options.Outputs = None,
    max_age_days: MaxAgeDays = 14,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Show what promoting an eval run would change, and what speaks against it; nothing is written."""
    from judge_polars.baselines import plan_promotion

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()))
    opened = open_registry(registry, talk)
    book = opened.compile()
    with open_source(history_dir, runs, opened, talk) as source:
        plan = plan_promotion(source, eval_run, book, allow_lower=allow_lower)
        use = _tell_before(plan, book, source, max_age_days, talk)
    from judge_polars.cli.baseline_views import plan_as

    outputs.deliver(lambda wanted, width, colored: plan_as(wanted, plan, use, width, colored=colored), talk)
    if output_format != "table":
        for refusal in plan.refusals:
            talk.say(f"would be refused: {refusal.message} [{refusal.code}]")
    return EXIT_FINE


@commands.command("promote")
def promote(
    eval_run: EvalRun,
    runs: SomeRuns = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    notes: Annotated[str, options.option("--notes", metavar="TEXT", help="Why it is promoted.")] = "",
    created_by: Annotated[
        str | None, options.option("--by", metavar="NAME", help="Who promotes it; default: this user.")
    ] = None,
    allow_lower: AllowLower = False,
    force: Annotated[bool, options.flag("--force", help="Replace a manifest and an export that are there.")] = False,
    without_scanner: Annotated[
        bool,
        options.flag("--without-scanner", help="Mask secrets by our own patterns where the extra redact is missing."),
    ] = False,
    max_age_days: MaxAgeDays = 14,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Make an eval run the baseline of its suite: write the manifest, export what comparing needs, mask secrets."""
    from judge_polars.baselines import plan_promotion
    from judge_polars.baselines import promote as write_baseline

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    opened = open_registry(registry, talk)
    book = opened.compile()
    with open_source(history_dir, runs, opened, talk) as source:
        plan = plan_promotion(source, eval_run, book, created_by=created_by, notes=notes, allow_lower=allow_lower)
        _tell_before(plan, book, source, max_age_days, talk)
        done = write_baseline(source, plan, opened.root, book, force=force, own_patterns=without_scanner)
    keep_in_history(history_dir, registry, talk)
    from judge_polars.cli.baseline_views import promoted_view

    show_bytes(lambda width, colored: rendered(promoted_view(done, opened, width), width=width, colored=colored), talk)
    return EXIT_FINE


def keep_in_history(history_dir: Path | None, registry: Path | None, talk: Talk) -> None:
    """Tell the history of the registry's new baseline, where there is a history."""
    from judge_polars.chronicle import keep_registry
    from judge_polars.engine import Engine
    from judge_polars.history.publish import publish
    from judge_polars.history.record import MARKER, Record

    place = place_of_history(history_dir)
    if not (place / MARKER).exists():
        return
    record = Record.open(place)
    keep_registry(record, Engine(open_registry(registry, talk).compile()))
    publish(record)


@commands.command("verify")
def verify(
    runs: SomeRuns = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    suite: options.SuiteIds = None,
    output_format: Format = "table",
    output: options.Outputs = None,
    max_age_days: MaxAgeDays = 14,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Tell whether baselines still hold: suite and rubric, exported files, and their eval runs judged again.

    Exit code 1 when something does not hold.
    """
    from judge_polars.baselines import verify as verify_baseline

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()))
    opened = open_registry(registry, talk)
    book = opened.compile()
    told: list[Verified] = []
    with open_source_if_any(history_dir, runs, opened, talk) as source:
        for baseline in chosen_baselines(book, suite):
            told += verify_baseline(baseline, book, opened.root, source)
            tell_age(_age(baseline, book, source), max_age_days, talk)
    from judge_polars.cli.baseline_views import verified_as

    outputs.deliver(lambda wanted, width, colored: verified_as(wanted, told, width, colored=colored), talk)
    return EXIT_CONDITION_MET if any(one.holds is False for one in told) else EXIT_FINE


def chosen_baselines(book: RuleBook, suites: Sequence[str] | None) -> list[Baseline]:
    """The baselines of these suites; all without any.

    Raises:
        UsageError: a suite has none.
        NothingSelectedError: the registry has none at all.
    """
    known = {baseline.suite_id: baseline for baseline in book.baselines}
    for suite in suites or ():
        if suite not in known:
            raise UsageError(f"the suite {suite} has no baseline{nearest(suite, known)}")
    if not known:
        raise NothingSelectedError("the registry has no baseline; `judge-polars baseline promote EVAL_RUN` makes one")
    return [baseline for key, baseline in known.items() if not suites or key in suites]


def _use(baseline: Baseline, book: RuleBook, source: Source | None, *, again: bool = True) -> BaselineUse:
    from judge_polars.baselines import baseline_use

    return baseline_use(baseline, book, datetime.now(UTC), source, again=again)


def _age(baseline: Baseline, book: RuleBook, source: Source | None) -> BaselineUse:
    """How old it is and under which semantics it was judged; the verification itself tells the rest."""
    from dataclasses import replace

    return replace(_use(baseline, book, source, again=False), rubric_changed=())


def _tell_before(plan: Plan, book: RuleBook, source: Source, max_age_days: int, talk: Talk) -> BaselineUse | None:
    """Warn of the baseline that a promotion is compared with, and of an eval run that another rubric judged."""
    use = None if plan.before is None else _use(plan.before, book, source)
    tell_age(use, max_age_days, talk)
    if plan.other_rubric:
        talk.say(
            f"warning: {', '.join(plan.other_rubric)}: judged by another rubric than the registry's; "
            "run `judge-polars rejudge` first"
        )
    return use


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.add_typer(commands, name="baseline")
