-- what: how a bucket did over time
-- grain: eval run, bucket that a judged case of it configures
-- reads: trend_runs, buckets_of, latest_judged_case_runs, case_buckets, wilson_low, wilson_high
-- rule: as suite_trends, for the statuses of one bucket (specification 60, bucket_trends): comparable are the case runs whose case
--       configures the bucket and that have buckets at all, whatever their verdict; the others are invalid
create or replace view bucket_trends as
with runs as materialized (
    from trend_runs
),

counted_cases as (
    select
        eval_run_id,
        case_id,
        case_digest,
        count(*) filter (where situation <> 'bundle_resolved') as invalid,
        count(*) filter (where situation <> 'bundle_resolved' and cause = 'agent') as invalid_by_agent,
        count(*) filter (where situation <> 'bundle_resolved' and cause = 'environment') as invalid_by_environment,
        count(*) filter (where situation <> 'bundle_resolved' and cause = 'provider') as invalid_by_provider,
        count(*) filter (where situation <> 'bundle_resolved' and cause = 'harness') as invalid_by_harness,
        count(*) filter (where situation <> 'bundle_resolved' and cause = 'case') as invalid_by_case,
        count(*) filter (where situation <> 'bundle_resolved' and cause is null) as invalid_by_unknown,
        [
            struct_pack(
                bucket := 'contract',
                passed := count(*) filter (where contract.status = 'pass'),
                partial := count(*) filter (where contract.status = 'partial'),
                failed := count(*) filter (where contract.status = 'fail'),
                score_sum := sum(try_cast(contract.score as decimal(28, 12)))
            ),
            struct_pack(
                bucket := 'workflow',
                passed := count(*) filter (where workflow.status = 'pass'),
                partial := count(*) filter (where workflow.status = 'partial'),
                failed := count(*) filter (where workflow.status = 'fail'),
                score_sum := sum(try_cast(workflow.score as decimal(28, 12)))
            ),
            struct_pack(
                bucket := 'execution_contract',
                passed := count(*) filter (where execution_contract.status = 'pass'),
                partial := count(*) filter (where execution_contract.status = 'partial'),
                failed := count(*) filter (where execution_contract.status = 'fail'),
                score_sum := sum(try_cast(execution_contract.score as decimal(28, 12)))
            ),
            struct_pack(
                bucket := 'evidence_collection',
                passed := count(*) filter (where evidence_collection.status = 'pass'),
                partial := count(*) filter (where evidence_collection.status = 'partial'),
                failed := count(*) filter (where evidence_collection.status = 'fail'),
                score_sum := sum(try_cast(evidence_collection.score as decimal(28, 12)))
            ),
            struct_pack(
                bucket := 'critical_evidence',
                passed := count(*) filter (where critical_evidence.status = 'pass'),
                partial := count(*) filter (where critical_evidence.status = 'partial'),
                failed := count(*) filter (where critical_evidence.status = 'fail'),
                score_sum := sum(try_cast(critical_evidence.score as decimal(28, 12)))
            ),
            struct_pack(
                bucket := 'evidence_routing',
                passed := count(*) filter (where evidence_routing.status = 'pass'),
                partial := count(*) filter (where evidence_routing.status = 'partial'),
                failed := count(*) filter (where evidence_routing.status = 'fail'),
                score_sum := sum(try_cast(evidence_routing.score as decimal(28, 12)))
            ),
            struct_pack(
                bucket := 'diagnosis',
                passed := count(*) filter (where diagnosis.status = 'pass'),
                partial := count(*) filter (where diagnosis.status = 'partial'),
                failed := count(*) filter (where diagnosis.status = 'fail'),
                score_sum := sum(try_cast(diagnosis.score as decimal(28, 12)))
            )
        ] as statuses
    from buckets_of('latest_judged_case_runs')
    group by eval_run_id, case_id, case_digest
),

one_row_per_bucket as (
    select
        * exclude (statuses),
        unnest(statuses) as status
    from counted_cases
),

cases as materialized (
    select
        one_row_per_bucket.* exclude (status),
        case_buckets.bucket,
        one_row_per_bucket.status.passed as passed,
        one_row_per_bucket.status.partial as partial,
        one_row_per_bucket.status.failed as failed,
        one_row_per_bucket.status.passed + one_row_per_bucket.status.partial + one_row_per_bucket.status.failed as comparable,
        one_row_per_bucket.status.score_sum as score_sum
    from one_row_per_bucket
    inner join case_buckets
        on
            one_row_per_bucket.case_digest = case_buckets.case_digest
            and one_row_per_bucket.status.bucket = case_buckets.bucket
),

counted as (
    select
        eval_run_id,
        bucket,
        sum(comparable)::bigint as comparable,
        sum(passed)::bigint as passed,
        sum(partial)::bigint as partial,
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
    group by eval_run_id, bucket
),

matched as (
    select
        this.eval_run_id,
        this.bucket,
        count(*) as pairs,
        sum(this.passed) / sum(this.comparable) as pass_rate,
        sum(previous.passed) / sum(previous.comparable) as previous_pass_rate
    from runs
    inner join cases as this using (eval_run_id)
    inner join cases as previous
        on
            runs.previous_eval_run_id = previous.eval_run_id
            and this.case_digest = previous.case_digest
            and this.bucket = previous.bucket
    where this.comparable > 0 and previous.comparable > 0
    group by this.eval_run_id, this.bucket
)

select
    runs.suite_id,
    eval_run_id,
    bucket,
    runs.place,
    runs.started_at,
    runs.suite_version,
    runs.agent_name,
    runs.agent_version,
    runs.agent_model,
    runs.planned,
    runs.found,
    counted.comparable,
    counted.passed,
    counted.partial,
    counted.failed,
    counted.invalid,
    counted.invalid_by_agent,
    counted.invalid_by_environment,
    counted.invalid_by_provider,
    counted.invalid_by_harness,
    counted.invalid_by_case,
    counted.invalid_by_unknown,
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
inner join counted using (eval_run_id)
left join matched using (eval_run_id, bucket);

comment on view bucket_trends is 'how each bucket did over time, by the latest judgments';
comment on column bucket_trends.suite_id is 'the suite, or null';
comment on column bucket_trends.eval_run_id is 'the eval run';
comment on column bucket_trends.bucket is 'the bucket';
comment on column bucket_trends.place is 'place of the eval run among those of the suite, from 1';
comment on column bucket_trends.started_at is 'when it started, else when the earliest of its case runs did, else null';
comment on column bucket_trends.suite_version is 'as the eval run recorded it, or null';
comment on column bucket_trends.agent_name is 'as the eval run recorded it, or null';
comment on column bucket_trends.agent_version is 'as the eval run recorded it, or null';
comment on column bucket_trends.agent_model is 'as the eval run recorded it, or null';
comment on column bucket_trends.planned is 'cases of the suite x trials; null where the suite is unknown';
comment on column bucket_trends.found is 'case runs on disk whose case a registry knows';
comment on column bucket_trends.comparable is 'case runs that have buckets and whose case configures this one';
comment on column bucket_trends.passed is 'of these, those where it is pass';
comment on column bucket_trends.partial is 'of these, those where it is partial';
comment on column bucket_trends.failed is 'of these, those where it is fail';
comment on column bucket_trends.invalid is 'case runs without buckets whose case configures this one';
comment on column bucket_trends.invalid_by_agent is 'case runs without buckets by cause: agent';
comment on column bucket_trends.invalid_by_environment is 'case runs without buckets by cause: environment';
comment on column bucket_trends.invalid_by_provider is 'case runs without buckets by cause: provider';
comment on column bucket_trends.invalid_by_harness is 'case runs without buckets by cause: harness';
comment on column bucket_trends.invalid_by_case is 'case runs without buckets by cause: case';
comment on column bucket_trends.invalid_by_unknown is 'case runs without buckets and without a cause';
comment on column bucket_trends.pass_rate is 'passed / comparable; null without a comparable case run';
comment on column bucket_trends.pass_rate_low is 'lower end of its 95 % Wilson interval';
comment on column bucket_trends.pass_rate_high is 'upper end of its 95 % Wilson interval';
comment on column bucket_trends.pass_rate_if_invalid_failed is 'what the pass rate would be if the bucket had failed in every invalid case run';
comment on column bucket_trends.pass_rate_if_invalid_passed is 'what the pass rate would be if the bucket had passed in every invalid case run';
comment on column bucket_trends.invalid_rate is 'invalid / (comparable + invalid)';
comment on column bucket_trends.invalid_rate_low is 'lower end of its 95 % Wilson interval';
comment on column bucket_trends.invalid_rate_high is 'upper end of its 95 % Wilson interval';
comment on column bucket_trends.mean_score is 'mean score of the bucket in the comparable case runs; null where it is not scored';
comment on column bucket_trends.segment is 'number of the segment of the eval run in the suite, from 1; it rises where the meaning of the verdicts changes';
comment on column bucket_trends.matched_pairs is 'pairs of case and case digest that this and the previous eval run have comparable';
comment on column bucket_trends.matched_pass_rate is 'pass rate over these pairs; null where there is none';
comment on column bucket_trends.previous_matched_pass_rate is 'pass rate of the previous eval run over these pairs';
comment on column bucket_trends.mixed_semantics is 'whether its verdicts come from judgments with different digests; rejudge is the remedy';
