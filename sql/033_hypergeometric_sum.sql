-- what: probability that the number of successes lies between two ends
-- grain: scalar macro over (first_k, last_k, n, successes, total)
-- reads: log_choose
-- rule: sum of C(successes, k) C(total - successes, n - k) / C(total, n) for k = first_k … last_k; 0 where there is no such k
create or replace macro hypergeometric_sum(first_k, last_k, n, successes, total) as
    coalesce(
        list_sum(list_transform(
            range(first_k::bigint, last_k::bigint + 1),
            lambda k: exp(log_choose(successes, k) + log_choose(total - successes, n - k) - log_choose(total, n))
        )),
        0.0::double
    );

comment on macro hypergeometric_sum is 'probability of first_k to last_k successes among n of total trials, of which successes succeeded';
