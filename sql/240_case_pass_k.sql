-- what: how likely one of k, and all of k trials pass
-- grain: judgment, eval run, case, k = 1 … comparable trials
-- reads: case_verdicts, pass_at_k, pass_hat_k
-- rule: unbiased estimators over the comparable trials (specification 50, "Trials")
create or replace view case_pass_k as
with numbers_of_trials as (
    select
        judgment_id,
        eval_run_id,
        case_id,
        comparable,
        passed,
        unnest(range(1, comparable + 1)) as k
    from case_verdicts
)

select
    judgment_id,
    eval_run_id,
    case_id,
    k,
    comparable,
    passed,
    pass_at_k(comparable, passed, k) as pass_at_k,
    pass_hat_k(comparable, passed, k) as pass_hat_k
from numbers_of_trials;

comment on view case_pass_k is 'how likely one of k, and all of k trials pass';
comment on column case_pass_k.judgment_id is 'the judgment';
comment on column case_pass_k.eval_run_id is 'the eval run';
comment on column case_pass_k.case_id is 'the case';
comment on column case_pass_k.k is 'number of trials';
comment on column case_pass_k.comparable is 'comparable trials';
comment on column case_pass_k.passed is 'trials that passed';
comment on column case_pass_k.pass_at_k is 'estimated probability that at least one of k trials passes';
comment on column case_pass_k.pass_hat_k is 'estimated probability that all of k trials pass';
