"""Histories that the notebooks run on, judged once."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.notebooks.histories import demo_history, small_history


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history of the runs that ship."""
    return demo_history(tmp_path_factory.mktemp("demo"))


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """The history and the registry of the small world."""
    return small_history(tmp_path_factory.mktemp("small"))
