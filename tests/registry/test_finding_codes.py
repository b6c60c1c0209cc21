"""Every code that a finding may have is listed with its meaning, and every listed code is in use."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import judge_polars.registry
from judge_polars.registry.finding_codes import FINDING_CODES

ROOM = Path(judge_polars.registry.__file__).parent
RAISERS = frozenset(
    (
        "refused",
        "Fault",
        "Refusal",
        "Finding",
        "error",
        "warning",
        "finding",
        "_found",
        "_refused",
        "_add",
        "_unreadable",
    )
)


def codes_in(tree: ast.AST) -> Iterator[str]:
    """The first plain text among the arguments of each call that makes a finding."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            texts = [one.value for one in node.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
            texts = [text for text in texts if text not in ("error", "warning")]
            if name in RAISERS and any(texts):
                yield next(filter(None, texts))


def test_codes_in_use_are_the_listed_ones() -> None:
    used = {code for file in ROOM.glob("*.py") for code in codes_in(ast.parse(file.read_text("utf-8")))}
    assert used == set(FINDING_CODES)
