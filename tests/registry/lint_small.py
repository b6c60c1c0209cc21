"""A small registry in which lint finds nothing, to be changed in one place by each test."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from judge_polars.errors import Finding
from judge_polars.registry import examine

PACK: Final = """\
id: small
version: 1
words:
  negators: ['\\bnot\\b']
  claims: ['\\bcause\\b']
concepts:
  slow_disk: ['slow disks?', '慢盘']
  hot_cpu: ['cpu[ -]hotspot']
causes: [slow_disk, hot_cpu]
facts:
  - name: workflow.started
    any_of: [{match: keyword_any, artifact: telemetry, keywords: [start]}]
  - name: evidence.busy
    any_of: [{match: keyword_any, artifact: logs, keywords: [server is busy]}]
  - name: output.inner
    any_of: [{match: claimed_any, concepts: [slow_disk]}]
  - name: output.disk
    all_of: [{fact: output.inner}]
  - name: output.cpu
    any_of: [{match: claimed_any, concepts: [hot_cpu]}]
  - name: output.cpu_in_section
    any_of: [{match: asserted_any, concepts: [hot_cpu], section: Root cause}]
  - name: output.silent
    any_of: [{match: keyword_none, keywords: [lazy writer]}]
channels:
  logs:
    observed_any_of: [{match: artifact_present, artifact: logs}]
  events:
    observed_any_of: [{match: json_list_nonempty, artifact: events.json}]
"""
CASE: Final = """\
schema_version: 1
id: slow-writes
version: 2
title: Slow writes
prompt:
  text: |
    {prompt}
environment:
  cluster_id: "7401"
{environment}time_window:
  start: 2025-03-04T09:00:00Z
  end: 2025-03-04T09:45:00Z
{more}"""
PROMPT: Final = "Please diagnose cluster 7401 between 2025-03-04T09:00:00Z and 2025-03-04T09:45:00Z."
BUCKETS: Final = """\
contract:
  checks: [{id: time_window_match}]
"""
DIAGNOSIS: Final = """\
diagnosis:
  hard_checks:
    - {id: names_disk, fact: disk}
"""
JUDGE: Final = """\
schema_version: 1
case_id: slow-writes
{facts}judge:
{buckets}"""
SUITE: Final = """\
schema_version: 1
id: daily
version: 1
title: Daily
cases: [slow-writes]
"""


def case(prompt: str = PROMPT, environment: str = "", more: str = "") -> str:
    """A case.yaml; `environment` is indented by two, `more` by nothing."""
    indented = "\n".join(f"    {line}" if line else "" for line in prompt.split("\n")).lstrip()
    return CASE.format(prompt=indented, environment=environment, more=more)


def judge(buckets: str = BUCKETS + DIAGNOSIS, facts: str = "") -> str:
    """A judge.yaml; buckets are indented by nothing."""
    text = "".join(f"  {line}\n" for line in buckets.strip("\n").split("\n"))
    return JUDGE.format(facts=facts, buckets=text)


def bucket(name: str, *checks: str, parameters: str = "") -> str:
    """A judge.yaml with a bucket of checks in flow style beside the diagnosis."""
    key = "hard_checks" if name == "diagnosis" else "checks"
    lines = "".join(f"    - {check}\n" for check in checks)
    own = f"{name}:\n{parameters}  {key}:\n{lines}"
    return judge(own if name == "diagnosis" else own + DIAGNOSIS)


FILES: Final = {
    "registry.yaml": "packs: [pack.yaml]\n",
    "pack.yaml": PACK,
    "cases/slow-writes/case.yaml": case(),
    "cases/slow-writes/judge.yaml": judge(),
    "cases/slow-writes/reference.md": "The cause is one slow disk.\n",
    "suites/daily.yaml": SUITE,
}
SHORT: Final = {"case": "cases/slow-writes/case.yaml", "judge": "cases/slow-writes/judge.yaml"}


def findings_in(root: Path, changes: Mapping[str, str | None]) -> tuple[Finding, ...]:
    """What is found in the small registry with some files changed, or left out (None)."""
    files: dict[str, str | None] = {**FILES, **{SHORT.get(name, name): text for name, text in changes.items()}}
    for name, text in files.items():
        if text is not None:
            path = root / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    return examine(root).findings


def codes_in(root: Path, changes: Mapping[str, str | None]) -> list[str]:
    """The codes alone, in order of file and line."""
    return [finding.code for finding in findings_in(root, changes)]
