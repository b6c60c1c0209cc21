"""The JSON Schemas are current, describe every field, take every right file and refuse what JSON Schema can refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jsonschema
import pytest

import judge_polars.registry
from judge_polars.registry.schemas import SCHEMA_MODELS, outdated_schemas, schema_of, write_schemas
from judge_polars.registry.source import read_source
from tests.registry import test_errors
from tests.registry.lint_small import FILES as LINT_FILES
from tests.registry.small import FILES, MARK, SHORT, changed

ROOT = Path(__file__).parents[2]
KINDS = tuple(SCHEMA_MODELS)
OF_PLACE = {"suites": "suite", "baselines": "baseline", "packs": "pack"}
VALIDATORS = {kind: jsonschema.Draft202012Validator(schema_of(kind)) for kind in KINDS}


def kind_of(path: Path) -> str | None:
    """Which schema a file of a registry is checked by."""
    if path.name in ("case.yaml", "judge.yaml", "registry.yaml", "pack.yaml"):
        return path.stem
    return OF_PLACE.get(path.parent.name)


def files() -> list[Path]:
    """Every YAML file of the repository that is a registry's, and the shipped packs."""
    shipped = Path(judge_polars.registry.__file__).parent.parent / "packs"
    found = [*(ROOT / "evaluation").rglob("*.yaml"), *(ROOT / "tests").rglob("*.yaml"), shipped / "tidb.yaml"]
    return sorted(path for path in found if kind_of(path))


def errors(kind: str, data: object) -> list[str]:
    return [f"{error.json_path}: {error.message[:200]}" for error in VALIDATORS[kind].iter_errors(data)]


def test_the_schemas_in_the_repository_are_current() -> None:
    assert outdated_schemas(ROOT / "docs" / "schemas") == [], "write them anew: judge-polars schema export"


def test_writing_makes_them_current(tmp_path: Path) -> None:
    place = tmp_path / "a" / "b"
    assert len(outdated_schemas(place)) == len(write_schemas(place)) == len(KINDS)
    assert outdated_schemas(place) == write_schemas(place) == []
    (place / "case.schema.json").write_text("{}", "utf-8")
    assert outdated_schemas(place) == [place / "case.schema.json"]


@pytest.mark.parametrize("kind", KINDS)
def test_schemas_are_schemas(kind: str) -> None:
    jsonschema.Draft202012Validator.check_schema(schema_of(kind))


def fields(schema: Any, path: str = "") -> Iterator[tuple[str, dict[str, Any]]]:
    """(path, schema) of every member that a schema names."""
    if isinstance(schema, dict):
        properties = schema.get("properties")
        for name, below in (properties if isinstance(properties, dict) else {}).items():
            yield f"{path}/{name}", below
        for key, below in schema.items():
            yield from fields(below, f"{path}/{key}")
    elif isinstance(schema, list):
        for index, below in enumerate(schema):
            yield from fields(below, f"{path}/{index}")


def description(below: dict[str, Any], schema: dict[str, Any]) -> str | None:
    """What a field says of itself, else what the part that it is says."""
    part = str(below.get("$ref", "")).removeprefix("#/$defs/")
    told = below.get("description") or schema.get("$defs", {}).get(part, {}).get("description")
    return str(told) if told else None


@pytest.mark.parametrize("kind", KINDS)
def test_every_field_has_a_description(kind: str) -> None:
    schema = schema_of(kind)
    found = list(fields(schema))
    assert found
    assert [path for path, below in found if not description(below, schema)] == []


@pytest.mark.parametrize("path", files(), ids=lambda path: str(path.relative_to(ROOT)))
def test_every_file_is_taken(path: Path) -> None:
    source = read_source(path, str(path))
    assert errors(str(kind_of(path)), source.data) == []


@pytest.mark.parametrize("name", [*FILES, *LINT_FILES])
def test_the_small_registries_are_taken(name: str, tmp_path: Path) -> None:
    text = {**LINT_FILES, **FILES}[name]
    path = tmp_path / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, "utf-8")
    kind = kind_of(path)
    assert kind is None or errors(kind, read_source(path, name).data) == []


ROWS = {name: row for name, row in test_errors.SCHEMA.items() if row[-1] not in ("duplicate_key", "missing_file")}
BEYOND_JSON_SCHEMA = (
    "version beyond 64 bits",
    "null that would mean everywhere",
    "more than all rules",
    "more trials passed than run",
    "timeout of nothing",
    "endless weight",
    "duration with a fraction",
    "time that there is not",
    "window turned round",
    "allowed window turned round",
    "blank prompt",
    "workspace outside the case",
    "fact without a family",
    "fact of a built-in family",
    "two comparisons",
    "missing comparison",
    "missing keywords",
    "missing artifact",
    "diagnosis without checks",
    "check id twice",
    "fact twice in a file",
    "case twice in a suite",
)
"""What only `validate` finds."""


@pytest.mark.parametrize("name", [name for name in ROWS if name not in BEYOND_JSON_SCHEMA])
def test_what_json_schema_can_refuse(name: str, tmp_path: Path) -> None:
    file, *passage, _ = ROWS[name]
    marked = changed(file, *passage) if len(passage) == 2 else passage[0]
    path = tmp_path / Path(SHORT[file]).name
    path.write_text(marked.replace(MARK, ""), "utf-8")
    assert errors(file, read_source(path, file).data)


def test_the_texts_are_readable() -> None:
    text = (ROOT / "docs" / "schemas" / "judge.schema.json").read_text("utf-8")
    assert json.loads(text)["title"] == "judge.yaml"
    assert "÷" in text
