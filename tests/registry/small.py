"""A small registry that is right, to be broken in one place by each test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

MARK: Final = "«"
"""Stands in a text of a test where a finding is expected."""

REGISTRY: Final = """\
packs: [pack.yaml]
"""

PACK: Final = """\
id: small
version: 3
words:
  negators: ['\\bnot\\b']
  terminators: ['，', '\\bbut\\b']
concepts:
  slow_disk: ['slow disk', '慢盘']
causes: [slow_disk]
facts:
  - name: workflow.started
    any_of: [{match: keyword_any, artifact: telemetry, keywords: [start]}]
  - name: evidence.panic
    all_of: [{match: keyword_any, artifact: logs, keywords: [panic]}]
  - name: output.hot
    any_of: [{match: claimed_any, concepts: [slow_disk]}]
channels:
  logs:
    observed_any_of: [{match: artifact_present, artifact: logs}]
  events:
    observed_any_of: [{match: json_list_nonempty, artifact: events.json}]
"""

CASE: Final = """\
schema_version: 1
id: case-a
version: 2
title: A case
status: active
tags: [x]
prompt:
  text: Please diagnose cluster 1001.
environment:
  cluster_id: "1001"
time_window:
  start: 2025-03-04T09:00:00Z
  end: 2025-03-04T09:45:00Z
execution: {timeout: 30m, trials: 1}
"""

JUDGE: Final = """\
schema_version: 1
case_id: case-a
judge:
  contract:
    checks:
      - {id: time_window_match}
  workflow:
    checks:
      - {id: started}
  critical_evidence:
    checks:
      - id: seen
        all_of: [{match: keyword_any, artifact: logs, keywords: [busy]}]
  diagnosis:
    hard_checks:
      - id: named
        all_of: [{fact: hot}]
"""

SUITE: Final = """\
schema_version: 1
id: daily
version: 1
title: Daily
status: active
baseline_eligible: true
cases: [case-a]
"""

BASELINE: Final = f"""\
schema_version: 1
suite_id: daily
suite_version: 1
eval_run_id: 2025-03-05-nightly
judgment_id: j1
promoted_at: 2025-03-05T06:00:00Z
created_by: somebody
notes: first
cases:
  case-a:
    case_version: 2
    case_digest: "sha256:{"0" * 64}"
    verdict: pass
    score: 10
    max_score: 10.5
    trials: 3
    passed_trials: 2
    buckets: {{contract: pass, diagnosis: partial}}
"""

FILES: Final = {
    "registry.yaml": REGISTRY,
    "pack.yaml": PACK,
    "cases/case-a/case.yaml": CASE,
    "cases/case-a/judge.yaml": JUDGE,
    "suites/daily.yaml": SUITE,
    "baselines/daily.yaml": BASELINE,
}
SHORT: Final = {
    "registry": "registry.yaml",
    "pack": "pack.yaml",
    "case": "cases/case-a/case.yaml",
    "judge": "cases/case-a/judge.yaml",
    "suite": "suites/daily.yaml",
    "baseline": "baselines/daily.yaml",
}


def write_registry(root: Path, changes: Mapping[str, str] | None = None) -> Path:
    """Writes the small registry, some of its files with other texts, into a directory."""
    for name, text in {**FILES, **(changes or {})}.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def changed(file: str, old: str, new: str) -> str:
    """A file of the small registry with one passage replaced."""
    text = FILES[SHORT[file]]
    assert text.count(old) == 1, f"{old!r} stands {text.count(old)} times in {file}"
    return text.replace(old, new)


def judge_with(bucket: str, *, facts: str = "") -> str:
    """A judge.yaml with one bucket, its YAML indented by nothing, and perhaps case-owned facts."""
    indented = "".join(f"  {line}\n" for line in bucket.strip("\n").split("\n"))
    return f"schema_version: 1\ncase_id: case-a\n{facts}judge:\n{indented}"


def place_of_mark(text: str) -> tuple[int, int]:
    """Line and column, from 1, of the mark."""
    before = text[: text.index(MARK)].split("\n")
    return len(before), len(before[-1]) + 1
