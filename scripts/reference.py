"""The reference of commands, YAML, methods, facts, tables, views and codes in `docs/reference/`, made from the declarations.

python -m scripts.reference [--check]
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import typer

from judge_polars.cli.app import app
from judge_polars.history.bridge import duckdb_type
from judge_polars.history.views import VerdictDatabase
from judge_polars.registry.schemas import SCHEMA_MODELS, schema_of
from judge_polars.tables import PUBLISHED_TABLES
from judge_polars.vocabulary import BUILT_IN_FACTS, ISSUE_CODES, METHODS

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "reference"
MADE = "<!-- made by python -m scripts.reference; edit the declarations instead -->"


def pages() -> dict[str, str]:
    """File name -> content."""
    parts = {
        "commands.md": ("Commands", commands()),
        "yaml.md": ("YAML files", yaml_files()),
        "methods.md": ("Match methods", methods()),
        "facts.md": ("Built-in facts", facts()),
        "tables.md": ("Tables", tables()),
        "views.md": ("Views", views()),
        "codes.md": ("Codes", codes()),
    }
    return {
        name: f"# {title}\n\n{MADE}\n\n" + "\n".join(lines).rstrip() + "\n" for name, (title, lines) in parts.items()
    }


def table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """A Markdown table."""
    yield f"| {' | '.join(head)} |"
    yield f"|{' --- |' * len(head)}"
    for row in rows:
        yield "| " + " | ".join(_cell(value) for value in row) + " |"
    yield ""


def _cell(value: object) -> str:
    text = "" if value is None else str(value)
    return " ".join(text.split()).replace("|", "\\|")


def commands() -> Iterator[str]:
    """Every command with its arguments and options."""
    yield "Settings come from an option, else its variable (`--registry` is `JUDGE_POLARS_REGISTRY`), else the nearest"
    yield "`judge_polars.toml` or `[tool.judge_polars]` in `pyproject.toml`. Exit codes: 0 fine; 1 the `--fail-on` condition"
    yield "was met; 2 wrong usage or input; 3 an internal error; 4 something around is missing; 5 nothing was selected;"
    yield "130 interrupted."
    yield ""
    yield from _group(typer.main.get_command(app), "judge-polars")


def _group(group: Any, name: str) -> Iterator[str]:
    for key, command in sorted(group.commands.items()):
        if hasattr(command, "commands"):
            yield from _group(command, f"{name} {key}")
            continue
        arguments = [one for one in command.params if one.param_type_name == "argument"]
        options = [one for one in command.params if one.param_type_name == "option"]
        shown = " ".join(one.metavar or one.name.upper() for one in arguments)
        yield f"## `{name} {key}{f' {shown}' if shown else ''}`"
        yield ""
        yield (command.help or "").strip().replace("\b\n", "")
        yield ""
        rows = [(f"`{one.metavar or one.name.upper()}`", one.help) for one in arguments]
        rows += [(", ".join(f"`{text}`" for text in one.opts), one.help) for one in options if one.help]
        if rows:
            yield from table(("", ""), rows)


def yaml_files() -> Iterator[str]:
    """Every key of every kind of file."""
    for kind in SCHEMA_MODELS:
        schema = schema_of(kind)
        yield f"## {schema['title']}"
        yield ""
        yield from _object(schema)
        for name, below in sorted(schema.get("$defs", {}).items()):
            if "properties" in below:
                yield f"### {schema['title']}: {name}"
                yield ""
                yield from _object(below)


def _object(schema: Mapping[str, Any]) -> Iterator[str]:
    if schema.get("description"):
        yield schema["description"]
        yield ""
    required = schema.get("required", ())
    rows = [
        (f"`{key}`", _kind(value), "yes" if key in required else "", value.get("description"))
        for key, value in schema.get("properties", {}).items()
    ]
    yield from table(("key", "value", "required", "meaning"), rows)


def _kind(value: Mapping[str, Any]) -> str:
    """What a key's value is, in a few words."""
    if "$ref" in value:
        return f"`{value['$ref'].rpartition('/')[2]}`"
    if "const" in value:
        return f"`{value['const']}`"
    if "enum" in value:
        return ", ".join(f"`{one}`" for one in value["enum"])
    for key in ("anyOf", "oneOf"):
        if key in value:
            return " or ".join(dict.fromkeys(filter(None, (_kind(one) for one in value[key]))))
    if value.get("type") == "array":
        return f"list of {_kind(value.get('items', {})) or 'values'}"
    return str(value.get("type", ""))


def methods() -> Iterator[str]:
    """Every match method with its parameters."""
    definitions = schema_of("judge")["$defs"]
    by_method: dict[str, tuple[str, Mapping[str, Any]]] = {}
    for name, schema in definitions.items():
        match = schema.get("properties", {}).get("match", {})
        for method in [*match.get("enum", ()), *([match["const"]] if "const" in match else ())]:
            by_method[method] = (name, schema)
    for method in METHODS:
        name, schema = by_method[method]
        yield f"## `{method}`"
        yield ""
        yield from _object({**schema, "properties": {k: v for k, v in schema["properties"].items() if k != "match"}})


def facts() -> Iterator[str]:
    """Facts that no pack defines."""
    yield "The pack `tidb` and cases define more; `judge-polars inspect` and `judge-polars show CASE` list those in force."
    yield ""
    yield from table(("fact", "type"), ((f"`{name}`", kind) for name, kind in BUILT_IN_FACTS.items()))


def tables() -> Iterator[str]:
    """Published tables, one row per what, and their columns."""
    for declared in PUBLISHED_TABLES:
        yield f"## `{declared.name}`"
        yield ""
        yield f"One row per {declared.grain}."
        yield ""
        rows = ((f"`{one.name}`", duckdb_type(one.dtype), one.meaning) for one in declared.columns)
        yield from table(("column", "type", "meaning"), rows)


def views() -> Iterator[str]:
    """Views over the tables, with their columns."""
    database = VerdictDatabase()
    found = database.sql("select view_name, comment from duckdb_views() where not internal order by view_name")
    columns = database.sql(
        "select table_name, column_name, data_type, comment from duckdb_columns() where not internal "
        "order by table_name, column_index",
    )
    helps = {row["view_name"]: row for row in database.sql("from help").iter_rows(named=True)}
    database.close()
    for name, comment in found.iter_rows():
        yield f"## `{name}`"
        yield ""
        yield f"{comment}."
        if name in helps:
            yield ""
            yield f"{helps[name]['answers']} `{helps[name]['example']}`"
        yield ""
        mine = columns.filter(columns["table_name"] == name)
        rows = ((f"`{column}`", kind, meaning) for _, column, kind, meaning in mine.iter_rows())
        yield from table(("column", "type", "meaning"), rows)


def codes() -> Iterator[str]:
    """Failure codes, reasons of rules, issue codes."""
    database = VerdictDatabase()
    precedence = database.sql("select precedence, code, verdict, meaning from verdict_precedence order by position")
    reasons = database.sql("select reason, meaning from reasons")
    database.close()
    yield "## Failure codes, in the order of precedence"
    yield ""
    rows = (
        (place, f"`{code}`" if code else "", verdict, meaning)
        for place, code, verdict, meaning in precedence.iter_rows()
    )
    yield from table(("precedence", "code", "verdict", "meaning"), rows)
    yield "## Why a rule or check is false"
    yield ""
    yield from table(("reason", "meaning"), ((f"`{reason}`", meaning) for reason, meaning in reasons.iter_rows()))
    yield "## Issues"
    yield ""
    yield from table(("code", "meaning"), ((f"`{code}`", meaning) for code, meaning in ISSUE_CODES.items()))
    yield "Lint findings are told in [lint.md](../lint.md)."


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the files are as they would be made")
    checking = parser.parse_args().check
    stale = []
    for name, text in pages().items():
        path = FOLDER / name
        if path.exists() and path.read_text("utf-8") == text:
            continue
        stale.append(name)
        if not checking:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, "utf-8")
    if checking and stale:
        sys.stderr.write(f"not as the declarations say: {', '.join(stale)}; run python -m scripts.reference\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
