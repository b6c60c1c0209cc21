"""What a judgment comes to."""

from __future__ import annotations

import polars as pl
import pytest

import judge_polars as jp
from judge_polars.judgment import Judgment
from judge_polars.report.reasons import deciding_reasons
from judge_polars.report.summary import summarise
from tests.cli.world import write_world


@pytest.fixture(scope="module")
def judgment(tmp_path_factory: pytest.TempPathFactory) -> Judgment:
    """The small world, judged."""
    world = write_world(tmp_path_factory.mktemp("world"))
    return jp.judge(world / "runs", world / "registry")


def test_counts_and_rates(judgment: Judgment) -> None:
    told = summarise(judgment, judgment.verdicts)
    assert (told.shown, told.judged, told.planned, told.eval_runs, told.incomplete) == (8, 8, 8, 2, 0)
    assert told.counts == {"pass": 4, "fail": 2, "invalid": 2}
    assert (told.pass_rate.part, told.pass_rate.whole) == (4, 6)
    assert told.pass_rate.rate == pytest.approx(2 / 3)
    # Wilson's interval of 4 out of 6 by its formula, z = 1.959963984540054.
    assert told.pass_rate.low == pytest.approx(0.2999933, abs=1e-6)
    assert told.pass_rate.high == pytest.approx(0.9032286, abs=1e-6)
    assert told.invalid_by_cause == {"agent": 1, "provider": 1}
    assert told.issues == {"unknown_case": 1}
    assert told.unknown_cases == {"lock-waits": 1}


def test_of_shown_verdicts(judgment: Judgment) -> None:
    told = summarise(judgment, judgment.verdicts.filter(pl.col("verdict") == "invalid"))
    assert (told.shown, told.judged) == (2, 8)
    assert told.pass_rate.rate is None
    assert told.codes == {"contract_failed": 1, "environment_failed": 1}


def test_comparison_with_the_baseline(judgment: Judgment) -> None:
    worse, same = summarise(judgment, judgment.verdicts).comparisons
    assert (worse.eval_run_id, dict(worse.changes)) == ("2025-03-05-nightly", {"regressed": 2})
    assert (same.eval_run_id, dict(same.changes), same.rows) == ("2025-03-04-nightly", {"unchanged": 2}, ())
    assert (worse.age_days, worse.age_eval_runs) == (1, 1)
    assert (same.age_days, same.age_eval_runs) == (0, 0)
    assert [(row["case_id"], row["first_worse_bucket"]) for row in worse.rows] == [
        ("disk-hang", "critical_evidence"),
        ("lock-wait", "contract"),
    ]


def test_age_does_not_depend_on_what_is_selected(judgment: Judgment) -> None:
    one = judgment.narrowed(eval_runs=["2025-03-05-nightly"])
    [told] = summarise(one, one.verdicts).comparisons
    assert told.age_eval_runs == 1


def test_narrowed_to_cases_nothing_else_is_missing(judgment: Judgment) -> None:
    one = judgment.narrowed(cases=["lock-wait"])
    changes = {row.eval_run_id: dict(row.changes) for row in summarise(one, one.verdicts).comparisons}
    assert changes["2025-03-05-nightly"]["regressed"] == 1
    assert "missing" not in changes["2025-03-05-nightly"]


def test_reasons_are_the_failed_checks_of_the_deciding_bucket(judgment: Judgment) -> None:
    assert deciding_reasons(judgment) == {
        "2025-03-05-nightly/disk-hang/1": "metric_refs_resolvable",
        "2025-03-05-nightly/disk-hang/2": "disk_busy, writes_stalled (no selected document has text)",
        "2025-03-05-nightly/lock-wait/1": "cluster_scope_match",
        "2025-03-05-nightly/lock-wait/2": "the environment or the provider broke the run, and there is no final output",
    }
