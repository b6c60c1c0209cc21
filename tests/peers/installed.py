"""Where `make peers` puts real agents; a test of one that is not there is skipped, and says so."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

USUAL_PLACE = Path.home() / ".cache/judge-polars/peers"


def program_of(name: str) -> str:
    """The path of an agent's program."""
    if shutil.which("node") is None:
        pytest.skip(f"{name} needs node, which is not installed")
    program = Path(os.environ.get("PEERS") or USUAL_PLACE) / "node_modules/.bin" / name
    if not program.exists():
        pytest.skip(f"{name} is not installed: `make peers` brings it")
    return str(program)
