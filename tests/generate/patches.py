"""Random analysis patches with references that resolve, that do not, and that are none."""

import json
from random import Random
from typing import Any

from tests.generate.vocabulary import EVENT_IDS, LOG_PHRASES, QUERY_IDS, SERIES, chance

GOOD_LOGS = [
    "tikv.log",
    "logs/tikv.log",
    "tikv.log:1",
    "logs/tikv.log#L2",
    "pd/pd.log:2",
    "extra.txt",
    "evidence/health.json:1",
]
BAD_LOGS = ["none.log", "tikv.log:99", "tikv.log:0", "tikv.log#L", "./logs/tikv.log", "tikv.log:1:2"]
ILL_FORMED = ["cpu", "trace:t1", "metric:", " : cpu", 7, None, ["metric:cpu"], {"ref": "cpu"}, {"channel": "metric"}]
SELECTORS = [
    "",
    "{}",
    '{instance="a"}',
    '{instance="b", zone="z1"}',
    '{ zone = "z2" }',
    '{instance=~"a"}',
    '{instance="a"} > 1',
]


def random_patch(random: Random) -> str:
    """The text of a patch, in either form, or in none."""
    kind = random.random()
    items = [random_item(random) for _ in range(random.randint(1, 2))]
    if kind < 0.1:
        return random.choice(["{", "[]", '{"items": {}}', "17", '{"items": []}', '"metric:cpu"', "null"])
    return json.dumps(items if kind < 0.3 else {"items": items}, ensure_ascii=False)


def random_item(random: Random) -> Any:
    """An item, sometimes without a name or its lists."""
    if chance(random, 0.04):
        return random.choice([None, "metric:cpu", []])
    item: dict[str, Any] = {random.choice(["id", "title", "title"]): random.choice(["hot", "hot", "hot", "", 7])}
    for role in ("key_evidence", "supporting_evidence"):
        if chance(random, 0.75):
            item[role] = random_references(random)
    return item


def random_references(random: Random) -> Any:
    """A list of references; now and then something else."""
    if chance(random, 0.06):
        return random.choice([None, "metric:cpu", {}])
    return [random_reference(random) for _ in range(random.randint(0, 2))]


def random_reference(random: Random) -> Any:
    """A reference as agents write it."""
    if chance(random, 0.1):
        return random.choice(ILL_FORMED)
    channel = random.choice(["metric", "query", "log", "event"])
    ref = random_ref(random, channel)
    written = random.choice([channel, channel, channel.upper(), PLURALS[channel], f" {channel} "])
    if chance(random, 0.6):
        return f"{written}:{random.choice(['', ' '])}{ref}"
    reference: dict[str, Any] = {random.choice(["channel", "channel", "type"]): written, "ref": ref}
    if chance(random, 0.1):
        reference = {"channel": random.choice([None, channel]), "type": channel, "ref": ref}
    if channel == "log" and chance(random, 0.5):
        reference["quote"] = random.choice([*LOG_PHRASES, "disk full", None, "nobody said so", 5])
    return reference


PLURALS = {"metric": "metrics", "query": "Queries", "log": "logs", "event": "events"}


def random_ref(random: Random, channel: str) -> str:
    """What is referred to."""
    if channel == "metric":
        return random.choice([*SERIES, "disk", "named_only"]) + random.choice([*SELECTORS, "", ""])
    if channel == "query":
        return random.choice([*QUERY_IDS, "D1", "none"])
    if channel == "event":
        return random.choice([*EVENT_IDS, "none"])
    return random.choice([*GOOD_LOGS, *GOOD_LOGS, *BAD_LOGS])
