"""JSON paths (40-rules, "JSON paths").

Members, quoted members, elements, all of them, and members or all nodes at any depth.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tests.plain.values import Json

Location = tuple[str | int, ...]

IN_BRACKETS = r"""(?P<all>\*)|(?P<index>0|[1-9]\d*)|'(?P<single>(?:[^'\\]|\\.)*)'|"(?P<double>(?:[^"\\]|\\.)*)\""""
STEP = re.compile(rf"(?P<deep>\.\.)?\[(?:{IN_BRACKETS})\]|(?P<dots>\.\.?)(?P<name>[\w-]+)|\.\*")
ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})|\\(.)")
ESCAPED = {"b": "\b", "f": "\f", "n": "\n", "r": "\r", "t": "\t"}


@dataclass(frozen=True)
class Node:
    """A selected node and where in the document it is."""

    location: Location
    value: Json


@dataclass(frozen=True)
class Step:
    """One part of a path: a member name, an index, or None for all; at any depth or not."""

    key: str | int | None
    at_any_depth: bool


def parse_path(path: str) -> list[Step]:
    """The steps of a path behind its `$`."""
    if not path.startswith("$"):
        raise ValueError(f"no path: {path!r}")
    steps, position = [], 1
    while position < len(path):
        found = STEP.match(path, position)
        if found is None:
            raise ValueError(f"no path: {path!r}, position {position}")
        steps.append(step_of(found))
        position = found.end()
    return steps


def step_of(found: re.Match[str]) -> Step:
    """The step that one match of STEP stands for."""
    at_any_depth = found["deep"] is not None or found["dots"] == ".."
    if found["index"] is not None:
        return Step(int(found["index"]), at_any_depth)
    for quoted in (found["single"], found["double"]):
        if quoted is not None:
            return Step(unescape(quoted), at_any_depth)
    return Step(found["name"], at_any_depth)


def unescape(name: str) -> str:
    """RFC 9535's escapes of a quoted name; surrogate pairs become one character."""
    plain = ESCAPE.sub(lambda found: chr(int(found[1], 16)) if found[1] else ESCAPED.get(found[2], found[2]), name)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16")


def select(path: str, value: Json) -> list[Node]:
    """The node list that RFC 9535 gives for the path."""
    nodes = [Node((), value)]
    for step in parse_path(path):
        sources = [inner for node in nodes for inner in (with_descendants(node) if step.at_any_depth else [node])]
        nodes = [child for source in sources for child in children(source, step.key)]
    return nodes


def with_descendants(node: Node) -> Iterator[Node]:
    """A node and all nodes below it."""
    yield node
    for child in children(node, None):
        yield from with_descendants(child)


def children(node: Node, key: str | int | None) -> list[Node]:
    """The members or elements of a node: all of them for None, else the one of that name or index."""
    value = node.value
    if isinstance(value, dict):
        return [Node((*node.location, name), member) for name, member in value.items() if key is None or name == key]
    if isinstance(value, list):
        return [Node((*node.location, n), element) for n, element in enumerate(value) if key is None or key == n]
    return []
