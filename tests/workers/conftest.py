"""The small world of the commands, and a Ray cluster, made once for the tests of this directory."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.world import write_world


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with `registry` and `runs` (`tests/cli/world.py`)."""
    return write_world(tmp_path_factory.mktemp("world"))


@pytest.fixture(scope="session")
def cluster() -> Iterator[None]:
    """Two Ray workers; who is connected to a cluster works on that one."""
    ray = pytest.importorskip("ray", reason="Ray is not installed: make test-ray")
    ray.init("local", num_cpus=2, include_dashboard=False, log_to_driver=False, object_store_memory=200_000_000)
    yield
    ray.shutdown()
