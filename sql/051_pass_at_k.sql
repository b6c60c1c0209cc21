-- what: probability that at least one of k trials passes
-- grain: scalar macro over (trials, passed, k)
-- reads: pass_hat_k
-- rule: unbiased estimator 1 - C(trials - passed, k) / C(trials, k): not all of k trials fail (Chen et al. 2021); specification 50, "Trials"
create or replace macro pass_at_k(trials, passed, k) as
    1 - pass_hat_k(trials, trials - passed, k);

comment on macro pass_at_k is 'unbiased estimate of the probability that one of k trials passes; null for k > trials';
