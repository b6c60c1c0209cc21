"""Registries of one case whose policy a test gives, on the runs of the small world."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from judge_polars.probe.outcomes import Outcome
from judge_polars.probe.probing import Report, probe
from judge_polars.registry import load_registry
from tests.cli.world import DISK_CASE, PACK, RUNS, write_files

CASE = "disk-hang"
TWO_LANGUAGES = PACK.replace("'被排除'", "'被排除', '已排除'")
RIGHT_ANSWER = "## Root cause\n\nThe root cause: the disk hung on tikv-2.\n\nIt was not a lock wait.\n"
CLAIM = {"id": "claims_disk", "match": "claimed_any", "concepts": ["disk_hang"]}
LIMIT = {"id": "few_causes", "fact": "output.claimed_causes", "le": 1}
GOOD_CHECKS = (CLAIM, LIMIT)


def write_registry(
    root: Path,
    judge: Mapping[str, Any],
    *,
    pack: str = TWO_LANGUAGES,
    references: Mapping[str, str] | None = None,
    **members: object,
) -> Path:
    """A registry whose only case has this policy; more members of `judge.yaml` by name."""
    policy = {"schema_version": 1, "case_id": CASE, **members, "judge": judge}
    files = {
        "registry.yaml": "packs: [pack.yaml]\n",
        "pack.yaml": pack,
        f"cases/{CASE}/case.yaml": DISK_CASE,
        f"cases/{CASE}/judge.yaml": json.dumps(policy, ensure_ascii=False),
        **{f"cases/{CASE}/{name}": text for name, text in (references or {}).items()},
    }
    write_files(root, files)
    return root


def write_runs(root: Path, files: Mapping[str, str], *, trial: int = 1) -> Path:
    """A runs directory with one case run."""
    write_files(root / "night" / "cases" / CASE / f"trial-{trial}", files)
    return root


def good_run(**changed: str | None) -> dict[str, str]:
    """A case run that the policies of these tests pass; changed files by name, None takes one away."""
    files: dict[str, str | None] = {**RUNS["2025-03-04-nightly/disk-hang/1"], **changed}
    return {name: text for name, text in files.items() if text is not None}


def diagnosis(*hard: Mapping[str, Any], supporting: tuple[Mapping[str, Any], ...] = ()) -> dict[str, Any]:
    """A diagnosis bucket."""
    return {"diagnosis": {"hard_checks": list(hard), "supporting_checks": list(supporting)}}


def probed(registry: Path, runs: Path | None = None, **more: Any) -> Report:
    """The report on a registry."""
    book = load_registry(registry).compile()
    return probe(book, book.cases, [runs] if runs is not None else [], **more)


def states(report: Report) -> dict[str, str]:
    """Probe -> state, for one run of one case."""
    return {outcome.probe: outcome.state for outcome in report.outcomes}


def outcome_of(report: Report, name: str) -> Outcome:
    """The only outcome of a probe."""
    [found] = [outcome for outcome in report.outcomes if outcome.probe == name]
    return found


def wrong(report: Report) -> set[str]:
    """Probes that show a broken rubric."""
    return {outcome.probe for outcome in report.outcomes if outcome.state == "wrong"}
