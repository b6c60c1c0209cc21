-- what: one-sided Fisher exact test that side a succeeds less often than side b
-- grain: scalar macro over (successes and failures of a, successes and failures of b)
-- reads: hypergeometric_at_most
-- rule: probability of at most a_successes on side a, margins fixed; 1 where a side has no trial; specification 50, "Regressions"
create or replace macro fisher_less(a_successes, a_failures, b_successes, b_failures) as
    hypergeometric_at_most(
        a_successes,
        a_successes + a_failures,
        a_successes + b_successes,
        a_successes + a_failures + b_successes + b_failures
    );

comment on macro fisher_less is 'one-sided Fisher exact p-value: as few successes of a, or fewer, if both sides succeeded alike';
