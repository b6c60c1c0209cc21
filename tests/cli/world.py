"""A small registry and two nights of runs: every verdict, a regression, an unknown case, text in two languages."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Final

PACK: Final = """\
id: small
version: 1
words:
  negators: ['\\bnot\\b', '\\bno\\b', '不是']
  post_negators: ['ruled out', '被排除']
  pseudo_negators: ['\\bnot only\\b']
  terminators: ['，', '\\bbut\\b']
  sentence_negators: ['^if\\b', '^如果']
  claims: ['root cause', 'caused by', '根因', '导致']
concepts:
  disk_hang: ['disk (?:hung|hang)', '磁盘(?:卡住|hang)']
  lock_wait: ['lock wait', '锁等待']
causes: [disk_hang, lock_wait]
facts:
  - name: output.blames_disk
    any_of: [{match: claimed_any, concepts: [disk_hang]}]
channels:
  logs:
    observed_any_of: [{match: artifact_present, artifact: logs}]
"""

DISK_CASE: Final = """\
schema_version: 1
id: disk-hang
version: 2
title: 磁盘卡住 (disk hang)
status: active
tags: [storage, zh]
prompt:
  text: Please diagnose cluster 1001.
environment:
  cluster_id: "1001"
time_window:
  start: 2025-03-04T09:00:00Z
  end: 2025-03-04T09:45:00Z
execution: {timeout: 30m, trials: 2}
"""

DISK_JUDGE: Final = """\
schema_version: 1
case_id: disk-hang
judge:
  contract:
    checks:
      - {id: time_window_match}
      - {id: cluster_scope_match}
  evidence_collection:
    required_artifacts: [metrics.json]
    checks:
      - {id: required_artifacts_present}
  critical_evidence:
    checks:
      - id: disk_busy
        title: The disk was busy for minutes
        weight: 2
        match: numeric_series_any_gt
        artifact: metrics.json
        series: node_disk_io_util
        threshold: 0.95
        min_points: 3
        consecutive: true
        within: window
      - id: writes_stalled
        any_of:
          - {match: keyword_any, artifact: logs, keywords: ["write stall"], within: window}
          - match: json_record_any
            artifact: events.json
            path: '$[*]'
            where: [{path: $.kind, equals: stall}, {path: $.count, ge: 3}]
  evidence_routing:
    checks:
      - {id: patch_present, required: false}
      - {id: metric_refs_resolvable}
  diagnosis:
    hard_max_score: 20
    hard_checks:
      - {id: blames_disk, fact: output.blames_disk}
      - {id: few_causes, fact: output.claimed_causes, le: 1}
    supporting_weight: 10
    supporting_checks:
      - {id: names_the_host, match: keyword_any, keywords: [tikv-2, "主机 2"]}
"""

LOCK_CASE: Final = """\
schema_version: 1
id: lock-wait
version: 1
title: Lock wait
status: active
tags: [transactions]
prompt:
  text: Please diagnose cluster 1002.
environment:
  cluster_id: "1002"
time_window:
  start: 2025-03-04T09:00:00Z
  end: 2025-03-04T09:45:00Z
execution: {timeout: 30m, trials: 1}
"""

LOCK_JUDGE: Final = """\
schema_version: 1
case_id: lock-wait
judge:
  contract:
    checks:
      - {id: cluster_scope_match}
  diagnosis:
    hard_checks:
      - {id: says_lock_wait, match: asserted_any, concepts: [lock_wait]}
"""

SUITE: Final = """\
schema_version: 1
id: daily
version: 1
title: Daily
status: active
baseline_eligible: true
cases: [disk-hang, lock-wait]
execution_policy: {trials: 2}
"""

BASELINE: Final = f"""\
schema_version: 1
suite_id: daily
suite_version: 1
eval_run_id: 2025-03-03-nightly
judgment_id: j1
promoted_at: 2025-03-03T06:00:00Z
created_by: somebody
notes: first
cases:
  disk-hang:
    case_version: 2
    case_digest: "sha256:{"0" * 64}"
    verdict: pass
    score: 60
    max_score: 60
    trials: 2
    passed_trials: 2
    buckets: {{contract: pass, critical_evidence: pass, diagnosis: pass}}
  lock-wait:
    case_version: 1
    case_digest: "sha256:{"0" * 64}"
    verdict: pass
    score: 18
    max_score: 18
    trials: 2
    passed_trials: 2
    buckets: {{contract: pass, diagnosis: pass}}
"""

REGISTRY: Final = {
    "registry.yaml": "packs: [pack.yaml]\n",
    "pack.yaml": PACK,
    "cases/disk-hang/case.yaml": DISK_CASE,
    "cases/disk-hang/judge.yaml": DISK_JUDGE,
    "cases/lock-wait/case.yaml": LOCK_CASE,
    "cases/lock-wait/judge.yaml": LOCK_JUDGE,
    "suites/daily.yaml": SUITE,
    "baselines/daily.yaml": BASELINE,
}

LOG: Final = """\
[2025/03/04 08:50:00.000 +00:00] [INFO] ["store starts"]
[2025/03/04 09:10:00.000 +00:00] [WARN] ["write stall"] [reason="disk"]
  goroutine 1
"""
GOOD_ANSWER: Final = "## Root cause\n\nThe disk hung on tikv-2.\n\nIt was not a lock wait.\n"
CHINESE_ANSWER: Final = "根因：主机 2 的磁盘卡住。锁等待被排除。\n"
WRONG_ANSWER: Final = "A disk hang was ruled out.\n\nThe outage was caused by a lock wait.\n"


def series(name: str, values: list[float], *, instance: str = "tikv-2") -> dict[str, object]:
    """A Prometheus answer with one series of a point a minute from 09:05 on."""
    first = 1741079100
    points = [[first + 60 * at, str(value)] for at, value in enumerate(values)]
    return {"metric": {"__name__": name, "instance": instance}, "values": points}


def bundle(cluster: str = "1001", *, busy: bool = True, log: str = LOG, patch: object = None) -> dict[str, str]:
    """The files of a bundle in `audit/`."""
    values = [0.4, 0.97, 0.98, 0.99, 0.5] if busy else [0.4, 0.5, 0.98, 0.6, 0.5]
    window = {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T09:45:00Z"}
    files = {
        "audit/manifest.json": json.dumps({"cluster_id": cluster}),
        "audit/diagnosis_report.json": json.dumps({"cluster_id": cluster, "time_window": window}),
        "audit/evidence/metrics.json": json.dumps(
            [series("node_disk_io_util", values), series("node_load1", [1, 2, 3])]
        ),
        "audit/evidence/events.json": json.dumps([{"kind": "stall", "count": 2}, {"kind": "restart", "count": 5}]),
        "audit/logs/tikv.log": log,
    }
    if patch is not None:
        files["audit/analysis_patch.json"] = json.dumps(patch)
    return files


def patch_with(*refs: str) -> list[dict[str, object]]:
    """An analysis patch of one item with these references."""
    return [{"id": "A1", "key_evidence": list(refs)}]


def record(**members: object) -> str:
    """A case run's record."""
    return json.dumps({"schema_version": 1, "status": "completed", "stop_reason": "end_turn", **members})


GOOD_PATCH: Final = patch_with("metric:node_disk_io_util")
RUNS: Final[Mapping[str, Mapping[str, str]]] = {
    "2025-03-04-nightly/disk-hang/1": {**bundle(patch=GOOD_PATCH), "output.md": GOOD_ANSWER, "case_run.json": record()},
    "2025-03-04-nightly/disk-hang/2": {
        **bundle(patch=GOOD_PATCH),
        "output.md": CHINESE_ANSWER,
        "case_run.json": record(),
    },
    "2025-03-04-nightly/lock-wait/1": {**bundle("1002"), "output.md": "A lock wait it was.", "case_run.json": record()},
    "2025-03-04-nightly/lock-wait/2": {**bundle("1002"), "output.md": "We saw a lock wait.", "case_run.json": record()},
    "2025-03-05-nightly/disk-hang/1": {
        **bundle(patch=patch_with("metric:node_disk_util", "log:tikv.log:99")),
        "output.md": GOOD_ANSWER,
        "case_run.json": record(),
    },
    "2025-03-05-nightly/disk-hang/2": {
        **bundle(busy=False, log="nothing\n", patch=GOOD_PATCH),
        "output.md": WRONG_ANSWER,
        "case_run.json": record(),
    },
    "2025-03-05-nightly/lock-wait/1": {**bundle("1009"), "output.md": "A lock wait.", "case_run.json": record()},
    "2025-03-05-nightly/lock-wait/2": {"case_run.json": record(status="error", stop_reason="rate_limited")},
    "2025-03-05-nightly/lock-waits/1": {"output.md": "?"},
}
"""Case run id -> its files."""


def write_world(root: Path, runs: Mapping[str, Mapping[str, str]] = RUNS) -> Path:
    """`registry/` and `runs/` below a directory."""
    write_files(root / "registry", REGISTRY)
    for case_run_id, files in runs.items():
        eval_run, case, trial = case_run_id.split("/")
        write_files(root / "runs" / eval_run / "cases" / case / f"trial-{trial}", files)
        day = eval_run[:10]
        agent = {"name": "demo-agent", "version": "1.2", "model": "m-1"}
        told = {"suite_id": "daily", "suite_version": 1, "started_at": f"{day}T02:00:00Z", "agent": agent}
        write_files(root / "runs" / eval_run, {"eval_run.json": json.dumps(told)})
    return root


def write_files(directory: Path, files: Mapping[str, str]) -> None:
    """Files by their relative names."""
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
