-- what: how eval runs of a suite did over time
-- grain: eval run
-- reads: trend_runs, trend_cases, wilson_low, wilson_high
-- rule: specification 60, suite_trends; matched are the pairs of case and case digest (which covers the case's id) that this and the
--       previous eval run of the suite both have comparable case runs of; no line should be drawn from one segment to the next
create or replace view suite_trends as
with runs as materialized (
    from trend_runs
),

cases as materialized (
    from trend_cases
),

counted as (
    select
        eval_run_id,
        sum(comparable)::bigint as comparable,
        sum(passed)::bigint as passed,
        sum(failed)::bigint as failed,
        sum(invalid)::bigint as invalid,
        sum(invalid_by_agent)::bigint as invalid_by_agent,
        sum(invalid_by_environment)::bigint as invalid_by_environment,
        sum(invalid_by_provider)::bigint as invalid_by_provider,
        sum(invalid_by_harness)::bigint as invalid_by_harness,
        sum(invalid_by_case)::bigint as invalid_by_case,
        sum(invalid_by_unknown)::bigint as invalid_by_unknown,
        sum(score_sum)::double as score_sum
    from cases
    group by eval_run_id
),

matched as (
    select
        this.eval_run_id,
        count(*) as pairs,
        sum(this.passed) / sum(this.comparable) as pass_rate,
        sum(previous.passed) / sum(previous.comparable) as previous_pass_rate
    from runs
    inner join cases as this using (eval_run_id)
    inner join cases as previous
        on
            runs.previous_eval_run_id = previous.eval_run_id
            and this.case_digest = previous.case_digest
    where this.comparable > 0 and previous.comparable > 0
    group by this.eval_run_id
)

select
    runs.suite_id,
    runs.eval_run_id,
    runs.place,
    runs.started_at,
    runs.suite_version,
    runs.agent_name,
    runs.agent_version,
    runs.agent_model,
    runs.planned,
    runs.found,
    coalesce(counted.comparable, 0) as comparable,
    coalesce(counted.passed, 0) as passed,
    coalesce(counted.failed, 0) as failed,
    coalesce(counted.invalid, 0) as invalid,
    coalesce(counted.invalid_by_agent, 0) as invalid_by_agent,
    coalesce(counted.invalid_by_environment, 0) as invalid_by_environment,
    coalesce(counted.invalid_by_provider, 0) as invalid_by_provider,
    coalesce(counted.invalid_by_harness, 0) as invalid_by_harness,
    coalesce(counted.invalid_by_case, 0) as invalid_by_case,
    coalesce(counted.invalid_by_unknown, 0) as invalid_by_unknown,
    counted.passed / nullif(counted.comparable, 0) as pass_rate,
    wilson_low(counted.passed, counted.comparable) as pass_rate_low,
    wilson_high(counted.passed, counted.comparable) as pass_rate_high,
    counted.passed / nullif(counted.comparable + counted.invalid, 0) as pass_rate_if_invalid_failed,
    (counted.passed + counted.invalid) / nullif(counted.comparable + counted.invalid, 0) as pass_rate_if_invalid_passed,
    counted.invalid / nullif(counted.comparable + counted.invalid, 0) as invalid_rate,
    wilson_low(counted.invalid, counted.comparable + counted.invalid) as invalid_rate_low,
    wilson_high(counted.invalid, counted.comparable + counted.invalid) as invalid_rate_high,
    counted.score_sum / nullif(counted.comparable, 0) as mean_score,
    runs.segment,
    coalesce(matched.pairs, 0) as matched_pairs,
    matched.pass_rate as matched_pass_rate,
    matched.previous_pass_rate as previous_matched_pass_rate,
    runs.mixed_semantics
from runs
left join counted using (eval_run_id)
left join matched using (eval_run_id);

comment on view suite_trends is 'how the eval runs of each suite did over time, by the latest judgments';
comment on column suite_trends.suite_id is 'the suite, or null';
comment on column suite_trends.eval_run_id is 'the eval run';
comment on column suite_trends.place is 'its place among the eval runs of the suite, from 1';
comment on column suite_trends.started_at is 'when it started, else when the earliest of its case runs did, else null';
comment on column suite_trends.suite_version is 'as the eval run recorded it, or null';
comment on column suite_trends.agent_name is 'as the eval run recorded it, or null';
comment on column suite_trends.agent_version is 'as the eval run recorded it, or null';
comment on column suite_trends.agent_model is 'as the eval run recorded it, or null';
comment on column suite_trends.planned is 'case runs planned; null where the suite is unknown';
comment on column suite_trends.found is 'case runs on disk whose case a registry knows';
comment on column suite_trends.comparable is 'case runs that passed or failed';
comment on column suite_trends.passed is 'case runs that passed';
comment on column suite_trends.failed is 'case runs that failed';
comment on column suite_trends.invalid is 'case runs that are invalid';
comment on column suite_trends.invalid_by_agent is 'invalid case runs by cause: agent';
comment on column suite_trends.invalid_by_environment is 'invalid case runs by cause: environment';
comment on column suite_trends.invalid_by_provider is 'invalid case runs by cause: provider';
comment on column suite_trends.invalid_by_harness is 'invalid case runs by cause: harness';
comment on column suite_trends.invalid_by_case is 'invalid case runs by cause: case';
comment on column suite_trends.invalid_by_unknown is 'invalid case runs without a cause';
comment on column suite_trends.pass_rate is 'passed / comparable; null without a comparable case run';
comment on column suite_trends.pass_rate_low is 'lower end of its 95 % Wilson interval';
comment on column suite_trends.pass_rate_high is 'upper end of its 95 % Wilson interval';
comment on column suite_trends.pass_rate_if_invalid_failed is 'what the pass rate would be if every invalid case run had failed';
comment on column suite_trends.pass_rate_if_invalid_passed is 'what the pass rate would be if every invalid case run had passed';
comment on column suite_trends.invalid_rate is 'invalid / judged; null where nothing is judged';
comment on column suite_trends.invalid_rate_low is 'lower end of its 95 % Wilson interval';
comment on column suite_trends.invalid_rate_high is 'upper end of its 95 % Wilson interval';
comment on column suite_trends.mean_score is 'mean score of the comparable case runs';
comment on column suite_trends.segment is 'number of its segment in the suite, from 1; it rises where the meaning of the verdicts changes';
comment on column suite_trends.matched_pairs is 'pairs of case and case digest that this and the previous eval run have comparable';
comment on column suite_trends.matched_pass_rate is 'pass rate over these pairs; null where there is none';
comment on column suite_trends.previous_matched_pass_rate is 'pass rate of the previous eval run over these pairs';
comment on column suite_trends.mixed_semantics is 'whether its verdicts come from judgments with different digests; rejudge is the remedy';
