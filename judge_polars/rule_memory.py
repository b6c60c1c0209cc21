"""Results of document rules that the record keeps, under the documents' digest and the rule's (specification 60)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Final

import polars as pl

from judge_polars.digests import digest_of
from judge_polars.engine import Prepared
from judge_polars.history.recall import INGESTED, read_codes, read_rule_sets
from judge_polars.history.record import Record
from judge_polars.kept import RULE_CODES, RULE_SETS
from judge_polars.rule_digests import rule_digests
from judge_polars.rules.matrices import Blocks, DocumentCodes
from judge_polars.rules.program import Program

UNKNOWN: Final = 255
"""Code of a rule whose result is not known yet."""
MANY_RUNS: Final = 400
"""Runs of a case from which its codes are put together rule by rule."""


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
    def _targets_of(self) -> dict[tuple[str, int], list[tuple[int, int]]]:
        """(rule set, case) -> position and place of the rules that the program has."""
        lists = self._targets.group_by("rule_set", "case").agg("position", "place")
        return {(key, case): list(zip(at, to, strict=True)) for key, case, at, to in lists.iter_rows()}

    @cached_property
    def _late(self) -> pl.DataFrame:
        """`kept.RULE_CODES` that judgments found, as far as the program has such rules."""
        sets = self._targets["rule_set"].unique().implode()
        judgments = [batch for batch in self._record.batches() if batch.kind not in INGESTED]
        return read_codes(judgments).filter(pl.col("rule_set").is_in(sets))

    def recall(self, ready: Prepared, own: pl.DataFrame) -> DocumentCodes:
        """The codes that are kept, `UNKNOWN` for the others.

        Args:
            own: `kept.RULE_CODES` that may be of these runs.
        """
        blocks = Blocks(ready.runs["case"], self._program.places)
        known = ready.runs.select("run", "case", "content_digest")
        kept = [known.join(part, on="content_digest", how="inner", maintain_order="left") for part in (own, self._late)]
        large = [case for case, runs in blocks.runs_of.items() if len(runs) >= MANY_RUNS]
        parts = [pl.Series([], dtype=pl.UInt8)]
        for case, runs in blocks.runs_of.items():
            if case in large:
                parts += self._columns(case, blocks, [part.filter(pl.col("case") == case) for part in kept])
            else:
                parts.append(pl.repeat(UNKNOWN, len(runs) * self._program.places[case], dtype=pl.UInt8, eager=True))
        codes = DocumentCodes(blocks, pl.concat(parts, rechunk=True))
        for part in kept:
            codes = self._with_small(codes, part.filter(~pl.col("case").is_in(large)))
        return codes

    def _columns(self, case: int, blocks: Blocks, kept: Sequence[pl.DataFrame]) -> list[pl.Series]:
        """The codes of a case with many runs, rule by rule; `kept`: `run`, `rule_set`, `codes`."""
        count = len(blocks.runs_of[case])
        columns = [pl.repeat(UNKNOWN, count, dtype=pl.UInt8, eager=True)] * self._program.places[case]
        for part in kept:
            for (rule_set,), rows in part.group_by("rule_set", maintain_order=True):
                rank = blocks.rank(rows["run"], case)
                whole = len(rank) == count and rank.is_sorted() and rank.n_unique() == count
                length = len(rows["codes"][0])
                targets = self._targets_of.get((str(rule_set), case), ())
                code = pl.col("codes")
                found = rows.select(code.explode()).select(
                    code.gather_every(length, position).alias(str(place)) for position, place in targets
                )
                for (_, place), column in zip(targets, found, strict=True):
                    columns[place] = column if whole else columns[place].clone().scatter(rank, column)
        return columns

    def _with_small(self, codes: DocumentCodes, kept: pl.DataFrame) -> DocumentCodes:
        """The codes with those of runs of cases that have few; `kept`: `run`, `case`, `rule_set`, `codes`."""
        rows = (
            kept.with_columns(position=pl.int_ranges(pl.col("codes").list.len(), dtype=pl.UInt32))
            .explode("codes", "position")
            .join(self._targets, on=["rule_set", "position", "case"], how="inner")
        )
        return codes.with_codes(rows["run"], rows["place"], rows["codes"])

    def missing(self, codes: DocumentCodes) -> pl.DataFrame:
        """`run`, `case`, `rule`, `place` of the asked rules whose code is `UNKNOWN`."""
        found = codes.blocks.at((codes.values == UNKNOWN).arg_true())
        rules = found.join(self._program.asked, on=["case", "place"], how="left")
        return rules.select("run", "case", "rule", "place").sort("run", "place")

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
