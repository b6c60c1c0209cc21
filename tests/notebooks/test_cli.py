"""`notebook list|open|run`, and what they say where something is missing."""

from __future__ import annotations

import json
import os
import subprocess
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from judge_polars.cli import notebooks as cli
from judge_polars.errors import InputError, MissingPieceError, UsageError
from judge_polars.notebook_runs import notebook_named, run_notebook, shipped_notebooks, with_parameters
from tests.notebooks.histories import REGISTRY, ROOT


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The working directory of each test: an empty one."""
    for name in [name for name in os.environ if name.startswith("JUDGE_POLARS_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def without(monkeypatch: pytest.MonkeyPatch, module: str) -> None:
    """Let a module look as if it were not installed."""
    monkeypatch.setattr(
        "judge_polars.notebook_runs.find_spec", lambda name: None if name == module else find_spec(name)
    )


class TestNames:
    @pytest.mark.parametrize(
        "name", ["02_regression_triage", "02", "triage", "regression", "notebooks/02_regression_triage.ipynb"]
    )
    def test_a_notebook_is_found(self, name: str) -> None:
        assert notebook_named(name).name == "02_regression_triage"

    @pytest.mark.parametrize("name", ["", "0", "99", "nothing"])
    def test_no_notebook_or_several(self, name: str) -> None:
        with pytest.raises(UsageError, match="there are 00_tour, 01_trend_analysis"):
            notebook_named(name)


class TestParameters:
    def test_values_are_set_and_the_notebook_stays(self) -> None:
        notebook = notebook_named("what_if")
        changed = with_parameters(notebook.content, {"HISTORY": "a 'b' \\", "FACTOR": 2})
        source = "".join(changed["cells"][2]["source"])
        assert source.splitlines()[0] == repr("a 'b' \\").join(["HISTORY = ", ""])
        assert "\nFACTOR = 2" in source
        assert "\nNUMBER = 0  #" in source
        assert "FACTOR = 1.25" in "".join(notebook.content["cells"][2]["source"])

    def test_an_unknown_one(self) -> None:
        with pytest.raises(UsageError, match="no parameter SPEED"):
            with_parameters(notebook_named("tour").content, {"SPEED": 1})


class TestList:
    def test_names_and_questions(self, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
        assert cli.list_notebooks(output_format="json") == 0
        rows = json.loads(capsysbinary.readouterr().out)
        assert [row["notebook"] for row in rows] == [notebook.name for notebook in shipped_notebooks()]
        assert all(row["question"].endswith("?") and "\n" not in row["question"] for row in rows)

    def test_needs_no_extra(self, monkeypatch: pytest.MonkeyPatch) -> None:
        without(monkeypatch, "altair")
        assert cli.list_notebooks() == 0


class TestRun:
    def test_writes_a_notebook_and_a_page(self, demo: Path, elsewhere: Path) -> None:
        files = [Path("trends.ipynb"), Path("trends.html")]
        assert cli.run("01", output=files, registry=REGISTRY, history_dir=demo, quiet=True) == 0
        done = json.loads((elsewhere / "trends.ipynb").read_text())
        assert any(
            "image/png" in output.get("data", {}) for cell in done["cells"] for output in cell.get("outputs", ())
        )
        page = (elsewhere / "trends.html").read_text()
        assert "data:image/png;base64," in page
        assert "<script" not in page
        assert "Is the agent getting better" in page

    @pytest.mark.parametrize("module", ["altair", "nbclient", "nbconvert"])
    def test_without_the_extra(self, module: str, demo: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        without(monkeypatch, module)
        with pytest.raises(MissingPieceError, match=rf"{module}.*pip install 'judge-polars\[notebooks\]'") as missing:
            cli.run("tour", registry=REGISTRY, history_dir=demo)
        assert missing.value.exit_code == 4

    def test_a_suffix_that_it_does_not_write(self, demo: Path) -> None:
        with pytest.raises(UsageError, match=r"\.html or \.ipynb"):
            cli.run("tour", output=[Path("tour.pdf")], registry=REGISTRY, history_dir=demo)

    def test_a_directory_that_is_not_there(self, demo: Path) -> None:
        with pytest.raises(UsageError, match="there is no directory nowhere"):
            cli.run("tour", output=[Path("nowhere/tour.html")], registry=REGISTRY, history_dir=demo)

    def test_no_history(self, elsewhere: Path) -> None:
        with pytest.raises(InputError):
            cli.run("tour", registry=REGISTRY, history_dir=elsewhere / "none")
        assert list(elsewhere.iterdir()) == []

    def test_a_cell_that_fails_is_told(self, elsewhere: Path) -> None:
        content = with_parameters(notebook_named("tour").content, {"HISTORY": str(elsewhere / "gone")})
        with pytest.raises(InputError, match="code cell 3 of the notebook failed: InputError"):
            run_notebook(content, elsewhere)


class TestOpen:
    @pytest.fixture
    def started(self, monkeypatch: pytest.MonkeyPatch) -> list[list[str]]:
        """The commands that are started instead of JupyterLab."""
        commands: list[list[str]] = []

        def start(command: list[str], **_: Any) -> subprocess.CompletedProcess[str]:
            commands.append(command)
            return subprocess.CompletedProcess(command, 0)

        monkeypatch.setattr(
            "judge_polars.notebook_runs.find_spec", lambda name: name if name == "jupyterlab" else find_spec(name)
        )
        monkeypatch.setattr("judge_polars.cli.notebooks.subprocess.run", start)
        return commands

    def test_copies_have_this_history_and_registry(self, demo: Path, elsewhere: Path, started: list[list[str]]) -> None:
        assert cli.open_notebook("triage", registry=REGISTRY, history_dir=demo, quiet=True) == 0
        place = elsewhere / cli.DIRECTORY
        assert sorted(path.stem for path in place.iterdir()) == [notebook.name for notebook in shipped_notebooks()]
        for copy in place.iterdir():
            source = "".join(json.loads(copy.read_text())["cells"][2]["source"])
            assert source.startswith(f"HISTORY = {str(demo.resolve())!r}\nREGISTRY = {str(REGISTRY)!r}")
        assert started[0][1:] == ["-m", "jupyterlab", f"{cli.DIRECTORY}/02_regression_triage.ipynb"]

    def test_a_copy_that_is_there_is_kept(self, demo: Path, elsewhere: Path, started: list[list[str]]) -> None:
        mine = elsewhere / "mine" / "00_tour.ipynb"
        mine.parent.mkdir()
        mine.write_text("my own")
        assert cli.open_notebook("tour", to=Path("mine"), registry=REGISTRY, history_dir=demo, quiet=True) == 0
        assert mine.read_text() == "my own"
        assert len(list(mine.parent.iterdir())) == 6

    def test_without_jupyterlab_nothing_is_written(
        self, demo: Path, elsewhere: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        without(monkeypatch, "jupyterlab")
        with pytest.raises(MissingPieceError, match="jupyterlab"):
            cli.open_notebook("tour", registry=REGISTRY, history_dir=demo)
        assert list(elsewhere.iterdir()) == []

    def test_a_place_that_is_no_directory(self, demo: Path, elsewhere: Path, started: list[list[str]]) -> None:
        (elsewhere / "file").write_text("")
        with pytest.raises(UsageError, match="name another directory"):
            cli.open_notebook("tour", to=Path("file"), registry=REGISTRY, history_dir=demo)
