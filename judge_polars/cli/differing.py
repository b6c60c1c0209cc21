"""`diff`: an eval run against the baseline of its suite, or against another eval run."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.announcing import Announcing
from judge_polars.cli.completion import eval_run_ids
from judge_polars.cli.console import Talk, rendered
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.registries import open_registry
from judge_polars.cli.sources import SomeRuns, open_source
from judge_polars.errors import EXIT_CONDITION_MET, EXIT_FINE, UsageError

if TYPE_CHECKING:
    from judge_polars.baselines import BaselineUse, Difference
    from judge_polars.rulebook import RuleBook
    from judge_polars.sources import Source

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars diff 2025-03-06-nightly
  judge-polars diff 2025-03-06-nightly runs/ --against 2025-03-04-nightly
  judge-polars diff 2025-03-06-nightly runs/ --format markdown --fail-on regression --fail-on invalid-shift

Exit code 1: a --fail-on rule was met.
"""

MaxAgeDays = Annotated[
    int,
    options.option("--max-age-days", metavar="N", min=0, help="Warn of a baseline that is older; default: 14."),
]
FailOn = Annotated[
    list[str] | None,
    options.option(
        "--fail-on",
        metavar="RULE",
        help="End with exit code 1 on: regression, incomplete (both the default), never, invalid, fail, "
        "invalid-rate:P, invalid-shift; repeatable.",
    ),
]


def diff(
    eval_run: Annotated[
        str, options.argument(metavar="EVAL_RUN", help="The eval run to look at.", autocompletion=eval_run_ids)
    ],
    runs: SomeRuns = None,
    baseline: Annotated[
        bool, options.flag("--baseline", help="Against the active baseline of its suite: the default.")
    ] = False,
    against: Annotated[
        str | None,
        options.option("--against", metavar="EVAL_RUN", help="Against this eval run.", autocompletion=eval_run_ids),
    ] = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    fail_on: FailOn = None,
    junit_xml: options.JunitXml = None,
    github: options.Github = False,
    max_age_days: MaxAgeDays = 14,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Show what regressed: each case that changed, the first bucket that got worse, and whether it may be noise."""
    if baseline and against is not None:
        raise UsageError("--baseline and --against: say one of them")
    from judge_polars.baselines.gate import DEFAULT, decide
    from judge_polars.gate import parse_conditions

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    conditions = parse_conditions(fail_on or list(DEFAULT))
    outputs = Outputs(output_format, tuple(output or ()))
    announcing = Announcing(junit_xml, github)
    opened = open_registry(registry, talk)
    with open_source(history_dir, runs, opened, talk) as source:
        difference = difference_of(source, eval_run, against, opened.compile())
        gate = decide(difference, conditions)
        announcing.tell(source, gate, talk, eval_runs=[eval_run], difference=difference)
    tell_age(difference.baseline, max_age_days, talk)

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "table":
            from judge_polars.cli.difference_table import difference_table

            return rendered(difference_table(difference, gate.line), width=width, colored=colored)
        from judge_polars.baselines.words import difference_as

        return difference_as(wanted, difference, {"met": gate.met, "line": gate.line})

    outputs.deliver(content, talk)
    if output_format not in ("table", "markdown"):
        talk.say(gate.line)
    return EXIT_CONDITION_MET if gate.met else EXIT_FINE


def difference_of(source: Source, eval_run_id: str, against: str | None, book: RuleBook) -> Difference:
    """The difference that is asked for, with what there is to know of the baseline.

    Raises:
        UsageError, InputError: there is no such eval run, or nothing to compare it with.
    """
    from judge_polars.baselines import baseline_use, difference_from_baseline, difference_from_eval_run
    from judge_polars.baselines.overlay import beside_baseline
    from judge_polars.baselines.source import eval_run_row

    if against is not None:
        return difference_from_eval_run(source, eval_run_id, against)
    row = eval_run_row(source, eval_run_id)
    promoted = next((one for one in book.baselines if one.suite_id == row["suite_id"]), None)
    if promoted is None:
        return difference_from_baseline(source, eval_run_id)
    use = baseline_use(promoted, book, began_at(row), source)
    return difference_from_baseline(beside_baseline(source, promoted, book, eval_run_id), eval_run_id, use)


def began_at(eval_run: dict[str, object]) -> datetime:
    """When an eval run began; now where that is unknown."""
    started = eval_run["started_at"]
    return started if isinstance(started, datetime) else datetime.now(UTC)


def tell_age(use: BaselineUse | None, max_age_days: int, talk: Talk) -> None:
    """Warn of a baseline that is old, or that means something else today."""
    if use is None:
        return
    if use.is_old(max_age_days):
        talk.say(
            f"warning: the baseline {use.eval_run_id} of {use.suite_id} is {use.age_text}, more than {max_age_days} days; "
            "promote a newer eval run"
        )
    if use.other_semantics or use.rubric_changed or use.judged_again:
        talk.say(f"warning: the baseline {use.eval_run_id} of {use.suite_id}: {use.judged_text}")


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("diff", epilog=EXAMPLES)(diff)
