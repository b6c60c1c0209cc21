"""The registry: YAML files as validated models, and as the `RuleBook` that the judge evaluates (specification 10).

The public names are resolved when they are first used: pydantic and YAML are not imported with the package.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from judge_polars.registry.examination import Examined, examine
    from judge_polars.registry.load import CaseEntry, Registry, load_registry
    from judge_polars.registry.locate import find_registry

__all__ = ["CaseEntry", "Examined", "Registry", "examine", "find_registry", "load_registry"]

_HOMES = {
    "find_registry": "locate",
    "CaseEntry": "load",
    "Registry": "load",
    "load_registry": "load",
    "Examined": "examination",
    "examine": "examination",
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
