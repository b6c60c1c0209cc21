-- what: what the trials of two sides can say about a change
-- grain: scalar macro of both counts of trials and the p-value
-- reads: fisher_least
-- rule: single_trial, then underpowered where no outcome could be significant, then p <= 0.05 with a slack of 1e-12; specification 50,
--       "Regressions"
create or replace macro trial_evidence(trials_now, trials_before, p_value) as
    case
        when trials_now = 1 or trials_before = 1 then 'single_trial'
        when fisher_least(trials_now, trials_before) > 0.05 + 1e-12 then 'underpowered'
        when p_value <= 0.05 + 1e-12 then 'significant'
        else 'within_noise'
    end;

comment on macro trial_evidence is 'single_trial, underpowered, significant or within_noise';
