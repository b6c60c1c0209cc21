"""The per-run judge: from a bundle to its verdict, one case run after the other, in Python (specification 90).

Every file is read and parsed once; facts and document rules are worked out when the tuned Python judge first asks for
them, so that what decides nothing costs nothing.  It knows what the bundles of `data` and the registry of `registry`
hold, not more: the same verdicts there, without the cost of all that real bundles may be.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

import orjson

from benchmarks.generated_judge import GeneratedJudge, generated_judge
from benchmarks.python_judge import PythonCase, Verdict, python_case, verdict_of
from judge_polars.rulebook import Case, Condition, DocumentRule, RuleBook, Selector

_ARTIFACTS = {
    "manifest": "manifest.json",
    "report": "diagnosis_report.json",
    "analysis_patch": "analysis_patch.json",
    "summary_text": "summary.md",
    "summary_json": "summary.json",
    "telemetry": "telemetry.jsonl",
}
_LISTS = {"metric": "metrics", "query": "queries", "log": "logs", "event": "events"}


class Bundle:
    """The files of a case run: name -> bytes, relative to `audit/`; values and texts when they are asked for."""

    def __init__(self, directory: str) -> None:
        self.files = {}
        self.output = _read(f"{directory}/output.md").decode()
        for name, path in _walk(f"{directory}/audit", ""):
            self.files[name] = _read(path)
        self._values: dict[str, Any] = {}
        self._texts: dict[str, str] = {}
        self._lower: dict[str, str] = {}

    def value(self, name: str) -> Any:
        if name not in self._values:
            data = self.files[name]
            lines = name.endswith(".jsonl")
            self._values[name] = [orjson.loads(line) for line in data.splitlines()] if lines else orjson.loads(data)
        return self._values[name]

    def text(self, name: str) -> str:
        if name not in self._texts:
            self._texts[name] = self.output if name == "output" else self.files[name].decode()
        return self._texts[name]

    def lower(self, name: str) -> str:
        if name not in self._lower:
            self._lower[name] = self.text(name).lower()
        return self._lower[name]

    @cached_property
    def logs(self) -> list[str]:
        return [name for name in self.files if name.startswith("logs/")]

    def named(self, selector: Selector) -> list[str]:
        """The documents that a selector fits."""
        if selector.artifact == "output_text":
            return ["output"]
        if selector.artifact == "logs_dir":
            return self.logs
        if selector.artifact == "evidence_dir":
            return [name for name in self.files if name.startswith("evidence/")]
        if selector.artifact is not None:
            name = _ARTIFACTS[selector.artifact]
            return [name] if name in self.files else []
        assert selector.name is not None
        names = (selector.name, f"evidence/{selector.name}")
        return [name for name in names if name in self.files][:1]


def _read(path: str) -> bytes:
    descriptor = os.open(path, os.O_RDONLY)
    data = os.read(descriptor, os.fstat(descriptor).st_size)
    os.close(descriptor)
    return data


def _walk(directory: str, prefix: str) -> Iterator[tuple[str, str]]:
    with os.scandir(directory) as entries:
        for entry in entries:
            if entry.is_dir(follow_symlinks=False):
                yield from _walk(entry.path, f"{prefix}{entry.name}/")
            else:
                yield prefix + entry.name, entry.path


Rule = Callable[[Bundle], bool]


class Facts(dict[str, Any]):
    """Facts of a bundle, worked out when they are asked for."""

    def __init__(self, bundle: Bundle, judge: CaseJudge) -> None:
        self.bundle = bundle
        self.judge = judge

    def __missing__(self, name: str) -> Any:
        found = self.judge.rules.get(name)
        value = found(self.bundle) if found is not None else self._fact(name)
        self[name] = value
        return value

    def _fact(self, name: str) -> Any:
        definition = self.judge.generated.definitions.get(name)
        return _BUILT_IN[name](self.bundle, self) if definition is None else definition(self)


class CaseJudge:
    """A case, ready for runs of it."""

    def __init__(self, case: Case) -> None:
        self.case = case
        self.python: PythonCase = python_case(case)
        self.generated: GeneratedJudge = generated_judge(case)
        self.rules: dict[str, Rule] = {}
        for rule, place in self.python.places.items():
            make = _METHODS.get(rule.method)
            if make is not None:
                self.rules[f"d{place}"] = make(rule)

    def verdict(self, directory: str) -> Verdict:
        """The verdict of a case run with a bundle."""
        return verdict_of(self.python, Facts(Bundle(directory), self))


def judge_each(runs: Path, book: RuleBook) -> dict[str, Verdict]:
    """The verdict of every case run below `runs`, by id."""
    judges = {case.id: CaseJudge(case) for case in book.cases}
    found: dict[str, Verdict] = {}
    for eval_run in sorted(os.listdir(runs)):
        for case_id in sorted(os.listdir(runs / eval_run / "cases")):
            judge, place = judges[case_id], f"{runs}/{eval_run}/cases/{case_id}"
            for trial in os.listdir(place):
                found[f"{eval_run}/{case_id}/{trial[6:]}"] = judge.verdict(f"{place}/{trial}")
    return found


# Rules --------------------------------------------------------------------------------------------------------------


def _steps(path: str) -> list[str]:
    return [step for step in re.split(r"\.|(\[\*\])", path.removeprefix("$")) if step]


def _nodes(value: Any, steps: list[str]) -> list[Any]:
    nodes = [value]
    for step in steps:
        if step == "[*]":
            nodes = [
                item
                for node in nodes
                if type(node) in (list, dict)
                for item in (node if type(node) is list else node.values())
            ]
        else:
            nodes = [node[step] for node in nodes if type(node) is dict and step in node]
    return nodes


def _test(condition: Condition | DocumentRule) -> Callable[[Any], bool]:
    comparison = condition.comparison
    assert comparison is not None
    operand: Any = comparison.operand
    if comparison.operator == "matches":
        pattern = re.compile(operand, re.MULTILINE)
        return lambda value: type(value) is str and pattern.search(value) is not None
    if comparison.operator == "equals":
        return lambda value: type(value) is type(operand) and value == operand
    if comparison.operator == "gt":
        return lambda value: type(value) in (int, float) and value > operand
    raise NotImplementedError(comparison.operator)


def _artifact_present(rule: DocumentRule) -> Rule:
    return lambda bundle: bool(bundle.named(rule.selector))


def _json_valid(rule: DocumentRule) -> Rule:
    return lambda bundle: any(bundle.value(name) is not ... for name in bundle.named(rule.selector))


def _json_list_nonempty(rule: DocumentRule) -> Rule:
    steps = _steps(rule.path)
    return lambda bundle: any(
        type(node) is list and len(node) > 0
        for name in bundle.named(rule.selector)
        for node in _nodes(bundle.value(name), steps)
    )


def _json_value(rule: DocumentRule) -> Rule:
    steps, test = _steps(rule.path), _test(rule)
    return lambda bundle: any(
        test(node) for name in bundle.named(rule.selector) for node in _nodes(bundle.value(name), steps)
    )


def _json_record_any(rule: DocumentRule) -> Rule:
    steps = _steps(rule.path)
    where = [(_steps(condition.path), _test(condition)) for condition in rule.where]

    def holds(bundle: Bundle) -> bool:
        for name in bundle.named(rule.selector):
            for node in _nodes(bundle.value(name), steps):
                for below, test in where:
                    if not any(test(value) for value in _nodes(node, below)):
                        break
                else:
                    return True
        return False

    return holds


def _series(bundle: Bundle, rule: DocumentRule) -> Iterator[list[float]]:
    for name in bundle.named(rule.selector):
        for answer in bundle.value(name).values():
            for series in answer["data"]["result"]:
                if rule.series is None or series["metric"]["__name__"] == rule.series:
                    yield [float(value) for _, value in series["values"]]


def _series_present(rule: DocumentRule) -> Rule:
    return lambda bundle: any(len(points) >= rule.min_points for points in _series(bundle, rule))


def _series_any_ge(rule: DocumentRule) -> Rule:
    threshold, least = rule.threshold, rule.min_points
    assert threshold is not None
    return lambda bundle: any(sum(point >= threshold for point in points) >= least for points in _series(bundle, rule))


def _keyword(rule: DocumentRule, any_or_none: bool) -> Rule:
    keywords = [keyword.lower() for keyword in rule.keywords]

    def found(bundle: Bundle) -> bool:
        for name in bundle.named(rule.selector):
            text = bundle.lower(name)
            if any(keyword in text for keyword in keywords):
                return any_or_none
        return not any_or_none

    return found


def _regex(rule: DocumentRule, any_or_none: bool) -> Rule:
    patterns = [re.compile(pattern, re.IGNORECASE | re.MULTILINE) for pattern in rule.patterns]

    def found(bundle: Bundle) -> bool:
        for name in bundle.named(rule.selector):
            text = bundle.text(name)
            if any(pattern.search(text) is not None for pattern in patterns):
                return any_or_none
        return not any_or_none

    return found


_METHODS: Mapping[str, Callable[[DocumentRule], Rule]] = {
    "artifact_present": _artifact_present,
    "json_valid": _json_valid,
    "json_list_nonempty": _json_list_nonempty,
    "json_value": lambda rule: _json_value(rule) if rule.comparison and _known(rule) else _never,
    "json_record_any": lambda rule: _json_record_any(rule) if all(map(_known, rule.where)) else _never,
    "numeric_series_present": _series_present,
    "numeric_series_any_ge": _series_any_ge,
    "keyword_any": lambda rule: _keyword(rule, any_or_none=True),
    "keyword_none": lambda rule: _keyword(rule, any_or_none=False),
    "regex_any": lambda rule: _regex(rule, any_or_none=True),
    "regex_none": lambda rule: _regex(rule, any_or_none=False),
}


def _known(condition: Condition | DocumentRule) -> bool:
    return condition.comparison is not None and condition.comparison.operator in ("matches", "equals", "gt")


def _never(bundle: Bundle) -> bool:
    raise NotImplementedError("no check of the benchmark's registry reads this rule")


# Facts --------------------------------------------------------------------------------------------------------------


def _instant(text: str) -> datetime:
    return datetime.fromisoformat(text)


def _window_matched(bundle: Bundle, facts: Facts) -> bool:
    window = bundle.value("diagnosis_report.json")["metadata"]["time_window"]
    start, end = _instant(window["start"]), _instant(window["end"])
    return any(one.start <= start and end <= one.end for one in facts.judge.case.allowed)


def _cluster_matched(bundle: Bundle, facts: Facts) -> bool:
    return bool(bundle.value("diagnosis_report.json")["metadata"]["cluster_id"] == facts.judge.case.cluster_id)


def _refs(bundle: Bundle, facts: Facts) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {channel: [] for channel in _LISTS}
    for item in bundle.value("analysis_patch.json")["items"]:
        for reference in (*item.get("key_evidence", ()), *item.get("supporting_evidence", ())):
            channel, _, rest = reference.partition(":")
            found[channel.strip().lower()].append(rest.strip())
    return found


def _resolvable(channel: str) -> Callable[[Bundle, Facts], bool]:
    def of(bundle: Bundle, facts: Facts) -> bool:
        refs = facts["refs"][channel]
        if channel == "metric":
            names = {
                series["metric"]["__name__"]
                for answer in bundle.value("evidence/metrics.json").values()
                for series in answer["data"]["result"]
            }
            return all(ref in names for ref in refs)
        if channel == "query":
            ids = {query["digest"] for query in bundle.value("evidence/queries.json")["queries"]}
            return all(ref in ids for ref in refs)
        return not refs or bool(facts[f"evidence.{_LISTS[channel]}_channel_observed"])

    return of


def _shape_valid(bundle: Bundle, facts: Facts) -> bool:
    items = bundle.value("analysis_patch.json")["items"]
    return len(items) > 0 and all(
        bool(item.get("id") or item.get("title")) and ("key_evidence" in item or "supporting_evidence" in item)
        for item in items
    )


_BUILT_IN: Mapping[str, Callable[[Bundle, Facts], Any]] = {
    "window.matched_allowed_window": _window_matched,
    "cluster.matched": _cluster_matched,
    "artifacts.report_present": lambda bundle, facts: "diagnosis_report.json" in bundle.files,
    "artifacts.analysis_patch_present": lambda bundle, facts: "analysis_patch.json" in bundle.files,
    "artifacts.telemetry_present": lambda bundle, facts: "telemetry.jsonl" in bundle.files,
    "artifacts.output_text_present": lambda bundle, facts: not bundle.output.isspace(),
    "routing.analysis_patch_present": lambda bundle, facts: "analysis_patch.json" in bundle.files,
    "routing.analysis_patch_json_valid": lambda bundle, facts: "items" in bundle.value("analysis_patch.json"),
    "routing.analysis_items_shape_valid": _shape_valid,
    "routing.analysis_key_evidence_present": lambda bundle, facts: any(
        item.get("key_evidence") for item in bundle.value("analysis_patch.json")["items"]
    ),
    "refs": _refs,
    **{f"routing.analysis_{channel}_refs_resolvable": _resolvable(channel) for channel in _LISTS},
}
