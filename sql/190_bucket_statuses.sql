-- what: status and score of every bucket
-- grain: judgment, case run, bucket
-- reads: judged_case_runs, buckets_of, buckets
-- rule: specification 50, "Bucket status"; a run without a bundle has a row per bucket with nulls
create or replace view bucket_statuses as
with one_row_per_bucket as (
    select
        judgment_id,
        case_run_id,
        unnest([
            contract, workflow, execution_contract, evidence_collection, critical_evidence, evidence_routing, diagnosis
        ]) as bucket,
        generate_subscripts([1, 2, 3, 4, 5, 6, 7], 1) as position
    from buckets_of('judged_case_runs')
)

select
    one_row_per_bucket.judgment_id,
    one_row_per_bucket.case_run_id,
    buckets.bucket,
    buckets.position,
    one_row_per_bucket.bucket.status as status,
    one_row_per_bucket.bucket.configured as configured,
    one_row_per_bucket.bucket.score as score,
    one_row_per_bucket.bucket.max_score as max_score
from one_row_per_bucket
inner join buckets using (position);

comment on view bucket_statuses is 'status and score of every bucket of every judged case run';
comment on column bucket_statuses.judgment_id is 'the judgment';
comment on column bucket_statuses.case_run_id is 'the case run';
comment on column bucket_statuses.bucket is 'the bucket';
comment on column bucket_statuses.position is 'place of the bucket in the order of the specification, from 1';
comment on column bucket_statuses.status is 'pass, partial or fail; null without a bundle';
comment on column bucket_statuses.configured is 'whether the case configures the bucket; one that it does not passes';
comment on column bucket_statuses.score is 'points; null where the bucket is not scored';
comment on column bucket_statuses.max_score is 'points that could be had; null where the bucket is not scored';
