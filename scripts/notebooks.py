"""Writes each notebook from the Python script beside it, without outputs and with steady cell ids: clean differences.

    python scripts/notebooks.py           writes notebooks/*.ipynb from notebooks/*.py
    python scripts/notebooks.py --check   says which are not what their scripts make; exit code 1 then

In JupyterLab, jupytext keeps the two in step; what it leaves is made steady by this script.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat

NOTEBOOKS = Path(__file__).resolve().parents[1] / "notebooks"


def notebook_of(script: Path) -> str:
    """The text of the notebook that a script makes."""
    notebook = jupytext.read(script, fmt="py:percent")
    notebook.metadata = {
        "jupytext": {"formats": "ipynb,py:percent"},
        "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
        "language_info": {"name": "python"},
    }
    notebook.nbformat, notebook.nbformat_minor = 4, 5
    for number, cell in enumerate(notebook.cells):
        cell.id = f"{script.stem}-{number:02}"
        cell.metadata = {}
    nbformat.validate(notebook)
    write: Any = nbformat.writes
    return f"{write(notebook)}\n"


def main(arguments: list[str]) -> int:
    """Write the notebooks, or check them."""
    different = []
    for script in sorted(NOTEBOOKS.glob("*.py")):
        notebook, text = script.with_suffix(".ipynb"), notebook_of(script)
        if notebook.exists() and notebook.read_text("utf-8") == text:
            continue
        different.append(notebook.name)
        if "--check" not in arguments:
            notebook.write_text(text, encoding="utf-8")
    if different:
        sys.stdout.write(
            f"{'differ from their scripts' if '--check' in arguments else 'written'}: {', '.join(different)}\n"
        )
    return 1 if different and "--check" in arguments else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
