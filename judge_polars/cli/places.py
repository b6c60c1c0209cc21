"""Where the history lies: `--history-dir`, `JUDGE_POLARS_HISTORY`, else `.judge_polars` at the project's root."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from judge_polars.cli.settings import FILE

DIRECTORY: Final = ".judge_polars"
DEMO_DIRECTORY: Final = ".judge_polars_demo"
_SIGNS: Final = ((DIRECTORY, FILE, "evaluation/regression"), ("pyproject.toml", ".git"))
"""What a project's root holds: of the first kind first."""


def history_dir(given: Path | None) -> Path:
    """The history's directory: as given, else at the project's root."""
    return given if given is not None else _as_seen(project_root() / DIRECTORY)


def project_root(start: Path | None = None) -> Path:
    """The nearest directory upward that holds a history, settings or a registry, else one that holds a project file or a
    repository, else the present one."""
    here = (start or Path.cwd()).resolve()
    upward = (here, *here.parents)
    for signs in _SIGNS:
        for directory in upward:
            if any((directory / sign).exists() for sign in signs):
                return directory
    return here


def _as_seen(path: Path) -> Path:
    """A path relative to the present directory where it lies below it."""
    try:
        return path.relative_to(Path.cwd().resolve())
    except ValueError:
        return path
