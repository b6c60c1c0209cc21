"""How the assertion rules read a text, for the people who write them (specification 40, end of "Assertions").

The same functions as in `on_assertions` decide; this adds the words that decided.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from judge_polars.markdown import read_texts
from judge_polars.rulebook import WordLists
from judge_polars.rules.alternation import FLAGS, one_of
from judge_polars.rules.clauses import (
    context_flags,
    cut_clauses,
    find_matches,
    judge_matches,
    negation,
    plain_commas,
    sentence_flags,
)
from judge_polars.tables import Column, Table

DECISIONS: Final = (
    "sentence_negator",
    "heading",
    "lead_in",
    "question",
    "negator",
    "post_negator",
    "unless",
    "claim",
)
"""What may decide about a pattern in a clause; the first that applies is told."""

READ_CLAUSES: Final = Table(
    "read_clauses",
    "clause of a text and pattern found in it; a clause without any is one row",
    (
        Column("line", pl.UInt32(), "line on which its sentence begins, from 1"),
        Column("sentence", pl.String(), "the sentence"),
        Column("clause", pl.String(), "the clause, pseudo-negators blanked"),
        Column("pattern", pl.String(), "the pattern that was found, as given, or null"),
        Column("asserts", pl.Boolean(), "the clause asserts it"),
        Column("claims", pl.Boolean(), "the clause claims it"),
        Column("denied", pl.Boolean(), "it is denied here"),
        Column("decided_by", pl.String(), "one of `DECISIONS`, or null: nothing denies it and nothing claims it"),
        Column("words", pl.String(), "the words that decided"),
    ),
)


def explain_text(
    text: str,
    patterns: Sequence[str],
    words: WordLists,
    *,
    unless: Sequence[str] = (),
    negated_finding: bool = False,
) -> pl.DataFrame:
    """How a text is read, clause by clause, and what decided about each pattern: `READ_CLAUSES`, in the text's order.

    `patterns` and `unless` are regexes as a compiled rule has them, without flags.  Where a pattern is found several
    times in a clause, the clause asserts it as soon as one of the matches is free.
    """
    read = explain_texts([text], patterns, words, unless=unless, negated_finding=negated_finding)
    return READ_CLAUSES.check(read.drop("text"))


def explain_texts(
    texts: Sequence[str],
    patterns: Sequence[str],
    words: WordLists,
    *,
    unless: Sequence[str] = (),
    negated_finding: bool = False,
) -> pl.DataFrame:
    """`explain_text` of several texts: `text` (its number from 0), and the columns of `READ_CLAUSES`."""
    sentences, contexts, _ = read_texts(pl.Series(texts, dtype=pl.String))
    clauses = cut_clauses(sentences, words)
    given = pl.DataFrame({"given": list(dict.fromkeys(patterns))}, schema={"given": pl.String})
    given = given.with_columns(pattern=pl.concat_str(pl.lit(FLAGS), "given"))
    matches = find_matches(clauses.join(given, how="cross"))
    found = _found(matches, clauses, words, negated_finding=negated_finding).join(given, on="pattern", how="inner")
    read = (
        clauses.join(_sentences(sentences, contexts, words), on="sentence", how="left", maintain_order="left")
        .join(found, on="clause", how="left")
        .sort("clause", "given")
        .with_columns(
            negator=pl.col("content").str.extract(one_of(words.negators), 0),
            post_negator=pl.col("content").str.extract_all(one_of(words.post_negators)).list.last(),
            excuse=pl.col("content").str.extract(one_of(unless), 0),
        )
    )
    asserts = pl.col("free") & ~pl.col("silent") & pl.col("excuse").is_null()
    denied = (pl.col("denied") & ~pl.col("question")) | (pl.col("denied_whole") & pl.col("given").is_not_null())
    judged = read.with_columns(asserts=asserts.fill_null(value=False), denied=denied.fill_null(value=False))
    judged = judged.with_columns(claims=pl.col("asserts") & pl.col("states_claim"))
    decided_by, decisive = _decision()
    return judged.select(
        "text",
        "line",
        sentence="whole",
        clause="content",
        pattern="given",
        asserts="asserts",
        claims="claims",
        denied="denied",
        decided_by=decided_by,
        words=decisive.str.strip_chars(" ,.;:|()*`"),
    )


def _found(matches: pl.DataFrame, clauses: pl.DataFrame, words: WordLists, *, negated_finding: bool) -> pl.DataFrame:
    """`clause`, `pattern`, whether a match is `free`, whether one is `denied`, whether by a negator (`by_negator`)."""
    suffix, before = ("_itself", "begin") if negated_finding else ("", "end")
    judged = judge_matches(matches, clauses, words)
    behind = (
        matches.join(negation(clauses, words), on="clause", how="inner")
        .group_by("clause", "pattern")
        .agg(by_negator=(pl.col("negated_from") < pl.col(before)).any())
    )
    flags = judged.select("clause", "pattern", free="free" + suffix, denied="denied" + suffix)
    return flags.join(behind, on=["clause", "pattern"], how="inner")


def _sentences(sentences: pl.DataFrame, contexts: pl.DataFrame, words: WordLists) -> pl.DataFrame:
    """Sentences with their flags and the words that gave them.

    Columns: `sentence`, `line`, `whole` (its text), `question`, `silent`, `denied_whole`, `states_claim`,
    `sentence_negator`, `claim`, and of the outermost context that denies it `kind`, `heading`.
    """
    flagged = context_flags(contexts, words)
    above = (
        sentences.select("sentence", context="contexts")
        .explode("context")
        .join(flagged.select("context", "kind", "denies", "states_claim", above="content"), on="context", how="inner")
        .sort("sentence", "context")
    )
    denying = above.filter("denies").group_by("sentence").agg(pl.col("kind").first(), heading=pl.col("above").first())
    claiming = above.filter("states_claim").group_by("sentence").agg(claimed_above=pl.col("above").last())
    plain = pl.Series("plain", plain_commas(sentences["content"]))
    return (
        sentence_flags(sentences, flagged, words)
        .with_columns(
            sentence_negator=plain.str.extract(one_of(words.sentence_negators), 0),
            claim=plain.str.extract(one_of(words.claims), 0),
        )
        .join(denying, on="sentence", how="left", maintain_order="left")
        .join(claiming, on="sentence", how="left", maintain_order="left")
        .with_columns(pl.col("claim").fill_null(pl.col("claimed_above")))
        .rename({"content": "whole"})
        .drop("text", "contexts", "last_line", "claimed_above")
    )


def _decision() -> tuple[pl.Expr, pl.Expr]:
    """What decided about a pattern in a clause, and in which words: the first that applies."""
    decisions = (
        (pl.col("given").is_null(), pl.lit(None, pl.String), pl.lit(None, pl.String)),
        (pl.col("sentence_negator").is_not_null(), pl.lit("sentence_negator"), pl.col("sentence_negator")),
        (pl.col("denied_whole"), pl.col("kind"), pl.col("heading")),
        (pl.col("question"), pl.lit("question"), pl.col("whole")),
        (~pl.col("free") & pl.col("by_negator"), pl.lit("negator"), pl.col("negator")),
        (~pl.col("free"), pl.lit("post_negator"), pl.col("post_negator")),
        (pl.col("excuse").is_not_null(), pl.lit("unless"), pl.col("excuse")),
        (pl.col("claims"), pl.lit("claim"), pl.col("claim")),
    )
    decided_by, decisive = pl.lit(None, pl.String), pl.lit(None, pl.String)
    for applies, kind, words in reversed(decisions):
        decided_by = pl.when(applies).then(kind).otherwise(decided_by)
        decisive = pl.when(applies).then(words).otherwise(decisive)
    return decided_by, decisive
