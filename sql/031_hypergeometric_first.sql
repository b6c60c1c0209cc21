-- what: least number of successes that a hypergeometric distribution gives weight to
-- grain: scalar macro over (n, successes, total)
-- reads: hypergeometric_spread
-- rule: n trials of `total`, of which `successes` succeeded, hold at least n - (total - successes) of them
create or replace macro hypergeometric_first(n, successes, total) as
    greatest(
        0,
        n - (total - successes),
        floor(n::double * successes / nullif(total, 0) - hypergeometric_spread(n, successes, total))::bigint
    );

comment on macro hypergeometric_first is 'least number of successes among n of total trials that has a probability worth a double';
