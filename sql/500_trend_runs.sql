-- what: eval runs in time order, and where the meaning of their verdicts changes
-- grain: eval run
-- reads: eval_run_plans, judged_meanings
-- rule: within a suite by started_at, those without it last, ties by id; a segment ends where the digest of a case differs from that of the
--       latest earlier eval run with the case, or suite version (which tells the aggregate), packs or semantics_version differ from those
--       of the latest earlier judged eval run (specification 60, suite_trends)
create or replace view trend_runs as
with meanings as materialized (
    from judged_meanings
),

judged as (
    select
        eval_run_id,
        arg_max(struct_pack(pack_digests := pack_digests, semantics_version := semantics_version), (place, case_id)) as engine,
        bool_or(mixed)
        or min((pack_digests, semantics_version, suite_digest)) <> max((pack_digests, semantics_version, suite_digest)) as mixed
    from meanings
    group by eval_run_id
),

ordered as materialized (
    select
        eval_run_plans.eval_run_id,
        eval_run_plans.suite_id,
        eval_run_plans.suite_version,
        eval_run_plans.started_at,
        eval_run_plans.agent_name,
        eval_run_plans.agent_version,
        eval_run_plans.agent_model,
        eval_run_plans.planned,
        eval_run_plans.found,
        row_number() over (
            partition by eval_run_plans.suite_id order by eval_run_plans.started_at nulls last, eval_run_plans.eval_run_id
        ) as place,
        coalesce(judged.mixed, false) as mixed_semantics,
        case
            when judged.eval_run_id is not null
                then struct_pack(
                    suite_version := eval_run_plans.suite_version,
                    engine := judged.engine
                )
        end as meaning
    from eval_run_plans
    left join judged using (eval_run_id)
),

cases_in_time as (
    select
        ordered.eval_run_id,
        meanings.case_digest <> lag(meanings.case_digest) over (
            partition by ordered.suite_id, meanings.case_id order by ordered.place
        ) as changed
    from ordered
    inner join meanings using (eval_run_id)
),

with_changed_case as (
    select distinct eval_run_id
    from cases_in_time
    where changed
),

compared as (
    select
        ordered.*,
        with_changed_case.eval_run_id is not null
        or coalesce(ordered.meaning <> lag(ordered.meaning ignore nulls) over (
            partition by ordered.suite_id order by ordered.place
        ), false) as changed
    from ordered
    left join with_changed_case using (eval_run_id)
)

select
    eval_run_id,
    suite_id,
    suite_version,
    place,
    lag(eval_run_id) over same_suite as previous_eval_run_id,
    started_at,
    agent_name,
    agent_version,
    agent_model,
    planned,
    found,
    1 + count(*) filter (where changed) over same_suite as segment,
    mixed_semantics
from compared
window same_suite as (partition by suite_id order by place);

comment on view trend_runs is 'eval runs of each suite in time order, with the segments in which their verdicts mean the same';
comment on column trend_runs.eval_run_id is 'the eval run';
comment on column trend_runs.suite_id is 'its suite, or null';
comment on column trend_runs.suite_version is 'as the eval run recorded it, or null';
comment on column trend_runs.place is 'its place among the eval runs of the suite, from 1';
comment on column trend_runs.previous_eval_run_id is 'the eval run before it in the suite, or null';
comment on column trend_runs.started_at is 'when it started, else when the earliest of its case runs did, else null';
comment on column trend_runs.agent_name is 'as the eval run recorded it, or null';
comment on column trend_runs.agent_version is 'as the eval run recorded it, or null';
comment on column trend_runs.agent_model is 'as the eval run recorded it, or null';
comment on column trend_runs.planned is 'cases of the suite x trials; null where the suite is unknown';
comment on column trend_runs.found is 'case runs on disk whose case a registry knows';
comment on column trend_runs.segment is 'number of its segment, from 1; it rises where the meaning of the verdicts changes';
comment on column trend_runs.mixed_semantics is 'whether its verdicts come from judgments with different digests of a case, the packs or the suite, or of different semantics_version';
