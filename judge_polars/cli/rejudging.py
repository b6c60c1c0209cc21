"""`rejudge`: the history judged again, with today's registry, another one, or the one of a commit."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.announcing import Announcing
from judge_polars.cli.console import JudgingProgress, Talk, rendered
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry, registry_path
from judge_polars.cli.selection import Selection, stored_selection
from judge_polars.errors import EXIT_CONDITION_MET, EXIT_FINE, UsageError

if TYPE_CHECKING:
    import polars as pl

    from judge_polars.engine import Engine
    from judge_polars.gate import Condition
    from judge_polars.history.store import History
    from judge_polars.report.flips import Flips

MOST_EXCERPTS: Final = 20
MOST_LINES: Final = 6
"""Lines of a case run's excerpts."""

EXAMPLES = """
Examples:\n
\b
  judge-polars rejudge --what-if                       # what would today's rubric change?
  judge-polars rejudge --what-if --registry-rev main --excerpts
  judge-polars rejudge --suite core-daily              # judge again and keep the verdicts
  judge-polars rejudge --what-if --fail-on baseline-flip   # in CI, before a rubric is merged
"""

Rev = Annotated[
    str | None,
    options.option(
        "--registry-rev", metavar="GIT_REV", help="The registry as it stood in a commit; the work tree stays as it is."
    ),
]


def rejudge(
    what_if: Annotated[bool, options.flag("--what-if", help="Show what would flip, and keep nothing.")] = False,
    excerpts: Annotated[
        bool,
        options.flag("--excerpts", help=f"With what the changed checks found (of the first {MOST_EXCERPTS} flips)."),
    ] = False,
    registry: options.RegistryDir = None,
    registry_rev: Rev = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    suite: options.SuiteIds = None,
    case: options.CaseGlobs = None,
    tag: options.Tags = None,
    eval_run: options.EvalRuns = None,
    verdict: options.Verdicts = None,
    where: options.Where = None,
    fail_on: options.FailOn = None,
    junit_xml: options.JunitXml = None,
    github: options.Github = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Judge case runs of the history again and show which verdicts flip, and by which rule.

    The case runs' own files are not needed: everything comes from the history.
    """
    from judge_polars.engine import Engine
    from judge_polars.gate import parse_conditions
    from judge_polars.history.store import open_history

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    conditions = parse_conditions(fail_on or [], flips=True)
    selection = Selection.of(suite, case, tag, eval_run, verdict, where)
    outputs = Outputs(output_format, tuple(output or ()))
    announcing = Announcing(junit_xml, github)
    place = place_of_history(history_dir)
    with _registry(registry, registry_rev) as directory:
        book = open_registry(directory, talk).compile()
        with open_history(place) as history:
            select = stored_selection(selection, history, book)
            judge = _suppose if what_if else _keep
            flips, met = judge(history, Engine(book), select, conditions, talk, announcing, excerpts=excerpts)

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "table":
            from judge_polars.cli.flips_table import flips_table

            return rendered(flips_table(flips), width=width, colored=colored)
        from judge_polars.report.flips import flips_as

        return flips_as(wanted, flips)

    outputs.deliver(content, talk)
    if output_format != "table":
        talk.say(flips.gate)
    return EXIT_CONDITION_MET if met else EXIT_FINE


@contextmanager
def _registry(named: Path | None, revision: str | None) -> Iterator[Path | None]:
    if revision is None:
        yield named
        return
    from judge_polars.registry.at_revision import registry_at

    place = named or Path(registry_path(None))
    with registry_at(place, revision) as directory:
        yield directory


Select = Callable[["pl.DataFrame"], "pl.DataFrame"]


def _suppose(
    history: History,
    engine: Engine,
    select: Select | None,
    conditions: tuple[Condition, ...],
    talk: Talk,
    announcing: Announcing,
    *,
    excerpts: bool,
) -> tuple[Flips, bool]:
    """What the registry would change; nothing is kept."""
    from judge_polars.gate import decide
    from judge_polars.report.flips import Flips
    from judge_polars.what_if import what_if

    with JudgingProgress(talk) as progress:
        found = what_if(history, engine, select=select, progress=progress)
    with found:
        verdicts = found.after
        gate = decide(found, verdicts, conditions, baseline_flips=found.baselines.height)
        announcing.tell(found, gate, talk, case_runs=verdicts["case_run_id"].to_list())
        told = Flips(
            kept=False,
            judged=found.judged,
            compared=found.compared,
            unknown=found.unknown,
            counts=found.counts,
            rows=found.flips,
            baselines=found.baselines,
            gate=gate.line,
            excerpts=_excerpts(history, engine, found.flips, talk) if excerpts else {},
        )
    return told, gate.met


def _keep(
    history: History,
    engine: Engine,
    select: Select | None,
    conditions: tuple[Condition, ...],
    talk: Talk,
    announcing: Announcing,
    *,
    excerpts: bool,
) -> tuple[Flips, bool]:
    """Judge again, keep the judgment, and say what it changed."""
    from judge_polars.chronicle import judge_record
    from judge_polars.gate import decide
    from judge_polars.history.publish import publish
    from judge_polars.history.store import open_history
    from judge_polars.report.flips import Flips
    from judge_polars.what_if import baseline_flips, counted

    before = history.sql("select case_run_id, verdict from verdicts")
    of_cases = history.sql("select eval_run_id, case_id, verdict from latest_case_verdicts")
    with JudgingProgress(talk) as progress:
        passed = judge_record(history.record, engine, select=select, purpose="rejudge", progress=progress)
    history.close()
    if not publish(history.record):
        raise UsageError(
            "another process is publishing: the judgment is kept, `judge-polars sql` will show it in a moment"
        )
    with open_history(history.directory) as later:
        judgment_id = passed.judgment["judgment_id"][0]
        rows = later.sql("from verdict_flips where to_judgment_id = ? order by case_run_id", [judgment_id])
        after = later.sql("select case_run_id, eval_run_id, verdict from verdicts where judgment_id = ?", [judgment_id])
        baselines = baseline_flips(later, of_cases, later)
        gate = decide(
            later,
            after,
            conditions,
            eval_runs=after["eval_run_id"].unique().to_list(),
            baseline_flips=baselines.height,
        )
        announcing.tell(
            later,
            gate,
            talk,
            case_runs=after["case_run_id"].to_list(),
            eval_runs=after["eval_run_id"].unique().to_list(),
        )
        counts, compared = counted(before, after)
        told = Flips(
            kept=True,
            judged=passed.places.height,
            compared=compared,
            unknown=passed.unknown,
            counts=counts,
            rows=rows,
            baselines=baselines,
            gate=gate.line,
            excerpts=_excerpts(later, engine, rows, talk) if excerpts else {},
        )
    return told, gate.met


def _excerpts(history: History, engine: Engine, flips: pl.DataFrame, talk: Talk) -> dict[str, tuple[str, ...]]:
    """What the changed checks of the first flips found, or what was there instead; secrets are masked, and told of."""
    from judge_polars.chronicle import among, recalled_judgment
    from judge_polars.explain import explain_each
    from judge_polars.printable import printable
    from judge_polars.report.veil import Veil

    if flips.is_empty():
        return {}
    first = flips.head(MOST_EXCERPTS)
    judgment = recalled_judgment(history.record, engine, select=among(first), facts=False)
    explained = {one.case_run_id: one for one in explain_each(judgment, first["case_run_id"].to_list())}
    shown: dict[str, tuple[str, ...]] = {}
    veil = Veil()
    for row in first.iter_rows(named=True):
        changed = {(check["bucket"], check["layer"], check["check_id"]) for check in row["changed_checks"]}
        lines: list[str] = []
        for check in explained[row["case_run_id"]].checks:
            if (check.bucket, check.layer, check.id) not in changed:
                continue
            for rule in check.rules:
                for seen in (*rule.sightings, *(cause for why in rule.because for cause in why.sightings)):
                    place = " ".join(filter(None, (seen.document, seen.place)))
                    lines.append(f"{place}: {seen.excerpt or seen.what or ''}")
                lines += rule.notes
        told = list(dict.fromkeys(lines))[:MOST_LINES]
        shown[row["case_run_id"]] = tuple(printable(veil(line, row["case_run_id"])) for line in told)
    for masked in veil.told():
        talk.say(f"masked: {masked}")
    return shown


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("rejudge", epilog=EXAMPLES)(rejudge)
