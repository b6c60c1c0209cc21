"""Many patterns in many texts: which are found where.

Texts that are asked for the same form a *set*.  Most patterns are about words that most texts do not hold, so the words
without which they are nowhere found (`needles`) are looked for first, many at once; a pattern itself is then tried only
in texts that hold one of its needles.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final, NamedTuple

import polars as pl

from judge_polars.rules.needles import Clause, needles
from judge_polars.text_forms import keyword_regex, rust_escape

_ONE_BY_ONE: Final = 64
"""Up to so many needles are looked for one by one; more go through a text together."""
_IN_ONE_REGEX: Final = 64
"""Up to so many needles a regex of them all says much faster whether a text holds any."""
_WORTH_A_REGEX: Final = 8_000_000
"""Needles times bytes from which such a regex pays for its making."""

_HELD: Final = pl.Schema({"unit": pl.UInt32, "set": pl.UInt32, "needle": pl.String})
_NO_TEXTS: Final = pl.Series("text", dtype=pl.String)
_FOUND: Final = pl.Schema({"unit": pl.UInt32, "search": pl.UInt32})


class Search(NamedTuple):
    """What is looked for: `lower`: in the text in lower case; `literal`: a text, else a regex; `needed`: see `needles`."""

    pattern: str
    lower: bool
    literal: bool
    needed: tuple[Clause, ...]


def keyword_search(keyword: str, *, whole_word: bool = False) -> Search:
    """Looking for a normalised keyword: white space in it stands for any run of white space."""
    if " " not in keyword and not whole_word:
        return Search(keyword, lower=True, literal=True, needed=((keyword,),) if keyword else ())
    parts = tuple((part,) for part in sorted({*keyword.split(" ")} - {""}, key=lambda part: (-len(part), part)))
    return Search(keyword_regex(keyword, whole_word=whole_word), lower=True, literal=False, needed=parts)


def regex_search(pattern: str, *, case_sensitive: bool = False) -> Search:
    """Looking for a regex, line by line."""
    return Search(
        ("(?m)" if case_sensitive else "(?im)") + pattern, lower=False, literal=False, needed=needles(pattern)
    )


def find(texts: pl.DataFrame, readers: pl.DataFrame, wanted: pl.DataFrame, searches: Sequence[Search]) -> pl.DataFrame:
    """`unit`, `search` of everything that is found.

    Args:
        texts: `unit` (row number), `text` in regex form, `plain` (the text is ASCII).
        readers: `unit`, `reader`: who reads a text.
        wanted: `reader`, `search` (index into `searches`): what a reader looks for.
    """
    if texts.is_empty() or wanted.is_empty():
        return pl.DataFrame(schema=_FOUND)
    lowered = _Lowered(texts)
    units, of_sets = _sets(readers, wanted)
    promising = _promising(lowered, units, of_sets, searches)
    parts = [pl.DataFrame(schema=_FOUND)]
    for lower, literal in ((True, True), (True, False), (False, False)):
        chosen = [i for i, search in enumerate(searches) if (search.lower, search.literal) == (lower, literal)]
        part = promising.filter(pl.col("search").is_in(pl.Series(chosen, dtype=pl.UInt32).implode()))
        sure = literal and all(searches[index].needed for index in chosen)
        if not sure and not part.is_empty():
            patterns = pl.Series([search.pattern for search in searches], dtype=pl.String)
            text = lowered.text if lower else texts["text"]
            tried = part.with_columns(pattern=patterns.gather(part["search"])).sort("pattern")
            tried = tried.with_columns(text=text.gather(tried["unit"]))
            part = tried.filter(pl.col("text").str.contains(pl.col("pattern"), literal=literal)).select(part.columns)
        parts.append(part)
    return pl.concat(parts)


class _Lowered:
    """Texts, in lower case once that is asked for."""

    def __init__(self, texts: pl.DataFrame) -> None:
        self.texts = texts

    @cached_property
    def text(self) -> pl.Series:
        return self.texts["text"].str.to_lowercase()


def _sets(readers: pl.DataFrame, wanted: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """`unit`, `set` of the texts; `set`, `search` of what is looked for in each text of a set."""
    key = pl.col("reader").cast(pl.String).str.join(" ")
    units = readers.unique().sort("unit", "reader").group_by("unit", maintain_order=True).agg(key=key)
    sets = units.group_by("key", maintain_order=True).agg(unit=pl.col("unit").first()).with_row_index("set")
    of_sets = sets.select("set", "unit").join(readers, on="unit", how="inner").join(wanted, on="reader", how="inner")
    units = units.join(sets.select("set", "key"), on="key", how="inner", maintain_order="left")
    return units.select("unit", "set"), of_sets.select("set", "search").unique()


def _promising(
    lowered: _Lowered, units: pl.DataFrame, of_sets: pl.DataFrame, searches: Sequence[Search]
) -> pl.DataFrame:
    """`unit`, `search` where the text holds a needle of every clause.

    The first clauses of all searches are looked at together; of a text that holds one, the others one by one.
    """
    first = _clauses(searches, slice(0, 1)).drop("clause")
    asked = of_sets.join(first, on="search", how="inner")
    held = _held(lowered, units, asked.select("set", "needle").unique())
    some = held.join(asked, on=["set", "needle"], how="inner").select("unit", "search").unique()
    others = _clauses(searches, slice(1, None))
    looked = some.join(others, on="search", how="inner").sort("needle")
    if not looked.is_empty():
        looked = looked.with_columns(text=lowered.text.gather(looked["unit"]))
        looked = looked.filter(pl.col("text").str.contains(pl.col("needle"), literal=True))
        wanted = others.group_by("search").agg(wanted=pl.col("clause").n_unique())
        tally = looked.group_by("unit", "search").agg(found=pl.col("clause").n_unique())
        tallied = some.join(wanted, on="search", how="left").join(tally, on=["unit", "search"], how="left")
        some = tallied.filter(pl.col("wanted").fill_null(0) == pl.col("found").fill_null(0)).select("unit", "search")
    free = of_sets.join(first, on="search", how="anti")
    return pl.concat([some, units.join(free, on="set", how="inner").select("unit", "search")])


def _clauses(searches: Sequence[Search], which: slice) -> pl.DataFrame:
    """`search`, `clause`, `needle` of some of the clauses of each search."""
    rows = [
        (index, number, needle)
        for index, search in enumerate(searches)
        for number, clause in enumerate(search.needed[which])
        for needle in clause
    ]
    return pl.DataFrame(rows, schema={"search": pl.UInt32, "clause": pl.UInt32, "needle": pl.String}, orient="row")


def _held(lowered: _Lowered, units: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """`unit`, `set`, `needle` of the needles that texts hold; `asked`: `set`, `needle`."""
    if asked.is_empty():
        return pl.DataFrame(schema=_HELD)
    sizes = units.with_columns(bytes=lowered.texts["text"].str.len_bytes().gather(units["unit"]))
    sizes = sizes.group_by("set").agg(pl.col("bytes").sum())
    sets = asked.group_by("set").agg("needle", count=pl.len()).join(sizes, on="set", how="inner")
    worth_it = pl.col("count").is_between(2, _IN_ONE_REGEX) & (pl.col("count") * pl.col("bytes") >= _WORTH_A_REGEX)
    some = _with_any(lowered, units, sets.filter(worth_it))
    left = pl.concat([some, units.join(sets.filter(~worth_it).select("set", "count"), on="set", how="inner")])
    few = left.filter(pl.col("count") <= _ONE_BY_ONE).join(asked, on="set", how="inner").sort("needle")
    few = few.with_columns(text=lowered.text.gather(few["unit"])) if few.height else few.with_columns(text=pl.lit(""))
    single = few.filter(pl.col("text").str.contains(pl.col("needle"), literal=True)).select(list(_HELD))
    return pl.concat([single, _held_together(lowered, left.filter(pl.col("count") > _ONE_BY_ONE), asked)])


def _with_any(lowered: _Lowered, units: pl.DataFrame, sets: pl.DataFrame) -> pl.DataFrame:
    """`unit`, `set`, `count` of texts that hold any needle of their set; `sets`: `set`, `count`, `needle` (a list)."""
    regexes = ["|".join(map(rust_escape, sorted(of_set))) for of_set in sets["needle"]]
    of_sets = sets.select("set", "count", regex=pl.Series(regexes, dtype=pl.String))
    tried = units.join(of_sets, on="set", how="inner").sort("regex")
    if tried.is_empty():
        return tried.drop("regex")
    tried = tried.with_columns(text=lowered.text.gather(tried["unit"]))
    return tried.filter(pl.col("text").str.contains(pl.col("regex"))).drop("text", "regex")


def _held_together(lowered: _Lowered, units: pl.DataFrame, asked: pl.DataFrame) -> pl.DataFrame:
    """`unit`, `set`, `needle` of the needles that texts hold, all of them looked for in one go through each text.

    ASCII texts are gone through as they are.
    """
    every = asked.join(units, on="set", how="semi")["needle"].unique().sort()
    if every.is_empty():
        return pl.DataFrame(schema=_HELD)
    plain = lowered.texts["plain"].gather(units["unit"])
    parts = [units.filter(plain), units.filter(~plain)]
    texts = [
        (lowered.texts["text"] if of_plain else lowered.text).gather(part["unit"]) if part.height else _NO_TEXTS
        for part, of_plain in zip(parts, (True, False), strict=True)
    ]
    found = pl.concat(texts).str.extract_many(every.to_list(), ascii_case_insensitive=True, overlapping=True)
    held = pl.concat(parts).select("unit", "set", needle=found.list.unique())
    held = held.explode("needle", empty_as_null=False).with_columns(pl.col("needle").str.to_lowercase()).unique()
    return held.join(asked, on=["set", "needle"], how="semi")
