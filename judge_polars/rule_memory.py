"""Results of document rules that the record keeps, under the documents' digest and the rule's (specification 60)."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import numpy as np
import numpy.typing as npt
import polars as pl

from judge_polars.digests import digest_of
from judge_polars.engine import Prepared
from judge_polars.history.forms import INGESTED
from judge_polars.history.recall import read_codes, read_rule_sets
from judge_polars.history.record import Record
from judge_polars.kept import RULE_CODES, RULE_SETS
from judge_polars.rule_digests import rule_digests
from judge_polars.rules.compare import Integers
from judge_polars.rules.matrices import Blocks, DocumentCodes
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
    def _targets_of(self) -> dict[tuple[str, int], tuple[Integers, Integers]]:
        """(rule set, case) -> positions and places of the rules that the program has."""
        lists = self._targets.group_by("rule_set", "case").agg("position", "place")
        return {(key, case): (np.array(at), np.array(to)) for key, case, at, to in lists.iter_rows()}

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
        codes = np.full(blocks.size(), UNKNOWN, dtype=np.uint8)
        for part in (own, self._late):
            kept = known.join(part, on="content_digest", how="inner", maintain_order="left")
            self._put(codes, blocks, kept.sort("case", "rule_set", maintain_order=True))
        return DocumentCodes(blocks, pl.Series(codes))

    def _put(self, codes: npt.NDArray[np.uint8], blocks: Blocks, kept: pl.DataFrame) -> None:
        """Write codes in their places, one list of rules of one case after another.

        Args:
            codes: laid out in `blocks`.
            kept: `run`, `case`, `rule_set`, `packed`, sorted by case and rule set.
        """
        if kept.is_empty():
            return
        rank = blocks.starts.gather(kept["run"]).to_numpy().astype(np.int64)
        packed = kept["packed"].to_list()
        groups = kept.select(pl.struct("case", "rule_set").rle()).unnest("case").unnest("value")
        begin = 0
        for count, case, rule_set in groups.iter_rows():
            end = begin + count
            if targets := self._targets_of.get((rule_set, case)):
                positions, places = targets
                found = np.frombuffer(b"".join(packed[begin:end]), dtype=np.uint8).reshape(count, -1)
                first, runs = blocks.first[case], len(blocks.runs_of[case])
                block = codes[first : first + runs * blocks.places[case]].reshape(-1, runs)
                at = rank[begin:end] - first
                if count == runs and (np.diff(at) > 0).all():
                    block[places] = found.T[positions]
                else:
                    block[np.ix_(places, at)] = found.T[positions]
            begin = end

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
            .agg(packed=pl.col("code"), places=pl.col("place"))
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
        codes = codes.with_columns(pl.col("packed").cast(pl.Binary))
        return RULE_CODES.check(codes.select(list(RULE_CODES.schema))), RULE_SETS.check(
            rows.select(list(RULE_SETS.schema))
        )
