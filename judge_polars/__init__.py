"""judge_polars: a deterministic, layered judge for AI agents that diagnose incidents.

    import judge_polars as jp

    registry = jp.load_registry("evaluation/regression")
    judgment = jp.judge("runs/", registry)
    judgment.verdicts, judgment.buckets, judgment.checks, judgment.facts, judgment.issues
    jp.explain(judgment, "2025-03-05-nightly/tail-latency-surge/1")
    with jp.open_history(".judge_polars") as history:
        history.sql("from verdicts")
        flips = history.rejudge(registry, what_if=True)

The public names are resolved when they are first used.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any

from judge_polars.version import __version__

if TYPE_CHECKING:
    from judge_polars.api import judge
    from judge_polars.archive import History, open_history
    from judge_polars.errors import (
        Finding,
        InputError,
        JudgePolarsError,
        MissingPieceError,
        NothingSelectedError,
        RegistryError,
        UsageError,
    )
    from judge_polars.explain import Explanation, explain
    from judge_polars.judgment import Judgment
    from judge_polars.registry import Registry, find_registry, load_registry
    from judge_polars.what_if import WhatIf

__all__ = [
    "Explanation",
    "Finding",
    "History",
    "InputError",
    "JudgePolarsError",
    "Judgment",
    "MissingPieceError",
    "NothingSelectedError",
    "Registry",
    "RegistryError",
    "UsageError",
    "WhatIf",
    "__version__",
    "explain",
    "find_registry",
    "judge",
    "load_registry",
    "open_history",
]

_HOMES = {
    "judge": "api",
    "explain": "explain",
    "Explanation": "explain",
    "History": "archive",
    "WhatIf": "what_if",
    "open_history": "archive",
    "Judgment": "judgment",
    "Registry": "registry",
    "find_registry": "registry",
    "load_registry": "registry",
    **dict.fromkeys(
        (
            "Finding",
            "InputError",
            "JudgePolarsError",
            "MissingPieceError",
            "NothingSelectedError",
            "RegistryError",
            "UsageError",
        ),
        "errors",
    ),
}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)


def __dir__() -> list[str]:
    return sorted(__all__)


class _Package(ModuleType):
    """Keeps the functions `judge` and `explain` from being hidden by the modules of these names once they are imported."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _HOMES and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
