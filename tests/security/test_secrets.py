"""Secrets that a run holds leave no command in a readable form; what was masked is told by kind and place."""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from pathlib import Path

import polars as pl
import pytest

import judge_polars as jp
from judge_polars.explain import explain_each
from judge_polars.masking import mask, mask_beginning
from judge_polars.report.veil import LOOKED_AT, Veil
from tests.cli.world import bundle, record, write_files, write_world
from tests.security.conftest import Cli
from tests.test_masking import LOOK_ALIKES, TOKENS, WITH_PASSWORDS, key_block

RUN = "2025-03-05-nightly"
CASE_RUN = f"{RUN}/disk-hang/1"
WORD = "c0rrect-" + "H0rse-9"
TOKEN = "gh" + "p_" + "aB3dE5gH7jK9" * 3
PASSWORD = f"password={WORD}"
PARTS = (WORD, TOKEN, "aB3dE5gH7jK9")


def files_with(secret: str) -> dict[str, str]:
    """A failing case run that tells a secret in every place that is shown."""
    patch = [{"id": f"A1 {secret}", "key_evidence": [f"metric:{secret}"], "supporting_evidence": [f"log:{secret}:1"]}]
    files = bundle(busy=False, log=f"[2025/03/04 09:10:00.000 +00:00] write stall {secret}\n", patch=patch)
    files["audit/evidence/events.json"] = json.dumps([{"kind": f"x {secret}", "count": 9}])
    files["audit/evidence/broken.json"] = "{" + secret
    files["output.md"] = f"A disk hang with {secret} was ruled out.\n"
    agent = {"name": secret, "version": secret, "model": secret}
    files["case_run.json"] = record(agent=agent, stop_reason=secret, workspace_id=secret, case_id=secret)
    return files


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The world that tells a password and a token, with a history."""
    from judge_polars.cli.app import run

    secrets = f"{PASSWORD} {TOKEN}"
    root = write_world(tmp_path_factory.mktemp("world"), {CASE_RUN: files_with(secrets)})
    told = {"suite_id": "daily", "suite_version": 1, "agent": {"name": secrets, "model": TOKEN}}
    write_files(root / "runs" / RUN, {"eval_run.json": json.dumps(told)})
    places = ["--registry", str(root / "registry"), "--history-dir", str(root / ".judge_polars")]
    assert run(["judge", str(root / "runs"), "-q", *places]) == 0
    return root


COMMANDS: Mapping[str, tuple[str, ...]] = {
    "judge": ("judge", "runs", "--no-history", "-v"),
    "judge as json": ("judge", "runs", "--no-history", "--format", "json", "--facts", "--issues"),
    "judge as csv": ("judge", "runs", "--no-history", "--format", "csv"),
    "explain": ("explain", CASE_RUN, "-v"),
    "explain as json": ("explain", CASE_RUN, "--format", "json"),
    "list runs": ("list", "runs", "runs", "--format", "json"),
    "show": ("show", RUN, "runs", "--format", "json"),
    "verdicts": ("export", "verdicts"),
    "facts": ("export", "facts"),
}


@pytest.mark.parametrize("name", COMMANDS)
def test_no_command_shows_a_secret(cli: Cli, world: Path, name: str) -> None:
    told = cli(world, *COMMANDS[name])
    assert told.code == 0, told.err
    assert told.out
    assert not [part for part in PARTS if part in told.out + told.err]


def test_reports_mask_and_tell(cli: Cli, world: Path, tmp_path: Path) -> None:
    told = cli(world, "report", RUN, "-o", str(tmp_path / "r.html"), "-o", str(tmp_path / "r.md"))
    assert told.code in (0, 1), told.err
    for name in ("r.html", "r.md"):
        content = (tmp_path / name).read_text("utf-8")
        assert not [part for part in PARTS if part in content]
        assert "masked:" in content.replace("\\", "")


def test_an_explanation_tells_what_was_masked_by_kind_and_place(cli: Cli, world: Path) -> None:
    told = json.loads(cli(world, "explain", CASE_RUN, "--format", "json").out)
    assert any(" in the record" in line for line in told["masked"])
    assert any("line 1" in line for line in told["masked"])
    assert "Masked" in cli(world, "explain", CASE_RUN).out


EVERY = {**WITH_PASSWORDS, **{f"token {name}": text for name, text in TOKENS.items()}, "private key": key_block()}


def test_there_are_many_kinds() -> None:
    assert len({secret.kind for text in EVERY.values() for secret in mask(text).secrets}) >= 15
    assert len(EVERY) >= 20 <= len(LOOK_ALIKES)


@pytest.mark.parametrize("before", [0, 3, 17])
def test_no_cut_lets_half_a_secret_escape(before: int) -> None:
    """A text is masked before it is cut, wherever the cut goes through a secret."""
    filler = "x " * before
    for text in EVERY.values():
        clean = mask(f"{filler}{text}\n").text
        for most in range(len(filler), len(filler) + len(text), 5):
            begun = mask_beginning(f"{filler}{text}\n", most)
            plain = begun.partition("[masked:")[0]
            assert clean.startswith(plain) or "[masked:" in begun


def test_a_detail_of_an_issue_holds_no_half_of_a_secret(cli: Cli, tmp_path: Path) -> None:
    """What reading tells of a wrong member is cut long before anything is masked."""
    runs = {}
    longs = [f"{'x' * before} {secret}{'z' * 200}" for before in (0, 10, 50, 170, 195) for secret in (PASSWORD, TOKEN)]
    for member in ("trial", "case_id", "output_file", "audit_dir"):
        for number, long in enumerate(longs):
            told = record(**{"case_id": "lock-wait", "trial": number + 1, member: f"../{long}"})
            times = {"cluster_id": "1001", "time_window": {"start": long, "end": long}}
            files = {**bundle("1001"), "case_run.json": told, "audit/diagnosis_report.json": json.dumps(times)}
            runs[f"{member}/lock-wait/{number + 1}"] = {**files, "output.md": "?"}
    root = write_world(tmp_path, runs)
    told_as = cli(root, "judge", "runs", "--no-history", "--format", "json", "--issues").out
    issues = [issue for one in json.loads(told_as)["case_runs"] for issue in one["issues"]]
    assert sum("…" in issue["detail"] for issue in issues) >= len(runs)
    assert not [part for part in (WORD[:6], TOKEN[:12]) if part in told_as]


def test_a_secret_at_the_edge_of_what_is_looked_at_is_masked() -> None:
    """Masks that are shorter than what they stand for would pull a cut secret into what is shown."""
    long = key_block().replace("\n", "")
    text = (long + " ") * (LOOKED_AT // len(long) + 2)
    for shift in range(0, len(long), 97):
        shown = Veil()("y" * shift + " " + text, "place")
        assert "aB3" not in shown.replace("[masked:", "")


@pytest.mark.parametrize("frame_of", [lambda text: {"string": [text]}, lambda text: {"agent_name": [text]}])
def test_look_alikes_stay_in_exports(frame_of: object) -> None:
    assert callable(frame_of)
    for text in LOOK_ALIKES.values():
        frame = pl.DataFrame(frame_of(text))
        assert Veil().frame(frame).equals(frame)


def test_a_key_in_a_log_is_masked_in_the_line_that_is_shown(cli: Cli, tmp_path: Path) -> None:
    """The line that a rule found is within the key; what tells that it is one stands above."""
    lines = key_block().split("\n")
    lines[2] = "write stall " + lines[2]
    log = "".join(f"[2025/03/04 09:10:00.000 +00:00] {line}\n" for line in lines)
    root = write_world(tmp_path, {CASE_RUN: {**bundle(log=log), "output.md": "?"}})
    told = cli(root, "explain", CASE_RUN, "runs", "-v")
    assert told.code == 0, told.err
    body = lines[3][:24]
    assert body not in told.out


def test_a_member_is_masked_by_its_name_where_its_value_is_shown(cli: Cli, tmp_path: Path) -> None:
    files = bundle(log="nothing\n")
    files["audit/evidence/events.json"] = json.dumps([{"kind": "stall", "count": 2, "password": "hunter2"}])
    root = write_world(tmp_path, {CASE_RUN: {**files, "output.md": "?"}})
    for output_format in ("table", "json", "markdown"):
        told = cli(root, "explain", CASE_RUN, "runs", "-v", "--format", output_format)
        assert "hunter2" not in told.out


def test_a_very_large_json_document_is_masked_where_it_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is not masked as a whole, and an excerpt may end within a secret."""
    monkeypatch.setattr(import_module("judge_polars.explain.clean"), "LARGEST", 2_000)
    monkeypatch.setattr(import_module("judge_polars.explain.on_text"), "MOST_NODES", 3)
    rules = """\
schema_version: 1
case_id: disk-hang
judge:
  critical_evidence:
    checks:
      - {id: is_json, match: json_valid, artifact: events.json}
      - {id: a_record, match: json_record_any, artifact: events.json, path: '$[*]', where: [{path: $.kind, equals: end}]}
      - {id: a_node, match: json_exists, artifact: events.json, path: '$[0]'}
      - {id: a_word, match: keyword_any, artifact: events.json, keywords: ["write stall"]}
"""
    runs = {}
    for trial, before in enumerate(range(60, 190, 10), start=1):
        text = f"{'x' * before} {TOKEN} "
        events = [{"note": text}] + [{"note": f"{text}{'y' * 400} write stall {text}"}] * 9
        runs[f"{RUN}/disk-hang/{trial}"] = {**bundle(), "audit/evidence/events.json": json.dumps(events)}
    root = write_world(tmp_path, runs)
    write_files(root / "registry", {"cases/disk-hang/judge.yaml": rules})
    told = list(explain_each(jp.judge(root / "runs", root / "registry"), list(runs)))
    seen = [seen for one in told for check in one.checks for rule in check.rules for seen in rule.sightings]
    assert len(seen) >= 3 * len(runs)
    assert not [one.excerpt for one in seen if TOKEN[:7] in (one.excerpt or "")]
    assert not [one.case_run_id for one in told if TOKEN[:7] in repr(one)]
