"""Live runs need the protocol's SDK, and /proc to look for what was left behind."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("acp", reason="the extra acp is not installed")

from tests.runner.world import Live, write_registry


@pytest.fixture
def live(tmp_path: Path) -> Live:
    """The small registry with one case, ready to run."""
    write_registry(tmp_path / "registry")
    return Live(tmp_path)
