-- what: cases that one agent now passes and now fails
-- grain: case, case digest, agent name, version and model with both passed and failed case runs
-- reads: decisions_of, latest_judged_case_runs, case_runs, eval_run_plans, wilson_low, wilson_high
-- rule: over comparable case runs by the latest judgments, eval runs in time order (started_at, those without it last, ties by id), then by
--       trial; the flip rate is the share of neighbours in that order whose verdicts differ (specification 60, flaky_cases)
create or replace view flaky_cases as
with in_eval_runs as (
    select
        decided.case_id,
        decided.case_digest,
        case_runs.agent_name,
        case_runs.agent_version,
        case_runs.agent_model,
        decided.eval_run_id,
        list(decided.verdict = 'pass' order by decided.trial, decided.case_run_id) as passes
    from decisions_of('latest_judged_case_runs') as decided
    left join case_runs
        on
            decided.eval_run_id = case_runs.eval_run_id
            and decided.case_run_id = case_runs.case_run_id
    where decided.verdict in ('pass', 'fail')
    group by
        decided.case_id,
        decided.case_digest,
        case_runs.agent_name,
        case_runs.agent_version,
        case_runs.agent_model,
        decided.eval_run_id
),

ordered as (
    select
        in_eval_runs.*,
        len(in_eval_runs.passes) as comparable,
        len(list_filter(in_eval_runs.passes, lambda passed: passed)) as passed,
        len(list_filter(
            list_zip(in_eval_runs.passes[:-2], in_eval_runs.passes[2:]), lambda neighbours: neighbours[1] <> neighbours[2]
        )) as flips,
        lag(in_eval_runs.passes[-1]) over (
            partition by
                in_eval_runs.case_id,
                in_eval_runs.case_digest,
                in_eval_runs.agent_name,
                in_eval_runs.agent_version,
                in_eval_runs.agent_model
            order by eval_run_plans.started_at nulls last, in_eval_runs.eval_run_id
        ) as passed_before
    from in_eval_runs
    left join eval_run_plans using (eval_run_id)
),

counted as (
    select
        case_id,
        case_digest,
        agent_name,
        agent_version,
        agent_model,
        sum(comparable)::bigint as comparable,
        sum(passed)::bigint as passed,
        count(*) as eval_runs,
        count(*) filter (where passed > 0 and passed < comparable) as mixed_eval_runs,
        (sum(flips) + count(*) filter (where passed_before <> passes[1]))::bigint as flips
    from ordered
    group by case_id, case_digest, agent_name, agent_version, agent_model
)

select
    case_id,
    case_digest,
    agent_name,
    agent_version,
    agent_model,
    comparable,
    passed,
    comparable - passed as failed,
    passed / comparable as pass_rate,
    wilson_low(passed, comparable) as pass_rate_low,
    wilson_high(passed, comparable) as pass_rate_high,
    eval_runs,
    mixed_eval_runs,
    flips,
    flips / (comparable - 1) as flip_rate
from counted
where passed > 0 and passed < comparable;

comment on view flaky_cases is 'cases that one agent now passes and now fails, by the latest judgments';
comment on column flaky_cases.case_id is 'the case';
comment on column flaky_cases.case_digest is 'of the case in the registry that judged: verdicts by another rubric are not compared';
comment on column flaky_cases.agent_name is 'of the case runs, or null';
comment on column flaky_cases.agent_version is 'of the case runs, or null';
comment on column flaky_cases.agent_model is 'of the case runs, or null';
comment on column flaky_cases.comparable is 'case runs that passed or failed';
comment on column flaky_cases.passed is 'case runs that passed';
comment on column flaky_cases.failed is 'case runs that failed';
comment on column flaky_cases.pass_rate is 'passed / comparable';
comment on column flaky_cases.pass_rate_low is 'lower end of its 95 % Wilson interval';
comment on column flaky_cases.pass_rate_high is 'upper end of its 95 % Wilson interval';
comment on column flaky_cases.eval_runs is 'eval runs with comparable case runs';
comment on column flaky_cases.mixed_eval_runs is 'of these, those with both passed and failed case runs';
comment on column flaky_cases.flips is 'neighbours in time, then by trial, whose verdicts differ';
comment on column flaky_cases.flip_rate is 'flips / (comparable - 1)';
