"""`report`, and `--junit-xml` and `--github` of the commands that judge."""

from __future__ import annotations

import shutil
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

from tests.cli.conftest import Cli

LATER = "2025-03-05-nightly"
EARLIER = "2025-03-04-nightly"


@pytest.fixture(scope="module")
def history(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history of the small world; no test may change it."""
    from judge_polars.chronicle import judge_files
    from judge_polars.registry import load_registry

    place = tmp_path_factory.mktemp("history") / "kept"
    judge_files([world / "runs"], load_registry(world / "registry").compile(), place)
    return place


def test_the_latest_eval_run_of_runs(cli: Cli) -> None:
    result = cli("report", LATER, "RUNS", "-o", "r.html", "-o", "r.md")
    assert result.code == 0, result.err
    assert result.out == ""
    assert "gate FAILED (regression: 2 of 2 cases regressed or missing" in result.err
    html, markdown = Path("r.html").read_text("utf-8"), Path("r.md").read_text("utf-8")
    for content in (html, markdown):
        assert f"Eval run {LATER}" in content
        assert "▼ regressed" in content
    assert markdown.index("## Result") < markdown.index("## Regressions") < markdown.index("## Case runs")


def test_from_the_history(cli: Cli, history: Path) -> None:
    first = cli("report", "--history-dir", str(history), "-o", "a.html")
    assert first.code == 0, first.err
    cli("report", LATER, "--history-dir", str(history), "-o", "b.html")
    once, again = Path("a.html").read_bytes(), Path("b.html").read_bytes()
    assert once == again
    assert b"output line 1" in once
    assert f"judge-polars report {LATER}".encode() in once


def test_markdown_goes_to_standard_output(cli: Cli, history: Path) -> None:
    result = cli("report", EARLIER, "--history-dir", str(history), "--excerpts", "0")
    assert result.code == 0
    assert result.out.startswith(f"# Eval run {EARLIER}\n")
    assert "gate passed" in result.out


def test_against_another_eval_run(cli: Cli, history: Path) -> None:
    result = cli("report", LATER, "--against", EARLIER, "--history-dir", str(history), "--excerpts", "0")
    assert f"{LATER} against {EARLIER}" in result.out.replace("\\", "")


def test_a_changed_case_has_no_excerpts(cli: Cli, history: Path, world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "registry", tmp_path / "registry")
    judge = tmp_path / "registry/cases/disk-hang/judge.yaml"
    judge.write_text(judge.read_text("utf-8").replace("threshold: 0.95", "threshold: 0.96"), encoding="utf-8")
    result = cli("report", LATER, "--history-dir", str(history), "--registry", "registry", registry=False)
    assert result.code == 0, result.err
    assert "No excerpts: the case or the bundle has changed since this verdict" in result.out


@pytest.mark.parametrize(
    ("selection", "told", "kept"),
    [
        (["--verdict", "invalid"], {"lock-wait"}, True),
        (["--case", "disk-*"], {"disk-hang"}, True),
        (["--tag", "zh"], {"disk-hang"}, True),
        (["--where", "trial = 1 and verdict = 'fail'"], {"disk-hang"}, True),
        (["--where", "trial = 1 and verdict = 'fail'"], {"disk-hang"}, False),
        (["--eval-run", "*04*"], {"disk-hang", "lock-wait"}, False),
    ],
)
def test_selection(cli: Cli, history: Path, world: Path, selection: list[str], told: set[str], kept: bool) -> None:
    where = ["--history-dir", str(history)] if kept else [f"{world}/runs/"]
    result = cli("report", *where, "--excerpts", "0", *selection)
    assert result.code == 0, result.err
    found = {line.removeprefix("#### ").split(",")[0] for line in result.out.splitlines() if line.startswith("#### ")}
    assert found == told


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (
            ["2025-03-05-nightl", "RUNS"],
            2,
            "there is no judged eval run 2025-03-05-nightl; nearest: 2025-03-05-nightly",
        ),
        ([LATER, "RUNS", "-o", "r.pdf"], 2, "the suffix says no format"),
        ([LATER, "RUNS", "-o", "nowhere/r.html"], 2, "there is no directory nowhere"),
        ([LATER, "RUNS", "--format", "pdf"], 2, "--format pdf: one of html, markdown"),
        ([LATER, "RUNS", "--where", "trial = 9"], 5, "is selected"),
        ([LATER], 2, "history"),
        ([LATER, "RUNS", "--excerpts", "0", "--fail-on", "fail", "-q"], 1, ""),
        ([EARLIER, "RUNS", "--excerpts", "0", "--fail-on", "fail", "-q"], 0, ""),
    ],
)
def test_exit_codes(cli: Cli, arguments: list[str], code: int, words: str) -> None:
    result = cli("report", *arguments)
    assert result.code == code, result.err
    assert words in result.err


def test_a_missing_extra_is_told(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jinja2", None)
    monkeypatch.setitem(sys.modules, "junitparser", None)
    for arguments in (("report", LATER, "RUNS", "-o", "r.html"), ("judge", "RUNS", "--junit-xml", "j.xml")):
        result = cli(*arguments)
        assert result.code == 4
        assert "pip install 'judge-polars[report]'" in result.err


def test_judge_tells_ci(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    Path("summary.md").write_text("before\n", encoding="utf-8")
    result = cli("judge", "RUNS", "--no-history", "--format", "csv", "--junit-xml", "j.xml", "--github")
    assert result.code == 0, result.err
    assert result.out.startswith("case_run_id,")
    assert result.err.count("\n::error ") + result.err.count("\n::warning ") == 6
    assert Path("summary.md").read_text("utf-8").startswith("before\n## ✓ judge-polars: 2 eval runs")
    root = ET.parse("j.xml").getroot()
    assert (root.attrib["tests"], root.attrib["failures"], root.attrib["errors"]) == ("8", "2", "2")


def test_diff_tells_ci(cli: Cli) -> None:
    result = cli("diff", LATER, "RUNS", "--junit-xml", "j.xml", "--github", "--format", "json")
    assert result.code == 1
    assert "::error title=▼ regressed::disk-hang" in result.err
    assert "GITHUB_STEP_SUMMARY names no file" in result.err
    assert [suite.attrib["name"] for suite in ET.parse("j.xml").getroot()] == [LATER]


@pytest.mark.parametrize("what_if", [True, False])
def test_rejudge_tells_ci(cli: Cli, history: Path, what_if: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "summary.md")
    shutil.copytree(history, "kept")
    options = ["--what-if"] if what_if else []
    result = cli("rejudge", *options, "--history-dir", "kept", "--junit-xml", "j.xml", "--github")
    assert result.code == 0, result.err
    assert ET.parse("j.xml").getroot().attrib["tests"] == "8"
    assert "▼ regressed" in Path("summary.md").read_text("utf-8")


def test_a_file_that_cannot_be_written_is_told_first(cli: Cli) -> None:
    result = cli("judge", "RUNS", "--junit-xml", "nowhere/j.xml")
    assert result.code == 2
    assert "--junit-xml nowhere/j.xml: there is no directory nowhere" in result.err


def test_a_case_that_the_registry_lacks_has_no_excerpts(cli: Cli, history: Path, world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "registry", tmp_path / "registry")
    shutil.rmtree(tmp_path / "registry/cases/disk-hang")
    shutil.rmtree(tmp_path / "registry/baselines")
    suite = tmp_path / "registry/suites/daily.yaml"
    suite.write_text(suite.read_text("utf-8").replace("[disk-hang, lock-wait]", "[lock-wait]"), encoding="utf-8")
    result = cli("report", LATER, "--history-dir", str(history), "--registry", "registry", registry=False)
    assert result.code == 0, result.err
    assert "No excerpts: the registry does not know the case." in result.out
    assert "of at most" not in result.out
