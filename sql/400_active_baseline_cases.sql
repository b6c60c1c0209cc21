-- what: cases of the active baselines
-- grain: suite, case
-- reads: baselines, baseline_cases
-- rule: stability by the trials that the baseline remembers; how many of them were comparable it tells only where no doubt is left
--       (specification 50, "Regressions")
create or replace view active_baseline_cases as
select
    baselines.suite_id,
    baselines.suite_version,
    baselines.eval_run_id,
    baseline_cases.case_id,
    baseline_cases.case_version,
    baseline_cases.case_digest,
    baseline_cases.verdict,
    baseline_cases.primary_failure_code,
    baseline_cases.score,
    baseline_cases.max_score,
    100 * baseline_cases.score / nullif(baseline_cases.max_score, 0) as score_pct,
    baseline_cases.trials,
    baseline_cases.passed_trials as passed,
    case
        when baseline_cases.verdict = 'invalid' then 0
        when baseline_cases.trials in (1, baseline_cases.passed_trials) then baseline_cases.trials
    end as comparable,
    case
        when baseline_cases.verdict = 'invalid' then 'not_comparable'
        when baseline_cases.passed_trials = baseline_cases.trials then 'always_pass'
        when baseline_cases.passed_trials = 0 then 'always_fail'
        else 'mixed'
    end as stability,
    baseline_cases.buckets
from baselines
inner join baseline_cases using (suite_id, eval_run_id)
where baselines.active;

comment on view active_baseline_cases is 'cases of the active baselines';
comment on column active_baseline_cases.suite_id is 'the suite';
comment on column active_baseline_cases.suite_version is 'at promotion';
comment on column active_baseline_cases.eval_run_id is 'the promoted eval run';
comment on column active_baseline_cases.case_id is 'the case';
comment on column active_baseline_cases.case_version is 'at promotion';
comment on column active_baseline_cases.case_digest is 'at promotion';
comment on column active_baseline_cases.verdict is 'pass, fail or invalid';
comment on column active_baseline_cases.primary_failure_code is 'or null';
comment on column active_baseline_cases.score is 'mean score of the comparable trials, or null';
comment on column active_baseline_cases.max_score is 'or null';
comment on column active_baseline_cases.score_pct is '100 x score / max_score';
comment on column active_baseline_cases.trials is 'trials of the case';
comment on column active_baseline_cases.passed is 'trials that passed';
comment on column active_baseline_cases.comparable is 'trials that passed or failed; null where the baseline cannot tell';
comment on column active_baseline_cases.stability is 'always_pass, always_fail, mixed or not_comparable';
comment on column active_baseline_cases.buckets is 'JSON object: bucket -> status';
