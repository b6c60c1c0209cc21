"""Histories for notebooks and charts: the demo's runs, and a small world of other cases."""

from __future__ import annotations

from pathlib import Path

from judge_polars.cli.app import run
from tests.cli.world import write_world

ROOT = Path(__file__).resolve().parents[2]
REGISTRY = ROOT / "evaluation" / "regression"


def demo_history(folder: Path) -> Path:
    """A history of the runs that ship, below a folder."""
    return _judged(ROOT / "evaluation" / "runs", REGISTRY, folder / "history")


def small_history(folder: Path) -> tuple[Path, Path]:
    """A history of the small world, and its registry."""
    world = write_world(folder)
    return _judged(world / "runs", world / "registry", folder / "history"), world / "registry"


def _judged(runs: Path, registry: Path, history: Path) -> Path:
    """A history with the verdicts of runs."""
    arguments = [str(runs), "--registry", str(registry), "--history-dir", str(history), "--quiet", "--jobs", "1"]
    code = run(["judge", *arguments, "--output", str(history.parent / "verdicts.jsonl")])
    assert code == 0
    return history
