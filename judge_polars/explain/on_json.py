"""What `json_…` rules selected and how near it came: document, JSON path, value."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, Final

from judge_polars.book_tables import comparison_text
from judge_polars.bundles import compact
from judge_polars.explain.clean import clean_node, clean_part, is_too_large
from judge_polars.explain.json_places import Node, children, select
from judge_polars.explain.model import Findings, Sighting
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.on_text import around, node_text, wanted_of
from judge_polars.explain.run import CaseRunAgain
from judge_polars.json_path import parse_path
from judge_polars.printable import EXCERPT_LENGTH, excerpt
from judge_polars.rulebook import DocumentRule
from judge_polars.vocabulary import TRUE_CODE

MOST_RECORDS: Final = 2_000
MOST_SIGHTINGS: Final = 3

Found = tuple[dict[str, Any], Node]
"""A row of the documents that a rule reads, and a node of it."""


def json_findings(asked: Sequence[tuple[CaseRunAgain, bool]], rule: DocumentRule) -> Iterator[Findings]:
    """Of each case run, given with whether the rule is true of it, sightings of the nodes that satisfy the rule; where it is
    false, what the path selects and where that falls short.  The case runs are of one case."""
    looks = [_Look(run, rule, passed) for run, passed in asked]
    missing = [look for look in looks if look.misses and rule.where]
    held = iter(_conditions_held(missing, rule))
    return (look.findings(next(held) if look.misses and rule.where else []) for look in looks)


class _Look:
    """What a rule's path selects in the documents of a case run.

    Attributes:
        misses: whether there are nodes and none of them is what the rule wants.
        nodes: row of the document and node.
    """

    def __init__(self, run: CaseRunAgain, rule: DocumentRule, passed: bool) -> None:
        self._rule = rule
        self.run = run
        self._read = [row for row in run.selected(rule).iter_rows(named=True) if row["doc"] in run.values]
        if rule.method == "json_valid":
            self.nodes: list[Found] = []
        else:
            steps = parse_path(rule.path)
            every = ((row, node) for row in self._read for node in select(run.values[row["doc"]], steps))
            self.nodes = list(islice(every, MOST_RECORDS))
        self.misses = bool(self.nodes) and not passed and rule.method != "json_count"

    def findings(self, held: list[list[bool]]) -> Findings:
        """Sightings and notes; `held`: of each node which conditions hold, where it misses."""
        rule, nodes = self._rule, self.nodes
        if rule.method == "json_valid":
            return tuple(Sighting(row["name"], "$", None, self._whole(row)) for row in self._read[:1]), ()
        if not nodes:
            values = ((row["name"], self.run.clean_value(row["doc"])) for row in self._read[:2])
            return (), tuple(f"{name}: {where_it_stops(value, rule.path)}" for name, value in values)
        if self.misses:
            return (), (self._missed_conditions(held) if held else self._selected(),)
        codes = self.run.microscope.on_values([(_alone(rule), node.value) for _, node in nodes])
        fitting = [place for place, code in zip(nodes, codes, strict=True) if code == TRUE_CODE]
        sightings = tuple(
            _sighting(rule, row["name"], self._clean(row, node)) for row, node in fitting[:MOST_SIGHTINGS]
        )
        if rule.method == "json_count":
            wanted = comparison_text(rule.comparison) if rule.comparison else ""
            return sightings, (f"{len(fitting)} of {len(nodes)} selected nodes count; wanted is {wanted}",)
        return sightings, () if fitting else (self._selected(),)

    def _whole(self, row: dict[str, Any]) -> str:
        text = compact(self.run.clean_value(row["doc"]))
        return excerpt(clean_part(text, (0, 0)) if is_too_large(text) else text)

    def _clean(self, row: dict[str, Any], node: Node) -> Node:
        """A node as it is shown: without secrets."""
        return clean_node(self.run.clean_value(row["doc"]), node)

    def _selected(self) -> str:
        """What the selected nodes are instead."""
        shown = [
            f"{row['name']} {node.path} is {excerpt(compact(self._clean(row, node).value), length=EXCERPT_LENGTH // 3)}"
            for row, node in self.nodes[:MOST_SIGHTINGS]
        ]
        more = f"; … {len(self.nodes)} nodes in all" if len(self.nodes) > MOST_SIGHTINGS else ""
        return f"selected: {'; '.join(shown)}{more}"

    def _missed_conditions(self, held: list[list[bool]]) -> str:
        """Of the record that satisfies the most conditions those that it does not satisfy, with what is there."""
        where, nodes = self._rule.where, self.nodes
        best = max(range(len(nodes)), key=lambda at: (sum(held[at]), -at))
        row, node = nodes[best]
        clean = self._clean(row, node)
        missed = [condition for condition, holds in zip(where, held[best], strict=True) if not holds]
        told = []
        for condition in missed:
            there = select(clean.value, parse_path(condition.path))
            found = excerpt(compact(there[0].value), length=60) if there else "not there"
            told.append(f"{condition.path} is {found}, wanted is {comparison_text(condition.comparison)}")
        of = f"{sum(held[best])} of {len(where)} conditions"
        return f"nearest of {len(nodes)} records is {row['name']} {node.path}, with {of}; {'; '.join(told)}"


def _conditions_held(looks: Sequence[_Look], rule: DocumentRule) -> Iterator[list[list[bool]]]:
    """For each look and each of its nodes, which conditions of `where` hold; tried all at once."""
    trials = [
        (replace(rule, method="json_record_any", path="$", where=(condition,), comparison=None), node.value)
        for look in looks
        for _, node in look.nodes
        for condition in rule.where
    ]
    if not trials:
        return
    codes = iter(looks[0].run.microscope.on_values(trials))
    for look in looks:
        yield [[next(codes) == TRUE_CODE for _ in rule.where] for _ in look.nodes]


def _alone(rule: DocumentRule) -> DocumentRule:
    """The rule for one selected node, which is the whole value."""
    if rule.method == "json_count":
        method = "json_record_any" if rule.where else "json_exists"
        return replace(rule, method=method, path="$", comparison=None)
    return replace(rule, path="$")


def _sighting(rule: DocumentRule, document: str, node: Node) -> Sighting:
    text = node_text(node.value)
    if rule.method == "json_text_contains_any":
        return Sighting(
            document, node.path, None, around(text, wanted_of(rule)[0].alone, is_json=not isinstance(node.value, str))
        )
    what = comparison_text(rule.comparison) if rule.comparison and rule.method == "json_value" else None
    return Sighting(document, node.path, what, excerpt(text))


def where_it_stops(value: object, path: str) -> str:
    """How far a path leads into a value, and what stands there."""
    steps = parse_path(path)
    for length in range(len(steps), -1, -1):
        reached = select(value, steps[:length])
        if not reached:
            continue
        node = reached[0]
        if isinstance(node.value, dict):
            wanted = str(steps[length].key or "*") if length < len(steps) else ""
            names = nearest_first(wanted, node.value)
            return (
                f"{path} selects nothing; {node.path} has the members {listed(names)}"
                if names
                else f"{node.path} is an empty object"
            )
        if isinstance(node.value, list):
            inside = next(children(node), None)
            kind = "empty" if inside is None else f"of {len(node.value)} elements"
            return f"{path} selects nothing; {node.path} is a list, {kind}"
        return f"{path} selects nothing; {node.path} is {excerpt(compact(node.value), length=60)}"
    return f"{path} selects nothing"
