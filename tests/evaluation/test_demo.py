"""The demo that ships: its runs are what their script makes, and they are judged as they were designed."""

import csv
import subprocess
import sys
from pathlib import Path

import pytest

from judge_polars.judge import judge_runs
from judge_polars.judgment import Judgment
from judge_polars.registry import load_registry
from judge_polars.vocabulary import FAILURE_CODES, VERDICTS

EVALUATION = Path(__file__).parents[2] / "evaluation"


@pytest.fixture(scope="module")
def judgment() -> Judgment:
    return judge_runs([EVALUATION / "runs"], load_registry(EVALUATION / "regression").compile())


def test_runs_are_what_the_script_makes() -> None:
    done = subprocess.run(
        [sys.executable, str(EVALUATION / "make_demo_runs.py"), "--check"], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr


def test_verdicts_are_as_designed(judgment: Judgment) -> None:
    with (EVALUATION / "expected_verdicts.csv").open(encoding="utf-8") as file:
        designed = {
            row["case_run_id"]: (row["verdict"], row["primary_failure_code"] or None) for row in csv.DictReader(file)
        }
    judged = judgment.verdicts.select("case_run_id", "verdict", "primary_failure_code")
    assert {key: (verdict, code) for key, verdict, code in judged.iter_rows()} == designed


def test_every_verdict_and_failure_code_occurs(judgment: Judgment) -> None:
    assert set(judgment.verdicts["verdict"]) == set(VERDICTS)
    assert set(judgment.verdicts["primary_failure_code"].drop_nulls()) == set(FAILURE_CODES)


def test_the_promoted_run_is_its_own_baseline(judgment: Judgment) -> None:
    (baseline,) = load_registry(EVALUATION / "regression").compile().baselines
    own = judgment.sql(
        "select change, rubric_changed from baseline_regressions where eval_run_id = ?", [baseline.eval_run_id]
    )
    assert own.rows() == [("unchanged", False)] * 3


def test_a_regression_an_improvement_and_a_flaky_case_occur(judgment: Judgment) -> None:
    assert {"regressed", "improved", "missing", "score_dropped"} <= set(judgment.regressions["change"])
    mixed = judgment.sql("select count(*) from case_verdicts where passed > 0 and failed > 0").item()
    assert mixed > 0


def test_audits_find_nothing(judgment: Judgment) -> None:
    views = judgment.sql("select view_name from duckdb_views() where view_name like 'audit_%'")["view_name"]
    assert len(views) > 0
    for view in views:
        assert judgment.sql(f"from {view}").height == 0, view
