"""Answers that know nothing of the incident, or everything that a rubric holds: none of them may pass.

A generic answer is constant.  The others are made from what the case's own rules look for (`wanted`), so that a rubric is tried
with its own words: pasted without a claim, listed as possible, claimed all at once, and denied.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from judge_polars.probe.wanted import Language, Wanted
from judge_polars.vocabulary import HARD

EMPTY, NULL, STUFFED, DENYING, REFERENCE = "empty", "null", "stuffed", "denying", "reference"
_HAN: Final = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff]")

NULL_AGENT: Final = """\
## Summary

The cluster was checked for the reported period. Users saw degraded service, and the analysis found abnormal behaviour in the
collected data. The root cause is most likely a resource or workload problem in the database cluster, which needs further
investigation.

## Recommendations

1. Check CPU, memory, disk and network usage of all nodes.
2. Review slow statements and add capacity if needed.
3. Keep monitoring the cluster and contact support if the problem comes back.
"""
NULL_AGENT_ZH: Final = """\
## 结论

已对该时间段内的集群进行检查，业务出现异常，采集到的数据中存在波动。根因可能与资源使用或业务负载有关，建议进一步排查。

## 建议

1. 检查各节点的 CPU、内存、磁盘和网络使用情况。
2. 关注慢查询，必要时扩容。
3. 持续观察集群状态，如再次出现请联系支持人员。
"""


@dataclass(frozen=True, slots=True)
class Answer:
    """A made-up answer: the probe's name, its kind (`empty`, `null`, `stuffed`, `denying`, `reference`) and the text."""

    name: str
    kind: str
    text: str


def made_up_answers(language: Language) -> tuple[Answer, ...]:
    """The answers that a case must not pass; those for which the case has no words are left out."""
    answers = [
        Answer("empty_answer", EMPTY, ""),
        Answer("null_agent", NULL, NULL_AGENT),
        Answer("null_agent_zh", NULL, NULL_AGENT_ZH),
        Answer("stuffed_answer", STUFFED, _pasted(language)),
        Answer("causes_listed", STUFFED, _listed(language)),
        Answer("causes_claimed", STUFFED, _claimed(language)),
        Answer("conclusions_denied", DENYING, _sections(_denials(language.wanted))),
        Answer("conclusions_ruled_out", DENYING, _ruled_out(language.wanted)),
    ]
    return tuple(answer for answer in answers if answer.text.strip() or answer.kind == EMPTY)


def _pasted(language: Language) -> str:
    """Every keyword and every sample of every pattern of the case, those to be avoided too, each on a line of its own."""
    lines = [(one.heading, text) for one in language.wanted for group in one.groups for text in group]
    return _sections(dict.fromkeys(lines))


def _listed(language: Language) -> str:
    """Everything that it might be."""
    causes = [text for cause in language.causes for text in _in_both_scripts(cause)]
    english = [text for text in causes if not _HAN.search(text)]
    chinese = [text for text in causes if _HAN.search(text)]
    lists = [("Possible causes:", english), ("可能的原因：", chinese)]
    return "\n\n".join("\n".join([title, "", *(f"- {text}" for text in texts)]) for title, texts in lists if texts)


def _claimed(language: Language) -> str:
    """Each cause put forward as the root cause, one after the other."""
    return "\n\n".join(_claim(text) for cause in language.causes for text in _in_both_scripts(cause))


def _in_both_scripts(cause: tuple[tuple[str, ...], ...]) -> Iterator[str]:
    """A cause's first text without Chinese characters, and its first one with them."""
    texts = [group[0] for group in cause]
    for chinese in (False, True):
        yield from [text for text in texts if bool(_HAN.search(text)) is chinese][:1]


def _claim(text: str) -> str:
    return f"根因是{text}。" if _HAN.search(text) else f"The root cause was {text}."


def _denial(text: str) -> str:
    return f"根因不是{text}。" if _HAN.search(text) else f"The root cause was not {text}."


def _expected(wanted: Iterable[Wanted]) -> Iterator[tuple[Wanted, str]]:
    """The conclusions that hard checks need, in the words of every keyword and pattern."""
    for one in wanted:
        if one.said and one.layer == HARD:
            for group in one.groups:
                yield one, group[0]


def _denials(wanted: Iterable[Wanted]) -> Iterator[tuple[str | None, str]]:
    """Each expected conclusion denied in a sentence; what is to be denied is claimed."""
    for one, text in _expected(wanted):
        yield one.heading, _claim(text) if one.method == "denied_any" else _denial(text)


def _ruled_out(wanted: Iterable[Wanted]) -> str:
    """Each expected conclusion in a list of what was ruled out; what is to be denied is claimed above it."""
    expected = list(_expected(wanted))
    if not expected:
        return ""
    claims = [_claim(text) for one, text in expected if one.method == "denied_any"]
    listed = [text for one, text in expected if one.method != "denied_any"]
    english = [f"- {text}" for text in listed if not _HAN.search(text)]
    chinese = [f"- {text}" for text in listed if _HAN.search(text)]
    lists = [("Ruled out:", english), ("已排除：", chinese)]
    parts = [*claims, *("\n".join([title, "", *lines]) for title, lines in lists if lines)]
    return "\n\n".join(parts)


def _sections(lines: Iterable[tuple[str | None, str]]) -> str:
    """Lines as paragraphs, those with a heading under it; what has none comes first."""
    below: dict[str | None, list[str]] = {None: []}
    for heading, line in lines:
        below.setdefault(heading, []).append(line)
    parts = below.pop(None)
    for heading, texts in below.items():
        parts += [f"## {heading}", *texts]
    return "\n\n".join(parts)
