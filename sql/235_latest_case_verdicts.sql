-- what: verdict of a case over all its trials, each by its latest judgment
-- grain: eval run, case
-- reads: case_verdicts_of, latest_trials
-- rule: specification 50, "Trials"; trials that different judgments judged last count together
create or replace view latest_case_verdicts as
select
    judgment_id,
    eval_run_id,
    case_id,
    suite_id,
    suite_version,
    case_version,
    case_digest,
    oldest_case_version,
    newest_case_version,
    aggregate,
    trials,
    passed,
    failed,
    invalid,
    comparable,
    pass_rate,
    pass_rate_low,
    pass_rate_high,
    mean_score,
    max_score,
    score_pct,
    verdict,
    primary_failure_code,
    contract,
    workflow,
    execution_contract,
    evidence_collection,
    critical_evidence,
    evidence_routing,
    diagnosis
from case_verdicts_of('latest_trials');

comment on view latest_case_verdicts is 'verdict of a case over all its trials, each by its latest judgment';
comment on column latest_case_verdicts.judgment_id is 'latest judgment of its trials';
comment on column latest_case_verdicts.eval_run_id is 'the eval run';
comment on column latest_case_verdicts.case_id is 'the case';
comment on column latest_case_verdicts.suite_id is 'suite of the eval run, or null';
comment on column latest_case_verdicts.suite_version is 'its version as the eval run recorded it, or null';
comment on column latest_case_verdicts.case_version is 'of the case in the registry that judged';
comment on column latest_case_verdicts.case_digest is 'of the case in the registry that judged';
comment on column latest_case_verdicts.oldest_case_version is 'least case_version of the trials: the recorded one, else the registry''s';
comment on column latest_case_verdicts.newest_case_version is 'greatest case_version of the trials, likewise';
comment on column latest_case_verdicts.aggregate is 'how the trials make the verdict: majority, all or any';
comment on column latest_case_verdicts.trials is 'case runs judged';
comment on column latest_case_verdicts.passed is 'trials that passed';
comment on column latest_case_verdicts.failed is 'trials that failed';
comment on column latest_case_verdicts.invalid is 'trials that are invalid';
comment on column latest_case_verdicts.comparable is 'passed + failed';
comment on column latest_case_verdicts.pass_rate is 'passed / comparable; null without a comparable trial';
comment on column latest_case_verdicts.pass_rate_low is 'lower end of its 95 % Wilson interval';
comment on column latest_case_verdicts.pass_rate_high is 'upper end of its 95 % Wilson interval';
comment on column latest_case_verdicts.mean_score is 'mean score of the comparable trials';
comment on column latest_case_verdicts.max_score is 'mean of the points that could be had in them';
comment on column latest_case_verdicts.score_pct is '100 x mean_score / max_score';
comment on column latest_case_verdicts.verdict is 'pass, fail or invalid';
comment on column latest_case_verdicts.primary_failure_code is 'most frequent code of the trials that decide (those of the case''s verdict, else all that are no pass); ties by precedence; null for a pass';
comment on column latest_case_verdicts.contract is 'worst status of contract in the trials that decide';
comment on column latest_case_verdicts.workflow is 'worst status of workflow in the trials that decide';
comment on column latest_case_verdicts.execution_contract is 'worst status of execution_contract in the trials that decide';
comment on column latest_case_verdicts.evidence_collection is 'worst status of evidence_collection in the trials that decide';
comment on column latest_case_verdicts.critical_evidence is 'worst status of critical_evidence in the trials that decide';
comment on column latest_case_verdicts.evidence_routing is 'worst status of evidence_routing in the trials that decide';
comment on column latest_case_verdicts.diagnosis is 'worst status of diagnosis in the trials that decide';
