-- what: verdicts of an eval run, counted
-- grain: eval run, case, case digest
-- reads: decisions_of, latest_judged_case_runs
-- rule: by the latest judgments; scores of comparable case runs are summed as decimal numbers, so that the sum does not depend on an order
create or replace view trend_cases as
select
    eval_run_id,
    case_id,
    case_digest,
    count(*) filter (where verdict = 'pass') as passed,
    count(*) filter (where verdict = 'fail') as failed,
    count(*) filter (where verdict in ('pass', 'fail')) as comparable,
    count(*) filter (where verdict = 'invalid') as invalid,
    count(*) filter (where verdict = 'invalid' and cause = 'agent') as invalid_by_agent,
    count(*) filter (where verdict = 'invalid' and cause = 'environment') as invalid_by_environment,
    count(*) filter (where verdict = 'invalid' and cause = 'provider') as invalid_by_provider,
    count(*) filter (where verdict = 'invalid' and cause = 'harness') as invalid_by_harness,
    count(*) filter (where verdict = 'invalid' and cause = 'case') as invalid_by_case,
    count(*) filter (where verdict = 'invalid' and cause is null) as invalid_by_unknown,
    sum(try_cast(score as decimal(28, 12))) as score_sum
from decisions_of('latest_judged_case_runs')
group by eval_run_id, case_id, case_digest;

comment on view trend_cases is 'verdicts of an eval run by the latest judgments, counted by case and case digest';
comment on column trend_cases.eval_run_id is 'the eval run';
comment on column trend_cases.case_id is 'the case';
comment on column trend_cases.case_digest is 'of the case in the registry that judged';
comment on column trend_cases.passed is 'case runs that passed';
comment on column trend_cases.failed is 'case runs that failed';
comment on column trend_cases.comparable is 'passed + failed';
comment on column trend_cases.invalid is 'case runs that are invalid';
comment on column trend_cases.invalid_by_agent is 'invalid case runs by cause: agent';
comment on column trend_cases.invalid_by_environment is 'invalid case runs by cause: environment';
comment on column trend_cases.invalid_by_provider is 'invalid case runs by cause: provider';
comment on column trend_cases.invalid_by_harness is 'invalid case runs by cause: harness';
comment on column trend_cases.invalid_by_case is 'invalid case runs by cause: case';
comment on column trend_cases.invalid_by_unknown is 'invalid case runs without a cause';
comment on column trend_cases.score_sum is 'sum of the scores of the comparable case runs';
