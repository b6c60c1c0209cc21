-- what: judged case runs whose outcomes are not those of their checks
-- grain: judged case run
-- reads: judged_case_runs, check_outcomes, checks, situation_of
-- rule: a run with buckets has an outcome of each check of its case, none of them null; a run without has none; no row on sound data (specification 60)
create or replace view audit_missing_outcomes as
with checks_of_case as (
    select
        case_digest,
        count(*) as checks
    from checks
    group by case_digest
),

wanted as (
    select
        this.judged_key,
        this.judgment_id,
        this.case_run_id,
        case
            when situation_of(this.cause, this.has_output, this.bundle_status) = 'bundle_resolved' then coalesce(checks_of_case.checks, 0)
            else 0
        end as checks
    from judged_case_runs as this
    left join checks_of_case using (case_digest)
),

outcomes_of_run as (
    select
        judged_key,
        count(*) as outcomes,
        count(passed) as told
    from check_outcomes
    group by judged_key
)

select
    wanted.judgment_id,
    wanted.case_run_id,
    wanted.checks,
    coalesce(outcomes_of_run.outcomes, 0) as outcomes,
    coalesce(outcomes_of_run.told, 0) as told
from wanted
left join outcomes_of_run using (judged_key)
where
    wanted.checks <> coalesce(outcomes_of_run.outcomes, 0)
    or wanted.checks <> coalesce(outcomes_of_run.told, 0);

comment on view audit_missing_outcomes is 'judged case runs whose outcomes are not those of their checks';
comment on column audit_missing_outcomes.judgment_id is 'the judgment';
comment on column audit_missing_outcomes.case_run_id is 'the case run';
comment on column audit_missing_outcomes.checks is 'outcomes that there should be';
comment on column audit_missing_outcomes.outcomes is 'outcomes that there are';
comment on column audit_missing_outcomes.told is 'outcomes that are not null';
