-- what: judged case runs without what they refer to
-- grain: judged case run
-- reads: judged_case_runs, case_runs, judgments, cases
-- rule: a judged case run has a case run, a judgment and a case; no row on sound data (specification 60)
create or replace view audit_orphan_judged_runs as
select
    judged_case_runs.judgment_id,
    judged_case_runs.case_run_id,
    case_runs.case_run_id is null as without_case_run,
    judgments.judgment_id is null as without_judgment,
    cases.case_digest is null as without_case
from judged_case_runs
left join case_runs using (case_run_id)
left join judgments using (judgment_id)
left join cases using (case_digest)
where case_runs.case_run_id is null or judgments.judgment_id is null or cases.case_digest is null;

comment on view audit_orphan_judged_runs is 'judged case runs without what they refer to';
comment on column audit_orphan_judged_runs.judgment_id is 'the judgment';
comment on column audit_orphan_judged_runs.case_run_id is 'the case run';
comment on column audit_orphan_judged_runs.without_case_run is 'case_runs does not know it';
comment on column audit_orphan_judged_runs.without_judgment is 'judgments does not know its judgment';
comment on column audit_orphan_judged_runs.without_case is 'cases does not know its case digest';
