"""The conformance vectors: situations that the specification decides, with results derived by hand.

`check_vectors.py` compares any judge's JSON Lines with them; here its comparison runs in this process, so that a vector takes
milliseconds.
"""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from judge_polars.judge import judge_runs
from judge_polars.registry import load_registry
from judge_polars.report.records import case_run_records
from tests.conformance.check_vectors import differences_of_line, parse_lines

VECTORS = Path(__file__).parent / "vectors"
LINKS = {
    "168-hidden-files-are-no-documents": {
        "runs/r1/cases/case-a/trial-1/audit/evidence/linked.json": "../evidence/.cache/x.json",
    },
}
"""Symbolic links of vectors: made when the vector is judged, since not every way of copying a tree keeps them."""


def lines_of(vector: Path) -> list[dict[str, Any]]:
    judgment = judge_runs([vector / "runs"], load_registry(vector / "registry").compile())
    return [json.loads(json.dumps(record)) for record in case_run_records(judgment, facts=True, issues=True)]


@pytest.mark.parametrize(
    "vector", sorted(path.parent for path in VECTORS.glob("*/expected.jsonl")), ids=lambda path: path.name
)
def test_vector(vector: Path, tmp_path: Path) -> None:
    if vector.name in LINKS:
        vector = Path(shutil.copytree(vector, tmp_path / vector.name))
        for place, target in LINKS[vector.name].items():
            (vector / place).unlink()
            (vector / place).symlink_to(target)
    wanted = parse_lines((vector / "expected.jsonl").read_text("utf-8"))
    lines = lines_of(vector)
    order = [(line["eval_run_id"], line["case_id"], line["trial"]) for line in lines]
    assert order == sorted(order)
    assert [text for line in wanted for text in differences_of_line(line, lines)] == []


def test_there_are_vectors() -> None:
    assert len(list(VECTORS.glob("*/expected.jsonl"))) >= 199
