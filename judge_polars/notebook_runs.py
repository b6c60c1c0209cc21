"""The notebooks that ship: what each answers, a copy with a history of one's own, and a run that keeps the outputs.

A notebook has one cell of parameters, assignments of whole lines; `with_parameters` gives some of them other values.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from judge_polars.errors import InputError, MissingPieceError, UsageError

EXTRA: Final = "pip install 'judge-polars[notebooks]'"
RUNNERS: Final = ("altair", "vl_convert", "ipykernel", "nbclient", "nbformat")
"""Modules that running a notebook needs."""
SUFFIXES: Final = (".html", ".ipynb")
_SCRIPT: Final = re.compile(r"<script\b.*?</script>", re.DOTALL | re.IGNORECASE)
"""What the page template brings along for the network; the notebooks' own outputs have none."""
SECONDS_AT_MOST: Final = 3600
"""For one cell: judging a large history again takes its time."""


@dataclass(frozen=True)
class Notebook:
    """A notebook as it ships.

    Attributes:
        name: its file's name without suffix.
        path: of the `.ipynb` file.
    """

    name: str
    path: Path

    @cached_property
    def content(self) -> dict[str, Any]:
        """The notebook's JSON."""
        content: dict[str, Any] = json.loads(self.path.read_text("utf-8"))
        return content

    @property
    def question(self) -> str:
        """What it answers: the bold sentence of its first cell."""
        found = re.search(r"\*\*(.+?)\*\*", "".join(self.content["cells"][0]["source"]), re.DOTALL)
        return found[1] if found else ""


def shipped_notebooks() -> list[Notebook]:
    """The notebooks beside the package in a checkout, inside it in a wheel, in the order of their names.

    Raises:
        MissingPieceError: they are not there.
    """
    package = Path(__file__).resolve().parent
    for place in (package / "notebooks", package.parent / "notebooks"):
        found = [Notebook(path.stem, path) for path in sorted(place.glob("*.ipynb"))]
        if found:
            return found
    raise MissingPieceError("the notebooks are missing: reinstall judge-polars, or run it in a checkout")


def notebook_named(name: str) -> Notebook:
    """The notebook of a name, of the beginning of one (`02`), or of its words (`tour`).

    Raises:
        UsageError: there is none, or several.
    """
    every = shipped_notebooks()
    wanted = Path(name).stem
    exact = [notebook for notebook in every if notebook.name == wanted]
    near = [
        notebook for notebook in every if wanted and (notebook.name.startswith(wanted) or f"_{wanted}" in notebook.name)
    ]
    found = exact or near
    if len(found) != 1:
        what = f"{len(found)} notebooks are" if found else "no notebook is"
        raise UsageError(f"{what} called {name}; there are {', '.join(notebook.name for notebook in every)}")
    return found[0]


def with_parameters(content: Mapping[str, Any], parameters: Mapping[str, object]) -> dict[str, Any]:
    """A notebook whose parameter cell (the code cell that assigns `HISTORY`) has other values; a copy.

    Raises:
        UsageError: a parameter that the notebook does not have.
    """
    changed: dict[str, Any] = json.loads(json.dumps(content))
    cell = next(cell for cell in changed["cells"] if _assigns(cell, "HISTORY"))
    lines = "".join(cell["source"]).splitlines()
    for name, value in parameters.items():
        at = [number for number, line in enumerate(lines) if re.match(rf"{re.escape(name)}\s*=", line)]
        if not at:
            raise UsageError(f"the notebook has no parameter {name}")
        lines[at[0]] = f"{name} = {value!r}"
    cell["source"] = "\n".join(lines).splitlines(keepends=True)
    return changed


def _assigns(cell: Mapping[str, Any], name: str) -> bool:
    return cell["cell_type"] == "code" and re.search(rf"^{name}\s*=", "".join(cell["source"]), re.MULTILINE) is not None


def require(*modules: str) -> None:
    """Nothing, where modules of the extra `notebooks` are installed.

    Raises:
        MissingPieceError: one is not.
    """
    missing = [module for module in modules if find_spec(module) is None]
    if missing:
        raise MissingPieceError(f"notebooks need {', '.join(missing)}: {EXTRA}")


def run_notebook(content: Mapping[str, Any], directory: Path) -> dict[str, Any]:
    """The notebook with its outputs, executed by a kernel of its own.

    Args:
        directory: the kernel's working directory.

    Raises:
        MissingPieceError: the extra is not installed.
        InputError: a cell failed; the message holds the cell's number and its error.
    """
    require(*RUNNERS)
    import nbformat
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError

    notebook = _node(content)
    client = NotebookClient(
        notebook,
        timeout=SECONDS_AT_MOST,
        kernel_name="python3",
        extra_arguments=["--IPKernelApp.log_level=ERROR"],
        resources={"metadata": {"path": str(directory)}},
    )
    try:
        client.execute()
    except CellExecutionError as wrong:
        number = sum(cell.get("execution_count") is not None for cell in notebook.cells)
        raise InputError(f"code cell {number} of the notebook failed: {wrong.ename}: {wrong.evalue}") from wrong
    for cell in notebook.cells:  # times of execution: two runs would differ in nothing else
        cell.metadata.pop("execution", None)
    write: Any = nbformat.writes
    done: dict[str, Any] = json.loads(write(notebook))
    return done


def _node(content: Mapping[str, Any]) -> Any:
    """A notebook as nbformat has it."""
    import nbformat

    read: Any = nbformat.reads
    return read(json.dumps(content), as_version=4)


def as_file(content: Mapping[str, Any], suffix: str, title: str) -> bytes:
    """A notebook as the content of an `.ipynb` or `.html` file; the HTML holds its pictures and needs no network.

    Raises:
        MissingPieceError: nbconvert is not installed.
    """
    if suffix == ".ipynb":
        return (json.dumps(content, indent=1, ensure_ascii=False) + "\n").encode()
    require("nbconvert", "nbformat")
    from nbconvert import HTMLExporter

    make: Any = HTMLExporter
    exporter = make(
        require_js_url="", jquery_url="", mathjax_url="", mermaid_js_url="", embed_images=True, theme="light"
    )
    body, _ = exporter.from_notebook_node(_node(content), resources={"metadata": {"name": title}})
    return _SCRIPT.sub("", str(body)).encode()
