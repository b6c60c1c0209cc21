-- what: probability that all of k trials pass
-- grain: scalar macro over (trials, passed, k)
-- reads: nothing
-- rule: unbiased estimator C(passed, k) / C(trials, k) as a product of k ratios (Yao et al. 2024, tau-bench); specification 50, "Trials"
create or replace macro pass_hat_k(trials, passed, k) as
    case
        when k > trials then null
        when k > passed then 0.0::double
        else list_product(list_transform(range(k), lambda i: (passed - i) / (trials - i)::double))
    end;

comment on macro pass_hat_k is 'unbiased estimate of the probability that all of k trials pass; null for k > trials';
