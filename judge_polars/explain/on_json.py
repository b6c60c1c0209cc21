"""What `json_…` rules selected and how near it came: document, JSON path, value."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from judge_polars.book_tables import comparison_text
from judge_polars.bundles import compact
from judge_polars.explain.json_places import Node, children, select
from judge_polars.explain.model import Sighting
from judge_polars.explain.nearest import listed, nearest_first
from judge_polars.explain.on_text import around, node_text, wanted_of
from judge_polars.explain.run import CaseRunAgain
from judge_polars.json_path import parse_path
from judge_polars.printable import EXCERPT_LENGTH, excerpt
from judge_polars.rulebook import DocumentRule
from judge_polars.vocabulary import TRUE_CODE

MOST_RECORDS: Final = 2_000
MOST_SIGHTINGS: Final = 3
_COUNTING: Final = ("json_count", "json_record_any")


def json_findings(run: CaseRunAgain, rule: DocumentRule) -> tuple[tuple[Sighting, ...], tuple[str, ...]]:
    """Sightings of the nodes that satisfy the rule; of a false rule what the path selects and where it falls short."""
    read = [row for row in run.selected(rule).iter_rows(named=True) if row["doc"] in run.values]
    if rule.method == "json_valid":
        return tuple(Sighting(row["name"], "$", None, excerpt(row["text"] or "")) for row in read[:1]), ()
    steps = parse_path(rule.path)
    nodes = [(row["name"], node) for row in read for node in select(run.values[row["doc"]], steps)][:MOST_RECORDS]
    if not nodes:
        notes = (f"{row['name']}: {where_it_stops(run.values[row['doc']], rule.path)}" for row in read[:2])
        return (), tuple(notes)
    alone = _alone(rule)
    codes = run.microscope.on_values([(alone, node.value) for _, node in nodes])
    fitting = [place for place, code in zip(nodes, codes, strict=True) if code == TRUE_CODE]
    sightings = tuple(_sighting(rule, name, node) for name, node in fitting[:MOST_SIGHTINGS])
    if rule.method == "json_count":
        wanted = comparison_text(rule.comparison) if rule.comparison else ""
        return sightings, (f"{len(fitting)} of {len(nodes)} selected nodes count; wanted is {wanted}",)
    return sightings, () if fitting else _nearest_misses(run, rule, nodes)


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


def _nearest_misses(run: CaseRunAgain, rule: DocumentRule, nodes: list[tuple[str, Node]]) -> tuple[str, ...]:
    """What the selected nodes are instead."""
    if rule.where:
        return _missed_conditions(run, rule, nodes)
    shown = [
        f"{name} {node.path} is {excerpt(compact(node.value), length=EXCERPT_LENGTH // 3)}"
        for name, node in nodes[:MOST_SIGHTINGS]
    ]
    more = f"; … {len(nodes)} nodes in all" if len(nodes) > MOST_SIGHTINGS else ""
    return (f"selected: {'; '.join(shown)}{more}",)


def _missed_conditions(run: CaseRunAgain, rule: DocumentRule, nodes: list[tuple[str, Node]]) -> tuple[str, ...]:
    """Of the record that satisfies the most conditions those that it does not satisfy, with what is there."""
    trials = [
        (replace(rule, method="json_record_any", path="$", where=(condition,), comparison=None), node.value)
        for _, node in nodes
        for condition in rule.where
    ]
    codes = run.microscope.on_values(trials)
    count = len(rule.where)
    held = [[code == TRUE_CODE for code in codes[first : first + count]] for first in range(0, len(codes), count)]
    best = max(range(len(nodes)), key=lambda at: (sum(held[at]), -at))
    name, node = nodes[best]
    missed = [condition for condition, holds in zip(rule.where, held[best], strict=True) if not holds]
    told = []
    for condition in missed:
        there = select(node.value, parse_path(condition.path))
        found = excerpt(compact(there[0].value), length=60) if there else "not there"
        told.append(f"{condition.path} is {found}, wanted is {comparison_text(condition.comparison)}")
    near = f"nearest of {len(nodes)} records is {name} {node.path}, with {sum(held[best])} of {count} conditions"
    return (f"{near}; {'; '.join(told)}",)


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
