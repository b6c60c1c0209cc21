-- what: verdicts whose trials of a case count together, whichever judgment judged them
-- grain: case run
-- reads: verdicts, latest_judged_case_runs, judgments
-- rule: all trials of a case of an eval run get the latest of their judgments, so that trials judged one by one make one case
create or replace view latest_trials as
with judgments_in_time as (
    select
        judgment_id,
        row_number() over (order by judged_at, judgment_id) as place
    from judgments
),

latest_judgments as (
    select
        latest_judged_case_runs.eval_run_id,
        latest_judged_case_runs.case_id,
        arg_max(latest_judged_case_runs.judgment_id, judgments_in_time.place) as judgment_id
    from latest_judged_case_runs
    inner join judgments_in_time using (judgment_id)
    group by latest_judged_case_runs.eval_run_id, latest_judged_case_runs.case_id
)

select
    latest_judgments.judgment_id,
    verdicts.eval_run_id,
    verdicts.case_id,
    verdicts.suite_id,
    verdicts.suite_version,
    verdicts.case_version,
    verdicts.recorded_case_version,
    verdicts.case_digest,
    verdicts.verdict,
    verdicts.primary_failure_code,
    verdicts.score,
    verdicts.max_score,
    verdicts.contract,
    verdicts.workflow,
    verdicts.execution_contract,
    verdicts.evidence_collection,
    verdicts.critical_evidence,
    verdicts.evidence_routing,
    verdicts.diagnosis
from verdicts
inner join latest_judgments using (eval_run_id, case_id);

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
