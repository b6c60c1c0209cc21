-- what: distribution function of the hypergeometric distribution
-- grain: scalar macro over (k, n, successes, total)
-- reads: hypergeometric_first, hypergeometric_last, hypergeometric_sum
-- rule: probability of at most k, divided by the sum of all probabilities, so that rounding errors cancel and the whole is 1
create or replace macro hypergeometric_at_most(k, n, successes, total) as
    hypergeometric_sum(
        hypergeometric_first(n, successes, total),
        least(k, hypergeometric_last(n, successes, total)),
        n, successes, total
    )
    / hypergeometric_sum(
        hypergeometric_first(n, successes, total),
        hypergeometric_last(n, successes, total),
        n, successes, total
    );

comment on macro hypergeometric_at_most is 'probability of at most k successes among n of total trials, of which successes succeeded';
