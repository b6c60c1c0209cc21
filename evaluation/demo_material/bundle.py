"""One case run as files: path relative to the case run's directory -> bytes."""

from __future__ import annotations

import json
import struct
import zlib
from datetime import UTC, datetime, timedelta
from pathlib import Path

from demo_material import evidence, telemetry
from demo_material.evidence import Json, Value, stamp
from demo_material.incidents import INCIDENTS, Incident
from demo_material.logs import logs
from demo_material.noise import Noise
from demo_material.plan import QUIRKS, EvalRun, Trial

ANSWERS = Path(__file__).parent / "answers"

_CITED: dict[str, tuple[str, tuple[str, ...], str, tuple[str, str], str]] = {
    "restart": (
        "The process was ended for want of memory",
        ('process_resident_memory_bytes{instance="tidb-0:10080"}', "process_start_time_seconds"),
        "9f3c7ad1e2b84c55",
        ("journal.log", "invoked oom-killer"),
        "evt-1041",
    ),
    "service": (
        "The device of one store stood still",
        ('node_disk_io_util{instance="tikv-1:9100"}', "tikv_raftstore_append_log_duration_p99"),
        "e6a91c0d74f2b358",
        ("tikv.log", "slow fdatasync of raft log"),
        "evt-2210",
    ),
    "tail": (
        "One store at its limit",
        ('tikv_thread_cpu{instance="tikv-2:20180",name="raftstore"}', "tidb_server_handle_query_duration_p99"),
        "b3580f6ac1e2d749",
        ("tikv.log", "server is busy"),
        "evt-3302",
    ),
}
"""Title, metrics, statement, log file with a quotation, event: what the evidence map of each incident cites."""


def _pretty(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, indent=1) + "\n").encode()


def _compact(value: object) -> bytes:
    return (json.dumps(value, ensure_ascii=False, separators=(",", ":")) + "\n").encode()


def gzip_stored(data: bytes) -> bytes:
    """A gzip file (RFC 1952) of stored blocks: the same bytes with every version of every compressor."""
    blocks = [data[start : start + 65535] for start in range(0, len(data), 65535)] or [b""]
    body = b"".join(
        struct.pack("<BHH", number == len(blocks) - 1, len(block), len(block) ^ 0xFFFF) + block
        for number, block in enumerate(blocks)
    )
    head = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
    return head + body + struct.pack("<II", zlib.crc32(data), len(data))


def _answer(incident: Incident, name: str, noise: Noise) -> str:
    text = (ANSWERS / incident.short / f"{name}.md").read_text(encoding="utf-8")
    return text.format(
        peak=f"{noise.between(30.6, 31.4):.1f}",
        mem=f"{noise.between(19.0, 19.6):.1f}",
        idle=f"{noise.between(0.34, 0.39):.2f}",
        append=f"{noise.between(4.2, 4.9):.1f}",
        cpu=f"{noise.between(95.5, 98.5):.1f}",
        share=noise.whole(21, 23),
        p99=f"{noise.between(1.3, 1.5):.2f}",
        scan=f"{noise.between(1.8, 2.0):.1f}",
    )


def _patch(incident: Incident, texts: dict[str, str], quirks: frozenset[str]) -> Json:
    title, metrics, digest, (file, quote), event = _CITED[incident.short]
    if "other_instance" in quirks:
        key: list[Value] = ['metric:process_resident_memory_bytes{instance="tidb-1:10080"}', "log:tidb.log:3"]
        return {"items": [{"id": "A1", "title": "Nothing stands out", "key_evidence": key, "supporting_evidence": []}]}
    if "no_disk_metrics" in quirks:
        metrics = metrics[1:]
    if "misspelt_metric" in quirks:
        metrics = ("tikv_threads_cpu_seconds", *metrics[1:])
    line = next(number for number, text in enumerate(texts[file].split("\n"), start=1) if quote in text)
    key = [f"metric:{metric}" for metric in metrics]
    key.append({"channel": "log", "ref": f"{file}:{line}", "quote": quote})
    supporting: list[Value] = [{"type": "queries", "ref": digest}]
    if "event_from_memory" in quirks or not quirks & {"events_not_asked", "events_lost"}:
        supporting.append(f"event:{event}")
    return {"items": [{"id": "A1", "title": title, "key_evidence": key, "supporting_evidence": supporting}]}


def _summary(incident: Incident, texts: dict[str, str]) -> str:
    lines = sum(text.count("\n") for text in texts.values())
    return (
        f"# Summary of the collection\n\nCluster {incident.cluster_id}, {stamp(incident, incident.start)} to "
        f"{stamp(incident, incident.end)}.\n\n- {lines} log lines from {len(texts)} files\n"
        "- metrics at a step of 60 s\n"
    )


def bundle_files(incident: Incident, run: EvalRun, noise: Noise, quirks: frozenset[str]) -> dict[str, bytes]:
    """The run bundle, path relative to its root -> bytes."""
    other = "other_instance" in quirks
    texts = logs(incident, noise, other)
    shift = timedelta(days=-1) if "day_before" in quirks else timedelta()
    window: Json = {"start": stamp(incident, incident.start + shift), "end": stamp(incident, incident.end + shift)}
    run_id = f"run-{noise.token(6)}"
    dropped = {"no_disk_metrics": "node_disk_io_util", "other_instance": "tidb-0"}
    measured = evidence.metrics(incident, noise, frozenset(name for quirk, name in dropped.items() if quirk in quirks))
    named = sorted({series.name for series in incident.series})
    scope: Json = {"cluster_id": incident.cluster_id, "time_window": window}
    report: Json = {
        "metadata": {**scope, "run_id": run_id},
        "agent": {"name": "demo-agent", "version": run.version},
        "status": "final",
        "components": ["tidb", "tikv", "pd"],
    }
    if not quirks & {"no_metrics", "no_disk_metrics", "other_instance"}:
        report["evidence"] = {"metrics": list[Value](named)}
    errors: list[Value] = [{"channel": "logs", "error": "timeout", "retried": True}]
    if "events_lost" in quirks:
        errors.append({"channel": "events", "error": "the answer was not stored", "retried": False})
    files = {
        "manifest.json": _pretty({"run_id": run_id, "metadata": scope}),
        "diagnosis_report.json": _pretty(report),
        "summary.md": _summary(incident, texts).encode(),
        "summary.json": _pretty({"cluster_id": incident.cluster_id, "log_files": len(texts)}),
        "evidence/metrics.json": _compact(measured),
        "evidence/queries.json": _pretty(evidence.queries(incident, noise, skipped=1 if other else 0)),
        "evidence/events.json": _pretty(evidence.events(incident, other)),
        "evidence/gate_checks.json": _pretty(evidence.gate_checks(incident, noise, other)),
        "evidence/component_health.json": _pretty(evidence.component_health(incident, "tidb-0" if other else None)),
        "evidence/log_stats.json": _pretty(evidence.log_stats(texts)),
        "evidence/collection_errors.json": _pretty(errors),
        "analysis_patch.json": _pretty(_patch(incident, texts, quirks)),
    }
    if "tickets" in quirks:
        files["evidence/tickets.json"] = _pretty(evidence.tickets(incident))
    for name, text in texts.items():
        packed = "packed_log" in quirks and name == "tikv.log"
        files[f"logs/{name}" + (".gz" if packed else "")] = gzip_stored(text.encode()) if packed else text.encode()
    _spoil(files, quirks)
    return files


def _spoil(files: dict[str, bytes], quirks: frozenset[str]) -> None:
    gone = {
        "events_lost": "evidence/events.json",
        "events_not_asked": "evidence/events.json",
        "no_metrics": "evidence/metrics.json",
        "no_patch": "analysis_patch.json",
    }
    for quirk, name in gone.items():
        if quirk in quirks:
            del files[name]
    if "cut_report" in quirks:
        report = files["diagnosis_report.json"]
        files["diagnosis_report.json"] = report[: len(report) // 2]


def case_run_files(run: EvalRun, trial: Trial, started: datetime) -> dict[str, bytes]:
    """Everything in one case run's directory, path relative to it -> bytes."""
    unknown = set(trial.quirks) - QUIRKS.keys()
    if unknown:
        raise ValueError(f"no such quirk: {', '.join(sorted(unknown))}")
    incident = INCIDENTS[trial.case]
    noise = Noise(f"{run.eval_run_id}/{incident.case_id}/{trial.number}")
    quirks = frozenset(trial.quirks)
    record = _record(run, trial, incident, noise, quirks, started)
    if "never_started" in quirks:
        complaint = "demo-agent: error while loading shared libraries: libssl.so.3: cannot open shared object file\n"
        return {"case_run.json": _pretty(record), "audit/agent.stderr.log": complaint.encode()}
    files = {"case_run.json": _pretty(record)}
    text = _answer(incident, trial.answer or "", noise)
    files["output.md"] = text.encode()
    done = telemetry.calls(incident, quirks)
    told = telemetry.acp(done, started, noise, text) if "acp" in quirks else telemetry.flat(done, started, noise)
    files["audit/telemetry.jsonl"] = told.encode()
    for root in _roots(quirks, noise):
        built = bundle_files(incident, run, noise, quirks)
        files.update({f"{root}/{name}": body for name, body in built.items()})
    return files


def _roots(quirks: frozenset[str], noise: Noise) -> list[str]:
    base = "audit"
    if "in_workspace" in quirks:
        base = f"workspace/diagnosis/{noise.token(6)}"
    elif "run_directory" in quirks:
        base = f"audit/run-{noise.token(6)}"
    return [f"{base}-first", f"{base}-second"] if "two_bundles" in quirks else [base]


def _record(
    run: EvalRun, trial: Trial, incident: Incident, noise: Noise, quirks: frozenset[str], started: datetime
) -> Json:
    begun = "never_started" not in quirks
    status = "completed" if begun else "spawn_failed"
    reason: str | None = "end_turn" if begun else None
    if "no_patch" in quirks:
        reason = "max_turn_requests"
    seconds = noise.whole(340, 900) if begun else 2
    usage: Json | None = None
    if begun:
        tokens = noise.whole(38_000, 71_000)
        usage = {
            "input_tokens": tokens,
            "output_tokens": noise.whole(2_600, 5_200),
            "cost_usd": round(tokens * (4.1e-6 if run.model == "demo-m1" else 2.9e-6), 4),
            "tool_calls": noise.whole(14, 31),
        }
    return {
        "schema_version": 1,
        "eval_run_id": run.eval_run_id,
        "case_id": incident.case_id,
        "case_version": incident.case_version,
        "trial": trial.number,
        "workspace_id": f"ws-{noise.token(4)}",
        "workspace_dir": "workspace",
        "audit_dir": "audit",
        "output_file": "output.md",
        "status": status,
        "stop_reason": reason,
        "usage": usage,
        "started_at": _utc(started),
        "finished_at": _utc(started + timedelta(seconds=seconds)),
        "agent": {"name": "demo-agent", "version": run.version, "model": run.model},
    }


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def eval_run_files(run: EvalRun) -> dict[str, bytes]:
    """Everything of one eval run, path relative to its directory -> bytes."""
    first = datetime.fromisoformat(run.eval_run_id.removesuffix("-nightly") + "T02:00:00+00:00")
    files: dict[str, bytes] = {}
    moment = first
    for trial in run.trials:
        moment += timedelta(minutes=16)
        place = f"cases/{INCIDENTS[trial.case].case_id}/trial-{trial.number}"
        files.update({f"{place}/{name}": body for name, body in case_run_files(run, trial, moment).items()})
    files["eval_run.json"] = _pretty(
        {
            "schema_version": 1,
            "eval_run_id": run.eval_run_id,
            "suite_id": "core-daily-demo",
            "suite_version": 1,
            "execution_mode": "live",
            "started_at": _utc(first),
            "finished_at": _utc(moment + timedelta(minutes=16)),
            "agent": {"name": "demo-agent", "version": run.version, "model": run.model},
        }
    )
    return files


def recorded_files(incident: Incident) -> dict[str, bytes]:
    """The recorded data that a live agent finds in its workspace, path relative to `recorded/` -> bytes."""
    noise = Noise(f"recorded/{incident.case_id}")
    texts = logs(incident, noise)
    window: Json = {"start": stamp(incident, incident.start), "end": stamp(incident, incident.end)}
    files = {
        "cluster.json": _pretty({"cluster_id": incident.cluster_id, "time_window": window}),
        "evidence/metrics.json": _compact(evidence.metrics(incident, noise)),
        "evidence/queries.json": _pretty(evidence.queries(incident, noise)),
        "evidence/events.json": _pretty(evidence.events(incident)),
        "evidence/gate_checks.json": _pretty(evidence.gate_checks(incident, noise)),
        "evidence/component_health.json": _pretty(evidence.component_health(incident)),
        "evidence/log_stats.json": _pretty(evidence.log_stats(texts)),
        "evidence/collection_errors.json": _pretty([]),
    }
    files.update({f"logs/{name}": text.encode() for name, text in texts.items()})
    return files
