-- what: greatest number of successes that a hypergeometric distribution gives weight to
-- grain: scalar macro over (n, successes, total)
-- reads: hypergeometric_spread
-- rule: a spread above the mean; n trials of `total`, of which `successes` succeeded, hold at most n and at most all of them
create or replace macro hypergeometric_last(n, successes, total) as
    least(
        n,
        successes,
        ceil(n::double * successes / nullif(total, 0) + hypergeometric_spread(n, successes, total))::bigint
    );

comment on macro hypergeometric_last is 'greatest number of successes among n of total trials that counts';
