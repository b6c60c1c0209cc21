"""What the rules of a registry want to know of JSON documents, so that it can be taken while a file is parsed.

A registry's paths are evaluated once, on the parsed document, and the selected nodes kept (specification 40, JSON paths).
`reading_plan` collects them from the compiled rules; `facts/extraction.py` fulfils the plan and `rules/` read the result.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from judge_polars.rulebook import Case, DocumentRule, RuleBook, Selector

JSON_METHODS = (
    "json_exists",
    "json_list_nonempty",
    "json_record_any",
    "json_count",
    "json_text_contains_any",
    "json_value",
)
SERIES_PREFIX = "numeric_"


@dataclass(frozen=True, slots=True)
class NodeRequest:
    """Nodes at `path`; below each of them the nodes at every path of `where`; with their text where `text` is set."""

    path: str
    where: tuple[str, ...] = ()
    text: bool = False


@dataclass(frozen=True, slots=True)
class CaseReading:
    """What to take from the documents of one case's runs: (selector, index of the request) and (selector, path or None)."""

    nodes: tuple[tuple[Selector, int], ...]
    series: tuple[tuple[Selector, int | None], ...]


@dataclass(frozen=True)
class ReadingPlan:
    """Distinct requests, distinct paths of numeric rules other than `$`, and what each case wants.

    `NODES.path` and `SERIES_PATHS.path` are indexes into `requests` and `series_paths`.
    """

    requests: tuple[NodeRequest, ...]
    series_paths: tuple[str, ...]
    cases: Mapping[str, CaseReading]

    @cached_property
    def request_index(self) -> dict[NodeRequest, int]:
        """Request -> its index."""
        return {request: index for index, request in enumerate(self.requests)}

    @cached_property
    def series_path_index(self) -> dict[str, int]:
        """Path of a numeric rule -> its index."""
        return {path: index for index, path in enumerate(self.series_paths)}


def request_of(rule: DocumentRule) -> NodeRequest | None:
    """The nodes that a rule reads; None for a rule that reads none."""
    if rule.method not in JSON_METHODS:
        return None
    below = tuple(dict.fromkeys(condition.path for condition in rule.where))
    return NodeRequest(rule.path, below, rule.method == "json_text_contains_any")


def document_rules(case: Case) -> Iterator[DocumentRule]:
    """Every document rule of a case, definitions first, repetitions included."""
    for formula in (
        *(definition.formula for definition in case.definitions),
        *(check.formula for check in case.checks),
    ):
        for rule in formula.rules:
            if isinstance(rule, DocumentRule):
                yield rule


def reading_plan(book: RuleBook) -> ReadingPlan:
    """The plan of a whole registry."""
    return plan_of({case.id: tuple(document_rules(case)) for case in book.cases})


def plan_of(rules: Mapping[str, Iterable[DocumentRule]]) -> ReadingPlan:
    """The plan of some rules of each case; `rules` is keyed by case id."""
    requests: dict[NodeRequest, int] = {}
    paths: dict[str, int] = {}
    cases: dict[str, CaseReading] = {}
    for case_id, of_case in rules.items():
        nodes: dict[tuple[Selector, int], None] = {}
        series: dict[tuple[Selector, int | None], None] = {}
        for rule in of_case:
            request = request_of(rule)
            if request is not None:
                nodes[rule.selector, requests.setdefault(request, len(requests))] = None
            elif rule.method.startswith(SERIES_PREFIX):
                path = None if rule.path == "$" else paths.setdefault(rule.path, len(paths))
                series[rule.selector, path] = None
        cases[case_id] = CaseReading(tuple(nodes), tuple(series))
    return ReadingPlan(tuple(requests), tuple(paths), cases)
