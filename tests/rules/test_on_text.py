"""Text rules: one table of rules on a few documents each, the row that must not match beside the one that must."""

from __future__ import annotations

from dataclasses import replace

import pytest

from judge_polars.rulebook import DocumentRule, Selector
from judge_polars.rules import on_text
from judge_polars.vocabulary import METHODS
from tests.rules.shard_builder import Run, Text, reasons

LOGS = Selector(name="*.log")
ANY = DocumentRule("keyword_any", LOGS, keywords=("busy", "oom"))
ALL = replace(ANY, method="keyword_all")
NONE = replace(ANY, method="keyword_none")
REGEX = DocumentRule("regex_any", LOGS, patterns=("^region [0-9]+$",))
REGEX_NONE = replace(REGEX, method="regex_none")


def told(rule: DocumentRule, *texts: Text | str) -> str:
    """What one rule says of log files with these texts."""
    run: Run = {f"evidence/{at}.log": Text(text) if isinstance(text, str) else text for at, text in enumerate(texts)}
    return reasons(on_text.evaluate, [rule], [run])[0][0]


UNREAD = Text(None, unread=True)
RULES = {
    "one of them": (ANY, ["all is Busy"], "true"),
    "none of them": (ANY, ["all is well"], "not_matched"),
    "all in two documents": (ALL, ["busy", "OOM"], "true"),
    "all but one": (ALL, ["busy", "busy"], "not_matched"),
    "the same keyword twice": (replace(ALL, keywords=("busy", "BUSY")), ["busy"], "true"),
    "avoided": (NONE, ["all is well"], "true"),
    "one not avoided": (NONE, ["well", "oom"], "not_matched"),
    "nothing to avoid it in": (NONE, [], "artifact_missing"),
    "no document": (ANY, [], "artifact_missing"),
    "no text": (ANY, [Text(None)], "no_text"),
    "no text to avoid it in": (NONE, [Text(None)], "no_text"),
    "avoided beside an unread one": (NONE, ["well", UNREAD], "unread_document"),
    "avoided beside an unread one that does not matter": (replace(NONE, ignore_unread=True), ["well", UNREAD], "true"),
    "found beside an unread one": (ANY, ["busy", UNREAD], "true"),
    "not found beside an unread one": (ANY, ["well", UNREAD], "not_matched"),
    "inside a word": (ANY, ["a boom"], "true"),
    "no whole word": (replace(ANY, whole_word=True), ["a boom, busy_body"], "not_matched"),
    "a whole word": (replace(ANY, whole_word=True), ["(oom)"], "true"),
    "white space": (replace(ANY, keywords=("server  is\tbusy",)), ["server\n is   BUSY"], "true"),
    "line of a regex": (REGEX, ["first\nRegion 7\nlast"], "true"),
    "part of a line": (REGEX, ["the region 7"], "not_matched"),
    "another case": (replace(REGEX, case_sensitive=True), ["Region 7"], "not_matched"),
    "the same case": (replace(REGEX, case_sensitive=True), ["region 7"], "true"),
    "regex avoided": (REGEX_NONE, ["the region 7"], "true"),
    "regex not avoided": (REGEX_NONE, ["the region", "region 7"], "not_matched"),
    "regex avoided beside an unread one": (REGEX_NONE, ["the region", UNREAD], "unread_document"),
}


@pytest.mark.parametrize(("rule", "texts", "expected"), RULES.values(), ids=RULES)
def test_rule(rule: DocumentRule, texts: list[Text | str], expected: str) -> None:
    assert told(rule, *texts) == expected


LINES = """\
early
[2025/03/04 08:55:00.000 +00:00] before
of before
[2025/03/04 17:00:00.000 +08:00] start
2025-03-04T09:45:00Z end
2025-03-04T09:45:00.000001Z behind
2025-03-04 06:50:00-03:00 late
"""
"""The window is 09:00 to 09:45, UTC."""
WINDOW = DocumentRule("keyword_any", LOGS, within="window")
BEFORE = replace(WINDOW, within="before_window")
FIVE = 300_000_000
WITHIN = {
    "window": (WINDOW, {"start", "end"}),
    "just not wide enough": (replace(WINDOW, margin_us=FIVE - 1), {"start", "end", "behind"}),
    "wide enough": (replace(WINDOW, margin_us=FIVE), {"before", "of before", "start", "end", "behind", "late"}),
    "before": (BEFORE, {"before", "of before"}),
    "long enough before": (replace(BEFORE, margin_us=FIVE - 1), {"before", "of before"}),
    "not so long before": (replace(BEFORE, margin_us=FIVE), set()),
}


@pytest.mark.parametrize(("rule", "inside"), WITHIN.values(), ids=WITHIN)
def test_lines_of_the_window(rule: DocumentRule, inside: set[str]) -> None:
    words = ["early", "before", "of before", "start", "end", "behind", "late"]
    found = {word for word in words if told(replace(rule, keywords=(word,)), LINES) == "true"}
    assert found == inside


def test_a_document_does_not_go_with_the_time_of_the_one_before() -> None:
    assert told(replace(WINDOW, keywords=("busy",)), "2025-03-04T09:10:00Z first", "busy\n") == "not_matched"


def test_lines_outside_the_window_are_no_text() -> None:
    assert told(replace(WINDOW, method="keyword_none", keywords=("x",)), "2025-03-05T09:10:00Z y") == "no_text"


SECTIONS = "# Cause\nbusy\n# Advice\noom\n"
SECTION = {
    "in it": (replace(ANY, section="cause", keywords=("busy",)), SECTIONS, "true"),
    "not in it": (replace(ANY, section="cause", keywords=("oom",)), SECTIONS, "not_matched"),
    "without it": (replace(ANY, section="summary"), SECTIONS, "no_text"),
    "without it, or all": (replace(ANY, section="summary", section_or_all=True), SECTIONS, "true"),
    "in it, or all": (replace(ANY, section="cause", section_or_all=True, keywords=("oom",)), SECTIONS, "not_matched"),
}


@pytest.mark.parametrize(("rule", "text", "expected"), SECTION.values(), ids=SECTION)
def test_section(rule: DocumentRule, text: str, expected: str) -> None:
    assert told(rule, text) == expected


JSON = DocumentRule("keyword_any", Selector(name="d.json"))
IN_JSON = {
    "space behind a colon": ({"status": "down"}, '"status": "down"', "true"),
    "space behind a comma": (["tikv-1", "tikv-2"], '"tikv-1", "tikv-2"', "true"),
    "space inside a text": ({"status": "slow down"}, "slowdown", "not_matched"),
    "text that is no JSON": (Text('the "status": "down" (status":"up)'), '"status": "up"', "not_matched"),
    "space in text that is no JSON": (Text('the "status": "down"'), '"status": "down"', "true"),
}


@pytest.mark.parametrize(("document", "keyword", "expected"), IN_JSON.values(), ids=IN_JSON)
def test_keyword_in_json(document: object, keyword: str, expected: str) -> None:
    assert reasons(on_text.evaluate, [replace(JSON, keywords=(keyword,))], [{"evidence/d.json": document}]) == [
        [expected]
    ]


def test_methods_are_those_of_the_vocabulary() -> None:
    assert set(on_text.METHODS) == {method for method in METHODS if method.startswith(("keyword_", "regex_"))}
