"""Word lists as regexes, and how they are searched quickly in texts of several scripts (specification 40, Assertions).

A list is tried as one alternation in list order.  Rust's engine is some fifty times slower where a pattern with `\\b`
meets a text that is not ASCII.  There, entries with word boundaries are left out of the alternation of a text in which
they are not found even with their boundaries taken away: they match nowhere in it, so that nothing of what is found
changes.  It is also several times slower where it has to tell groups, as for `$0` in a replacement: none is used.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import Final, NamedTuple

import polars as pl

FLAGS: Final = "(?im)"
_NOWHERE: Final = r"[^\x00-\x{10FFFF}]"
_ESCAPE = re.compile(r"\\[bB](?:\{[a-z-]+\})?|\\.", re.DOTALL)


class Alternation(NamedTuple):
    """A word list as regexes: `whole`; its entries without `\\b` and `\\B`; those with them, these taken away."""

    whole: str
    unbounded: str
    loose: str


def one_of(entries: Sequence[str]) -> str:
    """A word list as one alternation in list order; an empty list is found nowhere."""
    return FLAGS + "|".join(f"(?:{entry})" for entry in entries) if entries else _NOWHERE


@cache
def alternation(entries: tuple[str, ...]) -> Alternation:
    """The regexes of a word list."""
    loose = {entry: _without_boundaries(entry) for entry in entries}
    return Alternation(
        one_of(entries),
        one_of([entry for entry in entries if loose[entry] == entry]),
        one_of([loose[entry] for entry in entries if loose[entry] != entry]),
    )


def _without_boundaries(entry: str) -> str:
    """An entry whose word boundaries are replaced by empty groups."""
    return _ESCAPE.sub(lambda found: "(?:)" if found[0][1] in "bB" else found[0], entry)


def holds(texts: pl.Series, entries: tuple[str, ...]) -> pl.Series:
    """Whether an entry of a word list is found, per text."""
    return _search(texts, entries, lambda some, pattern: some.str.contains(pattern))


def first_begin(texts: pl.Series, entries: tuple[str, ...]) -> pl.Series:
    """Where the first match of an entry begins, in bytes; null where there is none."""
    return _search(texts, entries, lambda some, pattern: some.str.find(pattern))


def replaced(texts: pl.Series, entries: tuple[str, ...], by: str) -> pl.Series:
    """Texts with each match of the alternation replaced by a literal (one without `$`)."""
    return _search(texts, entries, lambda some, pattern: some.str.replace_all(pattern, by))


def all_found(texts: pl.Series, entries: tuple[str, ...]) -> pl.Series:
    """The list of all matches of the alternation, one behind the other."""
    return _search(texts, entries, lambda some, pattern: some.str.extract_all(pattern))


def last_end(texts: pl.Series, entries: tuple[str, ...], mark: str) -> pl.Series:
    """Where the last match of the alternation ends, in bytes; null where there is none.

    Matches are replaced by `mark`, which no text holds: what stands behind the last mark stands behind the last match.
    """
    frame = pl.DataFrame({"text": texts, "marked": replaced(texts, entries, mark)})
    end = pl.col("text").str.len_bytes() - pl.col("marked").str.split(mark).list.last().str.len_bytes()
    return frame.select(pl.when(pl.col("marked").str.contains(mark, literal=True)).then(end)).to_series()


def _search(texts: pl.Series, entries: tuple[str, ...], operation: Callable[[pl.Series, str], pl.Series]) -> pl.Series:
    """What an operation gives for each text and the list's alternation."""
    words = alternation(entries)
    wide = texts.str.len_bytes() != texts.str.len_chars()
    places = wide.arg_true()
    spared = places.filter(~texts.gather(places).str.contains(words.loose))
    if spared.is_empty():
        return operation(texts, words.whole)
    kept = pl.repeat(value=True, n=len(texts), eager=True).scatter(spared, False)
    others = kept.arg_true()
    results = pl.concat(
        [operation(texts.gather(others), words.whole), operation(texts.gather(spared), words.unbounded)]
    )
    return results.gather(pl.concat([others, spared]).arg_sort())
