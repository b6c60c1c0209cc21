"""Whatever stands in the files of a registry, loading ends with a registry or with findings, never with a traceback."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from judge_polars.errors import RegistryError
from judge_polars.registry import load_registry
from judge_polars.registry.finding_codes import FINDING_CODES
from judge_polars.registry.source import parse_source
from tests.registry.small import FILES, write_registry

ODD_VALUES: Final[tuple[Any, ...]] = (
    None,
    True,
    0,
    -1,
    1.5,
    10**400,
    "",
    " ",
    "x",
    "output",
    "logs",
    "$.a",
    "$[",
    "(",
    "a*",
    "2025-01-01T00:00:00Z",
    "5m",
    "\u200b",
    "../x",
    [],
    {},
    [None],
    [[]],
    ["x", "x"],
    {"match": "keyword_any"},
    {"match": 1},
    {"fact": "hot"},
    {"fact": []},
    [{}],
    {"match": "json_value", "path": "$", "equals": None},
)
ODD_KEYS: Final = ("match", "fact", "all_of", "at_least", "where", "equals", "in", "required", "section", "words", "x")
ODD_CHARACTERS: Final = " \n\t:-[]{}'\"&*#|>%@`,?\\a中0\x00\u00a0\ufeff"


def places_in(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for step in value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ():
        yield from places_in(value[step], (*path, step))


def with_an_odd_place(chance: random.Random, data: Any) -> Any:
    """The data with one value replaced, taken away, or put beside another."""
    path = chance.choice(list(places_in(data)))
    odd = copy.deepcopy(chance.choice(ODD_VALUES))
    if not path:
        return odd
    holder = data
    for step in path[:-1]:
        holder = holder[step]
    if chance.random() < 0.2:
        holder.pop(path[-1])
    elif isinstance(holder, dict) and chance.random() < 0.3:
        holder[chance.choice(ODD_KEYS)] = odd
    else:
        holder[path[-1]] = odd
    return data


def odd_text(chance: random.Random, text: str) -> str:
    """A file's text with some odd values, or with some odd characters."""
    if chance.random() < 0.3:
        characters = list(text)
        for _ in range(chance.randint(1, 4)):
            characters[chance.randrange(len(characters))] = chance.choice(ODD_CHARACTERS)
        return "".join(characters)
    data: Any = parse_source(text, "f").data
    for _ in range(chance.randint(1, 4)):
        data = with_an_odd_place(chance, data)
    return json.dumps(data, ensure_ascii=False)


@pytest.mark.parametrize("seed", range(60))
def test_odd_files_give_findings(tmp_path: Path, seed: int) -> None:
    chance = random.Random(seed)
    changes = {name: odd_text(chance, text) for name, text in FILES.items() if chance.random() < 0.5}
    write_registry(tmp_path, changes)
    try:
        findings = load_registry(tmp_path).findings
    except RegistryError as error:
        findings = error.findings
    assert {finding.code for finding in findings} <= set(FINDING_CODES)
    assert all(finding.line > 0 and finding.column > 0 and finding.message for finding in findings)
