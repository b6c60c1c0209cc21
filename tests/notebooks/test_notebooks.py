"""The notebooks: stored without outputs beside their scripts, without logic, and they run on the demo and on other histories."""

from __future__ import annotations

import ast
import importlib.util
import os
import re
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from judge_polars.notebook_runs import Notebook, run_notebook, shipped_notebooks, with_parameters
from tests.notebooks.histories import REGISTRY, ROOT

NOTEBOOKS = shipped_notebooks()
NAMES = (
    "00_tour",
    "01_trend_analysis",
    "02_regression_triage",
    "03_rubric_what_if",
    "04_check_quality",
    "05_evidence_coverage",
)


def code(notebook: Notebook | dict[str, Any]) -> list[str]:
    """The sources of the code cells."""
    content = notebook.content if isinstance(notebook, Notebook) else notebook
    return ["".join(cell["source"]) for cell in content["cells"] if cell["cell_type"] == "code"]


def outputs(content: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """What the cells of a notebook gave."""
    for cell in content["cells"]:
        yield from cell.get("outputs", ())


@pytest.fixture(scope="module")
def pairing() -> ModuleType:
    """The script that writes notebooks from scripts."""
    spec = importlib.util.spec_from_file_location("pairing", ROOT / "scripts" / "notebooks.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_there_are_six() -> None:
    assert tuple(notebook.name for notebook in NOTEBOOKS) == NAMES


@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=NAMES)
class TestNotebook:
    def test_is_what_its_script_makes(self, notebook: Notebook, pairing: ModuleType) -> None:
        made = pairing.notebook_of(notebook.path.with_suffix(".py"))
        assert notebook.path.read_text("utf-8") == made, "python scripts/notebooks.py writes it anew"

    def test_has_no_outputs(self, notebook: Notebook) -> None:
        assert not list(outputs(notebook.content))
        assert all(cell.get("execution_count") is None for cell in notebook.content["cells"])

    def test_begins_with_a_question_and_ends_with_what_to_do(self, notebook: Notebook) -> None:
        assert notebook.question.endswith("?")
        texts = ["".join(cell["source"]) for cell in notebook.content["cells"] if cell["cell_type"] == "markdown"]
        assert texts[-1].startswith("## What to do next\n\n- ")

    def test_has_one_cell_of_parameters(self, notebook: Notebook) -> None:
        assigning = [source for source in code(notebook) if re.search(r"^[A-Z_]+ = ", source, re.MULTILINE)]
        assert len(assigning) == 1
        assert assigning[0].startswith("HISTORY = ")
        assert "\nREGISTRY = " in assigning[0]

    def test_has_no_logic(self, notebook: Notebook) -> None:
        logic = (ast.FunctionDef, ast.Lambda, ast.ClassDef, ast.For, ast.While, ast.If, ast.Try, ast.comprehension)
        for source in code(notebook):
            assert not [node for node in ast.walk(ast.parse(source)) if isinstance(node, logic)], source

    def test_says_in_words_what_each_chart_shows(self, notebook: Notebook) -> None:
        cells = code(notebook)
        charts = [
            at
            for at, source in enumerate(cells)
            if re.search(r"^charts\.(?!words|prepare|table)\w+\(.*\)$", source, re.MULTILINE)
        ]
        silent = [cells[at] for at in charts if "charts.words." not in cells[at + 1]]
        assert [source for source in silent if "happened" not in source and "deciding_checks" not in source] == []

    def test_runs_on_the_demo(
        self, notebook: Notebook, demo: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), os.environ.get("PYTHONPATH", "")]))
        parameters = {"HISTORY": str(demo), "REGISTRY": str(REGISTRY)}
        done = run_notebook(with_parameters(notebook.content, parameters), tmp_path)
        given = list(outputs(done))
        assert not [output for output in given if output["output_type"] in ("error", "stream")]
        kinds = [kind for output in given for kind in output.get("data", {})]
        assert kinds.count("image/png") >= 2
        assert kinds.count("text/markdown") >= 2
        assert "text/html" in kinds

    def test_runs_on_another_history(self, notebook: Notebook, small: tuple[Path, Path]) -> None:
        history, registry = small
        content = with_parameters(notebook.content, {"HISTORY": str(history), "REGISTRY": str(registry)})
        shown = run_here(code(content))
        assert sum("image/png" in bundle for bundle in shown) >= 2


def run_here(cells: list[str]) -> list[dict[str, Any]]:
    """Run cells in this process; what the last expression of each shows to a notebook, where it is a picture or words."""
    names: dict[str, Any] = {}
    shown = []
    for source in cells:
        *statements, last = ast.parse(source).body
        whole = statements if isinstance(last, ast.Expr) else [*statements, last]
        exec(compile(ast.Module(whole, type_ignores=[]), "<cell>", "exec"), names)
        if isinstance(last, ast.Expr):
            value = eval(compile(ast.Expression(last.value), "<cell>", "eval"), names)
            shown.append(bundle_of(value))
    return shown


def bundle_of(value: Any) -> dict[str, Any]:
    """What a notebook is given of a value."""
    if hasattr(value, "_repr_mimebundle_"):
        data, _ = value._repr_mimebundle_(None, None)
        return dict(data)
    return {
        f"text/{kind}": getattr(value, f"_repr_{kind}_")()
        for kind in ("html", "markdown")
        if hasattr(value, f"_repr_{kind}_")
    }
