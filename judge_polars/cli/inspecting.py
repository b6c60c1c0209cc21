"""`inspect`: what a suite would do."""

from __future__ import annotations

from typing import Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.completion import suite_ids
from judge_polars.cli.console import rendered
from judge_polars.cli.outputs import Outputs
from judge_polars.cli.registries import registry_path
from judge_polars.errors import EXIT_FINE, NothingSelectedError, UsageError

FORMATS: Final = ("table", "json")

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars inspect
  judge-polars inspect core-daily-demo
  judge-polars inspect core-daily-demo --format json
"""


def inspect(
    suite: Annotated[
        str,
        options.argument(
            metavar="[SUITE]",
            help="A suite, check by check; all suites at a glance without it.",
            autocompletion=suite_ids,
        ),
    ] = "",
    registry: options.RegistryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Show what a suite would do: cases, windows, checks and weights, facts that they read, baseline, lint findings."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()), FORMATS)
    path = registry_path(registry)
    from judge_polars.registry import examine
    from judge_polars.registry.inspection import inspection

    examined = examine(path)
    told = inspection(examined, suite or None)
    if suite and not told["suites"]:
        from judge_polars.cli.selection import nearest

        known = [one.id for one in examined.world.book.suites]
        raise UsageError(f"there is no suite {suite}{nearest(suite, known)}")
    if not told["cases"]:
        raise NothingSelectedError(f"there are no cases in {path}")

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "json":
            import orjson

            return orjson.dumps(told, option=orjson.OPT_INDENT_2 | orjson.OPT_UTC_Z) + b"\n"
        from judge_polars.cli.inspection_table import inspection_view

        return rendered(inspection_view(told, width, in_detail=bool(suite)), width=width, colored=colored)

    outputs.deliver(content, talk)
    return EXIT_FINE


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("inspect", epilog=EXAMPLES)(inspect)
