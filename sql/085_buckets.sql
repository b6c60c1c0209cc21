-- what: the buckets in the order in which they stand everywhere
-- grain: bucket
-- reads: nothing
-- rule: the table of statuses of specification 50, "Bucket status"
create or replace table buckets as
select
    bucket,
    position
from (
    values
    ('contract', 1),
    ('workflow', 2),
    ('execution_contract', 3),
    ('evidence_collection', 4),
    ('critical_evidence', 5),
    ('evidence_routing', 6),
    ('diagnosis', 7)
) as rows_of_buckets (bucket, position);

comment on table buckets is 'the buckets in the order in which they stand everywhere';
comment on column buckets.bucket is 'name of the bucket';
comment on column buckets.position is 'its place, from 1';
