-- what: status and score of the bucket evidence_routing
-- grain: scalar macro over the units of the failed checks, of the whole case (case_units) and the run, as in buckets_of
-- reads: part_score
-- rule: a required check failed: fail; an optional one: partial; else pass; only required checks score
--       specification 50, "Bucket status"; what failed is null where nothing did
create or replace macro bucket_evidence_routing(failed, whole, run) as
    struct_pack(
        configured := coalesce(whole.evidence_routing_configured, false),
        status := case
            when failed.evidence_routing_required > 0 then 'fail'
            when failed.evidence_routing_optional > 0 then 'partial'
            else 'pass'
        end,
        score := part_score(
            whole.evidence_routing_max_score, failed.evidence_routing_required, whole.evidence_routing_required
        ),
        max_score := whole.evidence_routing_max_score
    );

comment on macro bucket_evidence_routing is '{configured, status, score, max_score} of the bucket evidence_routing';
