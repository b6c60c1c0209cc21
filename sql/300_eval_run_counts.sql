-- what: what became of the case runs of an eval run
-- grain: eval run that has a record or a case run of a known case
-- reads: eval_run_plans, decisions_of, latest_judged_case_runs, wilson_low, wilson_high
-- rule: verdicts by the latest judgments; what was lost is a result, too (specification 50, "Regressions", suite_comparison)
create or replace view eval_run_counts as
with judged as (
    select
        eval_run_id,
        count(*) filter (where verdict in ('pass', 'fail')) as comparable,
        count(*) filter (where verdict = 'pass') as passed,
        count(*) filter (where verdict = 'fail') as failed,
        count(*) filter (where verdict = 'invalid') as invalid
    from decisions_of('latest_judged_case_runs')
    group by eval_run_id
)

select
    eval_run_id,
    eval_run_plans.planned,
    coalesce(eval_run_plans.found, 0) as found,
    coalesce(judged.comparable, 0) as comparable,
    coalesce(judged.passed, 0) as passed,
    coalesce(judged.failed, 0) as failed,
    coalesce(judged.invalid, 0) as invalid,
    judged.passed / nullif(judged.comparable, 0) as pass_rate,
    wilson_low(judged.passed, judged.comparable) as pass_rate_low,
    wilson_high(judged.passed, judged.comparable) as pass_rate_high,
    judged.invalid / (judged.comparable + judged.invalid) as invalid_rate,
    wilson_low(judged.invalid, judged.comparable + judged.invalid) as invalid_rate_low,
    wilson_high(judged.invalid, judged.comparable + judged.invalid) as invalid_rate_high
from eval_run_plans
full join judged using (eval_run_id);

comment on view eval_run_counts is 'what became of the case runs of an eval run, by the latest judgments';
comment on column eval_run_counts.eval_run_id is 'the eval run';
comment on column eval_run_counts.planned is 'cases of its suite x trials; null where the suite is unknown';
comment on column eval_run_counts.found is 'case runs on disk whose case a registry knows';
comment on column eval_run_counts.comparable is 'case runs that passed or failed';
comment on column eval_run_counts.passed is 'case runs that passed';
comment on column eval_run_counts.failed is 'case runs that failed';
comment on column eval_run_counts.invalid is 'case runs that are invalid';
comment on column eval_run_counts.pass_rate is 'passed / comparable; null without a comparable case run';
comment on column eval_run_counts.pass_rate_low is 'lower end of its 95 % Wilson interval';
comment on column eval_run_counts.pass_rate_high is 'upper end of its 95 % Wilson interval';
comment on column eval_run_counts.invalid_rate is 'invalid / judged; null where nothing is judged';
comment on column eval_run_counts.invalid_rate_low is 'lower end of its 95 % Wilson interval';
comment on column eval_run_counts.invalid_rate_high is 'upper end of its 95 % Wilson interval';
