"""A report on a thousand case runs that are all no pass stays small and sound."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import polars as pl
import pytest

import judge_polars as jp
from judge_polars.explain import Explanation, explain
from judge_polars.gate import GateResult, decide
from judge_polars.judgment import Judgment
from judge_polars.report.content import Report
from judge_polars.report.gather import Wanted, gather
from judge_polars.report.github import SUMMARY_BYTES, as_annotations, as_summary
from judge_polars.report.html import as_html
from judge_polars.report.markdown_page import as_markdown
from judge_polars.report.outcomes import outcomes
from tests.report.scene import EVIL_RUN, page_of, write_hostile_world

MANY = 1_000
MOST_BYTES = 5_000_000
OF_RUNS = ("case_runs", "bundles", "issues", "routing_refs", "judged_case_runs")


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> tuple[Judgment, dict[str, Explanation]]:
    """A thousand case runs of the hostile world, and an explanation of each."""
    world = write_hostile_world(tmp_path_factory.mktemp("many"))
    judgment = jp.judge(world / "runs", world / "registry")
    own = {key: explain(judgment, key) for key in judgment.verdicts["case_run_id"]}
    copies = MANY // len(own)
    frames = dict(judgment.frames)
    for name in OF_RUNS:
        frames[name] = pl.concat(copied(frames[name], number) for number in range(copies))
    keys = frames["judged_case_runs"]["judged_key"].n_unique()
    assert keys == MANY
    frames["check_outcomes"] = pl.concat(
        frames["check_outcomes"].with_columns(pl.col("judged_key") + 1_000 * number) for number in range(copies)
    )
    told = {
        renamed(key, number): replace(one, case_run_id=renamed(key, number))
        for number in range(copies)
        for key, one in own.items()
    }
    return Judgment(frames), told


def renamed(case_run_id: str, number: int) -> str:
    """The id of a copy, which is another trial."""
    return f"{case_run_id.rpartition('/')[0]}/{number + 1}"


def copied(frame: pl.DataFrame, number: int) -> pl.DataFrame:
    """Rows of case runs as those of other trials."""
    changes: list[pl.Expr] = [pl.col("case_run_id").str.replace(r"/\d+$", f"/{number + 1}")]
    if "trial" in frame.columns:
        changes.append(pl.lit(number + 1, pl.Int64).alias("trial"))
    if "judged_key" in frame.columns:
        changes.append(pl.col("judged_key") + 1_000 * number)
    return frame.filter(pl.col("case_run_id").is_not_null()).with_columns(changes)


@pytest.fixture(scope="module")
def report(explained: tuple[Judgment, dict[str, Explanation]]) -> Report:
    """With the excerpts of all."""
    judgment, told = explained

    def explanations(ids: Any) -> Any:
        return (told[key] for key in ids)

    gate = GateResult(True, "gate FAILED (fail: 1,000 of 1,000 case runs)")
    return gather(judgment, Wanted(EVIL_RUN, gate, "judge-polars report", explanations, excerpts=MANY))


def test_a_thousand_case_runs_are_small(report: Report) -> None:
    assert sum(map(len, report.groups.values())) == MANY
    content = as_html(report)
    assert 1_000_000 < len(content) < MOST_BYTES
    assert len(page_of(content).named("details")) == MANY + 1
    assert len(as_markdown(report)) < MOST_BYTES


def test_what_is_left_out_is_said(report: Report) -> None:
    runs = [run for runs in report.groups.values() for run in runs]
    assert all(run.checks for run in runs)
    assert any("left out" in note for run in runs for note in run.notes)
    assert all("judge-polars explain" in run.notes[-1] for run in runs if run.notes)


def test_ci_is_told_within_its_limits(explained: tuple[Judgment, dict[str, Explanation]]) -> None:
    judgment, _ = explained
    told = outcomes(judgment, decide(judgment, judgment.verdicts, ()))
    assert len(as_annotations(told).splitlines()) == 10
    whole, cut = as_summary(told), as_summary(told, 20_000)
    assert len(whole) <= SUMMARY_BYTES
    assert len(cut) <= 20_000
    assert cut.decode().rstrip().endswith("at most 20,000 bytes.")
