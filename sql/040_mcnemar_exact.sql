-- what: exact McNemar test of paired outcomes
-- grain: scalar macro over (pairs that went down, pairs that went up)
-- reads: log_choose
-- rule: two-sided binomial test of the discordant pairs against 1/2, 1 where there is none; terms further out than 8 standard deviations
--       and 16 more from the last are left out, for they are less than 1e-14 of the sum; specification 50, "Regressions" (suite_comparison)
create or replace macro mcnemar_exact(went_down, went_up) as
    least(
        1.0::double,
        2 * list_sum(list_transform(
            range(
                greatest(0, floor(least(went_down, went_up) - 16 - 4 * sqrt(went_down + went_up))::bigint),
                least(went_down, went_up)::bigint + 1
            ),
            lambda k: exp(log_choose(went_down + went_up, k) - (went_down + went_up) * ln(2))
        ))
    );

comment on macro mcnemar_exact is 'two-sided exact McNemar p-value of the discordant pairs';
