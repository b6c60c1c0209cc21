-- what: semantic results without what they refer to
-- grain: judgment, case run, semantic check
-- reads: semantic_results, judged_case_runs, checks
-- rule: a semantic result belongs to a judged case run, by the case digest that judged it, and shadows a diagnosis check of that case if
--       any; matched is told exactly where the status is ok; no row on sound data (specification 60; 80, "Semantic shadow")
create or replace view audit_orphan_semantic_results as
with diagnosis_checks as (
    select distinct
        case_digest,
        check_id
    from checks
    where bucket = 'diagnosis'
),

looked_at as (
    select
        semantic_results.judgment_id,
        semantic_results.case_run_id,
        semantic_results.semantic_check_id,
        case
            when judged_case_runs.judged_key is null then 'unknown judged case run'
            when coalesce(semantic_results.case_digest <> judged_case_runs.case_digest, true) then 'another case digest'
            when semantic_results.shadows is not null and diagnosis_checks.check_id is null then 'unknown shadowed check'
            when coalesce(semantic_results.status = 'ok', false) <> (semantic_results.matched is not null) then 'matched against status'
        end as problem
    from semantic_results
    left join judged_case_runs using (judgment_id, case_run_id)
    left join diagnosis_checks
        on semantic_results.case_digest = diagnosis_checks.case_digest and semantic_results.shadows = diagnosis_checks.check_id
)

select
    judgment_id,
    case_run_id,
    semantic_check_id,
    problem
from looked_at
where problem is not null;

comment on view audit_orphan_semantic_results is 'semantic results without what they refer to';
comment on column audit_orphan_semantic_results.judgment_id is 'the judgment';
comment on column audit_orphan_semantic_results.case_run_id is 'the case run';
comment on column audit_orphan_semantic_results.semantic_check_id is 'id of the question in judge.yaml';
comment on column audit_orphan_semantic_results.problem is 'what is wrong';
