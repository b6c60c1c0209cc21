-- what: how often a failure code came up over time
-- grain: eval run, primary failure code that came up in its suite
-- reads: trend_runs, decisions_of, latest_judged_case_runs, verdict_precedence, wilson_low, wilson_high
-- rule: as suite_trends, for one primary failure code (specification 60, failure_code_trends): the rate of a code that makes a fail is over
--       the comparable case runs, of one that makes an invalid over all that are judged; an eval run in which the code did not come up has
--       it 0 times
create or replace view failure_code_trends as
with runs as materialized (
    from trend_runs
),

outcomes as materialized (
    select
        eval_run_id,
        case_id,
        case_digest,
        verdict,
        primary_failure_code,
        cause,
        count(*) as case_runs,
        sum(try_cast(score as decimal(28, 12))) as score_sum
    from decisions_of('latest_judged_case_runs')
    group by eval_run_id, case_id, case_digest, verdict, primary_failure_code, cause
),

totals as (
    select
        eval_run_id,
        coalesce(sum(case_runs) filter (where verdict in ('pass', 'fail')), 0)::bigint as comparable,
        coalesce(sum(case_runs) filter (where verdict = 'pass'), 0)::bigint as passed,
        coalesce(sum(case_runs) filter (where verdict = 'fail'), 0)::bigint as failed,
        coalesce(sum(case_runs) filter (where verdict = 'invalid'), 0)::bigint as invalid,
        coalesce(sum(case_runs) filter (where verdict = 'invalid' and cause = 'agent'), 0)::bigint as invalid_by_agent,
        coalesce(sum(case_runs) filter (where verdict = 'invalid' and cause = 'environment'), 0)::bigint as invalid_by_environment,
        coalesce(sum(case_runs) filter (where verdict = 'invalid' and cause = 'provider'), 0)::bigint as invalid_by_provider,
        coalesce(sum(case_runs) filter (where verdict = 'invalid' and cause = 'harness'), 0)::bigint as invalid_by_harness,
        coalesce(sum(case_runs) filter (where verdict = 'invalid' and cause = 'case'), 0)::bigint as invalid_by_case,
        coalesce(sum(case_runs) filter (where verdict = 'invalid' and cause is null), 0)::bigint as invalid_by_unknown
    from outcomes
    group by eval_run_id
),

codes_of_suites as (
    select distinct
        runs.suite_id,
        verdict_precedence.code,
        verdict_precedence.verdict
    from outcomes
    inner join runs using (eval_run_id)
    inner join verdict_precedence on outcomes.primary_failure_code = verdict_precedence.code
),

cases as (
    select
        eval_run_id,
        case_id,
        case_digest,
        coalesce(sum(case_runs) filter (where verdict in ('pass', 'fail')), 0) as comparable,
        sum(case_runs) as judged
    from outcomes
    group by eval_run_id, case_id, case_digest
),

codes as (
    select
        outcomes.eval_run_id,
        outcomes.case_id,
        outcomes.case_digest,
        outcomes.primary_failure_code as code,
        verdict_precedence.verdict,
        sum(outcomes.case_runs) as case_runs,
        sum(outcomes.score_sum) as score_sum
    from outcomes
    inner join verdict_precedence on outcomes.primary_failure_code = verdict_precedence.code
    group by
        outcomes.eval_run_id,
        outcomes.case_id,
        outcomes.case_digest,
        outcomes.primary_failure_code,
        verdict_precedence.verdict
),

counted as (
    select
        eval_run_id,
        code,
        sum(case_runs)::bigint as case_runs,
        sum(score_sum)::double as score_sum
    from codes
    group by eval_run_id, code
),

pairs as (
    select
        this.eval_run_id,
        this.case_id,
        this.case_digest,
        runs.previous_eval_run_id,
        kinds.verdict,
        case when kinds.verdict = 'fail' then this.comparable else this.judged end as base,
        case when kinds.verdict = 'fail' then previous.comparable else previous.judged end as previous_base
    from runs
    inner join cases as this using (eval_run_id)
    inner join cases as previous
        on
            runs.previous_eval_run_id = previous.eval_run_id
            and this.case_digest = previous.case_digest
    cross join (values ('fail'), ('invalid')) as kinds (verdict)
    where kinds.verdict = 'invalid' or (this.comparable > 0 and previous.comparable > 0)
),

matched as (
    select
        eval_run_id,
        verdict,
        count(*) as pairs,
        sum(base) as base,
        sum(previous_base) as previous_base
    from pairs
    group by eval_run_id, verdict
),

sides as (
    select
        eval_run_id,
        false as is_previous,
        eval_run_id as side_eval_run_id,
        case_id,
        case_digest,
        verdict
    from pairs
    union all
    select
        eval_run_id,
        true as is_previous,
        previous_eval_run_id as side_eval_run_id,
        case_id,
        case_digest,
        verdict
    from pairs
),

matched_codes as (
    select
        sides.eval_run_id,
        codes.code,
        coalesce(sum(codes.case_runs) filter (where not sides.is_previous), 0) as case_runs,
        coalesce(sum(codes.case_runs) filter (where sides.is_previous), 0) as previous_case_runs
    from sides
    inner join codes
        on
            sides.side_eval_run_id = codes.eval_run_id
            and sides.case_id = codes.case_id
            and sides.case_digest = codes.case_digest
            and sides.verdict = codes.verdict
    group by sides.eval_run_id, codes.code
),

rated as (
    select
        runs.suite_id,
        runs.eval_run_id,
        codes_of_suites.code,
        codes_of_suites.verdict,
        coalesce(counted.case_runs, 0) as case_runs,
        counted.score_sum,
        coalesce(case when codes_of_suites.verdict = 'fail' then totals.comparable else totals.comparable + totals.invalid end, 0) as base,
        case when codes_of_suites.verdict = 'fail' then totals.invalid else 0 end as unknown,
        totals.* exclude (eval_run_id)
    from runs
    inner join codes_of_suites on runs.suite_id is not distinct from codes_of_suites.suite_id
    left join totals using (eval_run_id)
    left join counted on runs.eval_run_id = counted.eval_run_id and codes_of_suites.code = counted.code
)

select
    runs.suite_id,
    eval_run_id,
    code,
    rated.verdict,
    runs.place,
    runs.started_at,
    runs.suite_version,
    runs.agent_name,
    runs.agent_version,
    runs.agent_model,
    runs.planned,
    runs.found,
    coalesce(rated.comparable, 0) as comparable,
    coalesce(rated.passed, 0) as passed,
    coalesce(rated.failed, 0) as failed,
    coalesce(rated.invalid, 0) as invalid,
    coalesce(rated.invalid_by_agent, 0) as invalid_by_agent,
    coalesce(rated.invalid_by_environment, 0) as invalid_by_environment,
    coalesce(rated.invalid_by_provider, 0) as invalid_by_provider,
    coalesce(rated.invalid_by_harness, 0) as invalid_by_harness,
    coalesce(rated.invalid_by_case, 0) as invalid_by_case,
    coalesce(rated.invalid_by_unknown, 0) as invalid_by_unknown,
    rated.case_runs,
    rated.case_runs / nullif(rated.base, 0) as rate,
    wilson_low(rated.case_runs, rated.base) as rate_low,
    wilson_high(rated.case_runs, rated.base) as rate_high,
    rated.case_runs / nullif(rated.base + rated.unknown, 0) as rate_if_invalid_without,
    (rated.case_runs + rated.unknown) / nullif(rated.base + rated.unknown, 0) as rate_if_invalid_with,
    rated.invalid / nullif(rated.comparable + rated.invalid, 0) as invalid_rate,
    wilson_low(rated.invalid, rated.comparable + rated.invalid) as invalid_rate_low,
    wilson_high(rated.invalid, rated.comparable + rated.invalid) as invalid_rate_high,
    rated.score_sum / nullif(rated.case_runs, 0) as mean_score,
    runs.segment,
    coalesce(matched.pairs, 0) as matched_pairs,
    coalesce(matched_codes.case_runs, 0) / matched.base as matched_rate,
    coalesce(matched_codes.previous_case_runs, 0) / matched.previous_base as previous_matched_rate,
    runs.mixed_semantics
from rated
inner join runs using (eval_run_id)
left join matched using (eval_run_id, verdict)
left join matched_codes using (eval_run_id, code);

comment on view failure_code_trends is 'how often each primary failure code came up over time, by the latest judgments';
comment on column failure_code_trends.suite_id is 'the suite, or null';
comment on column failure_code_trends.eval_run_id is 'the eval run';
comment on column failure_code_trends.code is 'the primary failure code';
comment on column failure_code_trends.verdict is 'the verdict that it makes: fail or invalid';
comment on column failure_code_trends.place is 'place of the eval run among those of the suite, from 1';
comment on column failure_code_trends.started_at is 'when it started, else when the earliest of its case runs did, else null';
comment on column failure_code_trends.suite_version is 'as the eval run recorded it, or null';
comment on column failure_code_trends.agent_name is 'as the eval run recorded it, or null';
comment on column failure_code_trends.agent_version is 'as the eval run recorded it, or null';
comment on column failure_code_trends.agent_model is 'as the eval run recorded it, or null';
comment on column failure_code_trends.planned is 'case runs planned; null where the suite is unknown';
comment on column failure_code_trends.found is 'case runs on disk whose case a registry knows';
comment on column failure_code_trends.comparable is 'case runs that passed or failed';
comment on column failure_code_trends.passed is 'case runs that passed';
comment on column failure_code_trends.failed is 'case runs that failed';
comment on column failure_code_trends.invalid is 'case runs that are invalid';
comment on column failure_code_trends.invalid_by_agent is 'invalid case runs by cause: agent';
comment on column failure_code_trends.invalid_by_environment is 'invalid case runs by cause: environment';
comment on column failure_code_trends.invalid_by_provider is 'invalid case runs by cause: provider';
comment on column failure_code_trends.invalid_by_harness is 'invalid case runs by cause: harness';
comment on column failure_code_trends.invalid_by_case is 'invalid case runs by cause: case';
comment on column failure_code_trends.invalid_by_unknown is 'invalid case runs without a cause';
comment on column failure_code_trends.case_runs is 'case runs with this primary failure code';
comment on column failure_code_trends.rate is 'its share of the comparable case runs, of an invalid code of all judged ones';
comment on column failure_code_trends.rate_low is 'lower end of its 95 % Wilson interval';
comment on column failure_code_trends.rate_high is 'upper end of its 95 % Wilson interval';
comment on column failure_code_trends.rate_if_invalid_without is 'what the rate would be if no invalid case run had had the code';
comment on column failure_code_trends.rate_if_invalid_with is 'what the rate would be if every invalid case run had had the code; of an invalid code the rate itself';
comment on column failure_code_trends.invalid_rate is 'invalid / judged; null where nothing is judged';
comment on column failure_code_trends.invalid_rate_low is 'lower end of its 95 % Wilson interval';
comment on column failure_code_trends.invalid_rate_high is 'upper end of its 95 % Wilson interval';
comment on column failure_code_trends.mean_score is 'mean score of the case runs with this code; null for an invalid code';
comment on column failure_code_trends.segment is 'number of the segment of the eval run in the suite, from 1; it rises where the meaning of the verdicts changes';
comment on column failure_code_trends.matched_pairs is 'pairs of case and case digest that this and the previous eval run both have case runs of for the rate';
comment on column failure_code_trends.matched_rate is 'rate over these pairs; null where there is none';
comment on column failure_code_trends.previous_matched_rate is 'rate of the previous eval run over these pairs';
comment on column failure_code_trends.mixed_semantics is 'whether its verdicts come from judgments with different digests; rejudge is the remedy';
