"""Text units: what a text rule reads of a document once `within` and `section` have cut it (specification 40).

A unit is numbered within one evaluation; rules that read the same part of the same document share it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final

import polars as pl

from judge_polars.rulebook import DocumentRule
from judge_polars.rules.sections import section_texts
from judge_polars.shard import Shard
from judge_polars.text_forms import without_invisible

_CLOCK: Final = r"([01]\d|2[0-3]):([0-5]\d):([0-5]\d)(?:\.(\d+))?"
_RFC_3339: Final = rf"(\d{{4}})-(\d{{2}})-(\d{{2}})[Tt ]{_CLOCK}([Zz]|[+-]\d{{2}}:\d{{2}})?"
LINE_TIMES: Final = (
    rf"^\[(\d{{4}})/(\d{{2}})/(\d{{2}}) {_CLOCK}(?: ([+-]\d{{2}}:\d{{2}}))?\]",
    rf"^\[{_RFC_3339}\]",
    rf"^{_RFC_3339}",
)
"""A log line's leading time: `[2025/03/04 09:00:00.123 +00:00]`, or RFC 3339 in brackets or alone."""

_USUAL_TIME: Final = (
    r"^\[[0-9]{4}/[0-9]{2}/[0-9]{2} (?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]\.[0-9]{3} "
    r"[+-](?:[01][0-9]|2[0-3]):[0-5][0-9]\]"
)
"""The first form as servers write it: its parts are at fixed places, and there is no need to look for them."""
_MAYBE_TIME: Final = r"^\[?\d"
_BYTES_AT_ONCE: Final = 4 << 20
_NO_TIME: Final = datetime.min.replace(tzinfo=UTC)
"""Stands for the time of lines that have none before them either."""


@dataclass(frozen=True)
class TextUnits:
    """Units and who reads them.

    Attributes:
        texts: `run`, `rule`, `unit`, `in_json` — one row per rule and text that it reads.
        forms: `unit`, `text` — the text in the wanted form — and `plain`.
        parts: `unit`, `doc`, and which part of it: `variant`.
    """

    texts: pl.DataFrame
    forms: pl.DataFrame
    parts: pl.DataFrame


@dataclass(frozen=True, slots=True)
class _Variant:
    """How a document's text is cut."""

    within: str | None
    margin_us: int
    section: str | None
    section_or_all: bool


def _variant(rule: DocumentRule) -> _Variant:
    return _Variant(
        rule.within,
        rule.margin_us if rule.within else 0,
        rule.section,
        rule.section is not None and rule.section_or_all,
    )


def text_units(
    selected: pl.DataFrame,
    rules: Sequence[DocumentRule],
    shard: Shard,
    form: Callable[[pl.DataFrame], pl.DataFrame],
) -> TextUnits:
    """The units of selected documents; `form` puts the texts of (`doc`, `text`, `plain`) into the wanted form."""
    variants: dict[_Variant, int] = {}
    indexes = selected["rule"].unique().sort()
    of_rule = pl.DataFrame(
        {"rule": indexes, "variant": [variants.setdefault(_variant(rules[index]), len(variants)) for index in indexes]},
        schema={"rule": pl.UInt32, "variant": pl.UInt32},
    )
    documents = shard.documents
    wanted = selected.join(of_rule, on="rule", how="left").with_columns(
        in_json=(documents["has_json"] & documents["kind"].is_in(["json", "jsonl"])).gather(selected["doc"]),
        has_text=documents["text"].is_not_null().gather(selected["doc"]),
    )
    wanted = wanted.filter("has_text")
    distinct = wanted.select("doc", "variant").unique().sort("variant", "doc")
    parts: list[pl.DataFrame] = []
    for variant, index in variants.items():
        docs = distinct.filter(pl.col("variant") == index)["doc"]
        texts = documents.select("doc", "run", "text", "plain")[docs]
        cut = _cut(texts, variant, shard)
        parts.append(form(cut).with_columns(variant=pl.lit(index, pl.UInt32)))
    if not parts:
        empty = pl.DataFrame(schema={"run": pl.UInt32, "rule": pl.UInt32, "unit": pl.UInt32, "in_json": pl.Boolean})
        return TextUnits(
            empty,
            pl.DataFrame(schema={"unit": pl.UInt32, "text": pl.String, "plain": pl.Boolean}),
            pl.DataFrame(schema={"unit": pl.UInt32, "doc": pl.UInt32, "variant": pl.UInt32}),
        )
    units = pl.concat(parts).filter(pl.col("text").is_not_null()).with_row_index("unit")
    texts = wanted.join(units.select("doc", "variant", "unit"), on=["doc", "variant"], how="inner")
    return TextUnits(
        texts.select("run", "rule", "unit", "in_json"),
        units.select("unit", "text", "plain"),
        units.select("unit", "doc", "variant"),
    )


def _cut(texts: pl.DataFrame, variant: _Variant, shard: Shard) -> pl.DataFrame:
    """`doc`, `text`, `plain` of what the variant leaves; documents of which nothing is left are dropped."""
    if variant.within:
        texts = lines_within(texts, shard.runs, variant.within, variant.margin_us)
    if variant.section is not None:
        texts = section_texts(texts, variant.section, or_all=variant.section_or_all)
    return texts.select("doc", "text", "plain")


def lines_within(texts: pl.DataFrame, runs: pl.DataFrame, within: str, margin_us: int) -> pl.DataFrame:
    """Texts of which only the lines in the case's window are left; a line without a time goes with the line before.

    `window`: start - margin <= time <= end + margin; `before_window`: time < start - margin.  Lines before the first time
    belong to no time.  A time without an offset is UTC.
    """
    margin = pl.duration(microseconds=margin_us)
    windows = runs.select("run", start=pl.col("window_start") - margin, end=pl.col("window_end") + margin)
    texts = texts.with_columns(text=_with_line_feeds(texts)).join(windows, on="run", how="left", maintain_order="left")
    at = pl.col("at")
    inside = at.is_between("start", "end") if within == "window" else at < pl.col("start")
    kept = [texts.clear().select("doc", "text", "plain")]
    before: tuple[int, datetime] | None = None
    for pieces in _in_pieces(texts.select("doc", "plain", "start", "end", "text")):
        lines = _timed_lines(pieces, before)
        before = lines.select("doc", "at").row(-1)
        lines = lines.filter(at != _NO_TIME).join(
            pieces.select("doc", "start", "end").unique("doc"), on="doc", how="left", maintain_order="left"
        )
        kept.append(lines.filter(inside.fill_null(value=False)).select("doc", "line", "plain").rename({"line": "text"}))
    joined = pl.concat(kept).group_by("doc", maintain_order=True).agg(pl.col("text").str.join("\n"), pl.first("plain"))
    return joined.filter(pl.col("text").str.contains(r"\S"))


def _in_pieces(texts: pl.DataFrame) -> Iterator[pl.DataFrame]:
    """Texts in order, some `_BYTES_AT_ONCE` at a time; one that is longer is cut behind lines into several with the same `doc`.

    Each line takes up to 30 times its bytes while its time is looked for.
    """
    first, size = 0, 0
    cuttable = texts["text"].str.contains("\n", literal=True).fill_null(value=False)
    for index, length in enumerate(texts["text"].str.len_bytes().fill_null(0)):
        if index > first and size + length > _BYTES_AT_ONCE:
            yield texts[first:index]
            first, size = index, 0
        size += length
        if length > _BYTES_AT_ONCE and index == first and cuttable[index]:
            for piece in _cut_behind_lines(texts["text"][index]):
                yield texts[index].with_columns(text=pl.lit(piece))
            first, size = index + 1, 0
    if first < texts.height:
        yield texts[first:]


def _cut_behind_lines(text: str) -> Iterator[str]:
    """Pieces of a text that, joined by line feeds, are the text."""
    first = 0
    while (end := text.find("\n", first + _BYTES_AT_ONCE)) >= 0:
        yield text[first:end]
        first = end + 1
    yield text[first:]


def _timed_lines(texts: pl.DataFrame, before: tuple[int, datetime] | None) -> pl.DataFrame:
    """`doc`, `plain`, `line`, `at`: the lines of texts, each with its time or that of the nearest line above with one.

    `before`: document and time of the line above the first.
    """
    lines = texts.select("doc", "plain", line=pl.col("text").str.split("\n")).explode("line")
    begins = (pl.col("doc") != pl.col("doc").shift(1)).fill_null(value=True)
    carried = before[1] if before is not None and before[0] == texts["doc"][0] else _NO_TIME
    above = pl.when(pl.int_range(pl.len()) == 0).then(pl.lit(carried)).otherwise(pl.lit(_NO_TIME))
    return lines.with_columns(at=line_times(lines)).with_columns(
        at=pl.when(begins & pl.col("at").is_null()).then(above).otherwise("at").forward_fill()
    )


def _with_line_feeds(texts: pl.DataFrame) -> pl.Series:
    """Texts whose lines end in line feeds."""
    others = (~texts["plain"]).arg_true()
    return texts["text"].scatter(others, texts["text"].gather(others).str.replace_all("\r\n?", "\n"))


def line_times(lines: pl.DataFrame) -> pl.Series:
    """`at`: the leading time of each line (`line`, and `plain` of its text), UTC in microseconds, or null.

    Without an offset it is UTC; digits behind the sixth are cut.
    """
    others = (~lines["plain"]).arg_true()
    bare = lines["line"]
    if not others.is_empty():
        bare = bare.scatter(others, pl.select(without_invisible(pl.lit(bare.gather(others)))).to_series())
    usual = bare.str.contains(_USUAL_TIME)
    at = bare.to_frame("line").select(at=pl.when(usual).then(_usual_time(pl.col("line")))).to_series()
    left = (~usual & bare.str.contains(_MAYBE_TIME)).arg_true()
    if left.is_empty():
        return at
    rest = bare.gather(left).to_frame("line")
    return at.scatter(left, rest.select(line_time(pl.col("line"))).to_series())


def _usual_time(line: pl.Expr) -> pl.Expr:
    """The leading time of a line that begins as `_USUAL_TIME` says; null where the calendar has none such."""
    local = line.str.slice(1, 23).str.to_datetime("%Y/%m/%d %H:%M:%S.%3f", time_unit="us", strict=False)
    minutes = line.str.slice(26, 2).cast(pl.Int64, strict=False) * 60 + line.str.slice(29, 2).cast(
        pl.Int64, strict=False
    )
    offset = pl.duration(
        minutes=pl.when(line.str.slice(25, 1) == "-").then(-minutes).otherwise(minutes), time_unit="us"
    )
    return (local - offset).dt.replace_time_zone("UTC")


def line_time(line: pl.Expr) -> pl.Expr:
    """The leading time of a line in any of the forms, UTC in microseconds, or null."""
    return pl.coalesce(_time_of(line.str.extract_groups(form)) for form in LINE_TIMES)


def _time_of(parts: pl.Expr) -> pl.Expr:
    """The instant of the eight groups of a time; null where the calendar has none such."""
    offset = (
        parts.struct.field("8").fill_null("+00:00").str.replace("^[Zz]$", "+00:00").str.replace(":", "", literal=True)
    )
    fraction = pl.concat_str(parts.struct.field("7").fill_null(""), pl.lit("000000")).str.slice(0, 6)
    text = pl.concat_str([*(parts.struct.field(str(group)) for group in range(1, 7)), fraction, offset], separator=" ")
    return text.str.to_datetime("%Y %m %d %H %M %S %6f %z", time_unit="us", strict=False)
