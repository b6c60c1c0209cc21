"""Text rules: `keyword_…` and `regex_…` (specification 40, "Text").

A *unit* is one text that a rule reads: a document's whole text, or the part that `section` or `within` leaves of it.  Every
distinct (unit, pattern) pair is searched once, row by row, whatever rules and cases ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import polars as pl

from judge_polars.rulebook import DocumentRule
from judge_polars.rules.units import TextUnits, text_units
from judge_polars.shard import Shard
from judge_polars.tables import RULE_RESULTS
from judge_polars.text_forms import json_keyword, keyword_regex, normalise_keyword, regex_forms
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

METHODS = ("keyword_any", "keyword_all", "keyword_none", "regex_any", "regex_none")

_SEARCHES = pl.Schema(
    {
        "rule": pl.UInt32,
        "item": pl.UInt32,
        "in_json": pl.Boolean,
        "lower": pl.Boolean,
        "literal": pl.Boolean,
        "pattern": pl.String,
    }
)


def evaluate(asked: pl.DataFrame, selected: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard) -> pl.DataFrame:
    """Codes of text rules: `tables.RULE_RESULTS`, one row per row of `asked`."""
    if asked.is_empty():
        return RULE_RESULTS.empty()
    units = text_units(selected, rules, shard, regex_forms)
    hits = _hits(units, _searches(asked, rules), shard)
    found = hits.group_by("run", "rule").agg(found=pl.col("item").n_unique())
    wanted = _rule_parameters(asked, rules)
    tally = (
        asked.join(_documents_of(asked, selected, shard), on=["run", "rule"], how="left", maintain_order="left")
        .join(units.texts.group_by("run", "rule").agg(texts=pl.len()), on=["run", "rule"], how="left")
        .join(found, on=["run", "rule"], how="left")
        .join(wanted, on="rule", how="left")
    )
    return RULE_RESULTS.check(tally.select("run", "rule", code=_code()))


def _documents_of(asked: pl.DataFrame, selected: pl.DataFrame, shard: Shard) -> pl.DataFrame:
    """Per (run, rule): how many documents are selected and how many of them are unread."""
    unread = shard.documents["unread"]
    return (
        selected.with_columns(unread=unread.gather(selected["doc"]))
        .group_by("run", "rule")
        .agg(documents=pl.len(), unread=pl.col("unread").sum())
    )


def _rule_parameters(asked: pl.DataFrame, rules: Sequence[DocumentRule]) -> pl.DataFrame:
    """Per rule: whether nothing may be found, how many distinct items must be, and whether unread documents matter."""
    indexes = asked["rule"].unique().sort()
    chosen = [rules[index] for index in indexes]
    return pl.DataFrame(
        {
            "rule": indexes,
            "none": [rule.method.endswith("_none") for rule in chosen],
            "need": [
                len(set(map(normalise_keyword, rule.keywords))) + len(rule.patterns)
                if rule.method == "keyword_all"
                else 1
                for rule in chosen
            ],
            "strict": [rule.method.endswith("_none") and not rule.ignore_unread for rule in chosen],
        },
        schema={"rule": pl.UInt32, "none": pl.Boolean, "need": pl.UInt32, "strict": pl.Boolean},
    )


def _code() -> pl.Expr:
    """The code of a text rule.  Absence proves nothing: without a document or a text even a `_none` rule is false."""
    found = pl.col("found").fill_null(0)
    satisfied = pl.when("none").then(found == 0).otherwise(found >= pl.col("need"))
    return (
        pl.when(pl.col("documents").fill_null(0) == 0)
        .then(REASON_CODES["artifact_missing"])
        .when(pl.col("texts").fill_null(0) == 0)
        .then(REASON_CODES["no_text"])
        .when(pl.col("strict") & (pl.col("unread") > 0))
        .then(REASON_CODES["unread_document"])
        .when(satisfied)
        .then(TRUE_CODE)
        .otherwise(REASON_CODES["not_matched"])
        .cast(pl.UInt8)
    )


def _searches(asked: pl.DataFrame, rules: Sequence[DocumentRule]) -> pl.DataFrame:
    """What each rule looks for: one row per (rule, keyword or pattern, in JSON text or not)."""
    rows: list[tuple[int, int, bool, bool, bool, str]] = []
    for index in asked["rule"].unique().sort():
        rule = rules[index]
        if rule.method.startswith("regex"):
            flags = "(?m)" if rule.case_sensitive else "(?im)"
            rows += [
                (index, item, json, False, False, flags + text)
                for item, text in enumerate(rule.patterns)
                for json in (False, True)
            ]
            continue
        for item, keyword in enumerate(dict.fromkeys(map(normalise_keyword, rule.keywords))):
            for json in (False, True):
                text = json_keyword(keyword) if json else keyword
                literal = " " not in text and not rule.whole_word
                rows.append(
                    (
                        index,
                        item,
                        json,
                        True,
                        literal,
                        text if literal else keyword_regex(text, whole_word=rule.whole_word),
                    )
                )
        if rule.patterns:
            first = len(rule.keywords)
            rows += [
                (index, first + item, json, False, False, "(?im)" + text)
                for item, text in enumerate(rule.patterns)
                for json in (False, True)
            ]
    return pl.DataFrame(rows, schema=_SEARCHES, orient="row")


def _hits(units: TextUnits, searches: pl.DataFrame, shard: Shard) -> pl.DataFrame:
    """Rows (run, rule, item) for everything that was found."""
    if units.texts.is_empty() or searches.is_empty():
        return pl.DataFrame(schema={"run": pl.UInt32, "rule": pl.UInt32, "item": pl.UInt32})
    pairs = units.texts.join(searches, on=["rule", "in_json"], how="inner")
    distinct = pairs.select("unit", "lower", "literal", "pattern").unique()
    found = pl.concat(
        [
            _search(
                distinct.filter(pl.col("lower") == lower, pl.col("literal") == literal),
                units.forms,
                lower=lower,
                literal=literal,
            )
            for lower in (False, True)
            for literal in ((True, False) if lower else (False,))
        ]
    )
    return (
        pairs.join(found, on=["unit", "lower", "literal", "pattern"], how="semi").select("run", "rule", "item").unique()
    )


def _search(pairs: pl.DataFrame, forms: pl.DataFrame, *, lower: bool, literal: bool) -> pl.DataFrame:
    """The pairs of which the pattern is found in the unit.  Lower-cases each unit once, then searches row by row."""
    if pairs.is_empty():
        return pairs
    texts = forms.filter(pl.col("unit").is_in(pairs["unit"].unique().implode()))
    if lower:
        texts = texts.with_columns(pl.col("text").str.to_lowercase())
    searched = pairs.join(texts, on="unit", how="inner").sort("pattern")
    return searched.filter(pl.col("text").str.contains(pl.col("pattern"), literal=literal)).select(pairs.columns)
