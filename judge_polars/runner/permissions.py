"""What an agent may ask its client for: files, terminals, and leave for its own tools (specification 80, 90).

`deny` refuses everything, `allow` nothing.  `allow-in-workspace` allows what lies in the workspace, links followed.  It is
a rule for requests, not a cage: what the agent's own process does by itself is not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from judge_polars.runner.agents import Permissions

PATH_KEYS: Final = frozenset(
    {
        "path",
        "paths",
        "file",
        "files",
        "filepath",
        "file_path",
        "filename",
        "directory",
        "dir",
        "cwd",
        "workdir",
        "root",
    }
)
"""Members of a tool call's raw input that hold paths, in lower case."""
LEVELS: Final = 6


class RefusedError(Exception):
    """A request is not allowed; the text says why."""


class Policy:
    """The permissions of one case run."""

    def __init__(self, permissions: Permissions, workspace: Path) -> None:
        self._permissions = permissions
        self._workspace = workspace.resolve()

    @property
    def offers(self) -> bool:
        """Whether files and terminals are offered to the agent at all."""
        return self._permissions != "deny"

    def place(self, named: str | None) -> Path:
        """A path that may be used, links followed; the workspace where none is named.

        Raises:
            RefusedError: it may not.
        """
        if self._permissions == "deny":
            raise RefusedError("permissions are deny")
        try:
            place = (self._workspace / (named or "")).resolve()
        except (OSError, ValueError, RuntimeError) as wrong:
            raise RefusedError("no path that can be followed") from wrong
        if self._permissions == "allow-in-workspace" and not place.is_relative_to(self._workspace):
            raise RefusedError("outside the workspace")
        return place

    def tool_call(self, locations: list[str], raw_input: object) -> None:
        """Whether a tool of the agent's own may be used, by the paths that its call names.

        Raises:
            RefusedError: it may not.
        """
        if self._permissions == "deny":
            raise RefusedError("permissions are deny")
        for named in (*locations, *_named_paths(raw_input)):
            self.place(named)


def _named_paths(value: object, level: int = 0) -> Iterator[str]:
    """Texts under keys that hold paths."""
    if level > LEVELS:
        return
    if isinstance(value, list):
        for item in value:
            yield from _named_paths(item, level + 1)
    if isinstance(value, Mapping):
        for key, item in value.items():
            if str(key).lower() in PATH_KEYS:
                yield from (text for text in (item if isinstance(item, list) else [item]) if isinstance(text, str))
            else:
                yield from _named_paths(item, level + 1)


def chosen_option(options: list[Any], *, allowed: bool) -> str | None:
    """The id of the option that allows or rejects, for this once if there is such a one; None where there is neither."""
    kinds = ("allow_once", "allow_always") if allowed else ("reject_once", "reject_always")
    by_kind = {option.kind: option.option_id for option in reversed(options)}
    return next((by_kind[kind] for kind in kinds if kind in by_kind), None)
