"""Which documents a rule reads (specification 20, "An artifact selector in a rule is …")."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import polars as pl

from judge_polars.globs import glob_regex, is_plain
from judge_polars.rulebook import DocumentRule, Selector
from judge_polars.tables import SELECTED

_FITS: Final = pl.Schema({"selector": pl.UInt32, "name": pl.String, "priority": pl.UInt8})


def select_documents(
    asked: pl.DataFrame, documents: pl.DataFrame, rules: Sequence[DocumentRule], evidence_dir: str
) -> pl.DataFrame:
    """`tables.SELECTED` for `asked`; `documents` are those of the chosen bundles and the outputs."""
    numbers: dict[Selector, int] = {}
    indexes = asked["rule"].unique().sort()
    of_rule = pl.DataFrame(
        {"rule": indexes, "selector": [numbers.setdefault(rules[index].selector, len(numbers)) for index in indexes]},
        schema={"rule": pl.UInt32, "selector": pl.UInt32},
    )
    fitting = pl.concat([_by_artifact(numbers, documents), _by_name(numbers, documents, evidence_dir)])
    selected = asked.join(of_rule, on="rule", how="left").join(fitting, on=["run", "selector"], how="inner")
    return SELECTED.check(selected.select("run", "rule", "doc").sort("run", "rule", "doc"))


def _by_artifact(numbers: dict[Selector, int], documents: pl.DataFrame) -> pl.DataFrame:
    """`run`, `selector`, `doc` of the selectors that name a logical artifact."""
    parts = []
    for selector, number in numbers.items():
        if selector.artifact is None:
            continue
        fits = {"logs_dir": pl.col("in_logs"), "evidence_dir": pl.col("in_evidence")}.get(
            selector.artifact, pl.col("artifact").eq_missing(selector.artifact)
        )
        parts.append(documents.filter(fits).select("run", selector=pl.lit(number, pl.UInt32), doc="doc"))
    return pl.concat(parts) if parts else _nothing()


def _by_name(numbers: dict[Selector, int], documents: pl.DataFrame, evidence_dir: str) -> pl.DataFrame:
    """`run`, `selector`, `doc` of the selectors that are a file name or glob."""
    named = documents.filter(pl.col("bundle").is_not_null()).select("run", "doc", "name")
    names = named["name"].unique()
    rows: list[tuple[int, str, int]] = []
    globs: list[pl.DataFrame] = []
    for selector, number in numbers.items():
        for name, priority in _places(selector, evidence_dir):
            if is_plain(name):
                rows.append((number, name, priority))
            else:
                found = names.filter(names.str.contains(glob_regex(name)))
                globs.append(
                    found.to_frame().select(
                        pl.lit(number, pl.UInt32).alias("selector"),
                        "name",
                        pl.lit(priority, pl.UInt8).alias("priority"),
                    )
                )
    fits = pl.concat([pl.DataFrame(rows, schema=_FITS, orient="row"), *globs])
    placed = named.join(fits, on="name", how="inner")
    best = placed.group_by("run", "selector").agg(pl.col("priority").min())
    return placed.join(best, on=["run", "selector", "priority"], how="semi").select("run", "selector", "doc")


def _places(selector: Selector, evidence_dir: str) -> list[tuple[str, int]]:
    """Globs relative to the bundle's root, with their priority: the lowest one that is there counts."""
    if selector.name is None:
        return []
    if "/" in selector.name:
        return [(selector.name, 0)]
    places = [(f"{evidence_dir}/{selector.name}", 0)]
    return [*places, (selector.name, 1)] if is_plain(selector.name) else places


def _nothing() -> pl.DataFrame:
    return pl.DataFrame(schema={"run": pl.UInt32, "selector": pl.UInt32, "doc": pl.UInt32})
