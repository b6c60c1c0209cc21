"""`notebook list|open|run`: the notebooks that ship, on a history of one's own (specification 70, "Notebooks")."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final

import typer

from judge_polars.cli import options
from judge_polars.cli.outputs import FORMATS, Outputs, require_writable, write_file
from judge_polars.cli.places import history_dir as place_of_history
from judge_polars.cli.registries import registry_path
from judge_polars.errors import EXIT_FINE, UsageError

if TYPE_CHECKING:
    from judge_polars.cli.console import Talk
    from judge_polars.notebook_runs import Notebook

DIRECTORY: Final = "judge_polars_notebooks"
"""Where the copies go that `notebook open` makes, below the working directory."""

EXAMPLES = """
Examples:\n
\b
  judge-polars notebook list
  judge-polars notebook open                    # copies, with this history and registry, in JupyterLab
  judge-polars notebook run 01                  # writes 01_trend_analysis.html
  judge-polars notebook run triage -o triage.ipynb -o triage.html
"""

Name = Annotated[str, options.argument(metavar="NAME", help="A notebook, the beginning of its name, or a word of it.")]


def list_notebooks(
    output_format: Annotated[
        str, options.option("--format", "-f", metavar="|".join(FORMATS), help="What goes to standard output.")
    ] = "table",
    output: options.Outputs = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """The notebooks and the question that each answers."""
    from judge_polars.cli.rows_table import rows_view
    from judge_polars.notebook_runs import shipped_notebooks

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    outputs = Outputs(output_format, tuple(output or ()))
    rows = [
        {"notebook": notebook.name, "question": " ".join(notebook.question.split())} for notebook in shipped_notebooks()
    ]
    outputs.deliver(lambda form, width, colored: rows_view(rows, form, width, colored=colored), talk)
    return EXIT_FINE


def open_notebook(
    name: Name = "00_tour",
    to: Annotated[
        Path | None, options.option("--to", metavar="DIR", help=f"Where the copies go; default: {DIRECTORY}.")
    ] = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Copy the notebooks into a directory, with this history and registry, and open one in JupyterLab.

    A copy that is there already is kept as it is.
    """
    from judge_polars.notebook_runs import as_file as file_of
    from judge_polars.notebook_runs import notebook_named, require, shipped_notebooks, with_parameters

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    chosen = notebook_named(name)
    require("jupyterlab", "altair", "vl_convert", "ipykernel")
    parameters = _parameters(registry, history_dir)
    place = to or Path(DIRECTORY)
    _make(place)
    for notebook in shipped_notebooks():
        copy = place / f"{notebook.name}.ipynb"
        if copy.exists():
            talk.say(f"kept: {copy}, with its own history and registry")
            continue
        write_file(copy, file_of(with_parameters(notebook.content, parameters), ".ipynb", notebook.name))
        talk.say(f"written: {copy}")
    command = [sys.executable, "-m", "jupyterlab", str(place / f"{chosen.name}.ipynb")]
    return subprocess.run(command, check=False).returncode


def run(
    name: Name,
    output: Annotated[
        list[Path] | None,
        options.option(
            "--output", "-o", metavar="FILE", help="An .html or .ipynb file; repeatable; default: NAME.html here."
        ),
    ] = None,
    registry: options.RegistryDir = None,
    history_dir: options.HistoryDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = False,
    color: options.Color = "auto",
) -> int:
    """Run a notebook on this history and write it with its outputs."""
    from judge_polars.notebook_runs import RUNNERS, as_file, notebook_named, require, run_notebook, with_parameters

    talk = options.talk_of(quiet=quiet, verbose=verbose, color=color)
    notebook = notebook_named(name)
    files = tuple(output or (Path(f"{notebook.name}.html"),))
    _require_files(files)
    require(*RUNNERS, *(("nbconvert",) if any(file.suffix == ".html" for file in files) else ()))
    content = with_parameters(notebook.content, _parameters(registry, history_dir))
    _say_start(talk, notebook)
    done = run_notebook(content, Path.cwd())
    for file in files:
        write_file(file, as_file(done, file.suffix, notebook.name))
        talk.say(f"written: {file}")
    return EXIT_FINE


def _say_start(talk: Talk, notebook: Notebook) -> None:
    cells = sum(cell["cell_type"] == "code" for cell in notebook.content["cells"])
    talk.say(f"running {notebook.name}, {cells} cells")


def _parameters(registry: Path | None, history_dir: Path | None) -> dict[str, object]:
    """The notebooks' parameters: a history that can be opened, a registry that is there; both as absolute paths.

    Raises:
        InputError: there is no history, or it cannot be used.
        UsageError: there is no registry.
    """
    from judge_polars.history.store import open_history

    place = place_of_history(history_dir)
    with open_history(place):
        pass
    return {"HISTORY": str(place.resolve()), "REGISTRY": str(registry_path(registry).resolve())}


def _require_files(files: tuple[Path, ...]) -> None:
    from judge_polars.notebook_runs import SUFFIXES

    for file in files:
        if file.suffix not in SUFFIXES:
            raise UsageError(f"-o {file}: wanted is a name that ends in {' or '.join(SUFFIXES)}")
        require_writable(file)


def _make(place: Path) -> None:
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as wrong:
        raise UsageError(f"--to {place}: {wrong.strerror or wrong}; name another directory") from wrong


def add_commands(app: typer.Typer) -> None:
    """Add this room's commands."""
    room = typer.Typer(name="notebook", help="The notebooks, on this history.", no_args_is_help=True)
    room.command("list")(list_notebooks)
    room.command("open", epilog=EXAMPLES)(open_notebook)
    room.command("run", epilog=EXAMPLES)(run)
    app.add_typer(room)
