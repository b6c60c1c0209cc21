"""Files that are moved, replaced or come back while they are read: what was read by halves is read again."""

from __future__ import annotations

from pathlib import Path

import pytest

from judge_polars import ingest as reading
from judge_polars.engine import read_places
from judge_polars.history.store import open_history
from judge_polars.registry import load_registry
from tests.cli.world import GOOD_ANSWER, GOOD_PATCH, bundle, record, write_world
from tests.history.worlds import ingest, judge_all

KEY = "2025-03-04-nightly/disk-hang/1"
RUN = "runs/2025-03-04-nightly/cases/disk-hang/trial-1"
RUNS = {KEY: {**bundle(patch=GOOD_PATCH), "output.md": GOOD_ANSWER, "case_run.json": record()}}


def verdict(history: Path) -> str:
    """The verdict of the case run."""
    with open_history(history) as opened:
        return str(opened.sql("select verdict from verdicts where case_run_id = ?", [KEY]).item())


@pytest.mark.parametrize(
    ("moved", "returns"),
    [
        *(
            (moved, "before it is looked at")
            for moved in (RUN, f"{RUN}/audit/manifest.json", f"{RUN}/output.md", "runs")
        ),
        *((moved, "later") for moved in (RUN, "runs/2025-03-04-nightly")),
    ],
)
def test_what_was_away_while_it_was_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, moved: str, returns: str
) -> None:
    root = write_world(tmp_path, RUNS)
    book = load_registry(root / "registry").compile()

    def read(*arguments: object) -> object:
        (root / moved).rename(root / "away")
        try:
            return read_places(*arguments)  # type: ignore[arg-type]
        finally:
            if returns != "later":
                (root / "away").rename(root / moved)

    with monkeypatch.context() as patched:
        patched.setattr(reading, "read_places", read)
        ingest(root / "history", root / "runs", book)
    if returns == "later":
        (root / "away").rename(root / moved)
    ingest(root / "history", root / "runs", book)
    judge_all(root / "history", book)
    assert verdict(root / "history") == "pass"


def test_what_stays_is_read_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    root = write_world(tmp_path)
    book = load_registry(root / "registry").compile()
    ingest(root / "history", root / "runs", book)

    def read(*_: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(reading, "read_places", read)
    ingest(root / "history", root / "runs", book)
