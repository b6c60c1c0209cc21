"""`doctor` and `demo`."""

from __future__ import annotations

import csv
import io
import re
import shlex
from collections.abc import Iterator

import pytest

from judge_polars.cli import care
from tests.cli.conftest import Cli


def states(output: str) -> dict[str, str]:
    """What doctor looked at -> its state, from CSV."""
    return {row["what"]: row["state"] for row in csv.DictReader(io.StringIO(output))}


def test_doctor_finds_what_is_needed(cli: Cli) -> None:
    result = cli("doctor", "--format", "csv")
    told = states(result.out)
    assert result.code == 0
    assert {told[what] for what in ("python", "polars", "duckdb", "SQL views", "working directory")} == {"ok"}
    assert told["registry"] in ("ok", "warning")


def test_doctor_says_what_to_install(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(care, "EXTRAS", {"report": ("no_such_module",)})
    result = cli("doctor")
    assert result.code == 0
    assert "lacks no_such_module  → pip install 'judge-polars[report]'" in result.out


def test_a_registry_that_is_not_there_is_wrong_when_it_was_named(cli: Cli) -> None:
    assert states(cli("doctor", "--format", "csv", registry=False).out)["registry"] == "not there"
    result = cli("doctor", "--registry", "nowhere", "--format", "csv", registry=False)
    assert (result.code, states(result.out)["registry"]) == (2, "wrong")


def test_a_needed_package_that_is_missing_is_exit_code_4(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(care, "CORE", ("polars", "no-such-package"))
    result = cli("doctor")
    assert result.code == 4
    assert "pip install no-such-package" in result.out
    assert result.out.splitlines()[-1].startswith("1 wrong")


def test_a_look_that_fails_keeps_no_other_from_being_made(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> Iterator[care.Finding]:
        raise OSError("no disk")

    monkeypatch.setattr(care, "_engines", broken)
    told = states(cli("doctor", "--format", "csv").out)
    assert told["doctor"] == "wrong"
    assert told["working directory"] == "ok"


SLOW = ("notebook", "demo")
"""What the demo proposes that other tests try: it starts processes."""


def test_demo_judges_compares_and_says_what_to_try(cli: Cli) -> None:
    result = cli("demo", registry=False)
    assert result.code == 0
    assert "2025-03-05-nightly" in result.out
    assert "▼ regressed" in result.out
    commands = re.findall(r"^ +(judge-polars .+)$", result.out, re.MULTILINE)
    assert [shlex.split(command)[1] for command in commands] == [
        "explain",
        "report",
        "sql",
        "rejudge",
        "notebook",
        "judge",
        "demo",
        "assert",
        "doctor",
    ]
    for command in commands:
        if shlex.split(command)[1] in SLOW:
            continue
        tried = cli(*shlex.split(command)[1:], registry=False)
        assert tried.code == (1 if "--fail-on" in command else 0), command
        assert tried.out or tried.err
