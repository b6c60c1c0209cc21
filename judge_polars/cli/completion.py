"""What the shell completes: ids of suites, cases, eval runs and case runs, read from the names of files alone."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import typer

_USUAL_RUNS = ("runs", "evaluation/runs")


def suite_ids(context: typer.Context, incomplete: str) -> list[str]:
    """Suites of the registry."""
    return _begun(incomplete, (path.stem for path in _registry(context).glob("suites/*.yaml")))


def case_ids(context: typer.Context, incomplete: str) -> list[str]:
    """Cases of the registry."""
    return _begun(incomplete, (path.parent.name for path in _registry(context).glob("cases/*/case.yaml")))


def eval_run_ids(context: typer.Context, incomplete: str) -> list[str]:
    """Eval runs below the runs roots that are typed already, or the usual ones."""
    return _begun(incomplete, (path.name for path in _eval_runs(context)))


def case_run_ids(context: typer.Context, incomplete: str) -> list[str]:
    """Case runs below the same roots."""
    return _begun(
        incomplete,
        (
            f"{eval_run.name}/{trial.parent.name}/{trial.name.removeprefix('trial-')}"
            for eval_run in _eval_runs(context)
            for trial in eval_run.glob("cases/*/trial-*")
        ),
    )


def _begun(incomplete: str, names: Iterator[str]) -> list[str]:
    return sorted(name for name in names if name.startswith(incomplete))


def _registry(context: typer.Context) -> Path:
    from judge_polars.registry.locate import find_registry

    named = context.params.get("registry") or os.environ.get("JUDGE_POLARS_REGISTRY")
    return Path(named) if named else find_registry(Path.cwd()) or Path("evaluation/regression")


def _eval_runs(context: typer.Context) -> Iterator[Path]:
    roots = [Path(root) for root in context.params.get("runs") or _USUAL_RUNS]
    for root in roots:
        if (root / "cases").is_dir():
            yield root
        else:
            yield from (path.parent for path in root.glob("*/cases"))
