"""No circumstance changes a byte of an export; and what would be changed is noticed."""

from __future__ import annotations

import os
from pathlib import Path

import polars as pl
import pytest

from tests.differential import exporting
from tests.differential.circumstances import ALL_AT_ONCE, differing_circumstances, differing_files
from tests.differential.exporting import EXPORTED, FORMATS, exports
from tests.generate import write_world


@pytest.mark.skipif("JUDGE_POLARS_TEST_SEEDS" not in os.environ, reason="takes long: `make differential`")
def test_all_circumstances_at_once_change_nothing(tmp_path: Path) -> None:
    write_world(2, tmp_path / "world", runs=5)
    assert differing_circumstances(tmp_path / "world", tmp_path / "exports", {"all": ALL_AT_ONCE}) == []
    written = exports(tmp_path / "exports" / "out")
    wanted = {f"{what}.{suffix}" for what in EXPORTED for suffix in FORMATS}
    assert set(written) == wanted | {"judge.jsonl", "judge.csv", "report.html"}
    assert all(written.values())


def write_exports(out: Path, judgment_id: str, verdict: str) -> None:
    out.mkdir()
    frame = pl.DataFrame({"judgment_id": [judgment_id], "judged_at": ["now"], "verdict": [verdict]})
    frame.write_csv(out / "a.csv")
    frame.write_ndjson(out / "a.jsonl")
    frame.write_parquet(out / "a.parquet")
    (out / "report.html").write_text(f"<p>{judgment_id}: {verdict}</p>")


@pytest.mark.parametrize(
    ("judgment_id", "verdict", "differing"),
    [("j2", "pass", []), ("j1", "fail", ["a.csv", "a.jsonl", "a.parquet", "report.html"])],
)
def test_only_what_passes_is_taken_out(judgment_id: str, verdict: str, differing: list[str], tmp_path: Path) -> None:
    write_exports(tmp_path / "one", "j1", "pass")
    write_exports(tmp_path / "other", judgment_id, verdict)
    found = differing_files(exports(tmp_path / "one"), exports(tmp_path / "other"))
    assert [text.split(":")[0] for text in found] == differing


def test_a_file_that_is_missing_differs() -> None:
    assert differing_files({"a": b"12"}, {}) == ["a: at 0: b'12' and b''"]


def test_directories_are_listed_backward(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in "bac":
        (tmp_path / name).write_text("")
    for name in ("scandir", "listdir"):
        monkeypatch.setattr(os, name, getattr(os, name))
    exporting.list_backward()
    assert os.listdir(tmp_path) == ["c", "b", "a"]
    with os.scandir(tmp_path) as entries:
        assert [entry.name for entry in entries] == ["c", "b", "a"]
