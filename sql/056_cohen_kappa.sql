-- what: agreement of two yes-or-no answers beyond chance
-- grain: scalar macro over counts (both yes, only a, only b, neither)
-- reads: nothing
-- rule: kappa = (observed - expected) / (1 - expected), expected from the margins (Cohen 1960): 2 (in_both x in_neither - only_a x only_b) /
--       (a yes x b no + a no x b yes); null where chance alone agrees always; specification 60, semantic_agreement
create or replace macro cohen_kappa(in_both, only_a, only_b, in_neither) as
    2 * (in_both::double * in_neither - only_a::double * only_b)
    / nullif(
        (in_both::double + only_a) * (only_a::double + in_neither) + (only_b::double + in_neither) * (in_both::double + only_b), 0
    );

comment on macro cohen_kappa is 'Cohen kappa of a table of four counts; null where both always give the same one answer';
