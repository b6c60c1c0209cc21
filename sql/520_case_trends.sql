-- what: how a case did over time
-- grain: eval run, case that it planned, has case runs of or has verdicts of
-- reads: trend_runs, eval_run_suites, suite_cases, found_case_runs, trend_cases, judged_meanings, wilson_low, wilson_high
-- rule: as suite_trends, for one case of one suite (specification 60, case_trends): the segment rises where the case digest, the suite
--       version (which tells the aggregate), packs or semantics_version differ from those of the latest earlier eval run that judged
--       the case
create or replace view case_trends as
with runs as materialized (
    from trend_runs
),

digests as materialized (
    from trend_cases
),

planned as (
    select
        eval_run_suites.eval_run_id,
        suite_cases.case_id,
        eval_run_suites.trials as planned
    from eval_run_suites
    inner join suite_cases using (suite_digest)
),

found as (
    select
        eval_run_id,
        case_id,
        count(*) as found
    from found_case_runs
    group by eval_run_id, case_id
),

counted as (
    select
        eval_run_id,
        case_id,
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
    from digests
    group by eval_run_id, case_id
),

matched as (
    select
        this.eval_run_id,
        this.case_id,
        count(*) as pairs,
        sum(this.passed) / sum(this.comparable) as pass_rate,
        sum(previous.passed) / sum(previous.comparable) as previous_pass_rate
    from runs
    inner join digests as this using (eval_run_id)
    inner join digests as previous
        on
            runs.previous_eval_run_id = previous.eval_run_id
            and this.case_digest = previous.case_digest
    where this.comparable > 0 and previous.comparable > 0
    group by this.eval_run_id, this.case_id
),

judged as (
    select
        eval_run_id,
        case_id
    from counted
),

cases as (
    select
        eval_run_id,
        case_id,
        planned.planned,
        found.found
    from planned
    full join found using (eval_run_id, case_id)
    full join judged using (eval_run_id, case_id)
),

compared as (
    select
        eval_run_id,
        case_id,
        case when eval_run_suites.suite_digest is not null then coalesce(cases.planned, 0) end as planned,
        coalesce(cases.found, 0) as found,
        case
            when judged_meanings.case_digest is not null
                then struct_pack(
                    case_digest := judged_meanings.case_digest,
                    suite_version := runs.suite_version,
                    pack_digests := judged_meanings.pack_digests,
                    semantics_version := judged_meanings.semantics_version
                )
        end as meaning,
        coalesce(judged_meanings.mixed, false) as mixed_semantics
    from cases
    inner join runs using (eval_run_id)
    left join eval_run_suites using (eval_run_id)
    left join judged_meanings using (eval_run_id, case_id)
),

changes as (
    select
        compared.*,
        coalesce(
            compared.meaning <> lag(compared.meaning ignore nulls) over (
                partition by runs.suite_id, compared.case_id order by runs.place
            ),
            false
        ) as changed
    from compared
    inner join runs using (eval_run_id)
)

select
    runs.suite_id,
    eval_run_id,
    case_id,
    changes.meaning.case_digest as case_digest,
    runs.place,
    runs.started_at,
    runs.suite_version,
    runs.agent_name,
    runs.agent_version,
    runs.agent_model,
    changes.planned,
    changes.found,
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
    1 + count(*) filter (where changes.changed) over (
        partition by runs.suite_id, case_id order by runs.place
    ) as segment,
    coalesce(matched.pairs, 0) as matched_pairs,
    matched.pass_rate as matched_pass_rate,
    matched.previous_pass_rate as previous_matched_pass_rate,
    changes.mixed_semantics
from changes
inner join runs using (eval_run_id)
left join counted using (eval_run_id, case_id)
left join matched using (eval_run_id, case_id);

comment on view case_trends is 'how each case did over time, by the latest judgments';
comment on column case_trends.suite_id is 'the suite, or null';
comment on column case_trends.eval_run_id is 'the eval run';
comment on column case_trends.case_id is 'the case';
comment on column case_trends.case_digest is 'of the case in the registry that judged last, or null';
comment on column case_trends.place is 'place of the eval run among those of the suite, from 1';
comment on column case_trends.started_at is 'when it started, else when the earliest of its case runs did, else null';
comment on column case_trends.suite_version is 'as the eval run recorded it, or null';
comment on column case_trends.agent_name is 'as the eval run recorded it, or null';
comment on column case_trends.agent_version is 'as the eval run recorded it, or null';
comment on column case_trends.agent_model is 'as the eval run recorded it, or null';
comment on column case_trends.planned is 'trials that the suite plans of the case; null where the suite is unknown';
comment on column case_trends.found is 'case runs on disk whose case a registry knows';
comment on column case_trends.comparable is 'case runs that passed or failed';
comment on column case_trends.passed is 'case runs that passed';
comment on column case_trends.failed is 'case runs that failed';
comment on column case_trends.invalid is 'case runs that are invalid';
comment on column case_trends.invalid_by_agent is 'invalid case runs by cause: agent';
comment on column case_trends.invalid_by_environment is 'invalid case runs by cause: environment';
comment on column case_trends.invalid_by_provider is 'invalid case runs by cause: provider';
comment on column case_trends.invalid_by_harness is 'invalid case runs by cause: harness';
comment on column case_trends.invalid_by_case is 'invalid case runs by cause: case';
comment on column case_trends.invalid_by_unknown is 'invalid case runs without a cause';
comment on column case_trends.pass_rate is 'passed / comparable; null without a comparable case run';
comment on column case_trends.pass_rate_low is 'lower end of its 95 % Wilson interval';
comment on column case_trends.pass_rate_high is 'upper end of its 95 % Wilson interval';
comment on column case_trends.pass_rate_if_invalid_failed is 'what the pass rate would be if every invalid case run had failed';
comment on column case_trends.pass_rate_if_invalid_passed is 'what the pass rate would be if every invalid case run had passed';
comment on column case_trends.invalid_rate is 'invalid / judged; null where nothing is judged';
comment on column case_trends.invalid_rate_low is 'lower end of its 95 % Wilson interval';
comment on column case_trends.invalid_rate_high is 'upper end of its 95 % Wilson interval';
comment on column case_trends.mean_score is 'mean score of the comparable case runs';
comment on column case_trends.segment is 'number of the segment of the case in the suite, from 1; it rises where the meaning of the verdicts changes';
comment on column case_trends.matched_pairs is 'case digests that this and the previous eval run of the suite have comparable case runs of';
comment on column case_trends.matched_pass_rate is 'pass rate over these; null where there is none';
comment on column case_trends.previous_matched_pass_rate is 'pass rate of the previous eval run over these';
comment on column case_trends.mixed_semantics is 'whether its verdicts come from judgments with different digests; rejudge is the remedy';
