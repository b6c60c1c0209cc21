"""Where in a JSON value nodes stand: normalised paths as in RFC 9535, section 2.7."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from judge_polars.json_path import DESCEND_EVERY, DESCEND_MEMBER, ELEMENT, EVERY, MEMBER, Step


class Node(NamedTuple):
    """A value and its normalised path."""

    path: str
    value: Any


def select(value: object, steps: tuple[Step, ...]) -> list[Node]:
    """The node list of a path with the nodes' places, in the order of RFC 9535."""
    nodes = [Node("$", value)]
    for step in steps:
        nodes = [found for node in nodes for found in _step(node, step)]
    return nodes


def _step(node: Node, step: Step) -> Iterator[Node]:
    if step.kind in (DESCEND_MEMBER, DESCEND_EVERY):
        below = Step(MEMBER, step.key) if step.kind == DESCEND_MEMBER else Step(EVERY)
        yield from _step(node, below)
        for child in children(node):
            if isinstance(child.value, list | dict):
                yield from _step(child, step)
    elif step.kind == EVERY:
        yield from children(node)
    elif step.kind == MEMBER and isinstance(node.value, dict) and step.key in node.value:
        yield Node(node.path + _member(str(step.key)), node.value[step.key])
    elif (
        step.kind == ELEMENT
        and isinstance(node.value, list)
        and isinstance(step.key, int)
        and step.key < len(node.value)
    ):
        yield Node(f"{node.path}[{step.key}]", node.value[step.key])


def children(node: Node) -> Iterator[Node]:
    """The children of a node, in order."""
    if isinstance(node.value, dict):
        for name, value in node.value.items():
            yield Node(node.path + _member(name), value)
    elif isinstance(node.value, list):
        for index, value in enumerate(node.value):
            yield Node(f"{node.path}[{index}]", value)


def every_node(value: object) -> Iterator[Node]:
    """All nodes of a value, leaves before what holds them, in the order of the value."""
    open_nodes = [(Node("$", value), False)]
    while open_nodes:
        node, is_left = open_nodes.pop()
        if is_left or not isinstance(node.value, list | dict):
            yield node
        else:
            open_nodes.append((node, True))
            open_nodes += [(child, False) for child in reversed(list(children(node)))]


def _member(name: str) -> str:
    """`.name` where that can be written, else `['name']`."""
    if name and all(char.isalnum() or char in "_-" for char in name):
        return f".{name}"
    escaped = name.replace("\\", "\\\\").replace("'", "\\'")
    return f"['{escaped}']"
