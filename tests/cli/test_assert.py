"""`assert`: how the assertion rules read a text."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

from tests.cli.conftest import Cli, matches_snapshot

TEXT = """\
## Ruled out

- A disk hang

## Root cause

The disk hung, but it was not a lock wait.
如果锁等待，磁盘会卡住。
Is it a disk hang?
"""


def readings(output: str) -> list[tuple[int, str, bool, bool, bool, str | None]]:
    """(line, clause, asserts, claims, denied, decided by) of JSON Lines."""
    rows = map(json.loads, output.splitlines())
    return [
        (row["line"], row["clause"], row["asserts"], row["claims"], row["denied"], row["decided_by"])
        for row in rows
        if row["pattern"]
    ]


def test_table(cli: Cli, world: Path, tmp_path: Path) -> None:
    (tmp_path / "answer.md").write_text(TEXT, encoding="utf-8")
    result = cli("assert", "@answer.md", "--concept", "disk_hang", "--concept", "lock_wait")
    assert result.code == 0
    assert matches_snapshot(result.out, "assert.txt", world)


def test_every_clause_with_verbose(cli: Cli) -> None:
    quiet = cli("assert", "First. The disk hung.", "--pattern", "disk hung").out
    verbose = cli("assert", "First. The disk hung.", "--pattern", "disk hung", "-v").out
    assert "First." not in quiet
    assert "First." in verbose


def test_readings(cli: Cli) -> None:
    result = cli("assert", TEXT, "--concept", "disk_hang", "--format", "jsonl")
    assert readings(result.out) == [
        (3, "A disk hang", False, False, True, "heading"),
        (7, "The disk hung,", True, True, False, "claim"),
        (9, "Is it a disk hang?", False, False, False, "question"),
    ]


def test_standard_input(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", io.StringIO("the disk hung"))
    assert readings(cli("assert", "-", "--pattern", "disk", "--format", "jsonl").out) == [
        (1, "the disk hung", True, False, False, None)
    ]


def test_unless(cli: Cli) -> None:
    result = cli("assert", "maybe the disk hung", "--pattern", "disk", "--unless", "maybe", "--format", "jsonl")
    assert readings(result.out)[0][-1] == "unless"


def test_nothing_found(cli: Cli) -> None:
    result = cli("assert", "all is well", "--pattern", "disk")
    assert result.code == 0
    assert "no pattern is found in any clause" in result.out


def test_without_a_registry_the_pack_that_ships_is_used(cli: Cli) -> None:
    result = cli("assert", "the disk hung", "--pattern", "disk hung", "--format", "jsonl", registry=False)
    assert result.code == 0, result.err
    assert readings(result.out)[0][1] == "the disk hung"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["x"], "say what to look for", id="no-pattern"),
        pytest.param(["x", "--pattern", "("], "unclosed group", id="no-regex"),
        pytest.param(["x", "--concept", "disk_hung"], "nearest: disk_hang", id="concept"),
        pytest.param(["x", "--pattern", "x", "--case", "disk-hung"], "nearest: disk-hang", id="case"),
        pytest.param(["@nowhere.md", "--pattern", "x"], "No such file", id="file"),
    ],
)
def test_wrong_input(cli: Cli, arguments: list[str], message: str) -> None:
    result = cli("assert", *arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
