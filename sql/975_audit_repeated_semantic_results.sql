-- what: questions with several answers for one judged case run
-- grain: judgment, case run, semantic check
-- reads: semantic_results
-- rule: a question has one answer in a judgment; no row on sound data (specification 60)
create or replace view audit_repeated_semantic_results as
select
    judgment_id,
    case_run_id,
    semantic_check_id,
    count(*) as times
from semantic_results
group by judgment_id, case_run_id, semantic_check_id
having count(*) > 1;

comment on view audit_repeated_semantic_results is 'questions with several answers for one judged case run';
comment on column audit_repeated_semantic_results.judgment_id is 'the judgment';
comment on column audit_repeated_semantic_results.case_run_id is 'the case run';
comment on column audit_repeated_semantic_results.semantic_check_id is 'id of the question in judge.yaml';
comment on column audit_repeated_semantic_results.times is 'how often';
