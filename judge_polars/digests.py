"""Digests of what a verdict depends on (specification 60): SHA-256, as `sha256:<hex>`."""

from __future__ import annotations

import hashlib

import orjson
import polars as pl


def digest_of(*parts: object) -> str:
    """The digest of JSON values, key order aside."""
    return "sha256:" + hashlib.sha256(orjson.dumps(parts, option=orjson.OPT_SORT_KEYS)).hexdigest()


def bundle_digests(runs: pl.DataFrame, documents: pl.DataFrame, record: list[str]) -> pl.DataFrame:
    """`run`, `content_digest`, `bundle_digest`, one row per run in order.

    `content_digest` covers the sorted document names and digests, the output included; `bundle_digest` also the columns
    `record` of `runs`, which are what the case run's record says.
    """
    listed = (
        documents.sort("run", "name")
        .group_by("run", maintain_order=True)
        .agg(content=pl.concat_str("name", pl.lit("\0"), pl.col("digest").fill_null("unread")).str.join("\n"))
    )
    texts = runs.select(
        "run", record=pl.concat_str([pl.col(name).cast(pl.String).fill_null("\0") for name in record], separator="\1")
    )
    texts = texts.join(listed, on="run", how="left", maintain_order="left").with_columns(
        pl.col("content").fill_null("")
    )
    content = [_sha256(text) for text in texts["content"]]
    whole = [_sha256(f"{digest}\n{text}") for digest, text in zip(content, texts["record"], strict=True)]
    return texts.select("run").with_columns(
        content_digest=pl.Series(content, dtype=pl.String), bundle_digest=pl.Series(whole, dtype=pl.String)
    )


def _sha256(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
