"""All document rules of a shard: which file evaluates which method, and the matrix of their codes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

import polars as pl

from judge_polars.rulebook import Comparison, DocumentRule
from judge_polars.rules import on_assertions, on_json, on_series, on_text
from judge_polars.rules.select import select_documents
from judge_polars.shard import Shard
from judge_polars.tables import RULE_RESULTS
from judge_polars.text_forms import regex_form
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

Evaluator = Callable[[pl.DataFrame, pl.DataFrame, Sequence[DocumentRule], Shard], pl.DataFrame]


@dataclass(frozen=True)
class Kind:
    """Methods that one file evaluates together."""

    methods: tuple[str, ...]
    evaluate: Evaluator


KINDS: Final = (
    Kind(on_text.METHODS, on_text.evaluate),
    Kind(on_assertions.METHODS, on_assertions.evaluate),
    Kind(on_json.METHODS, on_json.evaluate),
    Kind(on_series.METHODS, on_series.evaluate),
)


LONGEST_PROSE: Final = 4 * 1024 * 1024
"""Bytes of the longest text that is cut into sentences or sections: it takes up to 150 bytes of memory for each of its own."""


def reads_prose(rule: DocumentRule) -> bool:
    """Whether a rule reads sentences or sections."""
    return rule.method in on_assertions.METHODS or rule.section is not None


def too_long(documents: pl.DataFrame) -> pl.Series:
    """Which `tables.DOCUMENTS` have a text that is too long to be cut into sentences or sections."""
    return (documents["text"].str.len_bytes() > LONGEST_PROSE).fill_null(value=False)


def as_prose(documents: pl.DataFrame) -> pl.DataFrame:
    """`tables.DOCUMENTS` as rules on sentences and sections see them: those with a longer text are unread."""
    longer = too_long(documents)
    if not longer.any():
        return documents
    return documents.with_columns(
        unread=documents["unread"] | longer, text=pl.when(~longer).then(pl.col("text")).otherwise(None)
    )


def evaluate_documents(
    asked: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard, documents: pl.DataFrame, evidence_dir: str
) -> pl.DataFrame:
    """`tables.RULE_RESULTS` of every asked rule; `documents` are those of the chosen bundles and the outputs."""
    selected = select_documents(asked, documents, rules, evidence_dir)
    prose = replace(shard, documents=as_prose(shard.documents))
    results = [RULE_RESULTS.empty()]
    for kind in KINDS:
        of_kind = [index for index, rule in enumerate(rules) if rule.method in kind.methods]
        of_prose = {index for index in of_kind if reads_prose(rules[index])}
        for seen, numbers in (
            (shard, [index for index in of_kind if index not in of_prose]),
            (prose, sorted(of_prose)),
        ):
            meant = pl.Series(numbers, dtype=pl.UInt32).implode()
            part = asked.filter(pl.col("rule").is_in(meant))
            if not part.is_empty():
                results.append(kind.evaluate(part, selected.filter(pl.col("rule").is_in(meant)), rules, seen))
    return pl.concat(results)


def text_fact_codes(facts: pl.DataFrame, comparisons: Sequence[tuple[str, Comparison]]) -> pl.Series:
    """Codes of comparisons of text facts, `codes[run * n + comparison]`; `facts` has one column per text fact."""
    columns = [
        pl.when(pl.col(fact).is_null() & (comparison.operator != "exists" or bool(comparison.operand)))
        .then(REASON_CODES["fact_unknown"])
        .when(_compare_text(pl.col(fact), comparison))
        .then(TRUE_CODE)
        .otherwise(REASON_CODES["fact_not_satisfied"])
        .cast(pl.UInt8)
        .alias(str(index))
        for index, (fact, comparison) in enumerate(comparisons)
    ]
    if not columns:
        return pl.Series([], dtype=pl.UInt8)
    return facts.select(pl.concat_list(columns).explode()).to_series()


def _compare_text(value: pl.Expr, comparison: Comparison) -> pl.Expr:
    """A text fact against an operand; an operand of another kind satisfies no comparison."""
    operator, operand = comparison.operator, comparison.operand
    if operator == "exists":
        return value.is_not_null() if operand else value.is_null()
    if operator in ("in", "not_in"):
        texts = [text for text in operand if isinstance(text, str)] if isinstance(operand, tuple) else []
        inside = value.is_in(texts)
        return pl.lit(value=False) if not texts else inside if operator == "in" else ~inside
    if not isinstance(operand, str):
        return pl.lit(value=False)
    if operator == "matches":
        return regex_form(value).str.contains(f"(?im){operand}")
    return {"equals": value == operand, "not_equals": value != operand}.get(operator, pl.lit(value=False))
