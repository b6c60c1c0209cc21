-- what: case runs that are no pass, with what went wrong in words
-- grain: case run that is not a pass, by its latest judgment
-- reads: decisions_of, latest_judged_case_runs, verdict_precedence
-- rule: the failed checks stand in the order of buckets and checks (specification 60, view failures)
create or replace view failures as
select
    decided.judgment_id,
    decided.case_run_id,
    decided.eval_run_id,
    decided.case_id,
    decided.trial,
    decided.verdict,
    decided.cause,
    decided.primary_failure_code,
    verdict_precedence.meaning,
    decided.failed_checks as failed,
    decided.failed_words as failed_checks
from decisions_of('latest_judged_case_runs') as decided
left join verdict_precedence on decided.primary_failure_code = verdict_precedence.code
where decided.verdict <> 'pass';

comment on view failures is 'case runs that are no pass, with their failed checks in words';
comment on column failures.judgment_id is 'the latest judgment of the case run';
comment on column failures.case_run_id is 'the case run';
comment on column failures.eval_run_id is 'the eval run';
comment on column failures.case_id is 'the case';
comment on column failures.trial is 'counted from 1';
comment on column failures.verdict is 'fail or invalid';
comment on column failures.cause is 'whose doing it was';
comment on column failures.primary_failure_code is 'code of the first row of verdict_precedence that fits';
comment on column failures.meaning is 'what that code says, for people';
comment on column failures.failed is 'number of failed checks, optional ones included';
comment on column failures.failed_checks is 'bucket.check (why), parted by semicolons, in the order of the checks; null without a failed check';
