-- what: judged case runs that no row of the precedence fits
-- grain: judged case run
-- reads: all_verdicts
-- rule: every judged case run has a verdict; no row on sound data (specification 60)
create or replace view audit_undecided_verdicts as
select
    judgment_id,
    case_run_id
from all_verdicts
where verdict is null;

comment on view audit_undecided_verdicts is 'judged case runs that no row of the precedence fits';
comment on column audit_undecided_verdicts.judgment_id is 'the judgment';
comment on column audit_undecided_verdicts.case_run_id is 'the case run';
