-- what: checks with several outcomes for one judged case run
-- grain: judged case run, check
-- reads: check_outcomes, judged_case_runs, checks
-- rule: a check has one outcome; no row on sound data (specification 60).  A run whose keys sum up, by their hashes, to those of its case
--       has each of them once; only the others are looked at check by check
create or replace view audit_repeated_outcomes as
with checks_of_case as (
    select
        case_digest,
        sum(hash(check_key)::hugeint) as fingerprint
    from checks
    group by case_digest
),

outcomes_of_run as (
    select
        judged_key,
        sum(hash(check_key)::hugeint) as fingerprint
    from check_outcomes
    group by judged_key
),

doubtful as (
    select outcomes_of_run.judged_key
    from outcomes_of_run
    left join judged_case_runs on outcomes_of_run.judged_key = judged_case_runs.judged_key
    left join checks_of_case on judged_case_runs.case_digest = checks_of_case.case_digest
    where outcomes_of_run.fingerprint is distinct from checks_of_case.fingerprint
)

select
    check_outcomes.judged_key,
    check_outcomes.check_key,
    count(*) as times
from doubtful
inner join check_outcomes using (judged_key)
group by check_outcomes.judged_key, check_outcomes.check_key
having count(*) > 1;

comment on view audit_repeated_outcomes is 'checks with several outcomes for one judged case run';
comment on column audit_repeated_outcomes.judged_key is 'row of judged_case_runs';
comment on column audit_repeated_outcomes.check_key is 'row of checks';
comment on column audit_repeated_outcomes.times is 'how often';
