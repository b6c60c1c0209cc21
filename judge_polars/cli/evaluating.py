"""`eval`: run a suite against an agent, or say what would be done; a live run ends with judging (specification 70, 80)."""

from __future__ import annotations

import dataclasses
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.announcing import Announcing
from judge_polars.cli.completion import case_ids, suite_ids
from judge_polars.cli.console import Talk, rendered
from judge_polars.cli.judging import judged, verdicts_as
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import as_typed, open_registry
from judge_polars.cli.selection import Selection
from judge_polars.cli.settings import project_settings
from judge_polars.errors import EXIT_CONDITION_MET, EXIT_FINE, InputError, UsageError
from judge_polars.workers import ALONE, Workers

if TYPE_CHECKING:
    from judge_polars.judgment import Judgment
    from judge_polars.registry import Registry
    from judge_polars.rulebook import RuleBook
    from judge_polars.runner.agents import Agent
    from judge_polars.runner.limits import Limits
    from judge_polars.runner.plan import EvalPlan
    from judge_polars.semantic import SemanticSettings

DRY_RUN: Final = "dry-run"
LIVE: Final = "live"
MODES: Final = (DRY_RUN, LIVE)
FORMATS_OF_DRY_RUN: Final = ("table", "json")
DEFAULT_RUNS: Final = Path("runs")
JUDGMENT: Final = "judgment.json"
WITH_BASELINE: Final = ("regression", "incomplete")
WITHOUT_BASELINE: Final = ("invalid", "fail", "incomplete")
"""`--fail-on` where it is not given (specification 70)."""

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars eval --suite core-daily-demo --agent demo --execution-mode dry-run
  judge-polars eval --suite core-daily-demo --agent demo --execution-mode live --trials 1
  judge-polars eval --resume 20250305T020000Z-core-daily-demo --execution-mode live
"""

FailOn = Annotated[
    list[str] | None,
    options.option(
        "--fail-on",
        metavar="RULE",
        help="End with exit code 1 on: never, invalid, fail, regression, incomplete, invalid-rate:P, invalid-shift; "
        "repeatable.  Default: regression and incomplete where the suite has a baseline, else invalid, fail, incomplete.",
    ),
]


def begun_eval_runs(context: typer.Context, incomplete: str) -> list[str]:
    """Ids of the eval runs below `--runs`, for `--resume`."""
    root = Path(context.params.get("runs") or DEFAULT_RUNS)
    names = (path.parent.name for path in root.glob("*/eval_run.json"))
    return sorted(name for name in names if name.startswith(incomplete))


def evaluate(
    execution_mode: Annotated[
        str,
        options.option("--execution-mode", metavar="|".join(MODES), help="Say what would be done, or do it."),
    ],
    suite: Annotated[
        str | None, options.option("--suite", metavar="ID", help="The suite.", autocompletion=suite_ids)
    ] = None,
    case: Annotated[
        list[str] | None,
        options.option(
            "--case", metavar="GLOB", help="Only its cases whose id fits; repeatable.", autocompletion=case_ids
        ),
    ] = None,
    trials: Annotated[
        int | None,
        options.option("--trials", min=1, metavar="N", help="How often each case is run; else as the suite says."),
    ] = None,
    agent: Annotated[
        str | None,
        options.option("--agent", metavar="NAME", help="The agent: [agents.NAME] in judge_polars.toml, or `demo`."),
    ] = None,
    runs: Annotated[
        Path, options.option("--runs", metavar="DIR", help="Where the eval run's directory is made; default: runs.")
    ] = DEFAULT_RUNS,
    resume: Annotated[
        str | None,
        options.option(
            "--resume",
            metavar="ID",
            help="Go on with an eval run that was interrupted.",
            autocompletion=begun_eval_runs,
        ),
    ] = None,
    eval_run_id: Annotated[
        str | None, options.option("--eval-run-id", metavar="ID", help="Its id; default: the time and the suite.")
    ] = None,
    registry: options.RegistryDir = None,
    output_format: Annotated[
        str,
        options.option(
            "--format",
            "-f",
            metavar="|".join(FORMATS),
            help="What goes to standard output; a dry run knows table and json.",
        ),
    ] = "table",
    output: options.Outputs = None,
    fail_on: FailOn = None,
    junit_xml: options.JunitXml = None,
    github: options.Github = False,
    no_history: Annotated[bool, options.flag("--no-history", help="Keep the verdicts nowhere.")] = False,
    history_dir: options.HistoryDir = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Run a suite against an agent that speaks the Agent Client Protocol, and judge what it left."""
    from judge_polars.runner.agents import declared_agents
    from judge_polars.runner.plan import Request, plan_eval, require_protocol

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    if execution_mode not in MODES:
        raise UsageError(f"--execution-mode {execution_mode}: one of {', '.join(MODES)}")
    dry = execution_mode == DRY_RUN
    outputs = Outputs(output_format, tuple(output or ()), FORMATS_OF_DRY_RUN if dry else FORMATS)
    announcing = Announcing(junit_xml, github)
    settings = project_settings(Path.cwd())
    agents = declared_agents(settings.keys, settings.source)
    loaded = open_registry(registry, talk)
    request = Request(runs, suite, tuple(case or ()), trials, agent, eval_run_id, resume)
    plan = plan_eval(loaded, request, agents, os.environ)
    require_protocol()
    if dry:
        return show_plan(plan, outputs, talk, os.environ)
    conditions = fail_on or default_conditions(loaded.compile(), plan.suite_id)
    return run_and_judge(
        plan,
        loaded,
        outputs,
        talk,
        conditions=conditions,
        workers=options.workers_of(jobs),
        announcing=announcing,
        history=None if no_history else place_of_history(history_dir),
    )


def show_plan(plan: EvalPlan, outputs: Outputs, talk: Talk, ours: Mapping[str, str]) -> int:
    """What would be done; what is missing for it is told afterwards.

    Raises:
        MissingPieceError: the agent's program or a variable is missing.
    """
    from judge_polars.cli.eval_views import plan_view
    from judge_polars.runner.plan import require_agent

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "table":
            return rendered(plan_view(plan), width=width, colored=colored)
        import json

        return (json.dumps(plan.as_json(), ensure_ascii=False, indent=2) + "\n").encode(errors="replace")

    outputs.deliver(content, talk)
    require_agent(plan, ours)
    talk.say("dry run: nothing was started, nothing was written")
    return EXIT_FINE


def run_and_judge(
    plan: EvalPlan,
    registry: Registry,
    outputs: Outputs,
    talk: Talk,
    *,
    conditions: list[str],
    workers: Workers = ALONE,
    limits: Limits | None = None,
    announcing: Announcing | None = None,
    history: Path | None = None,
) -> int:
    """Run what is planned and not done yet, judge the eval run, compare, and decide by the gate; the exit code.

    Raises:
        UsageError: a condition or the settings of the semantic shadow are wrong; told before anything is run.
        MissingPieceError: the agent's program or a variable is missing.
        KeyboardInterrupt: interrupted; how to go on has been told.
    """
    from judge_polars.cli.eval_views import EvalDisplay, outcome_lines
    from judge_polars.cli.semantics import semantic_settings
    from judge_polars.gate import decide, parse_conditions
    from judge_polars.runner.eval_run import run_live
    from judge_polars.runner.plan import require_agent

    wanted = parse_conditions(conditions)
    semantic = semantic_settings()
    require_agent(plan, os.environ)
    talk.say(f"eval run {plan.eval_run_id}: {len(plan.case_runs)} case runs of {plan.suite_id} with {plan.agent.name}")
    try:
        with EvalDisplay(talk) as display:
            ran = run_live(plan, limits=limits, show=display)
    except KeyboardInterrupt:
        again = shlex.join(resuming(plan, registry.root, history))
        talk.say(f"stopped; every agent has been ended. To go on: {again}")
        raise
    talk.say(*outcome_lines(ran))
    book = registry.compile()
    judgment = judge_eval_run(plan, book, talk, workers=workers, history=history)
    leave_records(judgment, plan.directory.parent, talk)
    cast_shadow(judgment, book, semantic, plan.directory.parent, history, talk)
    verdicts = judgment.verdicts
    gate = decide(judgment, verdicts, wanted)
    if announcing is not None:
        announcing.tell(judgment, gate, talk)

    def content(kind: str, width: int, colored: bool) -> bytes:
        return verdicts_as(kind, judgment, verdicts, gate.line, facts=False, issues=False, width=width, colored=colored)

    outputs.deliver(content, talk)
    if outputs.output_format != "table":
        talk.say(gate.line)
    return EXIT_CONDITION_MET if gate.met else EXIT_FINE


def resuming(plan: EvalPlan, registry: Path, history: Path | None) -> list[str]:
    """The command that goes on with an interrupted eval run, of the same registry and history."""
    place = ["--runs", str(plan.directory.parent), "--execution-mode", "live", "--registry", str(as_typed(registry))]
    kept = ["--no-history"] if history is None else ["--history-dir", str(as_typed(history))]
    return ["judge-polars", "eval", "--resume", plan.eval_run_id, *place, *kept]


def judge_eval_run(
    plan: EvalPlan, book: RuleBook, talk: Talk, *, workers: Workers = ALONE, history: Path | None = None
) -> Judgment:
    """Judge the eval run's case runs with their facts, and keep the verdicts in a history."""
    selection = Selection(cases=tuple(plan.cases))
    judgment = judged(
        [plan.directory], book, selection, talk, workers=workers, facts=True, purpose="eval", history=history
    )
    return as_planned(judgment, plan)


def as_planned(judgment: Judgment, plan: EvalPlan) -> Judgment:
    """The judgment whose suite plans as many trials as were asked for, so that `incomplete` means what was planned."""
    import polars as pl

    asked = set(plan.trials.values())
    if len(asked) != 1:
        return judgment
    is_it = pl.col("suite_id") == plan.suite_id
    trials = pl.when(is_it).then(pl.lit(max(asked), pl.Int64)).otherwise("trials")
    suites = judgment.frames["suites"].with_columns(trials=trials)
    return dataclasses.replace(judgment, frames={**judgment.frames, "suites": suites})


def leave_records(judgment: Judgment, runs: Path, talk: Talk) -> None:
    """Write `judgment.json` into each case run's directory: its line of `judge --format jsonl`, facts and issues included.

    One that cannot be written is told; the others are.
    """
    import orjson

    from judge_polars.report.records import case_run_records
    from judge_polars.runner.records import write_atomically
    from judge_polars.semantic.shadow import files_of

    for record in case_run_records(judgment, facts=True, issues=True):
        place = files_of(runs, record["eval_run_id"], record["case_id"], record["trial"]) / JUDGMENT
        try:
            write_atomically(place, orjson.dumps(record, option=orjson.OPT_INDENT_2) + b"\n")
        except OSError as wrong:
            talk.say(f"{place} cannot be written: {wrong.strerror or wrong}")


def cast_shadow(
    judgment: Judgment, book: RuleBook, settings: SemanticSettings, runs: Path, history: Path | None, talk: Talk
) -> None:
    """Ask the semantic checks of the case runs, where their cases have any; whatever comes of it is told and changes nothing."""
    from judge_polars.cli.semantics import FOLDER, RESULTS, Hearing, keep_answers
    from judge_polars.judged_runs import JudgedRuns
    from judge_polars.semantic import ResultStore, Shadow, provider_of, run_shadow

    provider = provider_of(settings, os.environ)
    store = None if history is None else ResultStore(history / FOLDER / RESULTS)
    hearing = Hearing(talk)
    shadow = Shadow(settings=settings, out=runs, store=store, heard=hearing)
    try:
        rows = run_shadow(judgment, JudgedRuns(judgment), book, provider, shadow)
        if history is not None and not rows.is_empty():
            keep_answers(history, rows)
    except InputError as wrong:
        talk.say(f"semantic shadow, not scored: {wrong}")
    if hearing.statuses:
        hearing.conclude(runs, provider)


def default_conditions(book: RuleBook, suite_id: str) -> list[str]:
    """`--fail-on` where nothing is said."""
    has_baseline = any(baseline.suite_id == suite_id for baseline in book.baselines)
    return list(WITH_BASELINE if has_baseline else WITHOUT_BASELINE)


def run_demo(
    registry: Registry,
    runs: Path,
    outputs: Outputs,
    talk: Talk,
    *,
    trials: int = 1,
    workers: Workers = ALONE,
    agent: Agent | None = None,
    history: Path | None = None,
) -> int:
    """The demo's suite, live with the agent that ships, below a directory; the exit code."""
    from judge_polars.runner.agents import DEMO_AGENT, demo_agent
    from judge_polars.runner.plan import Request, plan_eval, require_protocol

    require_protocol()
    (suite,) = registry.suites
    request = Request(runs, suite, trials=trials, agent=DEMO_AGENT)
    plan = plan_eval(registry, request, {DEMO_AGENT: agent or demo_agent()}, os.environ)
    conditions = default_conditions(registry.compile(), suite)
    return run_and_judge(plan, registry, outputs, talk, conditions=conditions, workers=workers, history=history)


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("eval", epilog=EXAMPLES)(evaluate)
