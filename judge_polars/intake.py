"""What was read of case runs, with everything about it that does not depend on a case: the ground that they are judged on."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import polars as pl

from judge_polars.bundles import ShardReading
from judge_polars.facts.routing import count_refs, fit_refs
from judge_polars.intake_tables import INTAKE_BUNDLES, INTAKE_DOCUMENTS, INTAKE_REFS, INTAKE_RUNS, Intake
from judge_polars.published import RECORD


def take_in(reading: ShardReading, extracted: Mapping[str, pl.DataFrame], logs_dirs: Sequence[str]) -> Intake:
    """The intake of a shard.

    Args:
        reading: what was read.
        extracted: frames of `facts.extraction`, by name.
        logs_dirs: names that the logs directory may have, relative to the bundle's root.
    """
    documents = reading.documents
    refs = fit_refs(
        extracted["shard_refs"],
        series=extracted["evidence_series"],
        queries=extracted["shard_queries"],
        events=extracted["shard_events"],
        documents=documents,
        logs_dirs=logs_dirs,
    )
    runs = _runs(reading)
    series, points = _evidence_series(extracted["evidence_series"], extracted["points"])
    return Intake(
        runs=runs,
        bundles=_bundles(reading, extracted["bundle_counts"], refs, runs),
        documents=INTAKE_DOCUMENTS.check(documents.drop("text")),
        refs=INTAKE_REFS.check(refs),
        candidates=reading.candidates,
        issues=reading.issues,
        series=series,
        points=points,
        queries=extracted["shard_queries"],
        events=extracted["shard_events"],
    )


def _evidence_series(series: pl.DataFrame, points: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
    """The series that count as evidence, counted from 0, and their points."""
    kept = series.select("series").drop_nulls().unique().sort("series").with_row_index("number")
    own = (
        points.join(kept, on="series", how="inner", maintain_order="left").with_columns(series="number").drop("number")
    )
    named = (
        series.join(kept, on="series", how="left", maintain_order="left").with_columns(series="number").drop("number")
    )
    return named, own


def _runs(reading: ShardReading) -> pl.DataFrame:
    """`INTAKE_RUNS`."""
    documents = reading.documents
    outputs = documents.filter(pl.col("bundle").is_null())
    with_text = outputs.filter(pl.col("text").is_not_null())["run"].unique()
    runs = reading.runs.with_row_index("run")
    listed = _listed(outputs.with_columns(of=pl.col("run")))
    runs = runs.join(listed, left_on="run", right_on="of", how="left", maintain_order="left")
    content, whole = _digests(runs["listed"], _record_text(runs))
    revision = _revisions(reading, runs, whole)
    return INTAKE_RUNS.check(
        runs.drop("listed").with_columns(
            has_output=pl.col("run").is_in(with_text.implode()),
            revision=revision,
            content_digest=content,
            bundle_digest=whole,
        )
    )


def _bundles(reading: ShardReading, counts: pl.DataFrame, refs: pl.DataFrame, runs: pl.DataFrame) -> pl.DataFrame:
    """`INTAKE_BUNDLES`."""
    documents = reading.documents
    of_bundle = documents.filter(pl.col("bundle").is_not_null())
    outputs = documents.filter(pl.col("bundle").is_null()).select("run", "name", "digest")
    beside = reading.bundles.select("run", of="bundle").join(outputs, on="run", how="inner")
    every = pl.concat([of_bundle.select("name", "digest", of="bundle"), beside.select("name", "digest", "of")])
    artifacts = (
        of_bundle.filter(pl.col("artifact").is_not_null())
        .group_by("bundle")
        .agg(artifacts=pl.col("artifact").unique().sort())
    )
    bundles = (
        reading.bundles.drop("patch_shape_valid")
        .join(counts, on="bundle", how="left", maintain_order="left")
        .join(artifacts, on="bundle", how="left", maintain_order="left")
        .join(count_refs(refs), on="bundle", how="left", maintain_order="left")
        .join(_listed(every), left_on="bundle", right_on="of", how="left", maintain_order="left")
    )
    content, whole = _digests(bundles["listed"], _record_text(runs).gather(bundles["run"]))
    counted = [name for name in INTAKE_BUNDLES.schema if name.endswith(("_refs", "_unfit"))]
    return INTAKE_BUNDLES.check(
        bundles.drop("listed").with_columns(
            pl.col("artifacts").fill_null([]),
            *(
                pl.col(name).fill_null(value=False)
                if name in ("key_refs", "supporting_refs")
                else pl.col(name).fill_null(0)
                for name in counted
            ),
            content_digest=content,
            bundle_digest=whole,
        )
    )


def _listed(documents: pl.DataFrame) -> pl.DataFrame:
    """`of`, `listed`: the names and digests of the documents of each `of`, one a line, by name."""
    line = pl.concat_str("name", pl.lit("\0"), pl.col("digest").fill_null("unread"))
    return documents.sort("of", "name").group_by("of", maintain_order=True).agg(listed=line.str.join("\n"))


def _record_text(runs: pl.DataFrame) -> pl.Series:
    """What a case run's record says, as one text."""
    columns = [pl.col(name).cast(pl.String).fill_null("\0") for name in RECORD]
    return runs.select(pl.concat_str(columns, separator="\1")).to_series()


def _digests(listed: pl.Series, records: pl.Series) -> tuple[pl.Series, pl.Series]:
    """`content_digest` over the documents, `bundle_digest` over them and the record."""
    content = [_sha256(text or "") for text in listed]
    whole = [
        _sha256(f"{digest}\n{record}\n{text or ''}")
        for digest, record, text in zip(content, records, listed, strict=True)
    ]
    return pl.Series(content, dtype=pl.String), pl.Series(whole, dtype=pl.String)


def _revisions(reading: ShardReading, runs: pl.DataFrame, whole: pl.Series) -> pl.Series:
    """A digest of everything that was read of each case run."""
    roots = reading.bundles.select("bundle", "root")
    named = reading.documents.join(roots, on="bundle", how="left").select(
        "run", line=pl.concat_str(pl.col("root").fill_null("\0"), pl.lit("\0"), "name", pl.lit("\0"), _text("digest"))
    )
    tried = reading.candidates.select(
        "run", line=pl.concat_str("root", pl.lit("\0"), pl.col("reasons").list.join(","), pl.lit("\0"), _text("kept"))
    )
    odd = reading.issues.select(
        "run", line=pl.concat_str(_text("document"), pl.lit("\0"), "code", pl.lit("\0"), "detail")
    )
    lines = pl.concat([named, tried, odd]).sort("run", "line")
    listed = lines.group_by("run", maintain_order=True).agg(listed=pl.col("line").str.join("\n"))
    of_run = runs.select("run").join(listed, on="run", how="left", maintain_order="left")["listed"]
    texts = [_sha256(f"{digest}\n{text or ''}") for digest, text in zip(whole, of_run, strict=True)]
    return pl.Series(texts, dtype=pl.String)


def _text(column: str) -> pl.Expr:
    return pl.col(column).cast(pl.String).fill_null("\0")


def _sha256(text: str) -> str:
    return "sha256:" + hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()
