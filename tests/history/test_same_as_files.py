"""What the record gives is what the files give: verdicts, checks, facts, references, issues, explanations."""

import os
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from judge_polars.chronicle import recalled_judgment
from judge_polars.compact import compact
from judge_polars.engine import Engine
from judge_polars.explain import explain, explain_each
from judge_polars.history import recall, together
from judge_polars.history.publish import publish
from judge_polars.history.record import Batch, Record
from judge_polars.judge import Options, judge_runs
from judge_polars.judgment import Judgment
from judge_polars.kept import RULE_CODES
from judge_polars.registry import load_registry
from tests.generate import write_world
from tests.history.worlds import content, ingest, judge_all

SEEDS = range(int(os.environ.get("JUDGE_POLARS_TEST_SEEDS", "1")))
OF_FRAMES = (
    "case_runs",
    "bundles",
    "documents",
    "facts",
    "metric_series",
    "query_evidence",
    "event_evidence",
    "routing_refs",
    "issues",
)


def told(judgment: Judgment, runs: pl.Series) -> dict[str, pl.DataFrame]:
    """Everything that a judgment says of case runs, in order."""
    of_runs = {name: judgment.frames[name] for name in OF_FRAMES}
    of_runs |= {"verdicts": judgment.verdicts, "checks": judgment.checks}
    kept = {name: frame.filter(pl.col("case_run_id").is_in(runs.implode())) for name, frame in of_runs.items()}
    passing = ("judgment_id", "judged_at")
    return {
        name: frame.drop([column for column in passing if column in frame.columns]).sort(pl.all())
        for name, frame in kept.items()
    }


def judgment_id(judgment: Judgment) -> str:
    return str(judgment.frames["judgments"]["judgment_id"].item())


def assert_same(found: dict[str, pl.DataFrame], wanted: dict[str, pl.DataFrame]) -> None:
    for name, frame in wanted.items():
        assert found[name].to_dicts() == frame.to_dicts(), name


@pytest.mark.parametrize("seed", SEEDS)
def test_judging_the_record(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_world(seed, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    from_files = judge_runs([tmp_path / "runs"], book, Options(evidence=True))
    ingest(tmp_path / "history", tmp_path / "runs", book)
    record = Record.open(tmp_path / "history")
    ids = from_files.frames["judged_case_runs"]["case_run_id"]
    wanted = told(from_files, ids)

    with_results = recalled_judgment(record, Engine(book), evidence=True)
    assert_same(told(with_results, ids), wanted)

    monkeypatch.setattr(recall.Recalled, "own_codes", lambda self: RULE_CODES.empty())
    assert_same(told(recalled_judgment(record, Engine(book), evidence=True), ids), wanted)


def test_explaining_from_the_record(tmp_path: Path) -> None:
    write_world(3, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    from_files = judge_runs([tmp_path / "runs"], book)
    ingest(tmp_path / "history", tmp_path / "runs", book)
    from_record = recalled_judgment(Record.open(tmp_path / "history"), Engine(book))
    ids = from_files.verdicts["case_run_id"].to_list()
    together = {told.case_run_id: told for told in explain_each(from_record, ids)}
    for case_run_id in ids:
        mine, theirs = str(together[case_run_id]), str(explain(from_files, case_run_id))
        assert mine.replace(judgment_id(from_record), "") == theirs.replace(judgment_id(from_files), "")


def test_explaining_many_cases_looks_the_record_over_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_world(3, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    ingest(tmp_path / "history", tmp_path / "runs", book)
    judgment = recalled_judgment(Record.open(tmp_path / "history"), Engine(book))
    read: list[str] = []
    read_together = together.read_together

    def counted(batches: list[Batch], table: str, *arguments: Any) -> tuple[pl.DataFrame, list[int]]:
        read.append(table)
        return read_together(batches, table, *arguments)

    monkeypatch.setattr("judge_polars.history.recall.read_together", counted)
    cases = judgment.verdicts.unique("case_id")["case_run_id"].to_list()
    assert len(list(explain_each(judgment, cases))) == len(cases) > 1
    assert read.count("states") == 1


@pytest.mark.parametrize("seed", [5])
def test_compaction_changes_nothing(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_world(seed, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    history = tmp_path / "history"
    for eval_run in sorted((tmp_path / "runs").iterdir()):
        if (eval_run / "cases").is_dir():
            ingest(history, eval_run, book)
    judge_all(history, book)
    before = content(history)
    record = Record.open(history)
    batches = len(record.batches())
    assert compact(record, at_once=True).before > 1
    assert len(record.batches()) < batches
    publish(record)
    assert_same(dict(content(history)), dict(before))
    monkeypatch.setattr(recall.Recalled, "own_codes", lambda self: RULE_CODES.empty())
    judge_all(history, book)
    assert_same(dict(content(history)), dict(before))
    compact(record, at_once=True)
    publish(record, rebuild=True)
    assert_same(dict(content(history)), dict(before))


def test_order_and_batches_change_nothing(tmp_path: Path) -> None:
    write_world(2, tmp_path)
    book = load_registry(tmp_path / "registry").compile()
    eval_runs = sorted(place for place in (tmp_path / "runs").iterdir() if (place / "cases").is_dir())
    for name, order in (("forward", eval_runs), ("backward", eval_runs[::-1])):
        for eval_run in order:
            ingest(tmp_path / name, eval_run, book)
        judge_all(tmp_path / name, book)
    ingest(tmp_path / "at_once", tmp_path / "runs", book)
    judge_all(tmp_path / "at_once", book)
    wanted = content(tmp_path / "at_once", (*OF_FRAMES[:-1], "verdicts"))
    for name in ("forward", "backward"):
        found = content(tmp_path / name, tuple(wanted))
        assert_same(dict(found), dict(wanted))
