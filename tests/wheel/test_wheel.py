"""The wheel holds all that `judge-polars` reads, and judges runs where no checkout is near."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys
import sysconfig
import venv
from importlib.util import find_spec
from pathlib import Path
from zipfile import ZipFile

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDED = {
    "sql": "judge_polars/sql",
    "notebooks": "judge_polars/notebooks",
    "evaluation/regression": "judge_polars/evaluation/regression",
    "evaluation/runs": "judge_polars/evaluation/runs",
    "judge_polars/packs": "judge_polars/packs",
}
"""Folder of the checkout -> folder of the wheel."""

pytestmark = pytest.mark.xdist_group("wheel")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel of this checkout, built without a download where the build tool is installed."""
    target = tmp_path_factory.mktemp("wheel")
    isolation = ["--no-build-isolation"] if find_spec("hatchling") else []
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        *isolation,
        "--wheel-dir",
        str(target),
        str(ROOT),
    ]
    built = subprocess.run(command, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stdout + built.stderr
    [path] = target.glob("judge_polars-*.whl")
    return path


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bin directory of a new environment with the wheel; its dependencies are those of the running environment.

    The running environment's packages come last on the path, by a `.pth` file: from there, an editable install of the
    checkout has no effect.
    """
    environment = tmp_path_factory.mktemp("environment")
    venv.create(environment, system_site_packages=True, with_pip=False, symlinks=True)
    python = environment / "bin" / "python"
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    done = subprocess.run([*pip, "--ignore-installed", str(wheel)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    [packages] = environment.glob("lib/python*/site-packages")
    (packages / "dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n")
    return environment / "bin"


def files_below(directory: Path) -> set[str]:
    """Relative names of the files below a directory, without what Python and linters leave there."""
    names = {path.relative_to(directory).as_posix() for path in directory.rglob("*") if path.is_file()}
    return {name for name in names if "cache" not in name}


def run(command: list[str], directory: Path) -> str:
    """Standard output of a command that succeeds, run in a directory outside the checkout."""
    environment = {"PATH": os.defpath, "HOME": str(directory), "NO_COLOR": "1"}
    done = subprocess.run(command, cwd=directory, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_wheel_is_typed(wheel: Path) -> None:
    assert "judge_polars/py.typed" in ZipFile(wheel).namelist()


@pytest.mark.parametrize(("source", "target"), NEEDED.items(), ids=NEEDED)
def test_wheel_holds_the_files_of(source: str, target: str, wheel: Path) -> None:
    inside = {name.removeprefix(f"{target}/") for name in ZipFile(wheel).namelist() if name.startswith(f"{target}/")}
    wanted = files_below(ROOT / source)
    assert wanted
    assert inside == wanted


def test_wheel_ships_the_tidb_pack(wheel: Path) -> None:
    assert "judge_polars/packs/tidb.yaml" in ZipFile(wheel).namelist()


def test_wheel_holds_nothing_but_the_package(wheel: Path) -> None:
    tops = {name.split("/")[0] for name in ZipFile(wheel).namelist()}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"judge_polars"}


def test_installed_package_is_the_wheel(installed: Path, tmp_path: Path) -> None:
    place = run([str(installed / "python"), "-c", "import judge_polars; print(judge_polars.__file__)"], tmp_path)
    assert Path(place.strip()).is_relative_to(installed.parent)


@pytest.mark.skipif(not (ROOT / "judge_polars" / "cli").is_dir(), reason="the command line is not there yet")
def test_installed_command_judges_the_runs_that_ship(installed: Path, tmp_path: Path) -> None:
    [shipped] = installed.parent.glob("lib/python*/site-packages/judge_polars/evaluation")
    output = run(
        [
            *(str(installed / "judge-polars"), "judge", str(shipped / "runs")),
            *("--registry", str(shipped / "regression"), "--no-history", "--format", "jsonl"),
        ],
        tmp_path,
    )
    found = {line["case_run_id"]: line["verdict"] for line in map(json.loads, output.splitlines())}
    with (ROOT / "evaluation" / "expected_verdicts.csv").open(newline="") as file:
        expected = {row["case_run_id"]: row["verdict"] for row in csv.DictReader(file)}
    assert found == expected
