-- what: what a case tells
-- grain: case digest
-- reads: cases, decisions_of, latest_judged_case_runs, case_runs, eval_run_plans, wilson_low, wilson_high
-- rule: over case runs by the latest judgments; state: never_comparable where no case run is, impossible where none of at least 5 comparable
--       ones passed, saturated where all of at least 20 passed, discriminating where some passed and some failed, else null, for so few tell
--       nothing; an eval run tells two agents apart where more than half of its comparable case runs of the case pass and not so in the
--       latest eval run of another agent before it, or the other way round (specification 60, case_quality)
create or replace view case_quality as
with in_eval_runs as materialized (
    select
        decided.case_digest,
        decided.eval_run_id,
        struct_pack(
            name := case_runs.agent_name, version := case_runs.agent_version, model := case_runs.agent_model
        ) as agent,
        count(*) as case_runs,
        count(*) filter (where decided.verdict = 'pass') as passed,
        count(*) filter (where decided.verdict in ('pass', 'fail')) as comparable
    from decisions_of('latest_judged_case_runs') as decided
    left join case_runs
        on
            decided.eval_run_id = case_runs.eval_run_id
            and decided.case_run_id = case_runs.case_run_id
    group by
        decided.case_digest, decided.eval_run_id, case_runs.agent_name, case_runs.agent_version, case_runs.agent_model
),

comparable_runs as (
    select
        in_eval_runs.case_digest,
        in_eval_runs.agent,
        eval_run_plans.started_at,
        2 * in_eval_runs.passed > in_eval_runs.comparable as passes,
        dense_rank() over in_time as eval_run_place,
        row_number() over in_time_and_agent as place,
        coalesce(in_eval_runs.agent <> lag(in_eval_runs.agent) over in_time_and_agent, true) as agent_changes
    from in_eval_runs
    left join eval_run_plans using (eval_run_id)
    where in_eval_runs.comparable > 0
    window
        in_time as (
            partition by in_eval_runs.case_digest order by eval_run_plans.started_at nulls last, in_eval_runs.eval_run_id
        ),
        in_time_and_agent as (
            partition by in_eval_runs.case_digest
            order by eval_run_plans.started_at nulls last, in_eval_runs.eval_run_id, in_eval_runs.agent
        )
),

turns as (
    select
        *,
        count(*) filter (where agent_changes) over (partition by case_digest order by place) as turn
    from comparable_runs
),

last_of_turns as (
    select
        case_digest,
        turn,
        arg_max(passes, place) as passes
    from turns
    group by case_digest, turn
),

told_apart as (
    select
        turns.case_digest,
        max(turns.eval_run_place) as eval_runs,
        max(turns.eval_run_place) filter (where turns.passes <> other.passes) as last_told_apart
    from turns
    left join last_of_turns as other on turns.case_digest = other.case_digest and turns.turn = other.turn + 1
    group by turns.case_digest
),

counted as (
    select
        case_digest,
        sum(case_runs)::bigint as case_runs,
        sum(comparable)::bigint as comparable,
        sum(passed)::bigint as passed,
        count(distinct agent) as agents
    from in_eval_runs
    group by case_digest
)

select
    cases.case_id,
    cases.case_digest,
    cases.case_version,
    cases.status,
    coalesce(counted.case_runs, 0) as case_runs,
    coalesce(counted.comparable, 0) as comparable,
    coalesce(counted.passed, 0) as passed,
    coalesce(counted.agents, 0) as agents,
    counted.passed / nullif(counted.comparable, 0) as pass_rate,
    wilson_low(counted.passed, counted.comparable) as pass_rate_low,
    wilson_high(counted.passed, counted.comparable) as pass_rate_high,
    case
        when coalesce(counted.comparable, 0) = 0 then 'never_comparable'
        when counted.passed = 0 and counted.comparable >= 5 then 'impossible'
        when counted.passed = counted.comparable and counted.comparable >= 20 then 'saturated'
        when counted.passed > 0 and counted.passed < counted.comparable then 'discriminating'
    end as state,
    coalesce(told_apart.eval_runs, 0) as eval_runs,
    told_apart.eval_runs - told_apart.last_told_apart as eval_runs_since_told_apart
from cases
left join counted using (case_digest)
left join told_apart using (case_digest);

comment on view case_quality is 'what each case tells, by the latest judgments';
comment on column case_quality.case_id is 'the case';
comment on column case_quality.case_digest is 'the case as it stands in a registry';
comment on column case_quality.case_version is 'of case.yaml';
comment on column case_quality.status is 'active or inactive';
comment on column case_quality.case_runs is 'case runs that were judged by it';
comment on column case_quality.comparable is 'case runs that passed or failed';
comment on column case_quality.passed is 'case runs that passed';
comment on column case_quality.agents is 'agents that tried: distinct name, version and model of the case runs';
comment on column case_quality.pass_rate is 'passed / comparable; null without a comparable case run';
comment on column case_quality.pass_rate_low is 'lower end of its 95 % Wilson interval';
comment on column case_quality.pass_rate_high is 'upper end of its 95 % Wilson interval';
comment on column case_quality.state is 'never_comparable, impossible (none of at least 5 comparable case runs passed), saturated (all of at least 20 passed), discriminating (some passed, some failed), null (too few to tell)';
comment on column case_quality.eval_runs is 'eval runs with comparable case runs';
comment on column case_quality.eval_runs_since_told_apart is 'eval runs after the last one that told two agents apart; null where none did';
