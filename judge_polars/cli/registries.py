"""The registry that a command works on: `--registry`, else the usual place here or in the nearest parent."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from judge_polars.cli.console import Talk
from judge_polars.errors import UsageError

if TYPE_CHECKING:
    from judge_polars.registry import Registry


def registry_path(named: Path | None) -> Path:
    """The registry's directory, as the user would type it.

    Raises:
        UsageError: there is none.
    """
    from judge_polars.registry import find_registry

    found = named or find_registry(Path.cwd())
    if found is None:
        raise UsageError(
            "no registry: there is no evaluation/regression here or in a parent directory; name it with --registry DIR"
        )
    if not found.is_dir():
        raise UsageError(f"no registry: {found} is no directory; name one that holds cases/ with --registry DIR")
    return as_typed(found)


def as_typed(path: Path) -> Path:
    """A path relative to the working directory where it lies below it."""
    try:
        return path.relative_to(Path.cwd())
    except ValueError:
        return path


def open_registry(named: Path | None, talk: Talk) -> Registry:
    """Load the registry; its warnings are told.

    Raises:
        UsageError: there is none.
        RegistryError: it has errors.
    """
    from judge_polars.registry import load_registry

    path = registry_path(named)
    registry = load_registry(path)
    if registry.findings:
        count = len(registry.findings)
        talk.say(
            f"{count} warning{'s' if count > 1 else ''} in the registry {path}"
            + ("" if talk.verbose else " (-v shows them)")
        )
        for finding in registry.findings:
            talk.detail(f"  {finding}")
    return registry
