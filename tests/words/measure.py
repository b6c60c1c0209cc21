"""How often the shipped word lists read a sentence as its writer meant it: `python -m tests.words.measure [FILE]`.

FILE (default: the measuring table beside this module) has one JSON object a line with `text`, `pattern`, `asserted`, `claimed`,
`denied`, `lang` and `kind`.  Both error directions are counted apart: what was taken for said though it was not meant, and what
was meant but not found.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl

from judge_polars.plan import ReadingPlan
from judge_polars.registry import load_registry
from judge_polars.rulebook import DocumentRule, Selector, WordLists
from judge_polars.rules.on_assertions import evaluate
from judge_polars.shard import Shard
from judge_polars.tables import ASKED, DOCUMENTS, NODES, POINTS, SELECTED, SERIES, SERIES_PATHS

TABLE = Path(__file__).parent / "measuring_table.jsonl"
REPOSITORY = Path(__file__).parent.parent.parent
ASPECTS = {"asserted": "asserted_any", "claimed": "claimed_any", "denied": "denied_any"}


@dataclass(frozen=True)
class Accuracy:
    """Counts of one aspect: entries, right ones, found though not meant, meant but not found."""

    entries: int
    right: int
    too_much: int
    missed: int

    @property
    def share(self) -> float:
        """Right ones, from 0 to 1."""
        return self.right / self.entries if self.entries else 1.0


def shipped_words() -> WordLists:
    """The word lists of the pack `tidb`, as the demo registry has them."""
    book = load_registry(REPOSITORY / "evaluation" / "regression").compile()
    rules = (rule for case in book.cases for definition in case.definitions for rule in definition.formula.rules)
    return next(rule.words for rule in rules if isinstance(rule, DocumentRule) and rule.words is not None)


def entries_of(path: Path) -> list[dict[str, Any]]:
    """The rows of a table of sentences."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def read_entries(entries: Sequence[dict[str, Any]], words: WordLists) -> list[dict[str, bool]]:
    """What the rules say of each entry: aspect -> whether it holds."""
    rules: list[DocumentRule] = []
    asked: list[tuple[int, int]] = []
    for run, entry in enumerate(entries):
        negated = entry.get("kind") == "negated_finding"
        for method in ASPECTS.values():
            asked.append((run, len(rules)))
            selector = Selector("output_text")
            rules.append(
                DocumentRule(method, selector, patterns=(entry["pattern"],), negated_finding=negated, words=words)
            )
    pairs = pl.DataFrame(asked, schema=ASKED.schema, orient="row")
    selected = SELECTED.check(pairs.with_columns(doc=pl.col("run")))
    results = evaluate(pairs, selected, rules, _shard([entry["text"] for entry in entries]))
    told = {(run, rule): code == 0 for run, rule, code in results.iter_rows()}
    order = list(ASPECTS)
    return [{order[at]: told[run, 3 * run + at] for at in range(3)} for run in range(len(entries))]


def _shard(texts: list[str]) -> Shard:
    count = len(texts)
    documents = pl.DataFrame(
        {
            "doc": range(count),
            "run": range(count),
            "bundle": [None] * count,
            "name": ["output"] * count,
            "artifact": ["output_text"] * count,
            "in_logs": [False] * count,
            "in_evidence": [False] * count,
            "kind": ["text"] * count,
            "unread": [False] * count,
            "has_json": [False] * count,
            "text": texts,
            "plain": [False] * count,
            "size": [len(text) for text in texts],
            "lines": [None] * count,
            "digest": [None] * count,
        },
        schema=DOCUMENTS.schema,
    )
    plan = ReadingPlan((), (), {})
    runs = pl.DataFrame({"run": range(count)}, schema={"run": pl.UInt32})
    return Shard(runs, documents, NODES.empty(), SERIES.empty(), POINTS.empty(), SERIES_PATHS.empty(), plan)


def accuracy(entries: Sequence[dict[str, Any]], told: Sequence[dict[str, bool]], aspect: str) -> Accuracy:
    """How well one aspect was read."""
    pairs = [(entry[aspect], said[aspect]) for entry, said in zip(entries, told, strict=True)]
    return Accuracy(
        len(pairs),
        sum(meant == said for meant, said in pairs),
        sum(said and not meant for meant, said in pairs),
        sum(meant and not said for meant, said in pairs),
    )


def main(arguments: Sequence[str]) -> None:
    """Print the accuracy of each aspect by language, and with `--errors` every entry that was read otherwise."""
    files = [Path(argument) for argument in arguments if not argument.startswith("-")]
    entries = entries_of(files[0] if files else TABLE)
    told = read_entries(entries, shipped_words())
    print(f"{'aspect':<10}{'language':<10}{'entries':>8}{'right':>8}{'too much':>10}{'missed':>8}")
    for aspect in ASPECTS:
        for lang in ("en", "zh", "all"):
            chosen = [at for at, entry in enumerate(entries) if lang in ("all", entry["lang"])]
            found = accuracy([entries[at] for at in chosen], [told[at] for at in chosen], aspect)
            print(f"{aspect:<10}{lang:<10}{found.entries:>8}{found.share:>8.1%}{found.too_much:>10}{found.missed:>8}")
    whole = sum(
        all(entry[aspect] == said[aspect] for aspect in ASPECTS) for entry, said in zip(entries, told, strict=True)
    )
    print(f"all three right: {whole} of {len(entries)} ({whole / len(entries):.1%})")
    if "--errors" in arguments:
        for entry, said in zip(entries, told, strict=True):
            wrong = {aspect: said[aspect] for aspect in ASPECTS if said[aspect] != entry[aspect]}
            if wrong:
                print(entry["id"], wrong, entry["pattern"], "|", entry["text"])


if __name__ == "__main__":
    main(sys.argv[1:])
