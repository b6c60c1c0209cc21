"""Whether a baseline still holds."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from judge_polars.baselines import plan_promotion, promote, verify
from judge_polars.baselines.export import LISTING
from judge_polars.judged_runs import JudgedRuns
from judge_polars.registry import Registry, load_registry
from tests.baselines.conftest import GOOD, RESTART, SUITE, SURGE

Tamper = Callable[[Registry, Path], None]


@pytest.fixture
def promoted(source: JudgedRuns, registry: Registry) -> Registry:
    """A registry with a promoted baseline."""
    book = registry.compile()
    promote(source, plan_promotion(source, GOOD, book), registry.root, book, force=True, own_patterns=True)
    return load_registry(registry.root)


def told(registry: Registry, source: JudgedRuns | None = None) -> dict[str, tuple[bool | None, str]]:
    """What -> whether it holds, and what was found."""
    book = registry.compile()
    return {one.what: (one.holds, one.found) for one in verify(book.baselines[0], book, registry.root, source)}


def test_what_was_promoted_holds(promoted: Registry, source: JudgedRuns) -> None:
    found = told(promoted, source)
    assert {what: holds for what, (holds, _) in found.items()} == {
        "suite version": True,
        "cases of the suite": True,
        "case versions and digests": True,
        "export": True,
        "judged again": True,
    }
    assert told(promoted)["judged again"] == (None, f"{GOOD} is not among the judged runs")


def edit_file(registry: Registry, export: Path) -> None:
    (export / "cases" / RESTART / "trial-1" / "output.md").write_text("better")


def remove_file(registry: Registry, export: Path) -> None:
    (export / "cases" / RESTART / "trial-1" / "judgment.json").unlink()


def add_file(registry: Registry, export: Path) -> None:
    (export / "cases" / "extra.json").write_text("{}")


def link_file(registry: Registry, export: Path) -> None:
    file = export / "eval_run.json"
    file.rename(export.parent / "elsewhere.json")
    file.symlink_to(export.parent / "elsewhere.json")


def break_listing(registry: Registry, export: Path) -> None:
    (export / LISTING).write_text('{"files": [1]}')


def swap_listing(registry: Registry, export: Path) -> None:
    record = json.loads((export / LISTING).read_text())
    (export / LISTING).write_text(json.dumps(record | {"eval_run_id": "another"}))


def lead_out(registry: Registry, export: Path) -> None:
    record = json.loads((export / LISTING).read_text())
    record["files"].append({"path": "../../x", "sha256": "0"})
    (export / LISTING).write_text(json.dumps(record))


def pipe_for_listing(registry: Registry, export: Path) -> None:
    (export / LISTING).unlink()
    os.mkfifo(export / LISTING)


def long_path(registry: Registry, export: Path) -> None:
    record = json.loads((export / LISTING).read_text())
    record["files"].append({"path": "x" * 300, "sha256": "0"})
    (export / LISTING).write_text(json.dumps(record))


@pytest.mark.parametrize(
    ("tamper", "found"),
    [
        (edit_file, "trial-1/output.md has changed"),
        (remove_file, "trial-1/judgment.json is missing"),
        (add_file, "cases/extra.json is not in the list"),
        (link_file, "eval_run.json is missing"),
        (break_listing, "that could be read; promote the eval run again"),
        (swap_listing, "is of another eval run"),
        (lead_out, "../../x is no path in the export"),
        (pipe_for_listing, "that could be read"),
        (long_path, "cannot be read: File name too long"),
    ],
)
def test_a_changed_export_is_noticed(promoted: Registry, tamper: Tamper, found: str) -> None:
    tamper(promoted, promoted.root / "baselines" / "runs" / GOOD)
    holds, words = told(promoted)["export"]
    assert holds is False
    assert found in words


def test_a_changed_suite_is_noticed(promoted: Registry) -> None:
    suite = promoted.suites[SUITE]
    suite.version = 2
    suite.cases.remove(SURGE)
    assert told(promoted)["suite version"] == (False, "promoted at version 1, now 2")
    assert told(promoted)["cases of the suite"] == (False, f"the suite has no longer {SURGE}")
    del promoted.baselines[SUITE].cases[RESTART]
    assert f"the suite has also {RESTART}" in told(promoted)["cases of the suite"][1]


def test_a_changed_case_is_noticed(promoted: Registry) -> None:
    promoted.cases[SURGE].case.title = "Another title"
    promoted.cases[RESTART].case.version = 9
    holds, words = told(promoted)["case versions and digests"]
    assert holds is False
    assert f"{RESTART} was version 2, now 9" in words
    assert f"{SURGE} has changed, its version has not" in words


def test_another_verdict_by_the_latest_judgment_is_noticed(promoted: Registry, source: JudgedRuns) -> None:
    remembered = promoted.baselines[SUITE].cases[RESTART]
    remembered.passed_trials, remembered.score = 1, 12.5
    holds, words = told(promoted, source)["judged again"]
    assert (holds, words) == (False, f"{RESTART}: passed_trials 1 → 3, score 12.5 → 80")
