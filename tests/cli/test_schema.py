"""`schema export` and `schema check`."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars.registry.schemas import SCHEMA_MODELS
from tests.cli.conftest import Cli


def test_export_then_check(cli: Cli) -> None:
    assert cli("schema", "check", "--dir", "here", registry=False).code == 2
    exported = cli("schema", "export", "--dir", "here", registry=False)
    assert (exported.code, exported.out) == (0, "")
    assert "6 schemas in here, 6 of them written anew" in exported.err
    assert sorted(path.name for path in Path("here").iterdir()) == sorted(
        f"{kind}.schema.json" for kind in SCHEMA_MODELS
    )
    assert cli("schema", "check", "--dir", "here", registry=False).code == 0
    assert "0 of them written anew" in cli("schema", "export", "--dir", "here", registry=False).err


def test_check_names_what_is_outdated(cli: Cli) -> None:
    cli("schema", "export", "--dir", "here", registry=False)
    Path("here/case.schema.json").write_text("{}", "utf-8")
    Path("here/suite.schema.json").unlink()
    result = cli("schema", "check", "--dir", "here", registry=False)
    assert result.code == 2
    assert "here/case.schema.json: not what it would be now" in result.err
    assert "here/suite.schema.json: missing" in result.err
    assert "judge-polars schema export --dir here" in result.err


@pytest.mark.parametrize("usual", [True, False])
def test_where_they_are_by_default(cli: Cli, usual: bool) -> None:
    Path("evaluation/regression/cases").mkdir(parents=True)
    if usual:
        Path("docs/schemas").mkdir(parents=True)
    assert cli("schema", "export", registry=False).code == 0
    assert Path("docs/schemas/case.schema.json").is_file() is usual
    assert Path("evaluation/regression/schemas/case.schema.json").is_file() is not usual


def test_without_a_registry(cli: Cli) -> None:
    result = cli("schema", "check", registry=False)
    assert result.code == 2 and "--dir" in result.err


def test_a_directory_that_cannot_be_made(cli: Cli) -> None:
    Path("file").write_text("", "utf-8")
    result = cli("schema", "export", "--dir", "file/schemas", registry=False)
    assert result.code == 2 and "internal error" not in result.err
