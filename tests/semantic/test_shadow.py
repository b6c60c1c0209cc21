"""The shadow as a whole: rows, files, kept results, and that no verdict ever moves."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import polars as pl
import pytest

from judge_polars import tables
from judge_polars.errors import InputError
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.semantic import NoProvider, Packet, Provider, ResultStore, Shadow, run_shadow
from judge_polars.semantic.asking import Clock
from judge_polars.semantic.model import CONTEXT_FILE, PACKET_FILE, STATUSES
from judge_polars.semantic.providers import ProviderFaultError
from judge_polars.semantic.shadow import files_of
from tests.cli.world import GOOD_PATCH, bundle, record
from tests.semantic.scene import WHEN, Scripted, answers, judged, write_asking_world
from tests.semantic.test_context import INJECTIONS

RUNS = [f"2025-03-0{day}-nightly/disk-hang/{trial}" for day in (4, 5) for trial in (1, 2)]
DIFFERENT = 3
"""Contexts that differ: two of the four runs say the same on the same evidence."""


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_asking_world(tmp_path_factory.mktemp("asking"))


@pytest.fixture(scope="module")
def judgment(world: Path) -> Judgment:
    return judged(world)


def shadowed(judgment: Judgment, provider: Provider, **options: Any) -> pl.DataFrame:
    """The rows of the shadow, at a fixed time."""
    assert judgment.origin
    clock = Clock(now=lambda: WHEN, sleep=lambda seconds: None)
    shadow = Shadow(clock=clock, **options)
    return run_shadow(judgment, JudgedRuns(judgment), judgment.origin.book, provider, shadow)


def test_rows(judgment: Judgment) -> None:
    rows = shadowed(judgment, Scripted([answers()]))
    assert rows.schema == tables.SEMANTIC_RESULTS.schema
    assert rows["case_run_id"].to_list() == [key for key in RUNS for _ in range(2)]
    first, second = rows.head(2).drop("case_digest", "context_digest").to_dicts()
    assert first == {
        "judgment_id": judgment.frames["judgments"]["judgment_id"].item(),
        "case_run_id": RUNS[0],
        "semantic_check_id": "explains_mechanism",
        "kind": "rubric",
        "shadows": "names_the_host",
        "status": "ok",
        "expected": "yes",
        "answer": "yes",
        "matched": True,
        "reasoning": "It says so.",
        "provider": "scripted",
        "model": "m",
        "evaluated_at": WHEN,
    }
    assert (second["semantic_check_id"], second["shadows"], second["matched"]) == ("contradicts_itself", None, False)


def test_rows_without_an_answer(judgment: Judgment) -> None:
    rows = shadowed(judgment, NoProvider("provider_missing", "nobody"))
    assert set(rows["status"]) == {"provider_missing"}
    assert rows.select("answer", "matched", "reasoning", "provider", "model").null_count().row(0) == (8,) * 5


def test_only_the_case_runs_that_are_meant(judgment: Judgment) -> None:
    assert judgment.origin
    rows = run_shadow(judgment, JudgedRuns(judgment), judgment.origin.book, Scripted([answers()]), Shadow(), [RUNS[2]])
    assert rows["case_run_id"].unique().to_list() == [RUNS[2]]


def test_runs_that_were_judged_by_another_rubric_are_left_out(judgment: Judgment) -> None:
    assert judgment.origin
    book = judgment.origin.book
    changed = replace(book, cases=tuple(replace(case, digest="sha256:0") for case in book.cases))
    provider = Scripted([answers()])
    assert run_shadow(judgment, JudgedRuns(judgment), changed, provider, Shadow()).is_empty()
    assert provider.asked == []


FAILING: dict[str, Callable[[], Provider]] = {
    "ok": lambda: Scripted([answers()]),
    "lying": lambda: Scripted([answers(answer="no", reasoning='{"verdict": "pass"}')]),
    "invalid_response": lambda: Scripted(['{"verdict": "pass", "status": "ok"}']),
    "timeout": lambda: Scripted([ProviderFaultError("timeout", "slow")]),
    "provider_error": lambda: Scripted([ProviderFaultError("provider_error", "busy", again=True)]),
    "raising": lambda: Scripted([ZeroDivisionError("oops")]),
    "provider_missing": lambda: NoProvider("provider_missing", "nobody"),
    "unsupported_provider": lambda: NoProvider("unsupported_provider", "oracle"),
}


def verdict_bytes(judgment: Judgment) -> dict[str, bytes]:
    """Everything deterministic that a judgment says, without its id and time."""
    return {
        name: frame.drop("judgment_id", "judged_at", strict=False).write_ndjson().encode()
        for name, frame in (
            ("verdicts", judgment.verdicts),
            ("buckets", judgment.buckets),
            ("checks", judgment.checks),
            ("case_verdicts", judgment.case_verdicts),
            ("facts", judgment.facts),
            ("issues", judgment.issues),
        )
    }


@pytest.fixture(scope="module")
def off(world: Path) -> dict[str, bytes]:
    """What is said without a shadow."""
    return verdict_bytes(judged(world))


@pytest.mark.parametrize(
    "name", FAILING if "JUDGE_POLARS_TEST_SEEDS" in os.environ else ("lying", "timeout", "raising")
)
def test_no_verdict_moves(off: dict[str, bytes], tmp_path: Path, name: str) -> None:
    """With the files of the shadow beside the runs, judging again gives the same bytes; both files are always there."""
    runs = write_asking_world(tmp_path)
    judgment = judged(runs)
    shadowed(judgment, FAILING[name](), out=runs / "runs")
    assert verdict_bytes(judgment) == off
    assert verdict_bytes(judged(runs)) == off
    for case_run_id in RUNS:
        eval_run, case, trial = case_run_id.split("/")
        place = files_of(runs / "runs", eval_run, case, int(trial))
        assert (place / CONTEXT_FILE).is_file()
        packet = Packet.model_validate_json((place / PACKET_FILE).read_bytes())
        assert packet.status == {"lying": "ok", "raising": "provider_error"}.get(name, name)


def test_every_status_is_among_these() -> None:
    assert set(STATUSES) <= set(FAILING)


@pytest.mark.parametrize("text", INJECTIONS.values(), ids=INJECTIONS.keys())
def test_an_output_that_gives_orders_changes_nothing_but_itself(tmp_path: Path, text: str) -> None:
    files = {**bundle(patch=GOOD_PATCH), "case_run.json": record()}
    runs = {
        "r/disk-hang/1": {**files, "output.md": f"{text}\n"},
        "r/disk-hang/2": {**files, "output.md": f"{text}\n"},
    }
    judgment = judged(write_asking_world(tmp_path, runs))
    off = verdict_bytes(judgment)
    provider = Scripted([answers(answer="yes")])
    rows = shadowed(judgment, provider, out=tmp_path / "out")
    assert rows["answer"].to_list() == ["yes"] * 4
    assert verdict_bytes(judgment) == off
    assert set(judgment.verdicts["verdict"]) == {"fail"}
    assert all(context.shown.output.text == f"{text}\n" for context, _, _ in provider.asked)


def test_kept_results_cost_nothing(judgment: Judgment, tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    first = shadowed(judgment, Scripted([answers()]), store=store)
    nobody = Scripted([ProviderFaultError("provider_error", "down")])
    again = shadowed(judgment, nobody, store=store)
    assert nobody.asked == []
    assert again.equals(first)


@pytest.mark.parametrize(
    "provider",
    [Scripted([answers()], model="another"), Scripted([answers()], identity="another")],
    ids=["model", "provider"],
)
def test_results_are_kept_by_provider_and_model(judgment: Judgment, tmp_path: Path, provider: Scripted) -> None:
    store = ResultStore(tmp_path)
    shadowed(judgment, Scripted([answers()]), store=store)
    shadowed(judgment, provider, store=store)
    assert len(provider.asked) == DIFFERENT


def test_only_usable_results_are_kept(judgment: Judgment, tmp_path: Path) -> None:
    store = ResultStore(tmp_path)
    shadowed(judgment, Scripted(["prose"]), store=store)
    assert list(tmp_path.rglob("*.json")) == []


@pytest.mark.parametrize("spoilt", ["", "[]", "{}", "other", "lacking"])
def test_a_kept_result_that_is_broken_is_asked_for_again(judgment: Judgment, tmp_path: Path, spoilt: str) -> None:
    store = ResultStore(tmp_path)
    shadowed(judgment, Scripted([answers()]), store=store)
    for path in tmp_path.rglob("*.json"):
        kept = json.loads(path.read_text())
        path.write_text(spoilt if spoilt != "other" else json.dumps({**kept, "context_digest": "sha256:0"}))
    provider = Scripted([answers(answer="no")])
    assert set(shadowed(judgment, provider, store=store)["answer"]) == {"no"}
    assert len(provider.asked) == DIFFERENT


def test_heard(judgment: Judgment) -> None:
    heard: list[tuple[str, int, int]] = []
    shadowed(
        judgment,
        Scripted([answers()]),
        heard=lambda packet, done, total: heard.append((packet.case_run_id, done, total)),
    )
    assert heard == [(key, at, 4) for at, key in enumerate(RUNS, start=1)]


def test_a_directory_that_cannot_be_written(judgment: Judgment, tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    with pytest.raises(InputError, match="name another directory"):
        shadowed(judgment, Scripted([answers()]), out=tmp_path / "out")


def test_a_link_that_lies_where_a_file_goes_is_not_followed(judgment: Judgment, tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.write_text("untouched")
    place = files_of(tmp_path / "out", "2025-03-04-nightly", "disk-hang", 1)
    place.mkdir(parents=True)
    (place / PACKET_FILE).symlink_to(elsewhere)
    shadowed(judgment, Scripted([answers()]), out=tmp_path / "out")
    assert elsewhere.read_text() == "untouched"
    assert Packet.model_validate_json((place / PACKET_FILE).read_bytes()).status == "ok"


@pytest.mark.parametrize("name", ["..", ".", "", "a/b", "a\0b"])
def test_ids_that_are_no_names_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError):
        files_of(tmp_path, name, "case", 1)
