"""Text that an agent wrote can neither steer a terminal nor break out of a format."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path

import pytest

from tests.cli.conftest import Cli
from tests.cli.world import bundle, record, write_world

ESCAPE = "\x1b]0;owned\x07\x1b[31m"
TURNED = "\u202e"
EVIL_RUN = "=cmd|x [red]:warning: 磁盘\u202e"
CONTROL = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\u200b]")


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Case runs whose ids, records, documents and references are hostile."""
    root = tmp_path_factory.mktemp("hostile")
    files = bundle("1002", patch=[{"id": f"{ESCAPE}<b>|x", "key_evidence": [f"metric:{ESCAPE}|<script>"]}])
    files["audit/logs/[bold]\x1b[2J.log"] = f"{ESCAPE} write stall {TURNED}\n"
    files["audit/evidence/broken.json"] = "{" + ESCAPE
    files["output.md"] = f"The root cause: {ESCAPE} <img src=x onerror=alert(1)> | `lock wait` {TURNED}\n"
    agent = {"name": f"=HYPERLINK({ESCAPE}", "version": "[/]", "model": "::error::x\n"}
    files["case_run.json"] = record(agent=agent, status=f"{ESCAPE}[link=x]", stop_reason="\nsecond line")
    write_world(
        root, {f"{EVIL_RUN}/lock-wait/1": files, f"{EVIL_RUN}/{ESCAPE}/1": files, f"{EVIL_RUN}/disk-hang/1": files}
    )
    return root / "runs"


def the_id(cli: Cli, runs: Path, case: str) -> str:
    """The id of a hostile case run, as it is told."""
    records = map(json.loads, cli("judge", str(runs), "--format", "jsonl").out.splitlines())
    return next(str(one["case_run_id"]) for one in records if one["case_id"] == case)


@pytest.mark.parametrize("output_format", ["table", "markdown"])
def test_no_control_character_reaches_the_terminal(cli: Cli, runs: Path, output_format: str) -> None:
    result = cli("judge", str(runs), "--format", output_format)
    assert result.code == 0, result.err
    assert not CONTROL.search(result.out)
    assert not CONTROL.search(result.err)
    assert "[red]:warning:" in result.out.replace("\\", "")


@pytest.mark.parametrize("case", ["lock-wait", "disk-hang"])
@pytest.mark.parametrize("output_format", ["table", "markdown"])
@pytest.mark.parametrize("verbose", [[], ["-v"]])
def test_explanations_are_printable(cli: Cli, runs: Path, output_format: str, case: str, verbose: list[str]) -> None:
    result = cli("explain", the_id(cli, runs, case), str(runs), "--format", output_format, *verbose)
    assert result.code == 0, result.err
    assert not CONTROL.search(result.out)
    if output_format == "markdown":
        assert not re.search(r"(?<!\\)<", result.out)


def test_explanations_are_escaped_in_notebooks(cli: Cli, runs: Path, world: Path) -> None:
    import judge_polars as jp

    judgment = jp.judge(runs, jp.load_registry(world / "registry"))
    for case_run_id in judgment.verdicts["case_run_id"]:
        shown = jp.explain(judgment, case_run_id)._repr_html_()
        assert set(re.findall(r"</?(\w+)", shown)) <= {"div", "h3", "h4", "q"}
        assert not CONTROL.search(shown)


def test_no_cell_of_a_csv_is_a_formula(cli: Cli, runs: Path) -> None:
    rows = list(csv.DictReader(io.StringIO(cli("judge", str(runs), "--format", "csv").out)))
    assert rows
    cells = [cell for row in rows for cell in row.values()]
    assert not [cell for cell in cells if re.match(r"[=+@\t\r]|-(?!\d)", cell)]
    assert all(row["eval_run_id"].startswith("'=cmd") for row in rows)


def test_json_keeps_what_was_there(cli: Cli, runs: Path) -> None:
    lines = cli("judge", str(runs), "--format", "jsonl", "--facts", "--issues").out.splitlines()
    assert {json.loads(line)["case_id"] for line in lines} == {"lock-wait", "disk-hang"}


def test_lists_are_printable(cli: Cli, runs: Path) -> None:
    for output_format in ("table", "markdown"):
        result = cli("list", "runs", str(runs), "--format", output_format)
        assert result.code == 0, result.err
        assert not CONTROL.search(result.out)


def test_assertions_are_printable(cli: Cli) -> None:
    result = cli("assert", f"the root cause: {ESCAPE}{TURNED} lock wait", "--concept", "lock_wait")
    assert "claimed" in result.out
    assert not CONTROL.search(result.out)


def test_a_wrong_id_is_printable(cli: Cli, runs: Path) -> None:
    result = cli("explain", f"{ESCAPE}/x/1", str(runs))
    assert result.code == 2
    assert not CONTROL.search(result.err)


EVIL_ARGUMENT = f"a\n::error::b{ESCAPE}{TURNED}"
TOLD_AGAIN = {
    "a revision": ("rejudge", "--registry-rev"),
    "a name": ("show",),
    "a case run": ("explain",),
    "runs": ("judge",),
    "an eval run": ("diff",),
    "a suite": ("judge", "RUNS", "--suite"),
    "a condition of CI": ("judge", "RUNS", "--fail-on"),
    "a condition": ("judge", "RUNS", "--where"),
    "a format": ("judge", "RUNS", "--format"),
    "a file": ("judge", "RUNS", "-o"),
    "an engine": ("judge", "RUNS", "--engine"),
    "a number": ("judge", "RUNS", "--jobs"),
    "a kind": ("list",),
    "a table": ("export",),
    "a baseline": ("baseline", "show"),
    "a notebook": ("notebook", "open"),
    "a history": ("history", "info", "--history-dir"),
    "schemas": ("schema", "check", "--dir"),
    "an argument": ("validate",),
    "an option": ("judge", "RUNS", "--no-history", "--no-such"),
    "a command": (),
}


@pytest.mark.parametrize("what", TOLD_AGAIN)
def test_what_was_typed_is_told_again_in_one_line(cli: Cli, what: str) -> None:
    command = TOLD_AGAIN[what]
    typed = (*command[:-1], f"{command[-1]}{EVIL_ARGUMENT}") if what == "an option" else (*command, EVIL_ARGUMENT)
    result = cli(*typed, registry=command[:1] in (("judge",), ("rejudge",), ("diff",)))
    assert result.code == 2, result
    assert not CONTROL.search(result.err)
    assert not re.search(r"^ *(::|b)", result.err, re.MULTILINE)


def test_a_query_is_told_again_in_one_line(cli: Cli) -> None:
    assert cli("judge", "RUNS", history=True).code == 0
    result = cli("sql", f"select 1 {EVIL_ARGUMENT}", registry=False)
    assert result.code == 2
    assert result.err.splitlines()[-1].startswith("query: select 1 a⏎::error::b␛")
    assert not CONTROL.search(result.err)
