"""Random final answers: sentences in two languages, headings, labels, lists, tables, quotes, code, JSON."""

import json
from random import Random

from tests.generate.vocabulary import FAULTS, KEYWORDS, chance

ENGLISH = [
    *("The {0} is the root cause.", "The outage was caused by the {0}.", "There is a {0}.", "There is no {0}."),
    *("This is not a {0} but a {1}.", "The {0} was ruled out.", "Not only the {0}, the {1} is visible, too."),
    *("No doubt the {0} is real.", "If it were a {0}, latency would rise.", "Is it a {0}?", "Is it the *{0}?* Yes."),
    *("The {0} and the {1} have all been ruled out.", "We don't see a {0}, so the {1} is plain."),
    *("The {0} is unlikely; the {1} is confirmed!", "(No {0}.) The {1} is due to load.", "**The {0} was ruled out.**"),
    *(
        "The query did not exit, however the {0} did.",
        "A contributing {0} in v8.5.2 is visible.",
        '"Never a {0}." The {1} it is.',
    ),
    *(
        "It is not true that the query did not exit.",
        "The {0} had an effect, without a {1}.",
        "The CPU is not a hotspot.",
    ),
]
CHINESE = [
    *(
        "根因是{0}。",
        "没有{0}，{1}明显。",
        "这不是{0}，而是{1}。",
        "排除了{0}。",
        "{0}被排除。",
        "是不是{0}？",
        "{0}导致了故障！",
    ),
    *(
        "如果是{0}，延迟会先升高。",
        "{0}、{1}均已排除。",
        "不但{0}存在，而且{1}。",
        "未发现{0}；{1}已确认。",
        "没有疑问，{0}存在。",
    ),
    *("结论：{0}", "先看{0}，排查{1}。", "ＣＰＵ　热点明显。", "{0}（锁）冲突，但是{1}无关。"),
]
HEADINGS = [
    *(
        "# Summary",
        "## Root cause",
        "## Ruled out",
        "### Details",
        "## 根因",
        "## 已排除的假设",
        "# Impact ##",
        "   ## Notes",
    ),
    *(
        "**Root cause**",
        "**Ruled out:**",
        "**结论**：",
        "**Impact**",
        "    ## Root cause",
        "##Impact",
        "## Root cause: **{0}**",
    ),
]
LABELS = [
    *(
        "**Root cause:** {0}",
        "Root cause: {0}",
        "根因：{0}",
        "**Ruled out**: {0}",
        "Impact: {0}",
        "**已排除：**{0}",
        "- **Root cause:** {0}",
    ),
    *(
        "A label of a good many more words: {0}",
        "12:30 {0}",
        "host:port {0}",
        "Notes：{0}",
        "1. Summary: {0}",
        "一个非常非常非常长的中文标签：{0}",
    ),
]
LEAD_INS = [
    *(
        "Ruled out:",
        "Possible causes:",
        "It is due to these:",
        "已排除：",
        "根因如下：",
        "Not only these:",
        "We did\nnot see:",
        "**None** of *these:*",
    ),
]
MARKERS = ["- ", "* ", "+ ", "• ", "·", "1. ", "2) ", "(3) ", "4、", "（5）", "  - ", "    - "]
TABLES = [
    "| {0} | ruled out |",
    "| {0} | root cause |",
    "| {0} | ❌ |",
    "| cause | verdict |\n|---|---|\n| {0} | confirmed |",
]
JSON_BLOCKS = [
    *(
        '{"items": [{"name": "tikv-1", "status": "down", "value": 2}], "status": "up", "count": 1}',
        "[1, 2, 3]",
        "{broken",
        "42",
    ),
    *(
        '{"text": "server is busy", "big": 9223372036854775808, "nested": {"a": {"b": [1, null]}}}',
        '{"count": NaN}',
        "[]",
    ),
]


def random_answer(random: Random) -> str:
    """A whole answer; sometimes blank, sometimes JSON and nothing else."""
    kind = random.random()
    if kind < 0.04:
        return random.choice(["", " \n\t\n", "\u3000"])
    if kind < 0.08:
        return random.choice(JSON_BLOCKS)
    blocks = [random_block(random) for _ in range(random.randint(1, 10))]
    text = "".join(block + random.choice(["\n", "\n\n", "\n\n"]) for block in blocks)
    if chance(random, 0.08):
        text = text.replace("\n", random.choice(["\r\n", "\r"]))
    if chance(random, 0.1):
        place = random.randint(0, len(text))
        text = (
            text[:place]
            + random.choice(["\u200b", "\ufeff", "\u00ad", "\x1b[31m", "\x1b[0m", "\u3000", "\u00a0"])
            + text[place:]
        )
    return text


def random_block(random: Random) -> str:
    """One block of an answer."""
    makers = [paragraph, paragraph, paragraph, heading, heading, label, list_of, list_of, table, quote, code, keywords]
    return random.choice(makers)(random)


def sentence(random: Random) -> str:
    """A sentence about one or two faults."""
    faults = random.sample(FAULTS, 2)
    if chance(random, 0.2):
        faults[0] = random.choice(["CPU hotspot", "Slow  Disk", "ｃｐｕ hot spot", "lock\u200b conflict"])
    return random.choice(ENGLISH if chance(random, 0.6) else CHINESE).format(*faults)


def paragraph(random: Random) -> str:
    """One to three sentences, some of them wrapped."""
    text = random.choice([" ", " ", "", "\n"]).join(sentence(random) for _ in range(random.randint(1, 3)))
    if chance(random, 0.25):
        words = text.split(" ")
        place = random.randint(0, len(words))
        text = " ".join(words[:place]) + "\n" + " ".join(words[place:])
    return text.strip("\n")


def heading(random: Random) -> str:
    """A heading, or what looks like one."""
    return random.choice(HEADINGS).format(random.choice(FAULTS))


def label(random: Random) -> str:
    """A label with text behind it, perhaps with another line below."""
    text = random.choice(LABELS).format(sentence(random) if chance(random, 0.5) else random.choice(FAULTS))
    return text + "\n" + sentence(random) if chance(random, 0.3) else text


def list_of(random: Random) -> str:
    """A list with or without a lead-in, sometimes with wrapped or nested items."""
    lines = [random.choice(LEAD_INS)] if chance(random, 0.7) else []
    if chance(random, 0.3):
        lines.append("")
    marker = random.choice(MARKERS)
    for _ in range(random.randint(1, 3)):
        item = random.choice([random.choice(FAULTS), f"**{random.choice(FAULTS)}**", sentence(random)])
        lines.append(marker + item)
        if chance(random, 0.15):
            lines.append("  " + random.choice(FAULTS))
        if chance(random, 0.15):
            lines += ["  - Ruled out:", f"    - {random.choice(FAULTS)}"]
        if chance(random, 0.1):
            lines.append("")
    return "\n".join(lines)


def table(random: Random) -> str:
    """A row or a small table."""
    return random.choice(TABLES).format(random.choice(FAULTS))


def quote(random: Random) -> str:
    """Somebody else's words."""
    return "> " + sentence(random)


def code(random: Random) -> str:
    """A fenced block, closed or not, marked or not."""
    fence = random.choice(["```", "```", "~~~", "````"])
    mark = random.choice(["json", "json", "", "text", "JSON", "bash"])
    content = random.choice(
        [*JSON_BLOCKS, *JSON_BLOCKS, sentence(random), json.dumps({"status": random.choice(["up", "down"])})]
    )
    return f"{fence}{mark}\n{content}\n" + (fence if chance(random, 0.93) else "")


def keywords(random: Random) -> str:
    """Words that rules on plain text look for."""
    return " ".join(random.choice(KEYWORDS) for _ in range(random.randint(1, 3)))
