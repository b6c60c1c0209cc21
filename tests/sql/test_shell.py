"""Every file of `sql/` by hand in the real `duckdb` shell, on a file that holds the tables."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import duckdb
import pytest

from judge_polars.history.bridge import create_tables
from judge_polars.history.sql_files import sql_files
from tests.sql.history_builder import History

SHELL = shutil.which("duckdb", path=str(Path(sys.executable).parent)) or shutil.which("duckdb")
NO_EXTENSIONS = ("set autoinstall_known_extensions = false;", "set autoload_known_extensions = false;")

pytestmark = pytest.mark.skipif(SHELL is None, reason="no duckdb shell: pip install duckdb-cli")


def shell(database: Path, lines: Sequence[str], *options: str) -> str:
    """What the shell prints for lines typed into it, on a database file."""
    assert SHELL is not None
    found = subprocess.run(
        [SHELL, "-batch", "-bail", *options, str(database)],
        input="\n".join((*NO_EXTENSIONS, *lines)) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert found.returncode == 0, found.stderr
    assert found.stderr == ""
    return found.stdout


@pytest.fixture(scope="module")
def file_with_tables(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database file as the shell can open it, with some rows in the tables and nothing of `sql/`."""
    path = tmp_path_factory.mktemp("shell") / "history.duckdb"
    with duckdb.connect(str(path), config={"storage_compatibility_version": "v1.5.0"}) as con:
        create_tables(con)
        history = History(con)
        history.case_of_verdicts()
        history.add("judgments", {"judgment_id": "j1"})
        history.add("eval_runs", {"eval_run_id": "r1"})
        history.add("suites", {"suite_id": "suite-a", "suite_digest": "s"})
        history.add("baselines", {})
        history.add(
            "baseline_cases", {"case_id": "case-a", "trials": 3, "passed_trials": 3, "buckets": '{"contract": "pass"}'}
        )
        for number, verdict in enumerate(["pass", "diagnosis", "partial", "invalid"], start=1):
            history.trial(f"r1/case-a/{number}", verdict)
        history.write()
    return path


def test_runs_by_hand_and_again(file_with_tables: Path) -> None:
    for _ in ("first", "again"):
        shell(file_with_tables, [f".read {path}" for path in sql_files()])
    names = json.loads(shell(file_with_tables, ["select view_name from duckdb_views() where not internal;"], "-json"))
    queries = [f"select count(*) as number from (from {row['view_name']});" for row in names]
    assert shell(file_with_tables, queries, "-csv", "-noheader").count("\n") == len(queries)

    def rows(query: str) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = json.loads(shell(file_with_tables, [f"{query};"], "-json"))
        return found

    assert rows("select case_run_id, verdict, primary_failure_code, score from verdicts order by trial") == [
        {"case_run_id": "r1/case-a/1", "verdict": "pass", "primary_failure_code": None, "score": 20.0},
        {
            "case_run_id": "r1/case-a/2",
            "verdict": "fail",
            "primary_failure_code": "diagnosis_critical_gate_failed",
            "score": 10.0,
        },
        {
            "case_run_id": "r1/case-a/3",
            "verdict": "fail",
            "primary_failure_code": "critical_evidence_partial",
            "score": 15.0,
        },
        {"case_run_id": "r1/case-a/4", "verdict": "invalid", "primary_failure_code": "contract_failed", "score": None},
    ]
    assert rows("select change, evidence from baseline_regressions") == [
        {"change": "regressed", "evidence": "within_noise"}
    ]


def test_every_example_of_help_runs_as_in_the_library(file_with_tables: Path) -> None:
    """Shell and library are of different versions; both find the same number of rows, audits none."""
    shell(file_with_tables, [f".read {path}" for path in sql_files()])
    rows = json.loads(shell(file_with_tables, ["select view_name, example from help order by position;"], "-json"))
    queries = [f"select count(*) from ({row['example']});" for row in rows]
    printed = shell(file_with_tables, queries, "-csv", "-noheader").split()
    with duckdb.connect(str(file_with_tables), read_only=True) as con:
        found = [str(con.execute(query).fetchall()[0][0]) for query in queries]
    assert printed == found
    counts = dict(zip((row["view_name"] for row in rows), found, strict=True))
    assert {count for name, count in counts.items() if name.startswith("audit_")} == {"0"}
    assert counts["verdicts"] == "4"
    assert counts["suite_trends"] == "1"
