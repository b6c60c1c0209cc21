"""The calls in a telemetry that a milestone's rules look for, made to fail or taken out."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Final

import polars as pl

from judge_polars.probe.json_edits import leaves
from judge_polars.rulebook import Case, Comparison, Condition, Definition, DocumentRule, FactRule, Selector

FAILED: Final = "failed"
_OUTCOMES: Final = ("status", "outcome", "result", "state")
_SUCCESSES: Final = ("ok", "success")
_OF_OUTCOME: Final = re.compile(rf"\.(?:{'|'.join((*_OUTCOMES, *_SUCCESSES))}|sessionUpdate|method)$")
_TEXT_OUTCOME: Final = re.compile(r"\b(?:ok|success|succeeded|completed|done)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Calls:
    """A telemetry whose calls of one milestone failed, and the same without them."""

    failed: bytes
    removed: bytes


def milestone_calls(name: str, telemetry: bytes, fact: str, case: Case) -> Calls | None:
    """The telemetry of that file name after the calls of a milestone were spoilt; None where no line is such a call."""
    definitions = {definition.name: definition for definition in case.definitions}
    selectors = (Selector("telemetry"), Selector(name=name))
    rules = [rule for rule in _rules(fact, definitions) if rule.selector in selectors]
    lines = telemetry.decode("utf-8", "surrogateescape").split("\n")
    is_call = [bool(line.strip()) and any(_is_call(line, rule) for rule in rules) for line in lines]
    if not any(is_call):
        return None
    failed = [_failed(line) if spoilt else line for line, spoilt in zip(lines, is_call, strict=True)]
    removed = [line for line, spoilt in zip(lines, is_call, strict=True) if not spoilt]
    return Calls(*("\n".join(kept).encode("utf-8", "surrogateescape") for kept in (failed, removed)))


def _rules(fact: str, definitions: Mapping[str, Definition]) -> Iterator[DocumentRule]:
    """The document rules of a fact, through the workflow facts that it reads."""
    definition = definitions.get(fact)
    for rule in definition.formula.rules if definition is not None else ():
        if isinstance(rule, FactRule):
            if rule.fact.startswith("workflow."):
                yield from _rules(rule.fact, definitions)
        else:
            yield rule


def _is_call(line: str, rule: DocumentRule) -> bool:
    """Whether a line is what a rule looks for, but for how the call ended."""
    value = _record(line)
    texts = list(leaves(value)) if value is not None else [line]
    if rule.method == "json_record_any":
        what = [condition for condition in rule.where if not _OF_OUTCOME.search(condition.path)]
        return value is not None and bool(what) and all(_fits(texts, condition) for condition in what)
    if rule.method == "json_value" and rule.comparison is not None and value is not None:
        return not _OF_OUTCOME.search(rule.path) and _fits(texts, Condition(rule.path, rule.comparison))
    if rule.method in ("keyword_any", "keyword_all"):
        return any(keyword.strip().lower() in line.lower() for keyword in rule.keywords)
    if rule.method == "regex_any":
        return any(_found(pattern, [line], "(?m)" if rule.case_sensitive else "(?im)") for pattern in rule.patterns)
    return False


def _fits(texts: list[str], condition: Condition) -> bool:
    match condition.comparison:
        case Comparison("equals", str() as wanted):
            return wanted in texts
        case Comparison("in", tuple() as wanted):
            return any(text in wanted for text in texts)
        case Comparison("matches", str() as pattern):
            return _found(pattern, texts, "(?im)")
        case Comparison("contains_any", tuple() as keywords):
            return any(str(keyword).lower() in text.lower() for keyword in keywords for text in texts)
        case _:
            return True


def _found(pattern: str, texts: list[str], flags: str) -> bool:
    return bool(pl.Series(texts, dtype=pl.String).str.contains(f"{flags}{pattern}").any())


def _record(line: str) -> Any:
    """The record of a line of JSON Lines; None for any other line."""
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def _failed(line: str) -> str:
    """A call that failed: its outcome says so, or, in a text, what it said of success does."""
    value = _record(line)
    if value is None:
        return _TEXT_OUTCOME.sub(FAILED, line) if _TEXT_OUTCOME.search(line) else f"{line} {FAILED}"
    after = _with_outcome(value)
    return json.dumps(after if after != value else {**value, "status": FAILED}, ensure_ascii=False)


def _with_outcome(value: Any) -> Any:
    if isinstance(value, list):
        return [_with_outcome(member) for member in value]
    if not isinstance(value, dict):
        return value
    return {key: _outcome(key, member) for key, member in value.items()}


def _outcome(key: str, member: Any) -> Any:
    if key in _OUTCOMES and isinstance(member, str):
        return FAILED
    if key in _SUCCESSES and isinstance(member, bool):
        return False
    return _with_outcome(member)
