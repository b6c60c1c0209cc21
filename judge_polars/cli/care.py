"""`doctor`: versions, extras, registry, history, disk, shell; what is wrong and how to mend it."""

from __future__ import annotations

import os
import shutil
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.console import rendered
from judge_polars.cli.outputs import Outputs
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.errors import EXIT_FINE, EXIT_INVALID_INPUT, EXIT_MISSING_PIECE

FORMATS: Final = ("table", "json", "jsonl", "csv", "markdown")
GOOD, OPTIONAL, WARNING, WRONG = "ok", "not there", "warning", "wrong"
_SYMBOLS: Final = {GOOD: ("✓", "green"), OPTIONAL: ("–", "dim"), WARNING: ("!", "yellow"), WRONG: ("✗", "red")}

CORE: Final = ("polars", "duckdb", "pydantic", "pyyaml", "orjson", "typer", "rich")
EXTRAS: Final = {
    "report": ("jinja2", "junitparser"),
    "notebooks": ("altair", "vl_convert", "jupyterlab", "ipykernel", "nbclient", "nbconvert", "jupytext"),
    "acp": ("acp",),
    "semantic": ("pydantic_ai",),
    "redact": ("detect_secrets",),
    "ray": ("ray",),
}
"""Extra -> the modules that it brings (`pyproject.toml`)."""
LEAST_FREE_BYTES: Final = 2**30
OLDEST_PYTHON: Final = (3, 11)


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at; `exit_code` is not 0 where it keeps judge-polars from working."""

    what: str
    state: str
    found: str
    mend: str = ""
    exit_code: int = EXIT_FINE

    def as_row(self) -> dict[str, Any]:
        """For the output formats."""
        return {"what": self.what, "state": self.state, "found": self.found, "mend": self.mend}


def doctor(
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Look at versions, extras, registry, history, disk and shell; say what is wrong and how to mend it."""
    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()), FORMATS)
    findings = list(examined(registry, place_of_history(history_dir)))

    def content(wanted: str, width: int, colored: bool) -> bytes:
        if wanted == "table":
            return rendered(_view(findings), width=width, colored=colored)
        from judge_polars.report.rows import rows_as

        return rows_as(wanted, [finding.as_row() for finding in findings], list(findings[0].as_row()))

    outputs.deliver(content, talk)
    return max((finding.exit_code for finding in findings), default=EXIT_FINE)


def examined(registry: Path | None, history: Path) -> Iterator[Finding]:
    """Everything that doctor looks at, in order; nothing that one look meets keeps the others from being made."""
    looks: tuple[Callable[[], Iterator[Finding]], ...] = (
        _python,
        _core,
        _engines,
        _extras,
        _shell,
        lambda: _registry(registry),
        lambda: _history(history),
        _disk,
    )
    for look in looks:
        try:
            yield from look()
        except Exception as wrong:  # a look that fails is itself a finding
            yield Finding("doctor", WRONG, f"{type(wrong).__name__}: {wrong}", "report this", EXIT_MISSING_PIECE)


def _python() -> Iterator[Finding]:
    import platform

    from judge_polars.version import __version__

    yield Finding("judge-polars", GOOD, __version__)
    found = (
        f"{platform.python_version()} on {platform.system()} {platform.machine()}, {options.processors()} processors"
    )
    if sys.version_info[:2] < OLDEST_PYTHON:
        yield Finding("python", WRONG, found, "install Python 3.11 or newer", EXIT_MISSING_PIECE)
    else:
        yield Finding("python", GOOD, found)


def _core() -> Iterator[Finding]:
    """Versions of the packages that are always needed."""
    from importlib import metadata

    for name in CORE:
        try:
            yield Finding(name, GOOD, metadata.version(name))
        except metadata.PackageNotFoundError:
            yield Finding(name, WRONG, "not there", f"pip install {name}", EXIT_MISSING_PIECE)


def _engines() -> Iterator[Finding]:
    """Whether the two engines work together: all views load over empty tables."""
    from judge_polars.history.views import VerdictDatabase

    try:
        database = VerdictDatabase()
        database.load_all()
        database.close()
        yield Finding("SQL views", GOOD, "all load")
    except Exception as wrong:  # whatever the engine says
        yield Finding(
            "SQL views", WRONG, str(wrong), "pip install --upgrade judge-polars polars duckdb", EXIT_MISSING_PIECE
        )


def _extras() -> Iterator[Finding]:
    for extra, modules in EXTRAS.items():
        lacking = [module for module in modules if find_spec(module) is None]
        if lacking:
            yield Finding(
                f"extra {extra}", OPTIONAL, f"lacks {', '.join(lacking)}", f"pip install 'judge-polars[{extra}]'"
            )
        else:
            yield Finding(f"extra {extra}", GOOD, "there")


def _shell() -> Iterator[Finding]:
    """The `duckdb` shell, on the path or beside this Python."""
    beside = Path(sys.executable).with_name("duckdb")
    found = shutil.which("duckdb") or (str(beside) if beside.is_file() else None)
    if found is None:
        yield Finding("duckdb shell", OPTIONAL, "not there", "pip install 'judge-polars[shell]'")
    else:
        yield Finding("duckdb shell", GOOD, found)


def _history(place: Path) -> Iterator[Finding]:
    """Whether there is a history, and whether it can be read."""
    from judge_polars.errors import InputError
    from judge_polars.history.store import open_history

    if not place.exists():
        yield Finding("history", OPTIONAL, f"{place}: none yet", "judge-polars judge RUNS begins one")
        return
    try:
        with open_history(place) as history:
            runs = history.sql("select count(*) from case_runs").item()
            orphans = [
                name
                for (name,) in history.sql(
                    "select view_name from duckdb_views() where view_name like 'audit_%'"
                ).iter_rows()
                if not history.sql(f"from {name} limit 1").is_empty()
            ]
    except InputError as wrong:
        yield Finding("history", WRONG, str(wrong), "", EXIT_INVALID_INPUT)
        return
    if orphans:
        yield Finding(
            "history",
            WRONG,
            f"{place}: rows in {', '.join(orphans)}",
            "judge-polars history rebuild",
            EXIT_INVALID_INPUT,
        )
    else:
        yield Finding("history", GOOD, f"{place}: {runs:,} case runs")


def _registry(named: Path | None) -> Iterator[Finding]:
    from judge_polars.cli.registries import registry_path
    from judge_polars.errors import RegistryError, UsageError
    from judge_polars.registry import load_registry

    try:
        path = registry_path(named)
    except UsageError as none:
        yield Finding(
            "registry", WRONG if named else OPTIONAL, str(none), "", EXIT_INVALID_INPUT if named else EXIT_FINE
        )
        return
    try:
        registry = load_registry(path)
    except RegistryError as wrong:
        errors = [finding for finding in wrong.findings if finding.severity == "error"]
        first = f"{_counted(len(errors), 'error')}, the first: {errors[0]}"
        yield Finding(
            "registry",
            WRONG,
            f"{path}: {first}",
            "judge-polars validate shows all, and how to mend them",
            EXIT_INVALID_INPUT,
        )
        return
    parts = (("case", registry.cases), ("suite", registry.suites), ("baseline", registry.baselines))
    counts = ", ".join(_counted(len(found), what) for what, found in parts)
    if registry.findings:
        yield Finding(
            "registry",
            WARNING,
            f"{path}: {counts}, {_counted(len(registry.findings), 'warning')}",
            "judge-polars validate shows them",
        )
    else:
        yield Finding("registry", GOOD, f"{path}: {counts}")


def _counted(number: int, what: str) -> str:
    return f"{number:,} {what}" if number == 1 else f"{number:,} {what}s"


def _disk() -> Iterator[Finding]:
    """Room and rights where judge-polars writes: here and in the temporary directory."""
    import tempfile

    for what, path in (("working directory", Path.cwd()), ("temporary directory", Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(path).free
        found = f"{path}, {free / 2**30:.1f} GiB free"
        if not os.access(path, os.W_OK):
            yield Finding(what, WARNING, f"{path} may not be written", "work in another directory")
        elif free < LEAST_FREE_BYTES:
            yield Finding(what, WARNING, found, "make room: large histories need more")
        else:
            yield Finding(what, GOOD, found)


def _view(findings: list[Finding]) -> Any:
    from rich.console import Group
    from rich.text import Text

    from judge_polars.cli.rows_table import plain_table
    from judge_polars.printable import printable

    table = plain_table("state", "what", "found", header=False)
    for finding in findings:
        symbol, style = _SYMBOLS[finding.state]
        told = Text(printable(finding.found))
        if finding.mend:
            told.append(f"  → {finding.mend}", style="bold" if finding.state == WRONG else "dim")
        table.add_row(Text(f"{symbol} {finding.state}", style=style), Text(finding.what), told)
    wrong = sum(finding.state == WRONG for finding in findings)
    warnings = sum(finding.state == WARNING for finding in findings)
    told = Text(
        f"{wrong} wrong, {warnings} warnings" if wrong or warnings else "everything that is needed is there",
        style="bold",
    )
    return Group(table, told)


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    app.command("doctor")(doctor)
