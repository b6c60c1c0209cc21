"""`new case` and `new suite`: filled-in templates that validate."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import Talk, write
from judge_polars.cli.registries import registry_path
from judge_polars.errors import EXIT_FINE, UsageError

EXAMPLES: Final = """
Examples:\n
\b
  judge-polars new case slow-writes-during-incident-window
  judge-polars new suite nightly --case 'slow-*' --case 'tail-*'
"""
SCHEMA_HINT: Final = "for completion in editors: judge-polars schema export --dir {}"

commands: Final = typer.Typer(
    no_args_is_help=True, help="Templates of cases and suites that validate.", epilog=EXAMPLES
)

Name = Annotated[str, options.argument(metavar="NAME", help="Lower-case words joined by `-`.")]


@commands.command("case")
def new_case(
    name: Name,
    registry: options.RegistryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Write case.yaml, judge.yaml, reference.md and expected.md of a new case; it is inactive until it is whole."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color="auto")
    path = registry_path(registry)
    from judge_polars.registry.templates import new_case_files

    taken = sorted(entry.name for entry in _entries(path / "cases"))
    _require_name(name, taken, "case")
    _write(new_case_files(name, path))
    _hint_schemas(path, talk)
    talk.say(
        f"next: fill them in, make the case active, put it into a suite; then judge-polars validate --registry {path}"
    )
    return EXIT_FINE


@commands.command("suite")
def new_suite(
    name: Name,
    registry: options.RegistryDir = None,
    case: options.CaseGlobs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
) -> int:
    """Write a new suite of all active cases, or of those that `--case` selects."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color="auto")
    path = registry_path(registry)
    from judge_polars.registry.templates import new_suite_file

    taken = sorted(entry.stem for entry in _entries(path / "suites"))
    _require_name(name, taken, "suite")
    cases = _active_cases(path, tuple(case or ()))
    _write(new_suite_file(name, path, cases))
    _hint_schemas(path, talk)
    talk.say(f"next: judge-polars inspect {name} --registry {path}")
    return EXIT_FINE


def _require_name(name: str, taken: list[str], what: str) -> None:
    from judge_polars.printable import printable
    from judge_polars.registry.templates import name_fault

    fault = name_fault(name, taken, what)
    if fault is not None:
        raise UsageError(f"new {what} {printable(name)}: {fault}")


def _entries(folder: Path) -> list[Path]:
    return list(folder.iterdir()) if folder.is_dir() else []


def _active_cases(path: Path, globs: tuple[str, ...]) -> list[str]:
    """Ids of the active cases that fit one of the globs.

    Raises:
        UsageError: there is none; a suite has at least one case.
    """
    from fnmatch import fnmatchcase

    from judge_polars.registry import examine

    files = examine(path).world.contents.cases.values()
    active = [one.case.model.id for one in files if one.case and one.case.model.status == "active"]
    chosen = [case for case in active if not globs or any(fnmatchcase(case, glob) for glob in globs)]
    if not chosen:
        which = f"no active case fits {', '.join(globs)}" if globs and active else "there is no active case"
        there = f"; there are: {', '.join(active)}" if active else "; make one active (status in case.yaml) first"
        raise UsageError(f"new suite: {which}{there}")
    return chosen


def _write(files: Mapping[Path, str]) -> None:
    """Write new files, none over an old one; their paths are the result."""
    try:
        for path, text in files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("x", encoding="utf-8") as file:
                file.write(text)
            write(f"{path}\n".encode())
    except OSError as wrong:
        raise UsageError(f"{wrong.filename}: {wrong.strerror or wrong}; nothing that was there is changed") from wrong


def _hint_schemas(path: Path, talk: Talk) -> None:
    from judge_polars.registry.schemas import schemas_near

    if schemas_near(path) is None:
        talk.say(SCHEMA_HINT.format(path / "schemas"))


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.add_typer(commands, name="new")
