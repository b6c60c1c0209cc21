"""Assertion rules: `asserted_…`, `claimed_…`, `denied_any` (specification 40, "Assertions").

Every distinct text is read once and cut once per set of word lists; every distinct (text, pattern) pair is searched
once, whatever rules and runs ask for it, and only clauses in which something was found are asked what denies it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import polars as pl

from judge_polars.markdown import matching_sections, read_texts
from judge_polars.rulebook import DocumentRule, WordLists
from judge_polars.rules.alternation import FLAGS, one_of
from judge_polars.rules.clauses import context_flags, cut_clauses, find_matches, judge_matches, sentence_flags
from judge_polars.rules.explain_assertions import explain_text
from judge_polars.shard import Shard
from judge_polars.tables import RULE_RESULTS
from judge_polars.vocabulary import REASON_CODES, TRUE_CODE

__all__ = ("METHODS", "evaluate", "explain_text")

METHODS = ("asserted_any", "asserted_none", "claimed_any", "claimed_none", "denied_any")

_ASSERTED, _CLAIMED, _DENIED = "asserted", "claimed", "denied"


@dataclass(frozen=True)
class _Texts:
    """The distinct texts of the selected documents and what they consist of.

    Attributes:
        of_doc: `doc`, `text`.
        sentences, contexts, sections: as `facts.markdown` reads them.
    """

    of_doc: pl.DataFrame
    sentences: pl.DataFrame
    contexts: pl.DataFrame
    sections: pl.DataFrame


@dataclass(frozen=True)
class _Parameters:
    """The parameters of the asked rules as frames.

    Attributes:
        rules: `rule`, `mode`, `none`, `strict` (unread documents matter), `negated`, `words` (index), `section`,
            `or_all`.
        patterns: `rule`, `pattern`: complete regexes.
        unless: `rule`, `unless`: one regex for the whole list; only rules that have one.
        words: the distinct word lists.
    """

    rules: pl.DataFrame
    patterns: pl.DataFrame
    unless: pl.DataFrame
    words: tuple[WordLists, ...]


def evaluate(asked: pl.DataFrame, selected: pl.DataFrame, rules: Sequence[DocumentRule], shard: Shard) -> pl.DataFrame:
    """Codes of assertion rules: `tables.RULE_RESULTS`, one row per row of `asked`."""
    if asked.is_empty():
        return RULE_RESULTS.empty()
    parameters = _parameters(asked, rules)
    texts = _read(selected, shard)
    units = _units(selected, parameters, texts)
    found = _satisfied(units, parameters, texts)
    tally = (
        asked.join(parameters.rules.select("rule", "none", "strict"), on="rule", how="left", maintain_order="left")
        .join(_documents_of(selected, shard), on=["run", "rule"], how="left", maintain_order="left")
        .join(units.group_by("run", "rule").agg(texts=pl.len()), on=["run", "rule"], how="left", maintain_order="left")
        .join(found.with_columns(found=pl.lit(value=True)), on=["run", "rule"], how="left", maintain_order="left")
    )
    return RULE_RESULTS.check(tally.select("run", "rule", code=_code()))


def _code() -> pl.Expr:
    """The code of a rule.  Absence proves nothing: without a document or a text even a `_none` rule is false."""
    found = pl.col("found").fill_null(value=False)
    return (
        pl.when(pl.col("documents").fill_null(0) == 0)
        .then(REASON_CODES["artifact_missing"])
        .when(pl.col("texts").fill_null(0) == 0)
        .then(REASON_CODES["no_text"])
        .when(pl.col("strict") & (pl.col("unread") > 0))
        .then(REASON_CODES["unread_document"])
        .when(found != pl.col("none"))
        .then(TRUE_CODE)
        .otherwise(REASON_CODES["not_matched"])
        .cast(pl.UInt8)
    )


def _parameters(asked: pl.DataFrame, rules: Sequence[DocumentRule]) -> _Parameters:
    """What the asked rules look for."""
    words: dict[WordLists, int] = {}
    rows: list[tuple[int, str, bool, bool, bool, int, str | None, bool]] = []
    patterns: list[tuple[int, str]] = []
    unless: list[tuple[int, str]] = []
    for index in asked["rule"].unique().sort():
        rule = rules[index]
        mode, _, quantity = rule.method.rpartition("_")
        none = quantity == "none"
        lists = words.setdefault(rule.words or WordLists(), len(words))
        strict = none and not rule.ignore_unread
        rows.append((index, mode, none, strict, rule.negated_finding, lists, rule.section, rule.section_or_all))
        patterns += [(index, FLAGS + pattern) for pattern in dict.fromkeys(rule.patterns)]
        if rule.unless:
            unless.append((index, one_of(rule.unless)))
    schema = {
        "rule": pl.UInt32,
        "mode": pl.String,
        "none": pl.Boolean,
        "strict": pl.Boolean,
        "negated": pl.Boolean,
        "words": pl.UInt32,
        "section": pl.String,
        "or_all": pl.Boolean,
    }
    return _Parameters(
        pl.DataFrame(rows, schema=schema, orient="row"),
        pl.DataFrame(patterns, schema={"rule": pl.UInt32, "pattern": pl.String}, orient="row"),
        pl.DataFrame(unless, schema={"rule": pl.UInt32, "unless": pl.String}, orient="row"),
        tuple(words),
    )


def _documents_of(selected: pl.DataFrame, shard: Shard) -> pl.DataFrame:
    """Per (run, rule): how many documents are selected and how many of them are unread."""
    unread = shard.documents["unread"].gather(selected["doc"])
    return (
        selected.with_columns(unread=unread)
        .group_by("run", "rule")
        .agg(documents=pl.len(), unread=pl.col("unread").sum())
    )


def _read(selected: pl.DataFrame, shard: Shard) -> _Texts:
    """Read the texts of the selected documents, equal texts once."""
    docs = selected["doc"].unique().sort()
    texts = shard.documents.select("doc", content="text")[docs].drop_nulls("content")
    distinct = texts.select("content").unique(maintain_order=True).with_row_index("text")
    of_doc = texts.join(distinct, on="content", how="inner").select("doc", "text")
    return _Texts(of_doc, *read_texts(distinct["content"]))


def _units(selected: pl.DataFrame, parameters: _Parameters, texts: _Texts) -> pl.DataFrame:
    """`run`, `rule`, `text`, `section` of what rules read: a text, or (`section` not null) its sections that fit."""
    wanted = selected.join(texts.of_doc, on="doc", how="inner").join(
        parameters.rules.select("rule", "section", "or_all"), on="rule", how="inner"
    )
    asks = wanted.filter(pl.col("section").is_not_null()).select("text", "section").unique()
    fitting = (
        matching_sections(asks, texts.sections).select("text", "section").unique().with_columns(fits=pl.lit(value=True))
    )
    units = wanted.join(fitting, on=["text", "section"], how="left").filter(
        pl.col("section").is_null() | pl.col("or_all") | pl.col("fits").is_not_null()
    )
    section = pl.when(pl.col("fits").is_not_null()).then(pl.col("section"))
    return units.select("run", "rule", "text", section=section).unique()


def _satisfied(units: pl.DataFrame, parameters: _Parameters, texts: _Texts) -> pl.DataFrame:
    """`run`, `rule` of the rules that find what they look for (a `_none` rule: what must not be there)."""
    asks = units.join(parameters.rules.select("rule", "mode", "negated", "words"), on="rule", how="inner").join(
        parameters.patterns, on="rule", how="inner"
    )
    parts = []
    for index, words in enumerate(parameters.words):
        mine = asks.filter(pl.col("words") == index)
        hits = _hits(mine.select("text", "pattern").unique(), texts, words)
        parts.append(mine.join(hits, on=["text", "pattern"], how="inner").filter(_holds()))
    held = _excused(_in_sections(pl.concat(parts), texts), parameters)
    return held.select("run", "rule").unique()


def _holds() -> pl.Expr:
    """Whether the clause asserts, claims or denies the pattern, as the rule's mode asks; a question does none of it."""
    free = pl.when("negated").then("free_itself").otherwise("free") & ~pl.col("silent")
    denied = pl.when("negated").then("denied_itself").otherwise("denied") & ~pl.col("question")
    return (
        pl.when(pl.col("mode") == _DENIED)
        .then(denied | pl.col("denied_whole"))
        .when(pl.col("mode") == _CLAIMED)
        .then(free & pl.col("states_claim"))
        .otherwise(free)
    )


def _hits(wanted: pl.DataFrame, texts: _Texts, words: WordLists) -> pl.DataFrame:
    """Clauses of texts in which a wanted pattern (`text`, `pattern`) is found.

    Columns: those of `judge_matches`, and of the sentence `line`, `last_line`, `question` and its flags.
    """
    sentences = texts.sentences.join(wanted.select("text").unique(), on="text", how="semi", maintain_order="left")
    clauses = cut_clauses(sentences, words)
    pairs = _promising(wanted, clauses).join(clauses, on="text", how="inner")
    judged = judge_matches(find_matches(pairs), clauses, words)
    hit = sentences.join(judged, on="sentence", how="semi", maintain_order="left")
    flags = sentence_flags(hit, context_flags(texts.contexts, words), words)
    return judged.join(flags.drop("text", "content", "contexts"), on="sentence", how="inner")


def _promising(wanted: pl.DataFrame, clauses: pl.DataFrame) -> pl.DataFrame:
    """The wanted pairs whose pattern is found in the text's clauses set below each other.

    A line break is no word character and `^` and `$` match at lines, so that what is found in a clause is found there;
    but for patterns with `\\A`, `\\z` or flags switched off, which are all kept.
    """
    joined = clauses.group_by("text").agg(joined=pl.col("content").str.join("\n"))
    pairs = wanted.join(joined, on="text", how="inner").sort("pattern")
    own_rules = pl.col("pattern").str.contains(r"\\A|\\z|\(\?[a-zA-Z]*-")
    return pairs.filter(own_rules | pl.col("joined").str.contains(pl.col("pattern"))).select("text", "pattern")


def _in_sections(held: pl.DataFrame, texts: _Texts) -> pl.DataFrame:
    """Without the rows of rules with a section whose sentence touches no section that fits."""
    bound = held.filter(pl.col("section").is_not_null())
    if bound.is_empty():
        return held
    spans = matching_sections(bound.select("text", "section").unique(), texts.sections)
    spans = spans.select("text", "section", "first_line", end_line="last_line")
    inside = bound.join(spans, on=["text", "section"], how="inner").filter(
        pl.col("first_line") <= pl.col("last_line"), pl.col("end_line") >= pl.col("line")
    )
    return pl.concat([held.filter(pl.col("section").is_null()), inside.select(held.columns)])


def _excused(held: pl.DataFrame, parameters: _Parameters) -> pl.DataFrame:
    """Without the rows whose clause holds one of the rule's `unless`; a denial has no excuse."""
    excuses = held.join(parameters.unless, on="rule", how="inner").filter(pl.col("mode") != _DENIED)
    found = excuses.sort("unless").filter(pl.col("content").str.contains(pl.col("unless")))
    return held.join(found, on=["run", "rule", "clause", "words"], how="anti")
