"""`import judge_polars as jp`: the public names."""

from __future__ import annotations

import importlib
import inspect
import subprocess
import sys
from pathlib import Path

import polars as pl
import pytest

import judge_polars as jp
from judge_polars.api import Runs
from judge_polars.rulebook import RuleBook
from tests.cli.world import write_world


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world."""
    return write_world(tmp_path_factory.mktemp("world"))


@pytest.mark.parametrize("name", jp.__all__)
def test_public_names_have_a_docstring(name: str) -> None:
    assert name == "__version__" or inspect.getdoc(getattr(jp, name))


def test_dir_lists_the_public_names() -> None:
    assert dir(jp) == sorted(jp.__all__)


def test_unknown_name() -> None:
    with pytest.raises(AttributeError, match="no_such_name"):
        _ = jp.no_such_name


def test_nothing_heavy_is_imported_with_the_package() -> None:
    script = "import sys, judge_polars; print({'polars', 'duckdb', 'pydantic', 'typer'} & set(sys.modules))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "set()"


@pytest.mark.parametrize("name", ["judge", "explain"])
def test_functions_are_not_hidden_by_the_modules_of_their_names(name: str) -> None:
    importlib.import_module(f"judge_polars.{name}")
    assert inspect.isfunction(getattr(jp, name))


@pytest.mark.parametrize("form", ["text", "path", "list", "registry", "book"])
def test_judge_takes_runs_and_registry_in_every_form(world: Path, form: str) -> None:
    registry = jp.load_registry(world / "registry")
    forms: dict[str, tuple[Runs, jp.Registry | RuleBook | str | Path]] = {
        "text": (str(world / "runs"), str(world / "registry")),
        "path": (world / "runs", world / "registry"),
        "list": ([world / "runs" / "2025-03-04-nightly", str(world / "runs" / "2025-03-05-nightly")], registry),
        "registry": (world / "runs", registry),
        "book": (world / "runs", registry.compile()),
    }
    judgment = jp.judge(*forms[form])
    assert judgment.verdicts["verdict"].value_counts().sort("verdict").rows() == [
        ("fail", 2),
        ("invalid", 2),
        ("pass", 4),
    ]


def test_frames_of_a_judgment(world: Path) -> None:
    judgment = jp.judge(world / "runs", world / "registry")
    frames = (judgment.verdicts, judgment.buckets, judgment.checks, judgment.facts, judgment.issues)
    assert all(isinstance(frame, pl.DataFrame) and not frame.is_empty() for frame in frames)
    assert judgment.case_verdicts.height == 4
    assert judgment.regressions["change"].to_list() == ["unchanged", "unchanged", "regressed", "regressed"]
    assert judgment.sql("select count(*) from verdicts where verdict = ?", ["pass"]).item() == 4


def test_what_if(world: Path) -> None:
    registry = jp.load_registry(world / "registry")
    registry.cases["disk-hang"].policy.judge.evidence_routing = None
    judgment = jp.judge(world / "runs", registry)
    row = judgment.verdicts.row(by_predicate=pl.col("case_run_id") == "2025-03-05-nightly/disk-hang/1", named=True)
    assert row["verdict"] == "pass"


def test_select(world: Path) -> None:
    judgment = jp.judge(world / "runs", world / "registry", select=lambda place: place.trial == 2)
    assert set(judgment.verdicts["trial"]) == {2}
    with pytest.raises(jp.NothingSelectedError):
        jp.judge(world / "runs", world / "registry", select=lambda place: place.trial == 9)


def test_registry_error_lists_every_finding(world: Path, tmp_path: Path) -> None:
    write_world(tmp_path)
    for name in ("disk-hang", "lock-wait"):
        file = tmp_path / "registry" / "cases" / name / "case.yaml"
        file.write_text(file.read_text().replace("status: active", "status: sleeping"))
    with pytest.raises(jp.RegistryError) as wrong:
        jp.judge(world / "runs", tmp_path / "registry")
    assert {Path(finding.file).parent.name for finding in wrong.value.findings} == {"disk-hang", "lock-wait"}
