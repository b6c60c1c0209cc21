"""The small world, the command line in this process, and snapshots."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from judge_polars.cli.app import run
from tests.cli.world import write_world

SNAPSHOTS = Path(__file__).parent / "snapshots"
CHANGING = (
    (re.compile(r"sha256:[0-9a-f]{64}"), "sha256:…"),
    (re.compile(r"\d{8}T\d{12}-[0-9a-f]{8}"), "<judgment id>"),
    (re.compile(r'"judged_at": ?"[^"]+"'), '"judged_at": "<time>"'),
)
"""What differs from run to run -> what a snapshot holds instead."""


class Result(NamedTuple):
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture(scope="session")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small world; no test may change it."""
    return write_world(tmp_path_factory.mktemp("world"))


@pytest.fixture
def cli(
    world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> Cli:
    """Runs a command with the small world's registry in an empty directory; `RUNS` stands for its runs.

    `judge` keeps no history unless the test asks for one.
    """
    for name in list(os.environ):
        if name.startswith("JUDGE_POLARS_") or name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.chdir(tmp_path)

    def call(*arguments: str, registry: bool = True, history: bool = False) -> Result:
        given = [str(world / "runs") if argument == "RUNS" else argument for argument in arguments]
        if registry:
            given += ["--registry", str(world / "registry")]
        if arguments[:1] == ("judge",) and not history and not {"--no-history", "--history-dir", "--help"} & set(given):
            given.append("--no-history")
        code = run(given)
        out, err = capsysbinary.readouterr()
        return Result(code, out.decode(), err.decode())

    return call


def matches_snapshot(text: str, name: str, world: Path) -> bool:
    """Whether a text is that of the snapshot; with UPDATE_SNAPSHOTS set the snapshot is written, to be looked at."""
    plain = text.replace(str(world), "<world>")
    for changing, stable in CHANGING:
        plain = changing.sub(stable, plain)
    path = SNAPSHOTS / name
    if os.environ.get("UPDATE_SNAPSHOTS"):
        path.write_text(plain, encoding="utf-8")
    assert plain == path.read_text("utf-8"), f"{name} differs: look at it, then write it anew with UPDATE_SNAPSHOTS=1"
    return True
