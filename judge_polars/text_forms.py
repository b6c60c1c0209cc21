"""The forms in which texts are matched (specification 40, "Text").

- *regex form*: NFKC, invisible characters and terminal colour codes removed, line breaks as `\\n`.
- *keyword form*: the regex form in lower case.  Runs of white space are left as they are: a keyword with white space inside
  is looked for as a regex with `\\s+` in its place, which finds the same and spares a pass over every text.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Final

import polars as pl

_REMOVED = "[\u00ad\u200b-\u200d\u2060\ufeff]|\x1b\\[[0-9;?]*[A-Za-z]"
_REMOVED_COMPILED = re.compile(_REMOVED)
_SHORT: Final = 1_000
"""Characters up to which Python's NFKC is the faster one, whatever they are."""
_RUST_WHITE = re.compile("[\t\n\x0b\x0c\r \u0085\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000]+")


def nfkc(text: str) -> str:
    """NFKC of one text, in time that grows with its length.

    Python sorts a run of combining marks by insertion, which takes minutes for a megabyte of them; Rust does not.
    """
    if len(text) <= _SHORT:
        return unicodedata.normalize("NFKC", text)
    return str(pl.Series([text]).str.normalize("NFKC").item())


def regex_form(text: pl.Expr) -> pl.Expr:
    """The regex form of a text column.  NFKC first, then removal, then line breaks."""
    return (
        text.str.normalize("NFKC")
        .str.replace_all(_REMOVED, "")
        .str.replace_all("\r\n", "\n", literal=True)
        .str.replace_all("\r", "\n", literal=True)
    )


def without_invisible(text: pl.Expr) -> pl.Expr:
    """A text column without invisible characters and terminal colour codes."""
    return text.str.replace_all(_REMOVED, "")


def keyword_form(text: pl.Expr) -> pl.Expr:
    """The complete keyword form of a text column: regex form, lower case, white space runs as one space."""
    return regex_form(text).str.to_lowercase().str.replace_all(r"\s+", " ")


def normalise_keyword(keyword: str) -> str:
    """A keyword in keyword form, white space runs as one space, not trimmed."""
    plain = _REMOVED_COMPILED.sub("", nfkc(keyword)).lower()
    return _RUST_WHITE.sub(" ", plain)


def regex_forms(documents: pl.DataFrame) -> pl.DataFrame:
    """Columns `doc`, `text`, `plain` of documents that have a text, in regex form.

    `plain` texts (ASCII without carriage returns and escapes) are their own regex form, which spares most logs the pass.
    """
    texts = documents.select("doc", "text", "plain").filter(pl.col("text").is_not_null())
    others = (~texts["plain"]).arg_true()
    if others.is_empty():
        return texts
    formed = texts.select(regex_form(pl.col("text").gather(others))).to_series()
    return texts.with_columns(text=texts["text"].scatter(others, formed))


def json_keyword(keyword: str) -> str:
    """A normalised keyword as it is looked for in JSON text: a space behind `":` or `",` does not count."""
    return keyword.replace('": ', '":').replace('", ', '",')


def rust_escape(literal: str) -> str:
    """A literal as a regex of Rust's engine: ASCII punctuation escaped, everything else as it is."""
    return "".join("\\" + char if char in r"\.+*?()|[]{}^$#&-~/" else char for char in literal)


def keyword_regex(keyword: str, *, whole_word: bool) -> str:
    """A regex, for texts in lower case, that finds a normalised keyword across white space runs and as a whole word."""
    body = r"\s+".join(rust_escape(part) for part in keyword.split(" "))
    if not whole_word:
        return body
    word = "0-9A-Za-z_" if keyword.isascii() else r"\p{L}\p{Nd}_"
    before = rf"\A|[^{word}\s]" if keyword.startswith(" ") else rf"\A|[^{word}]"
    after = rf"\z|[^{word}\s]" if keyword.endswith(" ") else rf"\z|[^{word}]"
    return f"(?:{before}){body}(?:{after})"


def json_keyword_form(keyword: pl.Expr) -> pl.Expr:
    """`json_keyword` for a column of normalised keywords."""
    return keyword.str.replace_all('": ', '":', literal=True).str.replace_all('", ', '",', literal=True)


def labels_json() -> pl.Expr:
    """The column `labels` (`key` + NUL + `value`) as a JSON object."""
    pair = pl.element().str.split_exact("\0", 1)
    members = pl.col("labels").list.eval(
        pl.concat_str(_json_text(pair.struct.field("field_0")), pl.lit(":"), _json_text(pair.struct.field("field_1")))
    )
    return pl.concat_str(pl.lit("{"), members.list.join(","), pl.lit("}"))


def _json_text(text: pl.Expr) -> pl.Expr:
    """A text as a JSON string (the escapes that JSON needs)."""
    escaped = text.str.replace_all("\\", "\\\\", literal=True).str.replace_all('"', '\\"', literal=True)
    for char, name in (("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t")):
        escaped = escaped.str.replace_all(char, name, literal=True)
    return pl.concat_str(pl.lit('"'), escaped.str.replace_all(r"[\x00-\x1f]", " "), pl.lit('"'))
