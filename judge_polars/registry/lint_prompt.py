"""Lint of names and of what the agent is told: leaks of tickets and versions, and the prompt contract (specification 10)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, Final

from judge_polars.registry.compile import dumped
from judge_polars.registry.lint_seen import NAME, Seen
from judge_polars.registry.lint_tickets import (
    Passage,
    issues_in_text,
    plain_version,
    tickets_in_name,
    tickets_in_text,
    versions_in,
)
from judge_polars.registry.lint_times import holds_time
from judge_polars.registry.lint_world import Hit, LintCase, World, hit
from judge_polars.registry.source import shown
from judge_polars.registry.values import timestamp

PASSAGES: Final = 20
"""Findings of one code in one text; the others are found when these are mended."""
_TASK: Final = re.compile(
    r"\b(?:diagnos(?:e|is|ing)|find|determine|identify|investigat(?:e|ion)|analy[sz](?:e|ing|is)|explain|figure out|work out|"
    r"look into|trouble-?shoot(?:ing)?|root[- ]caus(?:e|ing)|what (?:caused|happened|went wrong|is wrong|was wrong|is going on)|"
    r"why|examine|establish|pinpoint|track down|locate|assess|debug|tell (?:us|me)|help (?:us|me)|get to the bottom)\b"
    r"|诊断|分析|定位|排查|查明|查找|查清|找出|找到|调查|说明|解释|判断|弄清|看一下|看看|查一下|查查|帮忙|帮我|为什么|为何|什么原因|根因|怎么回事",
    re.IGNORECASE,
)


def _passages(find: Callable[[str], Iterator[Passage]], seen: Seen) -> Iterator[Passage]:
    """Each passage once, the first `PASSAGES` of them."""
    told: set[str] = set()
    for passage in find(seen.text):
        if passage.text not in told:
            if len(told) == PASSAGES:
                return
            told.add(passage.text)
            yield passage


def ticket_id_in_name(world: World) -> Iterator[Hit]:
    """Ticket ids in case ids, suite ids and paths."""
    for case in world.cases:
        for seen in case.seen:
            if seen.kind == NAME:
                for passage in _passages(tickets_in_name, seen):
                    message = f"{seen.what} holds the ticket id {shown(passage.text)}; name it for what people saw"
                    yield Hit(case.name, seen.finding(passage.text, message))
    for suite in world.contents.suites.values():
        if suite:
            for passage in tickets_in_name(suite.model.id):
                message = f"the suite id holds the ticket id {shown(passage.text)}; name it for what it is run for"
                yield hit(None, suite.source, ("id",), message)


def ticket_id_in_prompt(world: World) -> Iterator[Hit]:
    """Ticket ids and links in what the agent sees."""
    mend = "the agent could look it up; remove it"
    yield from _in_what_is_seen(world, tickets_in_text, "the ticket id or link", mend)


def issue_number_in_prompt(world: World) -> Iterator[Hit]:
    """Issues and pull requests of a code host in what the agent sees."""
    mend = "the agent could read the answer there; remove it"
    yield from _in_what_is_seen(world, issues_in_text, "the issue or pull request", mend)


def _in_what_is_seen(world: World, find: Callable[[str], Iterator[Passage]], what: str, mend: str) -> Iterator[Hit]:
    for case in world.cases:
        for seen in case.seen:
            if seen.kind != NAME:
                for passage in _passages(find, seen):
                    message = f"{seen.what} holds {what} {shown(passage.text)}; {mend}"
                    yield Hit(case.name, seen.finding(passage.text, message, passage.start))


def fix_version_in_prompt(world: World) -> Iterator[Hit]:
    """A version that the prompt and the policy both name."""
    for case in world.cases:
        if case.judge is None:
            continue
        prompt = next(seen for seen in case.seen if seen.kind == "prompt")
        policy = _versions_of_policy(case)
        for passage in _passages(versions_in, prompt):
            if plain_version(passage.text) in policy:
                message = (
                    f"the prompt names the version {shown(passage.text)}, which judge.yaml names too; leave it out here"
                )
                yield Hit(case.name, prompt.finding(passage.text, message, passage.start))


def _versions_of_policy(case: LintCase) -> set[str]:
    """Versions in the texts of a policy: written, escaped as in a regex, or with `_` as in a name."""
    models = [case.judge.model] if case.judge else []
    texts = [
        text
        for model in (*models, *(bucket.model for bucket in case.buckets.values()))
        for text in _texts(dumped(model))
    ]
    found: set[str] = set()
    for text in texts:
        plain = re.sub(r"\\[.]|\[[._\-]{1,3}\]|\\W\??", ".", text)
        plain = re.sub(r"(?<=[0-9])_(?=[0-9])", ".", plain)
        found.update(re.findall(r"(?<![0-9.])[0-9]{1,4}(?:\.[0-9]{1,4}){1,2}(?![0-9]|\.[0-9])", plain))
    return found


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for part in value.values():
            yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)


def prompt_lacks_cluster_id(world: World) -> Iterator[Hit]:
    """Prompts without the cluster's id."""
    for case in world.cases:
        model = case.case.model
        cluster = model.environment.cluster_id.strip()
        if not re.search(rf"(?<![A-Za-z0-9]){re.escape(cluster)}(?![A-Za-z0-9])", model.prompt.text):
            message = f"the prompt does not hold the cluster id {shown(cluster)}; say which cluster is meant"
            yield case.hit(("prompt", "text"), message)


def prompt_lacks_time_window(world: World) -> Iterator[Hit]:
    """Prompts with neither end of the window."""
    for case in world.cases:
        text = case.case.model.prompt.text
        window = case.case.model.time_window
        ends = [timestamp(window.start), timestamp(window.end)]
        if not any(holds_time(text, end, written_offset=_offset(end)) for end in ends):
            message = (
                f"the prompt holds neither the start {window.start} nor the end {window.end} of the window; say when it was, "
                "with date, time and offset"
            )
            yield case.hit(("prompt", "text"), message)


def _offset(moment: datetime) -> Any:
    return moment.utcoffset()


def prompt_lacks_task(world: World) -> Iterator[Hit]:
    """Prompts that ask for nothing."""
    for case in world.cases:
        if not _TASK.search(case.case.model.prompt.text):
            message = "the prompt asks for nothing; say what is wanted: diagnose, find the root cause, 诊断, 分析根因 …"
            yield case.hit(("prompt", "text"), message)
