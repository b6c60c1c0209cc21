"""`baseline list|show|diff|promote|verify`."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from rich.cells import cell_len

from judge_polars.baselines import age
from judge_polars.registry import load_registry
from tests.cli.conftest import Cli, Result, matches_snapshot
from tests.cli.world import BASELINE, REGISTRY, write_files

GOOD = "2025-03-04-nightly"
WORSE = "2025-03-05-nightly"
Own = Callable[..., Result]


@pytest.fixture
def own(cli: Cli, tmp_path: Path) -> Own:
    """Runs a `baseline` command on a registry of the test's own, `registry/` here."""
    write_files(tmp_path / "registry", REGISTRY)

    def call(*arguments: str) -> Result:
        return cli("baseline", *arguments, "--registry", "registry", registry=False)

    return call


@pytest.fixture(autouse=True)
def at_a_fixed_time(monkeypatch: pytest.MonkeyPatch) -> None:
    """Today is the sixth of March 2025."""

    class Fixed(datetime):
        @classmethod
        def now(cls, tz: object = None) -> Fixed:
            return cls(2025, 3, 6, 8, tzinfo=UTC)

    from judge_polars.baselines import promotion
    from judge_polars.cli import baselining

    monkeypatch.setattr(baselining, "datetime", Fixed)
    monkeypatch.setattr(promotion, "datetime", Fixed)
    assert age.MOST_DAYS == 14


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize(
    ("name", "arguments"),
    [
        ("list", ["list", "RUNS"]),
        ("show", ["show", "daily", "RUNS"]),
        ("diff", ["diff", WORSE, "RUNS"]),
        ("verify", ["verify", "RUNS"]),
    ],
)
def test_table(
    own: Own, world: Path, name: str, arguments: list[str], width: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    result = own(*arguments)
    assert result.code == (1 if name == "verify" else 0), result.err
    assert matches_snapshot(result.out, f"baseline_{name}_{width}.txt", world)
    assert max(map(cell_len, result.out.splitlines())) <= width


def test_list_without_runs(own: Own) -> None:
    [row] = json.loads(own("list", "--format", "json").out)
    assert (row["suite"], row["age_days"], row["age_eval_runs"]) == ("daily", 3, None)
    assert row["state"] == "the rubric of 2 cases has changed since"
    [line] = csv.DictReader(io.StringIO(own("list", "RUNS", "--format", "csv").out))
    assert line["age_eval_runs"] == "2"


def test_an_old_baseline_is_warned_of(own: Own) -> None:
    assert "more than 2 days" in own("list", "--max-age-days", "2").err
    assert "more than" not in own("list").err


def test_show_as_json_is_the_manifest(own: Own) -> None:
    shown = json.loads(own("show", "daily", "--format", "json").out)
    assert shown["eval_run_id"] == "2025-03-03-nightly"
    assert shown["cases"]["lock-wait"]["score"] == 18


def test_promote_and_verify(own: Own) -> None:
    refused = own("promote", GOOD, "RUNS")
    assert refused.code == 2
    assert (
        "the manifest registry/baselines/daily.yaml is there already; --force replaces it [would_overwrite]"
        in refused.err
    )
    assert Path("registry/baselines/daily.yaml").read_text() == BASELINE

    done = own("promote", GOOD, "RUNS", "--force", "--by", "me", "--notes", "better", "--without-scanner")
    assert done.code == 0, done.err
    assert f"✓ {GOOD}, the baseline of daily" in done.out
    [baseline] = load_registry("registry").compile().baselines
    assert (baseline.eval_run_id, baseline.created_by, baseline.notes) == (GOOD, "me", "better")
    assert baseline.promoted_at == datetime(2025, 3, 6, 8, tzinfo=UTC)
    assert {case.case_id: case.verdict for case in baseline.cases} == {"disk-hang": "pass", "lock-wait": "pass"}
    assert Path(f"registry/baselines/runs/{GOOD}/cases/disk-hang/trial-1/audit/logs/tikv.log").is_file()

    assert own("verify", "RUNS").code == 0
    Path(f"registry/baselines/runs/{GOOD}/cases/disk-hang/trial-1/output.md").write_text("The disk hung, more or less.")
    result = own("verify", "RUNS", "--format", "json")
    assert result.code == 1
    assert {row["what"]: row["holds"] for row in json.loads(result.out)} == {
        "suite version": True,
        "cases of the suite": True,
        "case versions and digests": True,
        "export": False,
        "judged again": True,
    }


def test_a_promotion_that_would_lower_cases_is_refused_with_all_reasons(own: Own) -> None:
    refused = own("promote", WORSE, "RUNS", "--force", "--without-scanner")
    assert (refused.code, refused.out) == (2, "")
    codes = [line.rpartition("[")[2].rstrip("]") for line in refused.err.splitlines() if line.startswith("  - ")]
    assert codes == ["case_run_unfinished", "case_lowered", "case_lowered"]
    shown = own("diff", WORSE, "RUNS", "--format", "json")
    assert [one["code"] for one in json.loads(shown.out)["refusals"]] == codes
    assert "would be refused" in shown.err
    allowed = own("diff", WORSE, "RUNS", "--format", "json", "--allow-lower")
    assert [one["code"] for one in json.loads(allowed.out)["refusals"]] == ["case_run_unfinished"]


def test_diff_writes_nothing(own: Own) -> None:
    before = sorted(Path("registry").rglob("*"))
    assert "✓ nothing speaks against it" in own("diff", GOOD, "RUNS").out
    assert sorted(Path("registry").rglob("*")) == before


def test_without_the_scanner_promote_ends_with_the_command_that_brings_it(
    own: Own, monkeypatch: pytest.MonkeyPatch
) -> None:
    from judge_polars.masking import scanner

    monkeypatch.setattr(scanner, "find_spec", lambda _: None)
    result = own("promote", GOOD, "RUNS", "--force")
    assert result.code == 4
    assert "pip install 'judge-polars[redact]'" in result.err
    assert not Path("registry/baselines/runs").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (["show", "dayly"], 2, "the suite dayly has no baseline; nearest: daily"),
        (["verify", "--suite", "other"], 2, "the suite other has no baseline"),
        (["promote", "2025-03-09-nightly", "RUNS"], 2, "there is no eval run 2025-03-09-nightly"),
        (["list", "--format", "xml"], 2, "--format xml: one of"),
    ],
)
def test_wrong_usage(own: Own, arguments: list[str], code: int, message: str) -> None:
    result = own(*arguments)
    assert (result.code, result.out) == (code, "")
    assert message in result.err


def test_a_registry_without_baselines(own: Own) -> None:
    Path("registry/baselines/daily.yaml").unlink()
    for command in ("list", "verify"):
        result = own(command)
        assert result.code == 5
        assert "the registry has no baseline; `judge-polars baseline promote EVAL_RUN` makes one" in result.err
    assert re.search(r"\+ new case 2", own("diff", GOOD, "RUNS").out)
    assert own("promote", GOOD, "RUNS", "--without-scanner").code == 0
