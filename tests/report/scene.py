"""What the tests of reports share: a report on a judgment, and what an HTML document holds."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from judge_polars.baselines import difference_from_baseline
from judge_polars.baselines.gate import decide
from judge_polars.errors import InputError, UsageError
from judge_polars.explain import Explanation, explain
from judge_polars.gate import GateResult, parse_conditions
from judge_polars.judged_runs import JudgedRuns
from judge_polars.judgment import Judgment
from judge_polars.report.content import Report
from judge_polars.report.gather import Wanted, gather
from tests.cli.world import bundle, record, write_files, write_world

LATER: Final = "2025-03-05-nightly"
ESCAPE: Final = "\x1b]0;owned\x07\x1b[31m"
TURNED: Final = "\u202e\u2066\u200b"
MARKUP: Final = "</q></details></style><script>alert(1)</script><img src=x onerror=alert(1)>{{ 7*7 }}{% raw %}"
EVIL: Final = f"=cmd|' /C calc'!A0 {ESCAPE}{TURNED}{MARKUP} ::error::owned\n::set-output name=x::y\n]]>&amp; \ufffe"
EVIL_RUN: Final = "2025-03-05 <script>alert(1)<\u2044script>\x1b[31m\u202e\"'&"
VOID: Final = ("meta", "br")


def report_of(judgment: Judgment, eval_run_id: str = LATER, *, excerpts: int = 100) -> Report:
    """The report on an eval run of a judgment, beside its baseline where there is one."""
    source = JudgedRuns(judgment)
    gate = GateResult(False, "gate passed (never: nothing is asked)")
    difference = None
    try:
        difference = difference_from_baseline(source, eval_run_id)
        gate = decide(difference, parse_conditions(["regression"]))
    except (InputError, UsageError):
        pass

    def explanations(ids: Sequence[str]) -> Iterator[Explanation]:
        return (explain(judgment, key) for key in ids)

    return gather(
        source,
        Wanted(
            eval_run_id=eval_run_id,
            gate=gate,
            command=f"judge-polars report {eval_run_id}",
            explanations=explanations,
            difference=difference,
            no_difference="Compared with nothing.",
            kept=False,
            excerpts=excerpts,
        ),
    )


@dataclass
class Element:
    """A start tag, the text inside it and the tags around it."""

    tag: str
    attributes: dict[str, str | None]
    around: tuple[str, ...]
    parts: list[str] = field(default_factory=list)

    @property
    def text(self) -> str:
        """All of it, that of the elements inside included."""
        return "".join(self.parts)


@dataclass
class Page(HTMLParser):
    """All elements of a document, in order; the text of an element includes that of those inside it."""

    elements: list[Element] = field(default_factory=list)
    open: list[Element] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element."""
        element = Element(tag, dict(attrs), tuple(one.tag for one in self.open))
        self.elements.append(element)
        if tag not in VOID:
            self.open.append(element)

    def handle_endtag(self, tag: str) -> None:
        """Close the innermost element, which must be the one that the tag names."""
        if tag in VOID:
            return
        assert self.open[-1].tag == tag, f"</{tag}> closes <{self.open[-1].tag}>"
        self.open.pop()

    def handle_data(self, data: str) -> None:
        """Text of all open elements."""
        for element in self.open:
            element.parts.append(data)

    def named(self, *tags: str) -> list[Element]:
        """The elements with these tags."""
        return [one for one in self.elements if one.tag in tags]


def page_of(content: bytes) -> Page:
    """A document, whose elements must be closed in order."""
    page = Page()
    page.feed(content.decode())
    page.close()
    assert not page.open
    return page


def write_hostile_world(root: Path, evil: str = EVIL) -> Path:
    """Case runs whose ids, records, documents, references, answers and issues are hostile, in every place that an agent writes."""
    name = evil.replace("/", "\u2044").replace("\n", " ")[:60]
    files = bundle(
        "1001", patch=[{"id": evil, "key_evidence": [f"metric:{evil}"], "supporting_evidence": [f"log:{evil}:1"]}]
    )
    files["audit/evidence/metrics.json"] = json.dumps([{"metric": {"__name__": evil, "instance": evil}, "values": []}])
    files["audit/evidence/events.json"] = json.dumps([{"kind": evil, "count": 1}])
    files[f"audit/logs/{name}.log"] = f"[2025/03/04 09:10:00.000 +00:00] write stall {evil}\n"
    files[f"audit/evidence/{name}.json"] = "{" + evil
    files["output.md"] = f"The disk hang {evil} was ruled out. {evil}\n" + f"The disk hang was ruled out, {evil} " * 3
    agent = {"name": evil, "version": evil, "model": evil}
    files["case_run.json"] = record(agent=agent, status=evil, stop_reason=evil)
    runs = {f"{EVIL_RUN}/disk-hang/1": files, f"{EVIL_RUN}/lock-wait/1": files, f"{EVIL_RUN}/{name}/1": files}
    write_world(root, runs)
    told = {"suite_id": "daily", "suite_version": 1, "started_at": "2025-03-05T02:00:00Z", "agent": agent}
    write_files(root / "runs" / EVIL_RUN, {"eval_run.json": json.dumps(told)})
    return root
