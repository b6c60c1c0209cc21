"""A hostile world: whatever an agent or a provider can write tries to be more than text; and readers that notice it."""

from __future__ import annotations

import json
import re
import shutil
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from html.parser import HTMLParser
from pathlib import Path
from typing import Final

from tests.cli.world import DISK_JUDGE, bundle, record, series, write_files, write_world

ESCAPES: Final = "\x1b[31m\x1b[2J\x1b]0;owned\x07\x1b]8;;https://evil.example/\x1b\\link\x1b]8;;\x1b\\\x1b]52;c;b3duZWQ=\x07\x9b31m\x90q\x9c"
TURNED: Final = "\u202e\u2066\u200b\u061c\ufeff\u2028"
MARKUP: Final = (
    "</q></details></style></title><script>owned(1)</script><img src=x onerror=owned(1)><svg onload=owned(1)>"
    "<a href='javascript:owned(1)'>x</a>\"'><iframe>{{ 7*7 }}<!-- "
)
MARKDOWN: Final = "[x](javascript:owned(1)) ![x](https://evil.example/x.png) <https://evil.example> **b** `c` | d"
COMMANDS: Final = "::error file=a,line=1::owned%0A::set-output name=x::y"
XML: Final = "]]><!ENTITY x SYSTEM 'file:///etc/passwd'>&x;\ufffe\uffff\x00\x0b"
EVIL: Final = f"=cmd|' /C calc'!A0 [red]owned[/red] 磁盘 {ESCAPES}{TURNED}{MARKUP}{MARKDOWN}\n{COMMANDS}\r\n{XML}"
STARTS: Final = ("=1+1", "+1+1", "-1+1", "@SUM(A1)", "\t=1+1", "\r=1+1", "\n=1+1")
"""What a spreadsheet takes for a formula."""

LONG: Final = 1_000_000
EARLIER: Final = "2025-03-04-nightly"
EVIL_RUN: Final = "=1+1<script>owned(1)\u2044\x1b[31m\u202e\"'&|`[x](javascript:y)"

HOSTILE_ID: Final = f"{EVIL_RUN}/disk-hang/1"

QUESTIONS: Final = """\
    semantic_checks:
      - id: explains_mechanism
        kind: rubric
        question: Does the answer say how the disk led to the outage?
        expected: "yes"
        shadows: names_the_host
"""
PROVIDER: Final = """\
import json, sys
context = json.load(sys.stdin)
evil = open(__file__ + ".evil", encoding="utf-8", newline="").read()
print(json.dumps({"answers": {"explains_mechanism": {"reasoning": evil, "answer": "no"}}}))
"""

TERMINAL: Final = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f]")
"""What a terminal may take for a command; line breaks and tabs are text."""
UNSEEN: Final = re.compile("[\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]")
"""What turns or hides text."""


def file_name(text: str) -> str:
    """As much of a text as a file's name can hold."""
    return text.replace("/", "\u2044").replace("\0", "")[:60]


def hostile_files(evil: str = EVIL, long: int = 2_000) -> dict[str, str]:
    """The files of a case run of `disk-hang` that fails, hostile in every place."""
    patch = [
        {"id": evil, "key_evidence": [f"metric:{evil}", evil], "supporting_evidence": [f"log:{evil}:1"], evil: evil},
        {"id": STARTS[0], "key_evidence": [f"log:tikv.log:{start}" for start in STARTS]},
    ]
    files = bundle("1001", patch=patch)
    files["audit/diagnosis_report.json"] = json.dumps(
        {
            "cluster_id": "1001",
            "time_window": {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T09:45:00Z"},
            evil: evil,
        }
    )
    named = [series(evil, [0.5, 0.99], instance=evil), series("node_disk_io_util", [0.1, 0.99, 0.98], instance=evil)]
    files["audit/evidence/metrics.json"] = json.dumps(named)
    files["audit/evidence/events.json"] = json.dumps(
        [{"kind": evil, "count": 1, evil: evil}, {"kind": "stall", "count": 2}]
    )
    files["audit/evidence/queries.json"] = json.dumps([{"digest": evil, "sql": evil, "samples": [evil]}])
    name = file_name(evil)
    files[f"audit/logs/{name}.log"] = f"[2025/03/04 09:10:00.000 +00:00] write stall {evil}\n"
    files["audit/logs/tikv.log"] = (
        "[2025/03/04 08:10:00.000 +00:00] write stall " + evil.replace("\n", " ") + "x" * long + "\n"
    )
    files[f"audit/evidence/{name}.json"] = "{" + evil
    files["audit/telemetry.jsonl"] = json.dumps({evil: evil}) + "\n" + evil
    files["audit/summary.md"] = evil
    files[f"audit/{name}/manifest.json"] = "[" + evil
    files["output.md"] = (
        f"The disk hang {evil} was ruled out. {evil}\n" + f"A disk hang was ruled out, {evil} " * 3 + "y" * long
    )
    agent = {"name": evil, "version": STARTS[3], "model": evil}
    files["case_run.json"] = record(
        eval_run_id=evil,
        case_id=evil,
        workspace_id=evil,
        workspace_dir=f"../{evil}",
        agent=agent,
        status=evil,
        stop_reason=evil,
    )
    return files


def write_hostile_world(root: Path, evil: str = EVIL, long: int = 2_000) -> Path:
    """A good eval run and a hostile one, a registry that asks a question, a provider whose answers are hostile."""
    good = {
        f"{EARLIER}/disk-hang/1": {**bundle(), "output.md": "The disk hung on tikv-2.\n", "case_run.json": record()},
        f"{EARLIER}/lock-wait/1": {**bundle("1002"), "output.md": "A lock wait it was.", "case_run.json": record()},
    }
    files = hostile_files(evil, long)
    unresolved = {"output.md": evil, "case_run.json": files["case_run.json"]}
    name = file_name(evil)
    write_world(
        root,
        {
            **good,
            f"{EVIL_RUN}/disk-hang/1": files,
            f"{EVIL_RUN}/lock-wait/1": unresolved,
            f"{EVIL_RUN}/{name}/1": files,
            f"{EVIL_RUN}/{STARTS[0]}/1": unresolved,
        },
    )
    write_files(root / "runs" / EVIL_RUN / "cases" / "disk-hang" / file_name("trial-" + evil), {"output.md": evil})
    told = {
        "suite_id": "daily",
        "suite_version": 1,
        "started_at": "2025-03-05T02:00:00Z",
        "eval_run_id": evil,
        "agent": {"name": evil, "version": evil, "model": evil},
    }
    write_files(root / "runs" / EVIL_RUN, {"eval_run.json": json.dumps(told)})
    write_files(root / "registry", {"cases/disk-hang/judge.yaml": DISK_JUDGE + QUESTIONS})
    write_files(root, {"provider.py": PROVIDER})
    (root / "provider.py.evil").write_bytes(evil.encode())
    settings = {"provider": "command", "command": [sys.executable, str(root / "provider.py")]}
    write_files(
        root,
        {
            "judge_polars.toml": "[semantic]\n"
            + "".join(f"{key} = {json.dumps(value)}\n" for key, value in settings.items())
        },
    )
    return root


def write_another_rubric(root: Path) -> None:
    """`another/`: a registry by which the good run fails and the hostile one is told of other places."""
    judge = (DISK_JUDGE + QUESTIONS).replace("threshold: 0.95", "threshold: 2").replace('"write stall"', '"owned"')
    shutil.copytree(root / "registry", root / "another")
    write_files(root / "another", {"cases/disk-hang/judge.yaml": judge})


def steers_a_terminal(content: str) -> list[str]:
    """What in a text could steer a terminal, or turn or hide text."""
    return [repr(found[0]) for pattern in (TERMINAL, UNSEEN) for found in pattern.finditer(content)]


@dataclass
class Elements(HTMLParser):
    """The elements and attributes of an HTML document, and the text outside style sheets."""

    tags: set[str] = field(default_factory=set)
    attributes: set[str] = field(default_factory=set)
    targets: set[str] = field(default_factory=set)
    text: list[str] = field(default_factory=list)
    odd: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        super().__init__(convert_charrefs=True)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note the element, its attributes, and where it leads."""
        self.tags.add(tag)
        self.attributes.update(name for name, _ in attrs)
        self.targets.update(
            value or "" for name, value in attrs if name in ("href", "src", "action", "data", "xlink:href")
        )

    def handle_data(self, data: str) -> None:
        """Text between tags."""
        self.text.append(data)

    def handle_comment(self, data: str) -> None:
        """A comment: none is ours."""
        self.odd.append(data)


def elements_of(content: str) -> Elements:
    """What a reader of HTML sees in a document."""
    found = Elements()
    found.feed(content)
    found.close()
    return found


def unescaped_markup(content: str) -> list[str]:
    """Characters that begin markup in Markdown, without a backslash in front."""
    return re.findall(r"(?<!\\)(?:\\\\)*([<>`]|\]\(|!\[)", content)


def formulas(cells: Mapping[str, str] | list[str]) -> list[str]:
    """Cells that a spreadsheet takes for a formula; numbers are none."""
    every = cells.values() if isinstance(cells, Mapping) else cells
    return [
        cell
        for cell in every
        if re.match(r"[=+\-@\t\r\n]", cell) and not re.fullmatch(r"-?\d+(\.\d+)?([eE][+-]?\d+)?", cell)
    ]
