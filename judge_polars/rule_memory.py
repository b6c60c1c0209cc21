"""Results of document rules that the record keeps, under the documents' digest and the rule's (specification 60)."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import polars as pl

from judge_polars.digests import digest_of
from judge_polars.engine import Prepared
from judge_polars.history.recall import INGESTED, read_codes, read_rule_sets
from judge_polars.history.record import Record
from judge_polars.kept import RULE_CODES, RULE_SETS
from judge_polars.rule_digests import rule_digests
from judge_polars.rules.program import Program

UNKNOWN: Final = 255
"""Code of a rule whose result is not known yet."""


class RuleMemory:
    """What a record knows of the rules of a program."""

    def __init__(self, record: Record, program: Program) -> None:
        self._record = record
        self._program = program
        self.digests = rule_digests(program)

    @cached_property
    def _targets(self) -> pl.DataFrame:
        """`rule_set`, `position`, `case`, `place`: where the rules of kept lists stand in the program."""
        sets = read_rule_sets(self._record.batches())
        return sets.join(self.digests, on="rule_digest", how="inner").drop("rule_digest")

    @cached_property
    def _late(self) -> pl.DataFrame:
        """`kept.RULE_CODES` that judgments found, as far as the program has such rules."""
        sets = self._targets["rule_set"].unique().implode()
        judgments = [batch for batch in self._record.batches() if batch.kind not in INGESTED]
        return read_codes(judgments).filter(pl.col("rule_set").is_in(sets))

    def recall(self, ready: Prepared, own: pl.DataFrame) -> pl.Series:
        """`codes[run * program.places + place]`, `UNKNOWN` where nothing is kept.

        Args:
            own: `kept.RULE_CODES` that may be of these runs.
        """
        places = self._program.places
        codes = pl.repeat(UNKNOWN, ready.runs.height * places, dtype=pl.UInt8, eager=True)
        known = ready.runs.select("run", "case", "content_digest")
        for kept in (own, self._late):
            rows = (
                known.join(kept, on="content_digest", how="inner")
                .with_columns(position=pl.int_ranges(pl.col("codes").list.len(), dtype=pl.UInt32))
                .drop("content_digest")
                .explode("codes", "position")
                .join(self._targets, on=["rule_set", "position", "case"], how="inner")
            )
            if not rows.is_empty():
                codes = codes.scatter(rows["run"].cast(pl.UInt64) * places + rows["place"], rows["codes"])
        return codes

    def missing(self, ready: Prepared, codes: pl.Series) -> pl.DataFrame:
        """`run`, `case`, `rule`, `place` of the asked rules whose code is `UNKNOWN`."""
        asked = ready.runs.select("run", "case").join(
            self._program.asked, on="case", how="inner", maintain_order="left_right"
        )
        code = codes.gather(asked["run"].cast(pl.UInt64) * self._program.places + asked["place"])
        return asked.filter(code == UNKNOWN)

    def placed(self, ready: Prepared, results: pl.DataFrame) -> pl.DataFrame:
        """`run`, `case`, `place`, `code` of `tables.RULE_RESULTS`."""
        return (
            results.join(ready.runs.select("run", "case"), on="run", how="left")
            .join(self._program.asked, on=["case", "rule"], how="left")
            .select("run", "case", "place", "code")
        )

    def to_keep(self, ready: Prepared, found: pl.DataFrame) -> tuple[pl.DataFrame, pl.DataFrame]:
        """`kept.RULE_CODES` and `kept.RULE_SETS` of results.

        Args:
            found: `run`, `case`, `place`, `code`.
        """
        lists = (
            found.sort("run", "place")
            .group_by("run", "case", maintain_order=True)
            .agg(codes=pl.col("code"), places=pl.col("place"))
        )
        kinds = lists.select("case", "places").unique(maintain_order=True)
        digest_at = {(case, place): digest for case, place, digest in self.digests.iter_rows()}
        of_kind = [[digest_at[case, place] for place in places] for case, places in kinds.iter_rows()]
        names = [digest_of(digests)[7:39] for digests in of_kind]
        kinds = kinds.with_columns(rule_set=pl.Series(names, dtype=pl.String))
        sets = pl.DataFrame(
            {"rule_set": names, "rule_digest": of_kind},
            schema={"rule_set": pl.String, "rule_digest": pl.List(pl.String)},
        ).unique("rule_set", maintain_order=True)
        rows = sets.with_columns(position=pl.int_ranges(pl.col("rule_digest").list.len(), dtype=pl.UInt32)).explode(
            "rule_digest", "position"
        )
        codes = lists.join(kinds, on=["case", "places"], how="left", maintain_order="left").join(
            ready.runs.select("run", "content_digest"), on="run", how="left", maintain_order="left"
        )
        codes = codes.unique(["content_digest", "rule_set"], keep="first", maintain_order=True)
        return RULE_CODES.check(codes.select(list(RULE_CODES.schema))), RULE_SETS.check(
            rows.select(list(RULE_SETS.schema))
        )
