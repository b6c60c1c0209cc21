-- what: status and score of the bucket evidence_collection
-- grain: scalar macro over the units of the failed checks, of the whole case (case_units) and the run, as in buckets_of
-- reads: part_score
-- rule: a required check failed: fail; an optional one: partial; else pass; all checks score
--       specification 50, "Bucket status"; what failed is null where nothing did
create or replace macro bucket_evidence_collection(failed, whole, run) as
    struct_pack(
        configured := coalesce(whole.evidence_collection_configured, false),
        status := case
            when failed.evidence_collection_required > 0 then 'fail'
            when failed.evidence_collection_optional > 0 then 'partial'
            else 'pass'
        end,
        score := part_score(
            whole.evidence_collection_max_score,
            failed.evidence_collection_required + failed.evidence_collection_optional,
            whole.evidence_collection_required + whole.evidence_collection_optional
        ),
        max_score := whole.evidence_collection_max_score
    );

comment on macro bucket_evidence_collection is '{configured, status, score, max_score} of the bucket evidence_collection';
