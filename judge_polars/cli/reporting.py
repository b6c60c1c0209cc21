"""`report`: one self-contained file about an eval run, HTML or Markdown (specification 70, "Report")."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.completion import eval_run_ids
from judge_polars.cli.console import JudgingProgress, Talk, write
from judge_polars.cli.differing import difference_of
from judge_polars.cli.judging import judged
from judge_polars.cli.outputs import require_writable, write_file
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import open_registry
from judge_polars.cli.selection import Selection, nearest
from judge_polars.cli.sources import SomeRuns
from judge_polars.errors import EXIT_CONDITION_MET, EXIT_FINE, InputError, NothingSelectedError, UsageError

if TYPE_CHECKING:
    import polars as pl

    from judge_polars.baselines import Difference
    from judge_polars.explain import Explanation
    from judge_polars.gate import Condition, GateResult
    from judge_polars.history.store import History
    from judge_polars.judgment import Judgment
    from judge_polars.report.content import Report
    from judge_polars.rulebook import RuleBook
    from judge_polars.sources import Source
    from judge_polars.workers import Workers

HTML: Final = "html"
MARKDOWN: Final = "markdown"
FORMATS: Final = (HTML, MARKDOWN)
SUFFIXES: Final = {".html": HTML, ".htm": HTML, ".md": MARKDOWN, ".markdown": MARKDOWN}

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars report -o report.html                       # the latest eval run of the history
  judge-polars report 2025-03-05-nightly -o report.html -o report.md
  judge-polars report 2025-03-05-nightly runs/ -o report.html --verdict fail
"""

Excerpts = Annotated[
    int,
    options.option(
        "--excerpts",
        metavar="N",
        min=0,
        help="Look up what the failed checks found in N case runs, what regressed first (a tenth of a second each); default: 1000.",
    ),
]


def report(
    eval_run: Annotated[
        str | None,
        options.argument(metavar="[EVAL_RUN]", help="The eval run; default: the latest.", autocompletion=eval_run_ids),
    ] = None,
    runs: SomeRuns = None,
    against: Annotated[
        str | None,
        options.option(
            "--against",
            metavar="EVAL_RUN",
            help="Compare with this eval run; default: the baseline of the suite.",
            autocompletion=eval_run_ids,
        ),
    ] = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str | None,
        options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output, without -o."),
    ] = None,
    output: options.Outputs = None,
    excerpts: Excerpts = 1000,
    suite: options.SuiteIds = None,
    case: options.CaseGlobs = None,
    tag: options.Tags = None,
    select_eval_run: options.EvalRuns = None,
    verdict: options.Verdicts = None,
    where: options.Where = None,
    fail_on: options.FailOn = None,
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Report on an eval run: gate, regressions, verdicts, trends, and why each case run is no pass.

    The gate is told as `eval` has it, or as --fail-on says, which also makes the exit code.
    """
    from judge_polars.gate import parse_conditions
    from judge_polars.report.gather import Wanted, gather

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    asked = parse_conditions(fail_on or [])
    selection = Selection.of(suite, case, tag, select_eval_run, verdict, where)
    files = formats_of(output or [], output_format)
    if any(form == HTML for _, form in files):
        from judge_polars.report.html import require_templates

        require_templates()
    opened = open_registry(registry, talk)
    book = opened.compile()
    eval_run, runs = _as_meant(eval_run, runs)
    with _opened(runs, history_dir, book, talk, workers=options.workers_of(jobs)) as found:
        key = eval_run or found.latest(selection)
        difference, none = _difference(found.source, key, against, book)
        gate = _gate(found.source, key, difference, asked)
        told = gather(
            found.source,
            Wanted(
                eval_run_id=key,
                gate=gate,
                command=_command(key, runs, registry, history_dir, selection, against, fail_on or [], excerpts),
                explanations=found.explanations,
                difference=difference,
                no_difference=none,
                chosen=found.chosen(key, selection),
                kept=not runs,
                excerpts=excerpts,
            ),
        )
    _deliver(told, files, talk)
    talk.say(gate.line)
    return EXIT_CONDITION_MET if asked and gate.met else EXIT_FINE


def formats_of(files: Sequence[Path], output_format: str | None) -> list[tuple[Path | None, str]]:
    """Where the report goes and in which form; standard output (None) where no file is named, or a format is.

    Raises:
        UsageError: an unknown format or suffix, or a file that cannot be written.
    """
    if output_format is not None and output_format not in FORMATS:
        raise UsageError(f"--format {output_format}: one of {', '.join(FORMATS)}")
    wanted: list[tuple[Path | None, str]] = []
    for path in files:
        form = SUFFIXES.get(path.suffix.lower())
        if form is None:
            raise UsageError(f"-o {path}: the suffix says no format; use one of {', '.join(SUFFIXES)}")
        require_writable(path)
        wanted.append((path, form))
    if output_format is not None or not files:
        wanted.append((None, output_format or MARKDOWN))
    return wanted


def _as_meant(eval_run: str | None, runs: list[Path] | None) -> tuple[str | None, list[Path] | None]:
    """A directory alone that is typed as one is where to look: `report runs/`; no id of an eval run holds a slash."""
    if eval_run is not None and not runs and ("/" in eval_run or eval_run == ".") and Path(eval_run).is_dir():
        return None, [Path(eval_run)]
    return eval_run, runs


def _deliver(told: Report, files: Sequence[tuple[Path | None, str]], talk: Talk) -> None:
    from judge_polars.report.html import as_html
    from judge_polars.report.markdown_page import as_markdown

    writers = {HTML: as_html, MARKDOWN: as_markdown}
    for path, form in files:
        content = writers[form](told)
        if path is None:
            write(content)
        else:
            write_file(path, content)
            talk.say(f"written: {path}")


class _Judged:
    """Runs that are judged in memory."""

    def __init__(self, judgment: Judgment, book: RuleBook, talk: Talk) -> None:
        from judge_polars.judged_runs import JudgedRuns

        self.source: Source = JudgedRuns(judgment)
        self._judgment = judgment
        self._book = book
        self._talk = talk

    def latest(self, selection: Selection) -> str:
        """The latest eval run that is meant."""
        return _latest(self.source, selection)

    def chosen(self, eval_run_id: str, selection: Selection) -> frozenset[str] | None:
        """Case runs of the eval run that are meant; None when all are."""
        if not (selection.of_cases or selection.verdicts or selection.where):
            return None
        import polars as pl

        rows = selection.rows(self._judgment).filter(pl.col("eval_run_id") == eval_run_id)
        return _of_cases(rows, self._book, selection)

    def explanations(self, ids: Sequence[str]) -> Iterator[Explanation]:
        """The case runs explained, with progress."""
        return _explained(self._judgment, ids, self._talk)


class _Kept:
    """A history."""

    def __init__(self, history: History, book: RuleBook, talk: Talk) -> None:
        self.source: Source = history
        self._history = history
        self._book = book
        self._talk = talk

    def latest(self, selection: Selection) -> str:
        """The latest eval run that is meant."""
        return _latest(self.source, selection)

    def chosen(self, eval_run_id: str, selection: Selection) -> frozenset[str] | None:
        """Case runs of the eval run that are meant; None when all are."""
        if not (selection.of_cases or selection.verdicts or selection.where):
            return None
        rows = self._history.sql(
            "select case_run_id, case_id, verdict from verdicts where eval_run_id = ?", [eval_run_id]
        )
        if selection.where is not None:
            rows = rows.join(self._history.chosen(selection.where), on="case_run_id", how="semi")
        return _of_cases(rows, self._book, selection)

    def explanations(self, ids: Sequence[str]) -> Iterator[Explanation]:
        """The case runs judged and explained from the record, with progress; none where the registry knows no case."""
        import polars as pl

        from judge_polars.chronicle import among, recalled_judgment
        from judge_polars.engine import Engine

        wanted = pl.DataFrame({"case_run_id": list(ids)}, schema={"case_run_id": pl.String})
        try:
            judgment = recalled_judgment(
                self._history.record,
                Engine(self._book),
                select=among(wanted),
                facts=False,
            )
        except NothingSelectedError:
            return iter(())
        known = set(judgment.verdicts["case_run_id"])
        return _explained(judgment, [key for key in ids if key in known], self._talk)


@contextmanager
def _opened(
    runs: Sequence[Path] | None, history_dir: Path | None, book: RuleBook, talk: Talk, *, workers: Workers
) -> Iterator[_Judged | _Kept]:
    """The runs judged in memory, else the history."""
    if runs:
        yield _Judged(judged(list(runs), book, Selection(), talk, workers=workers, purpose="report"), book, talk)
        return
    from judge_polars.history.store import open_history

    with open_history(place_of_history(history_dir)) as history:
        yield _Kept(history, book, talk)


def _explained(judgment: Judgment, ids: Sequence[str], talk: Talk) -> Iterator[Explanation]:
    from judge_polars.explain import explain_each

    with JudgingProgress(talk, doing="explaining", done="explained") as progress:
        for number, told in enumerate(explain_each(judgment, ids, only_failed=True), start=1):
            yield told
            progress(number, len(ids))


def _latest(source: Source, selection: Selection) -> str:
    from judge_polars.report.gather import latest_eval_runs

    suites = dict(source.sql("select eval_run_id, suite_id from eval_runs").iter_rows())
    ids = latest_eval_runs(source)
    for key in ids:
        if selection.fits_eval_run(key, suites.get(key)):
            return key
    raise NothingSelectedError(f"none of the {len(ids):,} judged eval runs is selected")


def _of_cases(rows: pl.DataFrame, book: RuleBook, selection: Selection) -> frozenset[str]:
    tags = {case.id: case.tags for case in book.cases}
    return frozenset(
        key
        for key, case, verdict in rows.select("case_run_id", "case_id", "verdict").iter_rows()
        if selection.fits_case(case, tags.get(case, ())) and (not selection.verdicts or verdict in selection.verdicts)
    )


def _difference(source: Source, eval_run_id: str, against: str | None, book: RuleBook) -> tuple[Difference | None, str]:
    """What the eval run is compared with, or why it is with nothing.

    Raises:
        UsageError: there is no such eval run.
        InputError: `against` cannot be compared.
    """
    known = source.sql("select distinct eval_run_id from verdicts")["eval_run_id"].to_list()
    if eval_run_id not in known:
        raise UsageError(f"there is no judged eval run {eval_run_id}{nearest(eval_run_id, known)}")
    try:
        return difference_of(source, eval_run_id, against, book), ""
    except InputError as wrong:
        if against is not None:
            raise
        return None, f"Compared with nothing: {wrong}."
    except UsageError:
        if against is not None:
            raise
        return None, f"Compared with nothing: {eval_run_id} has no record that says which suite it ran."


def _gate(source: Source, eval_run_id: str, difference: Difference | None, asked: tuple[Condition, ...]) -> GateResult:
    """What --fail-on gives, or the rules of `eval`."""
    from judge_polars.cli.evaluating import WITH_BASELINE, WITHOUT_BASELINE
    from judge_polars.gate import decide, parse_conditions

    conditions = asked or parse_conditions(WITHOUT_BASELINE if difference is None else WITH_BASELINE)
    if difference is not None:
        from judge_polars.baselines.gate import decide as decide_difference

        return decide_difference(difference, conditions)
    verdicts = source.sql("select case_run_id, verdict from verdicts where eval_run_id = ?", [eval_run_id])
    return decide(source, verdicts, conditions, eval_runs=[eval_run_id])


def _command(
    eval_run_id: str,
    runs: Sequence[Path] | None,
    registry: Path | None,
    history_dir: Path | None,
    selection: Selection,
    against: str | None,
    fail_on: Sequence[str],
    excerpts: int,
) -> str:
    """What makes the same report."""
    from judge_polars.report.gather import EXCERPTS

    words = ["judge-polars", "report", eval_run_id, *map(str, runs or ())]
    for option, values in (
        ("--against", [against] if against else []),
        ("--registry", [str(registry)] if registry else []),
        ("--history-dir", [str(history_dir)] if history_dir and not runs else []),
        ("--case", selection.cases),
        ("--tag", selection.tags),
        ("--verdict", selection.verdicts),
        ("--where", [selection.where] if selection.where else []),
        ("--fail-on", fail_on),
        ("--excerpts", [str(excerpts)] if excerpts != EXCERPTS else []),
    ):
        for value in values:
            words += [option, value]
    return shlex.join([*words, "-o", "report.html"])


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("report", epilog=EXAMPLES)(report)
