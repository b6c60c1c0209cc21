"""JSON nodes that the registry's paths select in a parsed document (specification 40, "JSON paths").

A path is compiled once, to a function from a JSON value to its node list; node lists are those of RFC 9535.  What rules
may ask about the nodes becomes rows of `tables.NODES`; the values themselves are dropped with the document.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import compress, repeat
from typing import Any, Final

import polars as pl

from judge_polars.json_path import DESCEND_EVERY, DESCEND_MEMBER, ELEMENT, EVERY, MEMBER, Step, parse_path
from judge_polars.plan import NodeRequest
from judge_polars.tables import NODES

NodesOf = Callable[[Any], Sequence[Any]]
Compact = Callable[[object], str]

_ABSENT: Final = object()
_OBJECT: Final = dict[str, Any]().keys()
"""Stands for an object among kept values; a list of n elements is kept as `range(n)`."""

_KINDS: Final = {type(None): 0, bool: 1, int: 2, float: 3, str: 4, range: 5, type(_OBJECT): 6}
_SCALARS: Final = frozenset((type(None), bool, int, float, str))
_INT_128: Final = (-(2**127), 2**127 - 1)


def compile_path(text: str) -> NodesOf:
    """The function that gives a path's node list, in RFC 9535's order, repetitions included."""
    steps = parse_path(text)
    if not steps:
        return _itself
    chain = _member_chain(steps)
    return partial(_along_members, chain) if chain is not None else partial(_along_steps, steps)


def _member_chain(steps: Sequence[Step]) -> tuple[str, ...] | None:
    """The names of a path that consists of members only, else None."""
    names = tuple(step.key for step in steps if step.kind == MEMBER and isinstance(step.key, str))
    return names if len(names) == len(steps) else None


def _itself(value: Any) -> Sequence[Any]:
    return (value,)


def _along_members(names: tuple[str, ...], value: Any) -> Sequence[Any]:
    for name in names:
        if type(value) is not dict or name not in value:
            return ()
        value = value[name]
    return (value,)


def _along_steps(steps: tuple[Step, ...], value: Any) -> Sequence[Any]:
    nodes: list[Any] = [value]
    for step in steps:
        nodes = _STEPS[step.kind](nodes, step.key)
        if not nodes:
            break
    return nodes


def _member(nodes: list[Any], name: Any) -> list[Any]:
    return [node[name] for node in nodes if type(node) is dict and name in node]


def _element(nodes: list[Any], index: Any) -> list[Any]:
    return [node[index] for node in nodes if type(node) is list and index < len(node)]


def _every(nodes: list[Any], _: Any) -> list[Any]:
    return [child for node in nodes for child in _children(node)]


def _descend_member(nodes: list[Any], name: Any) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        _collect_members(node, name, found)
    return found


def _descend_every(nodes: list[Any], _: Any) -> list[Any]:
    found: list[Any] = []
    for node in nodes:
        _collect_children(node, found)
    return found


_STEPS: Final[dict[str, Callable[[list[Any], Any], list[Any]]]] = {
    MEMBER: _member,
    ELEMENT: _element,
    EVERY: _every,
    DESCEND_MEMBER: _descend_member,
    DESCEND_EVERY: _descend_every,
}


def _children(node: Any) -> Sequence[Any]:
    if type(node) is list:
        return node
    return list(node.values()) if type(node) is dict else ()


def _collect_members(node: Any, name: Any, found: list[Any]) -> None:
    """Members of that name of the node and, behind each, of all nodes below."""
    if type(node) is dict and name in node:
        found.append(node[name])
    for child in _children(node):
        if type(child) is list or type(child) is dict:
            _collect_members(child, name, found)


def _collect_children(node: Any, found: list[Any]) -> None:
    """All children of the node, then those of each child."""
    children = _children(node)
    found += children
    for child in children:
        if type(child) is list or type(child) is dict:
            _collect_children(child, found)


@dataclass(frozen=True)
class CompiledRequest:
    """A `plan.NodeRequest`, ready to be evaluated.

    Attributes:
        index: its place in the plan.
        nodes: the node list of its path.
        where: per path of `where` the names when it consists of members only, else its node list.
        text: whether the nodes' text is wanted.
        whole: whether its path is `$`.
    """

    index: int
    nodes: NodesOf
    where: tuple[tuple[str, ...] | NodesOf, ...]
    text: bool
    whole: bool


def compile_request(index: int, request: NodeRequest) -> CompiledRequest:
    """Compile the request at `index` of the plan."""
    where = []
    for path in request.where:
        chain = _member_chain(parse_path(path))
        where.append(compile_path(path) if chain is None else chain)
    return CompiledRequest(index, compile_path(request.path), tuple(where), request.text, request.path == "$")


class NodeColumns:
    """`tables.NODES`, filled document by document.

    Of a request with conditions only records that may satisfy all of them are kept: those with a scalar at every
    condition's path.  They appear through the scalars alone; the first record of the document appears itself too, so
    that a path that selects something can be told from one that does not.
    """

    def __init__(self, compact: Compact) -> None:
        self._compact = compact
        self._blocks: tuple[list[int], list[int], list[int]] = ([], [], [])
        self._records: list[int] = []
        self._conditions: list[int | None] = []
        self._values: list[Any] = []
        self._text_rows: list[int] = []
        self._texts: list[str] = []

    def add(self, doc: int, request: CompiledRequest, value: object, *, text: bool) -> None:
        """Keep what a request selects in a document's JSON value, with the nodes' texts where `text` is set."""
        nodes = request.nodes(value)
        if not nodes:
            return
        before = len(self._values)
        if request.where:
            self._add_records(request, nodes)
        else:
            self._records += range(len(nodes))
            self._conditions += repeat(None, len(nodes))
            self._values += map(_kept, nodes)
        if text and not request.where:
            self._text_rows += range(before, before + len(nodes))
            self._texts += [node if type(node) is str else self._compact(node) for node in nodes]
        self._add_block(doc, request.index, len(self._values) - before)

    def add_first(self, doc: int, path: int, nodes: Sequence[Any]) -> None:
        """Keep the first of a path's nodes, if any, so that it is known whether the path selects something."""
        if nodes:
            self._add_rows([0], None, [_kept(nodes[0])])
            self._add_block(doc, path, 1)

    def _add_block(self, doc: int, path: int, rows: int) -> None:
        """The last rows are nodes of that document and path."""
        for column, number in zip(self._blocks, (doc, path, rows), strict=True):
            column.append(number)

    def _add_records(self, request: CompiledRequest, nodes: Sequence[Any]) -> None:
        """Rows of records that have a scalar at every condition's path."""
        self._add_rows([0], None, [_kept(nodes[0])])
        numbers: list[int] = list(range(len(nodes)))
        records: list[Any] = list(nodes)
        columns: list[list[Any]] = []
        for path in request.where:
            column = _below(records, path) if isinstance(path, tuple) else [_scalars(path(node)) for node in records]
            kept = [type(found) in _SCALARS or (type(found) is _Several and bool(found)) for found in column]
            if not all(kept):
                column, records, numbers = (list(compress(part, kept)) for part in (column, records, numbers))
                columns = [list(compress(earlier, kept)) for earlier in columns]
            columns.append(column)
        for condition, column in enumerate(columns):
            if isinstance(request.where[condition], tuple):
                self._add_rows(numbers, condition, column)
            else:
                for number, several in zip(numbers, column, strict=True):
                    self._add_rows([number] * len(several), condition, several)

    def _add_rows(self, records: list[int], condition: int | None, values: list[Any]) -> None:
        self._records += records
        self._conditions += repeat(condition, len(records))
        self._values += values

    def frame(self) -> pl.DataFrame:
        """`tables.NODES`; what was kept is given up."""
        docs, paths, rows = self._blocks
        blocks = pl.DataFrame(
            {"doc": docs, "path": paths, "rows": rows}, schema={"doc": pl.UInt32, "path": pl.UInt32, "rows": pl.UInt32}
        )
        keys = blocks.select(pl.col("doc", "path").repeat_by("rows")).explode("doc", "path")
        values, self._values = self._values, []
        columns = _value_columns(values)
        texts = pl.repeat(None, len(values), dtype=pl.String, eager=True)
        if self._text_rows:
            texts = texts.scatter(self._text_rows, pl.Series(self._texts, dtype=pl.String))
        return NODES.check(
            keys.with_columns(
                pl.Series("record", self._records, dtype=pl.UInt32),
                pl.Series("condition", self._conditions, dtype=pl.UInt32),
                *columns,
                texts.alias("text"),
            )
        )


class _Several(list[Any]):
    """The scalars that a condition's path selects below one record."""


def _scalars(nodes: Sequence[Any]) -> _Several:
    return _Several(node for node in nodes if type(node) in _SCALARS)


def _below(records: list[Any], names: tuple[str, ...]) -> list[Any]:
    """The node along member names below each record; what is not there is no scalar."""
    column = records
    for name in names:
        column = [node.get(name, _ABSENT) if type(node) is dict else _ABSENT for node in column]
    return column


def _kept(node: Any) -> Any:
    """A scalar itself; for a list or an object something that holds none of its content."""
    if type(node) is list:
        return range(len(node))
    return _OBJECT if type(node) is dict else node


def _value_columns(values: list[Any]) -> list[pl.Series]:
    """Columns `kind`, `boolean`, `integer`, `number`, `string`, `length` of kept values."""
    types = list(map(type, values))
    there = set(types)

    def only(wanted: type) -> list[Any]:
        if wanted not in there:
            return [None] * len(values)
        return [value if kind is wanted else None for value, kind in zip(values, types, strict=True)]

    integer, digits = _integers(only(int))
    floats = pl.Series("number", only(float), dtype=pl.Float64)
    strings = pl.Series("string", only(str), dtype=pl.String)
    lengths = [None if value is None else len(value) for value in only(range)]
    columns = pl.DataFrame(
        [pl.Series("kind", list(map(_KINDS.__getitem__, types)), dtype=pl.UInt8), integer, digits, floats, strings]
    ).select(
        "kind",
        pl.Series("boolean", only(bool), dtype=pl.Boolean),
        "integer",
        pl.coalesce("number", pl.col("digits").cast(pl.Float64), pl.col("integer").cast(pl.Float64)).alias("number"),
        pl.coalesce("string", "digits").alias("string"),
        pl.Series("length", lengths, dtype=pl.UInt32),
    )
    return columns.get_columns()


def _integers(values: list[int | None]) -> tuple[pl.Series, pl.Series]:
    """Integers in 128 bits, clamped, and the digits of those beyond."""
    try:
        integer = pl.Series("integer", values, dtype=pl.Int64).cast(pl.Int128)
    except (OverflowError, TypeError):
        lowest, highest = _INT_128
        clamped = [None if value is None else min(max(value, lowest), highest) for value in values]
        digits = [str(value) if value is not None and not lowest <= value <= highest else None for value in values]
        return pl.Series("integer", clamped, dtype=pl.Int128), pl.Series("digits", digits, dtype=pl.String)
    return integer, pl.repeat(None, len(values), dtype=pl.String, eager=True).alias("digits")
