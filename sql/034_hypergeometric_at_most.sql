-- what: distribution function of the hypergeometric distribution
-- grain: scalar macro over (k, n, successes, total)
-- reads: hypergeometric_first, hypergeometric_last, hypergeometric_log_weight
-- rule: weights of all numbers that count, as multiples of the weight at the mode; the sum of those up to k by the sum of all, so that
--       rounding errors cancel and the whole is 1
create or replace macro hypergeometric_at_most(k, n, successes, total) as
    list_transform(
        list_transform(
            [hypergeometric_log_weight(
                floor((n + 1)::double * (successes + 1) / (total + 2))::bigint, n, successes, total
            )],
            lambda log_of_mode: list_transform(
                range(
                    hypergeometric_first(k, n, successes, total)::bigint, hypergeometric_last(n, successes, total)::bigint + 1
                ),
                lambda x: exp(hypergeometric_log_weight(x, n, successes, total) - log_of_mode)
            )
        ),
        lambda weights: coalesce(
            list_sum(weights[1:greatest(0, k - hypergeometric_first(k, n, successes, total) + 1)::bigint]), 0.0::double
        ) / list_sum(weights)
    )[1];

comment on macro hypergeometric_at_most is 'probability of at most k successes among n of total trials, of which successes succeeded';
