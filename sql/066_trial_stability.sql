-- what: whether the trials of a case agree
-- grain: scalar macro of passed and comparable trials
-- reads: nothing
-- rule: of the comparable trials alone; specification 50, "Regressions"; null where it is not known how many were comparable
create or replace macro trial_stability(passed, comparable) as
    case
        when comparable = 0 then 'not_comparable'
        when passed = comparable then 'always_pass'
        when passed = 0 then 'always_fail'
        when passed > 0 then 'mixed'
    end;

comment on macro trial_stability is 'always_pass, always_fail, mixed or not_comparable';
