"""The files under `evidence/` of one run: metrics as Prometheus answers them, statements, events, health, checks."""

from __future__ import annotations

from datetime import datetime, timedelta, timezone

from demo_material.incidents import KILLS, LEAD_MINUTES, Incident, Series
from demo_material.noise import Noise

Json = dict[str, "Value"]
Value = str | int | float | bool | None | list["Value"] | dict[str, "Value"]


def stamp(incident: Incident, moment: datetime) -> str:
    """RFC 3339 in the incident's own offset."""
    local = moment.astimezone(timezone(timedelta(hours=incident.offset_hours)))
    return local.isoformat(timespec="seconds").replace("+00:00", "Z")


def minute(incident: Incident, minutes: float) -> datetime:
    """The moment so many minutes after the window's start."""
    return incident.start + timedelta(minutes=minutes)


def metrics(incident: Incident, noise: Noise, dropped: frozenset[str] = frozenset()) -> Json:
    """`metrics.json`: one `query_range` answer per name; `dropped` are metrics or instances that were not asked for."""
    names = dict.fromkeys(series.name for series in incident.series)
    queries: list[Value] = []
    for name in names:
        result: list[Value] = [
            _matrix_entry(incident, series, noise)
            for series in incident.series
            if series.name == name and not dropped & {name, _host(series)}
        ]
        if result:
            answer: Json = {"status": "success", "data": {"resultType": "matrix", "result": result}}
            queries.append({"name": name, "step": "60s", "answer": answer})
    return {"source": "prometheus", "queries": queries}


def _host(series: Series) -> str:
    return dict(series.labels).get("instance", "").partition(":")[0]


def _matrix_entry(incident: Incident, series: Series, noise: Noise) -> Value:
    values: list[Value] = []
    for offset in range(-LEAD_MINUTES, incident.minutes + 1):
        moment = int(minute(incident, offset).timestamp())
        values.append([moment, f"{series.curve(offset, noise):.{series.digits}f}"])
    metric: Json = {"__name__": series.name, **dict(series.labels)}
    return {"metric": metric, "values": values}


STATEMENTS: dict[str, tuple[tuple[str, str, int, float, int], ...]] = {
    "restart": (
        (
            "9f3c7ad1e2b84c55",
            "SELECT c.region, SUM(o.total) FROM orders o JOIN customers c ...",
            9,
            96.4,
            19_350_000_000,
        ),
        ("41d8b07c33e9a6f2", "SELECT * FROM carts WHERE user_id = ?", 181_204, 0.012, 420_000),
        ("c05be1f7d2894a36", "UPDATE carts SET qty = ? WHERE id = ?", 90_331, 0.021, 96_000),
    ),
    "service": (
        ("7be2041fd9c35a80", "SELECT ... FROM shipments WHERE note LIKE ?", 240, 3.2, 88_000_000),
        ("e6a91c0d74f2b358", "INSERT INTO payments (...) VALUES (...)", 61_877, 8.9, 54_000),
        ("2f94c6b8a1d07e35", "SELECT ... FROM payments WHERE id = ?", 240_115, 2.6, 31_000),
    ),
    "tail": (
        ("1c77e0b9a4d2f360", "SELECT ... FROM orders WHERE created_at > ?", 58, 1.9, 190_000_000),
        ("b3580f6ac1e2d749", "INSERT INTO orders (...) VALUES (...)", 402_118, 1.31, 61_000),
        ("8d0e4b7f92a6c135", "SELECT ... FROM carts WHERE user_id = ?", 318_440, 0.019, 28_000),
    ),
}
"""Digest, text, executions, P99 in seconds, largest memory in bytes."""


def queries(incident: Incident, noise: Noise, skipped: int = 0) -> Json:
    """`queries.json`: the slow statements by digest; the first `skipped` of them were not collected."""
    rows: list[Value] = []
    for digest, text, executions, p99, memory in STATEMENTS[incident.short][skipped:]:
        rows.append(
            {
                "digest": digest,
                "sql": text,
                "executions": executions + noise.whole(0, 40),
                "latency_p99": round(p99 * noise.between(0.97, 1.03), 3),
                "mem_max": memory + noise.whole(0, 900),
                "plan_digest": f"{digest[8:]}{digest[:8]}",
                "plan_count": 1,
            }
        )
    return {"window": {"start": stamp(incident, incident.start), "end": stamp(incident, incident.end)}, "queries": rows}


def events(incident: Incident, other_instance: bool = False) -> Json:
    """`events.json`: what the platform recorded."""
    rows: list[Value] = []
    if other_instance:
        return {"events": rows}
    if incident.short == "restart":
        for number, kill in enumerate(KILLS):
            ended, begun = 1041 + 2 * number, 1042 + 2 * number
            rows.append(_event(incident, ended, kill + 0.1, "OOMKilling", "tidb-0", "memory of the host is exhausted"))
            rows.append(_event(incident, begun, kill + 0.4, "Started", "tidb-0", "started by the supervisor"))
    elif incident.short == "service":
        rows.append(_event(incident, 2210, 6.5, "VolumeDegraded", "vol-tikv-1", "volume answers late"))
        rows.append(_event(incident, 2211, 31.5, "VolumeRecovered", "vol-tikv-1", "volume answers in time"))
    else:
        rows.append(_event(incident, 3302, 7.0, "JobStarted", "ledger-batch", "batch of the ledger started"))
        rows.append(_event(incident, 3303, 41.0, "JobFinished", "ledger-batch", "batch of the ledger finished"))
    return {"events": rows}


def _event(incident: Incident, number: int, minutes: float, reason: str, thing: str, message: str) -> Value:
    moment = stamp(incident, minute(incident, minutes))
    return {"id": f"evt-{number}", "time": moment, "reason": reason, "object": thing, "message": message}


def gate_checks(incident: Incident, noise: Noise, other_instance: bool = False) -> Json:
    """`gate_checks.json`: the collector's own thresholds."""
    uptime: Json = {"name": "process_uptime", "status": "fail", "value": len(KILLS), "limit": 0}
    if other_instance:
        uptime |= {"status": "pass", "value": 0}
    checks: dict[str, list[Value]] = {
        "restart": [
            uptime,
            {"name": "replica_health", "status": "pass", "value": 0, "limit": 0},
        ],
        "service": [
            {"name": "disk_latency", "status": "fail", "value": round(noise.between(3.6, 4.4), 2), "limit": 0.05},
            {"name": "network_probe", "status": "pass", "value": 0.0004, "limit": 0.005},
        ],
        "tail": [
            {"name": "tikv_thread_cpu", "status": "warn", "value": round(noise.between(0.95, 0.98), 2), "limit": 0.8},
            {"name": "network_probe", "status": "pass", "value": 0.0004, "limit": 0.005},
        ],
    }
    return {"checks": checks[incident.short]}


def component_health(incident: Incident, without: str | None = None) -> Json:
    """`component_health.json`: state at the window's end; `without` names an instance that was not looked at."""
    rows: list[Value] = []
    for kind, port in (("tidb", 4000), ("tikv", 20160), ("pd", 2379)):
        for number in range(3):
            name = f"{kind}-{number}"
            if name != without:
                restarts = len(KILLS) if incident.short == "restart" and name == "tidb-0" else 0
                row: Json = {"kind": "process", "name": name, "port": port, "status": "up", "restarts": restarts}
                if restarts:
                    row["last_exit_reason"] = "OOMKilled"
                rows.append(row)
    return {"components": rows}


def log_stats(logs: dict[str, str]) -> Json:
    """`log_stats.json`: lines per file, and how often known words were seen."""
    text = "\n".join(logs.values()).lower()
    signals: Json = {
        "server_is_busy": text.count("server is busy") + text.count("serverisbusy"),
        "expensive_query": text.count("[expensive_query]"),
        "panic": 0,
    }
    files: list[Value] = [{"file": name, "lines": body.count("\n")} for name, body in logs.items()]
    return {"lines": sum(body.count("\n") for body in logs.values()), "files": files, "signals": signals}


def tickets(incident: Incident) -> Json:
    """`tickets.json`: what the help desk had, now and then."""
    opened = stamp(incident, minute(incident, 12))
    return {"tickets": [{"id": "helpdesk-note", "opened": opened, "text": "Users report errors in the shop."}]}
