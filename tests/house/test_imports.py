"""Who may import whom: the contracts of `pyproject.toml` hold, and they notice what breaks them."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


def lint_imports(project: Path) -> subprocess.CompletedProcess[str]:
    """The result of import-linter on the package in `project`, by the contracts of its `pyproject.toml`."""
    command = [str(Path(sys.executable).with_name("lint-imports")), "--no-cache"]
    return subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the package's modules and of its contracts."""
    shutil.copy(ROOT / "pyproject.toml", tmp_path)
    for module in (ROOT / "judge_polars").rglob("*.py"):
        copy = tmp_path / module.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(module, copy)
    return tmp_path


def test_contracts_hold() -> None:
    result = lint_imports(ROOT)
    assert result.returncode == 0, result.stdout + result.stderr


@pytest.mark.parametrize(
    ("module", "line", "contract"),
    [
        pytest.param("vocabulary.py", "import judge_polars.tables", "Rooms import only", id="upwards"),
        pytest.param("facts/planted.py", "import judge_polars.rules.evaluate", "Rooms import only", id="sideways"),
        pytest.param("planted.py", "", "Rooms import only", id="a-room-that-no-line-names"),
        pytest.param("rules/planted.py", "import duckdb", "Only history imports duckdb", id="duckdb"),
        pytest.param("facts/planted.py", "import yaml", "Only registry imports yaml", id="yaml"),
        pytest.param("plan.py", "import pydantic", "Only registry imports yaml", id="pydantic"),
    ],
)
def test_contracts_notice_a_planted_import(project: Path, module: str, line: str, contract: str) -> None:
    with (project / "judge_polars" / module).open("a") as file:
        file.write(f"\n{line}\n")
    result = lint_imports(project)
    assert result.returncode == 1, result.stdout + result.stderr
    broken = [line for line in result.stdout.splitlines() if " BROKEN" in line]
    assert any(line.startswith(contract) for line in broken), result.stdout + result.stderr


def test_no_room_that_is_there_is_optional() -> None:
    contracts = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    rooms = [room.strip() for layer in contracts[0]["layers"] for room in layer.replace(":", "|").split("|")]
    optional = [room.strip("()") for room in rooms if room.startswith("(")]
    forms = ("{}/__init__.py", "{}.py")
    there = [room for room in optional if any((ROOT / "judge_polars" / form.format(room)).exists() for form in forms)]
    assert not there, "take the parentheses away in pyproject.toml, [[tool.importlinter.contracts]] rooms"
