-- what: case runs that are no pass, with what went wrong in words
-- grain: case run that is not a pass, by its latest judgment
-- reads: verdicts, verdict_precedence, check_results, reasons
-- rule: the failed checks stand in the order of buckets and checks (specification 60, view failures)
create or replace view failures as
with failed_checks as (
    select
        check_results.judgment_id,
        check_results.case_run_id,
        count(*) as failed,
        string_agg(
            case when not check_results.required then 'optional ' when check_results.layer = 'supporting' then 'supporting ' else '' end
            || check_results.bucket || '.' || check_results.check_id
            || coalesce(' (' || coalesce(reasons.meaning, check_results.reason) || ')', ''),
            '; ' order by check_results.position
        ) as words
    from check_results
    left join reasons using (reason)
    where not check_results.passed
    group by check_results.judgment_id, check_results.case_run_id
)

select
    verdicts.judgment_id,
    verdicts.case_run_id,
    verdicts.eval_run_id,
    verdicts.case_id,
    verdicts.trial,
    verdicts.verdict,
    verdicts.cause,
    verdicts.primary_failure_code,
    verdict_precedence.meaning,
    coalesce(failed_checks.failed, 0) as failed,
    failed_checks.words as failed_checks
from verdicts
left join verdict_precedence on verdicts.primary_failure_code = verdict_precedence.code
left join failed_checks
    on verdicts.judgment_id = failed_checks.judgment_id and verdicts.case_run_id = failed_checks.case_run_id
where verdicts.verdict <> 'pass';

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
