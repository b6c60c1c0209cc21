"""Where the vectorised judge and the plain one differ on a world: a directory with `registry` and `runs`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import polars as pl

from judge_polars.judge import judge_runs
from judge_polars.judgment import Judgment
from judge_polars.registry import load_registry
from judge_polars.report.records import case_run_records
from tests.plain.judge import judge as plain_judge
from tests.plain.regressions import baseline_regressions
from tests.plain.trials import case_pass_k, case_verdicts, evidence_diagnosis

Record = dict[str, Any]
Told = dict[str, list[Record]]

BEYOND_THE_PLAIN_JUDGE: Final = ("not_a_regular_file", "limit_reached")
"""Issues about links and limits, which the plain judge passes over without a word."""
KEYS: Final = {
    "case_runs": ("case_run_id",),
    "case_verdicts": ("eval_run_id", "case_id"),
    "case_pass_k": ("eval_run_id", "case_id", "k"),
    "evidence_diagnosis": ("case_run_id",),
    "baseline_regressions": ("eval_run_id", "case_id"),
}
"""Table -> what tells its rows apart."""


def difference_of(world: Path) -> list[str]:
    """Every field in which the judges differ on a world, as `table row.field: plain …, vectorised …`."""
    plain, fast = plain_tables(world), vectorised_tables(world)
    return [text for table, key in KEYS.items() for text in differing_rows(table, key, plain[table], fast[table])]


def kind_of(difference: str) -> str:
    """What a difference has in common with the same one on a smaller world: its table and its field."""
    table, _, rest = difference.split(": ", 1)[0].partition(" ")
    return table + re.sub(r"^[^.]*|\[\d+\]", "", rest)


def plain_tables(world: Path) -> Told:
    """What the plain judge says."""
    runs, registry = world / "runs", world / "registry"
    lines = plain_judge(runs, registry)
    cases = case_verdicts(lines, runs, registry)
    return {
        "case_runs": [without_details(line) for line in lines],
        "case_verdicts": cases,
        "case_pass_k": case_pass_k(cases),
        "evidence_diagnosis": evidence_diagnosis(lines),
        "baseline_regressions": baseline_regressions(cases, runs, registry),
    }


def vectorised_tables(world: Path) -> Told:
    """What the vectorised judge says."""
    judgment = judge_runs([world / "runs"], load_registry(world / "registry").compile())
    lines = [json.loads(json.dumps(record)) for record in case_run_records(judgment, facts=True, issues=True)]
    return {
        "case_runs": [without_details(line) for line in lines],
        "case_verdicts": rows(judgment.case_verdicts),
        "case_pass_k": view(judgment, "case_pass_k", "eval_run_id, case_id, k"),
        "evidence_diagnosis": view(judgment, "evidence_diagnosis", "eval_run_id, case_id, trial"),
        "baseline_regressions": rows(judgment.regressions),
    }


def view(judgment: Judgment, name: str, order: str) -> list[Record]:
    """The rows of a view."""
    return rows(judgment.sql(f"from {name} order by {order}"))


def rows(frame: pl.DataFrame) -> list[Record]:
    """The rows of a frame."""
    return frame.to_dicts()


def without_details(record: Record) -> Record:
    """Issue details are words for people: only code and document are compared."""
    issues = [(issue["code"], issue["document"]) for issue in record["issues"]]
    return {**record, "issues": [issue for issue in issues if issue[0] not in BEYOND_THE_PLAIN_JUDGE]}


def differing_rows(table: str, key: Iterable[str], plain: list[Record], fast: list[Record]) -> list[str]:
    """Differences of two lists of rows.  A view has more columns than the plain judge knows: those are passed over."""
    names = [*key]
    ids = [["/".join(str(row[name]) for name in names) for row in side] for side in (plain, fast)]
    if ids[0] != ids[1]:
        return [f"{table} rows: plain {ids[0]}, vectorised {ids[1]}"]
    known = plain[0].keys() if plain and table != "case_runs" else None
    return [
        text
        for row_id, one, other in zip(ids[0], plain, fast, strict=True)
        for text in differences(one, {name: other[name] for name in known} if known else other, f"{table} {row_id}")
    ]


def differences(plain: Any, fast: Any, at: str) -> list[str]:
    """Differences of two values, member by member; numbers may differ in the last of their digits."""
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
    if isinstance(plain, float) and isinstance(fast, float):
        close = math.isclose(plain, fast, rel_tol=1e-11, abs_tol=1e-12)
        return [] if close else [f"{at}: plain {plain!r}, vectorised {fast!r}"]
    return [] if plain == fast and type(plain) is type(fast) else [f"{at}: plain {plain!r}, vectorised {fast!r}"]
