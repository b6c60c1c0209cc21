-- what: checks with several outcomes for one judged case run
-- grain: judged case run, check
-- reads: check_outcomes
-- rule: a check has one outcome; no row on sound data (specification 60)
create or replace view audit_repeated_outcomes as
select
    judged_key,
    check_key,
    count(*) as times
from check_outcomes
group by judged_key, check_key
having count(*) > 1;

comment on view audit_repeated_outcomes is 'checks with several outcomes for one judged case run';
comment on column audit_repeated_outcomes.judged_key is 'row of judged_case_runs';
comment on column audit_repeated_outcomes.check_key is 'row of checks';
comment on column audit_repeated_outcomes.times is 'how often';
