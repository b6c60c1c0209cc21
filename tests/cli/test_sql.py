"""`sql`: whatever a query gives, memory stays flat, and what is left out is told."""

from __future__ import annotations

import csv
import io
import json
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judge_polars.cli.querying import MOST_COUNTED, MOST_OF_A_CELL, MOST_SHOWN
from judge_polars.history import bridge
from judge_polars.history.store import open_history
from judge_polars.history.streaming import ROWS_AT_ONCE
from tests.cli.conftest import Cli
from tests.cli.test_process import environment

ENDLESS = "from range(1000000000000)"
MANY = 2 * ROWS_AT_ONCE + 5
WITHOUT_FRAME = {
    "interval 1 day": "1 day",
    "[interval 1 day]": "[1 day]",
    "union_value(a := 1)": "1",
    "'101'::bit": "101",
    "timetz '10:00:00+02'": "10:00:00+02",
    "340282366920938463463374607431768211455::uhugeint": "340282366920938463463374607431768211455",
    "18446744073709551616::hugeint": "18446744073709551616",
}


@pytest.fixture(scope="module")
def judged(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The history of the small world."""
    from judge_polars.cli.app import run

    place = tmp_path_factory.mktemp("judged") / "history"
    assert (
        run(["judge", str(world / "runs"), "-q", "--registry", str(world / "registry"), "--history-dir", str(place)])
        == 0
    )
    return place


@pytest.fixture(autouse=True)
def _asked(judged: Path, monkeypatch: pytest.MonkeyPatch, cli: Cli) -> None:
    monkeypatch.setenv("JUDGE_POLARS_HISTORY", str(judged))


def out(cli: Cli, *arguments: str) -> str:
    """What `sql` prints."""
    told = cli("sql", *arguments, registry=False)
    assert (told.code, told.err) == (0, "")
    return told.out


@pytest.mark.parametrize(
    ("rows", "arguments", "shown", "left"),
    [
        (MOST_SHOWN, [], MOST_SHOWN, None),
        (MOST_SHOWN + 5, [], MOST_SHOWN, "5"),
        (MOST_SHOWN + MOST_COUNTED, [], MOST_SHOWN, f"{MOST_COUNTED:,}"),
        (MOST_SHOWN + MOST_COUNTED + 1, [], MOST_SHOWN, f"more than {MOST_COUNTED:,}"),
        (10**12, [], MOST_SHOWN, f"more than {MOST_COUNTED:,}"),
        (300, ["--limit", "250"], 250, "50"),
        (10**12, ["--limit", "3"], 3, f"more than {MOST_COUNTED:,}"),
    ],
)
def test_a_table_tells_how_many_rows_are_left_out(
    cli: Cli, rows: int, arguments: list[str], shown: int, left: str | None
) -> None:
    lines = out(cli, f"from range({rows})", *arguments).splitlines()
    more = [] if left is None else [f"… and {left} more rows: --limit shows more, --format csv gives all"]
    assert [line.strip() for line in lines[1:]] == [*map(str, range(shown)), *more]


@pytest.mark.parametrize("value", ["repeat('xy', 1000000 + range)", "list_resize([1], 1000000 + range, 1)"])
def test_long_cells_of_a_table_are_cut(cli: Cli, value: str) -> None:
    shown = out(cli, f"select {value} as a from range(1)")
    assert len("".join(shown.split())) <= MOST_OF_A_CELL + len("a")
    assert shown.rstrip().endswith("…")
    whole = json.loads(out(cli, f"select {value} as a from range(1)", "--format", "json"))
    assert len(whole[0]["a"]) >= 1_000_000


@pytest.mark.parametrize("rows", [0, 1, MANY])
def test_formats_of_many_batches_are_one_text(cli: Cli, rows: int) -> None:
    query = f"select range as n, 'a|' || range as t from range({rows})"
    wanted = [{"n": n, "t": f"a|{n}"} for n in range(rows)]
    assert json.loads(out(cli, query, "-f", "json")) == wanted
    assert [json.loads(line) for line in out(cli, query, "-f", "jsonl").splitlines()] == wanted
    table = out(cli, query, "-f", "csv")
    assert list(csv.DictReader(io.StringIO(table))) == [{"n": str(row["n"]), "t": row["t"]} for row in wanted]
    assert table.startswith("n,t\n")
    lines = out(cli, query, "-f", "markdown").splitlines()
    assert lines == ["| n | t |", "| --- | --- |", *(f"| {n} | a\\|{n} |" for n in range(rows))]


def test_limit_holds_for_every_format(cli: Cli) -> None:
    assert out(cli, ENDLESS, "--limit", "2", "-f", "csv") == "range\n0\n1\n"


def test_each_statement_is_answered(cli: Cli) -> None:
    assert out(cli, "select 1 as a; select 2 as b where false; select 3 as c") == "a\n1\n\nb\n(no rows)\n\nc\n3\n"
    assert out(cli, "select 1 as a; select 3 as c", "-f", "csv") == "a\n1\nc\n3\n"
    told = cli("sql", "select 1 as a; drop view verdicts", registry=False)
    assert (told.code, told.out) == (2, "a\n1\n")


@pytest.mark.parametrize("query", ["", " ; ", "/* nothing */"])
def test_a_query_without_a_statement_is_told(cli: Cli, query: str) -> None:
    told = cli("sql", query, registry=False)
    assert told.code == 2
    assert "the query is empty" in told.err


def test_columns_of_one_name_are_told_apart(cli: Cli) -> None:
    assert out(cli, "select 1 as a, 2 as a, 3 as a_1, 4 as a", "-f", "csv") == "a,a_1,a_1_1,a_2\n1,2,3,4\n"


@pytest.mark.parametrize("value", WITHOUT_FRAME)
def test_values_of_types_that_frames_lack_are_texts(cli: Cli, value: str) -> None:
    assert json.loads(out(cli, f"select {value} as a", "-f", "json")) == [{"a": WITHOUT_FRAME[value]}]


def test_a_time_that_no_calendar_has_is_told(cli: Cli) -> None:
    told = cli("sql", "select date 'infinity' as a", registry=False)
    assert told.code == 2
    assert "ask for it as text, `value::varchar`" in told.err
    assert out(cli, "select (date 'infinity')::varchar as a", "-f", "csv") == "a\ninfinity\n"


def test_a_query_that_takes_too_much_memory_is_told(cli: Cli, judged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_history(judged) as history:
        assert history.sql("select current_setting('temp_directory')").item() == ""
    monkeypatch.setattr(bridge, "READ_ONLY", {**bridge.READ_ONLY, "memory_limit": "50MB"})
    told = cli("sql", "select repeat('x', 100) || range as a from range(3000000) order by hash(range)", registry=False)
    assert told.code == 2
    assert "Out of Memory" in told.err
    assert "group before you join or sort" in told.err
    assert "SET" not in told.err


def test_a_fault_behind_the_first_rows_is_told(cli: Cli) -> None:
    query = f"select case when range = {MANY} then error('at the end') else range end as a from range({MANY} + 1)"
    told = cli("sql", query, "-f", "csv", registry=False)
    assert told.code == 2
    assert "at the end" in told.err
    assert "external error" not in told.err


def test_who_stops_early_ends_the_query(judged: Path) -> None:
    with open_history(judged) as history:
        [rows] = history.results(ENDLESS)
        assert next(rows).height > 0
        rows.close()
        assert history.sql("select 1 as a").item() == 1


def test_an_interrupt_ends_a_query_at_once(judged: Path) -> None:
    """Also while it looks for the next row and Python waits for it."""
    query = "select range from range(1000000000000) where range < 1100000 or range = 999999999999"
    command = [sys.executable, "-m", "judge_polars", "sql", query, "-f", "csv", "--history-dir", str(judged)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment()) as process:
        assert process.stdout is not None
        assert b"900000\n" in process.stdout
        process.send_signal(signal.SIGINT)
        try:
            assert process.wait(timeout=30) == -signal.SIGINT
        finally:
            process.kill()
