"""A kept result is found again exactly while nothing changes that it depends on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from judge_polars.rule_digests import rule_digests
from judge_polars.rulebook import (
    Case,
    Check,
    Comparison,
    DocumentRule,
    FactRule,
    Formula,
    Limits,
    RuleBook,
    Selector,
    WordLists,
)
from judge_polars.rules.program import compile_program
from judge_polars.vocabulary import SEMANTICS_VERSION
from tests.history.worlds import book_of_cases, case_of

LOGS = Selector("logs_dir")
RULES: dict[str, DocumentRule] = {
    "keywords": DocumentRule("keyword_any", LOGS, keywords=("busy",)),
    "assertion": DocumentRule(
        "claimed_any", Selector("output_text"), patterns=("disk hang",), words=WordLists(negators=("not",))
    ),
    "series": DocumentRule("numeric_series_any_gt", Selector(name="metrics.json"), threshold=0.9, within="window"),
    "value": DocumentRule("json_value", Selector("report"), path="$.a", comparison=Comparison("equals", operand=1)),
}


def digests(
    rule: DocumentRule, *, edit: Callable[[RuleBook], RuleBook] = lambda book: book, version: int = 1
) -> list[str]:
    check = Check("diagnosis", "hard", "check", None, required=True, weight=1.0, formula=Formula(1, (rule,)))
    book = edit(book_of_cases(case_of("case", checks=(check,))))
    return rule_digests(compile_program(book), version)["rule_digest"].to_list()


def of_case(**changes: Any) -> Callable[[RuleBook], RuleBook]:
    return lambda book: replace(book, cases=tuple(replace(case, **changes) for case in book.cases))


def later_window(book: RuleBook) -> RuleBook:
    def moved(case: Case) -> Case:
        return replace(case, window=replace(case.window, end=case.window.end + timedelta(minutes=1)))

    return replace(book, cases=tuple(map(moved, book.cases)))


@pytest.mark.parametrize(
    ("rule", "changes"),
    [
        pytest.param("keywords", {"keywords": ("busy", "slow")}, id="keywords"),
        pytest.param("keywords", {"whole_word": True}, id="whole word"),
        pytest.param("keywords", {"case_sensitive": True}, id="case"),
        pytest.param("keywords", {"ignore_unread": True}, id="unread"),
        pytest.param("keywords", {"selector": Selector(name="a.log")}, id="selector"),
        pytest.param("keywords", {"method": "keyword_all"}, id="method"),
        pytest.param("assertion", {"patterns": ("disk hung",)}, id="patterns (concepts are put in)"),
        pytest.param("assertion", {"words": WordLists(negators=("never",))}, id="word lists"),
        pytest.param("assertion", {"words": WordLists(negators=("not",), claims=("cause",))}, id="another word list"),
        pytest.param("assertion", {"section": "Cause"}, id="section"),
        pytest.param("series", {"threshold": 0.91}, id="threshold"),
        pytest.param("series", {"min_points": 2}, id="points"),
        pytest.param("series", {"within": None}, id="within"),
        pytest.param("series", {"labels": (("a", "b"),)}, id="labels"),
        pytest.param("value", {"comparison": Comparison("equals", operand=True)}, id="kind of an operand"),
        pytest.param("value", {"comparison": Comparison("equals", operand=2)}, id="operand"),
        pytest.param("value", {"path": "$.b"}, id="path"),
    ],
)
def test_a_changed_rule_is_another_rule(rule: str, changes: dict[str, Any]) -> None:
    assert digests(RULES[rule]) != digests(replace(RULES[rule], **changes))


@pytest.mark.parametrize("rule", RULES)
def test_the_ground_counts_for_every_rule(rule: str) -> None:
    plain = digests(RULES[rule])
    assert digests(RULES[rule], version=2) != plain
    assert digests(RULES[rule], edit=lambda book: replace(book, limits=Limits(nesting=64))) != plain
    other = {"logs_dir": ("log",)}
    assert digests(RULES[rule], edit=lambda book: replace(book, layout={**book.layout, **other})) != plain


@pytest.mark.parametrize("rule", RULES)
def test_the_window_counts_where_it_is_read(rule: str) -> None:
    assert (digests(RULES[rule], edit=later_window) != digests(RULES[rule])) == (RULES[rule].within is not None)


@pytest.mark.parametrize("rule", RULES)
def test_what_a_rule_does_not_depend_on(rule: str) -> None:
    assert digests(RULES[rule], edit=of_case(version=9, title="other", cluster_id="7")) == digests(RULES[rule])
    assert digests(replace(RULES[rule], reason="workflow_check_failed")) == digests(RULES[rule])


def test_facts_are_not_kept() -> None:
    """Formulas over facts are evaluated each time, so that no definition can go stale."""
    fact = FactRule("cluster.matched", Comparison("equals", operand=True))
    check = Check("contract", None, "check", None, required=True, weight=1.0, formula=Formula(1, (fact,)))
    assert rule_digests(compile_program(book_of_cases(case_of("case", checks=(check,)))), SEMANTICS_VERSION).is_empty()
