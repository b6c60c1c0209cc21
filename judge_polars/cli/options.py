"""Options that several commands take, declared once (specification 70, "Common options")."""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Final

import typer

from judge_polars.cli.completion import case_ids, eval_run_ids, suite_ids
from judge_polars.cli.console import COLORS, Talk
from judge_polars.errors import UsageError
from judge_polars.workers import LOCAL, RAY, Workers

_WHAT: Final = "Selection"

argument = partial(typer.Argument, show_default=False)


def option(*names: str, **more: Any) -> Any:
    """An option that can also be set by a variable: `--fail-on` by `JUDGE_POLARS_FAIL_ON`."""
    variable = "JUDGE_POLARS_" + names[0].strip("-").upper().replace("-", "_")
    return typer.Option(*names, show_default=False, show_envvar=False, envvar=variable, **more)


flag = partial(option, metavar="")

Runs = Annotated[
    list[Path],
    argument(metavar="RUNS", help="Runs roots, eval runs' directories or case runs' directories."),
]
RegistryDir = Annotated[
    Path | None,
    option(
        "--registry",
        metavar="DIR",
        help="The registry; else evaluation/regression here or in the nearest parent.",
    ),
]
HistoryDir = Annotated[
    Path | None,
    typer.Option(
        "--history-dir",
        metavar="DIR",
        help="The history; else .judge_polars at the project's root.",
        show_default=False,
        show_envvar=False,
        envvar=["JUDGE_POLARS_HISTORY", "JUDGE_POLARS_HISTORY_DIR"],
    ),
]
WorkspacesRoot = Annotated[
    Path | None,
    option(
        "--workspaces-root",
        metavar="DIR",
        help="Where a missing workspace is looked up by its id.",
    ),
]
Outputs = Annotated[
    list[Path] | None,
    option("--output", "-o", metavar="FILE", help="Write to a file too, in the format of its suffix; repeatable."),
]
Jobs = Annotated[
    int | None,
    option(
        "--jobs",
        "-j",
        min=1,
        metavar="N",
        help="Worker processes; default: the processors, used from 1,000 case runs on.",
    ),
]
EngineName = Annotated[
    str,
    option(
        "--engine",
        metavar="local|ray",
        help="Who reads: processes of this machine, or a Ray cluster (extra `ray`); default: local.",
    ),
]
RayAddress = Annotated[
    str | None,
    typer.Option(
        "--ray-address",
        metavar="ADDRESS",
        help="The Ray cluster; else --engine ray begins one of --jobs processes here, and ends it.",
        show_default=False,
        show_envvar=False,
        envvar=["JUDGE_POLARS_RAY_ADDRESS", "RAY_ADDRESS"],
    ),
]
Quiet = Annotated[bool, flag("--quiet", "-q", help="No messages and no progress.")]
Verbose = Annotated[bool, flag("--verbose", "-v", help="More messages; an error shows its traceback.")]
Color = Annotated[str, option("--color", metavar="|".join(COLORS), help="Colours, beside NO_COLOR and FORCE_COLOR.")]
FailOn = Annotated[
    list[str] | None,
    option(
        "--fail-on",
        metavar="RULE",
        help="End with exit code 1 on: never (the default), invalid, fail, regression, incomplete, invalid-rate:P, "
        "invalid-shift; repeatable.",
    ),
]
JunitXml = Annotated[
    Path | None,
    option("--junit-xml", metavar="FILE", help="Write JUnit XML too: a test per case run, of the extra `report`."),
]
Github = Annotated[
    bool, flag("--github", help="For GitHub Actions: annotations (at most 10) and a summary to $GITHUB_STEP_SUMMARY.")
]
SuiteIds = Annotated[
    list[str] | None,
    option("--suite", metavar="ID", help="Of this suite; repeatable.", rich_help_panel=_WHAT, autocompletion=suite_ids),
]
CaseGlobs = Annotated[
    list[str] | None,
    option(
        "--case",
        metavar="GLOB",
        help="Of cases whose id fits; repeatable.",
        rich_help_panel=_WHAT,
        autocompletion=case_ids,
    ),
]
Tags = Annotated[
    list[str] | None, option("--tag", metavar="TAG", help="Of cases with this tag; repeatable.", rich_help_panel=_WHAT)
]
EvalRuns = Annotated[
    list[str] | None,
    option(
        "--eval-run",
        metavar="GLOB",
        help="Of eval runs whose id fits; repeatable.",
        rich_help_panel=_WHAT,
        autocompletion=eval_run_ids,
    ),
]
Verdicts = Annotated[
    list[str] | None,
    option(
        "--verdict",
        metavar="VERDICT",
        help="With this verdict: pass, fail, invalid; repeatable.",
        rich_help_panel=_WHAT,
    ),
]
Where = Annotated[
    str | None,
    option(
        "--where",
        metavar="SQL",
        help="For which an SQL condition over the view `verdicts` holds.",
        rich_help_panel=_WHAT,
    ),
]


def talk_of(*, quiet: bool, verbose: bool, color: str) -> Talk:
    """`-q`, `-v` and `--color` together.

    Raises:
        UsageError: an unknown colour setting.
    """
    if color not in COLORS:
        raise UsageError(f"--color {color}: one of {', '.join(COLORS)}")
    return Talk(quiet and not verbose, verbose, color)


def workers_of(jobs: int | None, engine: str = LOCAL, ray_address: str | None = None) -> Workers:
    """`--jobs`, `--engine` and `--ray-address` together; without `--jobs` all processors that this process or the cluster has.

    Raises:
        UsageError: an unknown engine.
    """
    address = ray_address if engine == RAY else None
    return Workers(processors() if jobs is None and address is None else jobs, engine, address)


def processors() -> int:
    """Processors that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
