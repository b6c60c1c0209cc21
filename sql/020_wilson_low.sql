-- what: lower end of the 95 % Wilson interval of a rate
-- grain: scalar macro over (successes, trials)
-- reads: nothing
-- rule: score interval (Wilson 1927) with z = 1.959963984540054, clamped to [0, 1], null without trials; specification 50, "Trials"
create or replace macro wilson_low(successes, trials) as
    case
        when trials > 0 and successes = 0 then 0.0::double
        when trials > 0 and successes > 0
            then greatest(
                0.0::double,
                (
                    successes + pow(1.959963984540054::double, 2) / 2
                    - 1.959963984540054::double
                    * sqrt(successes::double * (trials - successes) / trials + pow(1.959963984540054::double, 2) / 4)
                ) / (trials + pow(1.959963984540054::double, 2))
            )
    end;

comment on macro wilson_low is 'lower end of the 95 % Wilson interval of successes / trials; null without trials';
