"""`eval`: dry runs, live runs with judging and gate, progress, interruption, what is missing."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from judge_polars.cli.console import Talk, rendered
from judge_polars.cli.eval_views import EvalDisplay, progress_line, progress_view
from tests.cli.conftest import Cli, Result

pytest.importorskip("acp", reason="the extra acp is not installed")

from judge_polars.cli.evaluating import begun_eval_runs, run_demo
from judge_polars.cli.outputs import Outputs
from judge_polars.history.store import open_history
from judge_polars.registry import load_registry
from judge_polars.runner.case_run import Progress
from tests.runner.world import EVALUATION, marked, write_registry, written

ROOT = Path(__file__).resolve().parents[2]
MARKER = "JUDGE_POLARS_EVAL_MARK"
PEER = (
    f"import runpy, sys; sys.path.insert(0, {str(ROOT)!r}); sys.argv[0] = 'demo_agent'; "
    "runpy.run_module('judge_polars.demo_agent', run_name='__main__')"
)


def declare(directory: Path, *ways: str, name: str = "peer", env: str = "") -> None:
    """Declare the demo agent, told to misbehave, in a settings file."""
    words = [sys.executable, "-c", PEER, *(part for way in ways for part in ("--misbehave", way))]
    text = f"[agents.{name}]\ncommand = {json.dumps(words)}\nenv = {{{env}}}\n"
    (directory / "judge_polars.toml").write_text(text)


@pytest.fixture
def small(tmp_path: Path) -> Path:
    """A registry of two cases and the peer that behaves, in the working directory."""
    declare(tmp_path)
    return write_registry(tmp_path / "registry", cases=("first-case", "second-case"))


def dry(cli: Cli, *arguments: str) -> Result:
    return cli("eval", "--execution-mode", "dry-run", "--registry", "registry", *arguments, registry=False)


def live(cli: Cli, *arguments: str) -> Result:
    return cli("eval", "--execution-mode", "live", "--registry", "registry", *arguments, registry=False)


def test_a_dry_run_starts_and_writes_nothing(small: Path, cli: Cli, tmp_path: Path) -> None:
    before = written(tmp_path)
    result = dry(cli, "--suite", "small", "--eval-run-id", "e1", "--trials", "2")
    assert result.code == 0, result.err
    assert written(tmp_path) == before
    for words in (
        "e1",
        "peer, permissions allow-in-workspace",
        "first-case, version 1",
        "60 s",
        "${PATH}",
        "eu (case)",
    ):
        assert words in result.out
    assert "    Please diagnose cluster 1001 between" in result.out
    assert "runs/e1/cases/second-case/trial-2" in result.out
    assert result.err.splitlines()[-1] == "dry run: nothing was started, nothing was written"


def test_a_dry_run_as_json_holds_no_value_of_ours(
    small: Path, cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    declare(tmp_path, env='TOKEN = "${CLINIC_TOKEN}"')
    monkeypatch.setenv("CLINIC_TOKEN", "very-secret")
    for output_format in ("json", "table"):
        result = dry(cli, "--suite", "small", "--format", output_format)
        assert result.code == 0
        assert "${CLINIC_TOKEN}" in result.out and "very-secret" not in result.out + result.err
    told = json.loads(dry(cli, "--suite", "small", "--format", "json", "--case", "second-*").out)
    assert [one["case_id"] for one in told["case_runs"]] == ["second-case"]


def test_what_is_missing_is_exit_code_4(small: Path, cli: Cli, tmp_path: Path) -> None:
    text = '[agents.ghost]\ncommand = ["judge-polars-no-such-command"]\nenv = {A = "${NO_SUCH_VARIABLE}"}\n'
    (tmp_path / "judge_polars.toml").write_text(text)
    for call in (dry, live):
        result = call(cli, "--suite", "small")
        assert result.code == 4
        assert "judge-polars-no-such-command" in result.err and "NO_SUCH_VARIABLE" in result.err
        assert not (tmp_path / "runs").exists()
    assert "where it is not set" in dry(cli, "--suite", "small").out


def test_without_the_extra_is_exit_code_4(small: Path, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("judge_polars.runner.plan.find_spec", lambda _name: None)
    result = dry(cli, "--suite", "small")
    assert result.code == 4
    assert "pip install 'judge-polars[acp]'" in result.err


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["--suite", "smal"], 2, "nearest: small"),
        ([], 2, "--suite is wanted"),
        (["--suite", "small", "--agent", "nobody"], 2, "--agent nobody: there is no such agent"),
        (["--suite", "small", "--runs", "registry/suites/small.yaml/x"], 2, "small.yaml is no directory"),
        (["--suite", "small", "--format", "csv"], 2, "--format csv: one of table, json"),
        (["--suite", "small", "--trials", "0"], 2, "--trials"),
        (["--suite", "small", "--case", "third"], 5, "no case of small fits"),
        (["--suite", "small", "--registry", "nowhere"], 2, "nowhere is no directory"),
        (["--resume", "e7"], 2, "is no record of an eval run"),
    ],
)
def test_wrong_calls(small: Path, cli: Cli, arguments: list[str], code: int, words: str) -> None:
    result = dry(cli, *arguments)
    assert result.code == code
    assert words in result.err


def test_an_unknown_mode(small: Path, cli: Cli) -> None:
    result = cli("eval", "--execution-mode", "real", "--suite", "small", "--registry", "registry", registry=False)
    assert result.code == 2 and "--execution-mode real: one of dry-run, live" in result.err


def test_an_invalid_registry_is_exit_code_2(small: Path, cli: Cli, tmp_path: Path) -> None:
    case = small / "cases/first-case/case.yaml"
    case.write_text(case.read_text().replace("version: 1\n", "version: 0\n"))
    for call in (dry, live):
        result = call(cli, "--suite", "small")
        assert result.code == 2 and "cases/first-case/case.yaml" in result.err
    assert not (tmp_path / "runs").exists()


def test_a_wrong_declaration_is_exit_code_2(small: Path, cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "judge_polars.toml").write_text('[agents.a]\ncommand = ["x"]\nenv = {TOKEN = "abc"}\n')
    result = dry(cli, "--suite", "small")
    assert result.code == 2
    assert 'agents.a.env.TOKEN: write "${TOKEN}"' in result.err


def test_a_live_run_of_the_demo_passes(cli: Cli, tmp_path: Path) -> None:
    registry = str(EVALUATION / "regression")
    arguments = ["--suite", "core-daily-demo", "--agent", "demo", "--trials", "1", "--format", "jsonl"]
    result = cli("eval", "--execution-mode", "live", "--registry", registry, *arguments, registry=False)
    assert result.code == 0, result.err
    lines = [json.loads(line) for line in result.out.splitlines()]
    assert [(line["verdict"], line["score_pct"]) for line in lines] == [("pass", 100.0)] * 3
    assert "case runs: 3 end_turn" in result.err
    assert result.err.splitlines()[-1].startswith("gate passed (regression: 0 of 3 cases")
    with open_history(tmp_path / ".judge_polars") as history:
        assert (
            history.sql("select verdict, purpose from verdicts join judgments using (judgment_id)").rows()
            == [("pass", "eval")] * 3
        )
    for name, count in (("judgment.json", 3), ("semantic_packet_v1.json", 1)):
        assert len(list((tmp_path / "runs").glob(f"*/cases/*/trial-1/{name}"))) == count


def test_wrong_settings_of_the_shadow_are_told_before_anything_is_run(small: Path, cli: Cli, tmp_path: Path) -> None:
    with (tmp_path / "judge_polars.toml").open("a") as file:
        file.write('\n[semantic]\nprovider = "command"\ncommand = "x"\n')
    result = live(cli, "--suite", "small")
    assert result.code == 2 and "a list of texts" in result.err
    assert not (tmp_path / "runs").exists()


def test_the_demo_live(tmp_path: Path, capsysbinary: pytest.CaptureFixture[bytes]) -> None:
    registry = load_registry(EVALUATION / "regression")
    assert run_demo(registry, tmp_path / "runs", Outputs("jsonl"), Talk()) == 0
    lines = [json.loads(line) for line in capsysbinary.readouterr().out.splitlines()]
    assert [line["verdict"] for line in lines] == ["pass"] * 3


def test_without_a_baseline_a_failure_is_exit_code_1(small: Path, cli: Cli) -> None:
    result = live(cli, "--suite", "small", "--eval-run-id", "e1")
    assert result.code == 1, result.err
    assert "gate FAILED (invalid: 2 of 2 case runs; fail: 0 of 2 case runs; incomplete: 0 of 1" in result.out
    assert live(cli, "--suite", "small", "--eval-run-id", "e2", "--fail-on", "never").code == 0


def test_a_part_of_a_suite_is_not_incomplete(small: Path, cli: Cli, tmp_path: Path) -> None:
    wanted = ("--case", "first*", "--trials", "2", "--fail-on", "incomplete", "--no-history")
    result = live(cli, "--suite", "small", *wanted)
    assert result.code == 0, result.err
    assert "2 judged of 2 planned" in result.out
    assert not (tmp_path / ".judge_polars").exists()


def test_the_providers_fault_is_told_as_a_cause(small: Path, cli: Cli, tmp_path: Path) -> None:
    declare(tmp_path, "rate-limited")
    result = live(cli, "--suite", "small", "--format", "jsonl")
    rows = [json.loads(line) for line in result.out.splitlines()]
    assert {row["cause"] for row in rows} == {"provider"}
    assert {row["primary_failure_code"] for row in rows} == {"environment_failed"}
    assert "case runs: 2 rate_limited" in result.err


def process(directory: Path, mark: str, *arguments: str) -> subprocess.Popen[str]:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("JUDGE_POLARS_")}
    command = [sys.executable, "-m", "judge_polars", "eval", "--execution-mode", "live", "--registry", "registry"]
    return subprocess.Popen(
        [*command, *arguments],
        cwd=directory,
        env={**environment, "PYTHONPATH": str(ROOT), MARKER: mark},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def test_an_interrupt_ends_the_agents_and_tells_how_to_go_on(small: Path, tmp_path: Path) -> None:
    mark = f"mark-{os.getpid()}-{time.monotonic_ns()}"
    declare(tmp_path, "hang-in-prompt", "leave-child", env=f'{MARKER} = "${{{MARKER}}}"')
    with process(tmp_path, mark, "--suite", "small", "--eval-run-id", "e1") as running:
        telemetry = tmp_path / "runs/e1/cases/first-case/trial-1/audit/telemetry.jsonl"
        while not (telemetry.exists() and "session/prompt" in telemetry.read_text()):
            assert running.poll() is None
            time.sleep(0.02)
        running.send_signal(signal.SIGINT)
        _, told = running.communicate(timeout=60)
    assert running.returncode == 130
    again = "judge-polars eval --resume e1 --runs runs --execution-mode live --registry registry --history-dir .judge_polars"
    assert f"To go on: {again}\n" in told
    assert "Traceback" not in told
    until = time.monotonic() + 5
    while marked(mark) and time.monotonic() < until:
        time.sleep(0.05)
    assert marked(mark) == []
    declare(tmp_path)
    with process(tmp_path, mark, "--resume", "e1", "--fail-on", "incomplete") as resumed:
        out, told = resumed.communicate(timeout=60)
    assert resumed.returncode == 0, told
    assert "2 judged of 2 planned" in out


def test_completion_of_resume(tmp_path: Path) -> None:
    for name in ("e1", "e2", "f1"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "eval_run.json").touch()
    (tmp_path / "e3").mkdir()
    assert begun_eval_runs(SimpleNamespace(params={"runs": tmp_path}), "e") == ["e1", "e2"]  # type: ignore[arg-type]


def progress(state: str, begun: float | None, status: str | None = None, ended: float | None = None) -> Progress:
    return Progress(f"e1/{state.replace(' ', '-')}/1", state, begun, ended, status)


def test_the_display_on_a_terminal() -> None:
    states = [
        progress("waiting", None),
        progress("ended", 0.0, "prompt_timeout", 65.0),
        progress("working", 10.0),
    ]
    shown = rendered(progress_view(states, 100.0), width=80).decode()
    lines = [line.split() for line in shown.splitlines() if line.strip()]
    assert lines[1] == ["▶", "working/1", "working", "1:30"]
    assert lines[2] == ["✗", "ended/1", "ended:", "prompt_timeout", "1:05"]
    assert lines[3] == ["·", "waiting/1", "waiting"]
    assert lines[4] == ["1", "of", "3", "case", "runs", "done"]


def test_a_line_every_ten_seconds_elsewhere(capsys: pytest.CaptureFixture[str]) -> None:
    now = [0.0]
    states = [progress("working", 0.0), progress("ended", 0.0, "end_turn", 5.0)]
    with EvalDisplay(Talk(), lambda: now[0]) as display:
        for second in range(25):
            now[0] = float(second)
            display(states)
    told = capsys.readouterr().err.splitlines()
    assert told == [progress_line(states, 10.0), progress_line(states, 20.0)]
    assert told[0] == "1 of 2 case runs done; e1/working/1: working for 0:10, last activity none"


def test_quiet_shows_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    with EvalDisplay(Talk(quiet=True), lambda: 1000.0) as display:
        display([progress("working", 0.0)])
    assert capsys.readouterr().err == ""
