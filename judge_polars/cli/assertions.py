"""`assert`: how the assertion rules read a text."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.completion import case_ids
from judge_polars.cli.console import Talk, rendered
from judge_polars.cli.outputs import FORMATS, Outputs
from judge_polars.cli.selection import nearest
from judge_polars.errors import EXIT_FINE, UsageError

if TYPE_CHECKING:
    import polars as pl
    from rich.console import RenderableType

    from judge_polars.registry import Registry
    from judge_polars.rulebook import WordLists

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars assert 'CPU hotspots were ruled out; the disk hung.' --pattern 'cpu hot ?spots?' --pattern 'disk hung'
  judge-polars assert @output.md --concept cpu_hotspot
  cat output.md | judge-polars assert - --concept disk_hang --case tail-latency-surge
"""
_SYMBOLS: Final = {
    "claimed": ("●", "green"),
    "asserted": ("○", "green"),
    "denied": ("✗", "red"),
    "silent": ("·", "yellow"),
}


def read_assertions(
    text: Annotated[str, options.argument(metavar="TEXT", help="The text; @FILE reads a file, - standard input.")],
    pattern: Annotated[
        list[str] | None, options.option("--pattern", "-p", metavar="P", help="A regex to look for; repeatable.")
    ] = None,
    concept: Annotated[
        list[str] | None,
        options.option("--concept", metavar="NAME", help="The patterns of a pack's concept; repeatable."),
    ] = None,
    unless: Annotated[
        list[str] | None, options.option("--unless", metavar="P", help="As in the rule; repeatable.")
    ] = None,
    negated_finding: Annotated[
        bool, options.flag("--negated-finding", help="The finding is itself a negation.")
    ] = False,
    case: Annotated[
        str | None,
        options.option("--case", metavar="ID", help="With the word lists of this case.", autocompletion=case_ids),
    ] = None,
    registry: options.RegistryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Show how the assertion rules read a text: clause by clause, and what denied or claimed a pattern there.

    Only clauses that hold a pattern are shown; with -v all of them.
    """
    from judge_polars.rules.explain_assertions import explain_text

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()))
    words, concepts = _language(registry, case, talk)
    patterns = [*(pattern or ()), *(entry for name in concept or () for entry in _concept(name, concepts))]
    if not patterns:
        raise UsageError("assert: say what to look for: --pattern P or --concept NAME")
    forms = {_checked(given): given for given in patterns}
    read = explain_text(
        text_of(text),
        list(forms),
        words,
        unless=[_checked(one) for one in unless or ()],
        negated_finding=negated_finding,
    )

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "table":
            return rendered(clauses_view(read, forms, whole=talk.verbose), width=width, colored=colored)
        from judge_polars.report.rows import rows_as

        return rows_as(wanted, read.to_dicts(), read.columns)

    outputs.deliver(content, talk)
    return EXIT_FINE


def text_of(argument: str) -> str:
    """The text that an argument means: itself, a file's, or standard input's.

    Raises:
        UsageError: the file cannot be read.
    """
    if argument == "-":
        return sys.stdin.read()
    if not argument.startswith("@"):
        return argument
    try:
        return Path(argument[1:]).read_text("utf-8", errors="replace")
    except OSError as wrong:
        raise UsageError(f"{argument}: {wrong.strerror or wrong}") from wrong


def _language(registry: Path | None, case: str | None, talk: Talk) -> tuple[WordLists, dict[str, list[str]]]:
    """The word lists and concepts in force; without a registry those of the pack that ships."""
    from judge_polars.registry.compile_facts import with_words
    from judge_polars.rulebook import WordLists

    opened = _registry(registry, talk)
    words = WordLists()
    concepts: dict[str, list[str]] = {}
    for pack in opened.packs.values():
        words = with_words(words, pack.words)
        concepts |= {name: list(entries) for name, entries in pack.concepts.items()}
    if case is not None:
        if case not in opened.cases:
            raise UsageError(f"--case {case}: the registry has no such case{nearest(case, opened.cases)}")
        words = with_words(words, opened.cases[case].policy.words)
    return words, concepts


def _registry(named: Path | None, talk: Talk) -> Registry:
    from tempfile import TemporaryDirectory

    from judge_polars.cli.registries import open_registry
    from judge_polars.registry import find_registry, load_registry

    if named is not None or find_registry(Path.cwd()) is not None:
        return open_registry(named, talk)
    with TemporaryDirectory() as empty:
        (Path(empty) / "cases").mkdir()
        return load_registry(empty)


def _concept(name: str, concepts: dict[str, list[str]]) -> list[str]:
    if name not in concepts:
        raise UsageError(f"--concept {name}: no pack names it{nearest(name, concepts)}")
    return concepts[name]


def _checked(pattern: str) -> str:
    """A pattern in the form in which it is searched.

    Raises:
        UsageError: the engine does not take it.
    """
    import polars as pl

    from judge_polars.registry.regexes import run_time_form

    form = run_time_form(pattern)
    try:
        pl.Series([""]).str.contains(form)
    except pl.exceptions.ComputeError as wrong:
        found = re.search(r"^error: (.+)$", str(wrong), re.MULTILINE)
        reason = found[1] if found else str(wrong)
        raise UsageError(f"--pattern {pattern!r}: no regex that the engine takes: {reason}") from wrong
    return form


def clauses_view(read: pl.DataFrame, given: dict[str, str], *, whole: bool) -> RenderableType:
    """The clauses in which a pattern is found, or all of them, with what decided."""
    from rich.console import Group
    from rich.text import Text

    from judge_polars.cli.rows_table import plain_table
    from judge_polars.explain.on_assertions import decision
    from judge_polars.printable import printable

    table = plain_table("line", "reading", "clause", "pattern and what decided", right=("line",))
    counts = dict.fromkeys(_SYMBOLS, 0)
    for row in read.iter_rows(named=True):
        if row["pattern"] is None:
            if whole:
                table.add_row(Text(str(row["line"])), Text(), Text(printable(row["clause"])), Text())
            continue
        reading = _reading(row)
        counts[reading] += 1
        symbol, style = _SYMBOLS[reading]
        why = f"{printable(given.get(row['pattern'], row['pattern']))} {decision(row)}"
        table.add_row(
            Text(str(row["line"])),
            Text(f"{symbol} {reading}", style=style),
            Text(printable(row["clause"])),
            Text(why, style="dim"),
        )
    table.columns[2].no_wrap = False
    table.columns[2].ratio = 1
    if not sum(counts.values()):
        nothing = Text("no pattern is found in any clause (fenced code and quotes are not read)")
        return Group(table, nothing) if whole and table.row_count else nothing
    told = ", ".join(f"{count} {reading}" for reading, count in counts.items() if count)
    return Group(table, Text(told, style="bold"))


def _reading(row: dict[str, Any]) -> str:
    if row["claims"]:
        return "claimed"
    if row["asserts"]:
        return "asserted"
    return "denied" if row["denied"] else "silent"


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("assert", epilog=EXAMPLES)(read_assertions)
