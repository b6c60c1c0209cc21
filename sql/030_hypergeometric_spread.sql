-- what: distance from the mean within which a hypergeometric distribution has all of its weight
-- grain: scalar macro over (n, successes, total)
-- reads: nothing
-- rule: 60 standard deviations and 60 more: what lies beyond is less than the smallest double, so that sums over huge counts stay short
create or replace macro hypergeometric_spread(n, successes, total) as
    60 + 60 * sqrt(
        n::double * successes / nullif(total, 0) * (total - successes) / nullif(total, 0)
        * (total - n) / greatest(total - 1, 1)
    );

comment on macro hypergeometric_spread is 'distance from the mean beyond which hypergeometric probabilities are negligible';
