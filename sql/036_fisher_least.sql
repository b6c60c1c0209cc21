-- what: least p-value that the one-sided Fisher exact test can reach
-- grain: scalar macro over (trials of a, trials of b)
-- reads: log_choose
-- rule: all of b and none of a succeed: 1 / C(a_trials + b_trials, a_trials); specification 50, "Regressions" (underpowered)
create or replace macro fisher_least(a_trials, b_trials) as
    exp(-log_choose(a_trials + b_trials, a_trials));

comment on macro fisher_least is 'least one-sided Fisher p-value that trials of these numbers can reach';
