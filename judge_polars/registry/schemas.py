"""JSON Schemas of the registry's files, for editors and other tools (specification 10, third paragraph).

They say what JSON Schema can say; references between files and regexes are checked by `validate` alone.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from pydantic.json_schema import GenerateJsonSchema, JsonSchemaMode
from pydantic_core import CoreSchema

from judge_polars.registry.baseline import BaselineFile
from judge_polars.registry.case import CaseFile
from judge_polars.registry.pack import Pack
from judge_polars.registry.policy import JudgeFile
from judge_polars.registry.registry_file import RegistryFile
from judge_polars.registry.suite import SuiteFile
from judge_polars.registry.values import Model

SCHEMA_MODELS: Final[Mapping[str, tuple[type[Model], str]]] = {
    "case": (CaseFile, "case.yaml"),
    "judge": (JudgeFile, "judge.yaml"),
    "suite": (SuiteFile, "suite"),
    "baseline": (BaselineFile, "baseline"),
    "pack": (Pack, "pack"),
    "registry": (RegistryFile, "registry.yaml"),
}
"""Kind of file -> its model, and what editors call it."""


class _Generator(GenerateJsonSchema):
    """Without titles of fields and parts, which would stand above every description in an editor and say nothing."""

    def generate(self, schema: CoreSchema, mode: JsonSchemaMode = "validation") -> dict[str, Any]:
        return {"$schema": self.schema_dialect, **super().generate(schema, mode)}

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False


def schema_file(kind: str) -> str:
    """The name of a schema's file."""
    return f"{kind}.schema.json"


def schema_of(kind: str) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of a kind of file."""
    model, title = SCHEMA_MODELS[kind]
    schema = model.model_json_schema(by_alias=True, schema_generator=_Generator)
    for below in schema.get("$defs", {}).values():
        below.pop("title", None)
    return {**schema, "title": title}


def schema_texts() -> dict[str, str]:
    """File name -> text of every schema."""
    return {
        schema_file(kind): json.dumps(schema_of(kind), indent=1, ensure_ascii=False) + "\n" for kind in SCHEMA_MODELS
    }


def write_schemas(directory: Path) -> list[Path]:
    """Writes all schemas into a directory, which is made if need be; what is right already is left alone."""
    directory.mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in schema_texts().items():
        path = directory / name
        if not path.is_file() or path.read_text("utf-8", "replace") != text:
            path.write_text(text, encoding="utf-8")
            written.append(path)
    return written


def outdated_schemas(directory: Path) -> list[Path]:
    """The schemas of a directory that are missing or not what they would be now."""
    return [
        directory / name
        for name, text in schema_texts().items()
        if not (directory / name).is_file() or (directory / name).read_text("utf-8", "replace") != text
    ]


def schemas_near(registry: Path) -> Path | None:
    """The nearest directory of schemas: `schemas/` in the registry, else `docs/schemas/` here or upward."""
    root = registry.resolve()
    places = (root / "schemas", *(parent / "docs" / "schemas" for parent in (root, *root.parents)))
    return next((place for place in places if (place / schema_file("case")).is_file()), None)
