"""The vectorised judge against the slow, plain one of `tests/plain`, on random registries and runs: no field differs."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from judge_polars.judge import judge_runs
from judge_polars.registry import load_registry
from judge_polars.report.records import case_run_records
from tests.generate import write_world
from tests.plain.judge import judge as plain_judge

SEEDS = range(60)


def vectorised(root: Path) -> list[dict[str, Any]]:
    judgment = judge_runs([root / "runs"], load_registry(root / "registry").compile())
    return [json.loads(json.dumps(record)) for record in case_run_records(judgment, facts=True, issues=True)]


BEYOND_THE_PLAIN_JUDGE = ("not_a_regular_file", "limit_reached")
"""Issues about links and limits, which the plain judge passes over without a word."""


def without_details(record: dict[str, Any]) -> dict[str, Any]:
    """Issue details are words for people: only code and document are compared."""
    issues = [(issue["code"], issue["document"]) for issue in record["issues"]]
    return {**record, "issues": [issue for issue in issues if issue[0] not in BEYOND_THE_PLAIN_JUDGE]}


def differences(plain: Any, fast: Any, at: str) -> list[str]:
    if isinstance(plain, dict) and isinstance(fast, dict):
        keys = sorted(plain.keys() | fast.keys())
        return [
            text
            for key in keys
            for text in differences(plain.get(key, "absent"), fast.get(key, "absent"), f"{at}.{key}")
        ]
    if isinstance(plain, list) and isinstance(fast, list) and len(plain) == len(fast):
        return [
            text
            for index, pair in enumerate(zip(plain, fast, strict=True))
            for text in differences(*pair, f"{at}[{index}]")
        ]
    if isinstance(plain, float) and isinstance(fast, float) and math.isclose(plain, fast, rel_tol=1e-12):
        return []
    return [] if plain == fast and type(plain) is type(fast) else [f"{at}: plain {plain!r}, vectorised {fast!r}"]


@pytest.mark.parametrize("seed", SEEDS)
def test_no_field_differs(seed: int, tmp_path: Path) -> None:
    write_world(seed, tmp_path)
    plain = [without_details(record) for record in plain_judge(tmp_path / "runs", tmp_path / "registry")]
    fast = [without_details(record) for record in vectorised(tmp_path)]
    assert [record["case_run_id"] for record in plain] == [record["case_run_id"] for record in fast]
    found = [text for pair in zip(plain, fast, strict=True) for text in differences(*pair, pair[0]["case_run_id"])]
    assert found[:20] == []
