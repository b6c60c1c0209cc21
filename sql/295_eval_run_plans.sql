-- what: what was planned for an eval run, and what is on disk of it
-- grain: eval run that has a record or a case run of a known case
-- reads: eval_runs, eval_run_suites, suite_cases, found_case_runs
-- rule: planned = cases of the suite x its trials, null where the suite is unknown; found = case runs on disk whose case is known; started at its started_at,
--       else with the earliest of its case runs (specification 60, suite_trends)
create or replace view eval_run_plans as
with planned as (
    select
        eval_run_suites.eval_run_id,
        count(*) * eval_run_suites.trials as planned
    from eval_run_suites
    inner join suite_cases using (suite_digest)
    group by eval_run_suites.eval_run_id, eval_run_suites.trials
),

found as (
    select
        eval_run_id,
        count(*) as found,
        min(started_at) as started_at
    from found_case_runs
    group by eval_run_id
)

select
    eval_run_id,
    eval_runs.suite_id,
    eval_runs.suite_version,
    coalesce(eval_runs.started_at, found.started_at) as started_at,
    eval_runs.agent_name,
    eval_runs.agent_version,
    eval_runs.agent_model,
    planned.planned,
    coalesce(found.found, 0) as found
from eval_runs
full join found using (eval_run_id)
left join planned using (eval_run_id);

comment on view eval_run_plans is 'what was planned for an eval run, and what is on disk of it';
comment on column eval_run_plans.eval_run_id is 'the eval run';
comment on column eval_run_plans.suite_id is 'its suite, or null';
comment on column eval_run_plans.suite_version is 'version of the suite as the eval run recorded it, or null';
comment on column eval_run_plans.started_at is 'when it started, else when the earliest of its case runs did, else null';
comment on column eval_run_plans.agent_name is 'as the eval run recorded it, or null';
comment on column eval_run_plans.agent_version is 'as the eval run recorded it, or null';
comment on column eval_run_plans.agent_model is 'as the eval run recorded it, or null';
comment on column eval_run_plans.planned is 'cases of its suite x trials; null where the suite is unknown';
comment on column eval_run_plans.found is 'case runs on disk whose case a registry knows';
