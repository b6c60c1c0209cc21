"""What `eval` leaves once the agents have ended: the history, `judgment.json`, and the semantic shadow beside it."""

from __future__ import annotations

import json
import shutil
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import pytest

from judge_polars.cli.console import Talk
from judge_polars.cli.evaluating import as_planned, cast_shadow, judge_eval_run, leave_records, resuming
from judge_polars.gate import coverage
from judge_polars.history.store import open_history
from judge_polars.ingest import Ingested
from judge_polars.judgment import Judgment
from judge_polars.registry import load_registry
from judge_polars.report.formats import WRITERS
from judge_polars.rulebook import RuleBook
from judge_polars.runner.agents import demo_agent
from judge_polars.runner.plan import EvalPlan
from judge_polars.semantic import SemanticSettings
from tests.runner.world import EVALUATION, written

NIGHT: Final = "2025-03-04-nightly"
ASKED: Final = "service-degradation-during-incident-window"
"""The demo's case that has a semantic check."""
CALLS: Final = "calls.txt"
ANSWERS: Final = f"""
import json, sys
questions = json.load(sys.stdin)["shown"]["questions"]
open({CALLS!r}, "a").write("asked\\n")
print(json.dumps({{"answers": {{one["id"]: {{"reasoning": "It does.", "answer": "yes"}} for one in questions}}}}))
"""


@pytest.fixture(scope="module")
def book() -> RuleBook:
    return load_registry(EVALUATION / "regression").compile()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A working directory with a night of the demo below `runs`."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(EVALUATION / "runs" / NIGHT, tmp_path / "runs" / NIGHT)
    return tmp_path


def planned(here: Path, book: RuleBook, trials: int | Mapping[str, int] = 3) -> EvalPlan:
    """The plan whose case runs that night's are."""
    (suite,) = book.suites
    cases = {case.id: case.version for case in book.cases}
    each = dict.fromkeys(cases, trials) if isinstance(trials, int) else trials
    return EvalPlan(NIGHT, suite.id, suite.version, cases, each, 1, demo_agent(), (), here / "runs" / NIGHT)


def verdicts(judgment: Judgment) -> list[tuple[Any, ...]]:
    return judgment.verdicts.select("case_run_id", "verdict", "score").rows()


def test_the_verdicts_are_kept_in_the_history(here: Path, book: RuleBook) -> None:
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True), history=here / "history")
    assert judgment.verdicts.height == 9
    with open_history(here / "history") as history:
        kept = history.sql("select case_run_id, verdict, score from verdicts order by eval_run_id, case_id, trial")
        assert kept.rows() == verdicts(judgment)
        assert history.sql("select purpose from judgments").rows() == [("eval",)]


def test_without_a_history_nothing_is_written(here: Path, book: RuleBook) -> None:
    before = written(here)
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True))
    assert judgment.verdicts.height == 9
    assert written(here) == before


@pytest.mark.parametrize(
    ("trials", "told"),
    [
        pytest.param(3, (9, 9, False), id="as-the-suite-says"),
        pytest.param(2, (6, 9, False), id="fewer"),
        pytest.param(4, (12, 9, True), id="more-than-came-about"),
    ],
)
def test_incomplete_means_what_was_asked_for(
    here: Path, book: RuleBook, trials: int, told: tuple[int, int, bool]
) -> None:
    judgment = judge_eval_run(planned(here, book, trials), book, Talk(quiet=True))
    assert coverage(judgment).select("planned", "judged", "incomplete").rows() == [told]


def test_another_suite_keeps_its_trials(here: Path, book: RuleBook) -> None:
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True))
    suites = judgment.frames["suites"]
    assert suites["trials"].to_list() == [3]
    plan = planned(here, book, 5)
    assert as_planned(judgment, plan).frames["suites"]["trials"].to_list() == [5]
    other = EvalPlan(NIGHT, "another", 1, plan.cases, plan.trials, 1, plan.agent, (), plan.directory)
    assert as_planned(judgment, other).frames["suites"]["trials"].to_list() == [3]


@pytest.mark.parametrize("kept", [True, False], ids=["with-history", "without"])
def test_each_case_run_gets_its_record(here: Path, book: RuleBook, kept: bool) -> None:
    history = here / "history" if kept else None
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True), history=history)
    leave_records(judgment, here / "runs", Talk(quiet=True))
    lines = WRITERS["jsonl"](judgment, judgment.verdicts, facts=True, issues=True).splitlines()
    assert len(lines) == 9
    for line in map(json.loads, lines):
        path = here / "runs" / NIGHT / "cases" / line["case_id"] / f"trial-{line['trial']}" / "judgment.json"
        record = json.loads(path.read_text("utf-8"))
        assert record == line
        assert record["facts"]["cluster.matched"] is True
        assert record["checks"]


def test_a_record_that_cannot_be_written_is_told(
    here: Path, book: RuleBook, capsys: pytest.CaptureFixture[str]
) -> None:
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True))
    place = here / "runs" / NIGHT / "cases" / ASKED / "trial-1" / "judgment.json"
    place.mkdir()
    leave_records(judgment, here / "runs", Talk())
    assert f"{place} cannot be written: Is a directory" in capsys.readouterr().err
    found = [path for path in (here / "runs").glob("*/cases/*/trial-*/judgment.json") if path.is_file()]
    assert len(found) == 8


def test_what_is_left_is_not_read_as_evidence(here: Path, book: RuleBook, monkeypatch: pytest.MonkeyPatch) -> None:
    plan, history = planned(here, book), here / "history"
    judgment = judge_eval_run(plan, book, Talk(quiet=True), history=history)
    leave_records(judgment, here / "runs", Talk(quiet=True))
    cast_shadow(judgment, book, SemanticSettings(), here / "runs", history, Talk(quiet=True))
    done: list[Ingested] = []

    def noted(one: Ingested) -> str:
        done.append(one)
        return ""

    monkeypatch.setattr("judge_polars.cli.judging.ingested_line", noted)
    again = judge_eval_run(plan, book, Talk(quiet=True), history=history)
    assert [(one.new, one.changed, one.unchanged) for one in done] == [(0, 0, 9)]
    assert verdicts(again) == verdicts(judgment)


def asking(here: Path, code: str = ANSWERS) -> SemanticSettings:
    return SemanticSettings(provider="command", command=(sys.executable, "-c", code.replace(CALLS, str(here / CALLS))))


def test_the_shadow_is_written_beside_the_record_and_kept(
    here: Path, book: RuleBook, capsys: pytest.CaptureFixture[str]
) -> None:
    history = here / "history"
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True), history=history)
    before = verdicts(judgment)
    for _ in range(2):  # what was answered is not asked again
        cast_shadow(judgment, book, asking(here), here / "runs", history, Talk())
    assert verdicts(judgment) == before
    told = capsys.readouterr().err
    assert "semantic shadow, not scored: 3 ok; command" in told and "3 ok (3 kept from before)" in told
    asked = len((here / CALLS).read_text().splitlines())
    assert 1 <= asked <= 3
    for trial in (1, 2, 3):
        place = here / "runs" / NIGHT / "cases" / ASKED / f"trial-{trial}"
        assert json.loads((place / "semantic_context_v1.json").read_text("utf-8"))["shown"]["facts"]
        assert json.loads((place / "semantic_packet_v1.json").read_text("utf-8"))["status"] == "ok"
    assert len(list((here / "runs").glob("*/cases/*/trial-*/semantic_packet_v1.json"))) == 3
    with open_history(history) as opened:
        rows = opened.sql("select distinct case_run_id, status, answer from semantic_results order by all").rows()
    assert rows == [(f"{NIGHT}/{ASKED}/{trial}", "ok", "yes") for trial in (1, 2, 3)]


def test_a_shadow_without_a_history_leaves_its_files_alone(here: Path, book: RuleBook) -> None:
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True))
    before = verdicts(judgment)
    cast_shadow(judgment, book, SemanticSettings(), here / "runs", None, Talk(quiet=True))
    assert verdicts(judgment) == before
    packets = [json.loads(path.read_bytes()) for path in (here / "runs").rglob("semantic_packet_v1.json")]
    assert [packet["status"] for packet in packets] == ["provider_missing"] * 3
    assert sorted(path.name for path in here.iterdir()) == ["runs"]


def test_a_shadow_that_cannot_be_written_is_told(
    here: Path, book: RuleBook, capsys: pytest.CaptureFixture[str]
) -> None:
    judgment = judge_eval_run(planned(here, book), book, Talk(quiet=True))
    place = here / "runs" / NIGHT / "cases" / ASKED / "trial-1" / "semantic_context_v1.json"
    place.mkdir()
    cast_shadow(judgment, book, SemanticSettings(), here / "runs", None, Talk())
    assert f"semantic shadow, not scored: {place}: Is a directory" in capsys.readouterr().err


def test_the_command_that_goes_on_names_registry_and_history(here: Path, book: RuleBook) -> None:
    plan = planned(here / "my place", book)
    told = resuming(plan, here / "registry", here / "history")
    assert told[told.index("--runs") + 1] == str(here / "my place" / "runs")
    assert told[told.index("--registry") + 1] == "registry"
    assert told[told.index("--history-dir") + 1] == "history"
    assert "--no-history" in resuming(plan, here / "registry", None)
