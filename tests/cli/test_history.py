"""`judge`, `ingest`, `rejudge`, `sql`, `export`, `history` and what reads the history."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
from pathlib import Path

import polars as pl
import pytest

from tests.cli.conftest import Cli
from tests.cli.test_judge import VERDICTS
from tests.cli.world import bundle, record, write_world


@pytest.fixture(scope="module")
def judged(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A history of the small world, and a copy of its registry beside it; no test may change them."""
    from judge_polars.cli.app import run

    place = tmp_path_factory.mktemp("judged")
    shutil.copytree(world / "registry", place / "registry")
    history = ["--history-dir", str(place / "history")]
    assert run(["judge", str(world / "runs"), "--registry", str(place / "registry"), "-q", *history]) == 0
    return place


@pytest.fixture
def own(judged: Path, tmp_path: Path) -> Path:
    """A history of the test's own, where the command line looks for it."""
    shutil.copytree(judged / "history", tmp_path / ".judge_polars")
    return tmp_path


def rows(out: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out)))


def test_judging_twice_keeps_one_judgment(cli: Cli, own: Path) -> None:
    assert "0 new, 0 changed" in cli("judge", "RUNS", "-v", history=True).err
    told = cli("sql", "select count(*) as judgments from judgments", "--format", "csv", registry=False)
    assert told.out == "judgments\n1\n"


def test_no_history_keeps_nothing(cli: Cli, tmp_path: Path) -> None:
    assert cli("judge", "RUNS", "--no-history", "-q").code == 0
    assert not (tmp_path / ".judge_polars").exists()


def test_many_ingests_without_publishing_then_one_that_publishes(cli: Cli, world: Path, tmp_path: Path) -> None:
    eval_runs = sorted(path.name for path in (world / "runs").iterdir())
    for eval_run in eval_runs:
        assert cli("ingest", str(world / "runs" / eval_run), "--no-publish", "-q").code == 0
    assert not (tmp_path / ".judge_polars" / "history.duckdb").exists()
    told = cli("sql", "select distinct eval_run_id from case_runs order by 1", "--format", "csv", registry=False)
    assert [line["eval_run_id"] for line in rows(told.out)] == eval_runs
    assert len(eval_runs) > 1


def test_ingest_then_rejudge_without_the_runs(cli: Cli, world: Path, tmp_path: Path) -> None:
    shutil.copytree(world / "runs", tmp_path / "runs")
    first = cli("ingest", "runs")
    assert first.code == 0
    assert "0 were there as they are" in first.err
    again = cli("ingest", "runs")
    assert "0 new, 0 changed" in again.err
    shutil.rmtree(tmp_path / "runs")
    assert cli("rejudge").code == 0
    told = cli("sql", "select case_run_id, verdict from verdicts", "--format", "csv", registry=False)
    assert {row["case_run_id"]: row["verdict"] for row in rows(told.out)} == {
        key: verdict for key, (verdict, *_) in VERDICTS.items()
    }


def edit(registry: Path) -> None:
    """No case of the small world can pass any more: each wants a document that no bundle has."""
    for judge in registry.glob("cases/*/judge.yaml"):
        judge.write_text(
            judge.read_text().replace("required_artifacts: [metrics.json]", "required_artifacts: [nothing.json]")
        )


def test_what_if_tells_flips_and_keeps_nothing(cli: Cli, own: Path, world: Path) -> None:
    shutil.copytree(world / "registry", own / "registry")
    edit(own / "registry")
    before = (own / ".judge_polars" / "history.duckdb").stat()
    told = cli("rejudge", "--what-if", "--registry", "registry", "--format", "json", registry=False)
    whole = json.loads(told.out)
    assert whole["what_if"] is True
    flips = {flip["case_run_id"]: (flip["from_verdict"], flip["to_verdict"]) for flip in whole["flips"]}
    assert flips
    assert all(to != "pass" for _, to in flips.values())
    assert all(flip["rubric_changed"] and flip["changed_checks"] for flip in whole["flips"])
    after = (own / ".judge_polars" / "history.duckdb").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_baseline_flip_ends_with_1(cli: Cli, own: Path, world: Path) -> None:
    shutil.copytree(world / "registry", own / "registry")
    (manifest,) = (own / "registry" / "baselines").glob("*.yaml")
    manifest.write_text(manifest.read_text().replace("2025-03-03-nightly", "2025-03-04-nightly"))
    mine = ("--registry", "registry")
    assert cli("judge", "RUNS", "-q", *mine, registry=False, history=True).code == 0
    gate = ("rejudge", "--what-if", "--fail-on", "baseline-flip", *mine)
    same = cli(*gate, registry=False)
    assert same.code == 0
    assert "baseline-flip: 0 cases" in same.out
    edit(own / "registry")
    other = cli(*gate, registry=False)
    assert other.code == 1
    assert "Active baselines that flip" in other.out
    assert "disk-hang pass → invalid over the trials of 2025-03-04-nightly" in " ".join(other.out.split())


def test_formats_of_flips_agree(cli: Cli, own: Path, world: Path) -> None:
    shutil.copytree(world / "registry", own / "registry")
    edit(own / "registry")
    names = ("flips.json", "flips.jsonl", "flips.csv", "flips.md", "flips.txt")
    files = [part for name in names for part in ("-o", name)]
    assert cli("rejudge", "--what-if", "--excerpts", "--registry", "registry", *files, registry=False).code == 0
    whole = json.loads((own / "flips.json").read_text())
    ids = [flip["case_run_id"] for flip in whole["flips"]]
    assert [json.loads(line)["case_run_id"] for line in (own / "flips.jsonl").read_text().splitlines()] == ids
    assert [row["case_run_id"] for row in rows((own / "flips.csv").read_text())] == ids
    flipped = sum(flip["from_verdict"] != flip["to_verdict"] for flip in whole["flips"])
    assert flipped
    for text in ((own / "flips.md").read_text(), (own / "flips.txt").read_text()):
        assert f"8 case runs judged: {flipped} verdict" in text


def test_the_registry_of_a_commit(cli: Cli, own: Path, world: Path) -> None:
    shutil.copytree(world / "registry", own / "registry")

    def git(*arguments: str) -> None:
        who = ["-c", "user.name=someone", "-c", "user.email=someone@example.org"]
        subprocess.run(["git", *who, *arguments], cwd=own, check=True, capture_output=True)

    git("init", "--quiet", ".")
    git("add", "registry")
    git("commit", "--quiet", "-m", "rubric")
    edit(own / "registry")
    now = cli("rejudge", "--what-if", "--registry", "registry", "--format", "json", registry=False)
    then = cli(
        "rejudge", "--what-if", "--registry", "registry", "--registry-rev", "HEAD", "--format", "json", registry=False
    )
    assert json.loads(now.out)["flips"]
    assert json.loads(then.out)["flips"] == []
    unknown = cli("rejudge", "--what-if", "--registry", "registry", "--registry-rev", "no-such", registry=False)
    assert unknown.code == 2
    assert "git knows no such commit" in unknown.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(
            ["rejudge", "--where", "nonsense ="], "it is a condition over the columns of `verdicts`", id="where"
        ),
        pytest.param(["rejudge", "--case", "no-such"], "selected", id="nothing selected"),
        pytest.param(["rejudge", "--registry-rev", "HEAD"], "lies in no git repository", id="no repository"),
        pytest.param(["sql", "select * from no_such_table"], "no_such_table", id="SQL error"),
        pytest.param(["sql", "create table mine (a int)"], "read-only", id="writing"),
        pytest.param(["sql", "select * from read_csv('/etc/passwd')"], "disabled by configuration", id="files"),
        pytest.param(["sql", "install httpfs"], "disabled|external|not allowed|Permission", id="extensions"),
        pytest.param(["sql", "from verdicts", "--format", "xml"], "one of table", id="format"),
        pytest.param(["export", "nothing"], "one of verdicts", id="export"),
        pytest.param(["export", "-o", "a.xlsx"], "ends in", id="suffix"),
        pytest.param(["explain", "r9/disk-hang/1"], "nearest", id="case run"),
    ],
)
def test_wrong_input(cli: Cli, own: Path, arguments: list[str], message: str) -> None:
    result = cli(*arguments, registry=arguments[0] in ("rejudge", "explain"))
    assert result.code in (2, 5)
    assert re.search(message, result.err + result.out), result.err
    assert "Traceback" not in result.err


@pytest.mark.parametrize(
    "command", [["sql", "from verdicts"], ["rejudge"], ["export"], ["history", "info"], ["list", "runs"]]
)
def test_without_a_history(cli: Cli, command: list[str]) -> None:
    result = cli(*command, registry=command[0] in ("rejudge", "list"))
    assert result.code == 2
    assert "there is no history yet" in result.err


@pytest.mark.parametrize("suffix", ["parquet", "csv", "jsonl"])
@pytest.mark.parametrize("table", ["verdicts", "check_results", "facts"])
def test_export(cli: Cli, own: Path, table: str, suffix: str) -> None:
    path = own / f"out.{suffix}"
    assert cli("export", table, "-o", str(path), registry=False).code == 0
    if suffix == "parquet":
        found = pl.read_parquet(path)
    else:
        read = pl.read_csv if suffix == "csv" else pl.read_ndjson
        found = read(path, infer_schema_length=None)
    wanted = cli("sql", f"select count(*) as n from {table}", "--format", "jsonl", registry=False)
    assert found.height == json.loads(wanted.out)["n"]


def test_info_compact_rebuild(cli: Cli, own: Path) -> None:
    before = cli("sql", "from verdicts order by case_run_id", "--format", "csv", registry=False).out
    told = json.loads(cli("history", "info", "--format", "json", registry=False).out)
    assert told["case_runs"] >= len(VERDICTS)
    assert cli("history", "compact", "--now", registry=False).code == 0
    assert cli("history", "rebuild", registry=False).code == 0
    assert cli("sql", "from verdicts order by case_run_id", "--format", "csv", registry=False).out == before
    assert "for the shell" in cli("history", "info", registry=False).out


def test_explain_and_list_runs_read_the_history(cli: Cli, own: Path) -> None:
    case_run_id = next(iter(VERDICTS))
    from_files = cli("explain", case_run_id, "RUNS").out
    from_history = cli("explain", case_run_id).out
    changing = ("judgment",)
    assert [line for line in from_history.splitlines() if not any(word in line for word in changing)] == [
        line for line in from_files.splitlines() if not any(word in line for word in changing)
    ]
    listed = json.loads(cli("list", "runs", "--format", "json").out)
    assert {row["eval_run"] for row in listed} >= {case_run_id.split("/")[0]}


def test_the_shell_without_a_query(cli: Cli, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = own / "duckdb"
    program.write_text('#!/bin/sh\nprintf "%s\\n" "$@" > "$(dirname "$0")/arguments"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{own}:{os.environ['PATH']}")
    assert cli("sql", registry=False).code == 0
    told = (own / "arguments").read_text().splitlines()
    assert told[0] == "-readonly"
    assert any("enable_external_access = false" in line for line in told)


@pytest.mark.parametrize(("place", "words"), [("nowhere/x.csv", "make it first"), ("folder.csv", "it is a directory")])
def test_export_says_what_is_wrong_with_a_file(cli: Cli, own: Path, place: str, words: str) -> None:
    (own / "folder.csv").mkdir()
    result = cli("export", "-o", place, registry=False)
    assert result.code == 2
    assert words in result.err


def test_info_says_which_eval_runs_mix_meanings(cli: Cli, own: Path, judged: Path) -> None:
    shutil.copytree(judged / "registry", own / "registry")
    rubric = own / "registry/cases/disk-hang/judge.yaml"
    rubric.write_text(rubric.read_text("utf-8").replace("threshold: 0.95", "threshold: 0.96"), encoding="utf-8")

    def mixed() -> int:
        told = json.loads(cli("history", "info", "--format", "json", registry=False).out)
        assert bool(told["advice"]) == bool(told["eval_runs_of_mixed_meaning"])
        return int(told["eval_runs_of_mixed_meaning"])

    again = ["rejudge", "-q", "--registry", "registry"]
    assert cli(*again, "--case", "disk-hang", registry=False).code == 0
    assert mixed() == 0  # two registries judged, but every case by one rubric
    assert cli("rejudge", "-q", "--where", "case_id = 'disk-hang' and trial = 1").code == 0
    assert mixed() == 2  # both eval runs have a trial 2 that the other rubric judged


SECRET = "hunter2hunter2"


@pytest.fixture
def leaky(tmp_path: Path) -> Path:
    """A registry, and a case run whose record and log hold a password."""
    files = bundle("1001")
    files["audit/logs/tikv.log"] = f"[2025/03/04 09:10:00.000 +00:00] write stall password: {SECRET}\n"
    agent = {"name": "agent", "version": f"password: {SECRET}", "model": "m"}
    files["case_run.json"] = record(agent=agent, stop_reason=f"mysql://root:{SECRET}@10.0.0.1:4000/test")
    return write_world(tmp_path / "leaky", {"night/disk-hang/1": files})


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "parquet"])
def test_exports_hold_no_secrets(cli: Cli, leaky: Path, suffix: str) -> None:
    registry = ["--registry", str(leaky / "registry")]
    assert cli("judge", str(leaky / "runs"), "-q", *registry, registry=False, history=True).code == 0
    result = cli("export", "-o", f"x.{suffix}", registry=False)
    assert result.code == 0, result.err
    content = str(pl.read_parquet("x.parquet").to_dicts()) if suffix == "parquet" else Path(f"x.{suffix}").read_text()
    assert SECRET not in content
    assert content.count("[masked:") == 2
    assert "masked: password in agent_version\n" in result.err
    assert "masked: url password in stop_reason\n" in result.err


def test_csv_of_verdicts_holds_no_secrets(cli: Cli, leaky: Path) -> None:
    registry = ["--registry", str(leaky / "registry")]
    told = cli("judge", str(leaky / "runs"), "--no-history", "--format", "csv", *registry, registry=False)
    assert "night/disk-hang/1" in told.out
    assert SECRET not in told.out


def test_excerpts_of_flips_hold_no_secrets(cli: Cli, leaky: Path, tmp_path: Path) -> None:
    shutil.copytree(leaky / "registry", "before")
    rubric = Path("before/cases/disk-hang/judge.yaml")
    rubric.write_text(rubric.read_text("utf-8").replace('"write stall"', '"no such words"'), encoding="utf-8")
    assert cli("judge", str(leaky / "runs"), "-q", "--registry", "before", registry=False, history=True).code == 0
    now = ["--registry", str(leaky / "registry"), "--format", "json"]
    result = cli("rejudge", "--what-if", "--excerpts", *now, registry=False)
    assert result.code == 0, result.err
    excerpts = json.dumps([flip["excerpts"] for flip in json.loads(result.out)["flips"]])
    assert "write stall password: [masked:" in excerpts
    assert SECRET not in excerpts
    assert "masked: password in night/disk-hang/1" in result.err


def test_what_is_no_case_run_is_told_by_ingest_too(cli: Cli, world: Path, tmp_path: Path) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(world / "runs", runs)
    name = sorted(path.name for path in runs.iterdir())[0]
    (runs / name).rename(runs / f".{name}")
    (runs / f".{name}").joinpath("cases/disk-hang/trial-x").mkdir()
    for command in ("ingest", "judge"):
        told = cli(command, str(runs), history=True)
        assert told.code == 0, told.err
        assert f"{runs}/.{name}: hidden, not read: rename it, or name it itself\n" in told.err
        assert "trial-x" not in told.err
    told = cli("ingest", str(runs / f".{name}"))
    assert f".{name}/disk-hang/trial-x: not read: wanted trial-<n>" in told.err
