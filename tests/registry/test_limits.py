"""Limits of reading a registry, at the limit and beyond; those of YAML are in `test_yaml_shapes` (docs/limits.md)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from judge_polars.json_path import PathError, parse_path
from judge_polars.registry import lint_seen
from judge_polars.registry.lint_seen import FILE_BYTES, FILES, LEVELS, TOTAL_BYTES
from judge_polars.registry.values import duration_us
from tests.registry.lint_small import case, findings_in

HOURS = 100 * 366 * 24


def test_an_index_in_a_path() -> None:
    parse_path(f"$[{2**53 - 1}]")
    with pytest.raises(PathError, match="an index is at most 9007199254740991"):
        parse_path(f"$[{2**53}]")


def test_a_duration() -> None:
    assert duration_us(f"{HOURS}h") == HOURS * 3600 * 1_000_000
    assert duration_us(f"{HOURS}h1s") is None


def told(root: Path, sizes: dict[str, int]) -> list[str]:
    """What is said of workspace files that are not looked at, with files of these sizes."""
    workspace = root / "cases/slow-writes/w"
    for name, size in sizes.items():
        path = workspace / name
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("wb") as file:
            file.truncate(size)
    found = findings_in(root, {"case": case(environment="  workspace_files: w/\n")})
    return [one.message for one in found if one.code == "workspace_too_large"]


@pytest.mark.parametrize(
    ("fine", "beyond", "words"),
    [
        pytest.param({"a": FILE_BYTES}, {"a": FILE_BYTES + 1}, "only the first 1 MiB of `a`", id="a file"),
        pytest.param(
            {str(n): 0 for n in range(FILES)},
            {str(n): 0 for n in range(FILES + 1)},
            "only the first 2000 files",
            id="files",
        ),
        pytest.param(
            {str(n): FILE_BYTES for n in range(TOTAL_BYTES // FILE_BYTES)},
            {str(n): FILE_BYTES for n in range(TOTAL_BYTES // FILE_BYTES)} | {"x": 1},
            "and 16 MiB of the workspace files",
            id="in all",
        ),
        pytest.param({"d/" * LEVELS + "a": 1}, {"d/" * (LEVELS + 1) + "a": 1}, "more than 16 levels deep", id="levels"),
    ],
)
def test_workspace_files_that_are_looked_at(
    tmp_path: Path, fine: dict[str, int], beyond: dict[str, int], words: str
) -> None:
    assert told(tmp_path / "fine", fine) == []
    [message] = told(tmp_path / "beyond", beyond)
    assert words in message


def test_directories_that_are_looked_into(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_seen, "DIRECTORIES", 10)
    for name, count in (("fine", 9), ("beyond", 10)):
        for number in range(count):
            (tmp_path / name / f"cases/slow-writes/w/{number}").mkdir(parents=True)
    assert told(tmp_path / "fine", {}) == []
    [message] = told(tmp_path / "beyond", {})
    assert "in more than 10 directories, is not looked at for leaks" in message


def test_very_many_directories_are_not_walked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lint_seen, "DIRECTORIES", 10)
    monkeypatch.setattr(lint_seen, "FILES", 5)
    opened: list[Path] = []

    scandir = os.scandir

    def counted(path: Path) -> Iterator[os.DirEntry[str]]:
        opened.append(path)
        return scandir(path)

    monkeypatch.setattr("judge_polars.registry.lint_seen.os.scandir", counted)
    for number in range(40):
        (tmp_path / f"w/{number}/x").mkdir(parents=True)
    assert len(list(lint_seen._files(tmp_path / "w"))) == 6
    assert len(opened) <= 10
