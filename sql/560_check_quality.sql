-- what: what a check tells
-- grain: case digest, check
-- reads: checks, cases, check_units, decisions_of, failed_checks_of, latest_judged_case_runs, phi_coefficient
-- rule: over case runs with buckets by the latest judgments; the verdict is taken as pass or not; a check decides alone where it is the only
--       failed check that counts for a bucket status, so that the case run would pass if it had passed (specification 60, check_quality; 50,
--       "Bucket status")
create or replace view check_quality as
with decided as materialized (
    select
        judged_key,
        case_digest,
        verdict = 'pass' as passes
    from decisions_of('latest_judged_case_runs')
    where contract is not null
),

runs_of_case as (
    select
        case_digest,
        count(*) as case_runs,
        count(*) filter (where passes) as passing
    from decided
    group by case_digest
),

failed as materialized (
    select
        failed_checks.judged_key,
        failed_checks.check_key,
        check_units.counts_for_verdict
    from failed_checks_of('latest_judged_case_runs') as failed_checks
    inner join check_units using (check_key)
),

failures_of_check as (
    select
        failed.check_key,
        count(*) as failed,
        count(*) filter (where decided.passes) as failed_in_passing
    from failed
    inner join decided using (judged_key)
    group by failed.check_key
),

only_failures as (
    select min(check_key) as check_key
    from failed
    where counts_for_verdict
    group by judged_key
    having count(*) = 1
),

alone as (
    select
        check_key,
        count(*) as decides_alone
    from only_failures
    group by check_key
),

counted as (
    select
        checks.check_key,
        coalesce(runs_of_case.case_runs, 0) as case_runs,
        coalesce(runs_of_case.passing, 0) as passing,
        coalesce(failures_of_check.failed, 0) as failed,
        coalesce(failures_of_check.failed_in_passing, 0) as failed_in_passing,
        coalesce(alone.decides_alone, 0) as decides_alone
    from checks
    left join runs_of_case using (case_digest)
    left join failures_of_check using (check_key)
    left join alone using (check_key)
)

select
    cases.case_id,
    checks.case_digest,
    checks.bucket,
    checks.layer,
    checks.check_id,
    checks.position,
    checks.required,
    counted.case_runs,
    counted.case_runs - counted.failed as passed,
    counted.failed,
    (counted.case_runs - counted.failed) / nullif(counted.case_runs, 0) as pass_rate,
    counted.case_runs > 0 and counted.failed = 0 as never_failed,
    counted.case_runs > 0 and counted.failed = counted.case_runs as never_passed,
    phi_coefficient(
        counted.passing - counted.failed_in_passing,
        counted.case_runs - counted.failed - (counted.passing - counted.failed_in_passing),
        counted.failed_in_passing,
        counted.failed - counted.failed_in_passing
    ) as phi,
    counted.decides_alone
from counted
inner join checks using (check_key)
left join cases using (case_digest);

comment on view check_quality is 'what each check of each case tells, by the latest judgments';
comment on column check_quality.case_id is 'the case';
comment on column check_quality.case_digest is 'the case as it stands in a registry';
comment on column check_quality.bucket is 'bucket of the check';
comment on column check_quality.layer is 'hard or supporting in the diagnosis bucket, else null';
comment on column check_quality.check_id is 'id of the check';
comment on column check_quality.position is 'order of the check within its case, from 0';
comment on column check_quality.required is 'whether the check is required';
comment on column check_quality.case_runs is 'case runs with buckets that were judged by it';
comment on column check_quality.passed is 'of these, those where the check passed';
comment on column check_quality.failed is 'of these, those where it failed or has no result';
comment on column check_quality.pass_rate is 'passed / case_runs; null without a case run';
comment on column check_quality.never_failed is 'whether it passed in all of at least one case run';
comment on column check_quality.never_passed is 'whether it failed in all of at least one case run';
comment on column check_quality.phi is 'agreement of the check with the verdict (pass or not): phi coefficient; null where one of them never varies';
comment on column check_quality.decides_alone is 'case runs that are no pass only because of it';
