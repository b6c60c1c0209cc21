"""`list` and `show`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Cli, matches_snapshot


@pytest.mark.parametrize("what", ["", "suites", "cases", "baselines", "checks", "runs"])
@pytest.mark.parametrize("width", [80, 200])
def test_list_as_a_table(cli: Cli, world: Path, what: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = cli("list", *filter(None, [what, "RUNS" if what == "runs" else ""]))
    assert result.code == 0, result.err
    assert matches_snapshot(result.out, f"list_{what or 'all'}_{width}.txt", world)
    assert max(map(cell_len, result.out.splitlines())) <= width


@pytest.mark.parametrize(
    ("output_format", "suffix"), [("json", "json"), ("jsonl", "jsonl"), ("csv", "csv"), ("markdown", "md")]
)
def test_list_in_a_format(cli: Cli, world: Path, output_format: str, suffix: str) -> None:
    result = cli("list", "cases", "--format", output_format)
    assert matches_snapshot(result.out, f"list_cases.{suffix}", world)


def test_selection_of_a_list(cli: Cli) -> None:
    rows = json.loads(cli("list", "checks", "--tag", "transactions", "--format", "json").out)
    assert {row["case"] for row in rows} == {"lock-wait"}
    assert cli("list", "cases", "--case", "nothing").code == 5
    assert cli("list", "suites", "--suite", "daily").code == 0


@pytest.mark.parametrize("name", ["disk-hang", "daily", "2025-03-03-nightly"])
def test_show(cli: Cli, world: Path, name: str) -> None:
    assert matches_snapshot(cli("show", name).out, f"show_{name}.txt", world)


def test_show_an_eval_run(cli: Cli, world: Path) -> None:
    assert matches_snapshot(cli("show", "2025-03-05-nightly", "RUNS").out, "show_eval_run.txt", world)


def test_show_as_json(cli: Cli) -> None:
    [record] = json.loads(cli("show", "disk-hang", "--format", "json").out)
    assert record["window"] == ["2025-03-04T09:00:00Z", "2025-03-04T09:45:00Z"]
    assert record["checks"][0] == {
        "bucket": "contract",
        "check": "time_window_match",
        "kind": "required",
        "weight": 1.0,
        "need": 1,
        "rules": ["{fact: window.matched_allowed_window}"],
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["list", "case"], "one of suites, cases, runs", id="kind"),
        pytest.param(["list", "runs"], "there is no history yet", id="runs-without-a-history"),
        pytest.param(["list", "runs", "nowhere"], "no such directory", id="runs-nowhere"),
        pytest.param(["show", "disc-hang"], "nearest: disk-hang", id="show-unknown"),
        pytest.param(["show", "disk-hang", "--format", "csv"], "one of table, json", id="show-format"),
    ],
)
def test_wrong_input(cli: Cli, arguments: list[str], message: str) -> None:
    result = cli(*arguments)
    assert (result.code, result.out) == (2, "")
    assert message in result.err
