-- what: buckets that are configured without checks, or have checks without being configured
-- grain: case digest, bucket
-- reads: case_buckets, checks
-- rule: a configured bucket has a check (specification 10); no row on sound data (specification 60)
create or replace view audit_buckets_and_checks as
with counted as (
    select
        case_digest,
        bucket,
        count(*) as checks
    from checks
    group by case_digest, bucket
)

select
    case_digest,
    bucket,
    case_buckets.bucket is not null as configured,
    coalesce(counted.checks, 0) as checks
from case_buckets
full join counted using (case_digest, bucket)
where case_buckets.bucket is null or counted.checks is null;

comment on view audit_buckets_and_checks is 'buckets that are configured without checks, or have checks without being configured';
comment on column audit_buckets_and_checks.case_digest is 'the case';
comment on column audit_buckets_and_checks.bucket is 'the bucket';
comment on column audit_buckets_and_checks.configured is 'whether case_buckets has it';
comment on column audit_buckets_and_checks.checks is 'number of its checks';
