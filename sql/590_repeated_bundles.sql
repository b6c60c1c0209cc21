-- what: case runs whose documents and output are byte-identical
-- grain: case run with a bundle whose content another case run has, too
-- reads: bundles
-- rule: by content_digest, of resolved bundles; no error, but they count twice (specification 60)
create or replace view repeated_bundles as
with contents as (
    select
        content_digest,
        count(distinct case_run_id) as case_runs,
        min(case_run_id) as first_case_run_id
    from bundles
    where status = 'resolved'
    group by content_digest
    having count(distinct case_run_id) > 1
)

select distinct
    bundles.content_digest,
    bundles.case_run_id,
    contents.case_runs,
    contents.first_case_run_id
from bundles
inner join contents using (content_digest)
where bundles.status = 'resolved';

comment on view repeated_bundles is 'case runs whose documents and output are byte-identical with those of another case run';
comment on column repeated_bundles.content_digest is 'sha256 over document names and digests and the output text';
comment on column repeated_bundles.case_run_id is 'the case run';
comment on column repeated_bundles.case_runs is 'case runs with this content';
comment on column repeated_bundles.first_case_run_id is 'the first of them by name';
