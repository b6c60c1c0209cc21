-- what: logarithm of the probability of k successes, up to a constant
-- grain: scalar macro over (k, n, successes, total)
-- reads: nothing
-- rule: C(successes, k) C(total - successes, n - k) / C(total, n) without the factorials that k has no part in
create or replace macro hypergeometric_log_weight(k, n, successes, total) as
    -(lgamma(k + 1) + lgamma(successes - k + 1) + lgamma(n - k + 1) + lgamma(total - successes - n + k + 1));

comment on macro hypergeometric_log_weight is 'ln of the probability of k successes among n of total trials, up to a constant';
