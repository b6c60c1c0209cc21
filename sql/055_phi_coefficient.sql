-- what: how far two yes-or-no answers go together
-- grain: scalar macro over counts (both yes, only a, only b, neither)
-- reads: nothing
-- rule: phi = (in_both x in_neither - only_a x only_b) / square root of the product of the four margins (Pearson 1900); null where a margin
--       is 0; specification 60, check_quality
create or replace macro phi_coefficient(in_both, only_a, only_b, in_neither) as
    (in_both::double * in_neither - only_a::double * only_b)
    / nullif(
        sqrt(in_both::double + only_a) * sqrt(only_b::double + in_neither) * sqrt(in_both::double + only_b) * sqrt(only_a::double + in_neither), 0
    );

comment on macro phi_coefficient is 'phi coefficient of a table of four counts, from -1 to 1; null where an answer never varies';
