"""Clauses and what denies a match in them (specification 40, "Assertions", steps 2 to 5).

Offsets are bytes within a clause.  The two characters `OPEN` and `CLOSE` mark places inside a text while it is cut;
Unicode keeps them out of text, and those that a text holds all the same are replaced first.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from judge_polars.rulebook import WordLists
from judge_polars.rules.alternation import all_found, first_begin, holds, last_end, replaced

OPEN: Final = "\ufdd0"
CLOSE: Final = "\ufdd1"
DENYING_CONTEXTS: Final = ("heading", "lead_in")


def plain_commas(texts: pl.Series) -> pl.Series:
    """Full-width commas as `,`: the form of clauses, and that in which all lists but two are looked for."""
    return texts.str.replace_all("，", ",", literal=True)


def cut_clauses(sentences: pl.DataFrame, words: WordLists) -> pl.DataFrame:
    """`text`, `sentence`, `clause`, `content` of the clauses of sentences, in order.

    Pseudo-negators are replaced by a space, then it is cut before each terminator.  `clause` is the row number.
    """
    unmarked = sentences["content"].str.replace_all(f"[{OPEN}{CLOSE}]", "\ufffd")
    content = replaced(unmarked, words.pseudo_negators, " ")
    pieces = replaced(content, words.terminators, OPEN).str.split(OPEN)
    marked = sentences.select("text", "sentence", content=content, pieces=pieces, cut=pieces.list.len() > 1)
    cut = marked.filter("cut")
    heads = all_found(cut["content"], words.terminators)
    parts = (
        cut.with_columns(heads=heads)
        .with_columns(heads=pl.concat_list(pl.lit([""]), "heads"))
        .explode("pieces", "heads")
        .with_columns(content=pl.col("heads") + pl.col("pieces"))
    )
    columns = ["text", "sentence", "content"]
    clauses = pl.concat([marked.filter(~pl.col("cut")).select(columns), parts.select(columns)])
    clauses = clauses.sort("sentence", maintain_order=True)
    trimmed = clauses.with_columns(content=plain_commas(clauses["content"]).str.strip_chars())
    kept = trimmed.filter(pl.col("content") != "").with_row_index("clause")
    return kept.select("text", "sentence", "clause", "content")


def negation(clauses: pl.DataFrame, words: WordLists) -> pl.DataFrame:
    """`clause`, where its first negator begins (`negated_from`), its last post-negator ends (`negated_to`), or null."""
    content = clauses["content"]
    return clauses.select(
        "clause",
        negated_from=first_begin(content, words.negators),
        negated_to=last_end(content, words.post_negators, CLOSE),
    )


def find_matches(pairs: pl.DataFrame) -> pl.DataFrame:
    """Every match of a pattern in a text, one behind the other: the columns of `pairs`, with `begin` and `end`.

    `pairs`: `content`, `pattern` (a complete regex) and whatever else.  Most texts hold a pattern once: then where it
    is found first and what was found say all.  The others are marked, pattern by pattern, and measured.
    """
    content, pattern, matches = pl.col("content"), pl.col("pattern"), pl.col("matches")
    found = pairs.sort("pattern").with_columns(matches=content.str.extract_all(pattern)).filter(matches.list.len() > 0)
    single = found.filter(matches.list.len() == 1).with_columns(begin=content.str.find(pattern))
    single = single.with_columns(end=pl.col("begin") + matches.list.first().str.len_bytes()).drop("matches")
    several = found.filter(matches.list.len() > 1).drop("matches")
    parts = [_measure(several.filter(pattern == one), one) for one in several["pattern"].unique()]
    return pl.concat([single, *parts])


def _measure(pairs: pl.DataFrame, pattern: str) -> pl.DataFrame:
    """Begin and end of each match of one pattern: texts are marked around their matches and cut before each."""
    marked = pairs["content"].str.replace_all(pattern, OPEN + "${0}" + CLOSE)
    pieces = pairs.with_row_index("_pair").with_columns(_piece=marked.str.split(OPEN)).explode("_piece")
    measured = pieces.with_columns(
        _length=pl.col("_piece").str.find(CLOSE, literal=True),
        _size=pl.col("_piece").str.replace(CLOSE, "", literal=True).str.len_bytes(),
    )
    begin = pl.col("_size").cum_sum().over("_pair") - pl.col("_size")
    matches = measured.with_columns(begin=begin).filter(pl.col("_length").is_not_null())
    return matches.select(*pairs.columns, "begin", end=pl.col("begin") + pl.col("_length"))


def judge_matches(matches: pl.DataFrame, clauses: pl.DataFrame, words: WordLists) -> pl.DataFrame:
    """What clauses make of the matches in them: one row per (`pattern`, `clause`) of `matches`.

    Columns: `text`, `sentence`, `clause`, `content`, `pattern`, and, for findings as they are and (`…_itself`) for such
    as are themselves a negation: `free`, whether a match is not denied; `denied`, whether one is.  A match is denied by
    a negator that begins before it ends or by a post-negator that ends after it begins; a finding that is itself a
    negation only by a negator that begins before it begins, or a post-negator that ends after it ends.
    """
    hit = clauses.join(matches, on="clause", how="semi", maintain_order="left")
    placed = matches.join(negation(hit, words), on="clause", how="inner")
    denied = _denied(before=pl.col("end"), behind=pl.col("begin"))
    itself = _denied(before=pl.col("begin"), behind=pl.col("end"))
    flags = {"free": ~denied, "denied": denied, "free_itself": ~itself, "denied_itself": itself}
    return placed.group_by("text", "sentence", "clause", "content", "pattern").agg(
        flag.any().alias(name) for name, flag in flags.items()
    )


def _denied(before: pl.Expr, behind: pl.Expr) -> pl.Expr:
    """Whether the clause's first negator begins before an offset, or its last post-negator ends behind an offset."""
    negated = (pl.col("negated_from") < before).fill_null(value=False)
    return negated | (pl.col("negated_to") > behind).fill_null(value=False)


def context_flags(contexts: pl.DataFrame, words: WordLists) -> pl.DataFrame:
    """Contexts with `denies` and `states_claim`.

    A heading or lead-in denies when it holds a negator or post-negator, its pseudo-negators blanked; whatever holds a
    claim states one.
    """
    bare = plain_commas(replaced(contexts["content"], words.pseudo_negators, " "))
    negated = holds(bare, words.negators) | holds(bare, words.post_negators)
    return contexts.with_columns(
        denies=negated & contexts["kind"].is_in(DENYING_CONTEXTS),
        states_claim=holds(plain_commas(contexts["content"]), words.claims),
    )


def sentence_flags(sentences: pl.DataFrame, contexts: pl.DataFrame, words: WordLists) -> pl.DataFrame:
    """Sentences with `denied_whole` (its patterns are denied), `silent` (it asserts nothing) and `states_claim`.

    `contexts` as `context_flags` gives them.  A sentence is denied by a sentence negator or by what it stands under; it
    is silent when it is denied or a question; it states a claim when it, or what it stands under, holds one.
    """
    around = (
        sentences.select("sentence", context="contexts")
        .explode("context")
        .join(contexts.select("context", "denies", "states_claim"), on="context", how="inner")
        .group_by("sentence")
        .agg(pl.col("denies").any(), pl.col("states_claim").any())
    )
    plain = plain_commas(sentences["content"])
    flags = sentences.join(around, on="sentence", how="left", maintain_order="left").with_columns(
        denied_whole=pl.col("denies").fill_null(value=False) | holds(plain, words.sentence_negators),
        states_claim=pl.col("states_claim").fill_null(value=False) | holds(plain, words.claims),
    )
    return flags.with_columns(silent=pl.col("denied_whole") | pl.col("question")).drop("denies")
