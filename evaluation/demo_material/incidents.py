"""The three incidents of the demo registry: identity, window, and what the cluster looked like in its metrics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from demo_material.noise import Noise

LEAD_MINUTES = 10
"""Metrics begin that long before the window."""

Curve = Callable[[int, Noise], float]
"""Minute relative to the window's start -> value."""


@dataclass(frozen=True)
class Series:
    """One metric of one instance."""

    name: str
    labels: tuple[tuple[str, str], ...]
    curve: Curve
    digits: int = 3


@dataclass(frozen=True)
class Incident:
    """One case as far as the made-up cluster is concerned.  `offset_hours` is how its people write times."""

    case_id: str
    case_version: int
    short: str
    cluster_id: str
    start: datetime
    minutes: int
    offset_hours: int
    series: tuple[Series, ...]

    @property
    def end(self) -> datetime:
        """End of the window."""
        return self.start + timedelta(minutes=self.minutes)


def _steady(level: float, spread: float) -> Curve:
    return lambda _minute, noise: level + noise.between(-spread, spread)


def _raised(level: float, spread: float, high: float, high_spread: float, first: int, last: int) -> Curve:
    def curve(minute: int, noise: Noise) -> float:
        if first <= minute <= last:
            return high + noise.between(-high_spread, high_spread)
        return level + noise.between(-spread, spread)

    return curve


def _instance(host: str, port: int) -> tuple[tuple[str, str], ...]:
    return (("instance", f"{host}:{port}"),)


KILLS = (11, 23, 37)
"""Minutes of the window at which the kernel ended tidb-0."""


def _resident_memory(minute: int, noise: Noise) -> float:
    climb = {4: 11e9, 3: 18e9, 2: 26.5e9, 1: 30.5e9}
    for kill in KILLS:
        if kill - minute in climb:
            return climb[kill - minute] + noise.between(0, 6e8)
    return 6.2e9 + noise.between(0, 5e8)


def _started(minute: int, _noise: Noise) -> float:
    before = [kill for kill in KILLS if minute >= kill]
    boot = datetime(2025, 2, 11, 3, 20, tzinfo=UTC).timestamp()
    return RESTART_START.timestamp() + 60 * before[-1] + 19 if before else boot


RESTART_START = datetime(2025, 2, 20, 14, 10, tzinfo=UTC)

RESTART = Incident(
    case_id="component-restart-during-incident-window",
    case_version=2,
    short="restart",
    cluster_id="7419020456137829841",
    start=RESTART_START,
    minutes=45,
    offset_hours=0,
    series=(
        Series("process_resident_memory_bytes", _instance("tidb-0", 10080), _resident_memory, 0),
        Series("process_resident_memory_bytes", _instance("tidb-1", 10080), _steady(6.6e9, 3e8), 0),
        Series("process_resident_memory_bytes", _instance("tidb-2", 10080), _steady(6.4e9, 3e8), 0),
        Series("process_start_time_seconds", _instance("tidb-0", 10080), _started, 0),
        Series("process_start_time_seconds", _instance("tidb-1", 10080), _steady(1739243911, 0), 0),
        Series("tidb_server_connections", _instance("tidb-0", 10080), _raised(410, 6, 380, 8, 11, 40), 0),
        Series("tidb_server_connections", _instance("tidb-1", 10080), _steady(405, 5), 0),
        Series("tidb_server_handle_query_duration_p99", (), _raised(0.04, 0.008, 0.4, 0.1, 8, 40)),
    ),
)

APPEND_LOG = "tikv_raftstore_append_log_duration_p99"

DEGRADATION = Incident(
    case_id="service-degradation-during-incident-window",
    case_version=1,
    short="service",
    cluster_id="7403355127786412093",
    start=datetime(2025, 2, 25, 2, 0, tzinfo=UTC),
    minutes=40,
    offset_hours=8,
    series=(
        Series("node_disk_io_util", _instance("tikv-0", 9100), _steady(0.31, 0.05)),
        Series("node_disk_io_util", _instance("tikv-1", 9100), _raised(0.33, 0.05, 0.997, 0.003, 6, 31)),
        Series("node_disk_io_util", _instance("tikv-2", 9100), _steady(0.29, 0.05)),
        Series(APPEND_LOG, _instance("tikv-0", 20180), _steady(0.009, 0.002)),
        Series(APPEND_LOG, _instance("tikv-1", 20180), _raised(0.008, 0.002, 4.1, 0.9, 6, 31)),
        Series(APPEND_LOG, _instance("tikv-2", 20180), _steady(0.009, 0.002)),
        Series("tidb_server_qps", (), _raised(9200, 300, 3100, 250, 7, 32), 1),
        Series("tidb_server_handle_query_duration_p99", (), _raised(0.05, 0.01, 7.5, 1.5, 7, 32)),
        Series("probe_latency_seconds", (("source", "tikv-0"), ("target", "tikv-1")), _steady(0.0004, 0.00005), 6),
    ),
)

_RAFTSTORE = (("name", "raftstore"),)
_GRPC = (("name", "grpc"),)

TAIL = Incident(
    case_id="tail-latency-surge-during-incident-window",
    case_version=1,
    short="tail",
    cluster_id="7412098871604425013",
    start=datetime(2025, 2, 18, 9, 0, tzinfo=UTC),
    minutes=45,
    offset_hours=0,
    series=(
        Series("tikv_thread_cpu", _instance("tikv-0", 20180) + _RAFTSTORE, _steady(0.34, 0.04)),
        Series("tikv_thread_cpu", _instance("tikv-1", 20180) + _RAFTSTORE, _steady(0.31, 0.04)),
        Series("tikv_thread_cpu", _instance("tikv-2", 20180) + _RAFTSTORE, _raised(0.36, 0.04, 0.975, 0.015, 8, 41)),
        Series("tikv_thread_cpu", _instance("tikv-0", 20180) + _GRPC, _steady(0.22, 0.03)),
        Series("tikv_thread_cpu", _instance("tikv-2", 20180) + _GRPC, _steady(0.27, 0.03)),
        Series("tikv_region_written_keys", (("region", "4709"),), _steady(410, 40), 0),
        Series("tikv_region_written_keys", (("region", "4710"),), _steady(390, 40), 0),
        Series("tikv_region_written_keys", (("region", "4711"),), _raised(420, 40, 9100, 500, 8, 41), 0),
        Series("tidb_server_handle_query_duration_p99", (), _raised(0.04, 0.006, 1.35, 0.2, 9, 41)),
        Series("tidb_server_handle_query_duration_p50", (), _steady(0.006, 0.0008), 4),
    ),
)

INCIDENTS = {incident.short: incident for incident in (RESTART, DEGRADATION, TAIL)}
