-- what: status and score of the bucket critical_evidence
-- grain: scalar macro over the units of the failed checks, of the whole case (case_units) and the run, as in buckets_of
-- reads: part_score
-- rule: no check failed: pass; some did: partial; all did: fail (required or not); all checks score
--       specification 50, "Bucket status"; what failed is null where nothing did
create or replace macro bucket_critical_evidence(failed, whole, run) as
    struct_pack(
        configured := coalesce(whole.critical_evidence_configured, false),
        status := case
            when failed.critical_evidence_all = whole.critical_evidence_all and failed.critical_evidence_all > 0 then 'fail'
            when failed.critical_evidence_all > 0 then 'partial'
            else 'pass'
        end,
        score := part_score(
            whole.critical_evidence_max_score, failed.critical_evidence_all, whole.critical_evidence_all
        ),
        max_score := whole.critical_evidence_max_score
    );

comment on macro bucket_critical_evidence is '{configured, status, score, max_score} of the bucket critical_evidence';
