"""The words, patterns, names, times and paths that random registries and runs share."""

from random import Random
from typing import Any, TypeVar

T = TypeVar("T")
Rule = dict[str, Any]

KEYWORDS = [
    *("server is busy", "panic", "disk full", "OOM", "busy", "slow store", "epoch not match", "io hang", "stall"),
    *(
        "锁冲突",
        "慢盘",
        "写入热点",
        "ＣＰＵ",
        "server  is\tbusy",
        " busy",
        "full ",
        '"status": "down"',
        '"tikv-1", "status"',
    ),
]
LOG_PHRASES = [
    *(
        "server is busy",
        "Server Is Busy",
        "panic: nil map",
        "disk full",
        "oom killed",
        "busybox started",
        "slow store 4",
    ),
    *(
        "EPOCH NOT MATCH",
        "io\u200bhang",
        "write\x1b[31mstall\x1b[0m",
        "发生锁冲突",
        "慢盘告警",
        "写入热点",
        "cpu 95%",
        "ｃｐｕ　高",
    ),
    *(
        "code=42",
        "all calm",
        "region 7 ok",
        '"status":"down"',
        "diskfull",
        "error（主）",
        "bus\u00ady",
        "snapshot applied",
    ),
]
PATTERNS = [
    *(r"server is \w+", r"panic(ked)?", r"disk ?full", r"code=\d+", r"\boom\b", r"busy$", r"^\[\d{4}/", r"锁冲突|慢盘"),
    *(
        r"热点",
        r"error（主）",
        r"cpu.{0,6}\d+%",
        r"\[ERROR\]",
        r"calm|quiet",
        r"\bstall\b",
        r"no such thing",
        r"slow store [1-4]",
    ),
]
FAULTS = ["cpu hotspot", "slow disk", "lock conflict", "CPU 热点", "慢盘", "锁冲突"]
FAULT_PATTERNS = [
    *(
        "cpu hot ?spot",
        "slow.*disk",
        "lock conflict",
        "CPU ?热点",
        "慢盘",
        "锁冲突",
        "hot ?spot|热点",
        "disk|盘",
        "锁|lock",
    ),
    *("^the cpu hotspot", "disk$", "query did not exit", "（锁）?冲突", r"\bconflict\b"),
]
CONCEPTS = {
    "hot_cpu": ["cpu hotspot", "CPU ?热点"],
    "slow_disk": ["slow disk", "慢盘"],
    "locks": ["lock conflict", "锁冲突"],
    "plain_words": ["panic", "disk full"],
}
WORDS = {
    "negators": [
        *(r"\bnot\b", r"\bno\b", r"\bnever\b", r"\bwithout\b", r"n['’]t\b", r"\bruled out:"),
        *("不是", "并非", "没有", "未发现", "排除了"),
    ],
    "post_negators": [r"\bruled out\b", r"\bunlikely\b", "被排除", "已排除", "无关", r"\|\s*ruled out\s*\|", "❌"],
    "pseudo_negators": [r"\bnot only\b", r"\bno doubt\b", "不但", "不仅", "没有疑问，"],
    "terminators": [r"\bbut\b", r"\bhowever\b", "，", "但是?", "而是", ", ?so", "、"],
    "sentence_negators": [
        r"^(if|had|should)\b",
        r"\bhave all been ruled out\b",
        "^(如果|假如)",
        "(都|均).{0,8}排除",
        "，排查",
    ],
    "claims": [r"\broot cause\b", r"\bcaused by\b", r"\bdue to\b", r"\bconfirmed\b", "根因", "导致", "结论"],
}
OTHER_WORDS = {
    "negators": [[], [r"\bno\b", "没有"], [r"\bnot( really)?\b", "未"]],
    "post_negators": [[], [r"\bunlikely\b"], ["ruled out", "被排除"]],
    "pseudo_negators": [[], [r"\bnot only\b"]],
    "terminators": [[], [r"\bbut\b", "，"], [",", "但是?"]],
    "sentence_negators": [[], ["^if", "^如果"]],
    "claims": [[], [r"\bcause\b", "根因"], ["visible", "明显"]],
}
SECTIONS = ["root cause|根因", "ruled out|排除", "summary|结论", "notes|impact", "^notes$", "cause|summary", "label"]
SERIES = ["cpu", "io_util", "qps", "store_cpu"]
SERIES_GLOBS = [
    "cpu",
    "*cpu*",
    "io_*",
    "qps",
    "?ps",
    "/cpu$/",
    "/^IO/",
    "*",
    "*",
    "*s*",
    "/c|q/",
    "m*",
    "answer",
    "boots",
]
LABELS = [{"instance": "a"}, {"instance": "b"}, {"instance": "a", "zone": "z1"}, {"zone": "z2"}]
NUMBERS = [0, 0.25, 0.5, 0.75, 1, 2, 4, 8]
THRESHOLDS = [-1, 0, 0.25, 0.5, 1, 2, 4, 6]
JSON_PATHS = [
    *(
        "$",
        "$.items",
        "$.items",
        "$.items[*]",
        "$.items[*].status",
        "$.items[0].value",
        "$.nested.a.b",
        "$..status",
        "$..[*]",
    ),
    *(
        "$.*",
        "$.count",
        "$['text']",
        "$.big",
        "$.missing",
        "$.items[5]",
        "$.nested..b",
        "$.items[*].time",
        "$..['a b']",
    ),
    *("$.items[*].value", "$.nested['a'].*", '$["x-y"]', "$[*].status", "$[0]", "$.empty", "$..name", "$.*", "$..[*]"),
]
CLUSTERS = ["1001", "1002", "10151515151515151515"]
CHANNELS = ["logs", "metrics", "queries", "events"]
QUERY_IDS = ["d1", "d2", "17", "q-3"]
EVENT_IDS = ["e1", "e2", "9", "u-1"]


def some(random: Random, choices: list[T], least: int = 1, most: int = 3) -> list[T]:
    """Between `least` and `most` different ones of the choices, in random order."""
    return random.sample(choices, min(len(choices), random.randint(least, most)))


def chance(random: Random, part: float) -> bool:
    """True in this part of the cases."""
    return random.random() < part
