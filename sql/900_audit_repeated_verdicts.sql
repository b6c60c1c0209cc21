-- what: case runs that one judgment judged more than once
-- grain: judgment, case run
-- reads: judged_case_runs
-- rule: a judgment judges a case run once; no row on sound data (specification 60)
create or replace view audit_repeated_verdicts as
select
    judgment_id,
    case_run_id,
    count(*) as times
from judged_case_runs
group by judgment_id, case_run_id
having count(*) > 1;

comment on view audit_repeated_verdicts is 'case runs that one judgment judged more than once';
comment on column audit_repeated_verdicts.judgment_id is 'the judgment';
comment on column audit_repeated_verdicts.case_run_id is 'the case run';
comment on column audit_repeated_verdicts.times is 'how often';
