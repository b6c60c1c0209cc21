-- what: check outcomes of unknown judged case runs or checks, or of checks of another case
-- grain: judged case run, check
-- reads: check_outcomes, judged_case_runs, checks
-- rule: an outcome belongs to a check of the case that was judged; no row on sound data (specification 60)
create or replace view audit_orphan_outcomes as
select
    check_outcomes.judged_key,
    check_outcomes.check_key,
    case
        when judged_case_runs.judged_key is null then 'unknown judged_key'
        when checks.check_key is null then 'unknown check_key'
        else 'check of another case'
    end as problem
from check_outcomes
left join judged_case_runs using (judged_key)
left join checks using (check_key)
where judged_case_runs.case_digest is distinct from checks.case_digest or checks.check_key is null;

comment on view audit_orphan_outcomes is 'check outcomes of unknown judged case runs or checks, or of checks of another case';
comment on column audit_orphan_outcomes.judged_key is 'row of judged_case_runs';
comment on column audit_orphan_outcomes.check_key is 'row of checks';
comment on column audit_orphan_outcomes.problem is 'what is wrong';
