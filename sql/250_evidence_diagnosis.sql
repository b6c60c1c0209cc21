-- what: evidence against diagnosis: what the collector lacked and what the reasoning missed
-- grain: judgment, case run that is not invalid
-- reads: all_verdicts
-- rule: specification 50, "Evidence against diagnosis"
create or replace view evidence_diagnosis as
select
    judgment_id,
    case_run_id,
    eval_run_id,
    case_id,
    trial,
    verdict,
    critical_evidence,
    diagnosis,
    case
        when critical_evidence = 'pass' and diagnosis = 'pass' then 'grounded'
        when critical_evidence = 'pass' then 'missed_signal'
        when diagnosis = 'pass' then 'unsupported_claim'
        else 'neither'
    end as class
from all_verdicts
where verdict <> 'invalid';

comment on view evidence_diagnosis is 'evidence against diagnosis, for case runs that are not invalid';
comment on column evidence_diagnosis.judgment_id is 'the judgment';
comment on column evidence_diagnosis.case_run_id is 'the case run';
comment on column evidence_diagnosis.eval_run_id is 'the eval run';
comment on column evidence_diagnosis.case_id is 'the case';
comment on column evidence_diagnosis.trial is 'counted from 1';
comment on column evidence_diagnosis.verdict is 'pass or fail';
comment on column evidence_diagnosis.critical_evidence is 'status of critical_evidence';
comment on column evidence_diagnosis.diagnosis is 'status of diagnosis';
comment on column evidence_diagnosis.class is 'grounded (both pass), missed_signal (evidence alone passes), unsupported_claim (diagnosis alone passes), neither';
