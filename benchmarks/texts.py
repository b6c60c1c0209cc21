"""Texts: keywords and regexes over output texts, against Python over the same texts."""

from __future__ import annotations

import random
import re
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import polars as pl

from benchmarks.registry import write_registry
from benchmarks.rows import Measured
from benchmarks.sizes import Sizes
from benchmarks.timing import in_turns
from judge_polars.plan import ReadingPlan
from judge_polars.registry import load_registry
from judge_polars.rulebook import DocumentRule, Selector
from judge_polars.rules.document_rules import evaluate_documents
from judge_polars.shard import Shard
from judge_polars.tables import DOCUMENTS, NODES, POINTS, SERIES, SERIES_PATHS, TIMESTAMP
from judge_polars.vocabulary import TRUE_CODE

SHAPES: Final = ((20, 10, 5), (20, 30, 10), (200, 10, 5))
"""Cases, rules of each, patterns of each rule."""
_OUTPUT: Final = Selector("output_text")
_NOUNS: Final = tuple(
    [
        "region",
        "store",
        "raftstore",
        "scheduler",
        "compaction",
        "leader",
        "peer",
        "index",
        "table",
        "query",
        "statement",
        "plan",
        "cache",
        "memory",
        "disk",
        "network",
        "latency",
        "throughput",
        "hotspot",
        "lock",
        "deadlock",
        "transaction",
        "commit",
        "snapshot",
        "replica",
        "follower",
        "pump",
        "drainer",
        "gc",
        "schema",
        "lease",
    ]
)
_VERBS: Final = tuple(
    [
        "rose",
        "fell",
        "stalled",
        "recovered",
        "moved",
        "split",
        "merged",
        "failed",
        "retried",
        "blocked",
        "grew",
        "dropped",
    ]
)


def output_texts(count: int, seed: int = 3) -> list[str]:
    """Answers of some 4 KB, no two alike."""
    draw = random.Random(seed)
    texts = []
    for number in range(count):
        lines = [f"# Diagnosis {number}", "", "## Root cause", ""]
        for _ in range(55):
            a, b, c = draw.choice(_NOUNS), draw.choice(_NOUNS), draw.choice(_NOUNS)
            lines.append(
                f"- The {a} {b} {draw.choice(_VERBS)} at {draw.randint(0, 23):02d}:{draw.randint(0, 59):02d}, and "
                f"store {draw.randint(1, 99)} {draw.choice(_VERBS)} by {draw.randint(1, 99)} % ({c})."
            )
        texts.append("\n".join(lines))
    return texts


def shard_of_texts(texts: Sequence[str]) -> Shard:
    """A shard whose runs have an output text and nothing else."""
    count = len(texts)
    runs = pl.int_range(count, dtype=pl.UInt32, eager=True)
    documents = (
        DOCUMENTS.empty()
        .clear(count)
        .with_columns(
            doc=runs,
            run=runs,
            name=pl.lit("output"),
            artifact=pl.lit("output_text"),
            in_logs=pl.lit(value=False),
            in_evidence=pl.lit(value=False),
            kind=pl.lit("text"),
            unread=pl.lit(value=False),
            has_json=pl.lit(value=False),
            text=pl.Series(list(texts)),
            plain=pl.lit(value=True),
        )
    )
    window = pl.lit(None, TIMESTAMP)
    return Shard(
        runs=pl.DataFrame({"run": runs, "case": pl.repeat(0, count, dtype=pl.UInt32, eager=True)}).with_columns(
            window_start=window, window_end=window
        ),
        documents=DOCUMENTS.check(documents),
        nodes=NODES.empty(),
        series=SERIES.empty(),
        points=POINTS.empty(),
        series_paths=SERIES_PATHS.empty(),
        plan=ReadingPlan((), (), {}),
    )


def keywords_of(cases: int, rules: int, patterns: int) -> list[DocumentRule]:
    """Rules of all cases, one behind the other; about one keyword of seven is a phrase of the texts."""
    draw = random.Random(cases * rules + patterns)
    made = []
    for number in range(cases * rules):
        words = [
            f"{draw.choice(_NOUNS)} {draw.choice(_VERBS)}"
            if draw.random() < 0.14
            else f"{draw.choice(_NOUNS)}-{number}-{at}"
            for at in range(patterns)
        ]
        made.append(DocumentRule("keyword_any", _OUTPUT, keywords=tuple(words)))
    return made


def asked_of(runs: int, cases: int, rules: int) -> pl.DataFrame:
    """`run`, `rule`: run after run has the next case, whose rules are asked of it."""
    frame = pl.DataFrame({"run": pl.int_range(runs, dtype=pl.UInt32, eager=True)})
    first = (pl.col("run") % cases * rules).cast(pl.UInt32)
    return frame.with_columns(rule=pl.int_ranges(first, first + rules, dtype=pl.UInt32)).explode("rule")


def engine_results(asked: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard) -> pl.DataFrame:
    """`run`, `rule`, `code`."""
    return evaluate_documents(asked, rules, shard, shard.documents, "evidence")


def python_keywords(texts: Sequence[str], rules: Sequence[DocumentRule], cases: int) -> list[bool]:
    """Each run's rules: whether any keyword is in the text in lower case."""
    words = [[word.lower() for word in rule.keywords] for rule in rules]
    per_case = len(rules) // cases
    results = []
    for run, text in enumerate(texts):
        lower = text.lower()
        first = run % cases * per_case
        results += [any(word in lower for word in words[rule]) for rule in range(first, first + per_case)]
    return results


def python_regexes(texts: Sequence[str], patterns: Sequence[Sequence[re.Pattern[str]]]) -> list[bool]:
    """Every rule on every text: whether any pattern is found."""
    return [any(pattern.search(text) for pattern in rule) for text in texts for rule in patterns]


def heuristics() -> tuple[list[DocumentRule], list[list[re.Pattern[str]]]]:
    """The text rules of the pack `tidb` whose patterns Python's `re` reads as well, as regex rules over the output."""
    rules: dict[tuple[str, ...], list[re.Pattern[str]]] = {}
    for definition in _pack_rules():
        for rule in definition:
            compiled = [pattern for pattern in map(_compiled, rule.patterns) if pattern is not None]
            if rule.patterns and len(compiled) == len(rule.patterns):
                rules.setdefault(rule.patterns, compiled)
    return [DocumentRule("regex_any", _OUTPUT, patterns=patterns) for patterns in rules], list(rules.values())


def _pack_rules() -> Iterator[Iterator[DocumentRule]]:
    """The document rules of each definition of the pack."""
    with tempfile.TemporaryDirectory() as place:
        case = load_registry(write_registry(Path(place), 1)).compile().cases[0]
    for definition in case.definitions:
        yield (rule for rule in definition.formula.rules if isinstance(rule, DocumentRule))


def _compiled(pattern: str) -> re.Pattern[str] | None:
    try:
        return re.compile(pattern, re.IGNORECASE | re.MULTILINE)
    except re.error:
        return None


def measure_keywords(sizes: Sizes) -> Iterator[Measured]:
    texts = output_texts(sizes.text_runs)
    shard = shard_of_texts(texts)
    for cases, rules, patterns in SHAPES:
        made = keywords_of(cases, rules, patterns)
        asked = asked_of(len(texts), cases, rules)
        best = in_turns(
            {
                "engine": lambda asked=asked, made=made: engine_results(asked, made, shard),  # type: ignore[misc]
                "python": lambda made=made, cases=cases: python_keywords(texts, made, cases),  # type: ignore[misc]
            },
            sizes.rounds,
        )
        yield Measured(
            "keywords",
            f"{cases}×{rules}×{patterns} cases × rules × patterns",
            best["python"] / best["engine"],
            "≥ 2",
            sizes.rounds,
            f"{len(texts):,} texts of {len(texts[0]):,} B; {_each(best, len(texts))}",
        )


def measure_heuristics(sizes: Sizes) -> Iterator[Measured]:
    texts = output_texts(sizes.text_runs)
    shard = shard_of_texts(texts)
    rules, patterns = heuristics()
    asked = asked_of(len(texts), 1, len(rules))
    best = in_turns(
        {
            "engine": lambda: engine_results(asked, rules, shard),
            "python": lambda: python_regexes(texts, patterns),
        },
        min(3, sizes.rounds),
    )
    count = sum(map(len, patterns))
    yield Measured(
        "heuristics",
        f"{len(rules)} rules, {count} patterns of the pack `tidb`",
        best["python"] / best["engine"],
        "≥ 30",
        min(3, sizes.rounds),
        f"{len(texts):,} texts of {len(texts[0]):,} B; {_each(best, len(texts))}; Python takes long, so 3 rounds",
    )


def _each(best: dict[str, float], runs: int) -> str:
    return ", ".join(f"{name} {1e6 * seconds / runs:,.1f} µs a run" for name, seconds in best.items())


def true_codes(results: pl.DataFrame) -> list[bool]:
    """Whether each rule is true, in the order of run and rule."""
    return (results.sort("run", "rule")["code"] == TRUE_CODE).to_list()
