-- what: result of every check, with the words that check_outcomes keeps as keys
-- grain: judgment, case run, check
-- reads: check_outcomes, checks, judged_case_runs
-- rule: a passed value that is null counts as failed: absence proves nothing (specification 60, table check_results)
create or replace view check_results as
select
    judged_case_runs.judgment_id,
    judged_case_runs.case_run_id,
    checks.bucket,
    checks.layer,
    checks.check_id,
    checks.position,
    checks.required,
    checks.weight,
    coalesce(check_outcomes.passed, false) as passed,
    check_outcomes.deciding_rule,
    check_outcomes.reason
from check_outcomes
inner join checks using (check_key)
inner join judged_case_runs using (judged_key);

comment on view check_results is 'result of every check of every judged case run';
comment on column check_results.judgment_id is 'the judgment';
comment on column check_results.case_run_id is 'the case run';
comment on column check_results.bucket is 'bucket of the check';
comment on column check_results.layer is 'hard or supporting in the diagnosis bucket, else null';
comment on column check_results.check_id is 'id of the check, unique in its bucket and layer';
comment on column check_results.position is 'order of the check within its case, from 0';
comment on column check_results.required is 'whether the check is required; true where that has no meaning';
comment on column check_results.weight is 'weight of the check in the score';
comment on column check_results.passed is 'whether the check passed';
comment on column check_results.deciding_rule is 'ordinal of the rule that decided, from 0; null for a check without rules';
comment on column check_results.reason is 'why the check failed (view reasons); null when it passed';
