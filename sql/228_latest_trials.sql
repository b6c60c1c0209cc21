-- what: verdicts whose trials of a case count together, whichever judgment judged them
-- grain: case run
-- reads: verdicts
-- rule: all trials of a case of an eval run get the latest of their judgments, so that trials judged one by one make one case
create or replace view latest_trials as
select
    arg_max(judgment_id, (judged_at, judgment_id)) over (partition by eval_run_id, case_id) as judgment_id,
    eval_run_id,
    case_id,
    suite_id,
    suite_version,
    case_version,
    recorded_case_version,
    case_digest,
    verdict,
    primary_failure_code,
    score,
    max_score,
    contract,
    workflow,
    execution_contract,
    evidence_collection,
    critical_evidence,
    evidence_routing,
    diagnosis
from verdicts;

comment on view latest_trials is 'verdicts by the latest judgments, each with the latest judgment of its case';
comment on column latest_trials.judgment_id is 'latest judgment of the trials of the case';
comment on column latest_trials.eval_run_id is 'the eval run';
comment on column latest_trials.case_id is 'the case';
comment on column latest_trials.suite_id is 'as in verdicts';
comment on column latest_trials.suite_version is 'as in verdicts';
comment on column latest_trials.case_version is 'as in verdicts';
comment on column latest_trials.recorded_case_version is 'as in verdicts';
comment on column latest_trials.case_digest is 'as in verdicts';
comment on column latest_trials.verdict is 'as in verdicts';
comment on column latest_trials.primary_failure_code is 'as in verdicts';
comment on column latest_trials.score is 'as in verdicts';
comment on column latest_trials.max_score is 'as in verdicts';
comment on column latest_trials.contract is 'as in verdicts';
comment on column latest_trials.workflow is 'as in verdicts';
comment on column latest_trials.execution_contract is 'as in verdicts';
comment on column latest_trials.evidence_collection is 'as in verdicts';
comment on column latest_trials.critical_evidence is 'as in verdicts';
comment on column latest_trials.evidence_routing is 'as in verdicts';
comment on column latest_trials.diagnosis is 'as in verdicts';
