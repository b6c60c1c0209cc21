-- what: distance from a place within which a hypergeometric distribution has all of its weight on one side of the place
-- grain: scalar macro over (n, successes, total)
-- reads: nothing
-- rule: 8 standard deviations and 16 more: what lies beyond is less than 1e-14 of what lies within, so that sums over huge counts stay short
create or replace macro hypergeometric_spread(n, successes, total) as
    16 + 8 * sqrt(
        n::double * successes / nullif(total, 0) * (total - successes) / nullif(total, 0)
        * (total - n) / greatest(total - 1, 1)
    );

comment on macro hypergeometric_spread is 'distance from the mean, or further out, beyond which hypergeometric probabilities are negligible';
