"""`probe`: what is shown, in which formats, and the exit codes."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from rich.cells import cell_len

from tests.cli.conftest import Cli
from tests.probe.rubrics import CASE, CLAIM, GOOD_CHECKS, RIGHT_ANSWER, diagnosis, good_run, write_registry, write_runs
from tests.probe.test_probing import WHOLE

COLUMNS = ["case_id", "group", "probe", "run", "expected", "got", "state", "noticed_by", "detail"]


@pytest.fixture
def good(tmp_path: Path) -> Path:
    """A registry of one good case, `runs/` with a passing run beside it."""
    write_runs(tmp_path / "place" / "runs", good_run())
    references = {"reference.md": RIGHT_ANSWER}
    return write_registry(tmp_path / "place" / "registry", WHOLE, references=references)


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    """A registry of one case that an answer passes which claims everything; no runs."""
    return write_registry(tmp_path / "bad", diagnosis(CLAIM))


def test_a_good_rubric(cli: Cli, good: Path) -> None:
    result = cli("probe", "--registry", str(good), registry=False)
    assert result.code == 0
    assert "nothing is wrong with the rubrics" in result.out
    assert "✓  reference.md" in result.out or "✓ reference.md" in result.out
    assert "! artifact_gone:evidence/events.json" in result.out
    assert result.err == ""


def test_a_bad_rubric(cli: Cli, bad: Path) -> None:
    result = cli("probe", CASE, "--registry", str(bad), registry=False)
    assert result.code == 1
    assert "✗ causes_claimed" in result.out
    assert "limit output.claimed_causes" in " ".join(result.out.split())
    assert "1 wrong: mend the rubric (exit code 1)" in result.out
    assert "no runs are named" in result.err
    assert "only its diagnosis bucket is probed" in result.err


def test_a_reference_that_fails_names_the_checks(cli: Cli, tmp_path: Path) -> None:
    registry = write_registry(tmp_path / "r", diagnosis(*GOOD_CHECKS), references={"reference.md": "Who knows?"})
    out = " ".join(cli("probe", "--registry", str(registry), registry=False).out.split())
    assert (
        "got fails 1 of them · the right answer fails; mend the answer, or these checks: diagnosis.claims_disk" in out
    )


@pytest.mark.parametrize("width", [80, 200])
def test_it_fits_the_terminal(cli: Cli, good: Path, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    out = cli("probe", "--registry", str(good), registry=False).out
    assert max(map(cell_len, out.splitlines())) <= width
    assert "\x1b" not in out
    assert all(word in out for word in ("must pass", "must not pass", "spoilt", "expected", "got"))


def test_json(cli: Cli, good: Path) -> None:
    rows = json.loads(cli("probe", "--registry", str(good), "--format", "json", registry=False).out)
    assert all(list(row) == COLUMNS for row in rows)
    by_probe = {row["probe"]: row for row in rows}
    assert by_probe["another_cluster"] == {
        "case_id": CASE,
        "group": "spoilt",
        "probe": "another_cluster",
        "run": f"night/{CASE}/1",
        "expected": "noticed",
        "got": "invalid (contract_failed)",
        "state": "good",
        "noticed_by": ["contract.cluster_scope_match"],
        "detail": "",
    }
    assert {row["group"] for row in rows} == {"control", "answer", "spoilt"}


def test_other_formats_hold_the_same_rows(cli: Cli, bad: Path, tmp_path: Path) -> None:
    files = [part for suffix in ("csv", "md", "json") for part in ("-o", str(tmp_path / f"out.{suffix}"))]
    result = cli("probe", "--registry", str(bad), "--format", "jsonl", *files, registry=False)
    records = [json.loads(line) for line in result.out.splitlines()]
    assert records == json.loads((tmp_path / "out.json").read_text())
    table = list(csv.DictReader(io.StringIO((tmp_path / "out.csv").read_text())))
    assert [row["probe"] for row in table] == [record["probe"] for record in records]
    assert len((tmp_path / "out.md").read_text().splitlines()) == len(records) + 2


def test_the_first_argument_may_be_runs(cli: Cli, good: Path, tmp_path: Path) -> None:
    runs = write_runs(tmp_path / "others", good_run(), trial=7)
    rows = json.loads(cli("probe", str(runs), "--registry", str(good), "-f", "json", registry=False).out)
    assert {row["run"] for row in rows if row["group"] == "spoilt"} == {f"night/{CASE}/7"}


def test_globs(cli: Cli, good: Path) -> None:
    assert cli("probe", "disk-*", "--registry", str(good), "--most", "1", registry=False).code == 0


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["disk-hangs"], "the registry has no such case; nearest: disk-hang"),
        (["disk-hang", "nowhere"], "nowhere"),
        (["--most", "0"], "--most"),
        (["--format", "html"], "--format html: one of"),
    ],
)
def test_wrong_usage(cli: Cli, good: Path, arguments: list[str], message: str) -> None:
    result = cli("probe", *arguments, "--registry", str(good), registry=False)
    assert result.code == 2
    assert message in result.err
    assert result.out == ""


def test_hostile_text_is_made_printable(cli: Cli, tmp_path: Path) -> None:
    run = good_run(**{"audit/evidence/\x1b[31mred\u202e.json": "[]"})
    registry = write_registry(tmp_path / "registry", {**WHOLE, **diagnosis(*GOOD_CHECKS)})
    out = cli("probe", CASE, str(write_runs(tmp_path / "r", run)), "--registry", str(registry), registry=False).out
    assert "\x1b" not in out
    assert "\u202e" not in out
    assert "red" in out
