"""The registry that ships is sound, on the runs that ship."""

from __future__ import annotations

import csv
from pathlib import Path

import pytest

import judge_polars
from judge_polars.judge import judge_runs
from judge_polars.probe.probing import Report, probe
from judge_polars.registry import load_registry
from judge_polars.rulebook import RuleBook

EVALUATION = Path(judge_polars.__file__).resolve().parents[1] / "evaluation"


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return load_registry(EVALUATION / "regression").compile()


@pytest.fixture(scope="module")
def report(book: RuleBook) -> Report:
    return probe(book, book.cases, [EVALUATION / "runs"], most=1)


def test_nothing_is_wrong(report: Report) -> None:
    assert [outcome for outcome in report.outcomes if outcome.state in ("wrong", "unknown")] == []
    assert all(spoilt == 1 for spoilt, _ in report.passing.values())


def test_every_probe_is_made(report: Report, book: RuleBook) -> None:
    for case in book.cases:
        probes = [outcome.probe for outcome in report.outcomes if outcome.case_id == case.id]
        assert {"reference.md", "reference_run", "unspoilt", "empty_answer", "null_agent", "stuffed_answer"} <= set(
            probes
        )
        assert {"causes_listed", "conclusions_denied", "another_cluster", "shifted_window"} <= set(probes)
        assert {f"dangling_reference:{channel}" for channel in ("metric", "query", "log", "event")} <= set(probes)


def test_dangling_references_and_identity_are_noticed(report: Report) -> None:
    watched = ("dangling_reference", "another_cluster", "shifted_window", "points_out_of_window")
    unnoticed = [one for one in report.outcomes if one.probe.startswith(watched) and one.state != "good"]
    assert unnoticed == []


def test_verdicts_are_as_designed(book: RuleBook) -> None:
    with (EVALUATION / "expected_verdicts.csv").open(encoding="utf-8", newline="") as lines:
        designed = {
            row["case_run_id"]: (row["verdict"], row["primary_failure_code"] or None) for row in csv.DictReader(lines)
        }
    judged = judge_runs([EVALUATION / "runs"], book).verdicts
    assert {
        key: told for key, *told in judged.select("case_run_id", "verdict", "primary_failure_code").iter_rows()
    } == {key: list(told) for key, told in designed.items()}
