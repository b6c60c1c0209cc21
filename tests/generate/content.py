"""Random contents of evidence, logs and telemetry."""

import gzip
import json
from datetime import UTC, datetime, timedelta
from random import Random
from typing import Any

from tests.generate.vocabulary import (
    EVENT_IDS,
    KEYWORDS,
    LABELS,
    LOG_PHRASES,
    NUMBERS,
    QUERY_IDS,
    SERIES,
    chance,
    some,
)

START = 1741078800  # 2025-03-04T09:00:00Z
OFFSETS = [-7200, -600, -300, 0, 60, 120, 600, 1800, 2700, 3000]


def as_text(value: Any) -> str:
    """JSON in a layout of its own, NaN and infinities included."""
    return json.dumps(value, ensure_ascii=False, separators=(" ,\n ", " : "))


def random_instant(random: Random) -> int:
    """Unix seconds around the window."""
    return START + random.choice(OFFSETS)


def written_time(random: Random, seconds: int) -> str:
    """RFC 3339, with or without an offset or a `T`."""
    zone = random.choice([0, 0, 8])
    moment = datetime.fromtimestamp(seconds, UTC) + timedelta(hours=zone)
    text = moment.strftime("%Y-%m-%dT%H:%M:%S")
    if chance(random, 0.1):
        text = text.replace("T", " ")
    return text + ("Z" if zone == 0 else "+08:00")


# Logs


def log_line(random: Random) -> str:
    """A line with a time as TiDB or others write it, or without one."""
    seconds = random_instant(random)
    moment = datetime.fromtimestamp(seconds, UTC)
    phrase = random.choice(LOG_PHRASES)
    level = random.choice(["INFO", "WARN", "ERROR", "error"])
    return random.choice(
        [
            f"[{moment:%Y/%m/%d %H:%M:%S}.123 +00:00] [{level}] [x.rs:1] {phrase}",
            f'[{moment + timedelta(hours=8):%Y/%m/%d %H:%M:%S}.000 +08:00] [{level}] ["{phrase}"]',
            f"{moment:%Y-%m-%dT%H:%M:%S}Z {level} {phrase}",
            f"[{moment:%Y-%m-%dT%H:%M:%S.250000}+00:00] {phrase}",
            f"\x1b[33m{moment:%Y-%m-%dT%H:%M:%S}Z\x1b[0m {phrase}",
            f"{level} {phrase}",
            f"goroutine 7 {phrase}",
        ]
    )


def random_log(random: Random) -> str:
    """A few lines of a log."""
    lines = [log_line(random) for _ in range(random.randint(1, 7))]
    return random.choice(["\n", "\n", "\n", "\r\n"]).join(lines) + random.choice(["", "\n"])


# Metrics


def random_value(random: Random) -> Any:
    """A number, a text that reads as one, or an odd value."""
    number = random.choice(NUMBERS)
    return random.choice([number] * 8 + [str(number), str(number), None, "NaN", "+Inf", "-Inf", "1e1"])


def random_pairs(random: Random) -> list[Any]:
    """Pairs of time and value, in any order."""
    pairs: list[Any] = []
    for _ in range(random.randint(1, 4)):
        seconds = random_instant(random)
        time = random.choice([seconds, seconds, seconds * 1000, seconds + 0.5, written_time(random, seconds)])
        pairs.append([time, random_value(random)])
    return pairs


def random_values(random: Random) -> list[Any]:
    """Bare values."""
    return [random_value(random) for _ in range(random.randint(1, 4))]


def random_objects(random: Random) -> list[Any]:
    """Points that are objects."""
    names = [random.choice(["ts", "time", "timestamp"]), random.choice(["value", "value", "v"])]
    points: list[Any] = []
    for _ in range(random.randint(1, 3)):
        point = {names[1]: random_value(random)}
        if chance(random, 0.8):
            point[names[0]] = random.choice(
                [random_instant(random), written_time(random, random_instant(random)), "soon"]
            )
        points.append(point)
    return points


def with_times(random: Random) -> dict[str, Any]:
    """Values beside a list of their times."""
    values = [random.choice(NUMBERS) for _ in range(random.randint(1, 4))]
    times: list[Any] = [random_instant(random) for _ in values]
    if chance(random, 0.15):
        times.append(START)
    return {
        random.choice(["timestamps", "times", "ts", "time"]): times,
        random.choice(["values", "points", "data"]): values,
    }


def prometheus_answer(random: Random) -> dict[str, Any]:
    """A range or instant query's answer."""
    result = []
    for _ in range(random.randint(1, 3)):
        metric = dict(random.choice(LABELS))
        if chance(random, 0.7):
            metric["__name__"] = random.choice(SERIES)
        if chance(random, 0.7):
            result.append({"metric": metric, "values": random_pairs(random)})
        else:
            result.append({"metric": metric, "value": [random_instant(random), str(random.choice(NUMBERS))]})
    return {"status": "success", "data": {"resultType": "matrix", "result": result}}


def random_metrics(random: Random) -> dict[str, Any]:
    """Several series in several shapes, and things that are none."""
    parts: list[dict[str, Any]] = [
        prometheus_answer(random),
        {"queries": [{"name": random.choice(SERIES), "expr": "x", "answer": prometheus_answer(random)}]},
        {"series": [{"name": random.choice(SERIES), "labels": random.choice(LABELS), "points": random_pairs(random)}]},
        {
            "series": [
                {"metric": random.choice(SERIES), "values": random_values(random)},
                {"values": random_pairs(random)},
            ]
        },
        {random.choice(SERIES): random_values(random)},
        {random.choice(SERIES): random_objects(random)},
        {random.choice(SERIES): with_times(random)},
        {random.choice(SERIES): [random_instant(random), random.choice(NUMBERS)]},
        {"store_ids": [7, 8], "flags": [True, False], "words": ["up", "down"], "empty": [], "nulls": [None], "n": 3},
        {"boots": [1741000000, 1741000000, 1741078900], "groups": [[1, 2], [3, 4, 5]]},
        {"store_cpu": {"labels": random.choice(LABELS), "rows": [{"name": "qps", "values": random_values(random)}]}},
    ]
    merged: dict[str, Any] = {}
    for part in some(random, parts, 2, 5):
        merged |= part
    return merged


# JSON in general


def random_item(random: Random) -> dict[str, Any]:
    """A record as rules with conditions look for it."""
    item: dict[str, Any] = {
        "name": random.choice(["tikv-1", "tikv-2", "pd-1"]),
        "status": random.choice(["up", "down", "ok", True]),
        "value": random.choice([0, 1, 2, 3, 0.5, 1.0, "1", None, True]),
        "time": random.choice(
            [written_time(random, random_instant(random)), random_instant(random), "2025-03-04 17:30:00"]
        ),
    }
    return {name: item[name] for name in item if chance(random, 0.8)}


def random_health(random: Random) -> dict[str, Any]:
    """A general document."""
    document: dict[str, Any] = {
        "items": [random_item(random) for _ in range(random.choice([0, 1, 2, 3, 3]))],
        "status": random.choice(["up", "down", "server is busy", ""]),
        "count": random.choice([0, 1, 2, 3, 0.5]),
        "text": random.choice([*LOG_PHRASES, *KEYWORDS, "NaN"]),
        "big": random.choice([9223372036854775807, 9223372036854775808, 18446744073709551616]),
        "nested": {"a": {"b": random.choice([[1, 2, None], [], "up", True])}, "a b": {"x-y": [random_item(random)]}},
        "x-y": random.choice([1, "up", None]),
        "empty": random.choice([[], {}, [None]]),
    }
    return {name: document[name] for name in document if chance(random, 0.88)}


def random_json(random: Random, value: Any) -> str:
    """A JSON text: mostly right, sometimes with repeated members, bare tokens, odd numbers, or broken."""
    text = as_text(value)
    if not text.startswith("{"):
        return text
    kind = random.random()
    first = {"status": random.choice(["up", "down"]), "count": 7}
    if kind < 0.06:
        return as_text(first)[:-1] + ("," + text[1:] if len(text) > 2 else "}")
    if kind < 0.12:
        return (
            '{"odd": '
            + random.choice(["NaN", "[Infinity, 1]", "-Infinity", "[1, NaN, 4]"])
            + ("," + text[1:] if len(text) > 2 else "}")
        )
    if kind < 0.15:
        return '{"huge": [1e400, 2]' + ("," + text[1:] if len(text) > 2 else "}")
    if kind < 0.21:
        return random.choice(
            [text[: len(text) // 2], text + "}", '{"lone": "\\ud800"}', "[" * 200 + "]" * 200, "[" * 128 + "]" * 128]
        )
    return text


def random_json_lines(random: Random) -> str:
    """Records, one a line, with bad, blank and odd ones among them."""
    lines: list[str] = []
    for _ in range(random.randint(0, 5)):
        kind = random.random()
        if kind < 0.1:
            lines.append(
                random.choice(['{"cut": ', "panic: disk full", '"server is busy"', '{"lone": "\\udc00"}', "[1] 2"])
            )
        elif kind < 0.2:
            lines.append(random.choice(["", "   ", "3", "null", '{"value": NaN}']))
        else:
            lines.append(json.dumps(random_item(random) | {"note": random.choice(LOG_PHRASES)}, ensure_ascii=False))
    return random.choice(["\n", "\r\n"]).join(lines) + random.choice(["\n", ""])


def random_telemetry(random: Random) -> str:
    """Calls of tools, one a line."""
    calls = []
    for _ in range(random.randint(0, 4)):
        call: dict[str, Any] = {
            "tool": random.choice(["read_file", "list_events", "query_metrics"]),
            "status": random.choice(["ok", "ok", "error", "down"]),
            "args": {"path": random.choice(["docs/ARCHITECTURE.md", "notes.txt"]), "note": random.choice(LOG_PHRASES)},
        }
        calls.append(json.dumps(call, ensure_ascii=False))
    return "\n".join(calls) + "\n"


def random_ids(random: Random, ids: list[str], keys: list[str], members: list[str]) -> Any:
    """A list of entries with ids, bare or under a member; sometimes empty or something else."""
    entries: list[Any] = []
    for _ in range(random.randint(0, 4)):
        held: Any = random.choice(ids)
        held = int(held) if held.isdigit() and chance(random, 0.5) else held
        entries.append({random.choice(keys): held, "text": random.choice(LOG_PHRASES)})
    return random.choice([entries, entries, {random.choice(members): entries}, {"other": entries}])


def random_queries(random: Random) -> Any:
    """What `queries.json` holds."""
    return random_ids(random, QUERY_IDS, ["digest", "sql_digest", "id", "query_id", "other"], ["queries", "items"])


def random_events(random: Random) -> Any:
    """What `events.json` holds."""
    return random_ids(random, EVENT_IDS, ["id", "event_id", "uid"], ["events", "items"])


# Bytes


def spoil(random: Random, content: bytes) -> bytes:
    """A byte-order mark, undecodable bytes, a NUL byte, or nothing but white space; mostly nothing of it."""
    kind = random.random()
    if kind < 0.03:
        return b"\xef\xbb\xbf" + content
    if kind < 0.05:
        return content + random.choice([b"\xff\xfe", b"caf\xe9 panic", b"\xe4\xb8"])
    if kind < 0.065:
        return content[:5] + b"\0" + content[5:]
    if kind < 0.08:
        return b" \n\t\n"
    return content


def packed(random: Random, content: bytes) -> bytes:
    """The same as gzip, sometimes a broken one."""
    archive = gzip.compress(content, 1, mtime=0)
    return archive[: len(archive) // 2] if chance(random, 0.3) else archive
