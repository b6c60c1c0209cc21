"""What other thresholds would make of a history: the numeric rules of a registry, one edited, the case judged again."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import polars as pl

from judge_polars.errors import UsageError

if TYPE_CHECKING:
    from judge_polars.archive import History
    from judge_polars.registry import Registry

FACTORS: Final = (0.25, 0.5, 0.8, 0.9, 1.0, 1.1, 1.25, 2.0, 4.0)
"""The thresholds that are tried when none are given, as multiples of today's."""
_CHECK_LISTS: Final = ("checks", "hard_checks", "supporting_checks")
THRESHOLDS: Final = {
    "number": pl.Int64,
    "case_id": pl.String,
    "bucket": pl.String,
    "check_id": pl.String,
    "rule": pl.Int64,
    "match": pl.String,
    "series": pl.String,
    "threshold": pl.Float64,
}
SWEEP: Final = {
    "threshold": pl.Float64,
    "verdict": pl.String,
    "case_runs": pl.Int64,
    "today": pl.Boolean,
    "what": pl.String,
}


def thresholds(registry: Registry) -> pl.DataFrame:
    """The numeric rules in the `judge.yaml` of the cases: `number` (counted from 0, names a row to the other functions),
    `case_id`, `bucket`, `check_id`, `rule` (ordinal in the check, from 0), `match`, `series` (or null), `threshold`."""
    rows = [
        (case_id, bucket, check_id, rule, found.match, getattr(found, "series", None), float(found.threshold))
        for case_id in registry.cases
        for bucket, check_id, rule, found in _numeric_rules(registry, case_id)
    ]
    return pl.DataFrame([(number, *row) for number, row in enumerate(rows)], schema=THRESHOLDS, orient="row")


def with_threshold(registry: Registry, number: int, value: float) -> Registry:
    """The registry with one threshold changed; the one that is given stays as it is.

    Args:
        number: of a row of `thresholds`.

    Raises:
        UsageError: there is no such row.
    """
    every = thresholds(registry)
    if not 0 <= number < every.height:
        raise UsageError(f"threshold {number}: this registry has {every.height}; `thresholds` lists them")
    meant = every.row(number, named=True)
    entry = registry.cases[meant["case_id"]]
    edited = replace(
        registry,
        cases={**registry.cases, meant["case_id"]: replace(entry, policy=entry.policy.model_copy(deep=True))},
    )
    for bucket, check_id, rule, found in _numeric_rules(edited, meant["case_id"]):
        if (bucket, check_id, rule) == (meant["bucket"], meant["check_id"], meant["rule"]):
            found.threshold = value
    return edited


def with_factor(registry: Registry, number: int, factor: float) -> Registry:
    """The registry with one threshold times a factor; as it is where it has no such threshold.

    Args:
        number: of a row of `thresholds`.
    """
    every = thresholds(registry)
    if not 0 <= number < every.height:
        return registry
    return with_threshold(registry, number, every["threshold"][number] * factor)


def threshold_sweep(
    history: History, registry: Registry, number: int = 0, values: Sequence[float] | None = None
) -> pl.DataFrame:
    """The verdicts of a case's stored case runs at each of several thresholds; nothing is kept.

    One row per threshold and verdict: `threshold`, `verdict`, `case_runs`, `today` (whether it is the registry's), `what`
    (the rule in words).  Without rows where the registry has no such threshold or the history no case run of its case.

    Args:
        number: of a row of `thresholds`.
        values: the thresholds; None: multiples of today's (`FACTORS`).
    """
    every = thresholds(registry)
    if not 0 <= number < every.height:
        return pl.DataFrame(schema=SWEEP)
    meant = every.row(number, named=True)
    stored = history.sql("select count(*) from verdicts where case_id = ?", [meant["case_id"]]).item()
    if not stored:
        return pl.DataFrame(schema=SWEEP)
    today = meant["threshold"]
    tried = sorted({today, *(values if values is not None else (today * factor for factor in FACTORS))})
    of_series = f" of {meant['series']}" if meant["series"] else ""
    what = f"{meant['check_id']}: {meant['match']}{of_series}, {meant['case_id']}"
    frames = [_verdicts_at(history, registry, number, value, meant["case_id"]) for value in tried]
    return (
        pl.concat(frames).with_columns(today=pl.col("threshold") == today, what=pl.lit(what)).select(*SWEEP).cast(SWEEP)  # type: ignore[arg-type]
    )


def _verdicts_at(history: History, registry: Registry, number: int, value: float, case_id: str) -> pl.DataFrame:
    """`threshold`, `verdict`, `case_runs` of a case with another threshold."""
    condition = "case_id = '{}'".format(case_id.replace("'", "''"))
    judgment = history.recall(with_threshold(registry, number, value), where=condition)
    counted = judgment.verdicts.group_by("verdict").agg(case_runs=pl.len()).sort("verdict")
    return counted.with_columns(threshold=pl.lit(value, pl.Float64))


def _numeric_rules(registry: Registry, case_id: str) -> Iterator[tuple[str, str, int, Any]]:
    """Bucket, check id, ordinal and model of each rule with a threshold in a case's `judge.yaml`."""
    judge = registry.cases[case_id].policy.judge
    for bucket in type(judge).model_fields:
        section = getattr(judge, bucket)
        for name in _CHECK_LISTS:
            for check in getattr(section, name, None) or ():
                formula = check.need_and_rules()
                for rule, found in enumerate(formula[2] if formula else ()):
                    if getattr(found, "threshold", None) is not None:
                        yield bucket, check.id, rule, found
