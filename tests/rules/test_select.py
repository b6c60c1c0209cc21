"""Which documents a selector fits, and which it must not (specification 20, "An artifact selector in a rule is")."""

from __future__ import annotations

import pytest

from judge_polars.rulebook import DocumentRule, Selector
from tests.rules.shard_builder import build

NAMES = [
    *("d.json", "root.json", "sub/d.json"),
    *("evidence/d.json", "evidence/e.json", "evidence/sub/d.json", "evidence/sub/f.json"),
    *("logs/a.log", "logs/deep/a.log"),
]
SELECTORS: dict[str, tuple[Selector, set[str]]] = {
    "a name in the evidence directory": (Selector(name="e.json"), {"evidence/e.json"}),
    "the evidence directory before the root": (Selector(name="d.json"), {"evidence/d.json"}),
    "a name that is in the root alone": (Selector(name="root.json"), {"root.json"}),
    "a name that lies deeper": (Selector(name="f.json"), set()),
    "a glob, in the evidence directory alone": (Selector(name="*.json"), {"evidence/d.json", "evidence/e.json"}),
    "a glob that fits in the root alone": (Selector(name="r*.json"), set()),
    "a path, from the root": (Selector(name="sub/d.json"), {"sub/d.json"}),
    "a path that is only below the evidence directory": (Selector(name="sub/f.json"), set()),
    "a glob of paths": (Selector(name="*/d.json"), {"sub/d.json", "evidence/d.json"}),
    "any depth": (Selector(name="**/d.json"), {"d.json", "sub/d.json", "evidence/d.json", "evidence/sub/d.json"}),
    "logs": (Selector(artifact="logs_dir"), {"logs/a.log", "logs/deep/a.log"}),
}


@pytest.mark.parametrize(("selector", "fit"), SELECTORS.values(), ids=SELECTORS)
def test_selector(selector: Selector, fit: set[str]) -> None:
    _, selected, _, _ = build([DocumentRule("artifact_present", selector)], [dict.fromkeys(NAMES, "text")])
    assert {NAMES[doc] for doc in selected["doc"]} == fit


def test_each_run_has_its_own_first_place() -> None:
    rule = DocumentRule("artifact_present", Selector(name="d.json"))
    _, selected, _, _ = build([rule], [{"d.json": 1, "evidence/d.json": 1}, {"d.json": 1}, {"e.json": 1}])
    assert selected.select("run", "doc").rows() == [(0, 1), (1, 2)]
