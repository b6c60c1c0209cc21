-- what: judged case runs that the table of superseded ones has wrongly
-- grain: judged_key
-- reads: superseded_case_runs, superseded_among, judged_case_runs
-- rule: superseded is what a later judgment judged again; no row on sound data (specification 60)
create or replace view audit_superseded_case_runs as
with expected as (
    select judged_key
    from superseded_among('judged_case_runs')
),

found as (
    select
        judged_key,
        count(*) as times
    from superseded_case_runs
    group by judged_key
)

select
    judged_key,
    case
        when found.times is null then 'not marked as superseded'
        when expected.judged_key is null then 'marked, and no later judgment judged it'
        else 'marked more than once'
    end as problem
from expected
full join found using (judged_key)
where found.times is null or expected.judged_key is null or found.times > 1;

comment on view audit_superseded_case_runs is 'judged case runs that the table of superseded ones has wrongly';
comment on column audit_superseded_case_runs.judged_key is 'row of judged_case_runs';
comment on column audit_superseded_case_runs.problem is 'what is wrong';
