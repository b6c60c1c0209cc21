"""`validate`: everything that is wrong with a registry, errors and lint together."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import write
from judge_polars.cli.registries import registry_path
from judge_polars.errors import EXIT_FINE, EXIT_INVALID_INPUT, UsageError

FORMATS: Final = ("text", "json", "github")

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars validate
  judge-polars validate --registry evaluation/regression --strict
  judge-polars validate --format github
"""


def validate(
    registry: options.RegistryDir = None,
    strict: Annotated[bool, options.flag("--strict", help="Warnings count as errors.")] = False,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "text",
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Check the registry: every error and every lint finding, with its place and how to mend it.

    Exit code 0 when no error is left, else 2.
    """
    if output_format not in FORMATS:
        raise UsageError(f"--format {output_format}: one of {', '.join(FORMATS)}")
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    path = registry_path(registry)
    from judge_polars.registry import examine
    from judge_polars.report.findings import findings_as

    found = examine(path)
    write(findings_as(output_format, found.findings, str(path)))
    talk.say(_told(found.errors, found.warnings, len(found.world.contents.cases), str(path), strict=strict))
    wrong = found.errors or (strict and found.warnings)
    return EXIT_INVALID_INPUT if wrong else EXIT_FINE


def _told(errors: int, warnings: int, cases: int, path: str, *, strict: bool) -> str:
    """The last line: what was found, and what that means."""
    counts = f"{_counted(errors, 'error')}, {_counted(warnings, 'warning')} in {path} ({_counted(cases, 'case')})"
    if errors:
        return f"✗ invalid: {counts}"
    if warnings and strict:
        return f"✗ invalid: {counts}; with --strict warnings count"
    return f"✓ valid: {counts}"


def _counted(count: int, what: str) -> str:
    return f"{count} {what}{'' if count == 1 else 's'}"


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("validate", epilog=EXAMPLES)(validate)
