-- what: status and score of the bucket execution_contract
-- grain: scalar macro over the units of the failed checks, of the whole case (case_units) and the run, as in buckets_of
-- reads: part_score
-- rule: a required check failed: fail; an optional one: partial; else pass; no score
--       specification 50, "Bucket status"; what failed is null where nothing did
create or replace macro bucket_execution_contract(failed, whole, run) as
    struct_pack(
        configured := coalesce(whole.execution_contract_configured, false),
        status := case
            when failed.execution_contract_required > 0 then 'fail'
            when failed.execution_contract_optional > 0 then 'partial'
            else 'pass'
        end,
        score := null::double,
        max_score := null::double
    );

comment on macro bucket_execution_contract is '{configured, status, score, max_score} of the bucket execution_contract';
