-- what: upper end of the 95 % Wilson interval of a rate
-- grain: scalar macro over (successes, trials)
-- reads: wilson_low
-- rule: the interval is symmetrical: one minus the lower end of the rate of failures; specification 50, "Trials"
create or replace macro wilson_high(successes, trials) as
    1 - wilson_low(trials - successes, trials);

comment on macro wilson_high is 'upper end of the 95 % Wilson interval of successes / trials; null without trials';
