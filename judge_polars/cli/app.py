"""The application: its commands, and what becomes of errors (exit codes: `errors.py`)."""

from __future__ import annotations

import errno
import io
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from judge_polars.cli import (
    assertions,
    baselining,
    care,
    creating,
    demo,
    differing,
    evaluating,
    explaining,
    history_care,
    ingesting,
    inspecting,
    judging,
    listing,
    notebooks,
    probing,
    querying,
    rejudging,
    reporting,
    schemas,
    semantics,
    showing,
    validating,
)
from judge_polars.cli.console import ClosedPipeError, give_up, open_streams, tell
from judge_polars.cli.settings import Options, default_map, project_settings
from judge_polars.errors import (
    EXIT_FINE,
    EXIT_INTERNAL,
    EXIT_INTERRUPTED,
    EXIT_INVALID_INPUT,
    JudgePolarsError,
    RegistryError,
    UsageError,
)

REFUSED: Final = frozenset(
    (
        *(errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EIO, errno.ESTALE),
        *(errno.EACCES, errno.EPERM, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ENAMETOOLONG, errno.ELOOP),
    )
)
"""What the system refuses is no fault inside: full disks, missing rights, too much at once, names that cannot be."""

app = typer.Typer(
    name="judge-polars",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="Settings: an option, else its variable (--registry is JUDGE_POLARS_REGISTRY), else judge_polars.toml or "
    "\\[tool.judge_polars] in pyproject.toml.",
)
for room in (
    demo,
    ingesting,
    evaluating,
    judging,
    rejudging,
    explaining,
    differing,
    reporting,
    baselining,
    querying,
    listing,
    probing,
    showing,
    assertions,
    inspecting,
    validating,
    creating,
    schemas,
    semantics,
    notebooks,
    history_care,
    care,
):
    room.add_commands(app)


def _print_version(wanted: bool) -> None:
    if wanted:
        from judge_polars.version import __version__

        print(f"judge-polars {__version__}")
        raise typer.Exit


@app.callback()
def settings(
    version: Annotated[
        bool,
        typer.Option(
            "--version", help="Print the version and exit.", is_eager=True, callback=_print_version, metavar=""
        ),
    ] = False,
) -> None:
    """Judge run bundles of an incident-diagnosis agent: comparable or not, evidence, diagnosis, regressions."""
    del version


def main() -> None:
    """Run the command line and exit with the code that `errors.py` gives."""
    open_streams()
    sys.exit(run(sys.argv[1:]))


def run(arguments: list[str]) -> int:
    """Run one command and return its exit code; an error becomes a message for people, with `-v` after its traceback."""
    try:
        defaults = default_map(project_settings(_here()), _options())
        outcome = app(arguments, prog_name="judge-polars", standalone_mode=False, default_map=defaults)
        sys.stdout.flush()
        if outcome == EXIT_INTERRUPTED:  # typer turns an interrupt into this
            raise KeyboardInterrupt
        return outcome if isinstance(outcome, int) else EXIT_FINE
    except typer.TyperException as wrong:
        _usage(wrong)
        return EXIT_INVALID_INPUT
    except (typer.Abort, KeyboardInterrupt):
        tell("interrupted")
        return EXIT_INTERRUPTED
    except (ClosedPipeError, BrokenPipeError):
        give_up(sys.stdout)
        return EXIT_FINE
    except RegistryError as wrong:
        _traceback(arguments)
        tell(*wrong.lines)
        return wrong.exit_code
    except JudgePolarsError as wrong:
        _traceback(arguments)
        first, *others = wrong.lines or ("",)
        tell(f"judge-polars: {first}", *others)
        return wrong.exit_code
    except SystemExit:
        raise
    except BaseException as wrong:  # the last resort, for panics of libraries too: a message, never a bare traceback
        _traceback(arguments)
        if isinstance(wrong, OSError) and wrong.errno in REFUSED:
            place = "" if wrong.filename is None else f"{os.fsdecode(wrong.filename)}: "
            tell(f"judge-polars: {place}{wrong.strerror}; mend that and run the command again")
            return EXIT_INVALID_INPUT
        more = "" if _is_verbose(arguments) else "; run it again with -v and report what that prints"
        tell(f"judge-polars: internal error: {type(wrong).__name__}: {wrong}{more}")
        return EXIT_INTERNAL


def _here() -> Path:
    """The working directory; raises `UsageError` where it was removed."""
    try:
        return Path.cwd()
    except FileNotFoundError:
        raise UsageError("the working directory is gone: go to another one and run the command again") from None


def _options() -> Options:
    """The options of each command by their long names, for settings files."""
    return dict(_options_below(typer.main.get_command(app), ""))


def _options_below(group: Any, prefix: str) -> Iterator[tuple[str, dict[str, str]]]:
    for name, command in group.commands.items():
        if hasattr(command, "commands"):
            yield from _options_below(command, f"{prefix}{name} ")
            continue
        yield (
            f"{prefix}{name}",
            {
                (parameter.opts[0] if len(parameter.opts) == 1 else max(parameter.opts, key=len)).strip(
                    "-"
                ): parameter.name
                for parameter in command.params
            },
        )


def _usage(wrong: typer.TyperException) -> None:
    """Say what is wrong with the arguments, with the way to the help."""
    show = getattr(wrong, "show", None)
    if show is not None:
        told = io.StringIO()
        show(told)
        tell(*told.getvalue().rstrip("\n").split("\n"))
    else:
        tell(f"judge-polars: {wrong.format_message()}")


def _is_verbose(arguments: list[str]) -> bool:
    return "-v" in arguments or "--verbose" in arguments


def _traceback(arguments: list[str]) -> None:
    if _is_verbose(arguments):
        import traceback

        tell(*traceback.format_exc().rstrip().split("\n"))
