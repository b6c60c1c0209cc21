"""The rest of a file with errors, so that its other errors are found in the same go (specification 10).

A check with errors is left out, a fact definition with errors becomes a stand-in of the same name, and so on; the
result serves for finding errors only, never for judging.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from copy import deepcopy
from typing import Any, Final, TypeVar

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from judge_polars.registry.contents import Read
from judge_polars.registry.source import Loc, Source
from judge_polars.registry.values import Model

M = TypeVar("M", bound=Model)

_ROUNDS: Final = 20
_CHECK_LISTS: Final = frozenset(("checks", "hard_checks", "supporting_checks", "semantic_checks"))
_OF_SEVERAL_PARTS: Final = frozenset(("duplicate_id", "window_reversed"))
_NAMED: Final = frozenset(("facts", "concepts", "channels"))
"""What other files refer to by name."""


def salvaged(
    model: type[M],
    data: object,
    error: ValidationError,
    source: Source,
    report: Callable[[ErrorDetails, Source], None],
) -> Read[M] | None:
    """The model of what is left of the data without its errors; None when too little is left.

    Errors about several parts together show only when the parts are right: these are reported.
    """
    rest = _Rest(deepcopy(data))
    for _ in range(_ROUNDS):
        rest.remove(error.errors(include_url=False, include_input=False))
        if not rest.usable:
            return None
        try:
            found = model.model_validate(rest.take())
        except ValidationError as next_error:
            error = next_error
            for details in error.errors(include_url=False):
                if details["type"] in _OF_SEVERAL_PARTS:
                    report(details, source.without(rest.kept))
            continue
        return Read(found, source.without(rest.kept), whole=False, names_kept=rest.names_kept)
    return None


class _Rest:
    """Data from which parts are taken away."""

    def __init__(self, data: Any) -> None:
        self.data = data
        self.usable = True
        self.names_kept = True
        self.kept: dict[Loc, list[int]] = {}
        self.marked: dict[Loc, set[int]] = {}

    def remove(self, errors: Sequence[ErrorDetails]) -> None:
        """Removes what has errors: keys at once, elements of lists with `take`."""
        for path in dict.fromkeys(self._unit(self._path(_location(error))) for error in errors):
            if not path:
                self.usable = False
            elif len(path) == 2 and path[0] == "facts":
                self._stand_in(path[1])
            else:
                self._remove(path)

    def _unit(self, path: Loc) -> Loc:
        """The whole check or definition that a path leads into, else the path itself."""
        if path[:1] == ("facts",):
            return path[:2]
        return next((path[: at + 2] for at, step in enumerate(path) if step in _CHECK_LISTS), path)

    def _remove(self, path: Loc) -> None:
        if path[0] in _NAMED and len(path) <= 2:
            self.names_kept = False
        holder = self._at(path[:-1])
        if isinstance(holder, list) and isinstance(path[-1], int):
            self.marked.setdefault(path[:-1], set()).add(path[-1])
        elif isinstance(holder, dict):
            holder.pop(path[-1], None)

    def take(self) -> Any:
        """The data without the marked elements; remembers which elements are left of each list."""
        for path, indexes in self.marked.items():
            elements = self._at(path)
            if not isinstance(elements, list):
                continue
            before = self.kept.get(path, list(range(len(elements))))
            left = [index for index in range(len(elements)) if index not in indexes]
            self.kept[path] = [before[index] for index in left]
            elements[:] = [elements[index] for index in left]
        self.marked.clear()
        return self.data

    def _stand_in(self, index: str | int) -> None:
        """Puts a definition that is always right in the place of one with errors."""
        facts = self.data["facts"]
        fact = facts[index]
        name = fact.get("name") if isinstance(fact, dict) and not isinstance(fact, _StandIn) else None
        if isinstance(name, str):
            artifact = {} if name.startswith("output.") else {"artifact": "report"}
            facts[index] = _StandIn(name=name, match="json_valid", **artifact)
        else:
            self._remove(("facts", index))

    def _path(self, loc: Sequence[str | int]) -> Loc:
        """The steps of a location that the data has."""
        path: list[str | int] = []
        here = self.data
        for step in loc:
            if step in _steps(here):
                here = here[step]
                path.append(step)
        return tuple(path)

    def _at(self, path: Sequence[str | int]) -> Any:
        """The value at a path, None when it went away with something around it."""
        here = self.data
        for step in path:
            if step not in _steps(here):
                return None
            here = here[step]
        return here


def _location(error: ErrorDetails) -> Loc:
    """Where an error is: at what is wrong, or at what lacks something."""
    loc = error["loc"]
    return loc[:-1] if error["type"] == "missing" else (*loc, *(error.get("ctx") or {}).get("at", ()))


def _steps(value: Any) -> Container[str | int]:
    """The keys or indexes of a value."""
    if isinstance(value, dict):
        return value
    return range(len(value)) if isinstance(value, list) else ()


class _StandIn(dict[str, str]):
    """A definition that stands in for one with errors."""
