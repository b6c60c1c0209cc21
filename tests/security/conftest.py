"""Commands in this process, as somebody would call them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import pytest

from judge_polars.cli.app import run


class Result(NamedTuple):
    """What a command printed and its exit code."""

    code: int
    out: str
    err: str


Cli = Callable[..., Result]


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]) -> Cli:
    """Runs a command in a directory, where it finds `registry/` and its settings; no command may fail of itself."""
    for name in list(os.environ):
        if name.startswith("JUDGE_POLARS_") or name in ("COLUMNS", "NO_COLOR", "FORCE_COLOR", "GITHUB_STEP_SUMMARY"):
            monkeypatch.delenv(name)
    monkeypatch.setenv("COLUMNS", "120")

    def call(place: Path, *arguments: str) -> Result:
        monkeypatch.chdir(place)
        monkeypatch.setenv("JUDGE_POLARS_REGISTRY", str(place / "registry"))
        capsysbinary.readouterr()
        code = run(list(arguments))
        out, err = capsysbinary.readouterr()
        told = Result(code, out.decode(), err.decode())
        assert code != 3, told.err
        return told

    return call
