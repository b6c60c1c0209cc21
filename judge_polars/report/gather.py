"""From judged eval runs to what a report on one of them holds: everything is asked of the views of `sql/`."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Final

from judge_polars.digests import digest_of
from judge_polars.errors import InputError, NothingSelectedError
from judge_polars.report.content import Cell, MatrixRow, Report, Row
from judge_polars.report.records import timestamp_text
from judge_polars.report.summary import WORSE, Rate
from judge_polars.report.told import Explanations, Teller, grouped
from judge_polars.report.veil import Veil
from judge_polars.sources import Rows
from judge_polars.version import __version__
from judge_polars.vocabulary import BUCKETS, VERDICTS

if TYPE_CHECKING:
    from judge_polars.baselines import Difference
    from judge_polars.explain import Explanation
    from judge_polars.gate import GateResult

EXCERPTS: Final = 1_000
"""Case runs whose excerpts are looked up, where nothing else is said: each takes about a tenth of a second."""
MOST_TOLD: Final = 2_000
"""Case runs that have a part of their own."""
MOST_TRENDS: Final = 30
MOST_BESIDE: Final = 30

_LATEST: Final = """
    select eval_run_id
    from trend_runs
    where eval_run_id in (select eval_run_id from verdicts)
    order by started_at desc nulls last, eval_run_id desc
"""
_BESIDE: Final = """
    select code, document, detail, case_run_id
    from issues
    where
        case_run_id is null
        or (starts_with(case_run_id, ? || '/') and case_run_id not in (select case_run_id from verdicts))
    order by case_run_id nulls first, document nulls first, code, detail
"""
_TRENDS: Final = """
    select *
    from suite_trends
    where
        suite_id is not distinct from (select suite_id from trend_runs where eval_run_id = ?)
        and place <= (select place from trend_runs where eval_run_id = ?)
    qualify row_number() over (order by place desc) <= ?
    order by place
"""


@dataclass(frozen=True)
class Wanted:
    """What a report is to tell.

    Attributes:
        chosen: case runs that are told of; null means all of the eval run.
        difference: what the eval run is compared with; null with the reason in `no_difference`.
        command: that makes the same report.
        kept: whether the judgments are those of a history, which can be looked up.
        excerpts: case runs whose excerpts are looked up.
        explanations: looks them up.
    """

    eval_run_id: str
    gate: GateResult
    command: str
    explanations: Explanations
    difference: Difference | None = None
    no_difference: str = ""
    chosen: frozenset[str] | None = None
    kept: bool = True
    excerpts: int = EXCERPTS


def latest_eval_runs(source: Rows) -> list[str]:
    """Eval runs that have a verdict, the latest first."""
    return [str(key) for key in source.sql(_LATEST)["eval_run_id"]]


def gather(source: Rows, wanted: Wanted) -> Report:
    """Everything that a report on the eval run tells.

    Raises:
        InputError: the eval run has no verdict.
        NothingSelectedError: none of its case runs is chosen.
    """
    key, veil = wanted.eval_run_id, Veil()
    found = _rows(source, "select * from verdicts where eval_run_id = ? order by case_id, trial", key)
    every = [veil.row(row, row["case_run_id"]) for row in found]
    if not every:
        raise InputError(f"{key} has no judged case run; judge it first")
    chosen = [row for row in every if wanted.chosen is None or row["case_run_id"] in wanted.chosen]
    if not chosen:
        raise NothingSelectedError(f"none of the {len(every):,} case runs of {key} is selected")
    changes = {} if wanted.difference is None else {row["case_id"]: row["change"] for row in wanted.difference.cases}
    regressed = frozenset(case for case, change in changes.items() if change in WORSE)
    runs = grouped(chosen, regressed)[:MOST_TOLD]
    teller = Teller(source, key, veil)
    told = teller.tell(runs, explained(runs, wanted), wanted.excerpts)
    runs_of_suite = [veil.row(row, row["eval_run_id"]) for row in _rows(source, _TRENDS, key, key, MOST_TRENDS)]
    [counts] = _rows(source, "select * from eval_run_counts where eval_run_id = ?", key)
    invalid = [row for row in every if row["verdict"] == "invalid"]
    return Report(
        eval_run=runs_of_suite[-1],
        gate=wanted.gate,
        counts={verdict: sum(row["verdict"] == verdict for row in every) for verdict in VERDICTS},
        planned=counts["planned"],
        judged=len(every),
        pass_rate=_rate(counts, counts["passed"], counts["comparable"], "pass_rate"),
        invalid_rate=_rate(counts, counts["invalid"], counts["comparable"] + counts["invalid"], "invalid_rate"),
        invalid_by_cause=_tally(row["cause"] or "unrecorded" for row in invalid),
        codes=_tally(row["primary_failure_code"] for row in every if row["primary_failure_code"]),
        shown=len(runs) if len(runs) < len(every) else None,
        difference=wanted.difference,
        no_difference=wanted.no_difference,
        matrix=tuple(_matrix(source, key, chosen, changes, told.anchors, teller.buckets)),
        trends=tuple(runs_of_suite),
        groups=told.groups,
        shadow=told.shadow,
        beside=tuple(_beside(_rows(source, _BESIDE, key), veil)),
        masked=tuple(veil.told()),
        reproduce=tuple(_reproduce(source, every, wanted)),
    )


def explained(runs: Sequence[tuple[str, Row]], wanted: Wanted) -> Mapping[str, Explanation | None]:
    """The explanations of the first case runs that are no pass; None where the registry does not know the case."""
    ids = [row["case_run_id"] for _, row in runs if row["verdict"] != "pass"][: wanted.excerpts]
    found = {told.case_run_id: told for told in wanted.explanations(ids)} if ids else {}
    return {key: found.get(key) for key in ids}


def _rows(source: Rows, query: str, *parameters: object) -> list[Row]:
    return list(source.sql(query, list(parameters)).iter_rows(named=True))


def _rate(counts: Row, part: int, whole: int, name: str) -> Rate:
    return Rate(part, whole, counts[name], counts[f"{name}_low"], counts[f"{name}_high"])


def _tally(values: Iterator[str]) -> dict[str, int]:
    """Value -> how often, most often first, then by name."""
    return dict(sorted(Counter(values).items(), key=lambda one: (-one[1], one[0])))


def _matrix(
    source: Rows,
    eval_run_id: str,
    chosen: Sequence[Row],
    changes: Mapping[str, str],
    anchors: Mapping[str, str],
    buckets: Mapping[str, Sequence[Row]],
) -> Iterator[MatrixRow]:
    """A row per case: those that got worse, then those that fail, are invalid, pass; by id; then cases without a case run."""
    titles = dict(source.sql("select case_digest, title from cases").iter_rows())
    found = _rows(source, "select * from latest_case_verdicts where eval_run_id = ?", eval_run_id)
    trials: dict[str, list[Row]] = {}
    for row in chosen:
        trials.setdefault(row["case_id"], []).append(row)
    order = ("fail", "invalid", "pass")
    cases = [case for case in found if case["case_id"] in trials]
    for case in sorted(
        cases,
        key=lambda one: (changes.get(one["case_id"]) not in WORSE, order.index(one["verdict"]), one["case_id"]),
    ):
        key = case["case_id"]
        yield MatrixRow(
            case_id=key,
            title=titles.get(case["case_digest"]) or "",
            change=changes.get(key),
            verdict=case["verdict"],
            rate=_rate(case, case["passed"], case["comparable"], "pass_rate"),
            invalid=case["invalid"],
            cells=tuple(_cell(bucket, trials[key], buckets) for bucket in BUCKETS),
            anchor=anchors.get(key),
        )
    for key in sorted(case for case, change in changes.items() if change == "missing"):
        yield MatrixRow(key, "", "missing", None, Rate(0, 0, None, None, None), 0, (), None)


def _cell(bucket: str, trials: Sequence[Row], buckets: Mapping[str, Sequence[Row]]) -> Cell:
    rows = [one for row in trials for one in buckets.get(row["case_run_id"], ()) if one["bucket"] == bucket]
    counted = Counter(row["status"] or "none" for row in rows)
    lost = len(trials) - len(rows)
    if lost:
        counted["none"] += lost
    statuses = {status: counted[status] for status in ("fail", "partial", "none", "pass") if counted[status]}
    return Cell(any(row["configured"] for row in rows), statuses)


def _beside(rows: Sequence[Row], veil: Veil) -> Iterator[str]:
    for row in rows[:MOST_BESIDE]:
        whose = row["case_run_id"] or "the runs as a whole"
        where = f" {row['document']}" if row["document"] else ""
        yield veil(
            f"{whose}: {row['code'].replace('_', ' ')}{where}: {row['detail'] or ''}", "issues beside the case runs"
        )
    if len(rows) > MOST_BESIDE:
        yield f"… and {len(rows) - MOST_BESIDE:,} more"


def _reproduce(source: Rows, every: Sequence[Row], wanted: Wanted) -> Iterator[tuple[str, str]]:
    """Command, versions and digests; the judgments' own ids and times only where they can be looked up."""
    yield "command", wanted.command
    yield "reported by", ", ".join(f"{name} {found}" for name, found in _versions())
    used = {row["judgment_id"] for row in every}
    every_judgment = _rows(source, "select * from judgments order by judged_at, judgment_id")
    yield from dict.fromkeys(
        line for row in every_judgment if row["judgment_id"] in used for line in _judgment(row, kept=wanted.kept)
    )
    cases = sorted({(row["case_id"], row["case_version"], row["case_digest"]) for row in every})
    yield f"{len(cases):,} cases", digest_of(*(f"{case} {number} {digest}" for case, number, digest in cases))
    bundles = sorted(f"{row['case_run_id']} {row['bundle_digest']}" for row in every)
    yield f"{len(bundles):,} bundles", digest_of(*bundles)
    if wanted.difference is not None and wanted.difference.compared_with == "baseline":
        yield "baseline", f"{wanted.difference.other_eval_run_id} of {wanted.difference.suite_id}"


def _judgment(row: Row, *, kept: bool) -> Iterator[tuple[str, str]]:
    at = f", {row['judgment_id']} at {timestamp_text(row['judged_at'])}" if kept else ""
    yield "judged by", f"judge-polars {row['engine_version']}, semantics {row['semantics_version']}{at}"
    yield "registry", row["registry_digest"]
    for pack, digest in sorted(json.loads(row["pack_digests"]).items()):
        yield f"pack {pack}", digest


def _versions() -> Iterator[tuple[str, str]]:
    yield "judge-polars", __version__
    for name in ("polars", "duckdb"):
        try:
            yield name, version(name)
        except PackageNotFoundError:
            continue
