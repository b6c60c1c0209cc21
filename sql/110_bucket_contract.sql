-- what: status and score of the bucket contract
-- grain: scalar macro over the units of the failed checks, of the whole case (case_units) and the run, as in buckets_of
-- reads: part_score
-- rule: a required check failed: fail; else pass; no score
--       specification 50, "Bucket status"; what failed is null where nothing did
create or replace macro bucket_contract(failed, whole, run) as
    struct_pack(
        configured := coalesce(whole.contract_configured, false),
        status := case
            when failed.contract_required > 0 then 'fail'
            else 'pass'
        end,
        score := null::double,
        max_score := null::double
    );

comment on macro bucket_contract is '{configured, status, score, max_score} of the bucket contract';
