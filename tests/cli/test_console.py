"""Widths, colours, progress, and tables of many case runs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.cells import cell_len
from rich.text import Text

from judge_polars.cli import verdict_table
from judge_polars.cli.console import JudgingProgress, Talk, is_colored, rendered, terminal_width
from judge_polars.cli.rows_table import plain_table
from tests.cli.conftest import Cli, matches_snapshot


class Terminal(io.StringIO):
    """A stream that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize(
    ("option", "variables", "terminal", "colored"),
    [
        pytest.param("auto", {}, True, True, id="terminal"),
        pytest.param("auto", {}, False, False, id="pipe"),
        pytest.param("auto", {"NO_COLOR": "1"}, True, False, id="no-color"),
        pytest.param("auto", {"FORCE_COLOR": "1"}, False, True, id="force-color"),
        pytest.param("auto", {"NO_COLOR": "1", "FORCE_COLOR": "1"}, True, False, id="no-color-wins"),
        pytest.param("auto", {"TERM": "dumb"}, True, False, id="dumb-terminal"),
        pytest.param("always", {"NO_COLOR": "1"}, False, True, id="option-always"),
        pytest.param("never", {"FORCE_COLOR": "1"}, True, False, id="option-never"),
    ],
)
def test_colours(
    option: str, variables: dict[str, str], terminal: bool, colored: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm")
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert is_colored(option, Terminal() if terminal else io.StringIO()) == colored


@pytest.mark.parametrize(("columns", "width"), [("80", 80), ("10", 40), ("9" * 20, 10_000)])
def test_width(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert terminal_width() == width


def test_wide_characters_stay_aligned() -> None:
    table = plain_table("case", "verdict", "why", header=False)
    for case in ("磁盘卡住", "disk", "e\u0301tat"):
        table.add_row(Text(case), Text("✓ pass"), Text("because"))
    lines = rendered(table, width=60).decode().splitlines()
    assert len({cell_len(line[: line.index("✓")]) for line in lines}) == 1
    assert len({cell_len(line[: line.index("because")]) for line in lines}) == 1


def test_progress_is_a_line_every_ten_seconds(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter([0.0, 4.0, 10.0, 10.0, 10.0, 12.0, 21.0, 21.0, 21.0])
    with JudgingProgress(Talk(), clock=lambda: next(seconds)) as progress:
        for done in (100, 250, 300, 525):
            progress(done, 1000)
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "judged 250 of 1,000 case runs, 25 a second, about 30 s left",
        "judged 525 of 1,000 case runs, 25 a second, about 19 s left",
    ]


def test_progress_is_silent_when_asked(capsys: pytest.CaptureFixture[str]) -> None:
    seconds = iter(range(0, 1000, 100))
    with JudgingProgress(Talk(quiet=True), clock=lambda: float(next(seconds))) as progress:
        progress(1, 2)
    assert capsys.readouterr().err == ""


def test_progress_is_a_bar_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr("sys.stderr", terminal)
    monkeypatch.setenv("TERM", "xterm")
    with JudgingProgress(Talk(color="never")) as progress:
        progress(1, 2)
        progress(2, 2)
    assert "judging" in terminal.getvalue()
    assert "2/2" in terminal.getvalue()


@pytest.mark.parametrize("width", [80, 200])
def test_a_row_per_case_for_many_case_runs(cli: Cli, world: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    monkeypatch.setattr(verdict_table, "MOST_ROWS", 6)
    result = cli("judge", "RUNS")
    assert matches_snapshot(result.out, f"judge_cases_{width}.txt", world)
    assert max(map(cell_len, result.out.splitlines())) <= width


def test_a_row_per_eval_run_for_very_many_cases(cli: Cli, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(verdict_table, "MOST_ROWS", 3)
    assert matches_snapshot(cli("judge", "RUNS").out, "judge_eval_runs.txt", world)
