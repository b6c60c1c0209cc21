-- what: status and score of the bucket workflow
-- grain: scalar macro over the units of the failed checks, of the whole case (case_units) and the run, as in buckets_of
-- reads: part_score
-- rule: no required check failed: pass; one failed and the run progressed: partial; else fail; only required checks score
--       specification 50, "Bucket status"; what failed is null where nothing did
create or replace macro bucket_workflow(failed, whole, run) as
    struct_pack(
        configured := coalesce(whole.workflow_configured, false),
        status := case
            when failed.workflow_required > 0 and run.progressed then 'partial'
            when failed.workflow_required > 0 then 'fail'
            else 'pass'
        end,
        score := part_score(whole.workflow_max_score, failed.workflow_required, whole.workflow_required),
        max_score := whole.workflow_max_score
    );

comment on macro bucket_workflow is '{configured, status, score, max_score} of the bucket workflow';
