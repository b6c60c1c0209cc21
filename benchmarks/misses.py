"""Rows that do not hold: by how much, why, and what was tried (what is known of them; a new row has nothing to say yet)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from benchmarks.rows import TARGETS, Measured


@dataclass(frozen=True)
class Known:
    """What is known of a stage that has missed what is asked: why, and what was tried."""

    why: str
    tried: str


KNOWN: Final[Mapping[str, Known]] = {
    "ingest": Known(
        "beside reading, an ingest works out facts, the results of all document rules and digests, and writes texts compressed; "
        "with a hundred runs the registry and the process itself weigh as much",
        "values taken out of JSON in the visit that parses it, texts as one binary column, zstd level 1, the garbage collector "
        "off within a shard: from 9 to some 4 times the probe",
    ),
    "keywords": Known(
        "Python's `in` takes 1 to 1.5 µs for a keyword in 4 KB; the search here takes a third of that, and the rest goes into "
        "joining rules, texts and hits, which a handful of keywords per text does not pay for",
        "a row for each text and keyword (kept), one regex of all keywords before them (kept: most texts hold none), one "
        "expression for each keyword of a case (faster only from some 500 texts a case on), Aho-Corasick (kept beyond 64 "
        "keywords), rules compiled once (kept: twice as fast)",
    ),
    "checks": Known(
        "one evaluation costs some 2 ms whatever it evaluates (seven shapes of formulas, a few dozen calls each), which is the "
        "time that Python takes for 300 runs; Python stops at the rule that decides and does not tell which one it was",
        "formulas of one shape evaluated together (kept), their codes laid out and combined as NumPy columns in the place of "
        "expressions over lists of row numbers (kept: two to seven times as fast), only rows with a false rule looked at rule "
        "by rule (kept), results put in their final places at once (kept), a column for each case (given up)",
    ),
    "verdicts": Known(
        "binding the verdict view costs 60 ms once; beyond 100,000 runs nearly all is DuckDB taking 30 rows a run and joining "
        "failed checks to runs, for which the tuned judge needs no row at all",
        "failed outcomes only (kept), all 2,187 combinations of statuses decided beforehand (kept), whole numbers in the place "
        "of text keys (kept), views loaded on demand (kept: 1 s less for each new database)",
    ),
    "rejudge": Known(
        "a third is evaluating definitions and checks, a third reading the record and telling its runs apart, the rest resolving "
        "bundles and making rows; to keep a judgment, 30 rows a run are written as Parquet and what is told of a run is hashed",
        "results of rules kept as bytes (kept: 3 µs a run less), files of many batches read together (kept: from 50 to 20 µs "
        "where batches are small), places of runs by number and not by joins of texts (kept: 2 µs less), formulas by NumPy "
        "(kept: 9 µs less)",
    ),
    "views": Known(
        "verdicts are worked out from failed checks at each query (14 times the sum over all check results), and cases, "
        "baselines and qualities group them once more by texts; a view whose rows need other eval runs (trends, comparisons) "
        "reads them for one eval run, too",
        "rows that later judgments superseded marked when they are published (kept: `verdicts` from 29 to 15, `suite_trends` "
        "from 31 to 14), cases grouped without a window (a tenth faster, given up)",
    ),
}


def what_does_not_hold(rows: Sequence[Measured]) -> str:
    """The rows that miss what is asked, each with the measured figure and what is known of its stage; empty if all hold."""
    lines: list[str] = []
    for target in TARGETS:
        missed = [row for row in rows if row.target == target.name and row.holds is False]
        if not missed:
            continue
        lines += ["", f"**{target.stage}** ({target.measure}) does not hold:", ""]
        lines += [f"- {row.what}: {row.value:,.3g}, asked {row.bound}, {_short(row)}" for row in missed]
        known = KNOWN.get(target.name)
        if known is not None:
            lines += ["", f"Why: {known.why}.", f"Tried: {known.tried}."]
    return "\n".join(lines[1:])


def _short(row: Measured) -> str:
    """By how much a row misses."""
    limit = float(row.bound.split(" ", 1)[1])
    factor = limit / row.value if row.bound.startswith("≥") else row.value / limit
    return f"short by a factor of {factor:,.2g}"
