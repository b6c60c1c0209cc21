"""Random rules: every match method, with every parameter that it takes."""

from collections.abc import Callable
from random import Random
from typing import Any

from tests.generate.vocabulary import (
    CONCEPTS,
    FAULT_PATTERNS,
    JSON_PATHS,
    KEYWORDS,
    LABELS,
    PATTERNS,
    SECTIONS,
    SERIES_GLOBS,
    THRESHOLDS,
    Rule,
    chance,
    some,
)

SELECTORS = [
    *("manifest", "report", "summary_text", "summary_json", "analysis_patch", "telemetry", "logs", "evidence"),
    *("logs", "logs", "evidence", "logs_dir", "evidence_dir"),
    *("metrics.json", "health.json", "records.jsonl", "notes.txt", "events.json", "queries.json", "broken.json"),
    *("logs/tikv.log", "logs/*.log", "logs/**/*.log", "**/*.json", "m?trics.json", "*.txt", "extra.txt", "blob.bin"),
    *("evidence/**", "nowhere.json", "blank.txt", "health.json", "metrics.json"),
]
JSON_SELECTORS = [
    *(
        "health.json",
        "health.json",
        "health.json",
        "health.json",
        "records.jsonl",
        "events.json",
        "evidence",
        "evidence",
    ),
    *("**/*.json", "**/*.json", "report", "telemetry", "summary_json", "summary_json", "evidence/*.json*", "h*.json"),
    *("queries.json", "broken.json", "notes.txt", "nowhere.json", "manifest", "analysis_patch"),
]
SERIES_SELECTORS = [
    *(
        "metrics.json",
        "metrics.json",
        "metrics.json",
        "metrics.json",
        "evidence",
        "evidence",
        "**/*metric*",
        "**/*.json",
    ),
    *("report", "health.json", "notes.txt", "none.json"),
]
TEXT_SELECTORS = [
    *(
        "logs",
        "logs",
        "logs",
        "logs",
        "evidence",
        "**",
        "logs/*",
        "telemetry",
        "notes.txt",
        "summary_text",
        "blank.txt",
    ),
    *SELECTORS,
]
TIME = "2025-03-04T09:30:00Z"


def random_patterns(random: Random, choices: list[str], keyword: str) -> Rule:
    """Patterns or keywords, given, completed or replaced by concepts."""
    kind = random.random()
    concepts = ["plain_words"] if keyword == "keywords" else [*CONCEPTS]
    if kind < 0.15:
        return {"concepts": some(random, concepts, 1, 2)}
    rule: Rule = {keyword: some(random, choices)}
    if kind < 0.25:
        rule["concepts"] = some(random, concepts, 1, 1)
    return rule


def random_scope(random: Random, *, times: bool) -> Rule:
    """`section`, or `within` where the method takes it, or neither."""
    if chance(random, 0.14):
        section: Rule = {"section": random.choice(SECTIONS)}
        if chance(random, 0.3):
            section["section_or_all"] = True
        return section
    return random_within(random) if times else {}


def random_within(random: Random) -> Rule:
    """`within`, with or without a margin, or nothing."""
    if chance(random, 0.8):
        return {}
    rule: Rule = {"within": random.choice(["window", "window", "before_window"])}
    if chance(random, 0.4):
        rule["margin"] = random.choice(["5m", "1h", "30s", "1m30s"])
    return rule


def keyword_rule(random: Random) -> Rule:
    """Parameters of `keyword_…`."""
    rule = random_patterns(random, KEYWORDS, "keywords")
    if chance(random, 0.25) and "concepts" not in rule:
        rule["whole_word"] = True
    return rule | random_scope(random, times=True)


def regex_rule(random: Random) -> Rule:
    """Parameters of `regex_…`."""
    rule = random_patterns(random, PATTERNS, "patterns")
    if chance(random, 0.25):
        rule["case_sensitive"] = True
    return rule | random_scope(random, times=True)


def assertion_rule(random: Random) -> Rule:
    """Parameters of `asserted_…` and `claimed_…`."""
    rule = denial_rule(random)
    if chance(random, 0.2):
        rule["unless"] = some(random, ["contribut", "likely", "明显", "visible"], 1, 2)
    return rule


def denial_rule(random: Random) -> Rule:
    """Parameters of `denied_any`."""
    rule = random_patterns(random, FAULT_PATTERNS, "patterns")
    if chance(random, 0.2):
        rule["negated_finding"] = True
    return rule


def number_comparison(random: Random, numbers: list[Any]) -> Rule:
    """A comparison with numbers."""
    name = random.choice(["equals", "not_equals", "gt", "ge", "lt", "le", "in", "not_in"])
    return {name: some(random, numbers, 1, 3) if name in ("in", "not_in") else random.choice(numbers)}


def text_comparison(random: Random, texts: list[str], patterns: list[str]) -> Rule:
    """A comparison with texts."""
    name = random.choice(["equals", "not_equals", "in", "not_in", "matches"])
    if name == "matches":
        return {name: random.choice(patterns)}
    return {name: some(random, texts, 1, 3) if name in ("in", "not_in") else random.choice(texts)}


def node_rule(random: Random) -> Rule:
    """Parameters of `json_value`: mostly a path whose nodes are of the comparison's kind."""
    big = [9223372036854775807, 9223372036854775808, 18446744073709551616]
    texts, patterns = ["up", "down", "tikv-1", "server is busy", "NaN"], ["^up$", "TIKV-[12]", "busy|down"]
    statuses = ["$.items[*].status", "$..status", "$.status", "$[*].status", "$..name"]
    numbers = ["$.items[*].value", "$..value", "$.count", "$[*].value", "$.nested.a.b[*]", "$.items[0].value"]
    kinds: list[tuple[list[str], Callable[[], Rule]]] = [
        (statuses, lambda: text_comparison(random, texts, patterns)),
        (numbers, lambda: number_comparison(random, [0, 0.5, 1, 2, 3])),
        (["$.big", "$..big"], lambda: number_comparison(random, big)),
        (["$..[*]", *statuses], lambda: {random.choice(["equals", "not_equals"]): random.choice([True, False])}),
        (["$..[*]", *numbers], lambda: {random.choice(["in", "not_in"]): [True, 1, "up"][: random.randint(1, 3)]}),
        (["$.text", "$..note", "$..[*]"], lambda: {"contains_any": some(random, [*KEYWORDS, "tikv", "up"])}),
        (["$.items[*].time", "$..time", "$[*].time"], lambda: {"time_within": random_time_within(random)}),
    ]
    paths, comparison = random.choice(kinds)
    return {"path": random.choice(paths if chance(random, 0.85) else JSON_PATHS)} | comparison()


def random_time_within(random: Random) -> Rule:
    """The operand of `time_within`."""
    operand: Rule = {"of": TIME, "tolerance": random.choice(["0s", "5m", "1h", "9h"])}
    if chance(random, 0.4):
        operand["offset"] = random.choice(["+08:00", "-01:30", "Z"])
    return operand


def random_where(random: Random) -> list[Rule]:
    """The conditions of `json_record_any` and `json_count`."""
    conditions: list[Rule] = [
        {"path": "$.status", "equals": "down"},
        {"path": "$.status", "in": ["up", "ok"]},
        {"path": "$.value", "ge": random.choice([0, 1, 2])},
        {"path": "$.name", "matches": "^tikv"},
        {"path": "$", "equals": random.choice(["up", 1])},
        {"path": "$.tool", "equals": "read_file"},
        {"path": "$.args.path", "matches": r"ARCH\w+\.md$"},
        {"path": "$..value", "not_equals": 0},
    ]
    return some(random, conditions, 1, 2)


def path_of(random: Random) -> Rule:
    """A path."""
    return {"path": random.choice(JSON_PATHS)}


def series_rule(random: Random) -> Rule:
    """What all numeric methods take."""
    rule: Rule = {}
    if chance(random, 0.5):
        rule["series"] = random.choice(SERIES_GLOBS)
    if chance(random, 0.12):
        rule["labels"] = random.choice(LABELS)
    if chance(random, 0.2):
        rule["path"] = random.choice(
            ["$", "$.data", "$.series[*]", "$.missing", "$..values", "$.*", "$..[*]", "$.store_cpu"]
        )
    return rule | random_within(random)


def threshold_rule(random: Random) -> Rule:
    """Parameters of `numeric_series_all_…`."""
    rule = series_rule(random) | {"threshold": random.choice(THRESHOLDS)}
    if chance(random, 0.5):
        rule["min_points"] = random.choice([1, 2, 3])
    return rule


def any_rule(random: Random) -> Rule:
    """Parameters of `numeric_series_any_…`."""
    rule = threshold_rule(random)
    if chance(random, 0.25):
        rule["consecutive"] = True
    elif chance(random, 0.4):
        rule["of"] = random.choice(["value", "increase", "changes", "ratio"])
    return rule


def record_rule(random: Random) -> Rule:
    """Parameters of `json_record_any`."""
    return {
        "path": random.choice(["$[*]", "$.items[*]", "$.items[*]", "$..[*]", "$..[*]", "$"]),
        "where": random_where(random),
    }


def count_rule(random: Random) -> Rule:
    """Parameters of `json_count`."""
    rule = path_of(random) | number_comparison(random, [0, 1, 2, 3])
    return rule | {"where": random_where(random)} if chance(random, 0.4) else rule


def maybe_path(random: Random) -> Rule:
    """A path, or the default one."""
    return path_of(random) if chance(random, 0.8) else {}


Maker = Callable[[Random], Rule]
TEXT_METHODS: dict[str, Maker] = {
    **dict.fromkeys(["keyword_any", "keyword_all", "keyword_none"], keyword_rule),
    **dict.fromkeys(["regex_any", "regex_none"], regex_rule),
    **dict.fromkeys(["asserted_any", "asserted_none", "claimed_any", "claimed_none"], assertion_rule),
    "denied_any": denial_rule,
}
JSON_METHODS: dict[str, Maker] = {
    "json_valid": lambda random: {},
    "json_exists": path_of,
    "json_list_nonempty": maybe_path,
    "json_record_any": record_rule,
    "json_count": count_rule,
    "json_text_contains_any": lambda random: maybe_path(random) | {"keywords": some(random, [*KEYWORDS, "up", "down"])},
    "json_value": node_rule,
}
NUMERIC_METHODS: dict[str, Maker] = {
    "numeric_series_present": lambda random: series_rule(random) | {"min_points": random.choice([1, 2, 3, 4])},
    **dict.fromkeys([f"numeric_series_any_{name}" for name in ("gt", "ge", "lt", "le")], any_rule),
    **dict.fromkeys([f"numeric_series_all_{name}" for name in ("gt", "ge", "lt", "le")], threshold_rule),
    "numeric_spread_gt": lambda random: (
        series_rule(random)
        | {"threshold": random.choice(THRESHOLDS), "by": random.choice(["max_over_median", "max_minus_min"])}
    ),
}


def document_rule(random: Random) -> Rule:
    """A rule of any method on documents other than the output."""
    group = random.random()
    if group < 0.05:
        return {"match": "artifact_present", "artifact": random.choice(SELECTORS)}
    methods, selectors = (
        (JSON_METHODS, JSON_SELECTORS)
        if group < 0.35
        else (NUMERIC_METHODS, SERIES_SELECTORS)
        if group < 0.65
        else (TEXT_METHODS, TEXT_SELECTORS)
    )
    method = random.choice([*methods, *(["json_value"] * 2 if methods is JSON_METHODS else [])])
    rule: Rule = {"match": method, "artifact": random.choice(selectors)} | methods[method](random)
    if method.endswith("_none") and chance(random, 0.2):
        rule["ignore_unread"] = True
    return rule


def output_rule(random: Random) -> Rule:
    """A rule on the output."""
    methods = TEXT_METHODS if chance(random, 0.75) else JSON_METHODS
    method = random.choice([*methods])
    rule: Rule = {"match": method} | methods[method](random)
    rule.pop("within", None)
    rule.pop("margin", None)
    if chance(random, 0.2):
        rule["artifact"] = random.choice(["output", "output_text"])
    if method.endswith("_none") and chance(random, 0.2):
        rule["ignore_unread"] = True
    return rule


def fact_rule(random: Random, name: str, kind: str) -> Rule:
    """A rule on a fact of that kind."""
    rule: Rule = {"fact": name}
    if chance(random, 0.15):
        return rule | {"exists": random.choice([True, False])}
    if kind == "boolean":
        wanted = random.choice([True, True, False])
        forms: list[Rule] = [{}, {"equals": wanted}, {"not_equals": wanted}, {"in": [wanted]}, {"not_in": [wanted]}]
        return rule | random.choice(forms)
    if kind == "number":
        return rule | number_comparison(random, [0, 1, 2, 3])
    if kind == "timestamp":
        name = random.choice(["equals", "not_equals", "gt", "ge", "lt", "le"])
        return rule | {
            name: random.choice(["2025-03-04T09:00:00Z", "2025-03-04T17:45:00+08:00", "2025-03-04T08:30:00Z"])
        }
    return rule | text_comparison(random, ["report", "manifest", "1001", "1002"], ["^REPORT$", r"100\d", "man"])
