-- what: least number of successes that counts for the probability of at most k
-- grain: scalar macro over (k, n, successes, total)
-- reads: hypergeometric_spread
-- rule: a spread below the mean, and a spread below k where that is less; not further than five spreads below the mean, where every
--       probability is less than the smallest double; n trials of `total` hold at least n - (total - successes) successes
create or replace macro hypergeometric_first(k, n, successes, total) as
    greatest(
        0,
        n - (total - successes),
        floor(greatest(
            least(n::double * successes / nullif(total, 0), k) - hypergeometric_spread(n, successes, total),
            n::double * successes / nullif(total, 0) - 5 * hypergeometric_spread(n, successes, total)
        ))::bigint
    );

comment on macro hypergeometric_first is 'least number of successes among n of total trials that counts for the probability of at most k';
