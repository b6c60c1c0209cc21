"""`explain`: the whole reasoning for one case run."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.completion import case_run_ids
from judge_polars.cli.console import Talk, rendered
from judge_polars.cli.outputs import Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry
from judge_polars.errors import EXIT_FINE, InputError, UsageError

if TYPE_CHECKING:
    from rich.console import RenderableType

    from judge_polars.explain import Explanation
    from judge_polars.judgment import Judgment
    from judge_polars.rulebook import RuleBook

FORMATS: Final = ("table", "json", "markdown")

EXAMPLES = """
Examples:\n
\b
  judge-polars explain 2025-03-05-nightly/tail-latency-surge/1          # from the history
  judge-polars explain 2025-03-05-nightly/tail-latency-surge/1 runs/
  judge-polars explain runs/2025-03-05-nightly/cases/tail-latency-surge/trial-1
  judge-polars explain 2025-03-05-nightly/tail-latency-surge/1 runs/ -o why.md
"""


def explain(
    case_run_id: Annotated[
        str,
        options.argument(
            metavar="CASE_RUN_ID",
            help="<eval_run_id>/<case_id>/<trial>, or a case run's directory.",
            autocompletion=case_run_ids,
        ),
    ],
    runs: Annotated[
        list[Path] | None,
        options.argument(metavar="[RUNS]", help="Where to look; without it in the history."),
    ] = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    workspaces_root: options.WorkspacesRoot = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Explain the verdict of one case run: every check with the rule, document, line and excerpt that decided.

    With -v the rules of passed checks are told as fully as those of failed ones.
    """
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()), FORMATS)
    book = open_registry(registry, talk).compile()
    wanted, roots = place_of(case_run_id, runs or [])
    if roots:
        told = explained(wanted, roots, book, workspaces_root, talk)
    else:
        told = explained_from_history(wanted, place_of_history(history_dir), book)

    def content(output_format: str, width: int, colored: bool) -> bytes:
        if output_format == "table":
            return rendered(explanation_view(told, width, whole=talk.verbose), width=width, colored=colored)
        from judge_polars.report.explanation import as_json, as_markdown

        return as_json(told) if output_format == "json" else as_markdown(told)

    outputs.deliver(content, talk)
    return EXIT_FINE


def place_of(text: str, roots: list[Path]) -> tuple[str, list[Path]]:
    """The case run id that was typed and where to look, nowhere for the history: a case run's directory says both."""
    path = Path(text)
    parts = path.resolve().parts if not roots else path.parts
    if len(parts) >= 4 and parts[-3] == "cases" and parts[-1].startswith("trial-"):
        case_run_id = f"{parts[-4]}/{parts[-2]}/{parts[-1].removeprefix('trial-')}"
        return case_run_id, roots or [path]
    return text.strip("/").replace("/trial-", "/"), roots


def explained(
    case_run_id: str, roots: list[Path], book: RuleBook, workspaces_root: Path | None, talk: Talk
) -> Explanation:
    """Judge one case run and explain it.

    Raises:
        InputError: there are no runs.
        UsageError: there is no such case run, or its case is unknown.
    """
    from judge_polars.explain import explain as explain_case_run

    return explain_case_run(_judged_alone(case_run_id, roots, book, workspaces_root, talk), case_run_id)


def explained_from_history(case_run_id: str, history: Path, book: RuleBook) -> Explanation:
    """Judge one case run of the history and explain it.

    Raises:
        InputError: there is no history.
        UsageError: it has no such case run, or the registry does not know its case.
    """
    import polars as pl

    from judge_polars.chronicle import among, recalled_judgment
    from judge_polars.engine import Engine
    from judge_polars.explain import explain as explain_case_run
    from judge_polars.explain import unknown_case_run
    from judge_polars.history.recall import places_of_runs
    from judge_polars.history.record import Record

    try:
        record = Record.open(history)
    except InputError as none:
        raise UsageError(
            f"where does {case_run_id} lie? name the runs behind it: judge-polars explain {case_run_id} runs/ ({none})"
        ) from none
    known = places_of_runs(record)["case_run_id"]
    if case_run_id not in known:
        raise unknown_case_run(case_run_id, dict.fromkeys(known))
    judgment = recalled_judgment(record, Engine(book), select=among(pl.DataFrame({"case_run_id": [case_run_id]})))
    return explain_case_run(judgment, case_run_id)


def _judged_alone(
    case_run_id: str, roots: list[Path], book: RuleBook, workspaces_root: Path | None, talk: Talk
) -> Judgment:
    from judge_polars.errors import NothingSelectedError
    from judge_polars.explain import unknown_case_run
    from judge_polars.judge import Options, judge_runs

    known: dict[str, None] = {}

    def is_it(place: object) -> bool:
        found = str(getattr(place, "case_run_id", ""))
        known[found] = None
        return found == case_run_id

    try:
        judgment = judge_runs(roots, book, Options(workspaces_root=workspaces_root, select=is_it, purpose="explain"))
    except NothingSelectedError:
        raise unknown_case_run(case_run_id, known) from None
    talk.detail(f"{len(known):,} case runs found, one judged")
    return judgment


def explanation_view(told: Explanation, width: int, *, whole: bool) -> RenderableType:
    """The explanation for a terminal."""
    from rich.console import Group
    from rich.text import Text

    from judge_polars.report import outline
    from judge_polars.report.explanation import wrapped

    styles = {
        outline.TITLE: "bold",
        outline.HEADING: "bold",
        outline.GOOD: "green",
        outline.BAD: "red",
        outline.ODD: "yellow",
        outline.FAINT: "dim",
        outline.QUOTE: "cyan",
    }
    lines: list[Text] = []
    for line in outline.outline(told, whole=whole):
        if line.role == outline.HEADING:
            lines.append(Text())
        lines += [Text(part, style=styles.get(line.role, "")) for part in wrapped(line, width)]
    return Group(*lines)


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("explain", epilog=EXAMPLES)(explain)
