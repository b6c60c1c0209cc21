"""The ten rules, and their plain Python form; judge_polars' and promptfoo's notation of them.

Five rules ask for any of their keywords, in any case, and five for any of their patterns.  The patterns mean the same with
and without flags, and to Python, Rust and JavaScript.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from benchmarks.texts import asked_of, engine_results, true_codes
from judge_polars.rulebook import DocumentRule, Selector
from judge_polars.shard import Shard

CASE: Final = "ten-text-rules"
EVAL_RUN: Final = "stored"
KEYWORDS: Final = (
    ("raftstore stalled", "raftstore blocked", "scheduler stalled", "scheduler blocked", "write stall"),
    ("hotspot moved", "hotspot split", "hot region", "hotspot grew", "read hotspot"),
    ("Deadlock Failed", "deadlock blocked", "lock conflict", "deadlock retried", "lock stalled"),
    ("missing index", "full table scan", "index dropped", "plan grew", "plan moved"),
    ("by 99 %", "by 98 %", "oom-killer", "memory fell", "out of memory"),
)
PATTERNS: Final = (
    (r"store 1\d (?:rose|fell) by [5-9]\d %", r"raftstore \w+ stalled"),
    (r"\b[Tt]he (?:cache|disk|memory) \w+ grew\b",),
    (r"at 0[0-5]:\d\d, and store 7\b", r"store \d+ merged by 7 % \(deadlock\)"),
    (r"hotspot (?:peer|leader|region) (?:moved|split)", r"leader hotspot"),
    (r"(?:^|\n)- The compaction \w+ failed.{0,80}\(\w+\)",),
)
RULES: Final = len(KEYWORDS) + len(PATTERNS)
_WINDOW: Final = {"start": "2025-03-04T09:00:00Z", "end": "2025-03-04T09:45:00Z"}


def plain_answers(texts: Sequence[str]) -> list[list[bool]]:
    """Each text's ten answers, as a page of Python gives them."""
    words = [[word.lower() for word in rule] for rule in KEYWORDS]
    patterns = [[re.compile(one) for one in rule] for rule in PATTERNS]
    answers = []
    for text in texts:
        lower = text.lower()
        found = [any(word in lower for word in rule) for rule in words]
        answers.append(found + [any(one.search(text) for one in rule) for rule in patterns])
    return answers


def document_rules() -> list[DocumentRule]:
    """The ten rules as the engine has them."""
    output = Selector("output_text")
    made = [DocumentRule("keyword_any", output, keywords=words) for words in KEYWORDS]
    return made + [DocumentRule("regex_any", output, patterns=patterns) for patterns in PATTERNS]


def engine_answers(shard: Shard) -> list[list[bool]]:
    """Each text's ten answers by the engine, of a shard of texts (`texts.shard_of_texts`)."""
    codes = true_codes(engine_results(asked_of(shard.runs.height, 1, RULES), document_rules(), shard))
    return [codes[at : at + RULES] for at in range(0, len(codes), RULES)]


def write_bundles(root: Path, texts: Sequence[str]) -> tuple[Path, Path]:
    """Write a registry of one case with a check for each rule, and a run for each text; returns (registry, runs)."""
    registry, runs = root / "registry", root / "runs"
    case = registry / "cases" / CASE
    case.mkdir(parents=True)
    checks: list[dict[str, Any]] = [{"match": "keyword_any", "keywords": words} for words in KEYWORDS]
    checks += [{"match": "regex_any", "patterns": patterns} for patterns in PATTERNS]
    named = [{"id": f"rule_{number}", **check} for number, check in enumerate(checks)]
    _write(registry / "registry.yaml", {"packs": []})
    _write(
        case / "case.yaml",
        {
            "schema_version": 1,
            "id": CASE,
            "version": 1,
            "title": "Ten text rules",
            "status": "active",
            "prompt": {"text": "Diagnose."},
            "environment": {"cluster_id": "1"},
            "time_window": _WINDOW,
            "execution": {"timeout": "30m", "trials": 1},
        },
    )
    diagnosis = {"hard_max_score": RULES, "hard_checks": named}
    _write(case / "judge.yaml", {"schema_version": 1, "case_id": CASE, "judge": {"diagnosis": diagnosis}})
    (case / "expected.md").write_text("Made by the benchmark.\n", "utf-8")
    for number, text in enumerate(texts, 1):
        run = runs / EVAL_RUN / "cases" / CASE / f"trial-{number}"
        (run / "audit" / "evidence").mkdir(parents=True)
        (run / "output.md").write_text(text, "utf-8")
        _write(run / "audit" / "manifest.json", {})
        _write(run / "audit" / "diagnosis_report.json", {})
    return registry, runs


def promptfoo_assertions() -> list[dict[str, Any]]:
    """The ten rules as promptfoo's assertions."""
    made: list[dict[str, Any]] = [{"type": "icontains-any", "value": list(words)} for words in KEYWORDS]
    return made + [{"type": "regex", "value": "|".join(patterns)} for patterns in PATTERNS]


def _write(path: Path, content: object) -> None:
    path.write_text(json.dumps(content), "utf-8")
