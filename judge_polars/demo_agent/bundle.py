"""The run bundle that the agent leaves in its workspace."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from judge_polars.demo_agent.diagnosis import Diagnosis
from judge_polars.demo_agent.recorded import Recorded

BUNDLE: Final = "diagnosis"
VERSION: Final = "2.0"


def write_collection(workspace: Path, recorded: Recorded) -> Path:
    """Manifest, report, evidence, logs and summary; returns the bundle's directory."""
    root = workspace / BUNDLE
    scope = {"cluster_id": recorded.cluster_id, "time_window": recorded.window}
    report = {
        "metadata": {**scope, "run_id": "run-1"},
        "agent": {"name": "demo-agent", "version": VERSION},
        "status": "final",
        "evidence": {"metrics": recorded.metric_names()},
    }
    files = {
        "manifest.json": _pretty({"run_id": "run-1", "metadata": scope}),
        "diagnosis_report.json": _pretty(report),
        "summary.md": summary(recorded).encode(),
        "summary.json": _pretty({"cluster_id": recorded.cluster_id, "log_files": len(recorded.logs)}),
        **{f"evidence/{name}": content for name, content in recorded.evidence.items()},
        **{f"logs/{name}": text.encode() for name, text in recorded.logs.items()},
    }
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return root


def summary(recorded: Recorded) -> str:
    """`summary.md`."""
    lines = sum(text.count("\n") for text in recorded.logs.values())
    return (
        f"# Summary of the collection\n\nCluster {recorded.cluster_id}, {recorded.window['start']} to "
        f"{recorded.window['end']}.\n\n- {lines} log lines from {len(recorded.logs)} files\n"
        f"- {len(recorded.metric_names())} metrics\n"
    )


def evidence_map(diagnosis: Diagnosis) -> str:
    """`analysis_patch.json`: what the diagnosis rests on, as references that can be followed."""
    line = diagnosis.line
    key: list[Any] = [series.reference for series in diagnosis.metrics]
    key.append({"channel": "log", "ref": f"{line.file}:{line.number}", "quote": diagnosis.quote})
    supporting: list[Any] = [{"type": "queries", "ref": diagnosis.query}]
    if diagnosis.event is not None:
        supporting.append(f"event:{diagnosis.event}")
    item = {"id": "A1", "title": diagnosis.title, "key_evidence": key, "supporting_evidence": supporting}
    return _pretty({"items": [item]}).decode()


def _pretty(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()
