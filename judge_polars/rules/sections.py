"""What `section:` leaves of documents (specification 40, "Text")."""

from __future__ import annotations

import polars as pl

from judge_polars import markdown


def section_texts(texts: pl.DataFrame, section: str, *, or_all: bool) -> pl.DataFrame:
    """`texts` (`doc`, `text`, `plain`, …) cut to the sections whose title matches; without any the row is dropped.

    With `or_all` a text without such a section stays whole.
    """
    wanted = pl.DataFrame(
        {"text": range(texts.height), "section": [section] * texts.height, "or_all": [or_all] * texts.height},
        schema={"text": pl.UInt32, "section": pl.String, "or_all": pl.Boolean},
    )
    cut = markdown.section_texts(texts["text"], wanted)
    return texts.with_columns(text=cut["content"]).filter(pl.col("text").str.contains(r"\S"))
