"""Rows for charts that no single view has: queries over the views of a history, the latest judgments throughout.

Each function takes whatever answers SQL (a `History`, a `Judgment`) and gives a frame; the columns stand in its docstring.
"""

from __future__ import annotations

from typing import Final

import polars as pl

from judge_polars.sources import Rows

CHANNEL_STATES: Final = {
    "collection_attempted": "attempted",
    "channel_observed": "observed",
    "output_file_present": "persisted",
}
"""End of a built-in fact's name -> the word for it (specification 30, "Evidence")."""
EARLIER_RUNS: Final = 30
"""Eval runs before the one in question in which the first bad one is looked for."""


def case_map(source: Rows) -> pl.DataFrame:
    """One row per suite, eval run and case that it planned or ran: `suite_id`, `eval_run_id`, `place`, `case_id`, `verdict`
    (over the trials; null where nothing was judged), `passed`, `comparable`, `invalid`, `segment`."""
    return source.sql(
        """
        select
            trends.suite_id, trends.eval_run_id, trends.place, trends.case_id, verdicts_of_cases.verdict, trends.passed,
            trends.comparable, trends.invalid, trends.segment
        from case_trends as trends
        left join latest_case_verdicts as verdicts_of_cases
            on trends.eval_run_id = verdicts_of_cases.eval_run_id and trends.case_id = verdicts_of_cases.case_id
        order by trends.suite_id nulls last, trends.case_id, trends.place
        """
    )


def run_to_triage(source: Rows) -> str | None:
    """The latest eval run that regressed or lost a case, else the latest one; None in a history without eval runs."""
    found = source.sql(
        """
        with bad as (
            select eval_run_id, count_if(change in ('regressed', 'missing')) > 0 as is_bad
            from baseline_regressions
            group by eval_run_id
        )

        select trends.eval_run_id
        from suite_trends as trends
        left join bad using (eval_run_id)
        where trends.comparable + trends.invalid > 0
        order by coalesce(bad.is_bad, false) desc, trends.started_at desc nulls last, trends.eval_run_id desc
        limit 1
        """
    )["eval_run_id"]
    return None if found.is_empty() else str(found[0])


def comparison(source: Rows, eval_run_id: str | None) -> pl.DataFrame:
    """The cases of an eval run against the active baseline of its suite, else against the eval run before it.

    One row per case: `case_id`, `compared_with` (baseline or eval_run), `other_eval_run_id`, `change`, `verdict` and
    `other_verdict` (null where a side lacks the case), `first_worse_bucket`, `score_change` (points of 100), `evidence`,
    `p_value`, `q_value`.
    """
    columns = "first_worse_bucket, score_change, evidence, p_value, q_value"
    against_baseline = source.sql(
        f"""
        select
            case_id, 'baseline' as compared_with, baseline_eval_run_id as other_eval_run_id, change, verdict,
            baseline_verdict as other_verdict, {columns}
        from baseline_regressions where eval_run_id = ? order by case_id
        """,
        [eval_run_id],
    )
    if not against_baseline.is_empty():
        return against_baseline
    before = source.sql("select previous_eval_run_id from trend_runs where eval_run_id = ?", [eval_run_id]).to_series()
    other = before[0] if before.len() else None
    return source.sql(
        f"""
        select
            case_id, 'eval_run' as compared_with, cast(? as varchar) as other_eval_run_id, change, verdict,
            other_verdict, {columns}
        from eval_run_regressions(?, ?)
        where cast(? as varchar) is not null
        order by case_id
        """,
        [other, eval_run_id, other, other],
    )


def other_run(compared: pl.DataFrame) -> str | None:
    """The eval run that a `comparison` compares with; None where there is nothing to compare."""
    return None if compared.is_empty() else compared["other_eval_run_id"][0]


def whole_suite(source: Rows, eval_run_id: str | None, compared: pl.DataFrame) -> pl.DataFrame:
    """The row of `suite_comparison` that belongs to a `comparison`; without rows where there is none."""
    kind = None if compared.is_empty() else compared["compared_with"][0]
    return source.sql(
        "from suite_comparison where eval_run_id = ? and compared_with = ? and other_eval_run_id = ?",
        [eval_run_id, kind, other_run(compared)],
    )


def first_bad_runs(source: Rows, eval_run_id: str | None) -> pl.DataFrame:
    """Since which eval run each check that is bad in an eval run has been bad without a break.

    One row per check that is bad in `eval_run_id` and eval run of the suite up to it: `case_id`, `bucket`, `layer`,
    `check_id`, `position`, `eval_run_id`, `place`, `case_runs`, `passed`, `bad` (at most half of its case runs pass the
    check), `first_bad`.  An eval run that judged no case run of the case has no row.
    """
    outcomes = source.sql(
        """
        with this_run as (
            select suite_id, place from trend_runs where eval_run_id = ?
        )

        select
            checked.case_id, results.bucket, results.layer, results.check_id, min(results.position) as position,
            checked.eval_run_id, runs.place, count(*) as case_runs, count_if(results.passed) as passed
        from verdicts as checked
        inner join check_results as results using (judgment_id, case_run_id)
        inner join trend_runs as runs on checked.eval_run_id = runs.eval_run_id
        inner join this_run
            on runs.suite_id is not distinct from this_run.suite_id
            and runs.place between this_run.place - ? and this_run.place
        group by checked.case_id, results.bucket, results.layer, results.check_id, checked.eval_run_id, runs.place
        """,
        [eval_run_id, EARLIER_RUNS],
    )
    key = ["case_id", "bucket", "layer", "check_id"]
    judged = outcomes.with_columns(bad=2 * pl.col("passed") <= pl.col("case_runs"))
    bad_now = judged.filter((pl.col("eval_run_id") == pl.lit(eval_run_id, pl.String)) & pl.col("bad")).select(key)
    last_good = pl.col("place").filter(~pl.col("bad")).max().over(key).fill_null(0)
    since_good = pl.col("place").filter(pl.col("place") > pl.col("last_good")).min().over(key)
    return (
        judged.join(bad_now, on=key, how="semi", nulls_equal=True)
        .with_columns(last_good=last_good)
        .with_columns(first_bad=pl.col("place") == since_good)
        .drop("last_good")
        .sort("case_id", "position", "place")
    )


def fact_differences(source: Rows, eval_run_id: str | None, other_eval_run_id: str | None) -> pl.DataFrame:
    """Boolean facts that hold more or less often than in another eval run, over the cases that both have.

    One row per fact that differs, the largest difference first: `fact`, `share`, `other_share` (0 to 1, of the case runs
    that know the fact), `difference`, `case_runs`, `other_case_runs`.
    """
    return source.sql(
        """
        with known as (
            select runs.case_id, runs.eval_run_id = ? as is_this, facts.fact, facts.boolean as holds
            from facts
            inner join case_runs as runs using (case_run_id)
            where runs.eval_run_id in (?, ?) and facts.boolean is not null
        ),

        shared as (
            select case_id from known group by case_id having count(distinct is_this) = 2
        ),

        compared as (
            select
                fact,
                avg(holds::int) filter (where is_this) as share,
                avg(holds::int) filter (where not is_this) as other_share,
                count_if(is_this) as case_runs,
                count_if(not is_this) as other_case_runs
            from known
            inner join shared using (case_id)
            group by fact
        )

        select fact, share, other_share, share - other_share as difference, case_runs, other_case_runs
        from compared
        where share <> other_share
        order by abs(share - other_share) desc, fact
        """,
        [eval_run_id, eval_run_id, other_eval_run_id],
    )


def channels(source: Rows) -> pl.DataFrame:
    """How many case runs attempted, observed and persisted each evidence channel.

    One row per suite, eval run, channel and state: `suite_id`, `eval_run_id`, `place`, `channel`, `state` (attempted,
    observed, persisted), `case_runs` (that know the fact), `holds`, `share` (0 to 1).
    """
    facts = source.sql(
        """
        select
            runs.suite_id, runs.eval_run_id, runs.place, facts.fact, count(*) as case_runs,
            count_if(facts.boolean) as holds
        from facts
        inner join case_runs using (case_run_id)
        inner join trend_runs as runs on case_runs.eval_run_id = runs.eval_run_id
        where facts.boolean is not null and facts.fact <> 'evidence.query_or_metric_channel_observed'
        group by runs.suite_id, runs.eval_run_id, runs.place, facts.fact
        """
    )
    ends = "|".join(CHANNEL_STATES)
    parts = pl.col("fact").str.extract_groups(rf"^evidence\.(?P<channel>\w+?)_(?P<state>{ends})$")
    return (
        facts.with_columns(parts.alias("parts"))
        .unnest("parts")
        .filter(pl.col("channel").is_not_null())
        .with_columns(
            state=pl.col("state").replace_strict(CHANNEL_STATES, return_dtype=pl.String),
            share=pl.col("holds") / pl.col("case_runs"),
        )
        .select("suite_id", "eval_run_id", "place", "channel", "state", "case_runs", "holds", "share")
        .sort("suite_id", "place", "channel", "state", nulls_last=True)
    )


def references(source: Rows) -> pl.DataFrame:
    """How many references of analysis patches dangle.

    One row per suite, eval run and channel: `suite_id`, `eval_run_id`, `place`, `channel`, `refs`, `dangling`, `share`.
    """
    return source.sql(
        """
        select
            runs.suite_id, runs.eval_run_id, runs.place, refs.channel, count(*) as refs,
            count_if(not refs.resolved) as dangling, count_if(not refs.resolved) / count(*) as share
        from routing_refs as refs
        inner join case_runs using (case_run_id)
        inner join trend_runs as runs on case_runs.eval_run_id = runs.eval_run_id
        group by runs.suite_id, runs.eval_run_id, runs.place, refs.channel
        order by runs.suite_id nulls last, runs.place, refs.channel
        """
    )


def grounding(source: Rows) -> pl.DataFrame:
    """Evidence against diagnosis: one row per suite, eval run and class: `suite_id`, `eval_run_id`, `place`, `class`
    (grounded, missed_signal, unsupported_claim, neither), `case_runs`."""
    return source.sql(
        """
        select runs.suite_id, runs.eval_run_id, runs.place, grounds.class, count(*) as case_runs
        from evidence_diagnosis as grounds
        inner join verdicts using (judgment_id, case_run_id)
        inner join trend_runs as runs on grounds.eval_run_id = runs.eval_run_id
        group by runs.suite_id, runs.eval_run_id, runs.place, grounds.class
        order by runs.suite_id nulls last, runs.place, grounds.class
        """
    )
