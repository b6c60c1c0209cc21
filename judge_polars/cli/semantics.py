"""`semantic run` and `semantic status`: the semantic shadow, which is never part of a verdict."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import SECONDS_BETWEEN_LINES, Talk, show_bytes
from judge_polars.cli.judging import judged
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry
from judge_polars.cli.selection import Selection
from judge_polars.cli.settings import FILE, Settings, project_settings
from judge_polars.errors import (
    EXIT_FINE,
    EXIT_INVALID_INPUT,
    EXIT_MISSING_PIECE,
    InputError,
    NothingSelectedError,
    UsageError,
)

if TYPE_CHECKING:
    import polars as pl

    from judge_polars.rulebook import RuleBook
    from judge_polars.semantic import Packet, Provider, SemanticSettings, Shadow
    from judge_polars.sources import Rows

TABLE: Final = "semantic"
FOLDER: Final = "semantic"
"""Where the files go in a history."""
RESULTS: Final = ".semantic-results"
"""Where results are kept below `--out`, unless `--results` names another directory."""

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars semantic run                     # about the history's verdicts
  judge-polars semantic run runs/ --out runs/
  judge-polars semantic run runs/ --out shadow/ --case 'tail-*' --format csv
  judge-polars semantic status shadow/

Who answers stands in the table [semantic] of judge_polars.toml (docs/semantic.md).  Exit code 4: there is no usable answer.
"""

commands: Final = typer.Typer(
    no_args_is_help=True,
    help="Ask an evaluator what words and numbers cannot settle; it never changes a verdict.",
    epilog=EXAMPLES,
)


@commands.command("run")
def run(
    runs: Annotated[
        list[Path] | None,
        options.argument(metavar="[RUNS]", help="Runs to judge in memory; else the history is asked about."),
    ] = None,
    out: Annotated[
        Path | None,
        options.option(
            "--out",
            metavar="DIR",
            help="Where the files go: <eval run>/cases/<case>/trial-<n>/ below it; default: semantic/ in the history.",
        ),
    ] = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    results: Annotated[
        Path | None,
        options.option(
            "--results",
            metavar="DIR",
            help=f"Where answers are kept, so that none is asked for twice; else DIR/{RESULTS}.",
        ),
    ] = None,
    fresh: Annotated[bool, options.flag("--fresh", help="Ask again what was answered before.")] = False,
    suite: options.SuiteIds = None,
    case: options.CaseGlobs = None,
    tag: options.Tags = None,
    eval_run: options.EvalRuns = None,
    verdict: options.Verdicts = None,
    where: options.Where = None,
    jobs: options.Jobs = None,
    workspaces_root: options.WorkspacesRoot = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Ask the semantic checks of judged case runs, and write what was shown and what came back.

    Without RUNS it asks about the history's verdicts, and keeps the answers there (table `semantic_results`).
    """
    from judge_polars.judged_runs import JudgedRuns
    from judge_polars.semantic import ResultStore, Shadow, provider_of, run_shadow

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()))
    selection = Selection.of(suite, case, tag, eval_run, verdict, where)
    settings = semantic_settings()
    provider = provider_of(settings, os.environ)
    book = open_registry(registry, talk).compile()
    _tell_questions(book, talk)
    hearing = Hearing(talk)
    place = out if out is not None else place_of_history(history_dir) / FOLDER
    store = None if fresh else ResultStore(results or place / RESULTS)
    shadow = Shadow(settings=settings, out=place, store=store, heard=hearing)
    if runs:
        if out is None:
            raise UsageError("semantic run RUNS: say with --out DIR where the files go")
        judgment = judged(
            runs, book, selection, talk, workers=options.workers_of(jobs), workspaces_root=workspaces_root, facts=True
        )
        ids = selection.rows(judgment)["case_run_id"].to_list()
        rows = run_shadow(judgment, JudgedRuns(judgment), book, provider, shadow, ids)
        _require_rows(rows, judgment)
    else:
        rows = _ask_history(place_of_history(history_dir), selection, book, provider, shadow)
    outputs.deliver(lambda wanted, width, colored: _rows_as(wanted, rows, width, colored=colored), talk)
    hearing.conclude(place, provider)
    return exit_code_of(hearing.statuses)


def _ask_history(
    history: Path, selection: Selection, book: RuleBook, provider: Provider, shadow: Shadow
) -> pl.DataFrame:
    """Ask about case runs of a history, and keep the answers in its record."""
    from judge_polars.cli.selection import stored_selection
    from judge_polars.history.recall import places_of_runs
    from judge_polars.history.store import open_history
    from judge_polars.semantic import run_shadow

    with open_history(history) as opened:
        select = stored_selection(selection, opened, book)
        places = places_of_runs(opened.record)
        ids = (places if select is None else select(places))["case_run_id"].to_list()
        rows = run_shadow(opened, opened, book, provider, shadow, ids)
        _require_rows(rows, opened)
    keep_answers(history, rows)
    return rows


def keep_answers(history: Path, rows: pl.DataFrame) -> None:
    """Keep `tables.SEMANTIC_RESULTS` in a history."""
    from judge_polars.history.publish import publish
    from judge_polars.history.record import Record

    record = Record.open(history)
    with record.begin("semantic") as batch:
        batch.write("semantic_results", rows)
        batch.commit()
    publish(record)


def semantic_settings(start: Path | None = None) -> SemanticSettings:
    """The table `[semantic]` of the nearest settings file.

    Raises:
        UsageError: it is wrong.
    """
    from judge_polars.semantic import read_settings

    found: Settings = project_settings(start or Path.cwd())
    return read_settings(found.keys.get(TABLE), str(found.source or FILE))


def exit_code_of(statuses: Counter[str]) -> int:
    """0 where there is a usable answer, else 2 for a provider that there is not, else 4."""
    if statuses["ok"]:
        return EXIT_FINE
    return EXIT_INVALID_INPUT if statuses["unsupported_provider"] else EXIT_MISSING_PIECE


class Hearing:
    """Counts the packets and says how far the asking is, a line every ten seconds, with `-v` one for each."""

    def __init__(self, talk: Talk) -> None:
        self._talk = talk
        self._last = time.monotonic()
        self._details: dict[tuple[str, str], int] = {}
        self.statuses: Counter[str] = Counter()
        self.kept = 0

    def __call__(self, packet: Packet, done: int, total: int) -> None:
        from judge_polars.printable import printable

        self.statuses[packet.status] += 1
        self.kept += packet.from_store
        if packet.detail is not None:
            told = packet.status, printable(packet.detail)
            self._details[told] = self._details.get(told, 0) + 1
        self._talk.detail(f"{printable(packet.case_run_id)}: {packet.status}{' (kept)' if packet.from_store else ''}")
        if time.monotonic() - self._last >= SECONDS_BETWEEN_LINES:
            self._last = time.monotonic()
            self._talk.say(f"asked about {done:,} of {total:,} case runs")

    def conclude(self, out: Path, provider: Provider) -> None:
        """Say what became of it."""
        from judge_polars.masking import scanner_is_there

        for (status, detail), count in list(self._details.items())[:5]:
            self._talk.say(f"{status}, {count} case run{'s' if count > 1 else ''}: {detail}")
        counted = ", ".join(f"{count} {status}" for status, count in self.statuses.most_common())
        kept = f" ({self.kept} kept from before)" if self.kept else ""
        who = " ".join(part for part in (provider.name, provider.model) if part) or "no provider"
        self._talk.say(f"semantic shadow, not scored: {counted}{kept}; {who}; files in {out}")
        if not scanner_is_there():
            self._talk.say("secrets were masked by our own patterns alone: pip install 'judge-polars[redact]' for more")


def _tell_questions(book: RuleBook, talk: Talk) -> None:
    """Say which questions cannot be asked.

    Raises:
        NothingSelectedError: no case has one that can.
    """
    from judge_polars.semantic.context import semantic_checks
    from judge_polars.semantic.model import ANSWERS

    checks = [(case.id, check) for case in book.cases for check in semantic_checks(case)]
    for case_id, check in checks:
        if not check.is_supported:
            talk.say(f"{case_id}: {check.id} is not asked: expected is one of {', '.join(ANSWERS)}")
    if not any(check.is_supported for _, check in checks):
        raise NothingSelectedError("no case asks a question: write semantic_checks below diagnosis in its judge.yaml")


def _require_rows(rows: pl.DataFrame, judgment: Rows) -> None:
    if rows.is_empty():
        total = judgment.sql("select count(*) from verdicts").item()
        raise NothingSelectedError(
            f"none of the {total:,} judged case runs has an output and a case with semantic checks"
        )


def _rows_as(wanted: str, rows: pl.DataFrame, width: int, *, colored: bool) -> bytes:
    from judge_polars.cli.rows_table import rows_view

    told = rows.to_dicts() if wanted not in ("table", "markdown") else list(map(_in_short, rows.iter_rows(named=True)))
    return rows_view(told, wanted, width, colored=colored)


def _in_short(row: dict[str, Any]) -> dict[str, Any]:
    """A row for people: the answer with a sign, and what was expected where it differs."""
    if row["answer"] is None:
        answer = row["status"]
    elif row["matched"] is None:
        answer = row["answer"]
    else:
        answer = f"✓ {row['answer']}" if row["matched"] else f"✗ {row['answer']}, expected {row['expected']}"
    return {"case_run_id": row["case_run_id"], "check": row["semantic_check_id"], "answer": answer}


@commands.command("status")
def status(
    out: Annotated[
        Path | None, options.argument(metavar="[DIR]", help="The directory of `semantic run --out`, to be counted.")
    ] = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    history_dir: options.HistoryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Tell who would answer, and what came back so far; exit code 4 when nobody can be asked.

    Without DIR it counts what was asked about the history, where there is one.
    """
    from judge_polars.cli.rows_table import rows_view
    from judge_polars.semantic import NoProvider, provider_of

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    if output_format not in FORMATS:
        raise UsageError(f"--format {output_format}: one of {', '.join(FORMATS)}")
    settings = semantic_settings()
    provider = provider_of(settings, os.environ)
    of_history = place_of_history(history_dir) / FOLDER
    place = out if out is not None else of_history if of_history.is_dir() else None
    rows = list(_told(settings, provider)) + ([] if place is None else list(_counted(place)))
    show_bytes(lambda width, colored: rows_view(rows, output_format, width, colored=colored), talk)
    if isinstance(provider, NoProvider):
        return EXIT_INVALID_INPUT if provider.status == "unsupported_provider" else EXIT_MISSING_PIECE
    return EXIT_FINE


def _told(settings: SemanticSettings, provider: Provider) -> Iterator[dict[str, Any]]:
    """Who would answer; of a key only the name of its variable."""
    from judge_polars.semantic import NoProvider

    state = provider.detail if isinstance(provider, NoProvider) else "can be asked"
    told: Sequence[tuple[str, object]] = (
        ("provider", settings.provider or "none"),
        ("state", state),
        ("model", settings.model),
        ("server", settings.base_url),
        ("command", " ".join(settings.command)),
        ("key", f"in the variable {settings.key_env}" if settings.key_env else None),
        ("time limit", f"{settings.timeout:g} s for a case run"),
    )
    yield from ({"what": what, "found": str(value)} for what, value in told if value)


def _counted(out: Path) -> Iterator[dict[str, Any]]:
    """How many packets of each status a directory holds.

    Raises:
        InputError: there is no such directory.
    """
    from judge_polars.semantic.store import packet_statuses

    if not out.is_dir():
        raise InputError(f"{out}: there is no such directory; name that of semantic run --out")
    counts = packet_statuses(out)
    yield {"what": "packets", "found": str(sum(counts.values()))}
    yield from ({"what": name, "found": str(count)} for name, count in counts.items())


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.add_typer(commands, name="semantic")
