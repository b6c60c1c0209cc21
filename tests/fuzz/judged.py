"""Targets that judge whole runs: spoilt case runs beside untouched ones, of the demo and of random worlds."""

from __future__ import annotations

import io
import json
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stderr
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

import polars as pl
from hypothesis import strategies as st

from judge_polars.bundles import find_case_runs
from judge_polars.chronicle import recalled_judgment
from judge_polars.engine import Engine
from judge_polars.errors import JudgePolarsError
from judge_polars.explain import explain
from judge_polars.gate import decide
from judge_polars.history import recall
from judge_polars.history.record import Record
from judge_polars.judge import Options, judge_runs
from judge_polars.judgment import Judgment
from judge_polars.kept import RULE_CODES
from judge_polars.registry import load_registry
from judge_polars.report.explanation import as_html as explanation_page
from judge_polars.report.explanation import as_json, as_text
from judge_polars.report.formats import as_csv, as_jsonl, as_markdown
from judge_polars.report.github import as_annotations, as_summary
from judge_polars.report.html import as_html
from judge_polars.report.junit import as_junit
from judge_polars.report.outcomes import outcomes
from judge_polars.report.records import case_run_records
from judge_polars.rulebook import RuleBook
from tests.differential.comparing import differences, without_details
from tests.fuzz.small import require
from tests.fuzz.spoiling import EDIT_LISTS, spoil
from tests.fuzz.target import Example, Target
from tests.generate import write_world
from tests.history.test_same_as_files import told
from tests.history.worlds import ingest
from tests.plain.judge import judge as plain_judge
from tests.report.scene import report_of

EVALUATION: Final = Path(__file__).parents[2] / "evaluation"
WAYS: Final = ("files", "record", "rejudge", "told")
WORLDS: Final = 24


@dataclass(frozen=True)
class Ground:
    """Runs that nobody has touched.

    Attributes:
        runs: a runs root.
        book: the registry.
        places: directories of the case runs of known cases, relative to the runs root.
        records: what is said of each case run, by id.
    """

    runs: Path
    registry: Path
    book: RuleBook
    places: tuple[str, ...]
    records: dict[str, Any]


def ground_of(runs: Path, registry: Path) -> Ground:
    """Judge runs before anything is spoilt."""
    book = load_registry(registry).compile()
    found = find_case_runs([runs], book.limits)
    places = tuple(place.directory for place in found.places if book.case(place.case_id))
    return Ground(runs, registry, book, places, records_of(judge_runs([runs], book, Options(evidence=True))))


@cache
def demo(number: int) -> Ground:
    """One eval run of the demo."""
    eval_run = sorted(path for path in (EVALUATION / "runs").iterdir() if path.is_dir())[number]
    home = Path(tempfile.mkdtemp(prefix="fuzz-ground-"))
    shutil.copytree(eval_run, home / eval_run.name)
    return ground_of(home, EVALUATION / "regression")


@cache
def world(number: int) -> Ground:
    """One random world."""
    home = Path(tempfile.mkdtemp(prefix="fuzz-ground-"))
    write_world(number, home)
    return ground_of(home / "runs", home / "registry")


def records_of(judgment: Judgment) -> dict[str, Any]:
    """Everything that is said of each case run, by id, as it is printed."""
    records = case_run_records(judgment, facts=True, issues=True)
    return {record["case_run_id"]: json.loads(json.dumps(record)) for record in records}


def check_runs(ground: Ground, spoilt: dict[str, list[Any]], way: str, folder: Path, *, plain: bool = False) -> None:
    """Spoil some case runs of a copy, judge all of them, and look at what comes out.

    Args:
        spoilt: directory of a case run -> edits of its files.
        way: which of the dearer properties is looked at.
        plain: compare with the plain judge.
    """
    runs = folder / "runs"
    shutil.copytree(ground.runs, runs, symlinks=True)
    for place, edits in spoilt.items():
        spoil(runs / place, edits)
    with readable(runs):
        look_at(ground, spoilt, way, folder)
    if plain:
        compare_with_plain(ground, runs)


@contextmanager
def readable(runs: Path) -> Iterator[None]:
    """Lets the files be removed afterwards."""
    try:
        yield
    finally:
        for path in runs.rglob("*"):
            if not path.is_symlink() and (path.is_dir() or path.is_file()):
                path.chmod(0o755)


def look_at(ground: Ground, spoilt: dict[str, list[Any]], way: str, folder: Path) -> None:
    """Judge, and require what has to hold."""
    runs, book = folder / "runs", ground.book
    found = find_case_runs([runs], book.limits)
    wanted = [place.case_run_id for place in found.places if book.case(place.case_id)]
    judgment = judge_runs([runs], book, Options(evidence=True))
    ids = judgment.verdicts["case_run_id"].to_list()
    require(sorted(ids) == sorted(wanted), "one verdict of every case run", ids, wanted)
    records = records_of(judgment)
    touched = {place.case_run_id for place in found.places if place.directory in spoilt}
    for key in records.keys() - touched:
        require(records[key] == ground.records.get(key), f"the untouched {key}", records[key], ground.records.get(key))
    codes = {issue["code"] for record in records.values() for issue in record["issues"]}
    require(all(codes), "codes of issues", codes)
    mine = judgment.frames["judged_case_runs"]["case_run_id"]
    if way == "files":
        again = judge_runs([runs], book, Options(evidence=True))
        require_same(told(again, mine), told(judgment, mine), "judged again")
        first = judgment.verdicts
        require(
            as_jsonl(again, again.verdicts, facts=True, issues=True)
            == as_jsonl(judgment, first, facts=True, issues=True),
            "the same bytes again",
        )
    elif way in ("record", "rejudge"):
        ingest(folder / "history", runs, book)
        record = Record.open(folder / "history")
        with patch.object(recall.Recalled, "own_codes", _no_codes) if way == "rejudge" else patch.dict({}):
            stored = recalled_judgment(record, Engine(book), evidence=True)
        require_same(told(stored, mine), told(judgment, mine), f"from the record ({way})")
    else:
        tell(judgment, sorted(touched & records.keys()) or sorted(records)[:1])


def _no_codes(_: recall.Recalled) -> pl.DataFrame:
    return RULE_CODES.empty()


def require_same(found: dict[str, pl.DataFrame], wanted: dict[str, pl.DataFrame], what: str) -> None:
    """Require that tables hold the same rows."""
    for name, frame in wanted.items():
        mine, theirs = list(map(repr, found[name].to_dicts())), list(map(repr, frame.to_dicts()))
        require(sorted(mine) == sorted(theirs), f"{what}: {name}", set(mine) - set(theirs), set(theirs) - set(mine))


def tell(judgment: Judgment, case_run_ids: list[str]) -> None:
    """Explain case runs and write reports in all forms."""
    for key in case_run_ids:
        explanation = explain(judgment, key)
        require(bool(as_text(explanation) and as_json(explanation) and explanation_page(explanation)), "an explanation")
    verdicts = judgment.verdicts
    for write in (as_csv, as_markdown, as_jsonl):
        write(judgment, verdicts, facts=True, issues=True).decode()
    facts = outcomes(judgment, decide(judgment, verdicts, ()))
    for written in (as_junit(facts), as_annotations(facts), as_summary(facts)):
        written.decode()
    for eval_run in verdicts["eval_run_id"].unique(maintain_order=True).head(1):
        as_html(report_of(judgment, eval_run)).decode()


def compare_with_plain(ground: Ground, runs: Path) -> None:
    """Require that the plain judge says the same of every case run."""
    with redirect_stderr(io.StringIO()):
        plain = [without_details(record) for record in plain_judge(runs, ground.registry)]
    own = judge_runs([runs], ground.book)
    fast = [without_details(json.loads(json.dumps(one))) for one in case_run_records(own, facts=True, issues=True)]
    require([one["case_run_id"] for one in plain] == [one["case_run_id"] for one in fast], "the case runs")
    found = [text for pair in zip(plain, fast, strict=True) for text in differences(*pair, pair[0]["case_run_id"])]
    require(not found, "the plain judge differs", found[:5])


def _spoilt(ground: Ground, chosen: list[tuple[int, list[Any]]]) -> dict[str, list[Any]]:
    """Directory -> edits; at least one case run stays as it is."""
    most = max(1, len(ground.places) - 1)
    return {ground.places[which % most]: edits for which, edits in chosen}


def check_demo(example: Example, folder: Path) -> None:
    """Spoilt case runs of the demo."""
    number, way, chosen = example
    ground = demo(number)
    check_runs(ground, _spoilt(ground, chosen), way, folder)


def check_world(example: Example, folder: Path) -> None:
    """Spoilt case runs of a random world."""
    number, way, chosen = example
    ground = world(number)
    check_runs(ground, _spoilt(ground, chosen), way, folder)


BEYOND_PLAIN: Final = frozenset(("link", "pipe", "huge", "bar", "crowd", "pack", "copy"))
"""Edits after which the plain judge has nothing to say, or takes very long."""


def check_plain(example: Example, folder: Path) -> None:
    """Spoilt case runs of a random world, judged by both judges."""
    number, chosen = example
    ground = world(number)
    kept = [(which, [edit for edit in edits if edit[0] not in BEYOND_PLAIN]) for which, edits in chosen]
    runs = folder / "runs"
    shutil.copytree(ground.runs, runs, symlinks=True)
    for place, edits in _spoilt(ground, kept).items():
        spoil(runs / place, edits)
    compare_with_plain(ground, runs)


def check_eval_run(example: Example, folder: Path) -> None:
    """Spoilt directories of a whole eval run: nothing but a declared error is raised."""
    number, edits = example
    ground = world(number)
    runs = folder / "runs"
    shutil.copytree(ground.runs, runs, symlinks=True)
    spoil(runs, edits)
    with readable(runs):
        try:
            judgment = judge_runs([runs], ground.book)
        except JudgePolarsError:
            return
        found = find_case_runs([runs], ground.book.limits)
        wanted = [place.case_run_id for place in found.places if ground.book.case(place.case_id)]
        require(sorted(judgment.verdicts["case_run_id"]) == sorted(wanted), "one verdict of every case run", wanted)


CHOSEN: Final = st.lists(st.tuples(st.integers(0, 11), EDIT_LISTS), min_size=2, max_size=8)
TARGETS: Final = (
    Target(
        "demo-runs",
        "spoilt case runs of the demo: one verdict each, neighbours unchanged, the same from the record",
        st.tuples(st.integers(0, 4), st.sampled_from(WAYS), CHOSEN),
        check_demo,
        15,
    ),
    Target(
        "world-runs",
        "spoilt case runs of random worlds, likewise",
        st.tuples(st.integers(0, WORLDS - 1), st.sampled_from(WAYS), CHOSEN),
        check_world,
        15,
    ),
    Target(
        "plain",
        "spoilt case runs of random worlds: no field differs from the plain judge",
        st.tuples(st.integers(0, WORLDS - 1), CHOSEN),
        check_plain,
        15,
    ),
    Target(
        "eval-runs",
        "spoilt directories of eval runs: a judgment, or a declared error",
        st.tuples(st.integers(0, WORLDS - 1), EDIT_LISTS),
        check_eval_run,
        15,
    ),
)
