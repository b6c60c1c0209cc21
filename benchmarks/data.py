"""Realistic case runs: 14 bundle files and some 230 KB each, TiDB-like, made from a seed.

`write_runs(root, count)` writes `root/registry` (`registry.write_registry`) and `root/runs` with `count` case runs of its cases.
"""

from __future__ import annotations

import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.registry import write_registry

START = datetime(2025, 3, 4, 9, tzinfo=UTC)
ANSWERS = (
    "## Root cause\n\nThe latency was caused by a TiKV CPU hotspot on store {store}: the raftstore thread stayed above 95 %.\n",
    "## 结论\n\n根因是 TiKV 磁盘 IO 卡住，导致写入延迟升高。已排除：网络丢包、缺少索引。\n",
    "The evidence points to a missing index on `orders`; a CPU hotspot was ruled out.\n\n- split region\n- add an index\n",
)


def write_runs(root: Path, count: int, runs_per_eval: int = 500, cases_of_registry: int = 20) -> tuple[Path, Path]:
    """Write `count` case runs; returns (registry, runs)."""
    registry, runs = write_registry(root, cases_of_registry), root / "runs"
    cases = sorted(path.parent.name for path in registry.glob("cases/*/case.yaml"))
    templates = [_bundle(random.Random(seed)) for seed in range(24)]
    for number in range(count):
        eval_run = f"bench-{number // runs_per_eval:05d}"
        within = number % runs_per_eval
        case, trial = cases[within % len(cases)], within // len(cases) + 1
        _write(
            runs / eval_run / "cases" / case / f"trial-{trial}",
            templates[number % len(templates)],
            eval_run,
            case,
            trial,
            number,
        )
    return registry, runs


def _write(directory: Path, files: dict[str, str], eval_run: str, case: str, trial: int, number: int) -> None:
    for name, text in files.items():
        path = directory / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.replace("@@@@@@", f"{number:06d}"), "utf-8")
    record = {"schema_version": 1, "eval_run_id": eval_run, "case_id": case, "case_version": 1, "trial": trial}
    more = {
        "workspace_dir": "workspace",
        "audit_dir": "audit",
        "output_file": "output.md",
        "status": "completed",
        "stop_reason": "end_turn",
    }
    (directory / "case_run.json").write_text(json.dumps(record | more), "utf-8")


def _bundle(draw: random.Random) -> dict[str, str]:
    """The files of one case run; `@@@@@@` stands for its number."""
    window = {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T09:45:00Z"}
    metrics = {f"tikv_thread_cpu_{index}": _query_range(draw, f"tikv_thread_cpu_{index}") for index in range(6)}
    queries = [
        {
            "digest": f"{draw.getrandbits(128):032x}",
            "sql": "select * from orders where id = ?",
            "count": draw.randint(1, 900),
        }
        for _ in range(60)
    ]
    events = [{"event_id": f"ev-{index}", "type": "restart", "at": START.isoformat()} for index in range(8)]
    refs = ["metric:tikv_thread_cpu_0", f"query:{queries[0]['digest']}", "log:tikv.log:12", "event:ev-1"]
    json_files: dict[str, Any] = {
        "manifest.json": {"run": "@@@@@@", "cluster_id": "10151515151515151515"},
        "diagnosis_report.json": {
            "metadata": {"cluster_id": "10151515151515151515", "time_window": window},
            "run": "@@@@@@",
            "findings": queries[:20],
        },
        "analysis_patch.json": {"items": [{"id": f"i{index}", "key_evidence": refs} for index in range(6)]},
        "summary.json": {"headline": "latency", "numbers": [draw.random() for _ in range(50)]},
        "evidence/collection_errors.json": [],
        "evidence/gate_checks.json": {f"gate_{index}": "ok" for index in range(20)},
        "evidence/log_stats.json": {"lines": 900, "by_level": {"WARN": 600, "ERROR": 50}},
        "evidence/queries.json": {"queries": queries},
        "evidence/events.json": events,
        "evidence/metrics.json": metrics,
    }
    files = {f"audit/{name}": json.dumps(value) for name, value in json_files.items()}
    files["audit/summary.md"] = "The write latency rose at 09:05.\n" * 20
    files["audit/telemetry.jsonl"] = "".join(
        json.dumps({"ts": START.isoformat(), "tool": "read_file", "status": "ok", "args": {"path": f"docs/{index}.md"}})
        + "\n"
        for index in range(80)
    )
    files["audit/logs/tidb.log"] = _log(draw, "tidb", 260)
    files["audit/logs/tikv.log"] = _log(draw, "tikv", 260)
    files["output.md"] = (
        draw.choice(ANSWERS).format(store=draw.randint(1, 9))
        + "\nThe cluster recovered at 09:40 without action.\n" * 25
    )
    return files


def _query_range(draw: random.Random, name: str) -> dict[str, Any]:
    first = int(START.timestamp()) - 600
    result = [
        {
            "metric": {"__name__": name, "instance": f"10.0.1.{store}:20180", "name": f"raftstore_{store}"},
            "values": [[first + 30 * step, f"{draw.random():.6f}"] for step in range(120)],
        }
        for store in range(6)
    ]
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def _log(draw: random.Random, component: str, lines: int) -> str:
    rows = []
    for index in range(lines):
        at = (START + timedelta(seconds=10 * index)).strftime("%Y/%m/%d %H:%M:%S.000 +00:00")
        level = draw.choice(("INFO", "WARN", "ERROR"))
        message = draw.choice(
            ("region is hot", "server is busy", "slow query", "connection closed", "compaction finished")
        )
        place = f"{component}.rs:{draw.randint(1, 900)}"
        region = draw.randint(1, 10**6)
        rows.append(f'[{at}] [{level}] [{place}] ["{message}"] [region_id={region}] [conn=@@@@@@]\n')
    return "".join(rows)
