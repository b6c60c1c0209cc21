-- what: judged case runs whose parts of the id are not those of the id, or whose suite is unknown
-- grain: judged case run
-- reads: judged_case_runs, suites
-- rule: eval_run_id, case_id and trial are the parts of case_run_id, and a suite digest is that of a suite; no row on sound data
--       (specification 60)
create or replace view audit_case_run_parts as
with known as (
    select distinct suite_digest
    from suites
),

looked_at as (
    select
        this.judgment_id,
        this.case_run_id,
        case
            when coalesce(this.case_run_id <> concat_ws('/', this.eval_run_id, this.case_id, this.trial), true) then 'parts of another id'
            when this.suite_digest is not null and known.suite_digest is null then 'unknown suite_digest'
        end as problem
    from judged_case_runs as this
    left join known on this.suite_digest = known.suite_digest
)

select
    judgment_id,
    case_run_id,
    problem
from looked_at
where problem is not null;

comment on view audit_case_run_parts is 'judged case runs whose parts of the id are not those of the id, or whose suite is unknown';
comment on column audit_case_run_parts.judgment_id is 'the judgment';
comment on column audit_case_run_parts.case_run_id is 'the case run';
comment on column audit_case_run_parts.problem is 'what is wrong';
