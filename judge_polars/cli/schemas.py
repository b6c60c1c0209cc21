"""`schema export` and `schema check`: JSON Schemas of the registry's files, for editors."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.registries import as_typed
from judge_polars.errors import EXIT_FINE, EXIT_INVALID_INPUT, UsageError

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars schema export --dir evaluation/regression/schemas
  judge-polars schema check --dir docs/schemas
"""

Directory = Annotated[
    Path | None,
    options.option(
        "--dir", metavar="DIR", help="The directory; else docs/schemas here, else schemas/ in the registry."
    ),
]

commands: Final = typer.Typer(
    no_args_is_help=True, help="JSON Schemas of all YAML files, for editors.", epilog=EXAMPLES
)


@commands.command("export")
def export(
    directory: Directory = None,
    registry: options.RegistryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Write the schemas of case, judge, suite, baseline, pack and registry files."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color="auto")
    from judge_polars.registry.schemas import schema_texts, write_schemas

    place = _place(directory, registry)
    try:
        written = write_schemas(place)
    except OSError as wrong:
        raise UsageError(f"--dir {place}: {wrong.strerror or wrong}; name another directory") from wrong
    for path in written:
        talk.detail(f"written: {path}")
    talk.say(f"✓ {len(schema_texts())} schemas in {place}, {len(written)} of them written anew")
    return EXIT_FINE


@commands.command("check")
def check(
    directory: Directory = None,
    registry: options.RegistryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Tell whether the schemas are there and current; exit code 2 when they are not."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color="auto")
    from judge_polars.registry.schemas import outdated_schemas

    place = _place(directory, registry)
    outdated = outdated_schemas(place)
    for path in outdated:
        talk.say(f"{path}: {'not what it would be now' if path.is_file() else 'missing'}")
    if outdated:
        talk.say(f"✗ outdated; write them anew: judge-polars schema export --dir {place}")
        return EXIT_INVALID_INPUT
    talk.say(f"✓ the schemas in {place} are current")
    return EXIT_FINE


def _place(directory: Path | None, registry: Path | None) -> Path:
    """Where the schemas are."""
    usual = Path("docs") / "schemas"
    if directory is not None:
        return directory
    if registry is None and usual.is_dir():
        return usual
    from judge_polars.registry import find_registry

    found = registry or find_registry(Path.cwd())
    if found is None:
        raise UsageError("say where the schemas are, with --dir DIR")
    return as_typed(found / "schemas")


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.add_typer(commands, name="schema")
