"""Plain rules that read a cause off recorded data: one function for each cause that the agent knows."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime
from statistics import median
from typing import Final

from judge_polars.demo_agent.recorded import Line, Recorded, Series

BUSY: Final = 0.95
"""Share of a device's or a thread's time from which it is at its limit."""
LONG: Final = 5
"""Points in a row that make a load last."""
GIGABYTE: Final = 1e9


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """A cause with what shows it.

    Attributes:
        title: of the item in the evidence map.
        answer: the final answer, Markdown.
        metrics: series that are cited; `line` with its `quote` and `query` (a digest) as well; `event` is an id.
    """

    title: str
    answer: str
    metrics: tuple[Series, ...]
    line: Line
    quote: str
    query: str
    event: str | None


Rule = Callable[[Recorded], Diagnosis | None]


def _clock(seconds: float) -> str:
    return f"{datetime.fromtimestamp(seconds, UTC):%H:%M}"


def _host(series: Series) -> str:
    return series.labels.get("instance", "").partition(":")[0]


def _lasting(series: Series) -> tuple[float, float] | None:
    """First and last moment of the longest time at the limit; None where it does not last."""
    longest: list[float] = []
    current: list[float] = []
    for at, value in series.points:
        current = [*current, at] if value >= BUSY else []
        longest = max(longest, current, key=len)
    return (longest[0], longest[-1]) if len(longest) >= LONG else None


def _event(recorded: Recorded, *reasons: str) -> str | None:
    rows = recorded.rows("events.json", "events")
    return next((str(row["id"]) for row in rows if row.get("reason") in reasons), None)


def _digest(recorded: Recorded, key: str) -> tuple[str, float]:
    """The statement with the largest value of a column, and that value."""
    rows = recorded.rows("queries.json", "queries")
    row = max(rows, key=lambda one: float(one[key]), default=None)
    return ("", 0.0) if row is None else (str(row["digest"]), float(row[key]))


def _heading(recorded: Recorded) -> str:
    return f"# Diagnosis of cluster {recorded.cluster_id}, {recorded.window['start']} to {recorded.window['end']}\n\n"


def out_of_memory(recorded: Recorded) -> Diagnosis | None:
    """The kernel ended a process for want of memory, and one statement took most of it."""
    invoked = recorded.lines("invoked oom-killer")
    if not invoked:
        return None
    host = next(iter(re.findall(r"(\S+) kernel:", invoked[0].text)), "one instance")
    of_host = [one for one in recorded.series("process_resident_memory_bytes") if _host(one) == host]
    restarts = [one for one in recorded.series("process_start_time_seconds") if _host(one) == host]
    digest, memory = _digest(recorded, "mem_max")
    peak = max((one.highest for one in of_host), default=0.0)
    times = ", ".join(sorted({found for line in invoked for found in re.findall(r"T(\d\d:\d\d)", line.text)}))
    answer = f"""{_heading(recorded)}## Summary

{host} was ended by the kernel {len(invoked)} times ({times} UTC). Applications on that instance lost their connections each time.

## Root cause

{host} ran out of memory, caused by a single reporting query (digest `{digest}`). Resident memory reached {peak / GIGABYTE:.1f} GB.

## Evidence

- The journal of {host} records `invoked oom-killer` {len(invoked)} times within the window.
- `process_resident_memory_bytes` of {host} climbed within minutes before every restart.
- `process_start_time_seconds` changed on {host} only.
- The statement summary shows {memory / GIGABYTE:.1f} GB for one execution of that statement.

## Ruled out

- A panic in tidb-server: no log ends with a stack.

## Actions

1. Stop the reporting job until limits are in place.
2. Set `tidb_mem_quota_query` and `tidb_server_memory_limit`.
3. Move reports to an instance of their own.
"""
    event = _event(recorded, "OOMKilling")
    metrics = (*of_host, *restarts)
    return Diagnosis(
        "The process was ended for want of memory", answer, metrics, invoked[0], "invoked oom-killer", digest, event
    )


def hung_device(recorded: Recorded) -> Diagnosis | None:
    """The device of one store stood still while the others were calm."""
    devices = recorded.series("node_disk_io_util")
    held = next(((one, span) for one in devices if (span := _lasting(one))), None)
    slow = recorded.lines("slow fdatasync")
    if held is None or not slow:
        return None
    device, (first, last) = held
    lasted = f"from {_clock(first)} to {_clock(last)} UTC"
    host = _host(device)
    idle = max((one.highest for one in devices if one is not device), default=0.0)
    appends = [one for one in recorded.series("tikv_raftstore_append_log_duration_p99") if _host(one) == host]
    slowest = max((one.highest for one in appends), default=0.0)
    digest, _ = _digest(recorded, "latency_p99")
    answer = f"""{_heading(recorded)}## Root cause

The timeouts were caused by a disk hang on {host}: its device answered late {lasted}, the append of the raft log took
up to {slowest:.1f} s, and the store refused work with `server is busy`.

## Evidence

- `node_disk_io_util` of {host} was at its limit for {(last - first) / 60:.0f} minutes; the other stores stayed below {idle:.2f}.
- `tikv_raftstore_append_log_duration_p99` rose on {host} alone.
- The log of {host} holds `slow fdatasync of raft log` {len(slow)} times.

## Ruled out

- A network partition: the probes between the stores show no change.

## Actions

1. Evict leaders from {host} (`evict-leader`).
2. Replace the disk, and ask its provider for a report.
"""
    event = _event(recorded, "VolumeDegraded")
    title = "The device of one store stood still"
    return Diagnosis(title, answer, (device, *appends), slow[0], "slow fdatasync of raft log", digest, event)


def hot_store(recorded: Recorded) -> Diagnosis | None:
    """A thread of one store was at its limit, fed by writes to one region."""
    threads = recorded.series("tikv_thread_cpu", name="raftstore")
    held = next(((one, span) for one in threads if (span := _lasting(one))), None)
    busy = recorded.lines("server is busy")
    if held is None or not busy:
        return None
    thread, (first, last) = held
    lasted, highest = f"from {_clock(first)} to {_clock(last)} UTC", 100 * thread.highest
    host = _host(thread)
    regions = {one.labels.get("region", ""): one.highest for one in recorded.series("tikv_region_written_keys")}
    region = max(regions, key=lambda one: regions[one], default="")
    share = regions.get(region, 0.0) / (median(regions.values()) or 1.0) if regions else 0.0
    surge = recorded.series("tidb_server_handle_query_duration_p99")
    p99 = max((one.highest for one in surge), default=0.0)
    digest = next(
        (str(row["digest"]) for row in recorded.rows("queries.json", "queries") if "INSERT" in row["sql"]), ""
    )
    answer = f"""{_heading(recorded)}## Root cause

The tail latency rose because of a CPU hotspot on {host}. Its raftstore thread was saturated at {highest:.1f} %
{lasted}, fed by a write hotspot on region {region}.

## Evidence

- `tikv_thread_cpu` of the raftstore thread of {host}, against the other stores.
- `tikv_region_written_keys`: region {region} takes {share:.0f} times the median.
- `server is busy` in the log, in the window only. P99 reached {p99:.2f} s.

## Ruled out

- A missing index: the scanning statement is as slow as before.
- A network partition between the stores.

## Actions

1. Split region {region} and scatter the pieces.
2. Give the table an AUTO_RANDOM key, or SHARD_ROW_ID_BITS with PRE_SPLIT_REGIONS.
"""
    event = _event(recorded, "JobStarted")
    return Diagnosis("One store at its limit", answer, (thread, *surge), busy[0], "server is busy", digest, event)


RULES: Final[tuple[Rule, ...]] = (out_of_memory, hung_device, hot_store)
"""Tried in order; the first that finds its cause decides."""


def diagnose(recorded: Recorded) -> Diagnosis | None:
    """The cause, or None where no rule finds one."""
    return next((found for rule in RULES if (found := rule(recorded))), None)
