-- what: status and score of the bucket diagnosis
-- grain: scalar macro over the units of the failed checks, of the whole case (case_units) and the run, as in buckets_of
-- reads: part_score
-- rule: a hard check failed: fail; else pass; score of the hard part and of the supporting part, each only if it has checks
--       specification 50, "Bucket status"; what failed is null where nothing did
create or replace macro bucket_diagnosis(failed, whole, run) as
    struct_pack(
        configured := coalesce(whole.diagnosis_configured, false),
        status := case
            when failed.diagnosis_hard > 0 then 'fail'
            else 'pass'
        end,
        score := case
            when whole.diagnosis_configured
                then
                    coalesce(part_score(whole.hard_max_score, failed.diagnosis_hard, whole.diagnosis_hard), 0)
                    + coalesce(
                        part_score(whole.supporting_max_score, failed.diagnosis_supporting, whole.diagnosis_supporting), 0
                    )
        end,
        max_score := case
            when whole.diagnosis_configured
                then coalesce(whole.hard_max_score, 0) + coalesce(whole.supporting_max_score, 0)
        end
    );

comment on macro bucket_diagnosis is '{configured, status, score, max_score} of the bucket diagnosis';
