"""`open_history`: documents and points of case runs, as the files have them; promotion out of a history."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import duckdb
import polars as pl
import pytest

import judge_polars as jp
from judge_polars.baselines import plan_promotion, promote
from judge_polars.errors import InputError
from judge_polars.judge import Options, judge_runs
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.registry import load_registry
from judge_polars.rulebook import RuleBook
from judge_polars.sources import DOCUMENT_TEXTS
from tests.history.worlds import ingest, judge_all

EVALUATION = Path(__file__).parents[2] / "evaluation"
NIGHT = "2025-03-04-nightly"


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, RuleBook, Judgment]:
    """A history of one night of the demo, its registry, and the same night judged from files."""
    place = tmp_path_factory.mktemp("demo")
    shutil.copytree(EVALUATION / "regression", place / "regression")
    book = load_registry(place / "regression").compile()
    runs = EVALUATION / "runs" / NIGHT
    ingest(place / "history", runs, book)
    judge_all(place / "history", book)
    return place, book, judge_runs([runs], book, Options(evidence=True))


def test_documents_are_those_of_the_files(demo: tuple[Path, RuleBook, Judgment]) -> None:
    place, _, judgment = demo
    ids = judgment.verdicts["case_run_id"].to_list()
    with jp.open_history(place / "history") as history:
        found = history.documents(ids)
    assert found.schema == DOCUMENT_TEXTS
    assert found.equals(JudgedRuns(judgment).documents(ids))


def test_documents_of_a_judgment_out_of_the_record(demo: tuple[Path, RuleBook, Judgment]) -> None:
    place, book, judgment = demo
    ids = judgment.verdicts["case_run_id"].to_list()[:2]
    with jp.open_history(place / "history") as history:
        recalled = history.recall(book)
    assert JudgedRuns(recalled).documents(ids).equals(JudgedRuns(judgment).documents(ids))


def test_metric_points_are_those_of_the_files(demo: tuple[Path, RuleBook, Judgment]) -> None:
    place, _, judgment = demo
    wanted = judgment.frames["metric_series"].join(
        judgment.frames["metric_points"], on=["case_run_id", "series_id"], how="inner"
    )
    ids = judgment.verdicts["case_run_id"].to_list()
    with jp.open_history(place / "history") as history:
        found = history.metric_points(ids)
    assert found.height > 100
    columns = ["case_run_id", "document", "name", "labels", "ts", "value"]
    assert found.sort(columns).equals(wanted.select(columns).sort(columns))


def test_an_eval_run_of_a_history_is_promoted(demo: tuple[Path, RuleBook, Judgment], tmp_path: Path) -> None:
    place, book, judgment = demo
    registry = tmp_path / "regression"
    shutil.copytree(place / "regression", registry)
    kept: dict[str, dict[str, bytes]] = {}
    with jp.open_history(place / "history") as history:
        for name, source in (("history", history), ("files", JudgedRuns(judgment))):
            plan = plan_promotion(source, NIGHT, book, created_by="someone")
            assert plan.refusals == ()
            promote(source, plan, registry, book, force=True)
            export = registry / "baselines" / "runs" / NIGHT
            files = sorted(path for path in export.rglob("*") if path.is_file())
            kept[name] = {path.relative_to(export).as_posix(): path.read_bytes() for path in files}
    assert list(kept["history"]) == list(kept["files"])
    assert any(name.endswith("metrics.json") for name in kept["history"])
    texts = [name for name in kept["files"] if "evidence/" in name]
    assert [name for name in texts if kept["history"][name] != kept["files"][name]] == []


def test_documents_of_other_candidates_are_no_part_of_it(demo: tuple[Path, RuleBook, Judgment], tmp_path: Path) -> None:
    _, book, judgment = demo
    resolved = judgment.frames["bundles"].filter(pl.col("status") == "resolved")
    case_run_id, root = resolved.select("case_run_id", "root").row(0)
    eval_run, case, trial = case_run_id.split("/")
    below = Path(eval_run, "cases", case, f"trial-{trial}")
    shutil.copytree(EVALUATION / "runs" / below, tmp_path / "runs" / below)
    other = tmp_path / "runs" / below / "workspace" / "other"
    shutil.copytree(tmp_path / "runs" / below / root, other)
    cluster = next(one.cluster_id for one in book.cases if one.id == case)
    for path in other.rglob("*.json"):
        path.write_text(path.read_text().replace(cluster, "999"))
    (other / "only_here.json").write_text("{}")
    again = judge_runs([tmp_path / "runs"], book)
    roots = json.loads(again.frames["bundles"]["candidates"].item())
    assert len([one for one in roots if not one["reasons"]]) == 2
    assert again.frames["bundles"]["root"].item() == root
    ingest(tmp_path / "history", tmp_path / "runs", book)
    judge_all(tmp_path / "history", book)
    wanted = JudgedRuns(judgment).documents([case_run_id])["document"].to_list()
    with jp.open_history(tmp_path / "history") as history:
        for source in (history, JudgedRuns(again)):
            assert source.documents([case_run_id])["document"].to_list() == wanted


@pytest.mark.parametrize("read_only", [True, False])
def test_a_history_that_this_process_has_open_by_itself(
    demo: tuple[Path, RuleBook, Judgment], tmp_path: Path, read_only: bool
) -> None:
    """As a notebook does that looks into the file with DuckDB."""
    place, book, _ = demo
    history = tmp_path / "history"
    shutil.copytree(place / "history", history)
    with duckdb.connect(str(history / "history.duckdb"), read_only=read_only) as own:
        count = "select count(*), count(distinct judgment_id) from all_verdicts"
        [(runs, judgments)] = own.execute(count).fetchall()
        with jp.open_history(history) as opened:
            assert opened.sql(count).row(0) == (runs, judgments)
            judge_all(history, book)
        with jp.open_history(history) as opened:
            assert opened.sql(count).row(0) == (2 * runs, judgments + 1)
        assert own.execute(count).fetchall() == [(runs, judgments)]
    assert not [path for path in history.glob(".*") if path.name != ".gitignore"]


def test_a_publisher_leaves_a_reader_alone_that_is_about_to_open_the_file(
    demo: tuple[Path, RuleBook, Judgment], tmp_path: Path
) -> None:
    place, book, _ = demo
    history = tmp_path / "history"
    shutil.copytree(place / "history", history)
    now, killed = history / ".opening-now", history / ".opening-killed"
    for folder in (now, killed):
        folder.mkdir()
        (folder / "history.duckdb").write_bytes(b"")
    os.utime(killed, (0, 0))
    judge_all(history, book)
    assert now.exists()
    assert not killed.exists()


def test_where_no_other_name_can_be_given_the_way_out_is_told(
    demo: tuple[Path, RuleBook, Judgment], monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(*_: object) -> None:
        raise OSError("no links here")

    place, _, _ = demo
    monkeypatch.setattr(os, "link", refused)
    with (
        duckdb.connect(str(place / "history" / "history.duckdb")),
        pytest.raises(InputError, match="it was just written and cannot be read; close what has it open"),
    ):
        jp.open_history(place / "history")


def test_no_case_run_has_no_documents(demo: tuple[Path, RuleBook, Judgment]) -> None:
    place, _, _ = demo
    with jp.open_history(place / "history") as history:
        assert history.documents([]).schema == DOCUMENT_TEXTS
        assert history.documents(["nothing/at-all/1"]).is_empty()
        assert history.metric_points([]).schema["value"] == pl.Float64


@pytest.mark.parametrize("name", ["a[bc", "a*", "a[!x]c", "it's", "two\nlines"])
def test_the_directory_of_a_history_is_no_pattern(
    demo: tuple[Path, RuleBook, Judgment], tmp_path: Path, name: str
) -> None:
    place, _, judgment = demo
    shutil.copytree(place / "history", tmp_path / name)
    (tmp_path / name / "history.duckdb").unlink()
    shutil.copytree(place / "history" / "record", tmp_path / "abc" / "record")
    with jp.open_history(tmp_path / name) as history:
        assert history.sql("from verdicts").height == judgment.verdicts.height
