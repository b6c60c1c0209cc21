"""Nothing that an agent or a provider wrote is more than text, in whatever a command prints or writes."""

from __future__ import annotations

import csv
import io
import json
import re
import sys
import xml.etree.ElementTree as ET
from pathlib import Path

import polars as pl
import pytest

from judge_polars.printable import for_terminal
from tests.security.conftest import Cli
from tests.security.scene import (
    EARLIER,
    EVIL_RUN,
    HOSTILE_ID,
    LONG,
    Elements,
    elements_of,
    formulas,
    steers_a_terminal,
    unescaped_markup,
    write_another_rubric,
    write_hostile_world,
)

OURS = frozenset(
    re.findall(
        r"\w+",
        """
    html head meta title style body main header nav section h1 h2 h3 h4 h5 p a ul li dl dt dd table caption thead tbody tr th td
    details summary q span div strong br figure figcaption svg desc circle line polyline rect text
""",
    )
)
"""Elements of the report's template; what is not here is not ours."""
COMMANDS = {
    "judge": ("judge", "runs", "--no-history", "-v"),
    "explain a fail": ("explain", HOSTILE_ID, "-v"),
    "explain an invalid": ("explain", f"{EVIL_RUN}/lock-wait/1", "-v"),
    "diff": ("diff", EVIL_RUN, "--against", EARLIER),
    "diff with the baseline": ("diff", EVIL_RUN),
    "list runs on disk": ("list", "runs", "runs"),
    "list runs of the history": ("list", "runs"),
    "show": ("show", EVIL_RUN, "runs"),
    "what if": ("rejudge", "--what-if", "--excerpts", "--registry", "another", "-v"),
    "baseline list": ("baseline", "list"),
    "baseline show": ("baseline", "show", "daily"),
    "semantic run": ("semantic", "run", "-v"),
    "sql on answers": ("sql", "from semantic_results"),
    "sql on failures": ("sql", "from failures"),
    "sql on issues": ("sql", "from issues"),
    "sql with names out of data": ("sql", "pivot issues on detail using count(*)"),
    "history info": ("history", "info"),
}
REFUSED = {
    "no such case run": ("explain", f"{EVIL_RUN}/nope/1", "-v"),
    "no such eval run": ("diff", f"{EVIL_RUN}x", "-v"),
    "no such eval run to report": ("report", f"{EVIL_RUN}x", "-v"),
    "nothing of that name": ("show", f"{EVIL_RUN}x", "runs", "-v"),
    "not to be promoted": ("baseline", "promote", EVIL_RUN, "-v"),
    "a condition": ("judge", "runs", "--where", "agent_name = '\x1b[31m", "-v"),
    "a query": ("sql", "from nothing where '\x1b[31m'", "-v"),
    "a suffix": ("judge", "runs", "-o", "\x1b[31m.xyz"),
    "an option": ("judge", "runs", "--format", "\x1b[31m"),
}


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The hostile world, judged into a history, asked about, and with another rubric in the registry."""
    from judge_polars.cli.app import run

    root = write_hostile_world(tmp_path_factory.mktemp("hostile"))
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        assert run(["judge", "runs", "-q", "--registry", "registry", "--history-dir", ".judge_polars"]) == 0
        assert run(["semantic", "run", "-q", "--registry", "registry", "--history-dir", ".judge_polars"]) == 0
        write_another_rubric(root)
    return root


def shown_by(cli: Cli, world: Path, command: tuple[str, ...], files: Path) -> dict[str, str]:
    """What a command shows in every format that it has for people: to a file too, or `sql` to standard output again."""
    more = {"csv": files / "x.csv", "markdown": files / "x.md"}
    given = [part for path in more.values() for part in ("-o", str(path))]
    told = cli(world, *command, *given)
    if told.code == 2:  # no -o, or no such format
        told = cli(world, *command)
        more = {}
    assert told.code in (0, 1), told.err
    shown = {"table": told.out, "talk": told.err} | {name: path.read_text("utf-8") for name, path in more.items()}
    if command[0] == "sql":
        shown |= {name: cli(world, *command, "--format", name).out for name in ("csv", "markdown")}
    return shown


@pytest.mark.parametrize("name", COMMANDS)
def test_what_commands_print_is_text(cli: Cli, world: Path, tmp_path: Path, name: str) -> None:
    shown = shown_by(cli, world, COMMANDS[name], tmp_path)
    assert shown["table"]
    for content in shown.values():
        assert not steers_a_terminal(content)
        assert not [line for line in content.split("\n") if line.lstrip().startswith("::")]
    if "markdown" in shown:
        assert not unescaped_markup(shown["markdown"])
    if "csv" in shown:
        rows = list(csv.reader(io.StringIO(shown["csv"], newline="")))
        assert len(rows) == shown["csv"].count("\n")
        assert not formulas([cell for row in rows for cell in row])


@pytest.mark.parametrize("name", REFUSED)
def test_errors_are_text(cli: Cli, world: Path, name: str) -> None:
    told = cli(world, *REFUSED[name])
    assert told.code == 2
    assert told.err
    assert not steers_a_terminal(told.err)
    assert not [line for line in told.err.split("\n") if line.lstrip().startswith("::")]


@pytest.mark.parametrize("table", ["verdicts", "check_results", "facts"])
def test_exports_are_text(cli: Cli, world: Path, tmp_path: Path, table: str) -> None:
    for suffix in ("csv", "jsonl", "parquet"):
        told = cli(world, "export", table, "-o", str(tmp_path / f"x.{suffix}"))
        assert told.code == 0, told.err
        assert not steers_a_terminal(told.err)
    content = (tmp_path / "x.csv").read_text("utf-8")
    rows = list(csv.reader(io.StringIO(content, newline="")))
    assert not steers_a_terminal(content)
    assert not formulas([cell for row in rows for cell in row])
    lines = [json.loads(line) for line in (tmp_path / "x.jsonl").read_text("utf-8").split("\n") if line]
    assert len(lines) == len(rows) - 1 == pl.read_parquet(tmp_path / "x.parquet").height > 0


def test_a_report_holds_only_elements_of_its_own(cli: Cli, world: Path, tmp_path: Path) -> None:
    told = cli(
        world, "report", EVIL_RUN, "--against", EARLIER, "-o", str(tmp_path / "r.html"), "-o", str(tmp_path / "r.md")
    )
    assert told.code in (0, 1), told.err
    assert not steers_a_terminal(told.err)
    content = (tmp_path / "r.html").read_text("utf-8")
    page = elements_of(content)
    assert "owned(1)" in "".join(page.text)
    assert_ours(page)
    assert not steers_a_terminal(content)
    markdown = (tmp_path / "r.md").read_text("utf-8")
    assert "owned" in markdown
    assert not unescaped_markup(markdown)
    assert not steers_a_terminal(markdown)


def assert_ours(page: Elements) -> None:
    """No element, attribute or target that is not the template's."""
    assert not page.tags - OURS
    assert not [name for name in page.attributes if name.startswith(("on", "src", "xlink", "form"))]
    assert all(target.startswith("#") for target in page.targets)
    assert not page.odd


def test_what_ci_is_told_is_text(cli: Cli, world: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    summary, junit = tmp_path / "summary.md", tmp_path / "junit.xml"
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(summary))
    told = cli(world, "judge", "runs", "--no-history", "--github", "--junit-xml", str(junit))
    assert told.code == 0, told.err
    annotations = [line for line in told.err.split("\n") if line.lstrip().startswith("::")]
    assert 0 < len(annotations) <= 10
    for line in annotations:
        assert re.fullmatch(r"::(error|warning|notice) title=[^:,]*::.*", line)
        assert "::" not in line.split("::", 2)[2]
    assert not steers_a_terminal(told.err)
    content = summary.read_text("utf-8")
    assert not unescaped_markup(content)
    assert not steers_a_terminal(content)
    cases = list(ET.fromstring(junit.read_bytes()).iter("testcase"))
    assert len(cases) >= 4
    assert not steers_a_terminal(junit.read_text("utf-8"))


def test_notebooks_show_text(world: Path) -> None:
    pytest.importorskip("altair")
    import judge_polars as jp
    from judge_polars.charts.look import data
    from judge_polars.charts.tables import table

    registry = jp.load_registry(world / "registry")
    with jp.open_history(world / ".judge_polars") as history:
        for view in ("failures", "semantic_results", "issues", "case_runs"):
            frame = history.sql(f"from {view}")
            shown = table(frame)._repr_html_()
            page = elements_of(shown)
            assert page.tags <= {"div", "table", "thead", "tbody", "tr", "th", "td", "p"}
            assert not [name for name in page.attributes if name.startswith("on")]
            assert not steers_a_terminal(shown)
            texts = frame.select(pl.col(pl.String))
            assert not steers_a_terminal(json.dumps(data(texts).to_dict(), ensure_ascii=False))
    judgment = jp.judge(world / "runs", registry)
    for case_run_id in judgment.verdicts["case_run_id"]:
        shown = jp.explain(judgment, case_run_id)._repr_html_()
        assert elements_of(shown).tags <= {"div", "h3", "h4", "q"}
        assert elements_of(shown).attributes <= {"style"}
        assert not steers_a_terminal(shown)


def test_a_terminal_obeys_nothing_of_json(cli: Cli, world: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    plain = cli(world, "judge", "runs", "--no-history", "--format", "jsonl", "--facts", "--issues").out
    assert steers_a_terminal(plain)
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True, raising=False)
    shown = cli(world, "judge", "runs", "--no-history", "--format", "jsonl", "--facts", "--issues").out
    assert not steers_a_terminal(shown)
    assert [json.loads(line) for line in shown.split("\n") if line] == [
        json.loads(line) for line in plain.split("\n") if line
    ]


def test_a_terminal_keeps_colours_lines_and_tabs() -> None:
    assert for_terminal("\x1b[1;32mok\x1b[0m\n\tx") == "\x1b[1;32mok\x1b[0m\n\tx"
    assert for_terminal("\x1b[2Jx\x1b]0;y\x07\x9b1m\r\x7f\u202e") == "␛[2Jx␛]0;y␇\\u009b1m␍␡\\u202e"


def test_lines_of_a_megabyte_stay_short(cli: Cli, tmp_path: Path) -> None:
    place = write_hostile_world(tmp_path, long=LONG)
    for command in (("explain", HOSTILE_ID, "runs", "-v"), ("report", EVIL_RUN, "runs", "--format", "markdown")):
        told = cli(place, *command)
        assert 0 < len(told.out) < 200_000, told.err
