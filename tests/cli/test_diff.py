"""`diff`: an eval run beside its baseline or another eval run."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Cli, matches_snapshot

LATER = "2025-03-05-nightly"
EARLIER = "2025-03-04-nightly"


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize("against", ["", EARLIER])
def test_table(cli: Cli, world: Path, width: int, against: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = cli("diff", LATER, "RUNS", *(["--against", against] if against else []))
    assert result.code == 1, result.err
    assert matches_snapshot(result.out, f"diff_{'against' if against else 'baseline'}_{width}.txt", world)
    assert max(map(cell_len, result.out.splitlines())) <= width


@pytest.mark.parametrize(
    ("output_format", "suffix"), [("json", "json"), ("jsonl", "jsonl"), ("csv", "csv"), ("markdown", "md")]
)
def test_format(cli: Cli, world: Path, output_format: str, suffix: str) -> None:
    result = cli("diff", LATER, "RUNS", "--format", output_format)
    assert matches_snapshot(result.out, f"diff.{suffix}", world)


def test_formats_agree(cli: Cli) -> None:
    whole = json.loads(cli("diff", LATER, "RUNS", "--format", "json").out)
    lines = [json.loads(line) for line in cli("diff", LATER, "RUNS", "--format", "jsonl").out.splitlines()]
    rows = list(csv.DictReader(io.StringIO(cli("diff", LATER, "RUNS", "--format", "csv").out)))
    told = {row["case_id"]: row["change"] for row in whole["cases"]}
    assert told == {"disk-hang": "regressed", "lock-wait": "regressed"}
    assert {line["case_id"]: line["change"] for line in lines} == told
    assert {row["case_id"]: row["change"] for row in rows} == told
    assert whole["gate"]["met"] is True


def test_files_are_written_in_the_format_of_their_suffix(cli: Cli) -> None:
    result = cli("diff", LATER, "RUNS", "-o", "d.json", "-o", "d.md", "--format", "csv")
    assert json.loads(Path("d.json").read_text())["eval_run_id"] == LATER
    assert Path("d.md").read_text().startswith(f"## {LATER} against the baseline")
    assert "gate FAILED" in result.err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ([LATER], 1),
        ([LATER, "--baseline"], 1),
        ([LATER, "--fail-on", "never"], 0),
        ([EARLIER], 0),
        ([EARLIER, "--fail-on", "regression", "--fail-on", "invalid"], 0),
        ([LATER, "--fail-on", "invalid-rate:0.5"], 0),
        ([LATER, "--fail-on", "invalid-rate:0.4"], 1),
        ([EARLIER, "--against", LATER], 0),
    ],
)
def test_exit_code(cli: Cli, arguments: list[str], code: int) -> None:
    result = cli("diff", *arguments[:1], "RUNS", *arguments[1:])
    assert result.code == code, result.err
    assert re.search(r"gate (passed|FAILED) \(", result.out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["2025-03-09-nightly"], "there is no eval run 2025-03-09-nightly; nearest: "),
        ([LATER, "--against", LATER], "that is the eval run itself"),
        ([LATER, "--against", "nothing"], "there is no eval run nothing"),
        ([LATER, "--baseline", "--against", EARLIER], "say one of them"),
        ([LATER, "--fail-on", "sometimes"], "--fail-on sometimes: unknown"),
        ([LATER, "--format", "xml"], "--format xml: one of"),
    ],
)
def test_wrong_usage(cli: Cli, arguments: list[str], message: str) -> None:
    result = cli("diff", *arguments[:1], "RUNS", *arguments[1:])
    assert (result.code, result.out) == (2, "")
    assert message in result.err


def test_an_old_baseline_and_another_rubric_are_told(cli: Cli) -> None:
    result = cli("diff", LATER, "RUNS", "--max-age-days", "0")
    assert "is 1 day, 1 eval run old, more than 0 days; promote a newer eval run" in result.err
    assert "the rubric of 2 cases has changed since" in result.err
    assert "more than" not in cli("diff", LATER, "RUNS").err
    assert cli("diff", LATER, "RUNS", "-q").err == ""


def test_from_the_history_it_is_the_same(cli: Cli) -> None:
    named = cli("diff", LATER, "RUNS", "--format", "jsonl")
    without = cli("diff", LATER, "--history-dir", "h")
    assert (without.code, without.out) == (2, "")
    assert "there is no history yet" in without.err
    assert cli("judge", "RUNS", "--history-dir", "h", "-q").code == 0
    kept = cli("diff", LATER, "--history-dir", "h", "--format", "jsonl")
    assert (kept.code, kept.out) == (named.code, named.out)
    assert kept.err.splitlines()[-1] == named.err.splitlines()[-1]
