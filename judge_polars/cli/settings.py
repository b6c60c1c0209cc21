"""Settings: option > `JUDGE_POLARS_…` variable > nearest `judge_polars.toml` or `[tool.judge_polars]` > default.

A key is an option's long name without the dashes, for all commands that have it; a table `[commands.NAME]` holds
those for one command.  Paths are relative to the file that names them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, NamedTuple

from judge_polars.errors import UsageError

FILE: Final = "judge_polars.toml"
PATHS: Final = ("registry", "workspaces-root", "history-dir", "runs", "output")
NEVER: Final = ("help", "version", "quiet", "verbose", "no-history")
"""Options that are said for one call."""

TABLES: Final = ("commands", "agents", "semantic")
"""Tables that are read by whoever they are for."""

Options = Mapping[str, Mapping[str, str]]
"""Command (`judge`, `history info`) -> option's long name -> name of its parameter."""


class Settings(NamedTuple):
    """The keys of a settings file; `source` is the file, None where there is none."""

    source: Path | None
    keys: dict[str, Any]


def project_settings(start: Path) -> Settings:
    """The nearest settings at or above a directory.

    Raises:
        UsageError: the file is no TOML.
    """
    for directory in (start, *start.parents):
        own = directory / FILE
        if own.is_file():
            return Settings(own, _read(own))
        project = directory / "pyproject.toml"
        if project.is_file():
            keys = _read(project).get("tool", {}).get("judge_polars")
            if isinstance(keys, dict):
                return Settings(project, keys)
    return Settings(None, {})


def _read(path: Path) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as wrong:
        raise UsageError(f"{path}: {wrong}; mend the file or remove it") from wrong


def default_map(settings: Settings, options: Options) -> dict[str, dict[str, Any]]:
    """Command -> parameter -> default.

    Raises:
        UsageError: a key or command that there is not; the nearest one is named.
    """
    if settings.source is None:
        return {}
    every = {name for names in options.values() for name in names} - set(NEVER)
    of_commands = settings.keys.get("commands", {})
    common = {key: value for key, value in settings.keys.items() if key not in TABLES}
    for key in common:
        _require(settings.source, key, every)
    if not isinstance(of_commands, dict):
        raise UsageError(f"{settings.source}: commands: a table for each command is wanted, such as [commands.judge]")
    for command, keys in of_commands.items():
        _require(settings.source, f"commands.{command}", {f"commands.{name}" for name in options})
        for key in keys:
            _require(
                settings.source,
                f"commands.{command}.{key}",
                {f"commands.{command}.{name}" for name in options[command]},
            )
    found: dict[str, Any] = {}
    for command, names in options.items():
        place = found
        *groups, last = command.split(" ")
        for group in groups:
            place = place.setdefault(group, {})
        place[last] = dict(_defaults(settings.source, names, {**common, **of_commands.get(command, {})}))
    return found


def _require(source: Path, key: str, known: set[str]) -> None:
    if key.replace("_", "-") in known:
        return
    from difflib import get_close_matches

    near = get_close_matches(key.replace("_", "-"), known, n=1)
    hint = f"; did you mean {near[0]}?" if near else f"; known are {', '.join(sorted(known))}"
    raise UsageError(f"{source}: {key}: there is no such setting{hint}")


def _defaults(source: Path, names: Mapping[str, str], keys: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for key, value in keys.items():
        name = key.replace("_", "-")
        if name in names:
            yield names[name], _placed(source.parent, value) if name in PATHS else value


def _placed(directory: Path, value: Any) -> Any:
    """A path, or a list of them, relative to the settings file."""
    if isinstance(value, list):
        return [_placed(directory, item) for item in value]
    return str(directory / value) if isinstance(value, str) else value
