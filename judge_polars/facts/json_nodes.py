"""JSON nodes that the registry's paths select in a parsed document (specification 40, "JSON paths").

The paths that a document is asked for are compiled together, so that what they have in common is evaluated once; node
lists are those of RFC 9535.  What rules may ask about the nodes becomes rows of `tables.NODES`; the values themselves are
dropped with the document.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import chain, compress, takewhile
from typing import Any, Final, NamedTuple, TypeAlias

import polars as pl

from judge_polars.facts.columns import column, repeated
from judge_polars.json_path import DESCEND_EVERY, DESCEND_MEMBER, ELEMENT, EVERY, MEMBER, Step, parse_path
from judge_polars.plan import NodeRequest
from judge_polars.tables import NODES

NodesOf = Callable[[Any], Sequence[Any]]
Compact = Callable[[object], str]

_ABSENT: Final = object()
_OBJECT: Final = frozenset[object]()
"""Stands for an object among kept values; a list of n elements is kept as `range(n)`."""

_KINDS: Final = {type(None): 0, bool: 1, int: 2, float: 3, str: 4, range: 5, type(_OBJECT): 6}
_NESTED: Final = frozenset((list, dict))
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


_STEPS: Final[dict[str, Function]] = {
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
    if type(node) is dict:
        if name in node:
            found.append(node[name])
        node = node.values()
    elif type(node) is not list:
        return
    for child in node:
        if type(child) in _NESTED:
            _collect_members(child, name, found)


def _collect_children(node: Any, found: list[Any]) -> None:
    """All children of the node, then those of each child."""
    children = _children(node)
    found += children
    for child in children:
        if type(child) in _NESTED:
            _collect_children(child, found)


Function: TypeAlias = Callable[[list[Any], Any], list[Any]]
"""What a step makes of a node list; its second argument is the step's key."""


class _Condition(NamedTuple):
    """A path of `where`: the names with which it begins, and its other steps; its rows are those of a request's condition."""

    names: tuple[str, ...]
    steps: tuple[tuple[Function, Any], ...]
    request: int
    ordinal: int


class _Plain(NamedTuple):
    """A request without conditions: where its node list is, and whether its nodes' text, or that of `$`, is wanted."""

    request: int
    nodes: int
    text: bool
    whole: bool


class _Records(NamedTuple):
    """Requests with conditions on the nodes of one path.

    Attributes:
        nodes: where their node list is.
        conditions: the distinct paths of their `where`.
        requests: index of each request, and its conditions among the distinct ones.
    """

    nodes: int
    conditions: tuple[_Condition, ...]
    requests: tuple[tuple[int, tuple[int, ...]], ...]


@dataclass(frozen=True)
class Wanted:
    """What is wanted of a document: requests of the plan, compiled together.

    Attributes:
        steps: (node list, function, key): what each step makes of an earlier node list is the next one; list 0 holds
            the value itself.
    """

    steps: tuple[tuple[int, Function, Any], ...]
    plain: tuple[_Plain, ...]
    records: tuple[_Records, ...]


def compile_request(index: int, request: NodeRequest) -> Wanted:
    """Compile the request at `index` of the plan alone."""
    return compile_requests([(index, request)])


def compile_requests(requests: Iterable[tuple[int, NodeRequest]]) -> Wanted:
    """Compile requests of the plan, each given with its index."""
    lists: dict[tuple[int, Step], int] = {}
    steps: list[tuple[int, Function, Any]] = []
    plain: list[_Plain] = []
    records: dict[int, dict[int, tuple[str, ...]]] = {}
    for index, request in requests:
        path = parse_path(request.path)
        nodes = 0
        for step in path:
            if (nodes, step) not in lists:
                steps.append((nodes, _STEPS[step.kind], step.key))
                lists[nodes, step] = len(steps)
            nodes = lists[nodes, step]
        if request.where:
            records.setdefault(nodes, {})[index] = request.where
        else:
            plain.append(_Plain(index, nodes, request.text, not path))
    return Wanted(tuple(steps), tuple(plain), tuple(_records(nodes, of_list) for nodes, of_list in records.items()))


def _records(nodes: int, requests: dict[int, tuple[str, ...]]) -> _Records:
    """Requests with conditions on one node list; equal conditions become rows of the first request that has them."""
    places: dict[str, int] = {}
    conditions: list[_Condition] = []
    of_requests = []
    for index, where in requests.items():
        for ordinal, path in enumerate(where):
            if path not in places:
                places[path] = len(conditions)
                conditions.append(_condition(path, index, ordinal))
        of_requests.append((index, tuple(places[path] for path in where)))
    return _Records(nodes, tuple(conditions), tuple(of_requests))


def _condition(path: str, index: int, ordinal: int) -> _Condition:
    steps = parse_path(path)
    names = tuple(str(step.key) for step in takewhile(lambda step: step.kind == MEMBER, steps))
    return _Condition(names, tuple((_STEPS[step.kind], step.key) for step in steps[len(names) :]), index, ordinal)


class _Codes(dict[Any, int]):
    """Value of one type -> its place among the distinct values of all types."""

    def __init__(self, distinct: list[Any]) -> None:
        super().__init__()
        self._distinct = distinct

    def __missing__(self, value: Any) -> int:
        self[value] = code = len(self._distinct)
        self._distinct.append(value)
        return code


class NodeColumns:
    """`tables.NODES`, filled document by document.

    Of requests with conditions only records that may satisfy all of those of one request are kept: such with a scalar
    at every condition's path.  They appear through the scalars alone, and these once for all requests of the same path
    that have the same condition.  The first record of the document appears itself too, so that a path that selects
    something can be told from one that does not.
    """

    def __init__(self, compact: Compact) -> None:
        self._compact = compact
        self._distinct: list[Any] = []
        self._codes = {kind: _Codes(self._distinct) for kind in _KINDS}
        self._blocks = (array("I"), array("I"), array("i"), array("I"))
        self._records = array("I")
        self._values = array("I")
        self._text_rows: list[int] = []
        self._texts: list[str] = []

    def add(self, doc: int, wanted: Wanted, value: object, *, text: bool) -> None:
        """Keep what is wanted of a document's JSON value; `text`: the text of the whole value too, where it is asked for."""
        lists: list[Sequence[Any]] = [(value,)]
        for start, step, key in wanted.steps:
            nodes: Any = lists[start]
            lists.append(step(nodes, key) if nodes else ())
        for request in wanted.plain:
            found = lists[request.nodes]
            if found:
                if request.text and (text or not request.whole):
                    self._add_texts(found)
                self._add_block(doc, request.request, -1, range(len(found)), self._encoded(list(map(_kept, found))))
        for records in wanted.records:
            if lists[records.nodes]:
                self._add_records(doc, records, lists[records.nodes])

    def add_first(self, doc: int, path: int, nodes: Sequence[Any]) -> None:
        """Keep the first of a path's nodes, if any, so that it is known whether the path selects something."""
        if nodes:
            self._add_block(doc, path, -1, (0,), self._encoded([_kept(nodes[0])]))

    def _add_texts(self, nodes: Sequence[Any]) -> None:
        """Keep the texts of the nodes of the next rows."""
        before = len(self._values)
        self._text_rows += range(before, before + len(nodes))
        self._texts += [node if type(node) is str else self._compact(node) for node in nodes]

    def _add_records(self, doc: int, wanted: _Records, nodes: Sequence[Any]) -> None:
        """Rows of records that have a scalar at every condition's path of a request."""
        [first] = self._encoded([_kept(nodes[0])])
        columns = [_below(nodes, condition) for condition in wanted.conditions]
        kept: list[_Flags] = [False] * len(columns)
        for index, conditions in wanted.requests:
            self._add_block(doc, index, -1, (0,), (first,))
            chosen = _in_all([columns[condition][1] for condition in conditions])
            for condition in conditions if chosen else ():
                kept[condition] = _in_either(kept[condition], chosen)
        for path, (selected, _), chosen in zip(wanted.conditions, columns, kept, strict=True):
            if chosen:
                numbers: Sequence[int] = range(len(nodes))
                if chosen is not True:
                    numbers, selected = list(compress(numbers, chosen)), list(compress(selected, chosen))
                if path.steps:
                    numbers = [number for number, several in zip(numbers, selected, strict=True) for _ in several]
                    selected = list(chain.from_iterable(selected))
                self._add_block(doc, path.request, path.ordinal, numbers, self._encoded(selected))

    def _encoded(self, values: list[Any]) -> Iterable[int]:
        """The places of values among the distinct ones."""
        kinds = set(map(type, values))
        if len(kinds) == 1:
            return map(self._codes[kinds.pop()].__getitem__, values)
        return [self._codes[type(value)][value] for value in values]

    def _add_block(self, doc: int, path: int, condition: int, records: Sequence[int], codes: Iterable[int]) -> None:
        """One row per record and value; a `condition` of -1 is none."""
        docs, paths, conditions, rows = self._blocks
        docs.append(doc)
        paths.append(path)
        conditions.append(condition)
        rows.append(len(records))
        self._records.extend(records)
        self._values.extend(codes)

    def frame(self) -> pl.DataFrame:
        """`tables.NODES`."""
        docs, paths, conditions, rows = self._blocks
        condition = pl.col("condition")
        blocks = pl.DataFrame(
            {
                "doc": column(docs, pl.UInt32),
                "path": column(paths, pl.UInt32),
                "condition": column(conditions, pl.Int32),
            }
        ).with_columns(pl.when(condition >= 0).then(condition).cast(pl.UInt32))
        values = pl.DataFrame(_value_columns(self._distinct))[column(self._values, pl.UInt32)]
        texts = pl.repeat(None, values.height, dtype=pl.String, eager=True)
        if self._text_rows:
            texts = texts.scatter(self._text_rows, pl.Series(self._texts, dtype=pl.String))
        placed = blocks[repeated(column(rows, pl.UInt32))].with_columns(record=column(self._records, pl.UInt32))
        return NODES.check(placed.with_columns(*values.get_columns(), text=texts))


_Flags: TypeAlias = "list[bool] | bool"
"""Which records count; True and False where all of them do and none."""


def _below(records: Sequence[Any], condition: _Condition) -> tuple[list[Any], _Flags]:
    """What a condition's path selects below each record, and which records have a scalar there.

    A path of names selects a node; any other one a list of which only the scalars are kept.
    """
    selected: list[Any] = list(records)
    for name in condition.names:
        selected = [node.get(name, _ABSENT) if type(node) is dict else _ABSENT for node in selected]
    kinds = set(map(type, selected))
    if condition.steps:
        if kinds.isdisjoint(_NESTED):
            return selected, False
        selected = [_scalars(node, condition.steps) if type(node) in _NESTED else () for node in selected]
        return selected, list(map(bool, selected))
    if kinds <= _SCALARS:
        return selected, True
    return selected, False if kinds.isdisjoint(_SCALARS) else [type(node) in _SCALARS for node in selected]


def _scalars(node: Any, steps: Sequence[tuple[Function, Any]]) -> Sequence[Any]:
    """The scalars that steps select below a list or object."""
    if len(steps) == 1 and steps[0][0] in (_every, _descend_every):
        children = node.values() if type(node) is dict else node
        if _SCALARS.issuperset(map(type, children)):
            return tuple(children)
    nodes = [node]
    for step, key in steps:
        nodes = step(nodes, key)
    return [found for found in nodes if type(found) in _SCALARS]


def _in_all(columns: Sequence[_Flags]) -> _Flags:
    """The records that count in every column."""
    if False in columns:
        return False
    lists = [flags for flags in columns if flags is not True]
    return list(map(all, zip(*lists, strict=True))) if len(lists) > 1 else lists[0] if lists else True


def _in_either(one: _Flags, other: _Flags) -> _Flags:
    """The records that count here or there."""
    if one is True or other is True:
        return True
    if one is False or other is False:
        return other if one is False else one
    return [a or b for a, b in zip(one, other, strict=True)]


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
