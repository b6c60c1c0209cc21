"""Text rules: `keyword_…` and `regex_…` (specification 40, "Text").

A *unit* is one text that a rule reads: a document's whole text, or the part that `section` or `within` leaves of it.  Every
distinct pattern is looked for in a unit once, whatever rules and cases ask for it.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import polars as pl

from judge_polars.rulebook import DocumentRule
from judge_polars.rules.searching import Search, find, keyword_search, regex_search
from judge_polars.rules.units import TextUnits, text_units
from judge_polars.shard import Shard
from judge_polars.tables import RULE_RESULTS
from judge_polars.text_forms import json_keyword, normalise_keyword, regex_forms
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

METHODS = ("keyword_any", "keyword_all", "keyword_none", "regex_any", "regex_none")

_SEARCHES = pl.Schema({"rule": pl.UInt32, "item": pl.UInt32, "in_json": pl.Boolean, "search": pl.UInt32})


def evaluate(asked: pl.DataFrame, selected: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard) -> pl.DataFrame:
    """Codes of text rules: `tables.RULE_RESULTS`, one row per row of `asked`."""
    if asked.is_empty():
        return RULE_RESULTS.empty()
    units = text_units(selected, rules, shard, regex_forms)
    hits = _hits(units, *_searches(asked, rules))
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


def _searches(asked: pl.DataFrame, rules: Sequence[DocumentRule]) -> tuple[pl.DataFrame, list[Search]]:
    """What each rule looks for: one row per (rule, keyword or pattern, in JSON text or not), and the distinct searches."""
    numbers: dict[Search, int] = {}
    rows: list[tuple[int, int, bool, int]] = []
    for index in asked["rule"].unique().sort():
        for json in (False, True):
            found = _searches_of(rules[index], in_json=json)
            rows += [(index, item, json, numbers.setdefault(search, len(numbers))) for item, search in enumerate(found)]
    return pl.DataFrame(rows, schema=_SEARCHES, orient="row"), list(numbers)


@lru_cache(maxsize=65_536)
def _searches_of(rule: DocumentRule, *, in_json: bool) -> tuple[Search, ...]:
    """What a rule looks for in a text, keywords first; a rule is asked shard after shard."""
    keywords = dict.fromkeys(map(normalise_keyword, rule.keywords))
    patterns = [
        regex_search(pattern, case_sensitive=rule.case_sensitive and rule.method.startswith("regex"))
        for pattern in rule.patterns
    ]
    if rule.method.startswith("regex"):
        return tuple(patterns)
    texts = [json_keyword(keyword) if in_json else keyword for keyword in keywords]
    return (*(keyword_search(text, whole_word=rule.whole_word) for text in texts), *patterns)


def _hits(units: TextUnits, items: pl.DataFrame, searches: Sequence[Search]) -> pl.DataFrame:
    """Rows (run, rule, item) for everything that was found."""
    reader = pl.col("rule").cast(pl.UInt64) * 2 + pl.col("in_json")
    readers = units.texts.select("run", "rule", "unit", reader=reader)
    wanted = items.select("item", "search", reader=reader)
    found = find(units.forms, readers.select("unit", "reader"), wanted.select("reader", "search"), searches)
    return (
        found.join(readers, on="unit", how="inner")
        .join(wanted, on=["reader", "search"], how="inner")
        .select("run", "rule", "item")
        .unique()
    )
