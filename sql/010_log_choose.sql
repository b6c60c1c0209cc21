-- what: natural logarithm of the binomial coefficient
-- grain: scalar macro over (n, k)
-- reads: nothing
-- rule: ln(n! / (k! (n - k)!)) by lgamma, 0 <= k <= n; the coefficients of specification 50, "Trials" and "Regressions"
create or replace macro log_choose(n, k) as
    lgamma(n + 1) - lgamma(k + 1) - lgamma(n - k + 1);

comment on macro log_choose is 'ln of n choose k';
