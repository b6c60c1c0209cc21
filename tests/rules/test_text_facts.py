"""Comparisons of facts that are texts: values that satisfy, and those that must not (specification 40, "Fact rules")."""

from __future__ import annotations

from datetime import UTC, datetime

import polars as pl
import pytest

from judge_polars.rulebook import Comparison
from judge_polars.rules.document_rules import text_fact_codes
from judge_polars.vocabulary import REASONS

NOON = datetime(2025, 3, 4, 12, tzinfo=UTC)
VALUES = [None, "", "tidb-1", "TiDB-1", "1"]
COMPARISONS: dict[str, tuple[Comparison, list[str]]] = {
    "equals": (Comparison("equals", "tidb-1"), ["tidb-1"]),
    "not_equals, null never passes": (Comparison("not_equals", "tidb-1"), ["", "TiDB-1", "1"]),
    "in": (Comparison("in", ("tidb-1", "1", "x")), ["tidb-1", "1"]),
    "not_in, null never passes": (Comparison("not_in", ("tidb-1", "1")), ["", "TiDB-1"]),
    "matches in any case": (Comparison("matches", "^tidb"), ["tidb-1", "TiDB-1"]),
    "matches at line ends": (Comparison("matches", "^b-1|^1$"), ["1"]),
    "exists": (Comparison("exists", operand=True), ["", "tidb-1", "TiDB-1", "1"]),
    "in of other kinds beside it": (Comparison("in", (1, True, "tidb-1")), ["tidb-1"]),
    "equals a number": (Comparison("equals", 1), []),
    "not_equals of another kind": (Comparison("not_equals", 2), []),
    "in of other kinds": (Comparison("in", (1, True)), []),
    "not_in of other kinds": (Comparison("not_in", (2, NOON)), []),
    "texts have no order": (Comparison("ge", ""), []),
}


def told(comparison: Comparison) -> list[str]:
    """Of each of the values: `true`, or the reason."""
    codes = text_fact_codes(pl.DataFrame({"cluster.id": VALUES}), [("cluster.id", comparison)])
    return [("true", *REASONS)[code] for code in codes]


@pytest.mark.parametrize(("comparison", "fit"), COMPARISONS.values(), ids=COMPARISONS)
def test_comparisons_of_a_text(comparison: Comparison, fit: list[str]) -> None:
    reasons = ["true" if value in fit else "fact_not_satisfied" for value in VALUES[1:]]
    assert told(comparison) == ["fact_unknown", *reasons]


def test_only_exists_false_asks_for_what_is_unknown() -> None:
    assert told(Comparison("exists", operand=False)) == ["true", *["fact_not_satisfied"] * 4]


def test_every_run_has_the_codes_of_all_comparisons() -> None:
    facts = pl.DataFrame({"cluster.id": ["a", "b"], "window.source": ["b", None]})
    asked = [("cluster.id", Comparison("equals", "a")), ("window.source", Comparison("equals", "b"))]
    assert [("true", *REASONS)[code] for code in text_fact_codes(facts, asked)] == [
        *("true", "true"),
        *("fact_not_satisfied", "fact_unknown"),
    ]
