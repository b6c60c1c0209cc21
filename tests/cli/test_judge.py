"""`judge`: verdicts, formats, selection, gates."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Cli, matches_snapshot

VERDICTS = {
    "2025-03-04-nightly/disk-hang/1": ("pass", None),
    "2025-03-04-nightly/disk-hang/2": ("pass", None),
    "2025-03-04-nightly/lock-wait/1": ("pass", None),
    "2025-03-04-nightly/lock-wait/2": ("pass", None),
    "2025-03-05-nightly/disk-hang/1": ("fail", "evidence_routing_failed"),
    "2025-03-05-nightly/disk-hang/2": ("fail", "critical_evidence_missing"),
    "2025-03-05-nightly/lock-wait/1": ("invalid", "contract_failed"),
    "2025-03-05-nightly/lock-wait/2": ("invalid", "environment_failed"),
}


def ids(jsonl: str) -> list[str]:
    """The case run ids of JSON Lines."""
    return [json.loads(line)["case_run_id"] for line in jsonl.splitlines()]


def test_verdicts(cli: Cli) -> None:
    result = cli("judge", "RUNS", "--format", "jsonl")
    records = [json.loads(line) for line in result.out.splitlines()]
    assert {one["case_run_id"]: (one["verdict"], one["primary_failure_code"]) for one in records} == VERDICTS
    assert ids(result.out) == sorted(VERDICTS)
    assert result.code == 0


@pytest.mark.parametrize("width", [80, 200])
def test_table(cli: Cli, world: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = cli("judge", "RUNS")
    assert matches_snapshot(result.out, f"judge_{width}.txt", world)
    assert max(map(cell_len, result.out.splitlines())) <= width
    assert "\x1b" not in result.out


@pytest.mark.parametrize(
    ("output_format", "suffix"), [("json", "json"), ("jsonl", "jsonl"), ("csv", "csv"), ("markdown", "md")]
)
def test_format(cli: Cli, world: Path, output_format: str, suffix: str) -> None:
    result = cli("judge", "RUNS", "--format", output_format, "--facts", "--issues")
    assert matches_snapshot(result.out, f"judge.{suffix}", world)
    assert "gate passed" in result.err
    assert "gate passed" not in result.out


def test_keys_of_json_lines_are_those_of_the_specification(cli: Cli) -> None:
    plain = json.loads(cli("judge", "RUNS", "--format", "jsonl").out.splitlines()[0])
    assert list(plain) == [
        *("case_run_id", "eval_run_id", "case_id", "trial", "case_version", "verdict", "cause"),
        *("primary_failure_code", "failure_codes", "score", "max_score", "score_pct", "buckets", "checks"),
    ]
    more = json.loads(cli("judge", "RUNS", "--format", "jsonl", "--facts", "--issues").out.splitlines()[0])
    assert set(more) - set(plain) == {"facts", "issues"}
    assert list(plain["buckets"]["contract"]) == ["status", "configured", "score", "max_score"]
    assert list(plain["checks"][0]) == ["bucket", "layer", "id", "required", "weight", "passed", "reason"]


def test_without_a_bundle_there_are_no_buckets_and_checks(cli: Cli) -> None:
    last = json.loads(cli("judge", "RUNS", "--format", "jsonl").out.splitlines()[-1])
    assert (last["buckets"], last["checks"], last["failure_codes"]) == ({}, [], ["environment_failed"])
    assert (last["cause"], last["score"]) == ("provider", None)


def test_unknown_cases_are_told_on_standard_error(cli: Cli) -> None:
    result = cli("judge", "RUNS", "--format", "jsonl")
    assert "1 case runs are not judged: the registry does not know lock-waits; nearest: lock-wait" in result.err
    assert "lock-waits" not in result.out


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        pytest.param(["--case", "disk-*"], r"disk-hang", id="case"),
        pytest.param(["--case", "disk-*", "--case", "lock-wait"], r"", id="two-cases"),
        pytest.param(["--tag", "transactions"], r"lock-wait", id="tag"),
        pytest.param(["--eval-run", "2025-03-04*"], r"2025-03-04", id="eval-run"),
        pytest.param(["--suite", "daily"], r"", id="suite"),
        pytest.param(["--verdict", "pass"], r"2025-03-04", id="verdict"),
        pytest.param(["--verdict", "fail", "--verdict", "invalid"], r"2025-03-05", id="two-verdicts"),
        pytest.param(["--where", "trial = 2 and case_id = 'disk-hang'"], r"disk-hang/2", id="where"),
        pytest.param(["--eval-run", "2025-03-05*", "--tag", "storage"], r"05-nightly/disk", id="two-kinds"),
    ],
)
def test_selection(cli: Cli, options: list[str], wanted: str) -> None:
    result = cli("judge", "RUNS", "--format", "jsonl", *options)
    assert ids(result.out) == [case_run_id for case_run_id in sorted(VERDICTS) if re.search(wanted, case_run_id)]


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(["--case", "nothing"], id="case"),
        pytest.param(["--tag", "nothing"], id="tag"),
        pytest.param(["--eval-run", "2030*"], id="eval-run"),
        pytest.param(["--where", "score > 1000"], id="where"),
        pytest.param(["--case", "lock-wait", "--verdict", "fail"], id="verdict"),
    ],
)
def test_nothing_selected(cli: Cli, options: list[str]) -> None:
    result = cli("judge", "RUNS", *options)
    assert (result.code, result.out) == (5, "")
    assert "selected" in result.err


@pytest.mark.parametrize(
    ("rules", "code", "line"),
    [
        pytest.param([], 0, "gate passed (never: nothing is asked)", id="default"),
        pytest.param(["never"], 0, "gate passed (never: nothing is asked)", id="never"),
        pytest.param(["fail"], 1, "gate FAILED (fail: 2 of 8 case runs)", id="fail"),
        pytest.param(["invalid"], 1, "gate FAILED (invalid: 2 of 8 case runs)", id="invalid"),
        pytest.param(["regression"], 1, "gate FAILED (regression: 2 of 4 cases regressed or missing)", id="regression"),
        pytest.param(["incomplete"], 0, "gate passed (incomplete: 0 of 2 eval runs lack case runs)", id="incomplete"),
        pytest.param(["invalid-rate:0.25"], 0, "25.0% of 8 case runs are invalid", id="rate-at-the-limit"),
        pytest.param(["invalid-rate:24%"], 1, "gate FAILED (invalid-rate:0.24: 25.0%", id="rate-above"),
        pytest.param(["invalid-shift"], 0, "0 eval runs with significantly more invalid", id="shift"),
        pytest.param(["fail", "incomplete"], 1, "fail: 2 of 8 case runs; incomplete: 0 of 2", id="two"),
    ],
)
def test_gate(cli: Cli, rules: list[str], code: int, line: str) -> None:
    result = cli("judge", "RUNS", *(part for rule in rules for part in ("--fail-on", rule)))
    assert result.code == code
    assert line in result.out.splitlines()[-1]


def test_gate_looks_only_at_what_is_selected(cli: Cli) -> None:
    assert cli("judge", "RUNS", "--fail-on", "regression", "--eval-run", "2025-03-04*").code == 0
    assert cli("judge", "RUNS", "--fail-on", "incomplete", "--case", "disk-hang").code == 0
    assert "1 of 2 cases" in cli("judge", "RUNS", "--fail-on", "regression", "--case", "disk-hang").out


def test_a_missing_case_is_a_regression_and_incomplete(cli: Cli, world: Path) -> None:
    alone = str(world / "runs" / "2025-03-04-nightly" / "cases" / "disk-hang" / "trial-1")
    result = cli("judge", alone, "--fail-on", "regression", "--fail-on", "incomplete")
    assert result.code == 1
    assert "regression: 1 of 2 cases" in result.out
    assert "incomplete: 1 of 1 eval runs" in result.out
    assert "? missing" in result.out


def test_files_in_the_format_of_their_suffix(cli: Cli, tmp_path: Path) -> None:
    names = ("a.csv", "b.jsonl", "c.json", "d.md", "e.txt")
    result = cli("judge", "RUNS", *(part for name in names for part in ("-o", str(tmp_path / name))))
    assert result.code == 0
    rows = list(csv.DictReader(io.StringIO((tmp_path / "a.csv").read_text())))
    assert {row["case_run_id"]: row["verdict"] for row in rows} == {key: told[0] for key, told in VERDICTS.items()}
    assert ids((tmp_path / "b.jsonl").read_text()) == sorted(VERDICTS)
    assert json.loads((tmp_path / "c.json").read_text())["summary"]["judged"] == 8
    assert "| disk-hang | 1 | ✓ pass |" in (tmp_path / "d.md").read_text()
    assert (tmp_path / "e.txt").read_text() == result.out
    assert sorted(path.name for path in tmp_path.iterdir() if path.name != ".judge_polars") == sorted(names)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        pytest.param(["judge", "nowhere"], "there is no such directory", id="no-directory"),
        pytest.param(["judge", "."], "no directory in it is an eval run", id="directory-without-runs"),
        pytest.param(["judge", "RUNS", "--format", "xml"], "one of table, json", id="format"),
        pytest.param(["judge", "RUNS", "-o", "x.xml"], "the suffix says no format", id="suffix"),
        pytest.param(["judge", "RUNS", "-o", "no/x.csv"], "there is no directory no", id="output-directory"),
        pytest.param(["judge", "RUNS", "-o", "."], "suffix", id="output-is-a-directory"),
        pytest.param(["judge", "RUNS", "--fail-on", "sometimes"], "unknown; one of never", id="fail-on"),
        pytest.param(["judge", "RUNS", "--fail-on", "invalid-rate:2"], "write a share", id="fail-on-rate"),
        pytest.param(["judge", "RUNS", "--fail-on", "baseline-flip"], "re-judging", id="fail-on-flip"),
        pytest.param(["judge", "RUNS", "--suite", "dayly"], "no such suite; nearest: daily", id="suite"),
        pytest.param(["judge", "RUNS", "--verdict", "passed"], "one of pass, fail, invalid", id="verdict"),
        pytest.param(["judge", "RUNS", "--where", "nope = 1"], "condition over the columns", id="where-column"),
        pytest.param(["judge", "RUNS", "--where", "1) or (1"], "", id="where-parentheses-close"),
        pytest.param(
            ["judge", "RUNS", "--where", "true); drop table cases; select (1"], "more than one", id="where-two"
        ),
        pytest.param(
            ["judge", "RUNS", "--where", "case_id in (select content from read_text('/etc/hostname'))"],
            "disabled by configuration",
            id="where-file",
        ),
        pytest.param(["judge", "RUNS", "--color", "pink"], "one of auto, always, never", id="color"),
        pytest.param(["judge"], "Missing argument", id="no-runs"),
        pytest.param(["judge", "RUNS", "--nope"], "No such option", id="no-such-option"),
        pytest.param(["jugde"], "No such command", id="no-such-command"),
    ],
)
def test_wrong_input(cli: Cli, arguments: list[str], message: str) -> None:
    result = cli(*arguments, registry=arguments[0] == "judge")
    if message:
        assert (result.code, result.out) == (2, "")
        assert message in result.err
    assert "Traceback" not in result.err


def test_a_registry_with_errors_lists_all_of_them(cli: Cli, world: Path, tmp_path: Path) -> None:
    from tests.cli.world import REGISTRY, write_files

    broken = {name: text.replace("version: 2", "version: two") for name, text in REGISTRY.items()}
    broken["cases/lock-wait/judge.yaml"] = broken["cases/lock-wait/judge.yaml"].replace("asserted_any", "asserted_amy")
    write_files(tmp_path / "broken", broken)
    result = cli("judge", str(world / "runs"), "--registry", "broken", registry=False)
    assert (result.code, result.out) == (2, "")
    lines = result.err.splitlines()
    assert any(line.startswith("broken/cases/disk-hang/case.yaml:3:") for line in lines)
    assert any(line.startswith("broken/cases/lock-wait/judge.yaml:") and "asserted_any" in line for line in lines)
    assert lines[-1].endswith("errors in the registry")


def test_no_registry(cli: Cli) -> None:
    result = cli("judge", "RUNS", registry=False)
    assert result.code == 2
    assert "--registry" in result.err
    assert cli("judge", "RUNS", "--registry", "nowhere", registry=False).code == 2


def test_a_directory_that_is_no_trial_is_named_and_a_plan_of_some_eval_runs_is_none(
    cli: Cli, world: Path, tmp_path: Path
) -> None:
    runs = tmp_path / "runs"
    shutil.copytree(world / "runs", runs)
    other = runs / "other" / "cases" / "disk-hang"
    for name in ("trial-1", "trial-01"):
        shutil.copytree(runs / "2025-03-04-nightly" / "cases" / "disk-hang" / "trial-1", other / name)
    result = cli("judge", str(runs), "--registry", str(world / "registry"))
    assert "other/disk-hang/trial-01: not read: wanted trial-<n>" in result.err
    assert re.search(r"case runs +9 judged\n", result.out)
    assert "of 8 planned" not in result.out


def test_only_unknown_cases_are_nothing_selected(cli: Cli, world: Path) -> None:
    result = cli("judge", str(world / "runs" / "2025-03-05-nightly" / "cases" / "lock-waits" / "trial-1"))
    assert result.code == 5
    assert "does not know lock-waits; nearest: lock-wait" in result.err


def test_quiet_says_nothing(cli: Cli) -> None:
    result = cli("judge", "RUNS", "-q")
    assert result.err == ""
    assert result.out


def test_colours_only_when_asked_for(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    assert "\x1b[" in cli("judge", "RUNS", "--color", "always").out
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in cli("judge", "RUNS").out
    monkeypatch.setenv("NO_COLOR", "1")
    assert "\x1b" not in cli("judge", "RUNS").out
    assert "\x1b" not in cli("judge", "RUNS", "--color", "never").out


def test_a_verdict_is_a_word_and_a_symbol(cli: Cli) -> None:
    table = cli("judge", "RUNS").out
    assert all(told in table for told in ("✓ pass", "✗ fail", "○ invalid"))


def test_jobs_change_nothing(cli: Cli) -> None:
    assert cli("judge", "RUNS", "--format", "jsonl").out == cli("judge", "RUNS", "--format", "jsonl", "--jobs", "2").out
