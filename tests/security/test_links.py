"""Links, absolute paths, `..`, devices, pipes, sockets: nothing outside a case run is read, nothing but regular files is opened."""

from __future__ import annotations

import json
import os
import shutil
import socket
from collections.abc import Callable
from pathlib import Path

import pytest

import judge_polars as jp
from judge_polars.judgment import Judgment
from tests.bundles.trees import read_runs
from tests.cli.world import bundle, record, write_files, write_world
from tests.security.conftest import Cli

CASE_RUN = "2025-03-05-nightly/disk-hang/1"
OUTSIDE = "write stall seen outside"
"""Words of a file outside the case run: they would make a check pass."""


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    """A bundle that lies elsewhere."""
    place = tmp_path / "outside"
    files = bundle(log=f"[2025/03/04 09:10:00.000 +00:00] {OUTSIDE}\n")
    write_files(place, {**files, "output.md": f"The disk hung. {OUTSIDE}\n"})
    return place


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """A case run in which the writes did not stall."""
    files = {**bundle(log="nothing\n"), "output.md": "nothing\n", "case_run.json": record()}
    write_world(tmp_path, {CASE_RUN: files})
    return tmp_path / "runs" / "2025-03-05-nightly" / "cases" / "disk-hang" / "trial-1"


def judged(tmp_path: Path) -> Judgment:
    """All runs, judged in memory."""
    return jp.judge(tmp_path / "runs", tmp_path / "registry")


def codes(judgment: Judgment) -> set[str]:
    """The issues of the case run."""
    return set(judgment.issues["code"])


def replace_by(path: Path, make: Callable[[Path], object]) -> None:
    """Something else in a file's or directory's place."""
    if path.is_dir():
        shutil.rmtree(path)
    else:
        path.unlink()
    make(path)


PLACES = {
    "the manifest": "audit/manifest.json",
    "the report": "audit/diagnosis_report.json",
    "the evidence directory": "audit/evidence",
    "a document": "audit/evidence/events.json",
    "the logs directory": "audit/logs",
    "a log": "audit/logs/tikv.log",
    "the bundle": "audit",
    "the output": "output.md",
}


@pytest.mark.parametrize("name", PLACES)
@pytest.mark.parametrize("absolute", [True, False], ids=["absolute", "relative"])
def test_a_link_that_leads_out_is_not_followed(
    tmp_path: Path, run: Path, outside: Path, name: str, absolute: bool
) -> None:
    place = run / PLACES[name]
    target = outside / PLACES[name]
    replace_by(place, lambda path: path.symlink_to(target if absolute else os.path.relpath(target, path.parent)))
    judgment = judged(tmp_path)
    assert codes(judgment) & {
        "not_a_regular_file",
        "path_outside_case_run",
        "evidence_missing",
        "manifest_invalid",
        "report_missing",
    }
    assert not holds_outside(judgment, tmp_path)


def holds_outside(judgment: Judgment, tmp_path: Path) -> bool:
    """Whether a document that was read holds the words from outside."""
    from judge_polars.judged_runs import JudgedRuns

    texts = JudgedRuns(judgment).documents([CASE_RUN])["text"].drop_nulls()
    return bool(texts.str.contains(OUTSIDE).any())


SPECIAL: dict[str, Callable[[Path], object]] = {
    "a pipe": os.mkfifo,
    "a device": lambda path: path.symlink_to("/dev/zero"),
    "a link to itself": lambda path: path.symlink_to(path.name),
    "a link to nothing": lambda path: path.symlink_to("nowhere"),
    "a directory": os.mkdir,
}


@pytest.mark.parametrize("name", SPECIAL)
@pytest.mark.parametrize("place", ["audit/manifest.json", "audit/evidence/events.json", "output.md", "case_run.json"])
def test_only_regular_files_are_opened(tmp_path: Path, run: Path, name: str, place: str) -> None:
    """A pipe without a writer would keep the reader for ever."""
    replace_by(run / place, SPECIAL[name])
    judgment = judged(tmp_path)
    assert judgment.verdicts.height == 1


def test_a_socket_is_not_opened(tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(run / "audit" / "evidence")  # a socket's path is short
    os.unlink("events.json")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind("events.json")
        assert "not_a_regular_file" in codes(judged(tmp_path))


def test_a_hard_link_is_a_file_like_any_other(tmp_path: Path, run: Path) -> None:
    """Whoever can make one can read the file, so it is the agent's own to tell."""
    place = run / "audit/logs/tikv.log"
    other = run / "other.log"
    other.write_text("[2025/03/04 09:10:00.000 +00:00] write stall\n")
    place.unlink()
    os.link(other, place)
    assert not codes(judged(tmp_path))


@pytest.mark.parametrize("member", ["workspace_dir", "audit_dir", "output_file"])
@pytest.mark.parametrize("value", ["../../../../../outside", "/etc", "audit/../../trial-2", "..", "link"])
def test_a_record_names_nothing_outside(tmp_path: Path, run: Path, outside: Path, member: str, value: str) -> None:
    (run / "link").symlink_to(outside)
    write_files(run, {"case_run.json": record(**{member: value})})
    judgment = judged(tmp_path)
    assert "path_outside_case_run" in codes(judgment)
    assert not holds_outside(judgment, tmp_path)


def test_a_workspace_id_is_a_plain_name(tmp_path: Path, run: Path, outside: Path) -> None:
    elsewhere = tmp_path / "workspaces"
    elsewhere.mkdir()
    (elsewhere / "link").symlink_to(outside)
    for workspace_id in ("../outside", "/etc", "..", ".", "link", "a\0b"):
        write_files(run, {"case_run.json": record(workspace_id=workspace_id, workspace_dir="none")})
        judgment = jp.judge(tmp_path / "runs", tmp_path / "registry", workspaces_root=elsewhere)
        assert "path_outside_case_run" in codes(judgment)


@pytest.mark.parametrize("place", ["audit/evidence", "audit", "audit/logs"])
def test_a_directory_that_becomes_a_link_while_it_is_read_leads_nowhere(
    tmp_path: Path, run: Path, outside: Path, place: str
) -> None:
    """The directories are listed before their files are read; in between one is moved away and a link takes its place."""

    def swap() -> None:
        if not (run / place).is_symlink():
            os.rename(run / place, tmp_path / "moved")
            (run / place).symlink_to(outside / place)

    read = read_runs(tmp_path / "runs", then=swap)
    assert (run / place).is_symlink()
    texts = [text for text in read.texts.values() if text]
    assert texts
    assert not [text for text in texts if OUTSIDE in text]


def test_a_directory_that_vanishes_while_it_is_read_is_told(tmp_path: Path, run: Path) -> None:
    read = read_runs(tmp_path / "runs", then=lambda: shutil.rmtree(run / "audit", ignore_errors=True))
    assert "document_unreadable" in read.codes
    assert read.reading.runs.height == 1


@pytest.mark.parametrize("place", ["cases/disk-hang/judge.yaml", "pack.yaml", "suites/daily.yaml"])
def test_no_registry_file_but_a_regular_one_keeps_the_command(cli: Cli, tmp_path: Path, run: Path, place: str) -> None:
    replace_by(tmp_path / "registry" / place, os.mkfifo)
    told = cli(tmp_path, "validate")
    assert told.code == 2
    assert place.rpartition("/")[2] in told.out + told.err


@pytest.mark.parametrize("suffix", ["csv", "jsonl", "md"])
def test_an_output_through_a_link_leaves_its_target_alone(cli: Cli, tmp_path: Path, run: Path, suffix: str) -> None:
    """The file is put in place of the link."""
    target = tmp_path / f"precious.{suffix}"
    target.write_text("precious")
    link = tmp_path / f"link.{suffix}"
    link.symlink_to(target)
    told = cli(tmp_path, "judge", "runs", "--no-history", "-q", "-o", str(link))
    assert told.code == 0, told.err
    assert target.read_text() == "precious"
    assert CASE_RUN in link.read_text() or "disk" in link.read_text()
    assert not link.is_symlink()


def test_a_history_that_is_a_link_is_where_it_leads(cli: Cli, tmp_path: Path, run: Path) -> None:
    """The place of a history is the user's own, and may be a link."""
    (tmp_path / "big-disk").mkdir()
    (tmp_path / "history").symlink_to(tmp_path / "big-disk")
    told = cli(tmp_path, "judge", "runs", "-q", "--history-dir", "history")
    assert told.code == 0, told.err
    assert (tmp_path / "big-disk" / "history.json").is_file()


def test_nothing_of_a_bundle_is_run_or_imported(tmp_path: Path, run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    mark = tmp_path / "was-run"
    code = f"open({str(mark)!r}, 'w').write('x')\n"
    names = ("conftest.py", "sitecustomize.py", "judge_polars.py", "polars.py", "yaml.py", "__init__.py", "setup.py")
    write_files(run / "audit", dict.fromkeys(names, code))
    pickled = b"cposix\nsystem\n(S'touch " + os.fsencode(mark) + b"'\ntR."
    (run / "audit" / "evidence" / "x.pkl").write_bytes(pickled)
    (run / "audit" / "evidence" / "x.json").write_bytes(pickled)
    write_files(
        run / "audit", {"manifest.yaml": "!!python/object/apply:os.system ['touch x']", "x.json": json.dumps({})}
    )
    monkeypatch.chdir(run / "audit")
    judged(tmp_path)
    assert not mark.exists()
